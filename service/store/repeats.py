"""Repeats: the true idempotency keys of beats calls. The same key within 24 hours names the same job."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.moments import moment
from service.store.tables import repeats
from workbench.store.database import now

LIFETIME = timedelta(hours=24)
"""how long a key is honoured"""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A key that was used before."""

    fingerprint: str
    """SHA-256 of the request that it came with"""
    job_id: str


def one_at_a_time(connection: Connection, account: str, endpoint: str, key: str) -> None:
    """Let calls with the same key come one after the other until their transactions end; SQLite's writers do anyway."""
    if connection.dialect.name == "postgresql":
        lock = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
        connection.execute(lock, {"name": f"{account} {endpoint} {key}"})


def find(connection: Connection, account: str, endpoint: str, key: str) -> Repeat | None:
    """The use of a key that is still honoured."""
    query = sa.select(repeats.c.fingerprint, repeats.c.job_id).where(*_one(account, endpoint, key), ~_expired())
    row = connection.execute(query).first()
    return None if row is None else Repeat(row.fingerprint, row.job_id)


def remember(connection: Connection, account: str, endpoint: str, key: str, fingerprint: str, job_id: str) -> Repeat:
    """Remember the use of a key; returns the use that counts, which is an earlier one where two came at once."""
    connection.execute(repeats.delete().where(*_one(account, endpoint, key), _expired()))
    row = insert(connection, repeats).values(
        account=account, endpoint=endpoint, key=key, fingerprint=fingerprint, job_id=job_id, created_at=now()
    )
    connection.execute(row.on_conflict_do_nothing())
    found = find(connection, account, endpoint, key)
    assert found is not None
    return found


def forget(connection: Connection) -> None:
    """Forget the keys that are not honoured any more."""
    connection.execute(repeats.delete().where(_expired()))


def _one(account: str, endpoint: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return repeats.c.account == account, repeats.c.endpoint == endpoint, repeats.c.key == key


def _expired() -> sa.ColumnElement[bool]:
    return repeats.c.created_at <= moment(-LIFETIME.total_seconds())
