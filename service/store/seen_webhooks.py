"""Webhooks that were applied, so that one that is sent twice is applied once."""

from __future__ import annotations

from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import seen_webhooks
from workbench.store.database import now


def add(connection: Connection, webhook_id: str) -> bool:
    """Record a webhook as applied.

    False if it was recorded before. The provider's id is the same when it sends the webhook again.
    """
    row = insert(connection, seen_webhooks).values(webhook_id=webhook_id, received_at=now())
    return connection.execute(row.on_conflict_do_nothing().returning(seen_webhooks.c.webhook_id)).first() is not None
