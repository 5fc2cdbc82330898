"""Links that show one frozen version of a plan without an account, until they expire or are taken back.

A link is a random token of 128 bits. What it shows, until when, and whether it may be answered is a record in the
database, which is read for each request: once it is deleted, the link opens nothing and answers nothing more.
Comments and decisions that come by a link bear the name that was given there and `BY_LINK`, so no reader can speak for
the people who work on the page.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Select, Table, func, select

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.review.comments import Approval, Comment, Decision, comment_on, decide
from workbench.review.verdicts import MAX_NAME, clean_name
from workbench.review.versions import FrozenPlan, get_version, thaw
from workbench.store.clock import now
from workbench.store.database import approvals, comments, review_links

LONGEST = timedelta(days=90)  # for which a link may be open
BY_LINK = " (by link)"  # after the name of who answers
MOST_ANSWERS = 500  # comments and decisions on a version after which links take no more


@dataclass(frozen=True, slots=True)
class ReviewLink:
    """An open link."""

    token: str  # one part of an address; who has it sees the version
    version_id: str
    may_answer: bool  # whether who has it may comment and decide
    at: str  # ISO 8601, UTC
    expires_at: str


def make_link(workspace: Workspace, version_id: str, lasts: timedelta, *, may_answer: bool = False) -> ReviewLink:
    """Make a link to a version.

    Raises `ParameterError` if it would not last, or for longer than `LONGEST`, and `InputError` for an unknown version.
    """
    if not timedelta(0) < lasts <= LONGEST:
        raise ParameterError(f"a link is open for up to {LONGEST.days} days, got {lasts}")
    link = ReviewLink(secrets.token_hex(16), version_id, may_answer, now(), now(lasts.total_seconds()))
    with workspace.database.write() as connection:
        get_version(connection, version_id)
        connection.execute(review_links.delete().where(review_links.c.expires_at <= link.at))
        connection.execute(review_links.insert().values(asdict(link)))
    return link


def open_link(workspace: Workspace, token: str) -> ReviewLink:
    """The open link of a token; raises `InputError` if there is none."""
    if workspace.existing_database is not None:
        with workspace.database.read() as connection:
            row = connection.execute(_open().where(review_links.c.token == token)).first()
        if row is not None:
            return ReviewLink(*row)
    raise InputError("this link is not open: it has expired, was taken back, or is cut off; ask for a new one")


def open_links(workspace: Workspace, version_ids: Collection[str]) -> list[ReviewLink]:
    """The open links to some versions, newest first."""
    query = _open().where(review_links.c.version_id.in_(version_ids))
    with workspace.database.read() as connection:
        return [ReviewLink(*row) for row in connection.execute(query.order_by(review_links.c.at.desc()))]


def take_back(workspace: Workspace, token: str) -> None:
    """Close a link, if it is open; its answers stay."""
    with workspace.database.write() as connection:
        connection.execute(review_links.delete().where(review_links.c.token == token))


def comment_by_link(
    workspace: Workspace, token: str, name: str, text: str, video_s: float, seam: int | None = None
) -> Comment:
    """Comment on the version of a link, at a time of the video or at a seam, counted from 0.

    Raises `InputError` if the link takes no answers, and `ParameterError` as `comment_on` does.
    """
    return comment_on(workspace, _answered(workspace, token), _marked(name), text, video_s, seam)


def decide_by_link(workspace: Workspace, token: str, name: str, decision: Decision) -> Approval:
    """Decide on the version of a link; raises as `comment_by_link` does."""
    return decide(workspace, _answered(workspace, token), _marked(name), decision)


def _marked(name: str) -> str:
    return f"{clean_name(name, MAX_NAME - len(BY_LINK))}{BY_LINK}"


def _open() -> Select[Any]:
    return select(review_links).where(review_links.c.expires_at > now())


def _answered(workspace: Workspace, token: str) -> FrozenPlan:
    link = open_link(workspace, token)
    if not link.may_answer:
        raise InputError("this link is read only; to comment or to decide, write to the sender")
    with workspace.database.read() as connection:
        if sum(_count(connection, table, link.version_id) for table in (comments, approvals)) >= MOST_ANSWERS:
            raise InputError(f"this version has {MOST_ANSWERS} comments and decisions; write to the sender of the link")
    return thaw(workspace, link.version_id)


def _count(connection: Connection, table: Table, version_id: str) -> int:
    return int(connection.scalar(select(func.count()).select_from(table).where(table.c.version_id == version_id)) or 0)
