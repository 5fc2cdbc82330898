"""What the network hears: levels and changes of harmony, whatever the gain."""

import numpy as np
import pytest

from workbench.beats.network import (
    FLOOR_DB,
    N_BANDS,
    N_CHANGES,
    TOP_DB,
    band_groups,
    heard_changes,
    heard_levels,
    network_input,
)
from workbench.features.spectrum import analyze_spectrum

RATE = 44_100


def test_inputs_are_finite_for_any_sound() -> None:
    rng = np.random.default_rng(0)
    for sound in (np.zeros(3000), rng.normal(size=50_000) * 1e-6, np.ones(20_000), rng.normal(size=200)):
        inputs = network_input(analyze_spectrum(sound.astype(np.float32), RATE))
        assert np.isfinite(inputs).all()


def tones(seconds: float, *hertz: float) -> np.ndarray:
    """One tone after the other, each as long."""
    t = np.arange(round(seconds * RATE / len(hertz))) / RATE
    return np.concatenate([0.3 * np.sin(2 * np.pi * hz * t) for hz in hertz]).astype(np.float32)


def test_levels_stay_within_their_range_and_do_not_depend_on_gain() -> None:
    sound = tones(4.0, 220.0, 440.0, 330.0, 110.0)
    loud, soft = (heard_levels(analyze_spectrum(gain * sound, RATE)) for gain in (1.0, 0.05))
    assert loud.shape == (201, N_BANDS)
    assert loud.min() >= FLOOR_DB
    assert loud.max() <= TOP_DB
    above = loud > FLOOR_DB / 2
    np.testing.assert_allclose(soft[above], loud[above], atol=0.1)


def test_a_change_of_harmony_is_heard_where_it_is_and_a_held_tone_has_none() -> None:
    changes = heard_changes(analyze_spectrum(tones(6.0, 220.0, 311.1), RATE))
    assert changes.shape == (301, N_CHANGES)
    assert changes[:, 1].argmax() == pytest.approx(150, abs=6)
    assert changes[:, 1].max() > 0.5
    assert changes[30:110, 1].max() < 0.01


def test_bands_of_the_network_go_up_with_frequency() -> None:
    groups = band_groups(np.geomspace(30.0, 18_000.0, 300))
    assert np.all(np.diff(groups) >= 0)
    assert groups[0] == 0
    assert groups[-1] == N_BANDS - 1
