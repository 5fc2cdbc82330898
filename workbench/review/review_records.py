"""Frozen versions of plans, what reviewers wrote about them, and whether they approve.

A version is a copy of a plan with its fades and its mix, which nothing changes any more. Comments stand at a time of
the video or at a seam; answers to one form its thread, which is resolved as a whole. A subject is a track under a
video: comments on one version are shown on the next ones of its subject. Functions take a connection whose transaction
the caller owns.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from sqlalchemy import Connection, select
from ulid import ULID

from workbench.errors import InputError, ParameterError
from workbench.store.database import approvals, comments, now, plan_versions

Decision: TypeAlias = Literal["approved", "needs work"]
MAX_NAME = 80
"""characters of a reviewer's name"""
MAX_TEXT = 4000
"""characters of a comment"""
_DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""bidirectional classes of characters that may turn around what follows a name"""


@dataclass(frozen=True, slots=True)
class PlanVersion:
    """A frozen copy of a plan."""

    version_id: str
    subject: str
    """digest of track and video, hex"""
    digest: str
    """of everything audible: plan, fades and mix, hex"""
    content_hash: str
    """SHA-256 of the track's bytes"""
    track: str
    """its name"""
    track_path: str
    video_path: str | None
    body: str
    """JSON as the command line prints a plan, with mix and provenance"""
    at: str
    """ISO 8601, UTC"""


@dataclass(frozen=True, slots=True)
class VersionName:
    """What a version is called by, without the plan, which is long."""

    version_id: str
    digest: str
    content_hash: str
    track: str
    at: str


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


def clean_name(name: str, most: int = MAX_NAME) -> str:
    """The name of a reviewer without blanks at its ends.

    ParameterError: nothing is left, it is longer than `most`, or it has characters that control lines or the
    direction of text.
    """
    found = name.strip()
    if not 1 <= len(found) <= most or any(_controls(letter) for letter in found):
        raise ParameterError(f"a reviewer needs a name of 1 to {most} characters on one line: {found[:most]!r}")
    return found


def _controls(letter: str) -> bool:
    return unicodedata.category(letter) == "Cc" or unicodedata.bidirectional(letter) in _DIRECTIONS


def clean_text(text: str) -> str:
    """The text of a comment without blanks at its ends; line breaks stay.

    ParameterError: nothing is left, it is longer than `MAX_TEXT`, or it holds a NUL.
    """
    found = text.strip()
    if not 1 <= len(found) <= MAX_TEXT or "\0" in found:
        raise ParameterError(f"a comment has 1 to {MAX_TEXT} characters, got {len(found)}")
    return found


def keep_version(
    connection: Connection,
    *,
    subject: str,
    digest: str,
    content_hash: str,
    track: str,
    track_path: str,
    video_path: str | None,
    body: str,
) -> PlanVersion:
    """Save a version, unless the subject has one that sounds the same: then return that one."""
    same = same_version(connection, subject, digest)
    if same is not None:
        return same
    saved = PlanVersion(
        f"pv_{ULID()}", subject, digest, content_hash, track, track_path, video_path, body, now()
    )  # fmt: skip
    connection.execute(plan_versions.insert().values(**{name: getattr(saved, name) for name in PlanVersion.__slots__}))
    return saved


def get_version(connection: Connection, version_id: str) -> PlanVersion:
    """A version by its id; InputError if there is none."""
    row = connection.execute(select(plan_versions).where(plan_versions.c.version_id == version_id)).first()
    if row is None:
        raise InputError(f"there is no version {version_id} of a plan")
    return PlanVersion(*row)


def same_version(connection: Connection, subject: str, digest: str) -> PlanVersion | None:
    """The version of a subject that sounds the same; None where there is none."""
    same = select(plan_versions).where(plan_versions.c.subject == subject, plan_versions.c.digest == digest)
    row = connection.execute(same).first()
    return None if row is None else PlanVersion(*row)


def version_names(
    connection: Connection, subject: str | None = None, content_hash: str | None = None
) -> list[VersionName]:
    """The versions of a subject or of a track by name, oldest first."""
    columns = (plan_versions.c[name] for name in VersionName.__slots__)
    query = select(*columns).order_by(plan_versions.c.version_id)
    if subject is not None:
        query = query.where(plan_versions.c.subject == subject)
    if content_hash is not None:
        query = query.where(plan_versions.c.content_hash == content_hash)
    return [VersionName(*row) for row in connection.execute(query)]


