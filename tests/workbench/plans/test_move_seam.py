"""A seam is moved to another bar line: only that seam changes, and what cannot be is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.workbench.plans.fitted import Fit
from tests.workbench.plans.made import the_plan, track_profile
from workbench.errors import PlanError
from workbench.params import CoverParams
from workbench.plans.constraints import SeamConstraints, TrackRange, on_lines
from workbench.plans.loop import plan_loop
from workbench.plans.move_seam import REACH_BARS, move_seam, place_pairs, seam_pairs, seam_places, seam_scores
from workbench.plans.plan import LoopPlan
from workbench.plans.plan_score import seam_score_power, seams_part
from workbench.plans.request import Keep, KeptPart
from workbench.seams.profile import LoopProfile

PARAMS = CoverParams()


def with_every_place(profile: LoopProfile, plan: LoopPlan) -> LoopProfile:
    """The profile with a splice at each place of each seam, a little worse than the plan's own."""
    for seam in range(len(plan.seam_times)):
        for pair in place_pairs(profile, plan, seam).values():
            if profile.splices.row_of(*pair) is None:
                one = profile.splices.rows(np.array([0]))
                leave, enter = (np.array([line]) for line in pair)
                fitted = replace(
                    one, leave=leave, enter=enter, song_to=profile.downbeats[leave],
                    song_from=profile.downbeats[enter], score=np.array([0.4]), fade_seconds=np.array([0.02]),
                )  # fmt: skip
                profile = replace(profile, splices=profile.splices.with_more(fitted))
    return profile


def planned(profile: LoopProfile, seconds: float) -> LoopPlan:
    if seconds < profile.song_duration:
        return Fit(seconds, (Keep(KeptPart.INTRO), Keep(KeptPart.ENDING))).plan(profile).alone
    plan = the_plan(plan_loop(profile, seconds))
    return plan.alone


@pytest.mark.parametrize("seconds", [330.0, 61.0, 1800.0])
def test_a_moved_seam_changes_nothing_else(seconds: float) -> None:
    bare = track_profile()
    plan = planned(bare, seconds)
    profile = with_every_place(bare, plan)
    moved_any, seam_power = 0, seam_score_power(plan.kind)
    for seam in range(min(3, len(plan.seam_times))):
        before = seam_pairs(profile, plan)
        for place in seam_places(profile, plan, seam, PARAMS):
            if place.obstacle or not place.bars:
                continue
            moved_any += 1
            moved = move_seam(profile, plan, seam, place.bars, PARAMS)
            after = seam_pairs(profile, moved)
            assert after[seam] == tuple(line + place.bars for line in before[seam])
            assert [*after[:seam], *after[seam + 1 :]] == [*before[:seam], *before[seam + 1 :]]
            assert moved.seam_times[seam] == pytest.approx(place.at, abs=0.012)
            assert moved.seam_score <= max(plan.seam_score, place.score or 0.0)
            assert moved.window_end == plan.window_end
            was, score = (seam_scores(profile, one) for one in (plan, moved))
            gained = seams_part(score.min(), score.mean(), seam_power) - seams_part(was.min(), was.mean(), seam_power)
            assert moved.plan_score == pytest.approx(plan.plan_score + PARAMS.seams_weight * gained, abs=1e-3)
    assert moved_any


def test_the_ring_of_an_own_ending_still_fades() -> None:
    bare = track_profile(ring_bars=2)
    plan = planned(bare, 330.0)
    ring = replace(plan.segments[-1], song_to=plan.segments[-1].song_to - 2.0)
    end = round(plan.music_end - 2.0, 6)
    ending = replace(plan.ending, tail_seconds=0.0, fade_seconds=1.5)
    plan = replace(plan, segments=(*plan.segments[:-1], ring), window_end=end, ending=ending)
    assert plan.is_faded_out
    assert not plan.ends_in_fade
    profile = with_every_place(bare, plan)
    seam, bars = next(
        (seam, place.bars)
        for seam in range(len(plan.seam_times))
        for place in seam_places(profile, plan, seam, PARAMS)
        if place.bars and not place.obstacle
    )
    moved = move_seam(profile, plan, seam, bars, PARAMS)
    assert moved.end_fade_seconds == 1.5
    assert moved.window_end == end
    assert moved.segments[-1].song_to == pytest.approx(ring.song_to, abs=0.02)


def test_what_is_in_the_way_is_said() -> None:
    bare = track_profile()
    plan = planned(bare, 330.0)
    profile = with_every_place(bare, plan)
    leave, enter = seam_pairs(profile, plan)[0]
    lines = profile.downbeats
    sung = TrackRange(float(lines[leave]) + 0.1, float(lines[leave + 2]) - 0.1)
    on = on_lines(profile, SeamConstraints(never_cut=(sung,)))
    said = {place.bars: place.obstacle for place in seam_places(profile, plan, 0, PARAMS, on)}
    assert said[1] == "in a range that is never cut"
    assert said[0] == ""
    with pytest.raises(PlanError, match="no such splice"):
        move_seam(profile, plan, 0, 10 * REACH_BARS, PARAMS)
    assert place_pairs(profile, plan, 0)[0] == (leave, enter)


def test_a_splice_at_an_end_of_the_track_has_no_room() -> None:
    splices = track_profile().splices.rows(np.array([0]))
    assert splices.have_room(1000.0)[0]
    assert not replace(splices, song_from=np.array([0.0])).have_room(1000.0)[0]
    assert not splices.have_room(float(splices.song_to[0]))[0]
