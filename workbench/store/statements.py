"""SQL statements that run often: text that SQLite and PostgreSQL both accept, prepared once.

On SQLite a statement goes straight to the driver, which keeps it prepared. Building and wrapping it in SQLAlchemy costs
ten to twenty times what such a statement costs itself. On PostgreSQL, where the way to the server dominates, it goes
through SQLAlchemy. Either way it runs in the transaction of the connection.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

Value: TypeAlias = str | int | float | bool | None


class Statement:
    """One statement; its parameters are written `:name`.

    Parameters
    ----------
    sql : the text
    postgresql_suffix : what PostgreSQL needs at its end and SQLite does not know, such as `FOR UPDATE`
    """

    def __init__(self, sql: str, postgresql_suffix: str = "") -> None:
        self._sql = sql
        self._text = sa.text(f"{sql} {postgresql_suffix}" if postgresql_suffix else sql)

    def first(self, connection: Connection, **values: Value) -> Sequence[Any] | None:
        """Run it; the first row, which is the only one or one of a statement that ends with `LIMIT 1`.

        Parameters
        ----------
        connection : of a transaction
        values : of the parameters

        Returns
        -------
        None if there is no row

        Raises
        ------
        StoreError : it cannot be run; raised by the `Database` whose transaction it is
        """
        driver = _driver(connection)
        if driver is None:
            return connection.execute(self._text, values).first()
        rows = driver.execute(self._sql, values).fetchall()  # to the end, so that the statement is finished
        return rows[0] if rows else None

    def all(self, connection: Connection, **values: Value) -> Sequence[Sequence[Any]]:
        """Run it; all rows.

        Parameters
        ----------
        connection : of a transaction
        values : of the parameters

        Raises
        ------
        StoreError : it cannot be run; raised by the `Database` whose transaction it is
        """
        driver = _driver(connection)
        if driver is None:
            return connection.execute(self._text, values).all()
        return driver.execute(self._sql, values).fetchall()

    def change(self, connection: Connection, **values: Value) -> int:
        """Run it; the number of rows that it changed.

        Parameters
        ----------
        connection : of a transaction that writes
        values : of the parameters

        Raises
        ------
        StoreError : it cannot be run; raised by the `Database` whose transaction it is
        """
        driver = _driver(connection)
        if driver is None:
            return connection.execute(self._text, values).rowcount
        return driver.execute(self._sql, values).rowcount


def driver_of_sqlite(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection.

    Parameters
    ----------
    connection : to SQLite
    """
    found = connection.connection.dbapi_connection
    assert isinstance(found, sqlite3.Connection)
    return found


def is_locked(error: DBAPIError) -> bool:
    """Whether SQLite refused because another connection is writing.

    Parameters
    ----------
    error : of a statement
    """
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY  # without its extension


def _driver(connection: Connection) -> sqlite3.Connection | None:
    """The driver's own connection to SQLite; None on PostgreSQL."""
    found = connection.connection.dbapi_connection
    return found if isinstance(found, sqlite3.Connection) else None
