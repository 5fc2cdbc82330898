"""Idempotency keys of beats calls: the same key within 24 hours returns the same job.

The other calls need no table: their key is part of the charge (`charge_key` in `service.answers.answer`), so that a
repeated call is not charged again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import idempotency_keys
from service.store.times import time_from_now
from workbench.store.database import now

LIFETIME = timedelta(hours=24)
"""how long a key is honoured"""


@dataclass(frozen=True, slots=True)
class EarlierCall:
    """The first call with a key."""

    fingerprint: str
    """SHA-256 of its request"""
    job_id: str


def lock(connection: Connection, account: str, endpoint: str, idempotency_key: str) -> None:
    """Make calls with the same key wait for each other until their transactions end; SQLite's writers do anyway.

    Accounts do not share keys, nor do endpoints, such as `POST /v1/beats`.
    """
    if connection.dialect.name == "postgresql":
        statement = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
        connection.execute(statement, {"name": f"{account} {endpoint} {idempotency_key}"})


def find(connection: Connection, account: str, endpoint: str, idempotency_key: str) -> EarlierCall | None:
    """The first call with a key, within the last 24 hours.

    None if the key is new, or its first call is too long ago.
    """
    row = connection.execute(
        sa.select(idempotency_keys.c.fingerprint, idempotency_keys.c.job_id).where(
            *_of_call(account, endpoint, idempotency_key), ~_expired()
        )
    ).first()
    return None if row is None else EarlierCall(row.fingerprint, row.job_id)


def save(
    connection: Connection, account: str, endpoint: str, idempotency_key: str, fingerprint: str, job_id: str
) -> EarlierCall:
    """Save the first call with a key.

    `fingerprint` is the SHA-256 of the request, in hex. Returns the call that the key stands for now: another one if
    two were made at once and that one was first.
    """
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
    found = find(connection, account, endpoint, idempotency_key)
    assert found is not None
    return found


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
    return idempotency_keys.c.created_at <= time_from_now(-LIFETIME.total_seconds())
