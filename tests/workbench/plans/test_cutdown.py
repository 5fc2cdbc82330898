"""The search for cut-downs: what it takes, where it starts, how it ends."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.plans.made import only, track_profile
from workbench.params import CoverParams
from workbench.plans.cutdown import CutSearch, seams_allowed
from workbench.plans.fit_request import Fit
from workbench.plans.plan import EndKind, PlanKind
from workbench.plans.request import LENGTH_ALONE, Keep, KeptPart, PlanRequest
from workbench.seams.profile import LoopProfile

BOTH_ENDS = PlanRequest(keep=(Keep(None, 0.4, 16.4), Keep(KeptPart.ENDING)))


def search(
    profile: LoopProfile, seconds: float, request: PlanRequest = LENGTH_ALONE, *, may_repeat: bool = False
) -> CutSearch:
    return CutSearch(Fit(profile, seconds, request, CoverParams()), may_repeat=may_repeat)


@pytest.mark.parametrize(
    ("seconds", "seams"), [(1.0, 1), (6.0, 1), (15.0, 1), (15.001, 2), (30.0, 2), (60.0, 4), (61.0, 5)]
)
def test_one_seam_for_each_15_s_begun(seconds: float, seams: int) -> None:
    assert seams_allowed(seconds) == seams


def test_the_one_cut_ahead_is_taken() -> None:
    """Bars 16 to 40 go; the track's own start and ending stay, and the length is exact."""
    profile = only(track_profile(), [(16, 40)])
    kept = profile.last_sound - profile.song_start - 24 * 2.0
    found = search(profile, round(kept + 0.5, 3), BOTH_ENDS)
    cut = found.cuts()[0]
    assert cut.route.taken.tolist() == [0]
    assert cut.route.song_start == 0.3
    assert cut.route.ending is EndKind.OUTRO
    plan = found.plan(cut)
    assert plan.kind is PlanKind.CUT_DOWN
    assert [(s.song_from, s.song_to) for s in plan.segments] == [(0.3, 32.4), (80.4, round(profile.last_sound, 6))]
    assert plan.tail_seconds == pytest.approx(0.5, abs=1e-3)
    assert plan.body is None
    assert plan.loop_start_a is None


def test_loops_back_are_taken_only_where_they_may_be() -> None:
    profile = only(track_profile(), [(48, 16)])
    assert search(profile, 150.0).cuts() == []
    found = search(profile, 150.0, may_repeat=True)
    plan = found.plan(found.cuts()[0])
    assert plan.kind is PlanKind.LOOP
    assert plan.body is not None
    assert (plan.body.bars, plan.body.repeats) == (32, 1)


def test_a_kept_part_is_not_cut_into() -> None:
    profile = track_profile()
    stretch = (float(profile.downbeats[20]), float(profile.downbeats[28]))
    found = search(profile, 40.0, PlanRequest(keep=(Keep(None, *stretch),)))
    cuts, usable = found.cuts(), found.usable
    assert cuts
    for route, *_ in cuts[:50]:
        froms = np.append(route.song_start, usable.song_from[route.taken])
        untils = np.append(usable.song_to[route.taken], route.last_to)
        assert np.any((froms <= stretch[0] + 0.011) & (untils >= stretch[1] - 0.011))


def test_the_start_is_moved_for_a_hit_by_less_than_is_heard() -> None:
    profile = track_profile(ending=None)
    for end_on in (30.0, 30.02, 30.05, 30.077):
        route = search(profile, 31.0, PlanRequest(end_on=end_on)).cuts()[0].route
        assert route.ending is EndKind.BUTTON
        lines = profile.downbeats
        assert 0.0 <= float(np.min(np.abs(lines - route.song_start))) <= 0.0600001
        stops = float(lines[lines <= route.last_to + 1e-6][-1])
        assert 31.0 - (route.last_to - stops) == pytest.approx(end_on, abs=0.02)
    assert search(profile, 31.0, PlanRequest(end_on=30.9)).cuts() == []


def test_what_a_cut_plays() -> None:
    profile = only(track_profile(), [(16, 40)])
    found = search(profile, round(profile.last_sound - profile.song_start - 48.0, 3), BOTH_ENDS)
    heard = found.times(found.cuts()[0], np.array([0.0, 32.0, 32.2, 40.0, 1000.0]))
    assert heard[:4] == pytest.approx([0.3, 32.3, 80.5, 88.3])
    assert np.isnan(heard[4])
