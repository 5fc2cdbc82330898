"""Database work for coroutines: a transaction is a function that takes a connection.

Making a transaction durable costs more than running it, and SQLite allows one that writes at a time. So the writers of
one process that wait for each other share a transaction (`GroupCommit`): all are committed at once, and only then is
any of them answered. They share what they read, too. One that fails takes nothing of the others with it.

PostgreSQL runs writing transactions in parallel. But calls with the same API key wait for each other there too, at the
row that counts them, so there those of a key share transactions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection

from service.processes.wakeup import WakeupPipe
from service.store import api_keys, jobs
from service.store.api_keys import Admission
from service.store.shared_reads import share_reads
from workbench.store.database import Database, is_deadlocked

T = TypeVar("T")
_THREADS = 8
_MOST_TOGETHER = 64  # writers in one transaction: more would make the first wait for long, and save little
_ONLY_LANE = "sqlite"
_MOST_TRIES = 3  # of a transaction that PostgreSQL gives up because others wait for it in a circle


class Transactions:
    """Transactions on one database for coroutines; `close` closes it."""

    def __init__(self, database: Database, wakeup: WakeupPipe) -> None:
        self.database = database
        self._wakeup = wakeup
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="database")
        # On SQLite, all of these threads may wait for a group to commit, so the group's own is none of them.
        self._committing = ThreadPoolExecutor(1, thread_name_prefix="database-commit")
        self._together = GroupCommit(database, wakeup, self._committing if database.is_sqlite else self._threads)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction that only reads, in a thread; StoreError if the database cannot be used."""

        def run() -> T:
            with self.database.read() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    async def write(
        self,
        work: Callable[[Connection], T],
        *,
        in_thread: bool = False,
        lane: str | None = None,
        admission: Admission | None = None,
    ) -> T:
        """Run a function in a transaction that writes; return what it returns, once that is durable.

        An exception rolls back what it wrote. It may be called again: where it or another writer of the transaction
        fails, and up to three times in all where PostgreSQL gives up a transaction because others wait for it in a
        circle. StoreError: the database cannot be used.

        `in_thread` says that `work` waits for something else than the database, such as a file that is synced; it then
        has a transaction of its own, and is called once. On PostgreSQL, writers of the same `lane` share transactions;
        None is a transaction of its own. An `admission` is found and counted before `work` is called, and stays counted
        if that fails; `work` is called only if it is admitted, else None is returned.
        """
        if not in_thread:
            return await self._together.write(work, lane, admission)

        def run() -> T:
            with self.database.write() as connection:
                done, work_accepted = work(connection), jobs.take_accepted(connection)
            if work_accepted:
                self._wakeup.notify()
            return done

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    async def drain(self) -> None:
        """Wait for the writing transactions that run, whose callers may have gone away."""
        await self._together.drain()

    def close(self) -> None:
        """Wait for transactions that run in threads, then close the database."""
        self._committing.shutdown()
        self._threads.shutdown()
        self._together.close()
        self.database.close()


@dataclass(slots=True, eq=False)
class _Writer:
    """A caller that waits for its part of a transaction."""

    work: Callable[[Connection], Any]
    admission: Admission | None
    done: asyncio.Future[Any]
    result: Any = None
    error: Exception | None = None

    def answer(self, failure: Exception | None) -> None:
        """Answer the caller, who may have gone away; `failure` is that of the whole transaction."""
        error = failure or self.error
        if self.done.done():
            return
        if error is None:
            self.done.set_result(self.result)
        else:
            self.done.set_exception(error)


class GroupCommit:
    """Writers of one process; those of the same lane share transactions.

    While a transaction of a lane runs, in one of the `threads`, others come and wait; the next transaction is theirs.
    `wakeup` is notified after one in which a job was accepted has been committed.
    """

    def __init__(self, database: Database, wakeup: WakeupPipe, threads: Executor) -> None:
        self._database = database
        self._wakeup = wakeup
        self._threads = threads
        self._connection = database.connect() if database.is_sqlite else None  # SQLite has one lane
        self._waiting: dict[Hashable, list[_Writer]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def write(
        self, work: Callable[[Connection], T], lane: Hashable | None, admission: Admission | None = None
    ) -> T:
        """Run a function in a transaction of a lane; see `Transactions.write`."""
        if self._database.is_sqlite:
            lane = _ONLY_LANE
        elif lane is None:
            lane = object()  # of its own
        loop = asyncio.get_running_loop()
        writer = _Writer(work, admission, loop.create_future())
        if lane in self._waiting:
            self._waiting[lane].append(writer)
        else:
            self._waiting[lane] = [writer]
            task = loop.create_task(self._write_lane(lane))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        done: T = await writer.done
        return done

    async def drain(self) -> None:
        """Wait until no writer waits."""
        while self._running:
            await asyncio.wait(self._running)

    def close(self) -> None:
        """Close the connection; no writer may come any more."""
        if self._connection is not None:
            self._connection.close()

    async def _write_lane(self, lane: Hashable) -> None:
        """Write for those who wait in a lane, and for those who come while it writes, until no writer waits."""
        run = asyncio.get_running_loop().run_in_executor
        while self._waiting[lane]:
            group, self._waiting[lane] = self._waiting[lane][:_MOST_TOGETHER], self._waiting[lane][_MOST_TOGETHER:]
            failure = None
            try:
                await run(self._threads, self._write_group, group)
            except Exception as error:  # noqa: BLE001  who waits is answered, however it failed
                failure = error
            for writer in group:
                writer.answer(failure)
        del self._waiting[lane]

    def _write_group(self, group: list[_Writer]) -> None:
        """One transaction: once more if a writer fails, and again where PostgreSQL gives it up."""
        tries, apart = _MOST_TRIES, False
        while True:
            try:
                with self._database.write(self._connection) as connection:
                    has_accepted = self._run(connection, group, apart=apart)
                break
            except _GroupFailedError:
                self._reconnect()
                apart = True
            except Exception as error:
                self._reconnect()
                tries -= 1
                if not (tries and is_deadlocked(error)):
                    raise
        if has_accepted:
            with suppress(OSError):  # it is committed, and workers look for jobs without a signal too
                self._wakeup.notify()

    def _reconnect(self) -> None:
        """Forget reads of a failed transaction."""
        if self._connection is not None:
            self._connection.close()
            self._connection = self._database.connect()

    def _run(self, connection: Connection, group: list[_Writer], *, apart: bool) -> bool:
        """Run all; whether a job was accepted. `apart` gives each a savepoint, without which none may fail."""
        present = [writer for writer in group if not writer.done.cancelled()]  # others hung up before their turn
        if not apart:
            share_reads(connection)
        api_keys.admit(connection, [writer.admission for writer in present if writer.admission is not None])
        has_accepted = False
        for writer in present:
            writer.error = None
            savepoint = connection.begin_nested() if apart else None
            try:
                if writer.admission is None or writer.admission.is_admitted:
                    writer.result = writer.work(connection)
            except Exception as error:
                if is_deadlocked(error):
                    raise
                if savepoint is None:
                    raise _GroupFailedError from error
                # It fails where SQLite has rolled back the whole transaction, as when the disk is full. Then all
                # fail: what the others wrote is gone.
                savepoint.rollback()
                writer.error = self._database.as_store_error(error)
            else:
                if savepoint is not None:
                    savepoint.commit()
            has_accepted |= jobs.take_accepted(connection) and writer.error is None
        return has_accepted


class _GroupFailedError(Exception):
    """One of those who share a transaction failed, perhaps after it had written."""
