from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve
from workbench.params import VoiceParams
from workbench.video.speech_ranges import (
    EDGE_REACH_SECONDS,
    LATE_SECONDS,
    MIN_UTTERANCE_SECONDS,
    Thresholds,
    speech_chances,
    speech_seconds,
    speech_utterances,
)

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


def test_a_stretch_of_certain_speech_is_a_utterance() -> None:
    ((start, end),) = speech_utterances(chances((2.0, 4.0, 0.9)), FRAME)
    assert (start, end) == pytest.approx((2.0, 4.0), abs=FRAME)


def test_silence_and_no_sound_at_all_have_no_utterances() -> None:
    assert speech_utterances(chances(), FRAME) == ()
    assert speech_utterances(np.zeros(0), FRAME) == ()


def test_a_detector_that_has_to_be_surer_finds_less() -> None:
    heard = chances((2.0, 4.0, 0.9), (6.0, 8.0, 0.7))
    assert len(speech_utterances(heard, FRAME, VoiceParams(onset_probability=0.6))) == 2
    assert len(speech_utterances(heard, FRAME, VoiceParams(onset_probability=0.8))) == 1


def test_speech_at_both_ends_of_the_sound_counts() -> None:
    utterances = speech_utterances(chances((0.0, 1.0, 0.9), (9.0, 10.0, 0.9)), FRAME)
    assert utterances[0][0] == 0.0
    assert utterances[1][1] == pytest.approx(10.0, abs=FRAME)


def test_pauses_up_to_three_tenths_of_a_second_are_closed_and_longer_ones_are_not() -> None:
    short, long = 8 * FRAME, 11 * FRAME
    start = 2.0
    closed = speech_utterances(chances((start, 3.0, 0.9), (3.0 + short, 4.0, 0.9)), FRAME)
    open_ = speech_utterances(chances((start, 3.0, 0.9), (3.0 + long, 4.0, 0.9)), FRAME)
    assert len(closed) == 1
    assert len(open_) == 2


def test_doubt_extends_a_utterance_but_does_not_make_one() -> None:
    ((start, end),) = speech_utterances(chances((2.0, 2.5, 0.3), (2.5, 3.5, 0.9), (3.5, 4.0, 0.3)), FRAME)
    assert (start, end) == pytest.approx((2.0, 4.0), abs=FRAME)
    assert speech_utterances(chances((2.0, 4.0, 0.3)), FRAME) == ()


def test_a_utterance_reaches_back_to_where_the_detector_stirred_and_ends_where_it_lets_go() -> None:
    ((start, end),) = speech_utterances(chances((1.8, 2.0, 0.1), (2.0, 3.0, 0.9), (3.0, 3.5, 0.2)), FRAME)
    assert (start, end) == pytest.approx((1.8, 3.0), abs=FRAME)


def test_a_whisper_counts_where_it_stands_clear_of_its_background() -> None:
    heard = chances((3.0, 5.0, 0.25))
    assert len(speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -40.0)))) == 1
    assert speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -60.0))) == ()


def test_a_click_is_no_utterance() -> None:
    assert speech_utterances(chances((2.0, 2.1, 0.9)), FRAME) == ()


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=300))
def test_utterances_are_sorted_disjoint_and_inside(row: list[float]) -> None:
    utterances = speech_utterances(np.array(row), FRAME)
    assert all(end - start >= MIN_UTTERANCE_SECONDS for start, end in utterances)
    assert all(b - a > VoiceParams().close_pause_seconds for (_, a), (b, _) in pairwise(utterances))
    assert all(start >= 0 and end <= len(row) * FRAME + 1e-9 for start, end in utterances)


def bands(*stretches: tuple[float, float, float], floor_db: float = -70.0, spread_db: float = 0.5) -> np.ndarray:
    """Seven bands at a floor that wavers a little, but for (start, end, dB); the lowest band is a steady rumble."""
    rng = np.random.default_rng(3)
    levels = rng.normal(floor_db, spread_db, (10 * HOPS_PER_SECOND, 7))
    for start, end, level in stretches:
        levels[round(start * HOPS_PER_SECOND) : round(end * HOPS_PER_SECOND), 1:] = level
    levels[:, 0] = -30.0
    return 10 ** (levels / 10)


def test_edges_lie_where_the_levels_say_not_where_the_frames_end() -> None:
    heard = chances((3.07, 5.06, 0.9), (5.06, 5.25, 0.3))
    ((start, end),) = speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -25.0)))
    assert start == pytest.approx(3.0, abs=0.015)
    assert end == pytest.approx(5.0, abs=0.015)


def test_a_soft_first_consonant_that_the_detector_missed_counts() -> None:
    heard = chances((3.1, 5.0, 0.9))
    ((start, _),) = speech_utterances(heard, FRAME, bands=bands((2.95, 3.1, -55.0), (3.1, 5.0, -25.0)))
    assert start == pytest.approx(2.95, abs=0.015)


def test_a_noise_that_ended_well_before_the_utterance_is_not_its_first_syllable() -> None:
    heard = chances((3.0, 5.0, 0.9))
    ((start, _),) = speech_utterances(heard, FRAME, bands=bands((2.5, 2.6, -25.0), (3.0, 5.0, -25.0)))
    assert start == pytest.approx(3.0, abs=0.03)


