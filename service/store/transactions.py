"""Database work outside the event loop: a transaction is a function that runs in a thread.

SQLite allows one writing transaction at a time. Writers of one process therefore queue for one thread, where waiting
costs nothing, instead of polling the lock of the file. With PostgreSQL writers run in parallel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection

from service.processes.wakeup import WakeupPipe
from service.store import jobs
from workbench.store.database import Database

T = TypeVar("T")
_THREADS = 8  # for reading transactions, and with PostgreSQL for writing ones too


class Transactions:
    """Transactions on one database for coroutines.

    Parameters
    ----------
    database : closed by `close`
    wakeup : notified after a transaction in which a job was accepted has been committed
    """

    def __init__(self, database: Database, wakeup: WakeupPipe) -> None:
        self.database = database
        self._wakeup = wakeup
        one_writer = database.url.startswith("sqlite")
        self._readers = ThreadPoolExecutor(_THREADS, thread_name_prefix="database")
        self._writers = ThreadPoolExecutor(1, thread_name_prefix="database-writer") if one_writer else self._readers

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction that only reads.

        Parameters
        ----------
        work : called with the connection, in a thread

        Returns
        -------
        what `work` returns

        Raises
        ------
        StoreError : the database cannot be used; and whatever `work` raises
        """

        def run() -> T:
            with self.database.read() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction that writes; an exception rolls it back.

        Parameters
        ----------
        work : called with the connection, in a thread

        Returns
        -------
        what `work` returns

        Raises
        ------
        StoreError : the database cannot be used; and whatever `work` raises
        """

        def run() -> T:
            with self.database.write() as connection:
                done, work_accepted = work(connection), jobs.has_accepted(connection)
            if work_accepted:
                self._wakeup.notify()
            return done

        return await asyncio.get_running_loop().run_in_executor(self._writers, run)

    def close(self) -> None:
        """Wait for running transactions, then close the database."""
        self._writers.shutdown()
        self._readers.shutdown()
        self.database.close()
