"""Mapped recordings: which account had the beats of which bytes mapped; for these a beats job answers `cached`."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import mapped_recordings
from workbench.store.database import now


def has_mapped(connection: Connection, account: str, content_hash: str) -> bool:
    """Whether an account had these bytes mapped before; `content_hash` is their SHA-256, in hex."""
    row = (mapped_recordings.c.account == account) & (mapped_recordings.c.content_hash == content_hash)
    return connection.scalar(sa.select(mapped_recordings.c.account).where(row)) is not None


def add(connection: Connection, account: str, content_hash: str) -> None:
    """Record that an account has these bytes mapped.

    It belongs in the transaction that settles the job: a job must not find its own record.
    """
    row = insert(connection, mapped_recordings).values(account=account, content_hash=content_hash, mapped_at=now())
    connection.execute(row.on_conflict_do_nothing())
