"""Notices between machines that there is work, on PostgreSQL: NOTIFY in the transaction, LISTEN in workers.

A notice arrives when its transaction has been committed. Nothing depends on it: workers also read the job table at
intervals, so a lost notice delays a job but loses none. With SQLite, which serves one machine, there are none; there
`service.processes.wakeup` wakes the workers.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from workbench.store.database import patience_with

CHANNEL = "workbench_jobs"
_NOTIFY = sa.text(f"NOTIFY {CHANNEL}")


def send(connection: Connection) -> None:
    """Tell workers of all machines that there may be work, once the transaction is committed."""
    if connection.dialect.name == "postgresql":
        connection.execute(_NOTIFY)


class Listener:
    """A connection on which notices arrive; one that was lost is opened again by `connect`."""

    def __init__(self, url: str) -> None:
        self._url = sa.make_url(url)
        self._connection: Any = None

    @property
    def possible(self) -> bool:
        """Whether the database has notices."""
        return self._url.drivername == "postgresql+psycopg"

    @property
    def connected(self) -> bool:
        """Whether notices arrive."""
        return self._connection is not None

    def connect(self) -> bool:
        """Begin to listen, if it can be done now; returns whether notices arrive."""
        if self._connection is None and self.possible:
            import psycopg

            arguments, named = self._url.get_dialect()().create_connect_args(self._url)
            named = {**patience_with(self._url), **named}
            try:
                self._connection = psycopg.connect(*arguments, **named, autocommit=True)
                self._connection.execute(f"LISTEN {CHANNEL}")
            except psycopg.Error:
                self.close()
        return self.connected

    def fileno(self) -> int:
        """The descriptor to select on."""
        return int(self._connection.fileno())

    def drain(self) -> bool:
        """Take the notices that have arrived; False if the connection, and perhaps a notice with it, was lost."""
        import psycopg

        try:
            for _ in self._connection.notifies(timeout=0):
                pass
        except psycopg.Error:
            self.close()
            return False
        return True

    def close(self) -> None:
        """Stop listening."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
