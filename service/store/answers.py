"""Answers: finished results, found by what they depend on (see `service.cache_keys`).

An answer is never changed: when anything it depends on changes, so does its key. Deleting rows costs time, never a
result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.shared_reads import shared
from service.store.tables import answers
from workbench.store.database import now

_USE_SECONDS = 86_400.0  # s after which an answer's use is recorded again: most calls write nothing
_BY_KEY = sa.select(answers.c.body, answers.c.used_at).where(answers.c.answer_key == sa.bindparam("sought"))


@shared
def _row(connection: Connection, answer_key: str) -> sa.Row[Any, Any] | None:
    return connection.execute(_BY_KEY, {"sought": answer_key}).first()


def use(connection: Connection, answer_key: str) -> dict[str, Any] | None:
    """The body that was stored under a key, None if there is none; in a transaction that writes.

    Its use is recorded, to the day: the sweep leaves answers in use.
    """
    row = _row(connection, answer_key)
    if row is None:
        return None
    if row.used_at < now(-_USE_SECONDS):
        connection.execute(answers.update().where(answers.c.answer_key == answer_key).values(used_at=now()))
    body: dict[str, Any] = from_json(row.body)
    return body


def store(
    connection: Connection, answer_key: str, kind: str, body: Mapping[str, Any], video_hash: str | None = None
) -> None:
    """Store a body under one of `service.cache_keys`; if there is one already, that one stays.

    `video_hash` is the SHA-256 of the video that the body is about, in hex; None if of none.
    """
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    row = insert(connection, answers).values(
        answer_key=answer_key, kind=kind, body=text, created_at=now(), used_at=now(), video_hash=video_hash
    )
    connection.execute(row.on_conflict_do_nothing())


def delete_of_video(connection: Connection, video_hash: str) -> int:
    """Delete the answers about a video; returns how many were deleted."""
    return connection.execute(answers.delete().where(answers.c.video_hash == video_hash)).rowcount


def delete_unused(connection: Connection, unused_since: str, most: int) -> int:
    """Delete answers that have not been used for long, the oldest use first; returns how many were deleted."""
    stale = sa.select(answers.c.answer_key).where(answers.c.used_at < unused_since).order_by(answers.c.used_at)
    return connection.execute(answers.delete().where(answers.c.answer_key.in_(stale.limit(most)))).rowcount
