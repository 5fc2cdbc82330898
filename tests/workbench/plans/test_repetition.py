from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.workbench.plans.made import only, the_plan, track_profile
from workbench.params import CoverParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan, segment_table
from workbench.plans.repetition import find_repetition, variety, wears_less
from workbench.seams.profile import LoopProfile


def looped(profile: LoopProfile, leave: int, enter: int, video: float) -> LoopPlan:
    """A plan with one loop, exactly on the bar lines."""
    return the_plan(plan_loop(only(profile, [(leave, enter)]), video))


def test_the_body_is_what_is_heard_most() -> None:
    # 130.4 s of sound, of which 32.4 s to 96.4 s is heard three times more under 323 s.
    profile = track_profile()
    heard = find_repetition(looped(profile, 48, 16, 323.0), profile)
    assert (heard.song_from, heard.song_to, heard.plays) == pytest.approx((32.4, 96.4, 4))
    assert heard.run.passes == 4
    assert heard.max_plays == pytest.approx(2.0 * heard.mean_plays)
    assert heard.over_limits, "four passes in a row, where three are allowed"
    assert not find_repetition(looped(profile, 48, 16, 323.0), profile, CoverParams(max_passes_in_a_row=4)).over_limits


def test_a_short_body_that_fills_a_long_video_passes_the_limits() -> None:
    profile = track_profile(bars=160)
    heard = find_repetition(looped(profile, 60, 48, 700.0), profile)
    assert heard.song_to - heard.song_from == pytest.approx(24.0)
    assert heard.plays > heard.max_plays
    assert heard.over_limits


def test_music_is_worn_once_it_was_heard_more_often_than_need_be() -> None:
    profile = track_profile(bars=160)
    heard = find_repetition(looped(profile, 60, 48, 900.0), profile)
    assert heard.worn_after == 4, "three plays of the whole track would do, and four are never too many"
    lasts = heard.song_to - heard.song_from
    assert lasts == pytest.approx(24.0, abs=0.1)
    assert heard.worn_seconds == pytest.approx((heard.plays - 4) * lasts, abs=5.0)
    hour = find_repetition(looped(profile, 60, 48, 3600.0), profile)
    assert hour.worn_after == np.ceil(hour.mean_plays) + 1 == 13
    assert hour.worn_seconds == pytest.approx((hour.plays - 13) * lasts, abs=5.0)
    even = looped(profile, 152, 8, 3600.0)
    assert find_repetition(even, profile).worn_seconds < 60.0
    assert wears_less(even, looped(profile, 60, 48, 3600.0), profile)


def test_a_pick_up_and_a_fading_rest_do_not_count_as_bars() -> None:
    """The limit in words is the planner's, whose mean is over the bars that it counts."""
    profile = replace(track_profile(), ending=None)
    plan = looped(profile, 48, 16, 311.3)
    assert plan.ends_in_fade
    bars = np.append(np.diff(profile.downbeats), profile.last_sound - profile.downbeats[-1])
    resolves = plan.segments[-1].song_to - plan.tail_seconds
    played = sum(
        float(
            bars[
                (profile.downbeats >= a.song_from - 0.05) & (profile.downbeats < min(a.song_to, resolves) - 0.05)
            ].sum()
        )
        for a in plan.segments
    )
    assert find_repetition(plan, profile).mean_plays == pytest.approx(played / float(bars.sum()), rel=1e-3)


def variety_by_counting(segments: np.ndarray, window: int) -> int:
    """The least number of different whole seconds in any window that begins on one, by playing them one by one."""
    seconds = np.concatenate([np.arange(first, last) for first, last in segments.astype(int)])
    windows = [seconds[at : at + window] for at in range(max(1, seconds.size - window + 1))]
    return min(np.unique(one).size for one in windows)


@pytest.mark.parametrize("seed", range(40))
def test_variety_is_the_least_different_music_in_any_window(seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, 60, size=int(rng.integers(1, 12)))
    segments = np.column_stack([starts, starts + rng.integers(1, 50, size=starts.size)]).astype(float)
    for window in (10, 45, 200):
        assert variety(segments, window) == pytest.approx(variety_by_counting(segments, window))


def test_a_short_body_leaves_little_variety_once_five_minutes_hold_nothing_else() -> None:
    profile = track_profile(bars=160)
    plan = looped(profile, 60, 48, 1200.0)
    assert variety(segment_table(plan)) == pytest.approx(24.0)
    assert variety(segment_table(looped(profile, 152, 8, 3600.0))) == pytest.approx(288.0, abs=0.1)
    assert variety(np.array([[10.0, 130.0], [40.0, 100.0]])) == 120.0, "music of less than five minutes counts whole"
