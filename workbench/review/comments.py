"""Reviews of a plan: comments with their answers, decisions, verdicts; and how they leave, as markers and tables.

Comments belong to a track under a video and are shown on every version of its plan; one that is about a seam is shown
where that splice is played in the plan that is looked at. A decision, approved or needs work, belongs to one version:
reviewers have not judged a plan that sounds different.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, TextIO, TypeAlias, get_args

from sqlalchemy import Connection, select
from ulid import ULID

from workbench.analysis.provenance import Provenance
from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.export.timeline import Marker, MarkerKind
from workbench.files import write_rows
from workbench.plans.plan import LoopPlan
from workbench.review.verdicts import Verdict, clean_name, every, latest
from workbench.review.versions import (
    FrozenPlan,
    PlanVersion,
    VersionName,
    find_version,
    freeze_plan,
    loop_subject,
    subject_of,
    version_names,
)
from workbench.store.database import approvals, comments, now
from workbench.workflows.plan import Planned

Decision: TypeAlias = Literal["approved", "needs work"]
MAX_TEXT = 4000
"""characters of a comment"""


@dataclass(frozen=True, slots=True)
class Comment:
    """What a reviewer wrote at a time of the video, or in answer to that."""

    comment_id: str
    version_id: str
    subject: str
    answers: str | None
    """id of the comment that begins the thread; None: this one does"""
    reviewer: str
    text: str
    video_s: float
    """s from the first picture; an answer has that of its thread"""
    leave_s: float | None
    """track time that the seam it is about leaves, s; None: it is about no seam"""
    enter_s: float | None
    at: str
    resolved_by: str | None
    """None: the thread is open; an answer has none of its own"""
    resolved_at: str | None


@dataclass(frozen=True, slots=True)
class Approval:
    """A reviewer's decision on a version."""

    approval_id: str
    version_id: str
    reviewer: str
    decision: Decision
    at: str


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment and its answers."""

    first: Comment
    answers: tuple[Comment, ...]
    version: int  # number of the version on which it was begun

    @property
    def resolved(self) -> bool:
        """Whether it is resolved."""
        return self.first.resolved_by is not None


@dataclass(frozen=True, slots=True)
class PlanReview:
    """What reviewers said about a track under a video, and about one version of its plan."""

    versions: tuple[VersionName, ...]  # of the subject, oldest first
    version: PlanVersion | None  # the one that sounds like the plan that is looked at; None: it was not frozen
    threads: tuple[Thread, ...]  # by the time of the video
    approvals: tuple[Approval, ...]  # each reviewer's decision on every version
    verdicts: tuple[Verdict, ...]  # each reviewer's newest about every seam of the track

    def decisions(self, version_id: str) -> list[Approval]:
        """Each reviewer's decision on one version."""
        return [one for one in self.approvals if one.version_id == version_id]

    def number(self, version_id: str) -> int:
        """Number of a version, from 1."""
        return 1 + [version.version_id for version in self.versions].index(version_id)


def load_review(workspace: Workspace, loop: Planned) -> PlanReview:
    """What reviewers said about a loop; raises `ParameterError` if it is a refusal."""
    assert loop.analysis is not None, "a plan comes from an analysis"
    version = find_version(workspace, loop)
    return review_of(workspace, loop_subject(workspace, loop), loop.analysis.content_hash, version)


def find_review(
    workspace: Workspace, plan: LoopPlan, track: Path, video: Path | None, provenance: Provenance | None
) -> PlanReview:
    """Reviewers' comments and verdicts about a plan that was read from a file, without decisions; may be empty.

    Without a `video` it is the one that the provenance names, or the length of the plan.
    """
    if workspace.existing_database is None:
        return PlanReview((), None, (), (), ())
    content_hash = workspace.hash_file(track)
    with workspace.database.read() as connection:
        commented = bool(version_names(connection, content_hash=content_hash))
    if not commented:  # reading a long video for its hash is saved
        return review_of(workspace, "", content_hash, None)
    named = None if provenance is None or provenance.video is None else provenance.video.content_hash
    video_hash = named if video is None else workspace.hash_file(video)
    return review_of(workspace, subject_of(content_hash, video_hash, plan.window_end), content_hash, None)


def review_of(workspace: Workspace, subject: str, content_hash: str, version: PlanVersion | None) -> PlanReview:
    """What reviewers said about a subject of `workbench.review.versions`; `version`, if any, is looked at."""
    with workspace.database.read() as connection:
        versions, written = version_names(connection, subject), _comments_of(connection, subject)
        decided = _approvals_of(connection, [one.version_id for one in versions])
        verdicts = latest(every(connection, content_hash))
    numbers = {one.version_id: number for number, one in enumerate(versions, start=1)}
    threads = [
        Thread(first, tuple(one for one in written if one.answers == first.comment_id), numbers[first.version_id])
        for first in written
        if first.answers is None
    ]
    threads.sort(key=lambda thread: (thread.first.video_s, thread.first.at))
    return PlanReview(tuple(versions), version, tuple(threads), tuple(decided), tuple(verdicts))


