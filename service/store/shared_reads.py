"""What call after call reads: the key, the video, the track, the answer.

Calls that share a transaction (`service.store.transactions.GroupCommit`) share what they read, too. SQLite lets one
transaction write at a time, and counts the commits of other connections: what was read stays true for the next
transaction if there was none. Calls that share one of PostgreSQL all waited before it began, so what one of them has
read is no older than another call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event

P = ParamSpec("P")
T = TypeVar("T")
_VALUES, _VERSION = "shared_reads", "shared_reads_version"  # execution options
_MOST_VALUES = 256  # an answer may have 100 kB


def share_reads(connection: Connection) -> None:
    """Share the results of functions marked as `shared` between calls in the transaction that begins.

    An insert, update or delete by one of them forgets that. The upserts that are written as text do not: they count
    requests and book charges, in tables that no such function reads. After a rollback the connection is of no more use.
    """
    options = connection.get_execution_options()
    values, version = options.get(_VALUES, {}), None
    if connection.dialect.name == "sqlite":
        version = connection.exec_driver_sql("PRAGMA data_version").scalar_one()
    if version is None or version != options.get(_VERSION) or len(values) > _MOST_VALUES:
        connection.execution_options(**{_VALUES: {}, _VERSION: version})


@event.listens_for(Engine, "before_execute")
def _forget(connection: Connection, statement: sa.Executable, *_: Any) -> None:
    if statement.is_dml:
        values = connection.get_execution_options().get(_VALUES)
        if values is not None:
            values.clear()


def shared(read: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Connection, P], T]:
    """Mark a function that reads: calls that share a transaction run it once for the same arguments.

    All of them get the same value, and must not change it.
    """

    @wraps(read)
    def read_once(connection: Connection, /, *args: P.args, **kwargs: P.kwargs) -> T:
        values = connection.get_execution_options().get(_VALUES)
        if values is None:
            return read(connection, *args, **kwargs)
        sought = (read, args, *kwargs.items())
        if sought not in values:
            values[sought] = read(connection, *args, **kwargs)
        found: T = values[sought]
        return found

    return read_once
