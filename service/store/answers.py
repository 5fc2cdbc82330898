"""Answers: finished results, found by what they depend on (see `service.cache_keys`).

An answer is never changed: when anything it depends on changes, so does its key. Deleting rows costs time, never a
result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.shared_reads import shared
from service.store.tables import answers
from service.store.times import time_from_now
from workbench.store.database import now

_USE_SECONDS = 86_400.0  # between two records of an answer's use: most calls then write nothing

_BY_KEYS = sa.select(answers.c.answer_key, answers.c.body, answers.c.used_at).where(
    answers.c.answer_key.in_((sa.bindparam("first"), sa.bindparam("second")))
)


@shared
def _rows(connection: Connection, answer_key: str, other_key: str) -> Sequence[Any]:
    return connection.execute(_BY_KEYS, {"first": answer_key, "second": other_key}).all()


def find(connection: Connection, answer_key: str) -> dict[str, Any] | None:
    """The body that was stored under a key; None if there is none. Its use is not recorded."""
    rows = _rows(connection, answer_key, answer_key)
    return dict(json.loads(rows[0].body)) if rows else None


def use(connection: Connection, answer_key: str) -> dict[str, Any] | None:
    """The body that was stored under a key, for a caller; None if there is none. See `use_both`."""
    return use_both(connection, answer_key, answer_key)[0]


def use_both(
    connection: Connection, answer_key: str, other_key: str
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The bodies that were stored under two keys, for a caller, in a transaction that writes.

    Their use is recorded, to the day, and answers in use are kept.
    """
    found: dict[str, dict[str, Any]] = {}
    for key, body, used_at in _rows(connection, answer_key, other_key):
        if used_at < time_from_now(-_USE_SECONDS):
            connection.execute(answers.update().where(answers.c.answer_key == key).values(used_at=now()))
        found[key] = from_json(body)
    return found.get(answer_key), found.get(other_key)


def store(
    connection: Connection, answer_key: str, kind: str, body: Mapping[str, Any], video_hash: str | None = None
) -> None:
    """Store a body; if there is one under the key already, that one stays.

    `answer_key` is one of `service.cache_keys`; `kind` is `loop`, `align`, `match`, `beats` or `mix`; `body` has no NaN
    or infinity. `video_hash` is the SHA-256 of the video that the body is about, in hex; None if of none.
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
