"""The ledger: charges and credits, each booked once by its event key and never changed.

A charge draws on the account's credit grants while there is something left of them, the rest goes to the payment
method. The grants, and the month's total that is compared with the spend cap, change in the same transaction as the row
is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection
from ulid import ULID

from service.prices import CALL, Prices, current_prices
from service.store import credit_grants
from service.store.tables import ledger, month_totals
from workbench.errors import ParameterError
from workbench.store.database import now


@dataclass(frozen=True, slots=True)
class Charge:
    """What an account owes for one event."""

    account: str
    endpoint: str
    """as `POST /v1/loop`"""
    subject: str
    """id of the job, video or request"""
    event_key: str
    """an event is booked once"""
    quantity: int = 1
    unit: str = CALL
    """`call` or `minute`"""
    key_id: str | None = None
    """of the call that caused it"""


@dataclass(frozen=True, slots=True)
class Credit:
    """A credit grant."""

    account: str
    micros: int
    """micro-dollars, above 0"""
    event_key: str
    endpoint: str
    """through which it was granted"""
    subject: str
    expires_at: str | None = None
    """None: never"""
    provider_at: str | None = None
    """see `credit_grants.CreditGrant`"""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A row of the table."""

    entry_id: str
    event_key: str
    account: str
    event: Literal["charge", "credit"]
    endpoint: str
    subject: str
    quantity: int
    unit: str
    amount_micros: int
    at: str
    key_id: str | None


def charge(
    connection: Connection,
    charge: Charge,
    prices: Prices | None = None,
    at: str | None = None,
    *,
    reserved_at: str | None = None,
    draws: bool = True,
) -> bool:
    """Book a charge.

    False if the event was booked before; nothing is changed then. `prices` None are those of the environment, `at` None
    is now; it counts in the month in which it was reserved, if it was. `draws` is False if the account is known to have
    no credit that a charge could draw on. Raises ParameterError if the endpoint is not sold by that unit or the
    quantity is negative.
    """
    amount = (prices or current_prices()).amount(charge.endpoint, charge.unit, charge.quantity)
    at = at or now()
    if not _book(connection, "charge", charge, amount, at):
        return False
    if draws:
        credit_grants.draw(connection, charge.account, amount, at)
    month = month_of(reserved_at or at)
    connection.execute(_ADD_TO_MONTH, {"account": charge.account, "month": month, "micros": amount})
    return True


def credit(connection: Connection, credit: Credit, at: str | None = None) -> bool:
    """Book a credit grant, which stands beside those that the account has already.

    False if the event was booked before; nothing is changed then. Raises ParameterError if the amount is not above 0,
    or the grant would have expired already.
    """
    at = at or now()
    if credit.micros <= 0:
        raise ParameterError(f"a credit grant is more than nothing, got {credit.micros} micro-dollars")
    if credit_grants.has_expired(credit.expires_at, at):
        raise ParameterError(f"a grant that expired at {credit.expires_at} has no effect; give a time to come")
    if not _book(connection, "credit", credit, credit.micros, at):
        return False
    credit_grants.add(connection, credit.account, credit.micros, credit.expires_at, at, credit.provider_at)
    return True


def entries(connection: Connection, account: str) -> list[LedgerEntry]:
    """All rows of an account, oldest first."""
    query = sa.select(ledger).where(ledger.c.account == account).order_by(ledger.c.at, ledger.c.entry_id)
    return [LedgerEntry(**row) for row in connection.execute(query).mappings()]


def is_booked(connection: Connection, event_key: str) -> bool:
    """Whether an event is in the ledger."""
    return connection.scalar(sa.select(ledger.c.entry_id).where(ledger.c.event_key == event_key)) is not None


def month_of(time: str) -> str:
    """The calendar month, UTC, of a time in the database's form: `2026-11`."""
    return time[:7]


def spent_in_month(connection: Connection, account: str, time: str) -> int:
    """Micro-dollars charged in the calendar month, UTC, of a time."""
    own = (month_totals.c.account == account) & (month_totals.c.month == month_of(time))
    return connection.scalar(sa.select(month_totals.c.micros).where(own)) or 0


def _book(connection: Connection, event: str, booked: Charge | Credit, micros: int, at: str) -> bool:
    """Write a row; False if there is one of that event already."""
    row = {
        "entry_id": f"ent_{ULID()}",
        "event_key": booked.event_key,
        "account": booked.account,
        "event": event,
        "endpoint": booked.endpoint,
        "subject": booked.subject,
        "quantity": booked.quantity if isinstance(booked, Charge) else 1,
        "unit": booked.unit if isinstance(booked, Charge) else CALL,
        "amount_micros": micros,
        "at": at,
        "key_id": booked.key_id if isinstance(booked, Charge) else None,
    }
    return connection.execute(_BOOK, row).rowcount == 1


# Text, because SQLAlchemy has an upsert for each database and none for both; every answer that is billed runs these.
_BOOK = sa.text(
    f"""INSERT INTO ledger ({", ".join(LedgerEntry.__slots__)})
    VALUES ({", ".join(f":{name}" for name in LedgerEntry.__slots__)})
    ON CONFLICT (event_key) DO NOTHING"""
)
_ADD_TO_MONTH = sa.text(
    """INSERT INTO month_totals (account, month, micros) VALUES (:account, :month, :micros)
    ON CONFLICT (account, month) DO UPDATE SET micros = month_totals.micros + excluded.micros"""
)
