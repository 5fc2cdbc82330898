"""Answers: finished results, found by what they depend on (see `service.answers.keys`).

An answer is never changed: when anything it depends on changes, so does its key. Deleting rows costs time, never a
result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import answers
from workbench.store.database import now

_BY_KEY = sa.select(answers.c.body).where(answers.c.answer_key == sa.bindparam("answer_key"))  # put together once


def find(connection: Connection, answer_key: str) -> dict[str, Any] | None:
    """The body that was stored under a key."""
    body = connection.scalar(_BY_KEY, {"answer_key": answer_key})
    return None if body is None else dict(json.loads(body))


def store(connection: Connection, answer_key: str, kind: str, body: Mapping[str, Any]) -> None:
    """Keep a body; one that is there already stays."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    row = insert(connection, answers).values(answer_key=answer_key, kind=kind, body=text, created_at=now())
    connection.execute(row.on_conflict_do_nothing())
