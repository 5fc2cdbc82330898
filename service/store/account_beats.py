"""Whose bytes were mapped for whom: a beats job says `cached` when its account had the same bytes mapped before."""

from __future__ import annotations

from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import account_beats
from workbench.store.database import now


def note(connection: Connection, account: str, content_hash: str) -> bool:
    """Note that an account has these bytes mapped; False where it had before."""
    row = insert(connection, account_beats).values(account=account, content_hash=content_hash, mapped_at=now())
    done = connection.execute(row.on_conflict_do_nothing().returning(account_beats.c.account))
    return done.first() is not None
