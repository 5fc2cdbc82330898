from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ParameterError
from workbench.mix.levels import HOPS_PER_SECOND, LevelCurve
from workbench.mix.voice import in_the_foreground, speech_phrases, speech_seconds, with_first_syllables
from workbench.params import VoiceParams

FRAME = 0.032


def chances(*stretches: tuple[float, float, float], seconds: float = 10.0) -> np.ndarray:
    """Probability 0, but for (start, end, probability)."""
    row = np.zeros(round(seconds / FRAME))
    for start, end, chance in stretches:
        row[round(start / FRAME) : round(end / FRAME)] = chance
    return row


def levels(*stretches: tuple[float, float, float], seconds: float = 10.0, floor_db: float = -60.0) -> LevelCurve:
    """A level in dB, but for (start, end, dB)."""
    row = np.full(round(seconds * HOPS_PER_SECOND), floor_db)
    for start, end, level in stretches:
        row[round(start * HOPS_PER_SECOND) : round(end * HOPS_PER_SECOND)] = level
    return LevelCurve(10 ** (row / 10), 1.0)


def test_a_stretch_of_certain_speech_is_a_phrase() -> None:
    ((start, end),) = speech_phrases(chances((2.0, 4.0, 0.9)), FRAME)
    assert (start, end) == pytest.approx((2.0, 4.0), abs=FRAME)


def test_silence_and_no_sound_at_all_have_no_phrases() -> None:
    assert speech_phrases(chances(), FRAME) == ()
    assert speech_phrases(np.zeros(0), FRAME) == ()


def test_speech_at_both_ends_of_the_sound_counts() -> None:
    phrases = speech_phrases(chances((0.0, 1.0, 0.9), (9.0, 10.0, 0.9)), FRAME)
    assert phrases[0][0] == 0.0
    assert phrases[1][1] == pytest.approx(10.0, abs=FRAME)


def test_pauses_up_to_three_tenths_of_a_second_are_closed_and_longer_ones_are_not() -> None:
    short, long = 8 * FRAME, 11 * FRAME
    start = 2.0
    closed = speech_phrases(chances((start, 3.0, 0.9), (3.0 + short, 4.0, 0.9)), FRAME)
    open_ = speech_phrases(chances((start, 3.0, 0.9), (3.0 + long, 4.0, 0.9)), FRAME)
    assert len(closed) == 1
    assert len(open_) == 2


def test_doubt_extends_a_phrase_but_does_not_make_one() -> None:
    ((start, end),) = speech_phrases(chances((2.0, 2.5, 0.3), (2.5, 3.5, 0.9), (3.5, 4.0, 0.3)), FRAME)
    assert (start, end) == pytest.approx((2.0, 4.0), abs=FRAME)
    assert speech_phrases(chances((2.0, 4.0, 0.3)), FRAME) == ()


def test_a_click_is_no_phrase() -> None:
    assert speech_phrases(chances((2.0, 2.1, 0.9)), FRAME) == ()


@given(st.lists(st.floats(0, 1), max_size=300))
def test_phrases_are_sorted_disjoint_and_inside(row: list[float]) -> None:
    params = VoiceParams()
    phrases = speech_phrases(np.array(row), FRAME, params)
    assert all(end - start >= params.min_phrase_seconds for start, end in phrases)
    assert all(b - a > params.close_pause_seconds for (_, a), (b, _) in pairwise(phrases))
    assert all(start >= 0 and end <= len(row) * FRAME + 1e-9 for start, end in phrases)


def test_a_first_syllable_that_stood_out_before_the_detector_heard_it_counts() -> None:
    heard_late = ((3.0, 5.0),)
    ((start, end),) = with_first_syllables(heard_late, levels((2.7, 5.0, -20.0)))
    assert start == pytest.approx(2.7, abs=0.03)
    assert end == 5.0


def test_a_start_without_a_rise_before_it_stays() -> None:
    assert with_first_syllables(((3.0, 5.0),), levels()) == ((3.0, 5.0),)


def test_a_noise_that_ended_well_before_the_phrase_is_not_its_first_syllable() -> None:
    ((start, _),) = with_first_syllables(((3.0, 5.0),), levels((2.6, 2.7, -20.0), (3.0, 5.0, -20.0)))
    assert start == pytest.approx(3.0, abs=0.03)


def test_a_start_never_reaches_into_the_phrase_before() -> None:
    phrases = with_first_syllables(((2.0, 3.0), (3.4, 5.0)), levels((2.0, 5.0, -20.0)))
    assert all(b >= a for (_, a), (b, _) in pairwise(phrases))


def test_a_voice_in_the_background_is_left_out() -> None:
    phrases = ((1.0, 2.0), (4.0, 5.0), (7.0, 8.0))
    curve = levels((1.0, 2.0, -20.0), (4.0, 5.0, -50.0), (7.0, 8.0, -26.0))
    assert in_the_foreground(phrases, curve) == ((1.0, 2.0), (7.0, 8.0))
    assert in_the_foreground((), curve) == ()


def test_seconds_of_speech_add_up() -> None:
    assert speech_seconds(((1.0, 2.5), (4.0, 4.5))) == 2.0


def test_what_are_no_probabilities_is_refused() -> None:
    with pytest.raises(ParameterError, match="0 to 1"):
        speech_phrases(np.array([0.5, 1.5]), FRAME)
    with pytest.raises(ParameterError, match="0 to 1"):
        speech_phrases(np.array([np.nan]), FRAME)
    with pytest.raises(ParameterError, match="frame"):
        speech_phrases(np.zeros(3), 0.0)
