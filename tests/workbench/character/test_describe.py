"""What is measured of a track, where the answer is plain from how it was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.character import (
    Character,
    character_from_arrays,
    character_to_arrays,
    describe,
    loudness_range,
    measure_track,
)
from workbench.analysis.labels import check_together
from workbench.analysis.workspace import Workspace
from workbench.store.home import Home

RATE = 22_050


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory, band: Callable[..., object]) -> Callable[..., Character]:
    """`described(gain=…)` plays the band, writes a file and describes it."""
    folder = tmp_path_factory.mktemp("character")

    def run(name: str, **how: object) -> Character:
        path = folder / f"{name}.wav"
        recording = band("AABB", **how).recording  # type: ignore[attr-defined]
        soundfile.write(path, recording.samples.T, recording.sample_rate, subtype="FLOAT")
        return describe(Workspace(Home(folder / "home")), path)

    return run


@pytest.fixture(scope="module")
def plain(described: Callable[..., Character]) -> Character:
    return described("plain")


def test_pace_and_form(plain: Character) -> None:
    assert plain.bpm == pytest.approx(120.0, abs=0.5)
    assert plain.beats_per_bar == 4
    assert plain.duration_seconds == pytest.approx(0.25 + 32 + 2.0, abs=0.01)
    start, end = plain.salient
    assert 0 <= start < end <= plain.duration_seconds
    assert plain.sections


def test_level(described: Callable[..., Character], plain: Character) -> None:
    soft = described("soft", gain=0.25)
    assert plain.lufs is not None
    assert soft.lufs is not None
    assert plain.lufs - soft.lufs == pytest.approx(12.04, abs=0.05)
    # a lower master is the same music
    assert soft.energy == pytest.approx(plain.energy, abs=0.01)
    assert soft.brightness == pytest.approx(plain.brightness, abs=0.01)
    assert float(soft.sound @ plain.sound) > 0.999


def test_drums_and_no_voice(plain: Character) -> None:
    assert plain.drums > 0.5
    assert plain.vocals < 0.5


def test_a_key_is_named_only_where_it_is_likelier_right_than_wrong(tmp_path: Path) -> None:
    time = np.arange(20 * RATE) / RATE

    def heard(name: str, *hertz: float) -> Character:
        sound = sum(np.sin(2 * np.pi * tone * k * time) / k for tone in hertz for k in (1, 2, 3, 4))
        soundfile.write(tmp_path / f"{name}.wav", 0.05 * sound, RATE)
        return describe(Workspace(Home(tmp_path / "home")), tmp_path / f"{name}.wav")

    scale = heard("scale", 110.0, 164.8, 220.0, 246.9, 261.6, 293.7, 329.6, 392.0)  # A minor over its tonic and fifth
    diminished = heard("diminished", 220.0, 261.6, 311.1, 370.0)  # leads to any of four keys
    assert (scale.key_name, scale.key_mode) == ("A", "minor")
    assert scale.key_strength >= 0.5
    assert (diminished.key_name, diminished.key_mode) == (None, None)
    assert 0.3 < diminished.key_strength < 0.5


def test_noise_that_is_struck_has_more_energy_than_a_chord_that_swells(tmp_path: Path) -> None:
    rng, time = np.random.default_rng(3), np.arange(round(20.1 * RATE)) / RATE
    struck = 0.3 * rng.standard_normal(time.size) * np.exp(-12.0 * (time % 0.25))
    chord = sum(np.sin(2 * np.pi * hertz * k * time) / k for hertz in (220.0, 277.2, 329.6) for k in (1, 2, 3, 4))
    swells = 0.05 * chord * (0.6 + 0.4 * np.sin(2 * np.pi * time / 10.0))
    heard = []
    for name, sound in (("struck", struck), ("swells", swells)):
        soundfile.write(tmp_path / f"{name}.wav", sound, RATE)
        heard.append(describe(Workspace(Home(tmp_path / "home")), tmp_path / f"{name}.wav"))
    assert heard[0].energy > heard[1].energy + 0.2


def test_the_clarity_of_a_key_is_measured(described: Callable[..., Character], plain: Character) -> None:
    assert plain.key_clarity is not None
    assert 0.3 < plain.key_clarity <= 1.0
    soft = described("soft", gain=0.25)
    assert soft.key_clarity == pytest.approx(plain.key_clarity, abs=0.01)


def test_silence_has_neither_tempo_nor_key_nor_level(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(RATE * 5), RATE)
    silence = describe(Workspace(Home(tmp_path / "home")), tmp_path / "silence.wav")
    assert (silence.bpm, silence.key_name, silence.lufs, silence.dynamics) == (None, None, None, None)
    assert silence.key_clarity is None
    assert (silence.energy, silence.vocals, silence.loopable) == (0.0, 0.0, 0.0)
    assert not silence.sound.any()
    facts = measure_track(Workspace(Home(tmp_path / "home")), tmp_path / "silence.wav").facts
    assert facts["instrumental"] is True
    assert "bpm" not in facts


def test_it_is_kept_and_read_as_it_was(plain: Character) -> None:
    arrays = character_to_arrays(plain)
    check_together(arrays)
    again = character_from_arrays(arrays)
    assert again.sections == plain.sections
    assert again.salient == plain.salient
    assert again.key_name == plain.key_name
    np.testing.assert_array_equal(again.contour, plain.contour)


def test_loudness_range_is_that_of_ebu_tech_3342() -> None:
    # the standard's first case: 20 s at -20 LUFS, 20 s at -30, range 10 LU
    assert loudness_range(np.repeat([-20.0, -30.0], 200)) == pytest.approx(10.0)
    # the third: what is 20 LU under the rest does not count
    assert loudness_range(np.repeat([-40.0, -20.0], 200)) == pytest.approx(20.0)
    assert loudness_range(np.full(9, -np.inf)) is None