def _comments_of(connection: Connection, subject: str | None = None) -> list[Comment]:
    """The comments on all versions of a subject, oldest first."""
    query = select(comments).order_by(comments.c.at, comments.c.comment_id)
    if subject is not None:
        query = query.where(comments.c.subject == subject)
    return [Comment(*row) for row in connection.execute(query)]


def _approvals_of(connection: Connection, version_ids: Collection[str] | None = None) -> list[Approval]:
    """Each reviewer's latest decision on each of some versions, oldest first; None: on all."""
    query = select(approvals).order_by(approvals.c.at, approvals.c.approval_id)
    if version_ids is not None:
        query = query.where(approvals.c.version_id.in_(version_ids))
    found: dict[tuple[str, str], Approval] = {}
    for row in connection.execute(query):
        found.pop((row.version_id, row.reviewer), None)
        found[row.version_id, row.reviewer] = Approval(*row)
    return list(found.values())


def comment_on(
    workspace: Workspace, loop: Planned | FrozenPlan, reviewer: str, text: str, video_s: float, seam: int | None = None
) -> Comment:
    """Save a comment on a version, or on a plan, which is frozen for it.

    `seam` counts from 0; a comment on a seam gets the seam's time. Raises `ParameterError` if there is no plan, no such
    seam, no name or no text, or for a time before the first picture.
    """
    version, plan, leave_s, enter_s = _version(workspace, loop), loop.plan, None, None
    if seam is not None:
        if not 0 <= seam < len(plan.seam_times):
            raise ParameterError(f"there is no seam {seam + 1} in this plan; it has {len(plan.seam_times)}")
        video_s, leave_s, enter_s = (
            plan.seam_times[seam],
            plan.segments[seam].song_to,
            plan.segments[seam + 1].song_from,
        )
    if not 0.0 <= video_s < float("inf"):
        raise ParameterError(f"a comment stands at a time of the video, got {video_s} s")
    with workspace.database.write() as connection:
        return _add_comment(connection, version, reviewer, text, (video_s, leave_s, enter_s))


def answer_comment(
    workspace: Workspace, loop: Planned | FrozenPlan, comment_id: str, reviewer: str, text: str
) -> Comment:
    """Save an answer to a comment on this track under this video, or to another answer; its place is the thread's.

    Raises `InputError` if there is no such comment, and `ParameterError` without a name or text.
    """
    version = _version(workspace, loop)
    with workspace.database.write() as connection:
        first = _thread(connection, comment_id, version.subject)
        place = (first.video_s, first.leave_s, first.enter_s)
        return _add_comment(connection, version, reviewer, text, place, first.comment_id)


def resolve_thread(workspace: Workspace, comment_id: str, reviewer: str | None) -> Comment:
    """Resolve the thread of a comment, or open it again if `reviewer` is None; returns the comment that begins it.

    Raises `InputError` if there is no such comment, and `ParameterError` for a reviewer without a name.
    """
    who = None if reviewer is None else clean_name(reviewer)
    with workspace.database.write() as connection:
        first = _thread(connection, comment_id)
        done = replace(first, resolved_by=who, resolved_at=None if who is None else now())
        own = comments.update().where(comments.c.comment_id == first.comment_id)
        connection.execute(own.values(resolved_by=done.resolved_by, resolved_at=done.resolved_at))
    return done


def decide(workspace: Workspace, loop: Planned | FrozenPlan, reviewer: str, decision: Decision) -> Approval:
    """Save a reviewer's decision on a version, or on a plan, which is frozen for it; a reviewer's latest counts.

    Raises `ParameterError` if there is no plan, no name, or no such decision.
    """
    version = _version(workspace, loop)
    if decision not in get_args(Decision):
        raise ParameterError(f"a decision is one of {', '.join(get_args(Decision))}, not {decision!r}")
    saved = Approval(f"app_{ULID()}", version.version_id, clean_name(reviewer), decision, now())
    with workspace.database.write() as connection:
        connection.execute(approvals.insert().values(asdict(saved)))
    return saved


def _version(workspace: Workspace, loop: Planned | FrozenPlan) -> PlanVersion:
    return loop.version if isinstance(loop, FrozenPlan) else freeze_plan(workspace, loop)


