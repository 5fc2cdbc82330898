"""Events of the billing provider and their effects on payment methods, credit grants and spend caps.

They come in any order. A payment method or a spend cap is as the event says that happened last, by its timestamp. An
expiry does not end what the provider granted later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

import structlog
from sqlalchemy import Connection

from service.errors import invalid
from service.prices import micros_of
from service.schemas.events import BillingEvent, EventData
from service.store import accounts, credit_grants, ledger
from service.store.inserts import insert
from service.store.ledger import Credit
from service.store.tables import event_times, seen_webhooks
from workbench.errors import ParameterError
from workbench.store.database import now

log = structlog.get_logger("service")

PAYMENT_METHOD, CREDIT = "payment-method", "credit"
"""the two routes"""


def is_known(route: str, kind: object) -> bool:
    """Whether events of a type, which is not validated yet, have an effect at a route."""
    return isinstance(kind, str) and kind in _EFFECTS[route]


def apply(connection: Connection, route: str, webhook_id: str, event: BillingEvent) -> bool:
    """Apply an event of a known type; False if the event of this `webhook_id` was applied before."""
    if not _is_new(connection, webhook_id):
        return False
    try:
        accounts.validate_name(event.data.account)
    except ParameterError as error:
        raise invalid("data.account", str(error)) from None
    _EFFECTS[route][event.type](connection, event, webhook_id)
    return True


def _ensure(connection: Connection, account: str) -> None:
    """Make the account of an event if there is none; this is logged, for the name may be misspelt."""
    if accounts.get(connection, account) is None:
        accounts.ensure(connection, account)
        log.warning("account made for an event", account=account)


def _grant_credit(connection: Connection, event: BillingEvent, webhook_id: str) -> None:
    data = event.data
    micros, expires_at, at = _micros(data), _text(data.expires_at), now()
    if micros == 0:
        raise invalid("data.amount_usd", "a grant is more than nothing", "greater_than")
    if credit_grants.has_expired(expires_at, at):
        return  # it came too late to be of use: after a 200 the provider does not send it again
    _ensure(connection, data.account)
    endpoint, granted_at = "POST /v1/webhooks/billing/credit", _text(event.timestamp)
    grant = Credit(data.account, micros, f"webhook:{webhook_id}", endpoint, webhook_id, expires_at, granted_at)
    ledger.credit(connection, grant, at)


def _expire_credit(connection: Connection, event: BillingEvent, _: str) -> None:
    """End the grants that expire by the given time; without one, those that were made before the event."""
    account, due_by, at = event.data.account, _text(event.data.expires_at), now()
    _ensure(connection, account)
    granted_by = _text(event.timestamp) if due_by is None else None
    credit_grants.set_expiry(connection, account, at, at, due_by, granted_by)


def _set(connection: Connection, event: BillingEvent, setting: str, value: object) -> None:
    """Set a column of the account, unless an event that happened later has set it before."""
    account, happened_at = event.data.account, _text(event.timestamp)
    _ensure(connection, account)
    if happened_at is None or _advance(connection, account, setting, happened_at):
        accounts.update(connection, account, **{setting: value})


def _is_new(connection: Connection, webhook_id: str) -> bool:
    """Record a webhook as applied, unless it was before: its id is the same when the provider sends it again."""
    row = insert(connection, seen_webhooks).values(webhook_id=webhook_id, received_at=now())
    return connection.execute(row.on_conflict_do_nothing().returning(seen_webhooks.c.webhook_id)).first() is not None


def _advance(connection: Connection, account: str, setting: str, happened_at: str) -> bool:
    """Record the time of an event; False if one of the same `setting` that happened later was recorded before."""
    row = insert(connection, event_times).values(account=account, setting=setting, happened_at=happened_at)
    upserted = row.on_conflict_do_update(
        index_elements=["account", "setting"],
        set_={"happened_at": row.excluded.happened_at},
        where=event_times.c.happened_at <= row.excluded.happened_at,
    )
    return connection.execute(upserted.returning(event_times.c.account)).first() is not None


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="microseconds")


def _micros(data: EventData) -> int:
    if data.amount_usd is None:
        raise invalid("data.amount_usd", "is needed for this type of event", "missing")
    return micros_of(data.amount_usd)


_EFFECTS: Mapping[str, Mapping[str, Callable[[Connection, BillingEvent, str], None]]] = {
    PAYMENT_METHOD: {
        "payment_method.attached": lambda connection, event, _: _set(connection, event, "payment_method", True),
        "payment_method.detached": lambda connection, event, _: _set(connection, event, "payment_method", False),
    },
    CREDIT: {
        "credit.granted": _grant_credit,
        "credit.expired": _expire_credit,
        "spend_cap.set": lambda connection, event, _: _set(connection, event, "spend_cap_micros", _micros(event.data)),
    },
}
