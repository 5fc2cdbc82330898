"""A seam with another crossfade, and an option that moves to the front."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.seam import with_fade, with_option_first
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LOOP_ALONE
from workbench.workflows.plan import plan_track


def test_another_fade_changes_one_seam_of_the_plan_alone(plan: LoopPlan) -> None:
    changed = with_fade(replace(plan, options=(plan,)), 1, 0.12345678, 0.75)
    assert changed.seam_fades == (0.02, 0.123457)
    assert changed.seam_curves == (1.0, 0.75)
    assert changed.segments == plan.segments
    assert changed.options == ()


def test_an_option_moves_up_and_a_changed_one_takes_the_first_place(
    plan: LoopPlan, workspace: Workspace, track: Path
) -> None:
    second = with_fade(plan, 0, 0.03, 1.0)
    refused = plan_track(workspace, track, 5.0, LOOP_ALONE)
    loop = replace(refused, track=find_track(workspace, str(track)), answer=replace(plan, options=(plan, second)))
    by_hand = with_option_first(loop, second)
    moved = by_hand.plan
    assert by_hand.provenance is not None
    assert by_hand.provenance.constraints["changed_by_hand"] is True
    assert moved.options == (second, plan)
    assert moved.alone == second
    assert by_hand.option_numbers == (2, 1)
    assert [by_hand.option(number) for number in (1, 2)] == [plan, second]
    back = with_option_first(by_hand, plan)
    assert (back.option_numbers, back.plan.options) == ((1, 2), (plan, second))
    faded = with_option_first(by_hand, with_fade(second, 0, 0.05, 1.0))
    assert (faded.option_numbers, faded.plan.options[1:]) == ((2, 1), (plan,))
    changed = with_fade(plan, 0, 0.05, 1.0)
    assert with_option_first(loop, changed).plan.options == (changed, second)
