"""Whose bytes were mapped for whom: a beats job says `cached` when its account had the same bytes mapped before."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import account_beats
from workbench.store.database import now


def noted(connection: Connection, account: str, content_hash: str) -> bool:
    """Whether an account had these bytes mapped before."""
    one = (account_beats.c.account == account) & (account_beats.c.content_hash == content_hash)
    return connection.scalar(sa.select(account_beats.c.account).where(one)) is not None


def note(connection: Connection, account: str, content_hash: str) -> None:
    """Note that an account has these bytes mapped; to be called when its job is settled, and not before."""
    row = insert(connection, account_beats).values(account=account, content_hash=content_hash, mapped_at=now())
    connection.execute(row.on_conflict_do_nothing())
