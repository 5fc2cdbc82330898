"""A seam with another crossfade, and an option that moves to the front."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.seam import with_fade, with_option_first
from workbench.errors import PlanError
from workbench.plans.plan import LoopPlan
from workbench.workflows.plan import loop_track


def test_another_fade_changes_one_seam_of_the_plan_alone(plan: LoopPlan) -> None:
    changed = with_fade(replace(plan, options=(plan,)), 1, 0.12345678, 0.75)
    assert changed.seam_fades == (0.02, 0.123457)
    assert changed.seam_curves == (1.0, 0.75)
    assert changed.segments == plan.segments
    assert changed.options == ()


def test_a_fade_that_there_is_no_room_for_is_refused(plan: LoopPlan) -> None:
    with pytest.raises(PlanError):
        with_fade(plan, 0, 30.0, 1.0)


def test_an_option_moves_up_and_a_changed_one_takes_the_first_place(
    plan: LoopPlan, workspace: Workspace, track: Path
) -> None:
    second = with_fade(plan, 0, 0.03, 1.0)
    refused = loop_track(workspace, track, 5.0)
    loop = replace(refused, track=find_track(workspace, str(track)), answer=replace(plan, options=(plan, second)))
    by_hand = with_option_first(loop, second)
    moved = by_hand.answer
    assert by_hand.provenance is not None
    assert by_hand.provenance.constraints["changed_by_hand"] is True
    assert isinstance(moved, LoopPlan)
    assert moved.options == (second, plan)
    assert moved.alone == second
    assert by_hand.option_numbers == (2, 1)
    assert [by_hand.option(number) for number in (1, 2)] == [plan, second]
    back = with_option_first(by_hand, plan)
    assert (back.option_numbers, back.plan.options) == ((1, 2), (plan, second))
    faded = with_option_first(by_hand, with_fade(second, 0, 0.05, 1.0))
    assert (faded.option_numbers, faded.plan.options[1:]) == ((2, 1), (plan,))
    changed = with_fade(plan, 0, 0.05, 1.0)
    tried = with_option_first(loop, changed).answer
    assert isinstance(tried, LoopPlan)
    assert tried.options == (changed, second)