def _add_comment(
    connection: Connection,
    version: PlanVersion,
    reviewer: str,
    text: str,
    place: tuple[float, float | None, float | None],
    answers: str | None = None,
) -> Comment:
    """Save a comment on a video time and, of a seam, the track times left and entered; line breaks of its text stay."""
    reviewer, text = clean_name(reviewer), text.strip()
    if not 1 <= len(text) <= MAX_TEXT or "\0" in text:
        raise ParameterError(f"a comment has 1 to {MAX_TEXT} characters, got {len(text)}")
    saved = Comment(
        comment_id=f"com_{ULID()}",
        version_id=version.version_id,
        subject=version.subject,
        answers=answers,
        reviewer=reviewer,
        text=text,
        video_s=round(place[0], 6),
        leave_s=place[1],
        enter_s=place[2],
        at=now(),
        resolved_by=None,
        resolved_at=None,
    )
    connection.execute(comments.insert().values(asdict(saved)))
    return saved


def _thread(connection: Connection, comment_id: str, subject: str | None = None) -> Comment:
    row = connection.execute(select(comments).where(comments.c.comment_id == comment_id)).first()
    if row is None or subject not in (None, row.subject):
        raise InputError(f"there is no comment {comment_id}")
    return Comment(*row) if row.answers is None else _thread(connection, row.answers, subject)


def seam_of(plan: LoopPlan, comment: Comment) -> int | None:
    """The seam of a plan, from 0, that a comment is about: the same splice, nearest to where the comment was made.

    None if it is about no seam, or about one that this plan does not have.
    """
    if comment.leave_s is None or comment.enter_s is None:
        return None
    about = round(1000 * comment.leave_s), round(1000 * comment.enter_s)
    same = [seam for seam, place in enumerate(_places(plan)) if place == about]
    return min(same, key=lambda seam: abs(plan.seam_times[seam] - comment.video_s), default=None)


def review_markers(plan: LoopPlan, review: PlanReview) -> list[Marker]:
    """Markers of the comments and of the verdicts about the seams as this plan plays them, by video time.

    A comment whose seam the plan does not have stands at the time at which it was made.
    """
    markers = []
    for thread in review.threads:
        seam = seam_of(plan, thread.first)
        at = thread.first.video_s if seam is None else plan.seam_times[seam]
        said = "; ".join(f"{one.reviewer}: {_line(one.text)}" for one in (thread.first, *thread.answers))
        markers.append(Marker(at, f"comment{' (resolved)' if thread.resolved else ''}: {said}", MarkerKind.COMMENT))
    keys = [
        (*place, round(1000 * fade), round(100 * exponent))
        for place, fade, exponent in zip(_places(plan), plan.seam_fades, plan.seam_curves, strict=True)
    ]
    for verdict in review.verdicts:
        for seam, key in enumerate(keys):
            if verdict.seam_key == key:
                who = f" ({verdict.reviewer})" if verdict.reviewer else ""
                note = f": {_line(verdict.note)}" if verdict.note else ""
                text = f"seam {seam + 1}: {verdict.verdict}{who}{note}"
                markers.append(Marker(plan.seam_times[seam], text, MarkerKind.VERDICT))
    return sorted(markers, key=lambda marker: marker.video_s)


def _places(plan: LoopPlan) -> list[tuple[int, int]]:
    """Where each seam leaves and enters the track, ms."""
    ends = zip(plan.segments[:-1], plan.segments[1:], strict=True)
    return [(round(1000 * left.song_to), round(1000 * entered.song_from)) for left, entered in ends]


def _line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


COMMENT_COLUMNS = (
    "comment_id", "answers", "at", "reviewer", "text", "video_s", "leave", "enter", "resolved_by", "resolved_at",
    "version_id", "digest", "track", "content_hash",
)  # fmt: skip
DECISION_COLUMNS = ("approval_id", "at", "reviewer", "decision", "version_id", "digest", "track", "content_hash")


def write_comments(workspace: Workspace, out: TextIO) -> int:
    """Write all comments of a home folder as CSV, oldest first; returns the rows below the head."""
    with workspace.database.read() as connection:
        versions, rows = _by_id(version_names(connection)), _comments_of(connection)
    return write_rows(
        out,
        COMMENT_COLUMNS,
        (
            (one.comment_id, one.answers, one.at, one.reviewer, one.text, one.video_s, one.leave_s, one.enter_s,
             one.resolved_by, one.resolved_at, *_of_version(versions[one.version_id]))
            for one in rows
        ),
    )  # fmt: skip


def write_decisions(workspace: Workspace, out: TextIO) -> int:
    """Write each reviewer's decision on every version as CSV, oldest first; returns the rows below the head."""
    with workspace.database.read() as connection:
        versions, rows = _by_id(version_names(connection)), _approvals_of(connection)
    return write_rows(
        out,
        DECISION_COLUMNS,
        ((one.approval_id, one.at, one.reviewer, one.decision, *_of_version(versions[one.version_id])) for one in rows),
    )


def _by_id(versions: Iterable[VersionName]) -> dict[str, VersionName]:
    return {version.version_id: version for version in versions}


def _of_version(version: VersionName) -> tuple[str, str, str, str]:
    return version.version_id, version.digest, version.track, version.content_hash
