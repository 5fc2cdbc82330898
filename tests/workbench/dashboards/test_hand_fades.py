"""Crossfades set by hand: put back into a plan that is made anew, and told where they cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.dashboards.conftest import copy_home
from tests.workbench.dashboards.waiting import CollectingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.seam import with_fade, with_option_first
from workbench.dashboards.state import HandFade, describe_lost, seam_place, with_hand_fades
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LOOP_ALONE
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track


@pytest.fixture(scope="module")
def loop(corner_loop: Planned) -> Planned:
    return corner_loop


@pytest.fixture(scope="module")
def plan(loop: Planned) -> LoopPlan:
    """Its plan in use."""
    return loop.plan


def test_a_fade_is_put_back_at_its_seam_and_nowhere_else(loop: Planned, plan: LoopPlan) -> None:
    fade = HandFade.at(with_fade(plan, 1, 0.2, 0.5), 1)
    again, lost = with_hand_fades(loop, [fade])
    assert (again.plan.seam_fades[1], again.plan.seam_curves[1]) == (0.2, 0.5)
    assert again.plan.seam_fades[0] == plan.seam_fades[0]
    assert len(again.plan.options) == len(plan.options)
    assert (lost, describe_lost(lost)) == ([], "")


def test_a_fade_whose_seam_is_gone_or_too_narrow_is_told_by_its_place(loop: Planned, plan: LoopPlan) -> None:
    leave, enter = seam_place(plan, 0)
    gone = HandFade((leave + 40, enter), 0.2, 0.5, 109.0)
    wide = HandFade((leave, enter), 1000.0, 0.5, 61.0)
    again, lost = with_hand_fades(loop, [gone, wide])
    assert again is loop
    assert describe_lost([gone]) == "the crossfade that you set at 1:49 is not in this plan"
    assert describe_lost(lost) == "the crossfades that you set at 1:49, 1:01 are not in this plan"


def test_a_page_keeps_them_when_it_plans_anew(
    corner_home: Home, loop: Planned, plan: LoopPlan, pool: CollectingPool, tmp_path: Path
) -> None:
    home = copy_home(corner_home, tmp_path / "home")
    session = Session(Workspace(home), pool=pool)
    session.show(loop)
    session.show_with_fade(with_option_first(loop, with_fade(plan, 0, 0.2, 0.5)), 0)
    session.show_again(loop)
    assert session.plan is not None
    assert session.plan.seam_fades[0] == 0.2
    assert session.notice == ""
    shorter = plan_track(Workspace(home), loop.track, 200.0, LOOP_ALONE)
    places = {seam_place(shorter.plan, seam) for seam in range(len(shorter.plan.seam_times))}
    session.show_again(shorter)
    assert bool(session.notice) is (seam_place(plan, 0) not in places)
    session.show(replace(loop, track=replace(loop.track, path=tmp_path / "another.wav")))
    session.show_again(loop)
    assert session.plan == plan