def add_comment(
    connection: Connection,
    version: PlanVersion,
    reviewer: str,
    text: str,
    *,
    video_s: float = 0.0,
    seam: tuple[float, float] | None = None,
    answers: str | None = None,
) -> Comment:
    """Keep a comment at a time of the video, `video_s`; an answer takes its thread's.

    `seam` are the track times that the seam it is about leaves and enters, s; None: it is about none. `answers` is the
    id of a comment of the same subject, or of an answer to it; None: it begins a thread. ParameterError: no name, no
    text, or a time before the first picture. InputError: `answers` is no comment of this subject.
    """
    reviewer, text = clean_name(reviewer), clean_text(text)
    if answers is not None:
        thread = _thread(connection, answers, version.subject)
        answers, video_s = thread.comment_id, thread.video_s
        seam = None if thread.leave_s is None or thread.enter_s is None else (thread.leave_s, thread.enter_s)
    if not 0.0 <= video_s < float("inf"):
        raise ParameterError(f"a comment stands at a time of the video, got {video_s} s")
    leave_s, enter_s = seam or (None, None)
    saved = Comment(
        f"com_{ULID()}", version.version_id, version.subject, answers, reviewer, text, round(video_s, 6), leave_s,
        enter_s, now(), None, None,
    )  # fmt: skip
    connection.execute(comments.insert().values(**{name: getattr(saved, name) for name in Comment.__slots__}))
    return saved


def comments_of(connection: Connection, subject: str | None = None) -> list[Comment]:
    """The comments on all versions of a subject, oldest first."""
    query = select(comments).order_by(comments.c.at, comments.c.comment_id)
    if subject is not None:
        query = query.where(comments.c.subject == subject)
    return [Comment(*row) for row in connection.execute(query)]


def resolve(connection: Connection, comment_id: str, reviewer: str | None) -> Comment:
    """Resolve a thread, named by any comment of it, or open it again (None as reviewer).

    Returns the comment that begins the thread, as it is now; InputError if there is no such comment.
    """
    thread = _thread(connection, comment_id)
    who = None if reviewer is None else clean_name(reviewer)
    connection.execute(
        comments.update()
        .where(comments.c.comment_id == thread.comment_id)
        .values(resolved_by=who, resolved_at=None if who is None else now())
    )
    return _thread(connection, thread.comment_id)


def _thread(connection: Connection, comment_id: str, subject: str | None = None) -> Comment:
    row = connection.execute(select(comments).where(comments.c.comment_id == comment_id)).first()
    if row is None or subject not in (None, row.subject):
        raise InputError(f"there is no comment {comment_id}")
    return Comment(*row) if row.answers is None else _thread(connection, row.answers, subject)


def add_approval(connection: Connection, version_id: str, reviewer: str, decision: Decision) -> Approval:
    """Keep a decision on a version, approved or needs work; earlier ones stay, a reviewer's latest counts.

    ParameterError: no name, or another word. InputError: there is no such version.
    """
    if decision not in get_args(Decision):
        raise ParameterError(f"a decision is one of {', '.join(get_args(Decision))}, not {decision!r}")
    get_version(connection, version_id)
    saved = Approval(f"app_{ULID()}", version_id, clean_name(reviewer), decision, now())
    connection.execute(approvals.insert().values(**{name: getattr(saved, name) for name in Approval.__slots__}))
    return saved


def approvals_of(connection: Connection, version_ids: Collection[str] | None = None) -> list[Approval]:
    """Each reviewer's latest decision on each of some versions, oldest first; None: on all."""
    query = select(approvals).order_by(approvals.c.at, approvals.c.approval_id)
    if version_ids is not None:
        query = query.where(approvals.c.version_id.in_(version_ids))
    found: dict[tuple[str, str], Approval] = {}
    for row in connection.execute(query):
        found.pop((row.version_id, row.reviewer), None)
        found[row.version_id, row.reviewer] = Approval(
            row.approval_id, row.version_id, row.reviewer, cast(Decision, row.decision), row.at
        )
    return list(found.values())
