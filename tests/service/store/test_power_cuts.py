"""Power cuts on SQLite: the write-ahead log is cut after every write of a run; what was answered is in what is left.

The log is recorded as it stood when each call was answered. A cut leaves a prefix of it: every length between two
writes, and lengths in the middle of one. A database that is opened on each prefix has lost no call that was answered
before the cut, and has no call in part: its count, its row in the ledger, what it drew and the month's total agree.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import struct
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection

from service.prices import Prices
from service.processes.wakeup import WakeupPipe
from service.store import accounts, api_keys, credit_grants, jobs, ledger
from service.store.jobs import NewJob
from service.store.ledger import Charge, Credit
from service.store.tables import SCHEMA
from service.store.transactions import Transactions
from workbench.store.database import Database, now

_LOOP = "POST /v1/loop"
_PRICES = Prices(calls={_LOOP: 100_000}, beats_minute=0, video_minute=0)
_GRANTED = 100_000_000
_WAL_HEADER, _FRAME_HEADER = 32, 24  # bytes, https://sqlite.org/fileformat2.html#walformat
CALLS, AT_ONCE = 36, 6


class Refused(Exception):
    """A call that writes and then fails."""


@dataclass(frozen=True)
class Answered:
    """A call that was answered."""

    number: int
    wal_bytes: int
    """length of the log at that time"""


def call(connection: Connection, number: int) -> None:
    """What a warm loop writes: count, ledger row, credit, month; every third accepts a job, every fifth fails then."""
    api_keys.count(connection, "key_1", 1000, 1000.0)
    ledger.charge(connection, Charge("ada", _LOOP, f"req_{number}", f"request:{number}"), _PRICES)
    if number % 3 == 0:
        jobs.submit(connection, NewJob("loop", jobs.MAIN, "ada", f"loop:{number}"))
    if number % 5 == 0:
        raise Refused


async def run(transactions: Transactions, wal: Path) -> list[Answered]:
    """Callers at once, each of which calls again when it is answered."""
    answered: list[Answered] = []

    async def caller(first: int) -> None:
        for number in range(first, CALLS, AT_ONCE):
            try:
                await transactions.write(partial(call, number=number))
            except Refused:
                continue
            answered.append(Answered(number, wal.stat().st_size))

    await asyncio.gather(*(caller(first) for first in range(AT_ONCE)))
    await transactions.drain()
    return answered


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, bytes, list[Answered]]:
    """The database file before a run, the log of the run, and who was answered when."""
    path = tmp_path / "service.sqlite"
    database = Database(f"sqlite:///{path}", (SCHEMA,))
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        ledger.credit(connection, Credit("ada", _GRANTED, "grant", "accounts update", "ada"))
    database.close()
    kept = tmp_path / "before.sqlite"
    shutil.copy(path, kept)
    holder = sqlite3.connect(path)  # as long as it is open the log is neither deleted nor begun anew
    holder.execute("BEGIN")
    holder.execute("SELECT count(*) FROM ledger").fetchall()
    wal = tmp_path / "service.sqlite-wal"
    transactions = Transactions(Database(f"sqlite:///{path}", (SCHEMA,)), WakeupPipe(None))
    answered = asyncio.run(run(transactions, wal))
    log = wal.read_bytes()
    holder.close()
    transactions.close()
    return kept, log, answered


def cuts(log: bytes) -> list[int]:
    """Lengths that a cut can leave: after each write, and in the middle of some."""
    page = struct.unpack(">I", log[8:12])[0]
    frames = range(_WAL_HEADER, len(log) + 1, _FRAME_HEADER + page)
    return sorted({0, 17, *frames, *(end - page // 2 for end in list(frames)[1:])})


@pytest.mark.slow
def test_nothing_that_was_answered_is_lost_and_nothing_is_half_done(
    recorded: tuple[Path, bytes, list[Answered]], tmp_path: Path
) -> None:
    before, log, answered = recorded
    assert sorted(one.number for one in answered) == [number for number in range(CALLS) if number % 5]
    at = tmp_path / "cut.sqlite"
    lengths = cuts(log)
    assert len(lengths) > 50
    for length in lengths:
        for suffix in ("-wal", "-shm"):
            at.with_name(at.name + suffix).unlink(missing_ok=True)
        shutil.copy(before, at)
        at.with_name(at.name + "-wal").write_bytes(log[:length])
        database = Database(f"sqlite:///{at}", (SCHEMA,))
        with database.read() as connection:
            charged = [entry.event_key for entry in ledger.entries(connection, "ada") if entry.event == "charge"]
            spent = ledger.spent_in_month(connection, "ada", now())
            left = sum(grant.left_micros for grant in credit_grants.get_all(connection, "ada"))
            counted = api_keys.get_rate(connection, "key_1", 1000, 1000.0).requests
            accepted = {job.build for job in jobs.find(connection)}
        database.close()
        assert len(charged) == len(set(charged))
        assert {f"request:{one.number}" for one in answered if one.wal_bytes <= length} <= set(charged)
        assert spent == _GRANTED - left == 100_000 * len(charged)
        assert counted == len(charged)
        assert accepted == {f"loop:{number}" for number in range(0, CALLS, 3) if f"request:{number}" in charged}
