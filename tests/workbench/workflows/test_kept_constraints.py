"""Constraints on seams, kept with a track and kept by every later plan of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.bundled import bundled_path
from workbench.errors import ConstraintError
from workbench.home import Home
from workbench.loops.constraints import NO_CONSTRAINTS, NamedSplice, SeamConstraints, TrackRange
from workbench.loops.plan import LoopPlan
from workbench.loops.refusals import Refusal, RefusalReason
from workbench.settings import WorkbenchSettings
from workbench.workflows.fit import fit_track
from workbench.workflows.kept_constraints import forget_constraints, keep_wishes, kept_constraints, seam_wishes
from workbench.workflows.loop import loop_or_refusal, loop_track
from workbench.workflows.tracks import TrackSource
from workbench.workspace import Workspace

TRACK = "0" * 64
SUNG = SeamConstraints(never_cut=(TrackRange(40.0, 60.0),))
BAD = SeamConstraints(forbidden=(NamedSplice(92.0, 48.0),))
PINNED = SeamConstraints(pinned=(NamedSplice(80.0, 16.0),))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Home(tmp_path / "home"), settings=WorkbenchSettings(database_url=None))


def test_each_is_kept_once_until_all_are_dropped(workspace: Workspace) -> None:
    asked = seam_wishes(workspace, TRACK, NO_CONSTRAINTS, "apply")
    keep_wishes(workspace, TRACK, asked)
    forget_constraints(workspace, TRACK)
    assert not asked.every
    assert workspace.existing_database is None, "asking creates no database"

    for given in (SUNG, BAD, SUNG.and_more(PINNED)):
        keep_wishes(workspace, TRACK, seam_wishes(workspace, TRACK, given, "apply"))
    every = SUNG.and_more(BAD).and_more(PINNED)
    assert kept_constraints(workspace, TRACK) == every
    assert kept_constraints(workspace, "1" * 64) == NO_CONSTRAINTS
    wishes = seam_wishes(workspace, TRACK, BAD, "apply")
    assert (wishes.every, wishes.kept) == (every, SUNG.and_more(PINNED))

    ignoring = seam_wishes(workspace, TRACK, BAD, "ignore")
    keep_wishes(workspace, TRACK, ignoring)
    assert (ignoring.every, kept_constraints(workspace, TRACK)) == (BAD, every)

    instead = seam_wishes(workspace, TRACK, BAD, "forget")
    assert (instead.every, kept_constraints(workspace, TRACK)) == (BAD, every), "until the plan is made"
    keep_wishes(workspace, TRACK, instead)
    assert kept_constraints(workspace, TRACK) == BAD
    assert not seam_wishes(workspace, TRACK, NO_CONSTRAINTS, "forget").every
    assert not kept_constraints(workspace, TRACK)


def test_what_another_plan_kept_meanwhile_stays(workspace: Workspace) -> None:
    wishes = seam_wishes(workspace, TRACK, SUNG, "apply")
    keep_wishes(workspace, TRACK, seam_wishes(workspace, TRACK, BAD, "apply"))
    keep_wishes(workspace, TRACK, wishes)
    assert kept_constraints(workspace, TRACK) == BAD.and_more(SUNG)


def test_loop_and_fit_share_them_by_the_bytes_and_never_a_plan_made_without(
    workspace: Workspace, tmp_path: Path
) -> None:
    song = bundled_path("data", "bundled", "music", "hill_road.ogg")
    free = loop_track(workspace, song, 256.0)
    assert isinstance(free.answer, LoopPlan)
    assert workspace.existing_database is None
    ahead = SeamConstraints(pinned=(NamedSplice(92.0, 48.0),))
    held = fit_track(workspace, song, 256.0, constraints=ahead)
    copy = Path(shutil.copy(song, tmp_path / "copy.ogg"))
    later = loop_track(workspace, copy, 256.0)
    assert (held.kept_constraints, later.kept_constraints) == (NO_CONSTRAINTS, ahead)
    assert isinstance(later.answer, LoopPlan)
    assert later.answer != free.answer
    assert later.provenance is not None
    assert later.provenance.constraints == {"seconds": 256.0, "pin_seam": [[92.0, 48.0]]}
    assert loop_track(workspace, song, 256.0, kept="ignore").answer == free.answer

    # A kept set that contradicts what is given now: nothing is stored, and it is said how to drop what is kept.
    with pytest.raises(ConstraintError, match=r"contradict each other; kept with this track: pinned 1:32-0:48 \("):
        loop_track(workspace, song, 256.0, constraints=SUNG)
    assert loop_track(workspace, song, 256.0).answer == later.answer

    # A refusal for the length alone keeps nothing either, but drops what is to be dropped.
    too_short = loop_track(workspace, song, 20.0, constraints=BAD, kept="forget")
    assert isinstance(too_short.answer, Refusal)
    assert loop_track(workspace, song, 256.0).kept_constraints == ahead
    assert isinstance(loop_track(workspace, song, 20.0, kept="forget").answer, Refusal)
    assert loop_track(workspace, song, 256.0).answer == free.answer


def test_where_nobody_can_change_them_they_are_a_refusal(workspace: Workspace) -> None:
    song = bundled_path("data", "bundled", "music", "hill_road.ogg")
    content_hash = workspace.hash_file(song)
    pinned = SeamConstraints(SUNG.never_cut, pinned=(NamedSplice(92.0, 48.0),))
    keep_wishes(workspace, content_hash, seam_wishes(workspace, content_hash, pinned, "apply"))
    answer = loop_or_refusal(workspace, TrackSource("hill", song, None), 256.0).answer
    assert isinstance(answer, Refusal)
    assert answer.reason is RefusalReason.NO_VIABLE_LOOP
    assert "pinned 1:32-0:48 and never cut 0:40-1:00 contradict each other" in answer.hint
