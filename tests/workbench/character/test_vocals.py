"""Clues of a voice: a pitch that glides at the pace of syllables, and what a detector of speech heard."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from workbench.features.spectrum import resampled
from workbench.features.speech_probability import speech_probabilities
from workbench.features.vocals import EXCERPT_SECONDS, EXCERPTS, RATE, excerpts, voice_chance, voice_clues
from workbench.files import bundled_path


def buzz(hertz: NDArray[np.float64], sounding: NDArray[np.float64]) -> NDArray[np.float32]:
    phase = 2 * np.pi * np.cumsum(hertz) / RATE
    return np.asarray(0.1 * sounding * sum(np.sin(k * phase) / k for k in range(1, 20)), dtype=np.float32)


def talker(seconds: float = 6.0) -> NDArray[np.float32]:
    t = np.arange(round(seconds * RATE)) / RATE
    return buzz(150 * 2 ** (0.4 * np.sin(2 * np.pi * 1.3 * t)), np.maximum(0.0, np.sin(2 * np.pi * 4 * t)))


def opening(*place: str) -> NDArray[np.float32]:
    """Ten seconds of a bundled file, from where it sounds, at the rate that is listened to."""
    samples, rate = soundfile.read(bundled_path("data", "bundled", *place), dtype="float32", always_2d=True)
    heard = resampled(samples.T, rate, RATE)
    begins = int(np.argmax(np.abs(heard) > 0.01))
    return np.asarray(heard[begins : begins + 10 * RATE])


def test_the_narration_is_a_voice_and_a_piano_is_none() -> None:
    spoken, played = opening("voice", "narration.ogg"), opening("music", "unsent_letter.ogg")
    assert voice_chance(spoken, speech_probabilities([spoken])) > 0.9
    assert voice_chance(played, speech_probabilities([played])) < 0.5


def test_gain_changes_nothing_and_clues_are_finite() -> None:
    speech = np.full(190, 0.5)
    clues = voice_clues(talker(), speech)
    assert clues.shape == (20,)
    assert np.isfinite(clues).all()
    np.testing.assert_allclose(voice_clues(np.float32(0.1) * talker(), speech), clues, atol=0.02)


def test_silence_and_less_than_two_seconds_have_no_voice() -> None:
    assert voice_chance(np.zeros(5 * RATE, dtype=np.float32), np.ones(150)) == 0.0
    assert voice_chance(talker(1.9), np.ones(60)) == 0.0
    assert voice_chance(talker(), np.zeros(0)) == 0.0


def test_of_a_long_recording_stretches_from_all_over_are_heard() -> None:
    short = np.arange(30 * RATE, dtype=np.float32)
    assert excerpts(short) is short
    minutes = np.arange(120 * RATE, dtype=np.float32)
    heard = excerpts(minutes).reshape(EXCERPTS, -1)
    assert heard.shape[1] == EXCERPT_SECONDS * RATE
    assert np.all(np.diff(heard, axis=1) == 1.0)
    middles = heard.mean(axis=1) / RATE
    assert middles == pytest.approx([10.0, 30.0, 50.0, 70.0, 90.0, 110.0], abs=0.01)
