"""A plan is made again around what is asked of it, or it is said what contradicts."""

from __future__ import annotations

import pytest

from workbench.bundled import bundled_path
from workbench.home import Home
from workbench.loops.constraints import NO_CONSTRAINTS, NamedSplice, SeamConstraints, TrackRange
from workbench.loops.fit import Keep
from workbench.loops.plan import LoopPlan
from workbench.settings import WorkbenchSettings
from workbench.workflows.constraints import remember_splices
from workbench.workflows.kept_constraints import kept_constraints
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
    """A plan about which nothing is asked, and nothing is kept."""
    planned = plan_around(workspace, TRACK, SECONDS, PlanWishes())
    assert isinstance(planned, Loop)
    return planned


def kept(workspace: Workspace, loop: Loop) -> SeamConstraints:
    assert loop.analysis is not None
    return kept_constraints(workspace, loop.analysis.content_hash)


def test_what_is_asked_is_kept_with_the_track_and_dropped_again(workspace: Workspace, loop: Loop) -> None:
    sung = SeamConstraints(never_cut=(TrackRange(25.0, 35.0),), excluded=(TrackRange(60.0, 62.0),))
    asked = PlanWishes(sung)
    assert isinstance(plan_around(workspace, TRACK, SECONDS, asked), Loop)
    assert kept(workspace, loop) == sung
    less = asked.without("never_cut 0:25-0:35")
    assert isinstance(plan_around(workspace, TRACK, SECONDS, less), Loop)
    assert kept(workspace, loop) == SeamConstraints(excluded=sung.excluded)
    assert isinstance(plan_around(workspace, TRACK, SECONDS, PlanWishes()), Loop)
    assert kept(workspace, loop) == NO_CONSTRAINTS


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


def test_a_contradiction_names_what_can_be_dropped_and_keeps_nothing(workspace: Workspace, loop: Loop) -> None:
    everywhere, elsewhere = TrackRange(0.0, 100.0), TrackRange(30.0, 40.0)
    asked = PlanWishes(SeamConstraints(never_cut=(everywhere, elsewhere)))
    refused = plan_around(workspace, TRACK, SECONDS, asked)
    assert isinstance(refused, Contradiction)
    assert [one.id for one in refused.constraints] == ["never_cut 0:00-1:40"]
    assert kept(workspace, loop) == NO_CONSTRAINTS
    assert isinstance(plan_around(workspace, TRACK, SECONDS, refused.wishes.without(refused.constraints[0].id)), Loop)
    plan_around(workspace, TRACK, SECONDS, PlanWishes())


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
    (pin,) = kept(workspace, loop).pinned
    assert is_same_splice(loop.analysis, pin, place.splice)
    assert named_seam(moved.analysis, moved.answer, seam) == pin
    assert not is_same_splice(loop.analysis, pin, NamedSplice(pin.leave, pin.leave + 500.0))
    again = plan_with_moved_seam(workspace, moved, seam, -1, PlanWishes(kept(workspace, loop)))
    assert isinstance(again, Loop)
    assert isinstance(again.answer, LoopPlan)
    assert len(kept(workspace, loop).pinned) == 1, "the pin moves with the seam"
    assert again.answer.seam_times[seam] == pytest.approx(times[seam], abs=0.01)
    plan_around(workspace, TRACK, SECONDS, PlanWishes())
