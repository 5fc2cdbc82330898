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

from service.prices import CALL, Prices, current_prices
from service.store import credit_grants
from service.store.pending_rows import pending_rows
from service.store.tables import ledger
from service.store.times import month_of
from service.ulids import new_ulid
from workbench.errors import ParameterError
from workbench.store.database import now
from workbench.store.statements import Statement


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
    """when the billing provider granted it, by its clock; None: it does not say, or somebody else did"""


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


def charge(connection: Connection, charge: Charge, prices: Prices | None = None, at: str | None = None) -> bool:
    """Book a charge.

    Parameters
    ----------
    connection : of a transaction that writes
    charge : its event key is booked once
    prices : None: those of the environment
    at : when, in the database's form; None: now

    Returns
    -------
    False if the event was booked before; nothing is changed then

    Raises
    ------
    ParameterError : the endpoint is not sold by that unit, or the quantity is negative
    """
    amount = (prices or current_prices()).amount(charge.endpoint, charge.unit, charge.quantity)
    at = at or now()
    booked = _BOOK.first(
        connection, entry_id=_entry_id(), event_key=charge.event_key, account=charge.account, event="charge",
        endpoint=charge.endpoint, subject=charge.subject, quantity=charge.quantity, unit=charge.unit,
        amount_micros=amount, at=at,
    )  # fmt: skip
    if booked is None:
        return False
    credit_grants.draw(connection, charge.account, amount, at)
    month, rows = (charge.account, month_of(at)), pending_rows(connection)
    if rows is None:
        _add_to_month(connection, month, amount)
    else:
        rows.set(_add_to_month, month, (rows.get(_add_to_month, month) or 0) + amount)
    return True


def _add_to_month(connection: Connection, month: tuple[str, str], micros: int) -> None:
    _ADD_TO_MONTH.change(connection, account=month[0], month=month[1], micros=micros)


def credit(connection: Connection, credit: Credit, at: str | None = None) -> bool:
    """Book a credit grant, which stands beside those that the account has already.

    Parameters
    ----------
    connection : of a transaction that writes
    credit : its event key is booked once
    at : when, in the database's form; None: now

    Returns
    -------
    False if the event was booked before; nothing is changed then

    Raises
    ------
    ParameterError : the amount is not above 0, or the grant would have expired already
    """
    at = at or now()
    if credit.micros <= 0:
        raise ParameterError(f"a credit grant is more than nothing, got {credit.micros} micro-dollars")
    if credit_grants.has_expired(credit.expires_at, at):
        raise ParameterError(f"a grant that expired at {credit.expires_at} has no effect; give a time to come")
    booked = _BOOK.first(
        connection, entry_id=_entry_id(), event_key=credit.event_key, account=credit.account, event="credit",
        endpoint=credit.endpoint, subject=credit.subject, quantity=1, unit=CALL, amount_micros=credit.micros, at=at,
    )  # fmt: skip
    if booked is None:
        return False
    credit_grants.add(connection, credit.account, credit.micros, credit.expires_at, at, credit.provider_at)
    return True


def entries(connection: Connection, account: str) -> list[LedgerEntry]:
    """All rows of an account, oldest first.

    Parameters
    ----------
    connection : any transaction
    account : name of the account
    """
    query = sa.select(ledger).where(ledger.c.account == account).order_by(ledger.c.at, ledger.c.entry_id)
    return [LedgerEntry(**row._mapping) for row in connection.execute(query)]


def spent_in_month(connection: Connection, account: str, time: str) -> int:
    """Micro-dollars charged in the calendar month, UTC, that a time lies in.

    Parameters
    ----------
    connection : any transaction
    account : name of the account
    time : in the database's form
    """
    month, rows = month_of(time), pending_rows(connection)
    found = _SPENT.first(connection, account=account, month=month)
    pending = 0 if rows is None else rows.get(_add_to_month, (account, month)) or 0
    return pending + (0 if found is None else int(found[0]))


def _entry_id() -> str:
    return f"ent_{new_ulid()}"


# SQL text that both databases accept, built once: every answer that is billed runs these statements.
_SPENT = Statement("SELECT micros FROM month_totals WHERE account = :account AND month = :month")
_BOOK = Statement(
    f"""INSERT INTO ledger ({", ".join(LedgerEntry.__slots__)})
    VALUES ({", ".join(f":{name}" for name in LedgerEntry.__slots__)})
    ON CONFLICT (event_key) DO NOTHING RETURNING entry_id""",
    keeps_memory=True,
)
_ADD_TO_MONTH = Statement(
    """INSERT INTO month_totals (account, month, micros) VALUES (:account, :month, :micros)
    ON CONFLICT (account, month) DO UPDATE SET micros = month_totals.micros + excluded.micros""",
    keeps_memory=True,
)
