"""A plan is made again around what is asked of it, or it is said what contradicts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.bundled import bundled_path
from workbench.errors import PlanError
from workbench.home import Home
from workbench.loops.constraints import NO_CONSTRAINTS, NamedSplice, SeamConstraints, TrackRange
from workbench.loops.fit import Keep, KeptPart
from workbench.loops.plan import LoopPlan
from workbench.settings import WorkbenchSettings
from workbench.workflows.constraints import remember_splices
from workbench.workflows.loop import Loop
from workbench.workflows.tracks import TrackSource
from workbench.workflows.wishes import (
    Contradiction,
    PlanWishes,
    find_places,
    is_same_splice,
    named_seam,
    plan_around,
    plan_with_moved_seam,
    read_wishes,
    wish_records,
)
from workbench.workspace import Workspace

FILE = bundled_path("data", "bundled", "music", "corner_store.ogg")
TRACK = TrackSource(FILE.name, FILE, None)
SECONDS = 240.0


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(Home(tmp_path_factory.mktemp("wishes")), settings=WorkbenchSettings(database_url=None))


@pytest.fixture
def loop(workspace: Workspace) -> Loop:
    """A plan about which nothing is asked."""
    planned = plan_around(workspace, TRACK, SECONDS, PlanWishes())
    assert isinstance(planned, Loop)
    return planned


def recorded(loop: Loop | Contradiction) -> PlanWishes:
    """What was asked of a plan, as its provenance says."""
    assert isinstance(loop, Loop)
    assert loop.provenance is not None
    return read_wishes(loop.provenance.constraints)


def test_what_is_asked_is_in_the_provenance_of_that_plan_and_of_no_other(workspace: Workspace, loop: Loop) -> None:
    asked = PlanWishes(SeamConstraints(never_cut=(TrackRange(25.0, 35.0),), excluded=(TrackRange(60.0, 62.0),)))
    assert recorded(plan_around(workspace, TRACK, SECONDS, asked)) == asked
    less = asked.without("never_cut 0:25-0:35")
    assert recorded(plan_around(workspace, TRACK, SECONDS, less)) == less
    again = plan_around(workspace, TRACK, SECONDS, PlanWishes())
    assert isinstance(again, Loop)
    assert (recorded(again), again.answer) == (PlanWishes(), loop.answer)


EVERYTHING = PlanWishes(
    SeamConstraints(
        (TrackRange(25.0, 35.5),), (NamedSplice(92.1, 48.000001),), (NamedSplice(80.0, 16.0),), (TrackRange(0.0, 1.0),)
    ),
    (Keep(KeptPart.HOOK), Keep(None, 20.0, 30.25)),
    start_at=0.0,
    end_on=238.5,
)


@pytest.mark.parametrize("asked", [EVERYTHING, PlanWishes(end_on=3.0), PlanWishes()])
def test_what_is_asked_is_read_as_it_was_recorded(asked: PlanWishes) -> None:
    assert read_wishes(json.loads(json.dumps(wish_records(asked))) | {"seconds": 240.0}) == asked


@pytest.mark.parametrize(
    "recorded", [{"keep": "hook"}, {"keep": ["verse"]}, {"start_at": "0:05"}, {"end_on": [1.0]}, {"pin_seam": [[1.0]]}]
)
def test_what_nobody_recorded_so_is_named(recorded: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=rf"^provenance\.constraints\.{next(iter(recorded))}: "):
        read_wishes(recorded)


def test_times_and_kept_parts_make_a_fit(workspace: Workspace, loop: Loop) -> None:
    asked = PlanWishes(keep=(Keep(None, 20.0, 30.0),), start_at=3.0)
    assert asked.needs_fit
    assert [one.id for one in asked.each] == ["keep 0:20-0:30", "start_at 0:03"]
    fitted = plan_around(workspace, TRACK, SECONDS, asked)
    assert isinstance(fitted, Loop)
    assert isinstance(fitted.answer, LoopPlan)
    assert fitted.is_fit
    assert fitted.answer.music_in == 3.0
    assert not asked.without("keep 0:20-0:30").without("start_at 0:03")


def test_a_contradiction_names_what_can_be_dropped(workspace: Workspace) -> None:
    everywhere, elsewhere = TrackRange(0.0, 100.0), TrackRange(30.0, 40.0)
    asked = PlanWishes(SeamConstraints(never_cut=(everywhere, elsewhere)))
    refused = plan_around(workspace, TRACK, SECONDS, asked)
    assert isinstance(refused, Contradiction)
    assert [one.id for one in refused.constraints] == ["never_cut 0:00-1:40"]
    assert isinstance(plan_around(workspace, TRACK, SECONDS, refused.wishes.without(refused.constraints[0].id)), Loop)


def test_a_moved_seam_is_where_it_was_put_and_pinned(workspace: Workspace, loop: Loop) -> None:
    assert isinstance(loop.answer, LoopPlan)
    assert loop.analysis is not None
    times = loop.answer.seam_times
    splices = [named_seam(loop.analysis, loop.answer, seam) for seam in range(len(times))]
    seam = next(seam for seam, splice in enumerate(splices) if splices.count(splice) == 1)
    found = find_places(workspace, loop, NO_CONSTRAINTS)
    assert len(found.places) == len(times)
    place = next(place for place in found.places[seam] if place.bars == 1 and not place.obstacle)
    assert place.score is not None
    remember_splices(found.measured)
    moved = plan_with_moved_seam(workspace, loop, seam, 1, PlanWishes(), found=found)
    assert isinstance(moved, Loop)
    assert isinstance(moved.answer, LoopPlan)
    assert moved.analysis is not None
    assert moved.answer.seam_times[seam] == pytest.approx(place.at, abs=0.01)
    rest = [other for other in range(len(times)) if other != seam]
    unmoved = [times[other] for other in rest]
    assert [moved.answer.seam_times[other] for other in rest] == pytest.approx(unmoved, abs=0.05)
    (pin,) = recorded(moved).seams.pinned
    assert is_same_splice(loop.analysis, pin, place.splice)
    assert named_seam(moved.analysis, moved.answer, seam) == pin
    assert not is_same_splice(loop.analysis, pin, NamedSplice(pin.leave, pin.leave + 500.0))
    again = plan_with_moved_seam(workspace, moved, seam, -1, recorded(moved))
    assert isinstance(again, Loop)
    assert isinstance(again.answer, LoopPlan)
    assert len(recorded(again).seams.pinned) == 1, "the pin moves with the seam"
    assert again.answer.seam_times[seam] == pytest.approx(times[seam], abs=0.01)
