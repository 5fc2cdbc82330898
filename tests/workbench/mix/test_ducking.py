from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve
from workbench.mix.ducking import (
    MIN_UNDER_VOICE_LU,
    SLOPE_DB_PER_SECOND,
    TOLERANCE_DB,
    deepest_curve,
    duck_curve,
    duck_depths,
    split_utterances,
    steady_depths,
)
from workbench.params import DuckParams

VIDEO = 120.0


def at(points: np.ndarray, times: np.ndarray | float) -> np.ndarray:
    """The curve read as a mix says."""
    return np.interp(times, points[:, 0], points[:, 1]) if len(points) else np.zeros(np.shape(times))


def steady(lufs: float, seconds: float = VIDEO) -> LevelCurve:
    return LevelCurve(np.full(round(seconds * HOPS_PER_SECOND), 10 ** ((lufs + 0.691) / 10)), 1.0)


def test_one_utterance_needs_four_points() -> None:
    points = duck_curve(((20.0, 24.0),), np.array([15.0]), VIDEO)
    assert points.tolist() == [[19.55, 0.0], [19.85, 15.0], [24.1, 15.0], [25.0, 0.0]]


def test_an_utterance_that_needs_no_depth_gets_no_points() -> None:
    assert len(duck_curve(((20.0, 24.0),), np.array([0.0]), VIDEO)) == 0
    assert len(duck_curve((), np.zeros(0), VIDEO)) == 0


def test_speech_at_both_ends_of_the_video_stays_inside_it() -> None:
    points = duck_curve(((0.0, 3.0), (118.0, VIDEO)), np.array([12.0, 20.0]), VIDEO)
    assert points[0].tolist() == [0.0, 12.0]
    assert points[-1].tolist() == [VIDEO, 20.0]


utterance_lists = st.lists(
    st.tuples(st.floats(0.31, 9.0), st.floats(0.3, 12.0), st.floats(0.0, 40.0)), min_size=1, max_size=12
)


@settings(max_examples=60, deadline=None)
@given(utterance_lists)
def test_whatever_is_said_the_curve_keeps_its_promises(said: list[tuple[float, float, float]]) -> None:
    params, clock, utterances, depths = DuckParams(), 0.0, [], []
    for pause, length, depth in said:
        utterances.append((clock + pause, clock + pause + length))
        depths.append(depth)
        clock += pause + length
    video = clock + 1.0
    points = duck_curve(tuple(utterances), np.array(depths), video, params)
    if not len(points):
        assert max(depths) == 0
        return
    assert np.all(np.diff(points[:, 0]) > 0)
    assert points[0, 0] >= 0
    assert points[-1, 0] <= video + 1e-9
    assert np.all((points[:, 1] >= 0) & (points[:, 1] <= max(depths) + 1e-9))
    slopes = np.abs(np.diff(points[:, 1]) / np.diff(points[:, 0]))
    assert slopes.max() <= SLOPE_DB_PER_SECOND + 1e-6
    for (start, end), depth in zip(utterances, depths, strict=True):
        inside = np.linspace(start - 0.05 if start > 0.05 else start, end, 50)
        assert np.all(at(points, inside) >= depth - TOLERANCE_DB - 1e-9)
    times = np.arange(0, video, 0.01)
    distance = np.min([np.maximum(np.maximum(a - times, times - b), 0) for a, b in utterances], axis=0)
    assert np.all(at(points, times)[distance > 2.0] == 0.0)
    for (k, (_, end)), (_, (start, _)) in pairwise(enumerate(utterances)):
        if start - end < params.release_ms / 1000:
            held = min(depths[k], depths[k + 1])
            assert np.all(at(points, np.linspace(end, start, 30)) >= held - TOLERANCE_DB - 1e-9)


