"""When what the billing provider or the operator set of an account was so: of an event, by the provider's clock.

Webhooks come in any order: one that could not be delivered is sent again later, maybe after others that happened since,
or after the operator has decided otherwise.

Constants: `CREDIT_EXPIRED`, `CREDIT_ENDED`, `CREDIT_DECIDED`. Functions: `get`, `advance`, `whole_second`.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import event_times

CREDIT_EXPIRED = "credit_expired"
"""setting of `get` and `advance`: the last event that ended all grants of its time, by the provider's clock"""
CREDIT_ENDED = "credit_ended"
"""setting: when grants were last ended before they were due, by our clock, which their expiry then says"""
CREDIT_DECIDED = "credit_decided"
"""setting: when the operator last said when grants end"""


def get(connection: Connection, account: str, setting: str) -> str | None:
    """The time that `advance` recorded last, in the database's form.

    Parameters
    ----------
    connection : any transaction
    account : its name
    setting : such as `payment_method`

    Returns
    -------
    None if none was recorded
    """
    at = event_times.c
    query = sa.select(at.happened_at).where(at.account == account, at.setting == setting)
    return connection.scalar(query)


def whole_second(at: str) -> str:
    """The beginning of the second that a time lies in; a change of the operator's is dated so.

    Events may give their times in whole seconds: one that happened in the same second is not older.

    Parameters
    ----------
    at : in the database's form
    """
    return datetime.fromisoformat(at).replace(microsecond=0).isoformat(timespec="microseconds")


def advance(connection: Connection, account: str, setting: str, happened_at: str) -> bool:
    """Record the time of an event or of the operator's change, unless a later one was recorded before.

    Parameters
    ----------
    connection : of a transaction that writes
    account : its name
    setting : what the event sets, such as `payment_method`
    happened_at : in the database's form

    Returns
    -------
    False if a later one was recorded before; nothing is changed then
    """
    row = insert(connection, event_times).values(account=account, setting=setting, happened_at=happened_at)
    upserted = row.on_conflict_do_update(
        index_elements=["account", "setting"],
        set_={"happened_at": row.excluded.happened_at},
        where=event_times.c.happened_at <= row.excluded.happened_at,
    )
    return connection.execute(upserted.returning(event_times.c.account)).first() is not None
