"""SQL statements that run often: text that SQLite and PostgreSQL both accept, prepared once.

A statement goes straight to the driver, which keeps it prepared: `sqlite3`, or psycopg on PostgreSQL. Building and
wrapping it in SQLAlchemy costs ten to twenty times what such a statement costs itself on SQLite, and four times on
PostgreSQL, the way to the server included. Another driver of PostgreSQL gets it through SQLAlchemy. However it goes, it
runs in the transaction of the connection.

Most of what a call reads is what the call before it has read: its key, its video, its track. A writer of SQLite that
stays open (`Database.connect_writer`) remembers what a `Lookup` has found. It forgets everything as soon as anybody has
changed the database: SQLite says whether another connection has (`data_version`), and the count of its own changes says
whether this one has. Only statements that write tables of which nothing is remembered (`keeps_memory`) do not count.
While it writes nobody else can, so what is remembered at the begin of a transaction is true to its end.

On PostgreSQL, where others write at the same time, things are remembered within one transaction (`remembering`), for
callers who all waited before it began: what one of them reads is no older than the call of another. What goes through
SQLAlchemy may change anything, so it makes the connection forget.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

Value: TypeAlias = str | int | float | bool | None
T = TypeVar("T")

PSYCOPG = "psycopg"
"""name of the driver that statements go straight to"""
_DEADLOCK = "40P01"
_REFUSALS = {"DataError", "IntegrityError", "ProgrammingError"}
_MEMORY = "memory"
_PARAMETER = re.compile(r"(?<!:):([a-z_]+)\b")
_MOST_REMEMBERED = 256  # things a connection; an answer can have 100 kB


class SqliteConnection(sqlite3.Connection):
    """The driver's connection, with its memory."""

    memory: Memory | None = None
    """None: it remembers nothing"""


class Memory:
    """What lookups on one connection have found, valid in the transaction that writes now."""

    __slots__ = ("changes", "found", "version", "wrote")

    def __init__(self) -> None:
        self.found: dict[tuple[Lookup[Any], str], Any] = {}
        self.wrote = False
        """of PostgreSQL: whether a statement other than a SELECT was run since this was last set to False"""
        self.changes = -1
        """of the connection, as `total_changes` counts them, as long as none of them touches what is remembered"""
        self.version = -1
        """as SQLite's `data_version` counts the changes by other connections"""

    def begin(self, driver: sqlite3.Connection) -> None:
        """Forget what may have changed since the last transaction.

        Parameters
        ----------
        driver : in a transaction that writes, which has just begun
        """
        (version,) = driver.execute("PRAGMA data_version").fetchone()
        if (version, driver.total_changes) != (self.version, self.changes):
            self.found.clear()
            self.version, self.changes = version, driver.total_changes

    def keep(self, found: tuple[Lookup[Any], str], made: object) -> None:
        """Remember something, and forget everything else if that is too much.

        Parameters
        ----------
        found : the lookup and its key
        made : what it has found
        """
        if len(self.found) >= _MOST_REMEMBERED:
            self.found.clear()
        self.found[found] = made


class Statement:
    """One statement; its parameters are written `:name`.

    Parameters
    ----------
    sql : the text
    postgresql_suffix : what PostgreSQL needs at its end and SQLite does not know, such as `FOR UPDATE`
    keeps_memory : whether it writes only tables that no `Lookup` reads
    """

    def __init__(self, sql: str, postgresql_suffix: str = "", *, keeps_memory: bool = False) -> None:
        self._sql = sql
        self._keeps_memory = keeps_memory
        self._writes = not is_select(sql)
        self._only_reads = not self._writes and not postgresql_suffix
        text = f"{sql} {postgresql_suffix}" if postgresql_suffix else sql
        self._text = sa.text(text)
        self._psycopg = _PARAMETER.sub(r"%(\1)s", text.replace("%", "%%"))

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
        rows = self.all(connection, **values)  # to the end, so that the statement is finished
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
        driver = connection.connection.dbapi_connection
        if isinstance(driver, SqliteConnection):
            before = driver.total_changes
            rows = driver.execute(self._sql, values).fetchall()
            if self._keeps_memory:
                _keep_memory(driver, before)
            return rows
        if connection.dialect.driver == PSYCOPG:
            if not self._only_reads:
                note_change(connection, writes=self._writes, keeps_memory=self._keeps_memory)
            return driver.execute(self._psycopg, values).fetchall()  # type: ignore[union-attr, no-any-return]
        return connection.execute(self._text, values).all()

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
        driver = connection.connection.dbapi_connection
        if isinstance(driver, SqliteConnection):
            before = driver.total_changes
            changed = driver.execute(self._sql, values).rowcount
            if self._keeps_memory:
                _keep_memory(driver, before)
            return changed
        if connection.dialect.driver == PSYCOPG:
            note_change(connection, writes=self._writes, keeps_memory=self._keeps_memory)
            return driver.execute(self._psycopg, values).rowcount  # type: ignore[union-attr, no-any-return]
        return connection.execute(self._text, values).rowcount


