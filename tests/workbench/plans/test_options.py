"""Which plan is served: of those that go on, and of these and the whole track again."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.workbench.plans.made import only, the_plan, track_profile
from workbench.params import CoverParams
from workbench.plans.loop import plan_loop, ranked_options
from workbench.plans.plan import Ending, EndKind, LoopPlan
from workbench.plans.repetition import find_repetition
from workbench.seams.profile import LoopProfile


def plan_of(profile: LoopProfile, seconds: float, params: CoverParams = CoverParams()) -> LoopPlan:
    plan = the_plan(plan_loop(profile, seconds, params))
    return plan


def track(*loops: tuple[int, int], bars: int = 64) -> LoopProfile:
    """A track of bars of 2 s with these bodies and a restart."""
    return only(track_profile(bars=bars, restarts=True), loops, restart=True)


def test_the_whole_track_again_is_served_where_each_restart_spares_a_minute() -> None:
    profile = track((24, 12))  # one body of 24 s
    plan = plan_of(profile, 600.0)
    times = plan.ending.restarts
    assert times == 4
    on = plan.options[1]
    assert not on.ending.restarts
    assert not find_repetition(plan, profile).over_limits
    assert find_repetition(on, profile).over_limits
    assert find_repetition(on, profile).worn_seconds - find_repetition(plan, profile).worn_seconds >= 60.0 * times
    scores = [option.plan_score for option in plan.options]
    assert scores == sorted(scores, reverse=True)
    assert plan.options[0] == plan.alone


@pytest.mark.parametrize("seconds", [300.0, 600.0, 1800.0, 3600.0])
def test_what_a_restart_is_worth_decides(seconds: float) -> None:
    profile = track((24, 12))
    on, *_, again = plan_of(
        profile, seconds, CoverParams(restart_worth_seconds=36_000.0, min_variety_seconds=0.0)
    ).options
    assert not on.ending.restarts
    spared = (
        find_repetition(on, profile).worn_seconds - find_repetition(again, profile).worn_seconds
    ) / again.ending.restarts
    for worth, is_served in ((0.99 * spared, True), (1.01 * spared, False)):
        plan = plan_of(profile, seconds, CoverParams(restart_worth_seconds=worth, min_variety_seconds=0.0))
        assert bool(plan.ending.restarts) is is_served


def test_a_plan_that_keeps_the_limits_is_served_however_little_a_restart_is_worth() -> None:
    profile = track((88, 4), bars=96)
    plan = plan_of(profile, 1200.0, CoverParams(restart_worth_seconds=0.0))
    assert not find_repetition(plan, profile).over_limits
    assert not plan.ending.restarts


def test_of_plans_that_go_on_one_within_the_limits_is_served_where_it_is_nearly_as_good() -> None:
    profile = track_profile(bars=96)
    params = CoverParams()
    seconds = profile.last_sound - profile.song_start + 3 * 168.0 + 0.5  # three long passes, or 21 short ones
    worn, even = (plan_of(only(profile, [body]), seconds).alone for body in ((24, 12), (88, 4)))
    assert find_repetition(worn, profile).over_limits
    assert not find_repetition(even, profile).over_limits
    assert not worn.is_faded_out
    assert not even.is_faded_out

    def served(best: LoopPlan, other: LoopPlan, less: float) -> LoopPlan:
        plans = (replace(best, plan_score=0.7), replace(other, plan_score=0.7 - less))
        options = ranked_options(plans, None, profile, params)
        assert options[1].plan_score <= options[0].plan_score
        return options[0]

    def fading(plan: LoopPlan) -> LoopPlan:
        ending = Ending(EndKind.FADE, plan.tail_seconds, plan.tail_seconds + 8.0)
        return replace(plan, ending=ending)

    for best, other in ((worn, even), (fading(worn), fading(even)), (fading(worn), even)):
        assert served(best, other, 0.05).segments == even.segments
        assert served(best, other, 0.07).segments == worn.segments, "by more than a limit costs"
    assert served(worn, fading(even), 0.05).segments == worn.segments, "for the track's own ending"
    assert served(even, worn, 0.05).segments == even.segments


def test_bodies_of_minutes_may_follow_themselves() -> None:
    profile = only(track_profile(bars=128), [(80, 16)])  # 128 s
    plan = plan_of(profile, 1200.0)
    in_a_row = sum(one == other for one, other in pairwise(plan.segments))
    assert in_a_row > CoverParams().max_passes_in_a_row
    heard = find_repetition(plan, profile)
    assert not heard.runs_too_long
    shorter = only(track_profile(bars=128), [(72, 16)])  # 112 s
    assert find_repetition(plan_of(shorter, 1200.0), shorter).runs_too_long
