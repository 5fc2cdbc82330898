"""Talk and track, synthesised from nothing but a buzz: what holds its notes is sung."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.mix.balance import SoundtrackMeasure, classify, utterances_in
from workbench.mix.levels import level_curve
from workbench.mix.pitch import PITCHES_PER_SECOND, PitchMeter
from workbench.mix.singing import CUES, spoken_odds, voice_cues
from workbench.params import VoiceParams

RATE = 16_000
FRAME = 0.032
SECONDS = 6.0


def buzz(midi: np.ndarray, sounding: np.ndarray) -> np.ndarray:
    """Thirty harmonics of a pitch that moves, shape as the pitch."""
    phase = 2 * np.pi * np.cumsum(440 * 2 ** ((midi - 69) / 12)) / RATE
    return (sum(np.sin(k * phase) / k for k in range(1, 31)) * sounding * 0.1).astype(np.float32)


def pitches_of(sound: np.ndarray, block: int = 4000) -> np.ndarray:
    meter = PitchMeter()
    for first in range(0, sound.size, block):
        meter.add(sound[first : first + block])
    return meter.pitches()


def sung() -> np.ndarray:
    """Notes of 0.6 s with vibrato, a short breath after each."""
    time = np.arange(round(SECONDS * RATE)) / RATE
    note = np.array([57, 59, 60, 64, 62, 60, 57, 55, 57, 60])[(time / 0.6).astype(int) % 10]
    return buzz(note + 0.4 * np.sin(2 * np.pi * 5.5 * time), time % 0.6 < 0.54)


def talked() -> np.ndarray:
    """Syllables of 0.13 s at five a second, each sliding by a few semitones."""
    time = np.arange(round(SECONDS * RATE)) / RATE
    within = time % 0.2
    slides = np.random.default_rng(2).uniform(-5, 5, 40)[(time / 0.2).astype(int)]
    return buzz(54 + slides * within / 0.13 - 2 * (time % 2), within < 0.13)


def soundtrack(sound: np.ndarray) -> SoundtrackMeasure:
    heard = np.full(round(SECONDS / FRAME), 0.99)
    return SoundtrackMeasure(level_curve(sound, RATE), heard, FRAME, None, pitches_of(sound))


def test_a_steady_tone_has_its_pitch_and_is_clear() -> None:
    found = pitches_of(buzz(np.full(RATE, 57.3), np.ones(RATE)))
    assert len(found) == PITCHES_PER_SECOND
    assert found[3:-3, 0] == pytest.approx(57.3, abs=0.1)
    assert found[3:-3, 1].min() > 0.7


def test_noise_and_silence_have_no_clear_pitch() -> None:
    hiss = np.random.default_rng(1).normal(0, 0.1, RATE).astype(np.float32)
    assert np.quantile(pitches_of(hiss)[:, 1], 0.95) < 0.45
    assert pitches_of(np.zeros(RATE, dtype=np.float32))[:, 1].max() == 0.0
    assert pitches_of(np.zeros(0, dtype=np.float32)).shape == (0, 2)


def test_blocks_of_any_length_give_the_same_pitches() -> None:
    line = sung()[: 2 * RATE + 77]
    assert np.array_equal(pitches_of(line, 997), pitches_of(line, line.size))


def test_who_holds_notes_sings_and_who_glides_talks() -> None:
    utterance = ((0.0, SECONDS),)
    heard = np.full(round(SECONDS / FRAME), 0.99)
    (track,), (talk,) = (spoken_odds(utterance, heard, FRAME, pitches_of(line)) for line in (sung(), talked()))
    assert track < -1
    assert talk > 0.5
    held, vowel, certainty = CUES.index("held"), CUES.index("vowel"), CUES.index("certainty")
    track_cues, talk_cues = (voice_cues(utterance, heard, FRAME, pitches_of(line))[0] for line in (sung(), talked()))
    assert track_cues[held] > 0.3 > talk_cues[held]
    assert track_cues[vowel] > 0 > talk_cues[vowel]
    assert track_cues[certainty] == pytest.approx(talk_cues[certainty]) == pytest.approx(np.log(99), abs=1e-6)


def test_singing_is_no_voice_and_talk_is_one() -> None:
    track, talk = soundtrack(sung()), soundtrack(talked())
    assert utterances_in(track, SECONDS) == ()
    assert classify(track, utterances_in(track, SECONDS)) == "ambient"
    assert classify(talk, utterances_in(talk, SECONDS)) == "voice"


def test_without_pitches_or_at_the_lowest_threshold_all_that_sounds_like_a_voice_is_spoken() -> None:
    track = soundtrack(sung())
    assert utterances_in(replace(track, pitches=None), SECONDS)
    assert utterances_in(track, SECONDS, VoiceParams(min_spoken_odds=-20))


def test_pitches_of_another_shape_are_refused() -> None:
    with pytest.raises(ParameterError, match="pairs"):
        voice_cues(((0.0, 1.0),), np.zeros(31), FRAME, np.zeros(50))
    with pytest.raises(ParameterError, match="mono"):
        PitchMeter().add(np.zeros((2, 100), dtype=np.float32))


def test_what_is_out_of_earshot_changes_no_cue() -> None:
    line, heard = pitches_of(talked()), np.full(round(SECONDS / FRAME), 0.99)
    times = 60
    utterances = tuple((k * SECONDS, k * SECONDS + 4.0) for k in range(times))
    cues = voice_cues(utterances, np.tile(heard, times), SECONDS / heard.size, np.tile(line, (times, 1)))
    inner = cues[5:-5]
    assert np.allclose(inner, inner[0], rtol=0, atol=0.02)


def test_a_track_after_the_talk_does_not_silence_it() -> None:
    rest = 3.0
    both = np.concatenate([talked(), np.zeros(round(rest * RATE), dtype=np.float32), sung()])
    heard = np.full(round((2 * SECONDS + rest) / FRAME), 0.99)
    heard[round(SECONDS / FRAME) : round((SECONDS + rest) / FRAME)] = 0.0
    video = SoundtrackMeasure(level_curve(both, RATE), heard, FRAME, None, pitches_of(both))
    ((start, end),) = utterances_in(video, 2 * SECONDS + rest)
    assert start == pytest.approx(0.0, abs=0.1)
    assert end == pytest.approx(SECONDS, abs=0.1)
