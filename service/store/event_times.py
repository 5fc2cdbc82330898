"""When what the billing provider set of an account was so, by the provider's clock.

Webhooks come in any order: one that could not be delivered is sent again later, maybe after others that happened since.
"""

from __future__ import annotations

from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import event_times


def advance(connection: Connection, account: str, setting: str, happened_at: str) -> bool:
    """Record the time of an event, unless one that happened later was recorded before.

    `setting` is what the event sets, such as `payment_method`. False if a later one was recorded before; nothing is
    changed then.
    """
    row = insert(connection, event_times).values(account=account, setting=setting, happened_at=happened_at)
    upserted = row.on_conflict_do_update(
        index_elements=["account", "setting"],
        set_={"happened_at": row.excluded.happened_at},
        where=event_times.c.happened_at <= row.excluded.happened_at,
    )
    return connection.execute(upserted.returning(event_times.c.account)).first() is not None
