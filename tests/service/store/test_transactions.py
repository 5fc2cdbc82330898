"""Transactions off the event loop: they notify the wakeup pipe when a job was accepted in them."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from service.processes.wakeup import WakeupPipe
from service.store import accounts, api_keys, jobs, shared_values, tables
from service.store.api_keys import Admission
from service.store.jobs import NewJob
from service.store.tables import SCHEMA
from service.store.transactions import GroupCommit, Transactions
from tests.service.conftest import Postgres
from workbench.errors import StoreError
from workbench.store.clock import wall_seconds
from workbench.store.database import Database, is_refused

SECONDS = 240.0  # that a thread may take on a machine that has much else to do
NEW = NewJob("loop", jobs.MAIN, "", "loop:1")


class Refused(Exception):
    """What an answer raises that is none."""


@pytest.fixture
def transactions(database: Database) -> Iterator[Transactions]:
    """Nobody is notified of what is written by them."""
    opened = Transactions(database, WakeupPipe(None))
    yield opened
    opened.close()


@pytest.fixture
def notified(database: Database) -> Iterator[Callable[[Callable[[Connection], Any]], bool]]:
    """Whether a transaction that writes notified the pipe."""
    reader, writer = os.pipe()
    transactions = Transactions(database, WakeupPipe(writer))
    os.set_blocking(reader, False)

    def write(work: Callable[[Connection], Any]) -> bool:
        asyncio.run(transactions.write(work))
        try:
            return bool(os.read(reader, 100))
        except BlockingIOError:
            return False

    yield write
    transactions.close()
    os.close(reader)
    os.close(writer)


def test_the_pipe_is_notified_once_for_a_job_whatever_the_answer(notified: Callable[..., bool]) -> None:
    assert notified(lambda connection: jobs.submit(connection, NEW) and None)
    assert not notified(lambda connection: jobs.submit(connection, NEW))  # it is there already
    assert not notified(lambda connection: jobs.depths(connection))


def test_it_is_not_notified_of_what_was_not_written(notified: Callable[..., bool]) -> None:
    def refuse(connection: Connection) -> None:
        jobs.submit(connection, NEW)
        raise Refused

    with pytest.raises(Refused):
        notified(refuse)
    assert not notified(lambda connection: jobs.depths(connection))


@pytest.mark.parametrize("lane", [None, "of a key"])
def test_writers_at_once_are_written_each_as_if_alone(
    database: Database, transactions: Transactions, lane: str | None
) -> None:
    """On SQLite, and on PostgreSQL in a lane, they share a commit: who fails takes nothing of the others with it."""

    def work(connection: Connection, number: int) -> int:
        shared_values.set_value(connection, f"value {number}", "written")
        if number % 3 == 0:
            raise Refused(number)
        return number

    async def run() -> list[int | BaseException]:
        given = (transactions.write(partial(work, number=number), lane=lane) for number in range(100))
        return await asyncio.gather(*given, return_exceptions=True)

    found = asyncio.run(run())
    assert [isinstance(one, Refused) if number % 3 == 0 else one == number for number, one in enumerate(found)] == (
        [True] * 100
    )
    with database.read() as connection:
        kept = [number for number in range(100) if shared_values.get(connection, f"value {number}") is not None]
    assert kept == [number for number in range(100) if number % 3]


def test_writers_who_share_a_transaction_read_what_is_there(transactions: Transactions) -> None:
    """Rows that one has read are forgotten when the next changes them, and when that change is undone."""

    def change(connection: Connection, value: str, *, fails: bool) -> str | None:
        found = shared_values.get(connection, "shared")
        shared_values.set_value(connection, "shared", value)
        assert shared_values.get(connection, "shared") == value
        if fails:
            raise Refused
        return found

    def read(connection: Connection) -> str | None:
        return shared_values.get(connection, "shared")

    async def run() -> list[Any]:
        works: list[Callable[[Connection], Any]] = []
        for number in range(12):
            works += [partial(change, value=str(number), fails=number % 2 == 1), read]
        given = (transactions.write(work, lane="of a key") for work in works)
        return await asyncio.gather(*given, return_exceptions=True)

    found = asyncio.run(run())
    assert found[1::2] == [str(number - number % 2) for number in range(12)]
    assert found[0::4] == [None, *(str(number) for number in range(0, 10, 2))]


def test_a_call_reads_what_those_before_it_have_changed(transactions: Transactions) -> None:
    def change(connection: Connection, number: int) -> tuple[str | None, str | None]:
        before = shared_values.get(connection, "shared")
        shared_values.set_value(connection, "shared", str(number))
        return before, shared_values.get(connection, "shared")

    async def run(numbers: range) -> list[Any]:
        return await asyncio.gather(
            *(transactions.write(partial(change, number=one), lane="of a key") for one in numbers)
        )

    found = [*asyncio.run(run(range(10))), *asyncio.run(run(range(10, 20)))]
    assert found == [(None, "0"), *((str(number - 1), str(number)) for number in range(1, 20))]


def test_what_others_write_meanwhile_is_read(database: Database, transactions: Transactions) -> None:
    """A transaction knows what the one before it has read, and no more of it once somebody else has written."""

    def fail(connection: Connection) -> None:
        shared_values.set_value(connection, "shared", "of a call that fails")
        assert read(connection) == "of a call that fails"
        raise Refused

    def read(connection: Connection) -> str | None:
        return shared_values.get(connection, "shared")

    async def run() -> list[str | None]:
        found: list[str | None] = []
        for value in ("first", "second", None):
            with database.write() as connection:
                if value is None:
                    connection.execute(tables.shared_values.delete())
                else:
                    shared_values.set_value(connection, "shared", value)
            found += [await transactions.write(read) for _ in range(2)]
        with pytest.raises(Refused):
            await transactions.write(fail)
        return [*found, await transactions.write(read)]

    assert asyncio.run(run()) == ["first", "first", "second", "second", None, None, None]


@pytest.mark.parametrize("lane", [None, "of a key"])
def test_calls_are_counted_whatever_becomes_of_them(
    database: Database, transactions: Transactions, lane: str | None
) -> None:
    """In the order in which they came; those of a key that nobody has are not, nor those that were counted before."""
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        key, secret = api_keys.create(connection, "ada")
    calls = [Admission(secret, 5) for _ in range(7)]
    others = [Admission("sk_live_no", 5), Admission(secret, 5, counts=False)]

    def work(connection: Connection, call: Admission) -> None:
        shared_values.set_value(connection, f"value {calls.index(call)}", "written")
        if calls.index(call) % 3 == 0:
            raise Refused

    async def run() -> list[Any]:
        given = [transactions.write(partial(work, call=call), lane=lane, admission=call) for call in calls]
        given += [transactions.write(lambda _: None, lane=lane, admission=other) for other in others]
        return await asyncio.gather(*given, return_exceptions=True)

    found = asyncio.run(run())
    refused = [calls[number].is_admitted and number % 3 == 0 for number in range(7)]  # over its rate, none is worked on
    assert [isinstance(one, Refused) for one in found] == [*refused, False, False]
    assert refused.count(True) >= 1
    numbers = [call.rate.requests for call in calls if call.rate is not None and not call.rate.exceeded]
    assert sorted(numbers) == [1, 2, 3, 4, 5]
    if database.is_sqlite or lane is not None:
        assert numbers == [1, 2, 3, 4, 5]
    assert [call.rate.remaining for call in calls if call.rate is not None and call.rate.exceeded] == [0, 0]
    assert [other.caller and other.caller.account for other in others] == [None, "ada"]
    assert [other.rate for other in others] == [None, None]
    with database.read() as connection:
        assert api_keys.get_rate(connection, key.key_id, 100, wall_seconds()).requests == 7


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk_fails_all_who_share_a_transaction(database: Database, transactions: Transactions) -> None:
    """SQLite rolls back what the others wrote as well, so none of them may be told that it is durable."""

    def write(connection: Connection, name: str) -> None:
        shared_values.set_value(connection, name, "written")

    def fill(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        most = connection.exec_driver_sql("PRAGMA max_page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        try:
            shared_values.set_value(connection, "large", 1_000_000 * "x")
        finally:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {most}")

    async def run() -> list[Any]:
        works = (partial(write, name="first"), fill, partial(write, name="last"))
        found = await asyncio.gather(*(transactions.write(work) for work in works), return_exceptions=True)
        return [*found, await transactions.write(partial(write, name="after"))]

    *failed, after = asyncio.run(run())
    assert all(isinstance(one, StoreError) for one in failed)
    assert after is None
    with database.read() as connection:
        found = [name for name in ("first", "large", "last", "after") if shared_values.get(connection, name)]
    assert found == ["after"]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_circle_of_waiting_transactions_fails_nobody(database: Database, transactions: Transactions) -> None:
    """Of two transactions that wait for each other one gives up what it has done, and does it again."""
    waits = threading.Event()
    written: list[str] = []

    def set_value(connection: Connection, name: str) -> None:
        written.append(name)
        if name == "second":
            waits.set()
        shared_values.set_value(connection, name, "by the lane")

    async def run() -> list[None]:
        with database.write() as connection:
            for name in ("first", "second"):
                shared_values.set_value(connection, name, "before")

        def another() -> None:
            with database.write() as connection:
                connection.execute(sa.text("SET LOCAL deadlock_timeout = '1min'"))  # so it is not the one to give up
                shared_values.set_value(connection, "second", "by another")
                ready.set()
                assert waits.wait(SECONDS)
                shared_values.set_value(connection, "first", "by another")

        ready = threading.Event()
        thread = threading.Thread(target=another)
        thread.start()
        assert ready.wait(SECONDS)
        done = await asyncio.gather(
            *(transactions.write(partial(set_value, name=name), lane="of a key") for name in ("first", "second"))
        )
        thread.join()
        return list(done)

    assert asyncio.run(run()) == [None, None]
    # Doing it again, it may meet the other transaction in a circle once more, and be done a third time.
    assert written[:2] == ["first", "second"]
    assert set(written[2:]) == {"first", "second"}
    with database.read() as connection:
        # Once the lane has given up, either of them may be the first to write "first" again.
        assert shared_values.get(connection, "first") in ("by the lane", "by another")
        assert shared_values.get(connection, "second") == "by the lane"


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("lane", [None, "of a key"])
def test_one_alone_in_a_circle_is_written_again(
    database: Database, transactions: Transactions, lane: str | None
) -> None:
    holds, waits = threading.Event(), threading.Event()

    def another() -> None:
        with database.write() as connection:
            connection.execute(sa.text("SET LOCAL deadlock_timeout = '1min'"))  # so it is not the one to give up
            shared_values.set_value(connection, "second", "by another")
            holds.set()
            assert waits.wait(SECONDS)
            shared_values.set_value(connection, "first", "by another")

    def work(connection: Connection) -> str:
        shared_values.set_value(connection, "first", "by the writer")
        waits.set()
        shared_values.set_value(connection, "second", "by the writer")
        return "written"

    with database.write() as connection:
        for name in ("first", "second"):
            shared_values.set_value(connection, name, "before")
    thread = threading.Thread(target=another)
    thread.start()
    assert holds.wait(SECONDS)
    assert asyncio.run(transactions.write(work, lane=lane)) == "written"
    thread.join()
    with database.read() as connection:
        assert {shared_values.get(connection, name) for name in ("first", "second")} == {"by the writer"}


def test_values_that_a_database_refuses_are_known_whoever_ran_the_statement(database: Database) -> None:
    twice = sa.text("INSERT INTO shared_values (name, value) VALUES ('twice', '')")

    def add_twice() -> None:
        with database.write() as connection:
            connection.execute(twice)
            connection.execute(twice)

    with pytest.raises(StoreError) as refused:
        add_twice()
    assert is_refused(refused.value)
    assert not is_refused(StoreError("the disk is full"))


class Full(ThreadPoolExecutor):
    """Threads of a process that may start no more of them, at first."""

    refusals = 2

    def submit(self, *arguments: Any, **named: Any) -> Any:
        if self.refusals:
            self.refusals -= 1
            raise RuntimeError("can't start new thread")
        return super().submit(*arguments, **named)


def test_a_lane_goes_on_after_a_failure_that_is_no_database_s(database: Database) -> None:
    def work(connection: Connection) -> None:
        shared_values.set_value(connection, "kept", "written")

    async def run(threads: Full) -> list[BaseException | None]:
        lanes = GroupCommit(database, WakeupPipe(None), threads)
        found = await asyncio.gather(*(lanes.write(work, "of a key") for _ in range(100)), return_exceptions=True)
        found.append(await lanes.write(work, "of a key"))
        await lanes.drain()
        lanes.close()
        return found

    with Full(1) as threads:
        found = asyncio.run(run(threads))
    assert all(isinstance(one, RuntimeError) for one in found[:100])
    assert found[100] is None


@pytest.mark.parametrize("lane", [None, "of a key"])
def test_a_database_that_is_lost_fails_who_waits_and_then_works_again(postgres: Postgres, lane: str | None) -> None:
    database = Database(postgres.url(), (SCHEMA,))
    transactions = Transactions(database, WakeupPipe(None))

    async def run() -> None:
        def work(connection: Connection) -> None:
            shared_values.set_value(connection, "kept", "written")

        await transactions.write(work, lane=lane)
        postgres.stop()
        given = (transactions.write(work, lane=lane) for _ in range(3))
        found = await asyncio.gather(*given, return_exceptions=True)
        assert all(isinstance(one, StoreError) for one in found)
        postgres.start()
        given = (transactions.write(work, lane=lane) for _ in range(3))
        assert await asyncio.gather(*given) == [None, None, None]

    asyncio.run(run())
    transactions.close()


def test_a_writer_waits_for_another_process(database: Database, transactions: Transactions) -> None:
    """While another connection writes the loop goes on, and the writer has its turn afterwards."""

    async def run() -> None:
        with database.write() as connection:
            shared_values.set_value(connection, "first", "written")
            writing = asyncio.create_task(transactions.write(lambda connection: shared_values.get(connection, "first")))
            await asyncio.sleep(0.05)
            if database.url.startswith("sqlite"):
                assert not writing.done()
        assert await writing in ("written", None)

    asyncio.run(run())


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_group_commits_while_all_threads_are_taken(transactions: Transactions) -> None:
    """They may be those of writers that wait for the group, which would wait for them in turn."""
    ends = threading.Event()

    async def run() -> str:
        others = [asyncio.create_task(transactions.read(lambda _: ends.wait(SECONDS))) for _ in range(16)]
        await asyncio.sleep(0)
        try:
            return await asyncio.wait_for(transactions.write(lambda _: "written"), SECONDS / 8)
        finally:
            ends.set()
            await asyncio.gather(*others)

    assert asyncio.run(run()) == "written"


def test_a_writer_whose_caller_goes_away_meanwhile_is_written(database: Database, transactions: Transactions) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()

        def work(connection: Connection) -> None:
            loop.call_soon_threadsafe(writing.cancel)
            shared_values.set_value(connection, "left", "written")

        writing = asyncio.create_task(transactions.write(work))
        await asyncio.wait([writing])
        await transactions.drain()

    asyncio.run(run())
    with database.read() as connection:
        assert shared_values.get(connection, "left") == "written"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_who_hangs_up_while_they_wait_is_not_written(database: Database, transactions: Transactions) -> None:
    def write(name: str) -> asyncio.Task[None]:
        return asyncio.create_task(
            transactions.write(lambda connection: shared_values.set_value(connection, name, "written"))
        )

    async def run() -> None:
        with database.write():
            stays, leaves = write("stays"), write("leaves")
            await asyncio.sleep(0.02)
            leaves.cancel()
            await asyncio.sleep(0)
        await stays
        with database.write():
            alone = write("alone")
            await asyncio.sleep(0.02)
            alone.cancel()
            await asyncio.sleep(0)
        await transactions.drain()
        await write("after")

    asyncio.run(run())
    with database.read() as connection:
        found = {name: shared_values.get(connection, name) for name in ("stays", "leaves", "alone", "after")}
    assert found == {"stays": "written", "leaves": None, "alone": None, "after": "written"}
