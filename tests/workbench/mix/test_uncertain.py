from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from workbench.features.levels import LevelCurve
from workbench.mix.balance import SoundtrackMeasure, utterances_in
from workbench.params import VoiceParams
from workbench.video.utterances import uncertain_ranges

FRAME = 0.032
SECONDS = 6.0
"""of the lines of the fixtures"""
Line = Callable[[], np.ndarray]
PitchesOf = Callable[..., np.ndarray]


def soundtrack(pitches: np.ndarray | None, *stretches: tuple[float, float, float]) -> SoundtrackMeasure:
    """Six seconds with probability 0, but for (start, end, probability)."""
    chance = np.zeros(round(SECONDS / FRAME))
    for start, end, probability in stretches:
        chance[round(start / FRAME) : round(end / FRAME)] = probability
    return SoundtrackMeasure(LevelCurve(np.full(600, 1e-3), 0.5), chance, FRAME, None, pitches)


@pytest.fixture(scope="module")
def spoken(talked: Line, pitches_of: PitchesOf) -> np.ndarray:
    return pitches_of(talked())


def test_a_stretch_that_the_detector_half_believes_is_uncertain_and_no_utterance(spoken: np.ndarray) -> None:
    heard = soundtrack(spoken, (2.0, 4.0, 0.3))
    assert utterances_in(heard, SECONDS) == ()
    ((start, end),) = uncertain_ranges(heard, (), SECONDS)
    assert (start, end) == pytest.approx((2.0, 4.0), abs=FRAME)


def test_silence_faint_doubt_and_a_short_sound_are_nothing(spoken: np.ndarray) -> None:
    assert uncertain_ranges(soundtrack(spoken), (), SECONDS) == ()
    assert uncertain_ranges(soundtrack(spoken, (2.0, 4.0, 0.15)), (), SECONDS) == ()
    assert uncertain_ranges(soundtrack(spoken, (2.0, 2.6, 0.4)), (), SECONDS) == ()
    assert uncertain_ranges(SoundtrackMeasure.without_sound(), (), SECONDS) == ()


def test_an_audio_stream_without_a_sample_is_nothing() -> None:
    none = np.zeros(0)
    heard = SoundtrackMeasure(LevelCurve(none, 0.0), none, FRAME, np.zeros((0, 1)), np.zeros((0, 2)), none)
    assert uncertain_ranges(heard, (), SECONDS) == ()


def test_what_lies_at_an_utterance_belongs_to_it(spoken: np.ndarray) -> None:
    heard = soundtrack(spoken, (1.0, 2.0, 0.9), (2.0, 2.9, 0.2), (4.0, 5.0, 0.3))
    found = utterances_in(heard, SECONDS)
    assert len(found) == 1
    ((start, _),) = uncertain_ranges(heard, found, SECONDS)
    assert start == pytest.approx(4.0, abs=FRAME)


def test_pauses_of_half_a_second_do_not_end_a_range(spoken: np.ndarray) -> None:
    assert len(uncertain_ranges(soundtrack(spoken, (1.0, 1.6, 0.3), (2.0, 2.6, 0.3)), (), SECONDS)) == 1
    assert len(uncertain_ranges(soundtrack(spoken, (1.0, 2.0, 0.3), (3.0, 4.0, 0.3)), (), SECONDS)) == 2


def test_singing_is_left_out_and_what_may_be_either_is_not(
    spoken: np.ndarray, sung: Line, pitches_of: PitchesOf
) -> None:
    notes = pitches_of(sung())
    assert uncertain_ranges(soundtrack(notes, (1.0, 4.0, 0.3)), (), SECONDS) == ()
    taken_for_singing = soundtrack(spoken, (1.0, 4.0, 0.9))
    strict = VoiceParams(min_spoken_odds=5.0)
    assert utterances_in(taken_for_singing, SECONDS, strict) == ()
    assert len(uncertain_ranges(taken_for_singing, (), SECONDS, strict)) == 1


def test_under_music_the_network_alone_is_believed_whatever_the_pitch(sung: Line, pitches_of: PitchesOf) -> None:
    def heard(odds_there: float, seconds: float = 2.0) -> SoundtrackMeasure:
        odds = np.full(600, -5.0)
        odds[200 : 200 + round(100 * seconds)] = odds_there
        return replace(soundtrack(pitches_of(sung())), voice_odds=odds)

    ((start, end),) = uncertain_ranges(heard(2.5), (), SECONDS)
    assert 2.0 < start < 2.5 < 3.5 < end < 4.0
    assert utterances_in(heard(2.5), SECONDS) == ()
    assert uncertain_ranges(heard(1.0), (), SECONDS) == ()
    assert uncertain_ranges(heard(2.5, 1.0), (), SECONDS) == ()
    assert uncertain_ranges(heard(2.5), ((2.0, 4.0),), SECONDS) == ()


def test_ranges_end_with_the_video(spoken: np.ndarray) -> None:
    ((_, end),) = uncertain_ranges(soundtrack(spoken, (3.0, 6.0, 0.3)), (), 5.0)
    assert end == 5.0


def test_nothing_is_known_of_the_doubts_of_another_detector_or_without_pitches(spoken: np.ndarray) -> None:
    heard = soundtrack(spoken, (2.0, 4.0, 0.3))
    assert uncertain_ranges(heard, (), SECONDS, VoiceParams(detector="elsewhere:Labels")) == ()
    assert uncertain_ranges(soundtrack(None, (2.0, 4.0, 0.3)), (), SECONDS) == ()
