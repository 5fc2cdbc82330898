"""Events of the billing provider and their effects on payment methods, credit grants and spend caps.

They come in any order. A payment method or a spend cap is as the event says that happened last, by its timestamp,
unless the operator has changed it since. An expiry concerns the grants of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import Connection

from service.amounts import micros_of
from service.errors import invalid
from service.schemas.events import BillingEvent, EventData
from service.store import accounts, credit_grants, event_times, ledger, seen_webhooks
from service.store.ledger import Credit
from workbench.errors import ParameterError
from workbench.store.database import now

PAYMENT_METHOD, CREDIT = "payment-method", "credit"
"""the two routes"""
_AHEAD = timedelta(minutes=5)
"""what the provider's clock may be ahead of ours, as of its signatures: no event happens later than that"""
_NOTICED = timedelta(days=1)
"""within which the provider says that a grant has expired which was due"""


def is_known(route: str, kind: object) -> bool:
    """Whether events of a type have an effect at a route.

    Parameters
    ----------
    route : `PAYMENT_METHOD` or `CREDIT`
    kind : the event's `type`, not validated yet
    """
    return isinstance(kind, str) and kind in _EFFECTS[route]


def apply(connection: Connection, route: str, webhook_id: str, event: BillingEvent) -> bool:
    """Apply an event of a known type.

    Parameters
    ----------
    connection : of a transaction that writes
    route : `PAYMENT_METHOD` or `CREDIT`
    webhook_id : the provider's id; an event is applied once
    event : of a type for which `is_known` is true

    Returns
    -------
    False if it was applied before

    Raises
    ------
    Problem : 422 if an amount is missing or 0 for a grant, or an account cannot have that name
    """
    if not seen_webhooks.add(connection, webhook_id):
        return False
    try:
        accounts.validate_name(event.data.account)
    except ParameterError as error:
        raise invalid("data.account", str(error)) from None
    _EFFECTS[route][event.type](connection, event, webhook_id)
    return True


def _attach_method(connection: Connection, event: BillingEvent, _: str) -> None:
    _set(connection, event, "payment_method", True)


def _detach_method(connection: Connection, event: BillingEvent, _: str) -> None:
    _set(connection, event, "payment_method", False)


def _grant_credit(connection: Connection, event: BillingEvent, webhook_id: str) -> None:
    data = event.data
    micros, expires_at, at = _micros(data), _text(data.expires_at), now()
    if micros == 0:
        raise invalid("data.amount_usd", "a grant is more than nothing", "greater_than")
    if credit_grants.has_expired(expires_at, at):
        return  # it came too late to be of use: a provider that hears 200 does not send it again
    accounts.ensure(connection, data.account)
    granted_at = _happened_at(event)
    all_expired_at = event_times.get(connection, data.account, event_times.CREDIT_EXPIRED)
    if granted_at is not None and all_expired_at is not None and granted_at < all_expired_at:
        return  # it has expired since, with all grants of that time
    endpoint = "POST /v1/webhooks/billing/credit"
    grant = Credit(data.account, micros, f"webhook:{webhook_id}", endpoint, webhook_id, expires_at, granted_at)
    ledger.credit(connection, grant, at)


def _expire_credit(connection: Connection, event: BillingEvent, _: str) -> None:
    """End grants of the time of an event: those that were to expire by the time that it gives.

    One without a time says either that a grant has expired which was due, or that all are taken back. It is the first
    if one was due within a day before, and then no other grant ends.
    """
    data, at = event.data, now()
    account, due_by, happened_at = data.account, _text(data.expires_at), _happened_at(event) or at
    accounts.ensure(connection, account)
    decided_at = event_times.get(connection, account, event_times.CREDIT_DECIDED)
    if decided_at is not None and happened_at < decided_at:
        return
    if due_by is None:
        if _has_expired_itself(connection, account, happened_at):
            return
        if event.timestamp is not None:
            event_times.advance(connection, account, event_times.CREDIT_EXPIRED, happened_at)
    if credit_grants.set_expiry(connection, account, at, at, due_by=due_by, granted_by=happened_at):
        event_times.advance(connection, account, event_times.CREDIT_ENDED, at)


def _has_expired_itself(connection: Connection, account: str, happened_at: str) -> bool:
    """Whether a grant had expired because it was due, shortly before an event; those that were ended do not count."""
    since = _text(datetime.fromisoformat(happened_at) - _NOTICED) or ""
    ended_at = event_times.get(connection, account, event_times.CREDIT_ENDED) or ""
    return any(
        grant.expires_at is not None and max(since, ended_at) < grant.expires_at <= happened_at
        for grant in credit_grants.get_all(connection, account)
    )


def _set_cap(connection: Connection, event: BillingEvent, _: str) -> None:
    _set(connection, event, "spend_cap_micros", _micros(event.data))


def _set(connection: Connection, event: BillingEvent, setting: str, value: object) -> None:
    """Set a column of the account, unless an event that happened later, or the operator, has set it before."""
    account, happened_at = event.data.account, _happened_at(event)
    accounts.ensure(connection, account)
    if happened_at is None or event_times.advance(connection, account, setting, happened_at):
        accounts.update(connection, account, **{setting: value})


def _happened_at(event: BillingEvent) -> str | None:
    """When an event happened, by the provider's clock; None if it does not say."""
    if event.timestamp is None:
        return None
    return _text(min(event.timestamp, datetime.fromisoformat(now()) + _AHEAD))


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="microseconds")


def _micros(data: EventData) -> int:
    if data.amount_usd is None:
        raise invalid("data.amount_usd", "is needed for this type of event", "missing")
    return micros_of(data.amount_usd)


_EFFECTS: Mapping[str, Mapping[str, Callable[[Connection, BillingEvent, str], None]]] = {
    PAYMENT_METHOD: {"payment_method.attached": _attach_method, "payment_method.detached": _detach_method},
    CREDIT: {"credit.granted": _grant_credit, "credit.expired": _expire_credit, "spend_cap.set": _set_cap},
}
