"""Idempotency keys of beats calls: the same key within 24 hours returns the same job.

The other calls need no table: their key is part of the charge (`charge_key` in `service.answers.answer`), so that a
repeated call is not charged again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import idempotency_keys
from workbench.store.database import now

LIFETIME = timedelta(hours=24)
"""how long a key is honoured"""


class EarlierCall(NamedTuple):
    """The first call with a key."""

    fingerprint: str
    """SHA-256 of its request"""
    job_id: str


def lock(connection: Connection, account: str, endpoint: str, idempotency_key: str) -> None:
    """Make calls with the same key wait for each other until their transactions end; SQLite's writers do anyway."""
    if connection.dialect.name == "postgresql":
        statement = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
        connection.execute(statement, {"name": f"{account} {endpoint} {idempotency_key}"})


def find(connection: Connection, account: str, endpoint: str, idempotency_key: str) -> EarlierCall | None:
    """The first call with a key, if it was within the last 24 hours."""
    query = sa.select(idempotency_keys.c.fingerprint, idempotency_keys.c.job_id)
    row = connection.execute(query.where(*_of_call(account, endpoint, idempotency_key), ~_expired())).first()
    return None if row is None else EarlierCall(*row)


def save(
    connection: Connection, account: str, endpoint: str, idempotency_key: str, fingerprint: str, job_id: str
) -> None:
    """Save the first call with a key; the caller has found none, under `lock`."""
    connection.execute(idempotency_keys.delete().where(*_of_call(account, endpoint, idempotency_key), _expired()))
    row = insert(connection, idempotency_keys).values(
        account=account,
        endpoint=endpoint,
        idempotency_key=idempotency_key,
        fingerprint=fingerprint,
        job_id=job_id,
        created_at=now(),
    )
    connection.execute(row.on_conflict_do_nothing())


def delete_expired(connection: Connection) -> None:
    """Delete the keys that are older than `LIFETIME`."""
    connection.execute(idempotency_keys.delete().where(_expired()))


def _of_call(account: str, endpoint: str, idempotency_key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        idempotency_keys.c.account == account,
        idempotency_keys.c.endpoint == endpoint,
        idempotency_keys.c.idempotency_key == idempotency_key,
    )


def _expired() -> sa.ColumnElement[bool]:
    return idempotency_keys.c.created_at <= now(-LIFETIME.total_seconds())
