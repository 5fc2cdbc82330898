"""Database work for coroutines: a transaction is a function that takes a connection.

SQLite allows one writing transaction at a time, and making it durable costs more than running it. So the writers of one
process that wait for each other share a transaction: all are committed at once, and only then is any of them answered.
One that fails takes nothing of the others with it. Few do after they have written something; then the transaction is
rolled back and run again with a savepoint for each. While it needs none, rows that all of them change are written once
(`service.store.pending_rows`).

PostgreSQL runs writing transactions in parallel, each in a thread. But calls with the same API key wait for each other
there too, at the row that counts them. So those of one process share transactions as on SQLite, in a thread for each
key (`WritersInLanes`).

For SQLite the functions run on the event loop's thread, because their statements take microseconds each and handing
them to a thread takes more. Only what can wait for a disk, the commit, runs in a thread. While another process writes,
the loop tries again and again for its turn, so it never stands still.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import RootTransaction

from service.processes.wakeup import WakeupPipe
from service.store import jobs
from service.store.pending_rows import sharing
from workbench.errors import StoreError
from workbench.store.database import BUSY_SECONDS, Database
from workbench.store.statements import (
    Statement,
    driver_of_sqlite,
    is_deadlocked,
    is_locked,
    note_change,
    remembering,
)

T = TypeVar("T")
_THREADS = 8  # for reading transactions, and with PostgreSQL for writing ones too
_MOST_TOGETHER = 128  # writers in one transaction: more would make the first wait for long, and save little
_MOST_IN_LANE = 32  # the same on PostgreSQL, whose statements take longer
_MOST_TRIES = 3  # of a transaction that PostgreSQL gives up because others wait for it in a circle
_TURN_SECONDS = 0.001  # between two tries to begin while another process writes


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
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="database")
        self._together = WritersTogether(database, wakeup) if database.url.startswith("sqlite") else None
        self._lanes = WritersInLanes(database, wakeup, self._threads)

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

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    async def write(self, work: Callable[[Connection], T], *, in_thread: bool = False, lane: str | None = None) -> T:
        """Run a function in a transaction that writes; an exception rolls back what it wrote.

        Where PostgreSQL gives up a transaction because others wait for it in a circle, `work` is called again, three
        times in all, and only what it wrote the last time is there.

        Parameters
        ----------
        work : called with the connection
        in_thread : whether `work` waits for something besides the database, such as a file that is synced; it then has
            a thread and a transaction of its own, and is called once
        lane : on PostgreSQL, those of the same lane wait for each other and share transactions, as they would wait at
            a row that all of them change. None: a transaction of its own

        Returns
        -------
        what `work` returns, once it is durable

        Raises
        ------
        StoreError : the database cannot be used; and whatever `work` raises
        """
        if self._together is not None and not in_thread:
            return await self._together.write(work)
        if lane is not None and not in_thread:
            return await self._lanes.write(work, lane)

        def run() -> T:
            with self.database.write() as connection:
                done, work_accepted = work(connection), jobs.take_accepted(connection)
            if work_accepted:
                self._wakeup.notify()
            return done

        for _ in range(1, _MOST_TRIES):
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads, run)
            except StoreError as error:
                if in_thread or not is_deadlocked(error):
                    raise
        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    async def drain(self) -> None:
        """Wait for the writing transaction that runs, whose callers may have gone away."""
        if self._together is not None:
            await self._together.drain()
        await self._lanes.drain()

    def close(self) -> None:
        """Wait for transactions that run in threads, then close the database."""
        if self._together is not None:
            self._together.close()
        self._threads.shutdown()
        self.database.close()


class _FailedTogetherError(Exception):
    """One of several who share a transaction failed after it had written."""


@dataclass(slots=True, eq=False)
class _Writer:
    """A caller that waits for its part of a transaction."""

    work: Callable[[Connection], Any]
    done: asyncio.Future[Any]
    result: Any = None
    error: Exception | None = None

    def answer(self, failure: Exception | None) -> None:
        """Answer the caller, who may have gone away; `failure` is that of the whole transaction.

        It comes before an error of the caller's own, which may rest on what another one wrote in vain.
        """
        if self.done.done():
            return
        error = failure or self.error
        if error is None:
            self.done.set_result(self.result)
        else:
            self.done.set_exception(error)


class WritersTogether:
    """The writers of one process on SQLite, which share transactions.

    Parameters
    ----------
    database : SQLite
    wakeup : notified after a transaction in which a job was accepted has been committed
    """

    def __init__(self, database: Database, wakeup: WakeupPipe) -> None:
        self._database = database
        self._wakeup = wakeup
        self._waiting: list[_Writer] = []
        self._running: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database-commit")

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction that writes; see `Transactions.write`.

        Parameters
        ----------
        work : called with the connection, on this thread

        Returns
        -------
        what `work` returns, once it is durable

        Raises
        ------
        StoreError : the database cannot be used; and whatever `work` raises
        """
        loop = asyncio.get_running_loop()
        writer = _Writer(work, loop.create_future())
        self._waiting.append(writer)
        if self._running is None or self._running.done():
            self._running = loop.create_task(self._write_waiting())
        done: T = await writer.done
        return done

    async def drain(self) -> None:
        """Wait until nobody waits."""
        if self._running is not None:
            await asyncio.wait([self._running])

    def close(self) -> None:
        """Wait for a commit that is under way, and close the connection."""
        self._thread.shutdown()
        self._drop()

    async def _write_waiting(self) -> None:
        """Write for those who wait, and for those who come while it writes, until nobody waits."""
        while self._is_awaited():
            group: list[_Writer] = []
            failure: Exception | None = None
            try:
                with self._database.store_errors():
                    await self._write_group(group)
            except Exception as error:  # noqa: BLE001  whoever waits is answered, whatever went wrong
                self._drop()
                failure = error
                if not group:  # it could not even begin
                    group, self._waiting = self._waiting, []
            for writer in group:
                writer.answer(failure)

    def _is_awaited(self) -> bool:
        """Whether anybody waits; who hung up before their turn is not written, since nobody hears the answer."""
        self._waiting = [writer for writer in self._waiting if not writer.done.cancelled()]
        return bool(self._waiting)

    async def _write_group(self, group: list[_Writer]) -> None:
        """One transaction; `group` gets those who are in it."""
        connection, transaction = await self._begin()
        if not self._is_awaited():
            transaction.rollback()
            return
        group += self._waiting[:_MOST_TOGETHER]
        del self._waiting[:_MOST_TOGETHER]
        driver = driver_of_sqlite(connection)
        before = driver.total_changes
        try:
            accepted = self._run_group(connection, driver, group)
        except _FailedTogetherError:
            transaction.rollback()
            connection, transaction = await self._begin()
            accepted = sum(self._run_apart(connection, driver, writer) for writer in group) > 0
        if len(group) == 1 and group[0].error is not None:
            transaction.rollback()
        elif driver.total_changes == before:
            transaction.commit()  # of nothing, which waits for no disk
        else:
            await asyncio.get_running_loop().run_in_executor(self._thread, transaction.commit)
        if accepted:
            self._wakeup.notify()

    async def _begin(self) -> tuple[Connection, RootTransaction]:
        """Begin to write, as soon as no other process does."""
        if self._connection is None:
            self._connection = self._database.connect_writer()
        end = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                return self._connection, self._connection.begin()
            except sqlite3.OperationalError as error:
                if not is_locked(error) or time.monotonic() > end:
                    raise
            await asyncio.sleep(_TURN_SECONDS)

    def _run_group(self, connection: Connection, driver: sqlite3.Connection, group: list[_Writer]) -> bool:
        """Run the parts of all writers; returns whether a job was accepted.

        Raises
        ------
        _FailedTogetherError : one of several failed after it had written
        """
        if len(group) == 1:
            return self._run(connection, driver, group[0])
        accepted = False
        with sharing(connection) as rows:
            for writer in group:
                before = driver.total_changes
                accepted |= self._run(connection, driver, writer)
                if writer.error is None:
                    rows.keep()
                elif driver.total_changes == before:
                    rows.undo()
                else:
                    raise _FailedTogetherError
            with self._database.store_errors():
                rows.write(connection)
        return accepted

    def _run_apart(self, connection: Connection, driver: sqlite3.Connection, writer: _Writer) -> bool:
        """Run one writer's part in a savepoint; returns whether it accepted a job."""
        driver.execute("SAVEPOINT writer")
        accepted = self._run(connection, driver, writer)
        if writer.error is not None:
            driver.execute("ROLLBACK TO writer")
        driver.execute("RELEASE writer")
        return accepted

    def _run(self, connection: Connection, driver: sqlite3.Connection, writer: _Writer) -> bool:
        """Run one writer's part; returns whether it accepted a job."""
        writer.error = None
        try:
            writer.result = writer.work(connection)
        except Exception as error:
            writer.error = self._database.as_store_error(error)
            jobs.take_accepted(connection)
            if not driver.in_transaction:  # a full disk, for example, ends the transaction of all
                raise
            return False
        return jobs.take_accepted(connection)

    def _drop(self) -> None:
        """Close the connection after an error; the next transaction opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(StoreError), self._database.store_errors():
                connection.close()


class WritersInLanes:
    """The writers of one process on PostgreSQL, of which those of the same lane share transactions.

    Parameters
    ----------
    database : PostgreSQL
    wakeup : notified after a transaction in which a job was accepted has been committed
    threads : in which the transactions run, one of each lane at a time
    """

    def __init__(self, database: Database, wakeup: WakeupPipe, threads: ThreadPoolExecutor) -> None:
        self._database = database
        self._wakeup = wakeup
        self._threads = threads
        self._waiting: dict[str, list[_Writer]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def write(self, work: Callable[[Connection], T], lane: str) -> T:
        """Run a function in a transaction that writes; see `Transactions.write`.

        Parameters
        ----------
        work : called with the connection, in a thread
        lane : any text

        Returns
        -------
        what `work` returns, once it is durable

        Raises
        ------
        StoreError : the database cannot be used; and whatever `work` raises
        """
        loop = asyncio.get_running_loop()
        writer = _Writer(work, loop.create_future())
        waiting = self._waiting.get(lane)
        if waiting is None:
            self._waiting[lane] = [writer]
            task = loop.create_task(self._write_lane(lane))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        else:
            waiting.append(writer)
        done: T = await writer.done
        return done

    async def drain(self) -> None:
        """Wait until nobody waits."""
        while self._running:
            await asyncio.wait(self._running)

    async def _write_lane(self, lane: str) -> None:
        """Write for those who wait in a lane, and for those who come while it writes, until nobody waits."""
        while True:
            waiting = [writer for writer in self._waiting[lane] if not writer.done.cancelled()]
            if not waiting:
                del self._waiting[lane]
                return
            group, self._waiting[lane] = waiting[:_MOST_IN_LANE], waiting[_MOST_IN_LANE:]
            failure = await self._try_group(group)
            again = [writer for writer in group if is_deadlocked(failure or writer.error)]
            for writer in group:
                if writer not in again:
                    writer.answer(failure)
            for writer in again:
                await self._write_again(writer)

    async def _write_again(self, writer: _Writer) -> None:
        """Write alone for one whom PostgreSQL gave up, and answer."""
        failure: Exception | None = None
        for _ in range(1, _MOST_TRIES):
            if writer.done.cancelled():
                return
            writer.error = None
            failure = await self._try_group([writer])
            if not is_deadlocked(failure):
                break
        writer.answer(failure)

    async def _try_group(self, group: list[_Writer]) -> Exception | None:
        """One transaction; what it failed by as a whole."""
        try:
            accepted = await asyncio.get_running_loop().run_in_executor(self._threads, self._write_group, group)
        except Exception as error:  # noqa: BLE001  whoever waits is answered, whatever went wrong
            return error
        if accepted:
            with suppress(OSError):  # it is committed, and workers look for jobs without a signal too
                self._wakeup.notify()
        return None

    def _write_group(self, group: list[_Writer]) -> bool:
        """One transaction, in a thread; returns whether it accepted a job. An error of one alone is of the whole."""
        if len(group) > 1:
            with suppress(_FailedTogetherError):
                return self._write_together(group)
        with self._database.write() as connection:
            if len(group) == 1:
                group[0].result = group[0].work(connection)
                return jobs.take_accepted(connection)
            with remembering(connection):
                return sum(self._run_apart(connection, writer) for writer in group) > 0

    def _write_together(self, group: list[_Writer]) -> bool:
        """One transaction without savepoints; returns whether it accepted a job.

        Raises
        ------
        _FailedTogetherError : one of several failed after it had written; nothing is written
        """
        accepted = False
        with self._database.write() as connection, remembering(connection) as memory, sharing(connection) as rows:
            for writer in group:
                memory.wrote = False
                accepted |= self._run(connection, writer)
                if writer.error is None:
                    rows.keep()
                elif memory.wrote or isinstance(writer.error, StoreError):  # which ends the transaction of all
                    raise _FailedTogetherError
                else:
                    rows.undo()
            rows.write(connection)
        return accepted

    def _run_apart(self, connection: Connection, writer: _Writer) -> bool:
        """Run the part of one of several writers in a savepoint; returns whether it accepted a job."""
        with self._database.store_errors():
            _SAVE.change(connection)
        accepted = self._run(connection, writer)
        with self._database.store_errors():
            if writer.error is not None:
                note_change(connection)
                _UNDO.change(connection)
            _RELEASE.change(connection)
        return accepted

    def _run(self, connection: Connection, writer: _Writer) -> bool:
        """Run the part of one writer; returns whether it accepted a job."""
        writer.error = None
        try:
            writer.result = writer.work(connection)
        except Exception as error:  # noqa: BLE001  it is the writer's, and the caller's to handle
            writer.error = self._database.as_store_error(error)
            jobs.take_accepted(connection)
            return False
        return jobs.take_accepted(connection)


_SAVE = Statement("SAVEPOINT writer", keeps_memory=True)
_UNDO = Statement("ROLLBACK TO writer", keeps_memory=True)
_RELEASE = Statement("RELEASE writer", keeps_memory=True)
