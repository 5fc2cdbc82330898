"""Rows that call after call reads: the key, the video, the track, the answer.

Calls that share a transaction (`service.store.transactions.GroupCommit`) share what they read, too. While a transaction
of SQLite writes, nobody else does. Those who share one of PostgreSQL all waited before it began, so what one of them
has read is no older than the call of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping, event

_ROWS = "shared_reads"


@contextmanager
def sharing_reads(connection: Connection) -> Iterator[None]:
    """Within this context, calls on a connection share the rows that they read with `read`.

    An insert, update or delete by one of them forgets those rows. The upserts that are written as text do not: they
    count requests and book charges, in tables that are never read with `read`.
    """
    info = connection.info  # which cannot be asked for any more when the connection is lost
    rows = info[_ROWS] = {}

    def forget(_: Connection, statement: sa.Executable, *__: Any) -> None:
        if statement.is_dml:
            rows.clear()

    event.listen(connection, "before_execute", forget)
    try:
        yield
    finally:
        info.pop(_ROWS, None)


def read(connection: Connection, query: sa.Select[Any], **sought: str) -> Sequence[RowMapping]:
    """The rows of a query that was built once, with the values of its parameters; several callers get the same ones."""
    rows: dict[tuple[Any, ...], Sequence[RowMapping]] | None = connection.info.get(_ROWS)
    if rows is None:
        return connection.execute(query, sought).mappings().all()
    asked = (query, *sought.values())
    if asked not in rows:
        rows[asked] = connection.execute(query, sought).mappings().all()
    return rows[asked]
