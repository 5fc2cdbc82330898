"""The rule on variety: any five minutes of a plan play a minute of different music while there is any other way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workbench.plans.made import ANY_PROFILE, only, the_plan, track_profile
from workbench.params import CoverParams
from workbench.plans.constraints import SeamConstraints, TrackRange, on_lines
from workbench.plans.fit import plan_fit
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan, segment_table
from workbench.plans.plan_score import FAIR
from workbench.plans.refusals import Refusal
from workbench.plans.repetition import is_varied, least_variety, variety
from workbench.plans.request import PlanRequest
from workbench.seams.profile import LoopProfile

NO_RULE = CoverParams(min_variety_seconds=0.0)
GOES_ON = CoverParams(restart_worth_seconds=36_000.0)  # where wear alone is no reason to begin again
LONG, SHORT = (60, 20), (24, 12)  # bodies of 80 and 24 s, by their bar lines


def track(bodies: dict[tuple[int, int], float], *, restarts: bool) -> LoopProfile:
    """A track of bars of 2 s with bodies of some scores, which may begin again after its ending."""
    return only(track_profile(bars=72, restarts=restarts), bodies, list(bodies.values()), restart=restarts)


def varied(plan: LoopPlan, profile: LoopProfile) -> bool:
    return is_varied(segment_table(plan), least_variety(profile, CoverParams()))


def kinds(profile: LoopProfile, seconds: float = 700.0, params: CoverParams = CoverParams()) -> list[str]:
    """What each option does, the plan served first, of a loop and of a fit, which are the same."""
    plan, fit = plan_loop(profile, seconds, params), plan_fit(profile, seconds, params=params)
    if isinstance(plan, Refusal):
        assert isinstance(fit, Refusal)
        return []
    assert isinstance(fit, LoopPlan)
    scores = [option.plan_score for option in plan.options]
    assert scores == sorted(scores, reverse=True)
    said = [_kind(option) for option in plan.options]
    assert _kind(fit) == said[0]
    return said


def _kind(plan: LoopPlan) -> str:
    if plan.ending.restarts:
        return "again"
    return "short" if variety(segment_table(plan)) < 60.0 else "fair" if plan.seam_score < 0.5 else "long"


def test_the_first_way_that_is_varied_is_served() -> None:
    def ways(params: CoverParams = GOES_ON, restarts: bool = True, **scores: float) -> list[str]:
        bodies = {LONG: scores.get("long"), SHORT: scores.get("short")}
        found = {body: score for body, score in bodies.items() if score is not None}
        return kinds(track(found, restarts=restarts), params=params)

    assert ways(long=0.5, short=0.95)[:2] == ["long", "short"]
    assert ways(long=0.4, short=0.95)[:3] == ["fair", "short", "again"]
    assert ways(long=FAIR - 0.01, short=0.95)[:2] == ["again", "short"]
    assert set(ways(long=FAIR - 0.01, short=0.95, restarts=False)) == {"short"}, "there is no other way"
    assert ways(long=0.4) == ["fair", "again"]
    assert ways(long=0.4, restarts=False) == ["fair"]
    assert ways(short=0.4) == ["again"]
    assert ways(short=0.4, restarts=False) == [], "it repeats too little"
    assert ways(CoverParams(min_seam_score=0.6, restart_worth_seconds=36_000.0), long=0.4, short=0.95)[:2] == [
        "again",
        "short",
    ], "a floor of one's own"
    assert ways(NO_RULE, long=0.4, restarts=False) == []


def test_where_no_way_has_it_all_one_with_a_quarter_more_of_it_is_served() -> None:
    def seconds_and_seam(**bodies: tuple[int, float]) -> tuple[float, float]:
        found = {(10 + bars, 10): score for bars, score in bodies.values()}
        plan = the_plan(plan_loop(track(found, restarts=False), 700.0, GOES_ON))
        return round(variety(segment_table(plan))), plan.seam_score

    assert seconds_and_seam(short=(7, 0.95)) == (14, 0.95)
    assert seconds_and_seam(short=(7, 0.95), long=(23, 0.4)) == (46, 0.4)
    assert seconds_and_seam(short=(7, 0.95), long=(23, FAIR - 0.01)) == (14, 0.95)
    assert seconds_and_seam(short=(14, 0.95), long=(23, 0.4)) == (46, 0.4)
    assert seconds_and_seam(short=(18, 0.95), long=(23, 0.4)) == (36, 0.95), "not much more"
    assert seconds_and_seam(long=(23, 0.4)) == (46, 0.4), "instead of nothing"


def test_what_is_left_out_is_no_reason_to_repeat_the_same_few_seconds() -> None:
    short, past = (9, 2), (10, 20)  # a body of 14 s, and the way past what follows it
    profile = track({short: 0.95, past: 0.4}, restarts=True)
    excluded = TrackRange(float(profile.downbeats[12]), float(profile.downbeats[16]))
    constraints = SeamConstraints(excluded=(excluded,))
    for seconds in (300.0, 900.0):
        plan = the_plan(plan_loop(profile, seconds, GOES_ON, constraints))
        assert variety(segment_table(plan)) > 60.0, seconds
        assert plan.ending.restarts > 0
        assert plan.seam_score == 0.4
        fit = the_plan(plan_fit(profile, seconds, PlanRequest(constraints=constraints), GOES_ON))
        assert fit.segments == plan.segments


def test_a_few_seconds_less_are_no_reason_for_an_audible_seam() -> None:
    for bars, is_served in ((29, True), (28, False)):
        nearly = (10 + bars, 10)
        plan = the_plan(plan_loop(track({LONG: 0.4, nearly: 0.95}, restarts=False), 700.0, GOES_ON))
        assert (plan.seam_score > 0.9, variety(segment_table(plan)) < 60.0) == (is_served, is_served)


def test_a_shorter_track_plays_whole_and_a_file_made_to_be_repeated_as_it_likes() -> None:
    short = only(track_profile(bars=26, section_bars=4), [(18, 10)])
    assert least_variety(short, CoverParams()) == pytest.approx(float(np.ptp(short.downbeats[[0, 21]])) - 2.0, abs=4.0)
    profile = track({SHORT: 0.95}, restarts=False)
    assert least_variety(profile, CoverParams()) == 60.0
    at = np.array([float(line) for line in profile.downbeats[[SHORT[1], SHORT[0]]]])
    made = replace(profile, file_loop=(at[0], at[1]), song_duration=float(at[1]), last_sound=float(at[1]))
    assert least_variety(made, CoverParams()) == 0.0


def test_what_is_excluded_twice_is_left_out_once() -> None:
    short = track_profile(bars=30)
    lines = short.downbeats
    once, first, second = (TrackRange(float(lines[a]), float(lines[b])) for a, b in ((4, 16), (4, 12), (8, 16)))
    needed = [
        least_variety(short, CoverParams(), on_lines(short, SeamConstraints(excluded=excluded)))
        for excluded in ((once,), (first, second), (second, first, once))
    ]
    assert needed[0] == pytest.approx(float(lines[22] - lines[0] - 2.0 - (lines[16] - lines[4])), abs=1e-6)
    assert needed[1:] == [pytest.approx(needed[0])] * 2


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_plan_is_varied_or_every_way_is_impossible(data: st.DataObject) -> None:
    profile = data.draw(ANY_PROFILE)
    check_rule(profile, profile.song_duration + data.draw(st.floats(30.0, 1800.0), label="excess"))


def check_rule(profile: LoopProfile, seconds: float) -> None:
    """That what was served without the rule is served wherever it keeps it, and what else is served only then."""
    before, after = (plan_loop(profile, seconds, params) for params in (NO_RULE, CoverParams()))
    if isinstance(before, LoopPlan) and varied(before, profile):
        assert after == before
        return
    needed = least_variety(profile, CoverParams())
    fair = {"min_seam_score": FAIR}
    longer = {"min_body_seconds": max(12.0, needed)}
    ways = [plan_loop(profile, seconds, NO_RULE.model_copy(update=some)) for some in (fair, longer, fair | longer)]
    options = [option for way in (before, *ways) if isinstance(way, LoopPlan) for option in way.options]
    going_on = [option for option in options if varied(option, profile) and not option.ending.restarts]
    if isinstance(after, LoopPlan) and varied(after, profile):
        assert after.seam_score >= FAIR
        assert not (after.ending.restarts and going_on)
        assert isinstance(before, Refusal) or _heard(before) in [_heard(option) for option in after.options]
        return
    assert not going_on
    if isinstance(after, LoopPlan) and after != before:
        # no way has all of it, and this one has much more of it than what was served
        had = variety(segment_table(before)) if isinstance(before, LoopPlan) else 0.25 * needed
        assert variety(segment_table(after)) - had > 0.2 * needed
        assert after.seam_score >= FAIR
        return
    assert not any(varied(option, profile) for option in options if option.ending.restarts)
    if isinstance(before, Refusal):
        assert isinstance(after, Refusal)
        assert after.reason == before.reason
        for tip in (after.best_splice, after.restart):
            if tip is not None:
                taken = the_plan(plan_loop(profile, seconds, constraints=SeamConstraints(pinned=(tip,))))
                assert varied(taken, profile)


def _heard(plan: LoopPlan) -> tuple[object, bool]:
    """By what options differ: which body is heard most, and whether the track's own ending."""
    return plan.body and plan.body[:2], plan.ending.is_own
