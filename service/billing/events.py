"""What the billing provider tells us, and what it changes: payment methods, credit grants, spend caps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection

from service.amounts import micros_of
from service.errors import invalid
from service.schemas.events import BillingEvent, EventData
from service.store import accounts, ledger, seen_webhooks
from service.store.ledger import Credit
from workbench.errors import ParameterError
from workbench.store.database import now

PAYMENT_METHOD, CREDIT = "payment-method", "credit"
"""the two routes"""


def known(route: str, kind: object) -> bool:
    """Whether events of a type mean something at a route."""
    return isinstance(kind, str) and kind in _EFFECTS[route]


def heed(connection: Connection, route: str, webhook_id: str, event: BillingEvent) -> bool:
    """Let an event of a known type have its effect; False where it had it before.

    Raises
    ------
    Problem : 422 where an amount is missing, or no account can have that name
    """
    if not seen_webhooks.add(connection, webhook_id):
        return False
    try:
        accounts.ensure(connection, event.data.account)
    except ParameterError as error:
        raise invalid("data.account", str(error)) from None
    _EFFECTS[route][event.type](connection, event.data, webhook_id)
    return True


def _attached(connection: Connection, data: EventData, _: str) -> None:
    accounts.update(connection, data.account, payment_method=True)


def _detached(connection: Connection, data: EventData, _: str) -> None:
    accounts.update(connection, data.account, payment_method=False)


def _granted(connection: Connection, data: EventData, webhook_id: str) -> None:
    expires_at = None if data.expires_at is None else data.expires_at.isoformat(timespec="microseconds")
    endpoint = "POST /v1/webhooks/billing/credit"
    micros = _micros(data)
    if micros == 0:
        raise invalid("data.amount_usd", "a grant is more than nothing", "greater_than")
    ledger.credit(connection, Credit(data.account, micros, f"webhook:{webhook_id}", endpoint, webhook_id, expires_at))


def _expired(connection: Connection, data: EventData, _: str) -> None:
    accounts.update(connection, data.account, credit_expires_at=now())


def _capped(connection: Connection, data: EventData, _: str) -> None:
    accounts.update(connection, data.account, spend_cap_micros=_micros(data))


def _micros(data: EventData) -> int:
    if data.amount_usd is None:
        raise invalid("data.amount_usd", "is needed for this type of event", "missing")
    return micros_of(data.amount_usd)


_EFFECTS: Mapping[str, Mapping[str, Callable[[Connection, EventData, str], None]]] = {
    PAYMENT_METHOD: {"payment_method.attached": _attached, "payment_method.detached": _detached},
    CREDIT: {"credit.granted": _granted, "credit.expired": _expired, "spend_cap.set": _capped},
}
