"""Notices: webhooks that were heeded, so that one that is sent twice has its effect once."""

from __future__ import annotations

from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import notices
from workbench.store.database import now


def first_time(connection: Connection, webhook_id: str) -> bool:
    """Note a webhook; False where it was noted before."""
    row = insert(connection, notices).values(webhook_id=webhook_id, received_at=now())
    return connection.execute(row.on_conflict_do_nothing().returning(notices.c.webhook_id)).first() is not None
