"""The JSON that the command line prints: of which kind a plan is, what only a loop has, or why there is no plan."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from tests.workbench.played import make_plan
from workbench.errors import PlanError, Sentence
from workbench.plans.constraints import Constraint, ConstraintKind
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal, contradiction
from workbench.results.plan import PlanResult, PlansResult, loop_facts, one_of, plan_from_json, plan_result
from workbench.results.schemas import schemas

LOOP_ONLY = {"loop_start_a", "loop_end_b", "bars", "repeats"}


@pytest.fixture
def looped() -> LoopPlan:
    return make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=40.0)


@pytest.fixture
def cut_down() -> LoopPlan:
    plan = make_plan([(0.0, 10.0, 0.0, 0.0), (20.0, 30.0, 0.0, 0.0)], [0.02], [1.0], song_duration=40.0)
    return replace(plan, body=None)


def result(plan: LoopPlan | Refusal) -> PlanResult:
    return plan_result(plan, video_id="20s", track_id="a.wav", track=None)


def test_a_cut_down_has_no_body(cut_down: LoopPlan, looped: LoopPlan) -> None:
    plan = replace(cut_down, options=(cut_down, looped))
    body = result(plan).to_json()
    assert body["applicable"] is True
    assert body["plan"]["kind"] == "cut_down"
    assert not LOOP_ONLY & body["plan"].keys()
    assert body["plan"]["beats_per_bar"] == 4
    assert [option["kind"] for option in body["plan"]["options"]] == ["cut_down", "loop"]
    assert body["plan"]["options"][1].keys() >= LOOP_ONLY
    assert body["plan"]["alternates"] == [
        {"kind": "loop", "loop_start_a": 0.0, "loop_end_b": 10.0, "bars": 1, "repeats": 1, "seam_score": 1.0,
         "plan_score": looped.plan_score, "end_label": looped.end_label},
    ]  # fmt: skip
    assert plan_from_json(json.dumps(body)) == plan
    assert plan_from_json(body["plan"]["options"][1]) == looped


def test_a_straight_plan_has_one_segment(cut_down: LoopPlan) -> None:
    straight = replace(
        cut_down,
        segments=(replace(cut_down.segments[0], song_to=20.0),),
        seam_fades=(),
        seam_curves=(),
        music_in=0.0,
        start_at=0.0,
    )
    body = result(straight).to_json()
    assert body["plan"]["seam_times"] == body["plan"]["seam_fades"] == body["plan"]["seam_curves"] == []
    assert body["plan"]["start_at"] == 0.0
    assert plan_from_json(body) == straight


def test_a_loop_of_the_interface_never_says_its_kind(looped: LoopPlan) -> None:
    body = loop_facts(looped)
    assert "kind" not in json.dumps(body)
    assert plan_from_json(body) == looped
    assert result(looped).to_json()["plan"] == body["plan"] | {"kind": "loop"}


def test_a_refusal_names_the_constraints_that_contradict_by_id() -> None:
    pinned, kept = Constraint(ConstraintKind.PINNED, (92.0, 48.0)), Constraint(ConstraintKind.KEEP, part="hook")
    refusal = contradiction(Sentence(pinned, " and ", kept, " cannot be kept together in 30 s"), (pinned, kept))
    body = result(refusal).to_json()
    assert (body["applicable"], body["retryable"]) == (False, False)
    assert body["plan"] == {
        "applicable": False, "reason": "constraints", "constraints": ["pinned 1:32-0:48", "keep hook"],
    }  # fmt: skip
    assert body["hint"] == "pinned 1:32-0:48 and keep hook cannot be kept together in 30 s."
    jsonschema.validate(body, schemas()["PlanResult"])
    assert "constraints" not in json.dumps(schemas()["LoopResult"])


def test_what_is_no_plan_is_told(cut_down: LoopPlan) -> None:
    body = result(cut_down).to_json()
    for broken, why in (
        ({**body["plan"], "kind": "medley"}, "not a plan: kind"),
        ({**body["plan"], "kind": "loop"}, "kind follows from the rest"),
        ({**body["plan"], "version": 99}, "format version 99"),
    ):
        with pytest.raises(PlanError, match=why):
            plan_from_json(broken)
    several = PlansResult(fits=[result(cut_down), result(cut_down)]).to_json()
    with pytest.raises(PlanError, match="plans of several lengths"):
        plan_from_json(several)
    assert plan_from_json(several["fits"][1]) == cut_down


def test_one_of_several_lengths_is_found_by_its_seconds(cut_down: LoopPlan) -> None:
    one = result(cut_down).to_json()
    other = {**one, "plan": {**one["plan"], "window_end": 12.345}}
    several = {"fits": [one, other]}
    assert one_of(several, 12.345) is other
    assert one_of(several, one["plan"]["window_end"]) is one
    assert one_of(one, None) is one
    for given, seconds, why in (
        (several, None, r"plans of several lengths: [0-9.]+, 12.345 s; name one by length$"),
        (several, 12.3, r"^there is no plan of 12.3 s; these are plans of several lengths"),
        (one, 12.345, "leave length out"),
        ({"fits": [{"plan": 3}]}, 12.345, "^these are not plans of several lengths$"),
    ):
        with pytest.raises(PlanError, match=why):
            one_of(given, seconds)