class Lookup(Generic[T]):
    """One row found by one text, and what is made of it; remembered by a connection that remembers.

    Parameters
    ----------
    sql : a SELECT of one row at most; its one parameter is written `:key`
    make : what is made of a row; it is given to several callers, who must not change it
    """

    def __init__(self, sql: str, make: Callable[[Sequence[Any]], T]) -> None:
        self._statement = Statement(sql)
        self._make = make

    def find(self, connection: Connection, key: str) -> T | None:
        """What is made of the row.

        Parameters
        ----------
        connection : of a transaction
        key : the parameter

        Returns
        -------
        None if there is no row

        Raises
        ------
        StoreError : it cannot be run; raised by the `Database` whose transaction it is
        """
        driver = connection.connection.dbapi_connection
        if isinstance(driver, SqliteConnection):
            memory = driver.memory if driver.memory and driver.memory.changes == driver.total_changes else None
        else:
            memory = connection.info.get(_MEMORY)
        if memory is None:
            row = self._statement.first(connection, key=key)
            return None if row is None else self._make(row)
        made: T | None = memory.found.get((self, key))
        if made is None:
            row = self._statement.first(connection, key=key)
            if row is not None:
                made = self._make(row)
                memory.keep((self, key), made)
        return made


def _keep_memory(driver: SqliteConnection, before: int) -> None:
    """Note that what a connection changed since `before` touches nothing that it remembers."""
    memory = driver.memory
    if memory is not None and memory.changes == before:
        memory.changes = driver.total_changes


@contextmanager
def remembering(connection: Connection) -> Iterator[Memory]:
    """Let a connection to PostgreSQL remember what it looks up, inside of this.

    Parameters
    ----------
    connection : of a transaction that writes; all that it does inside of this was wanted before the transaction began
    """
    info = connection.info  # which cannot be asked for any more when the connection is lost
    memory = info[_MEMORY] = Memory()
    try:
        yield memory
    finally:
        if info.get(_MEMORY) is memory:  # a connection that was lost may belong to another thread by now
            del info[_MEMORY]


def note_change(connection: Connection, *, writes: bool = True, keeps_memory: bool = False) -> None:
    """Let a connection to PostgreSQL forget what it remembers, since it may have changed.

    Parameters
    ----------
    connection : of a transaction
    writes : False: what was run only reads, and locks
    keeps_memory : whether only tables are written that no `Lookup` reads
    """
    memory = connection.info.get(_MEMORY)
    if memory is not None:
        memory.wrote |= writes
        if not keeps_memory:
            memory.found.clear()


def is_select(sql: str) -> bool:
    """Whether a statement is a SELECT.

    Parameters
    ----------
    sql : its text
    """
    return sql.lstrip()[:6].upper() == "SELECT"


def driver_of_sqlite(connection: Connection) -> SqliteConnection:
    """The driver's own connection.

    Parameters
    ----------
    connection : to SQLite
    """
    found = connection.connection.dbapi_connection
    assert isinstance(found, SqliteConnection)
    return found


def is_deadlocked(error: BaseException | None) -> bool:
    """Whether PostgreSQL gave up a statement because two transactions wait for each other; none of it was done.

    Parameters
    ----------
    error : that a writer's function raised, or None
    """
    while error is not None:
        found = error.orig if isinstance(error, DBAPIError) else error
        if getattr(found, "sqlstate", None) == _DEADLOCK:
            return True
        error = error.__cause__
    return False


def is_refused(error: BaseException | None) -> bool:
    """Whether a database refused the values of a statement, which it would refuse again.

    Parameters
    ----------
    error : of a statement, through SQLAlchemy or straight from a driver; both have the classes of PEP 249
    """
    found = error.orig if isinstance(error, DBAPIError) else error
    return bool(_REFUSALS & {one.__name__ for one in type(found).__mro__})


def is_locked(error: sqlite3.Error) -> bool:
    """Whether SQLite refused because another connection is writing.

    Parameters
    ----------
    error : of the driver
    """
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY  # without its extension