def test_the_music_does_not_swell_up_for_a_word_that_needs_less() -> None:
    """A word of 0.5 s between two phrases: a pause as long as that and its pauses would be bridged."""
    said = ((1.0, 6.0), (6.4, 6.9), (7.3, 12.0))
    depths = steady_depths(said, np.array([16.0, 4.0, 14.0]))
    assert depths.tolist() == [16.0, 14.0, 14.0]
    curve = duck_curve(said, depths, 20.0)
    heard = np.interp(np.arange(6.0, 7.3, 0.01), *curve.T)
    assert heard.min() >= 14.0 - 0.1
    # What lasts longer gets what it needs; where the music is low enough already, `duck_curve` bridges it.
    long = ((1.0, 6.0), (6.4, 8.9), (9.3, 12.0))
    assert steady_depths(long, np.array([16.0, 4.0, 14.0])).tolist() == [16.0, 4.0, 14.0]
    assert steady_depths(said, np.array([16.0, 0.0, 14.0])).tolist() == [16.0, 0.0, 14.0]


def test_a_whispered_aside_is_kept_clear_of_the_music_by_less_than_talk_is() -> None:
    voice = LevelCurve(np.concatenate([steady(-18, 20).power, steady(-38, 10).power]), 1.0)
    depths = duck_depths(((2.0, 8.0), (12.0, 18.0), (22.0, 24.0)), voice, steady(-18, 30))
    # 20 LU quieter than the talk: the music goes 11 LU under it, which is less than 15 and more than 8 LU quieter asks.
    assert depths == pytest.approx([15.0, 15.0, MIN_UNDER_VOICE_LU + 20.0], abs=1e-6)
    assert duck_depths(((22.0, 24.0),), voice, steady(-60, 30)).tolist() == [0.0]


@pytest.mark.parametrize(("start", "end", "pieces"), [(10.0, 14.0, 1), (8.02, 32.02, 3), (8.02, 32.05, 4)])
def test_long_utterances_follow_the_music_in_equal_pieces(start: float, end: float, pieces: int) -> None:
    """Three times 8 s are three pieces, whatever the rounding of the times says."""
    found = split_utterances(((1.0, 2.0), (start, end)))
    assert found[0] == (1.0, 2.0)
    np.testing.assert_allclose(found[1:], list(pairwise(np.linspace(start, end, pieces + 1))))


def test_quiet_is_what_lies_under_the_median_utterance() -> None:
    """Eight LU under it at most count: 15 LU under a piece that is 10 LU quieter are then 23 LU."""
    voice = LevelCurve(np.concatenate([steady(-18, 20).power, steady(-28, 10).power]), 1.0)
    depths = duck_depths(((2.0, 8.0), (12.0, 18.0), (22.0, 28.0)), voice, steady(-18, 30))
    assert depths == pytest.approx([15.0, 15.0, 23.0], abs=1e-6)


def test_music_that_is_low_already_is_left_alone() -> None:
    assert duck_depths(((2.0, 8.0),), steady(-18), steady(-34)).tolist() == [0.0]
    assert duck_depths(((2.0, 8.0),), steady(-18), LevelCurve(np.zeros(12_000), 0.0)).tolist() == [0.0]


def test_utterances_out_of_order_and_missing_depths_are_refused() -> None:
    with pytest.raises(ParameterError, match="sorted"):
        duck_curve(((5.0, 8.0), (1.0, 2.0)), np.array([1.0, 1.0]), VIDEO)
    with pytest.raises(ParameterError, match="as many depths"):
        duck_curve(((5.0, 8.0),), np.zeros(2), VIDEO)
    with pytest.raises(ParameterError, match="0 dB or more"):
        duck_curve(((5.0, 8.0),), np.array([-1.0]), VIDEO)


def test_of_two_curves_the_deeper_one_counts() -> None:
    speech = duck_curve(((2.0, 4.0), (20.0, 22.0)), np.array([12.0, 6.0]), 30.0)
    own = duck_curve(((3.0, 8.0),), np.array([40.0]), 30.0)
    both = deepest_curve(speech, own, 30.0)
    assert np.all(np.diff(both[:, 0]) > 0)
    times = np.arange(0, 3000) / 100
    deepest = np.maximum(*(np.interp(times, *curve.T) for curve in (speech, own)))
    np.testing.assert_allclose(np.interp(times, *both.T), deepest, atol=2 * TOLERANCE_DB)
    assert len(both) < 40
    none = np.zeros((0, 2))
    assert deepest_curve(speech, none, 30.0) is speech
    assert deepest_curve(none, own, 30.0) is own
