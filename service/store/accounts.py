"""Accounts: payment method, spend cap and the grant of previews.

Functions take a connection whose transaction the caller owns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import accounts
from workbench.errors import ParameterError
from workbench.store.database import now

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


_BY_NAME = sa.select(accounts).where(accounts.c.account == sa.bindparam("name"))  # most calls run it


def get(connection: Connection, account: str) -> Account | None:
    """The account of a name; None if there is no such account."""
    row = connection.execute(_BY_NAME, {"name": account}).mappings().first()
    return None if row is None else Account(**row)


def list_all(connection: Connection) -> list[Account]:
    """All accounts, by name."""
    rows = connection.execute(sa.select(accounts).order_by(accounts.c.account)).mappings()
    return [Account(**row) for row in rows]


def validate_name(account: str) -> None:
    """ParameterError unless it is a letter or digit, then at most 127 letters, digits and `. _ @ + -`."""
    if not _NAME.fullmatch(account):
        raise ParameterError(f"an account is named by letters, digits and . _ @ + -, at most 128 of them: {account!r}")


def ensure(connection: Connection, account: str) -> Account:
    """The account of a name; if there is none it is created with a payment method, without credit or cap."""
    validate_name(account)
    values = {"account": account, "payment_method": True, "preview": False, "created_at": now()}
    connection.execute(insert(connection, accounts).values(**values).on_conflict_do_nothing())
    found = get(connection, account)
    assert found is not None
    return found


def lock(connection: Connection, account: str) -> None:
    """Have other transactions that lock an account wait for the end of this one; on SQLite all that write do anyway."""
    if connection.dialect.name == "postgresql":
        own = sa.select(accounts.c.account).where(accounts.c.account == account)
        connection.execute(own.with_for_update(key_share=True))


def update(connection: Connection, account: str, **values: Any) -> Account | None:
    """Set columns of an account, and return it; None if there is no such account."""
    if values:
        connection.execute(accounts.update().where(accounts.c.account == account).values(**values))
    return get(connection, account)
