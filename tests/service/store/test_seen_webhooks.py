"""A webhook is noted once."""

from __future__ import annotations

from service.store import seen_webhooks
from workbench.store.database import Database


def test_a_webhook_is_new_once(database: Database) -> None:
    with database.write() as connection:
        assert [seen_webhooks.add(connection, name) for name in ("w1", "w1", "w2")] == [True, False, True]
