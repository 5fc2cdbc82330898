from __future__ import annotations

import numpy as np
import pytest

from workbench.features.chroma import LOWEST_MIDI, beat_tones, fold_octaves, stand_out

RATE = 44_100


def note(midi: float, seconds: float) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * 440 * 2 ** ((midi - 69) / 12) * np.arange(round(seconds * RATE)) / RATE)


@pytest.mark.parametrize("midi", [48, 57, 69, 84])
def test_a_note_is_found_at_its_semitone(midi: int) -> None:
    tones, _ = beat_tones(note(midi, 2.0), RATE, np.array([0.5, 1.0, 1.5]))
    assert np.all(np.argmax(tones, axis=2) + LOWEST_MIDI == midi)
    assert np.all(np.argmax(fold_octaves(stand_out(tones)[..., : tones.shape[2]]), axis=2) == midi % 12)


@pytest.mark.parametrize("cents", [-40.0, 0.0, 30.0])
def test_a_tuning_off_440_is_measured_and_corrected(cents: float) -> None:
    sound = np.sum([note(midi + cents / 100, 2.0) for midi in (60, 64, 67)], axis=0)
    tones, tuning = beat_tones(sound, RATE, np.array([0.5, 1.0, 1.5]))
    assert 100 * tuning == pytest.approx(cents, abs=3.0)
    assert set(np.argsort(tones[0, 0])[-3:] + LOWEST_MIDI) == {60, 64, 67}


def test_both_windows_of_a_beat_stay_inside_it() -> None:
    sound = np.concatenate((note(60, 1.0), note(67, 1.0)))
    tones, _ = beat_tones(sound, RATE, np.array([0.0, 1.0, 2.0]))
    found = np.argmax(tones, axis=2) + LOWEST_MIDI
    assert found.tolist() == [[60, 60], [67, 67]]
    assert tones[0, 1, 67 - LOWEST_MIDI] < 0.2 * tones[0, 1, 60 - LOWEST_MIDI]


def test_noise_stands_out_less_than_notes() -> None:
    noise = 0.1 * np.random.default_rng(3).standard_normal(2 * RATE)
    edges = np.array([0.5, 1.0, 1.5])
    rise = [stand_out(beat_tones(sound, RATE, edges)[0])[..., :68].max() for sound in (noise, noise + note(60, 2.0))]
    assert rise[1] > 3 * rise[0]
