"""Accounts: payment method, spend cap and the grant of previews.

Functions take a connection whose transaction the caller owns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import accounts
from workbench.errors import ParameterError
from workbench.store.database import now
from workbench.store.statements import Lookup, Statement

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}")


@dataclass(frozen=True, slots=True)
class Account:
    """Billing state of one account."""

    account: str
    payment_method: bool
    spend_cap_micros: int | None
    """micro-dollars a calendar month, UTC"""
    preview: bool
    created_at: str


def _account(row: Sequence[Any]) -> Account:
    name, payment_method, spend_cap_micros, preview, created_at = row
    return Account(name, bool(payment_method), spend_cap_micros, bool(preview), created_at)


_BY_NAME = Lookup(
    "SELECT account, payment_method, spend_cap_micros, preview, created_at FROM accounts WHERE account = :key", _account
)

_LOCK = Statement(
    "SELECT account FROM accounts WHERE account = :account",
    postgresql_suffix="FOR NO KEY UPDATE",
    keeps_memory=True,
)


def get(connection: Connection, account: str) -> Account | None:
    """The account of a name.

    Parameters
    ----------
    connection : any transaction
    account : its name

    Returns
    -------
    None if there is no such account
    """
    return _BY_NAME.find(connection, account)


def list_all(connection: Connection) -> list[Account]:
    """All accounts, by name.

    Parameters
    ----------
    connection : any transaction
    """
    return [Account(**row._mapping) for row in connection.execute(sa.select(accounts).order_by(accounts.c.account))]


def validate_name(account: str) -> None:
    """Check that an account can have a name.

    Parameters
    ----------
    account : a letter or digit, then at most 127 letters, digits and `. _ @ + -`

    Raises
    ------
    ParameterError : it cannot
    """
    if not _NAME.fullmatch(account):
        raise ParameterError(f"an account is named by letters, digits and . _ @ + -, at most 128 of them: {account!r}")


def ensure(connection: Connection, account: str) -> Account:
    """The account of a name; if there is none it is created with a payment method, without credit or cap.

    Parameters
    ----------
    connection : of a transaction that writes
    account : its name, as `validate_name` allows it

    Raises
    ------
    ParameterError : an account cannot have this name
    """
    validate_name(account)
    values = {"account": account, "payment_method": True, "preview": False, "created_at": now()}
    connection.execute(insert(connection, accounts).values(**values).on_conflict_do_nothing())
    found = get(connection, account)
    assert found is not None
    return found


def lock(connection: Connection, account: str) -> None:
    """Have other transactions that lock an account wait for the end of this one; on SQLite all that write do anyway.

    Parameters
    ----------
    connection : of a transaction that writes
    account : its name
    """
    if connection.dialect.name == "postgresql":
        _LOCK.first(connection, account=account)


def update(connection: Connection, account: str, **values: Any) -> Account | None:
    """Set columns of an account.

    Parameters
    ----------
    connection : of a transaction that writes
    account : its name
    values : new values by column; without any, nothing is written

    Returns
    -------
    the account as it is now; None if there is no such account
    """
    if values:
        connection.execute(accounts.update().where(accounts.c.account == account).values(**values))
    return get(connection, account)
