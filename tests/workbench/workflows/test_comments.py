"""Comments, decisions and verdicts of reviewers: on which version, at which seam, and how they leave."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.export.timeline import MarkerKind
from workbench.plans.plan import LoopPlan
from workbench.review import verdicts
from workbench.review.comments import (
    answer_comment,
    comment_on,
    decide,
    find_review,
    load_review,
    resolve_thread,
    review_markers,
    seam_of,
    write_comments,
    write_decisions,
)
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Home(tmp_path / "home"))


@pytest.fixture
def plan(reviewed_loop: Planned) -> LoopPlan:
    return reviewed_loop.plan.alone


@pytest.fixture
def faded(reviewed_loop: Planned, plan: LoopPlan) -> Planned:
    """The same plan with another crossfade at its first seam."""
    fades = (round(plan.seam_fades[0] + 0.01, 6), *plan.seam_fades[1:])
    return replace(reviewed_loop, answer=replace(plan, seam_fades=fades))


def test_comments_go_on_to_the_next_version_and_decisions_do_not(
    workspace: Workspace, reviewed_loop: Planned, faded: Planned
) -> None:
    assert load_review(workspace, reviewed_loop).version is None
    early = comment_on(workspace, reviewed_loop, "Ana", "starts too late", 3.0)
    decide(workspace, reviewed_loop, "Ana", "needs work")
    late = comment_on(workspace, faded, "Ben", "better", 60.0)
    decide(workspace, faded, "Ben", "approved")
    first, second = load_review(workspace, reviewed_loop), load_review(workspace, faded)
    assert [thread.first for thread in second.threads] == [thread.first for thread in first.threads] == [early, late]
    assert [thread.version for thread in second.threads] == [1, 2]
    assert first.version is not None
    assert second.version is not None
    for review in (first, second):
        of_first, of_second = (review.decisions(one.version_id) for one in (first.version, second.version))
        assert [(one.reviewer, one.decision) for one in of_first] == [("Ana", "needs work")]
        assert [(one.reviewer, one.decision) for one in of_second] == [("Ben", "approved")]
    assert second.number(second.version.version_id) == 2


def test_a_thread_holds_its_answers_and_is_resolved(
    workspace: Workspace, reviewed_loop: Planned, faded: Planned
) -> None:
    first = comment_on(workspace, reviewed_loop, " Ana ", "a click? ", 3.0, seam=0)
    assert (first.reviewer, first.text) == ("Ana", "a click?")
    answer = answer_comment(workspace, faded, first.comment_id, "Ben", "gone now")
    further = answer_comment(workspace, faded, answer.comment_id, "Ana", "yes")
    assert answer.answers == further.answers == first.comment_id
    assert (answer.video_s, answer.leave_s, answer.enter_s) == (first.video_s, first.leave_s, first.enter_s)
    done = resolve_thread(workspace, further.comment_id, "Ana")
    (thread,) = load_review(workspace, faded).threads
    assert (thread.first, thread.answers, thread.resolved) == (done, (answer, further), True)
    assert done.resolved_by == "Ana"
    assert done.resolved_at is not None
    assert resolve_thread(workspace, first.comment_id, None) == first
    assert not load_review(workspace, faded).threads[0].resolved


def test_a_comment_needs_a_name_a_text_and_a_time(workspace: Workspace, reviewed_loop: Planned) -> None:
    first = comment_on(workspace, reviewed_loop, "Ana", "hm", 0.0)
    for reviewer, text, video_s, reason in (
        ("  ", "text", 0.0, "needs a name"),
        ("a\nb", "text", 0.0, "on one line"),
        ("Ana", " \n", 0.0, "1 to 4000 characters"),
        ("Ana", "x" * 4001, 0.0, "got 4001"),
        ("Ana", "text", -1.0, "a time of the video"),
        ("Ana", "text", float("nan"), "a time of the video"),
    ):
        with pytest.raises(ParameterError, match=reason):
            comment_on(workspace, reviewed_loop, reviewer, text, video_s)
    with pytest.raises(InputError, match="no comment"):
        answer_comment(workspace, replace(reviewed_loop, video_seconds=99.0), first.comment_id, "Ana", "text")
    with pytest.raises(ParameterError, match="approved, needs work"):
        decide(workspace, reviewed_loop, "Ana", "fine")  # type: ignore[arg-type]
    assert [thread.first for thread in load_review(workspace, reviewed_loop).threads] == [first]


def test_a_comment_on_a_seam_follows_its_splice(workspace: Workspace, reviewed_loop: Planned, plan: LoopPlan) -> None:
    comment = comment_on(workspace, reviewed_loop, "Ana", "the chord changes", 0.0, seam=1)
    assert comment.video_s == pytest.approx(plan.seam_times[1])
    assert seam_of(plan, comment) == 1
    elsewhere = replace(comment, leave_s=1.0, enter_s=2.0)
    assert seam_of(plan, elsewhere) is None
    assert seam_of(plan, replace(comment, leave_s=None, enter_s=None)) is None
    with pytest.raises(ParameterError, match="no seam 99"):
        comment_on(workspace, reviewed_loop, "Ana", "?", 0.0, seam=98)


def test_verdicts_become_markers_only_where_the_seam_is_heard_as_it_was_judged(
    workspace: Workspace, reviewed_loop: Planned, plan: LoopPlan, faded: Planned
) -> None:
    assert reviewed_loop.analysis is not None
    seam = {
        "leave": plan.segments[0].song_to, "enter": plan.segments[1].song_from, "fade": plan.seam_fades[0],
        "exponent": plan.seam_curves[0],
    }  # fmt: skip
    with workspace.database.write() as connection:
        about = (connection, reviewed_loop.analysis.content_hash, "corner")
        verdicts.add(*about, seam, "wrong", reviewer="Ana")
        verdicts.add(*about, seam, "audible", "a\nbreath", "Ana")
    first = comment_on(workspace, reviewed_loop, "Ben", "fine\notherwise", 1.0)
    answer_comment(workspace, reviewed_loop, first.comment_id, "Ana", "agreed")
    markers = review_markers(plan, load_review(workspace, reviewed_loop))
    assert [(marker.kind, marker.text) for marker in markers] == [
        (MarkerKind.COMMENT, "comment: Ben: fine otherwise; Ana: agreed"),
        (MarkerKind.VERDICT, "seam 1: audible (Ana): a breath"),
    ]
    np.testing.assert_allclose([marker.video_s for marker in markers], [1.0, plan.seam_times[0]])
    kinds = [marker.kind for marker in review_markers(faded.plan, load_review(workspace, faded))]
    assert kinds == [MarkerKind.COMMENT]


def test_the_review_of_a_plan_from_a_file_is_found(
    workspace: Workspace, reviewed_loop: Planned, plan: LoopPlan, tmp_path: Path
) -> None:
    track = reviewed_loop.track.path
    empty = Workspace(Home(tmp_path / "empty"))
    assert find_review(empty, plan, track, None, None).threads == ()
    assert not empty.home.database.exists()
    comment = comment_on(workspace, reviewed_loop, "Ana", "hm", 3.0)
    assert [thread.first for thread in find_review(workspace, plan, track, None, None).threads] == [comment]
    video = tmp_path / "video.mp4"
    video.write_bytes(b"pictures")
    assert find_review(workspace, plan, track, video, None).threads == ()
    under = replace(reviewed_loop, video=video, provenance=None)
    other = comment_on(workspace, under, "Ana", "under a video", 3.0)
    assert [thread.first for thread in find_review(workspace, plan, track, video, None).threads] == [other]


def test_comments_and_decisions_become_tables(workspace: Workspace, reviewed_loop: Planned) -> None:
    first = comment_on(workspace, reviewed_loop, "Ana", 'says "no", twice', 3.0, seam=0)
    answer_comment(workspace, reviewed_loop, first.comment_id, "Ben", "why?")
    decide(workspace, reviewed_loop, "Ana", "needs work")
    decide(workspace, reviewed_loop, "Ana", "approved")
    written, decided = io.StringIO(), io.StringIO()
    assert write_comments(workspace, written) == 2
    assert write_decisions(workspace, decided) == 1
    rows = list(csv.DictReader(io.StringIO(written.getvalue())))
    assert [(row["reviewer"], row["text"], row["answers"]) for row in rows] == [
        ("Ana", 'says "no", twice', ""), ("Ben", "why?", first.comment_id)
    ]  # fmt: skip
    assert float(rows[0]["leave"]) == first.leave_s
    (row,) = csv.DictReader(io.StringIO(decided.getvalue()))
    assert (row["decision"], row["reviewer"], row["track"]) == ("approved", "Ana", "corner_store")