def test_a_first_syllable_that_no_level_shows_begins_where_the_detectors_say() -> None:
    heard = chances((3.0, 5.0, 0.9))
    ((start, end),) = speech_utterances(heard, FRAME, bands=bands((3.25, 5.0, -25.0)))
    assert start == pytest.approx(3.0, abs=FRAME)
    assert end == pytest.approx(5.0, abs=FRAME)


def test_a_room_that_rings_is_no_last_syllable() -> None:
    heard = chances((3.0, 5.0, 0.9))
    tail = [(5.0 + k / 100, 5.01 + k / 100, -27.0 - 2.5 * k) for k in range(18)]
    ((_, end),) = speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -25.0), *tail))
    assert end == pytest.approx(5.0, abs=FRAME)


def test_a_car_that_passed_before_a_voice_in_noise_is_not_its_first_syllable() -> None:
    heard = chances((3.0, 5.0, 0.9))
    car = bands((2.8, 3.0, -15.0), (3.0, 5.0, -20.0), floor_db=-27.0, spread_db=3.0)
    ((start, _),) = speech_utterances(heard, FRAME, bands=car)
    assert start == pytest.approx(3.0 - LATE_SECONDS, abs=FRAME)


def test_where_the_background_drowns_soft_sounds_edges_keep_a_margin() -> None:
    heard = chances((3.0, 5.0, 0.9))
    ((start, end),) = speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -25.0), floor_db=-29.0, spread_db=3.0))
    assert 3.0 - EDGE_REACH_SECONDS - 0.02 <= start <= 3.0 - LATE_SECONDS + 0.04
    assert end >= 5.0 - FRAME


def test_speech_without_any_pause_keeps_the_edges_of_the_detector() -> None:
    heard = np.full(100, 0.9)
    assert speech_utterances(heard, FRAME, bands=bands()[: round(100 * FRAME * HOPS_PER_SECOND)]) == (
        (0.0, 100 * FRAME),
    )


def test_utterances_with_placed_edges_stay_sorted_and_disjoint() -> None:
    heard = chances((2.0, 3.0, 0.9), (3.4, 5.0, 0.9), (5.5, 7.0, 0.9))
    utterances = speech_utterances(heard, FRAME, bands=bands((1.9, 7.2, -25.0)))
    assert all(b - a > VoiceParams().close_pause_seconds for (_, a), (b, _) in pairwise(utterances))


def test_seconds_of_speech_add_up() -> None:
    assert speech_seconds(((1.0, 2.5), (4.0, 4.5))) == 2.0


def test_what_are_no_probabilities_is_refused() -> None:
    with pytest.raises(ParameterError, match="0 to 1"):
        speech_utterances(np.array([0.5, 1.5]), FRAME)
    with pytest.raises(ParameterError, match="0 to 1"):
        speech_utterances(np.array([np.nan]), FRAME)
    with pytest.raises(ParameterError, match="frame"):
        speech_utterances(np.zeros(3), 0.0)


def test_the_network_is_believed_where_the_detector_hears_no_voice() -> None:
    detector = chances(seconds=4.0)
    network = np.full(400, -6.0)
    network[100:200] = 8.0
    both = speech_chances(detector, FRAME, network)
    assert both.shape == (400,)
    assert both[100:200].min() > 0.9
    assert both[:100].max() < 0.01


def test_a_detector_that_takes_music_for_a_voice_is_not_believed_against_the_network() -> None:
    detector = chances((0.0, 4.0, 1.0), seconds=4.0)
    assert speech_chances(detector, FRAME, np.full(400, -6.0)).max() < 0.05
    assert speech_chances(detector, FRAME, np.full(400, 2.0)).min() > 0.5


def test_what_stands_clear_of_the_background_needs_no_network() -> None:
    bands = np.full((400, 3), 1e-8)
    bands[100:200] = 1e-4
    detector = chances((1.0, 3.0, 0.6), seconds=4.0)
    both = speech_chances(detector, FRAME, np.full(400, -6.0), bands=bands)
    assert both[110:190].min() > 0.5
    assert both[210:290].max() < 0.05


@pytest.mark.parametrize("noise_first", [False, True])
def test_noise_stands_clear_of_no_quiet_room_that_the_video_goes_on_in(noise_first: bool) -> None:
    """Forty seconds of rain and forty of a room; somebody whispers in the room, and nobody speaks in the rain."""
    rain, room = np.full((4000, 3), 1e-4), np.full((4000, 3), 1e-8)
    room[1000:1200] = 1e-5
    stirred, whispering = chances(seconds=40.0) + 0.006, chances((10.0, 12.0, 0.6), seconds=40.0)
    order = 1 if noise_first else -1
    bands = np.concatenate([rain, room][::order])
    detector = np.concatenate([stirred, whispering][::order])
    both = speech_chances(detector, FRAME, np.full(8000, -6.0), bands=bands)
    in_rain, in_room = (both[:4000], both[4000:])[::order]
    assert in_rain.max() < Thresholds(0.5).begins
    assert in_room[1010:1190].min() > 0.5


def test_what_is_no_row_is_refused_and_nothing_is_nothing() -> None:
    with pytest.raises(ParameterError, match="row"):
        speech_chances(chances(), FRAME, np.zeros((10, 2)))
    assert speech_chances(np.zeros(0), FRAME, np.zeros(0)).size == 0
