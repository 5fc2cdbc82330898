"""Tours and the limits on repetition: what a listener of a long video would count."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.workbench.plans.made import ANY_PROFILE, only, the_plan, track_profile
from workbench.params import CoverParams
from workbench.plans.build import bars_played
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan, check_against_grid
from workbench.plans.plan_score import most_plays
from workbench.plans.splices import LONG_BODY_SECONDS, usable_splices
from workbench.plans.tours import make_tours
from workbench.seams.profile import LoopProfile


def plays(plan: LoopPlan, profile: LoopProfile) -> np.ndarray:
    """How often each bar is heard."""
    ends = np.append(profile.downbeats[1:], profile.last_sound)
    middle = (profile.downbeats + ends) / 2
    return np.array([sum(s.song_from <= m < s.song_to for s in plan.segments) for m in middle])


def passes_in_a_row(plan: LoopPlan) -> int:
    """The longest run of equal segments that are short enough to be heard as one."""
    run = longest = 1
    for sooner, later in pairwise(plan.segments):
        run = run + 1 if sooner == later and later.length < LONG_BODY_SECONDS else 1
        longest = max(longest, run)
    return longest


def served(profile: LoopProfile, video: float) -> LoopPlan:
    plan = the_plan(plan_loop(profile, video))
    check_against_grid(plan, profile.downbeats)
    return plan


def test_regions_without_a_way_back_are_all_looped() -> None:
    # Four regions of 8 to 16 bars; no loop spans two of them.
    loops = [(16, 8), (14, 8), (28, 20), (30, 20), (42, 34), (44, 32), (56, 48), (54, 48)]
    profile = only(track_profile(), loops)
    plan = served(profile, 480.0)
    heard = plays(plan, profile)
    for leave, enter in loops[::2]:
        assert heard[enter:leave].min() >= 2, f"bars {enter} to {leave} are looped too"
    entered = [s.song_from for s in plan.segments[1:]]
    assert max(np.bincount(np.digitize(entered, profile.downbeats[[18, 31, 46]]), minlength=4)) < len(entered) / 2


def test_a_loop_of_the_whole_track_comes_first() -> None:
    profile = only(track_profile(), [(56, 2), (24, 16), (40, 32), (54, 46)])
    plan = served(profile, 1200.0)
    assert plan.bars == 54
    assert plays(plan, profile).max() <= 2 * 1200.0 / profile.last_sound
    assert len(plan.seam_times) < 20


def test_hours_are_a_long_cycle_of_bodies() -> None:
    profile = only(track_profile(), [(56, 8), (48, 16), (52, 24), (40, 4)])
    plan = served(profile, 7200.0)
    assert passes_in_a_row(plan) <= CoverParams().max_passes_in_a_row
    starts = [s.song_from for s in plan.segments]
    assert len({tuple(starts[k : k + 3]) for k in range(len(starts) - 3)}) >= 3


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_limits_hold_where_loops_from_everywhere_lead_everywhere(data: st.DataObject) -> None:
    # Bodies of every place and length, all as good: nothing forces a plan over its limits.
    bars = data.draw(st.integers(6, 14), label="phrases") * 8
    profile = track_profile(bars=bars, bpm=data.draw(st.floats(90.0, 170.0), label="bpm"))
    loops = [(leave, enter) for leave in range(16, bars - 7, 8) for enter in range(0, leave - 15, 8)]
    profile = only(profile, loops)
    video = profile.song_duration * data.draw(st.floats(2.0, 12.0), label="times")
    params = CoverParams()
    plan = served(profile, video)
    heard = plays(plan, profile)
    event(f"at most {heard.max() / heard.mean():.1f} times the mean")
    assert passes_in_a_row(plan) <= params.max_passes_in_a_row
    assert heard.max() <= most_plays(np.asarray(heard.mean()), params)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_tours_follow_the_rules_of_splices(data: st.DataObject) -> None:
    profile = data.draw(ANY_PROFILE)
    need = data.draw(st.floats(30.0, 7200.0), label="need")
    params = CoverParams()
    usable = usable_splices(profile, params)
    for tour in make_tours(usable, need, params):
        passes = data.draw(st.integers(1, 5))
        taken = tour.with_passes(passes)
        assert usable.first[taken[0]]
        assert all(usable.follows[x, y] for x, y in pairwise(taken.tolist()))
        assert usable.is_body[taken].all()
        more = np.bincount(taken, minlength=usable.size) - np.bincount(tour.path, minlength=usable.size)
        assert np.flatnonzero(more).tolist() == [tour.body]
        assert more[tour.body] == passes
        assert (tour.head, tour.tail) == (taken[0], taken[-1])
        heard = np.bincount(bars_played(tour.path, usable, profile.downbeats.size), minlength=profile.downbeats.size)
        extra = heard - 1
        often = np.bincount(tour.path, minlength=usable.size)
        shared = often @ usable.shared_seconds @ often
        assert extra @ (extra * usable.bar_seconds) == pytest.approx(shared, rel=0.02, abs=1.0)


def test_a_track_that_starts_at_once_loops_from_its_start() -> None:
    profile = track_profile(lead_in=0.0)
    plan = served(only(profile, [(56, 0)]), 480.0)
    assert plan.bars == 56
    assert all(0.005 <= fade <= 2 * s.song_from for fade, s in zip(plan.seam_fades, plan.segments[1:], strict=True))
