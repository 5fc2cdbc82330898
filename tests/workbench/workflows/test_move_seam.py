"""A plan is made again around what is asked of it, or it is said what contradicts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from workbench.analysis.sources import TrackSource
from workbench.analysis.workspace import Workspace
from workbench.errors import PlanError
from workbench.files import bundled_path
from workbench.plans.constraints import NO_CONSTRAINTS, NamedSplice, SeamConstraints, TrackRange
from workbench.plans.refusals import Refusal
from workbench.plans.request import LENGTH_ALONE, LOOP_ALONE, Keep, KeptPart, PlanRequest
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings
from workbench.workflows.constraints import read_request, request_records
from workbench.workflows.move_seam import (
    find_places,
    is_same_splice,
    named_seam,
    plan_around,
    plan_with_moved_seam,
)
from workbench.workflows.plan import Planned

FILE = bundled_path("data", "bundled", "music", "corner_store.ogg")
TRACK = TrackSource(FILE.name, FILE, None)
SECONDS = 240.0


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(Home(tmp_path_factory.mktemp("moved")), settings=WorkbenchSettings(database_url=None))


@pytest.fixture
def loop(workspace: Workspace) -> Planned:
    """A plan about which nothing is asked."""
    return plan_around(workspace, TRACK, SECONDS, LOOP_ALONE)


def recorded(planned: Planned) -> PlanRequest:
    """What was asked of a plan, as its provenance says."""
    assert planned.provenance is not None
    return read_request(planned.provenance.constraints)


def test_what_is_asked_is_in_the_provenance_of_that_plan_and_of_no_other(workspace: Workspace, loop: Planned) -> None:
    asked = PlanRequest(SeamConstraints((TrackRange(25.0, 35.0),), excluded=(TrackRange(60.0, 62.0),)))
    assert recorded(plan_around(workspace, TRACK, SECONDS, asked)) == asked
    less = asked.without("never_cut 0:25-0:35")
    assert recorded(plan_around(workspace, TRACK, SECONDS, less)) == less
    again = plan_around(workspace, TRACK, SECONDS, LOOP_ALONE)
    assert (recorded(again), again.answer) == (LENGTH_ALONE, loop.answer)


EVERYTHING = PlanRequest(
    SeamConstraints(
        (TrackRange(25.0, 35.5),), (NamedSplice(92.1, 48.000001),), (NamedSplice(80.0, 16.0),), (TrackRange(0.0, 1.0),)
    ),
    (Keep(KeptPart.HOOK), Keep(None, 20.0, 30.25)),
    start_at=0.0,
    end_on=238.5,
)


@pytest.mark.parametrize("asked", [EVERYTHING, PlanRequest(end_on=3.0), PlanRequest()])
def test_what_is_asked_is_read_as_it_was_recorded(asked: PlanRequest) -> None:
    assert read_request(json.loads(json.dumps(request_records(asked))) | {"seconds": 240.0}) == asked


@pytest.mark.parametrize(
    "recorded", [{"keep": "hook"}, {"keep": ["verse"]}, {"start_at": "0:05"}, {"end_on": [1.0]}, {"pin_seam": [[1.0]]}]
)
def test_what_nobody_recorded_so_is_named(recorded: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=rf"^provenance\.constraints\.{next(iter(recorded))}: "):
        read_request(recorded)


def test_times_and_kept_parts_are_kept_by_a_loop_too(workspace: Workspace, loop: Planned) -> None:
    asked = PlanRequest(keep=(Keep(None, 20.0, 30.0),), start_at=3.0)
    assert [one.id for one in asked.each] == ["keep 0:20-0:30", "start_at 0:03"]
    for only_loop in (False, True):
        assert plan_around(workspace, TRACK, SECONDS, replace(asked, only_loop=only_loop)).plan.music_in == 3.0
    assert not asked.without("keep 0:20-0:30").without("start_at 0:03")


def test_a_contradiction_names_what_can_be_dropped(workspace: Workspace) -> None:
    everywhere, elsewhere = TrackRange(0.0, 100.0), TrackRange(30.0, 40.0)
    asked = PlanRequest(SeamConstraints(never_cut=(everywhere, elsewhere)))
    refused = plan_around(workspace, TRACK, SECONDS, asked)
    assert isinstance(refused.answer, Refusal)
    (blamed,) = refused.answer.constraints
    assert blamed.id == "never_cut 0:00-1:40"
    assert plan_around(workspace, TRACK, SECONDS, refused.request.without(blamed.id)).plan.seam_times


def test_what_makes_no_sense_on_the_track_can_be_dropped_too(workspace: Workspace) -> None:
    outside = PlanRequest(SeamConstraints(never_cut=(TrackRange(0.0, 1000.0),)))
    refused = plan_around(workspace, TRACK, SECONDS, outside)
    assert isinstance(refused.answer, Refusal)
    assert "the track ends at" in refused.answer.hint
    assert [one.id for one in refused.answer.constraints] == ["never_cut 0:00-16:40"]


def test_a_moved_seam_is_where_it_was_put_and_pinned(workspace: Workspace, loop: Planned) -> None:
    assert loop.analysis is not None
    times = loop.plan.seam_times
    splices = [named_seam(loop.analysis, loop.plan, seam) for seam in range(len(times))]
    seam = next(seam for seam, splice in enumerate(splices) if splices.count(splice) == 1)
    found = find_places(workspace, loop, NO_CONSTRAINTS)
    assert len(found.places) == len(times)
    place = next(place for place in found.places[seam] if place.bars == 1 and not place.obstacle)
    assert place.score is not None
    moved = plan_with_moved_seam(found, loop, seam, 1, LOOP_ALONE, workspace.params.cover)
    assert moved.analysis is not None
    assert moved.plan.seam_times[seam] == pytest.approx(place.at, abs=0.01)
    rest = [other for other in range(len(times)) if other != seam]
    unmoved = [times[other] for other in rest]
    assert [moved.plan.seam_times[other] for other in rest] == pytest.approx(unmoved, abs=0.05)
    (pin,) = recorded(moved).constraints.pinned
    assert is_same_splice(loop.analysis, pin, place.splice)
    assert named_seam(moved.analysis, moved.plan, seam) == pin
    assert not is_same_splice(loop.analysis, pin, NamedSplice(pin.leave, pin.leave + 500.0))
    assert moved.plan.options in ((), (moved.plan.alone,)), "what else there is, is planned when somebody asks"
    found = find_places(workspace, moved, moved.request.constraints)
    again = plan_with_moved_seam(found, moved, seam, -1, moved.request, workspace.params.cover)
    assert len(recorded(again).constraints.pinned) == 1, "the pin moves with the seam"
    assert again.plan.seam_times[seam] == pytest.approx(times[seam], abs=0.01)
