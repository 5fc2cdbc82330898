"""The search for cut-downs: what it takes, where it starts, how it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from workbench.params import CoverParams
from workbench.plans.cutdown import (
    CutTask,
    assemble_cut,
    cut_splices,
    find_cuts,
    route_times,
    seams_allowed,
)
from workbench.plans.plan import EndKind, PlanKind
from workbench.seams.profile import LoopProfile

Maker = Callable[..., LoopProfile]
PARAMS = CoverParams()


@pytest.mark.parametrize(
    ("seconds", "seams"), [(1.0, 1), (6.0, 1), (15.0, 1), (15.001, 2), (30.0, 2), (60.0, 4), (61.0, 5)]
)
def test_one_seam_for_each_15_s_begun(seconds: float, seams: int) -> None:
    assert seams_allowed(seconds) == seams


def test_the_one_cut_ahead_is_taken(track_profile: Maker, only: Callable[..., LoopProfile]) -> None:
    """Bars 16 to 40 go; the track's own start and ending stay, and the length is exact."""
    profile = only(track_profile(), [(16, 40)])
    usable = cut_splices(profile, PARAMS)
    kept = profile.last_sound - profile.song_start - 24 * 2.0
    task = CutTask(round(kept + 0.5, 3), whole=((0.4, 16.4),))
    cut = find_cuts(profile, usable, task, PARAMS)[0]
    assert cut.route.taken.tolist() == [0]
    assert cut.route.song_start == 0.3
    assert cut.route.ending is EndKind.OUTRO
    plan = assemble_cut(cut, profile, usable, task, PARAMS)
    assert plan.kind is PlanKind.CUT_DOWN
    assert [(s.song_from, s.song_to) for s in plan.segments] == [(0.3, 32.4), (80.4, round(profile.last_sound, 6))]
    assert plan.tail_seconds == pytest.approx(0.5, abs=1e-3)
    assert plan.body is None
    assert plan.loop_start_a is None


def test_loops_back_are_taken_only_where_they_may_be(track_profile: Maker, only: Callable[..., LoopProfile]) -> None:
    profile = only(track_profile(), [(48, 16)])
    usable = cut_splices(profile, PARAMS)
    task = CutTask(150.0)
    assert find_cuts(profile, usable, task, PARAMS) == []
    cut = find_cuts(profile, usable, replace(task, may_repeat=True), PARAMS)[0]
    plan = assemble_cut(cut, profile, usable, replace(task, may_repeat=True), PARAMS)
    assert plan.kind is PlanKind.LOOP
    assert plan.body is not None
    assert (plan.body.bars, plan.body.repeats) == (32, 1)


def test_a_kept_part_is_not_cut_into(track_profile: Maker) -> None:
    profile = track_profile()
    usable = cut_splices(profile, PARAMS)
    stretch = (float(profile.downbeats[20]), float(profile.downbeats[28]))
    cuts = find_cuts(profile, usable, CutTask(40.0, whole=(stretch,)), PARAMS)
    assert cuts
    for route, *_ in cuts[:50]:
        froms = np.append(route.song_start, usable.song_from[route.taken])
        untils = np.append(usable.song_to[route.taken], route.last_to)
        assert np.any((froms <= stretch[0] + 0.011) & (untils >= stretch[1] - 0.011))


def test_the_start_is_moved_for_a_hit_by_less_than_is_heard(track_profile: Maker) -> None:
    profile = track_profile(ending=None)
    usable = cut_splices(profile, PARAMS)
    for end_on in (30.0, 30.02, 30.05, 30.077):
        route = find_cuts(profile, usable, CutTask(31.0, end_on=end_on), PARAMS)[0].route
        assert route.ending is EndKind.BUTTON
        lines = profile.downbeats
        assert 0.0 <= float(np.min(np.abs(lines - route.song_start))) <= 0.0600001
        stops = float(lines[lines <= route.last_to + 1e-6][-1])
        assert 31.0 - (route.last_to - stops) == pytest.approx(end_on, abs=0.02)
    assert find_cuts(profile, usable, CutTask(31.0, end_on=30.9), PARAMS) == []


def test_what_a_route_plays(track_profile: Maker, only: Callable[..., LoopProfile]) -> None:
    profile = only(track_profile(), [(16, 40)])
    usable = cut_splices(profile, PARAMS)
    task = CutTask(round(profile.last_sound - profile.song_start - 48.0, 6), whole=((0.4, 16.4),))
    route = find_cuts(profile, usable, task, PARAMS)[0].route
    times = np.array([0.0, 32.0, 32.2, 40.0, 1000.0])
    heard = route_times(route, usable, times)
    assert heard[:4] == pytest.approx([0.3, 32.3, 80.5, 88.3])
    assert np.isnan(heard[4])
