"""Rows that call after call changes, such as the count of a key: those who share a transaction write each of them once.

The calls of one API key that share a transaction (`service.store.transactions`) all count in the same row, and add to
the same month. Each of them reads what those before it have made of the row; only the last value is written, at the end
of the transaction and with it. What one call has changed can be undone, as a savepoint would undo it.

A connection whose transaction is not shared has no pending rows, and every change is a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from sqlalchemy import Connection

_INFO = "pending_rows"

Write: TypeAlias = Callable[[Connection, Any, Any], None]
"""writes a row: called with the connection, what names the row, and its value"""


class PendingRows:
    """The rows of one transaction that wait to be written."""

    __slots__ = ("_rows", "_undo")

    def __init__(self) -> None:
        self._rows: dict[tuple[Write, Any], Any] = {}
        self._undo: list[tuple[tuple[Write, Any], Any]] = []

    def get(self, write: Write, name: Any) -> Any:
        """The value of a row that waits; None if it does not.

        Parameters
        ----------
        write : writes rows of this kind
        name : names the row among them
        """
        return self._rows.get((write, name))

    def set(self, write: Write, name: Any, value: Any) -> None:
        """Change a row, or begin to let it wait.

        Parameters
        ----------
        write, name : as of `get`
        value : not None, and not changed afterwards
        """
        key = (write, name)
        self._undo.append((key, self._rows.get(key)))
        self._rows[key] = value

    def keep(self) -> None:
        """Keep what was changed since the last `keep` or `undo`."""
        self._undo.clear()

    def undo(self) -> None:
        """Undo what was changed since the last `keep` or `undo`."""
        for key, value in reversed(self._undo):
            if value is None:
                del self._rows[key]
            else:
                self._rows[key] = value
        self._undo.clear()

    def write(self, connection: Connection) -> None:
        """Write all of them.

        Parameters
        ----------
        connection : of the transaction
        """
        for (write, name), value in self._rows.items():
            write(connection, name, value)


@contextmanager
def sharing(connection: Connection) -> Iterator[PendingRows]:
    """Give a connection pending rows, inside of this; the caller writes them before it commits.

    Parameters
    ----------
    connection : of a transaction that writes
    """
    info = connection.info  # which cannot be asked for any more when the connection is lost
    rows = info[_INFO] = PendingRows()
    try:
        yield rows
    finally:
        info.pop(_INFO, None)


def pending_rows(connection: Connection) -> PendingRows | None:
    """The rows of a connection that wait to be written; None if its transaction is not shared.

    Parameters
    ----------
    connection : of any transaction
    """
    found: PendingRows | None = connection.info.get(_INFO)
    return found
