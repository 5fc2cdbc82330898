"""Drums of bundled tracks, which are known to have some or none."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from workbench.features.drums import drum_chance, strike_clues
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.files import bundled_path

RATE = 44_100
SECONDS = 12


def opening(name: str) -> NDArray[np.float32]:
    """The sound of a bundled track, from 20 s on."""
    samples, rate = soundfile.read(bundled_path("data", "bundled", "music", f"{name}.ogg"), dtype="float32")
    assert rate == RATE
    return np.asarray(samples[20 * RATE : (20 + SECONDS) * RATE].mean(axis=1))


def chance_of(sound: NDArray[np.float32]) -> float:
    spectrum = analyze_spectrum(sound, RATE)
    return drum_chance(spectrum, detect_onsets(spectrum))


def test_tracks_with_drums_are_told_from_those_without() -> None:
    with_drums = [chance_of(opening(name)) for name in ("harbour_lights", "glass_circuit")]
    assert 0.0 <= chance_of(opening("first_snow")) < 0.5 < min(with_drums) <= 1.0


def test_gain_changes_nothing() -> None:
    clues = []
    for gain in (1.0, 0.1):
        spectrum = analyze_spectrum(gain * opening("harbour_lights"), RATE)
        found = strike_clues(spectrum, detect_onsets(spectrum))
        assert found is not None
        assert found.shape == (37,)
        clues.append(found)
    np.testing.assert_allclose(clues[1], clues[0], atol=0.02)


@pytest.mark.parametrize("samples", [0, 2000, RATE])
def test_silence_and_a_scrap_have_no_drums(samples: int) -> None:
    assert chance_of(np.zeros(samples, dtype=np.float32)) == 0.0
