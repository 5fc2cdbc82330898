"""The world that the service lives in: time, machines, disks and the way to the database, all decided by one seed.

Nothing of the service is replaced. Time comes from `workbench.store.clock`; faults of the database come from
SQLAlchemy's own events at the begin and the commit of every transaction; faults of the disk come from Python's audit
events, which the interpreter raises before it opens, renames or makes a file. A process dies by `Killed`, which no
handler of the service catches, and whatever it still tries afterwards has no effect.

One thing happens at a time: each is a function in a queue, ordered by the time at which it is due. A seed so gives the
same history again.
"""

from __future__ import annotations

import heapq
import os
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event

_TICK = 1e-6  # s that reading a clock takes, so that no two records have the same time
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR


class Killed(BaseException):
    """The process that runs was killed."""


class Violation(AssertionError):
    """A promise of the service was broken."""


@dataclass
class Host:
    """A machine or a process on it: it has a clock, a disk and a way to the database, and it can die."""

    name: str
    skew: float = 0.0
    """s by which its clock is ahead"""
    is_dead: bool = False
    mortal: bool = True
    """whether faults may kill it in the middle of its work"""
    parted_until: float = -1.0
    """true time until which it cannot reach the database"""
    slow_until: float = -1.0
    """true time until which each transaction may take seconds"""
    full_until: float = -1.0
    """true time until which nothing can be written to its disk"""
    paused_until: float = -1.0
    """true time until which it does nothing"""


@dataclass
class Rates:
    """How often a step of a host meets a fault."""

    kill: float = 0.0
    commit_lost: float = 0.0
    """a commit fails, or seems to"""
    disk: float = 0.0


class World:
    """Time, chance and faults.

    Parameters
    ----------
    seed : of everything
    home : folder whose files have faults
    """

    def __init__(self, seed: int, home: Path) -> None:
        self.random = random.Random(seed)
        self.now = datetime(2027, 1, 1, tzinfo=UTC).timestamp() + self.random.uniform(0, 3e7)
        self.began = self.now
        self.home = str(home)
        self.rates = Rates()
        self.history: list[str] = []
        self.commits = 0
        """transactions that wrote or may have"""
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._host: Host | None = None

    # The clock, as `workbench.store.clock` wants it

    def wall_seconds(self) -> float:
        """The clock of the host that runs."""
        self.now += _TICK
        return self.now + (self._host.skew if self._host is not None else 0.0)

    def monotonic_seconds(self) -> float:
        """The true time."""
        self.now += _TICK
        return self.now

    def text(self, seconds: float | None = None) -> str:
        """A time as the database keeps it; None: the present of the host that runs."""
        at = self.wall_seconds() if seconds is None else seconds
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")

    def log(self, *words: object) -> None:
        """Remember what happens, for whoever replays a seed."""
        self.history.append(f"{self.now - self.began:14.3f} {' '.join(map(str, words))}")

    # What happens, one after the other

    def after(self, seconds: float, work: Callable[[], None]) -> None:
        """Have something happen later."""
        self.at(self.now + seconds, work)

    def at(self, due: float, work: Callable[[], None]) -> None:
        """Have something happen at a true time; what is due already happens next."""
        self._number += 1
        heapq.heappush(self._queue, (due, self._number, work))

    def run(self, until: float, done: Callable[[], bool] = lambda: False) -> None:
        """Let things happen until some true time, or until a condition holds after one of them."""
        while self._queue and self._queue[0][0] <= until and not done():
            at, _, work = heapq.heappop(self._queue)
            self.now = max(self.now, at)
            work()
        if not done():
            self.now = max(self.now, until)

    def skip(self, seconds: float) -> None:
        """Let a long time pass in which nothing happens; what was planned is dropped."""
        self._queue.clear()
        self.now += seconds

    def chance(self, share: float) -> bool:
        """Whether something happens that happens in a share of cases."""
        return self.random.random() < share

    @contextmanager
    def on(self, host: Host) -> Iterator[None]:
        """Run something on a host: with its clock and its faults."""
        before, self._host = self._host, host
        try:
            yield
        finally:
            self._host = before

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Run something that no fault meets, such as a check."""
        before, self._host = self._host, None
        try:
            yield
        finally:
            self._host = before

    # Faults

    def _die(self, host: Host, where: str) -> None:
        self.log(host.name, "is killed at", where)
        host.is_dead = True
        raise Killed

    def _may_die(self, host: Host, where: str) -> None:
        if host.is_dead:
            raise Killed
        if host.mortal and self.chance(self.rates.kill):
            self._die(host, where)

    def on_begin(self, _connection: Connection) -> None:
        """A transaction begins."""
        host = self._host
        if host is None:
            return
        self._may_die(host, "begin")
        if self.now < host.slow_until and self.chance(0.3):
            self.now += self.random.uniform(0.5, 12.0)
        if self.now < host.parted_until:
            raise _lost("BEGIN")

    def on_commit(self, connection: Connection) -> None:
        """A transaction is about to be committed; what it wrote may be lost, or kept without anybody hearing of it."""
        host = self._host
        if host is None:
            return
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, sqlite3.Connection)
        if not driver.in_transaction:
            return
        self.commits += 1
        self._may_die(host, "commit")
        if self.chance(self.rates.kill if host.mortal else 0.0):
            driver.commit()
            self._die(host, "committed")
        if self.now < host.parted_until or self.chance(self.rates.commit_lost):
            if self.chance(0.5):
                driver.commit()
            self.log(host.name, "loses a commit that is", "not there" if driver.in_transaction else "there")
            raise _lost("COMMIT")

    def on_audit(self, name: str, given: tuple[Any, ...]) -> None:
        """Python is about to touch a file."""
        host = self._host
        if host is None or name not in _DISK or not str(given[0]).startswith(self.home):
            return
        writes = name != "open" or bool(given[2] & _WRITE_FLAGS)
        if not writes:
            return
        self._may_die(host, name)
        frees = name in ("os.remove", "os.rmdir")
        if (self.now < host.full_until and not frees) or self.chance(self.rates.disk):
            self.log(host.name, "cannot", name)
            raise OSError(28, "No space left on device", str(given[0]))


_DISK = frozenset(("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir"))
_worlds: list[World] = []
_hooked: list[bool] = []


def _lost(statement: str) -> sa.exc.OperationalError:
    return sa.exc.OperationalError(statement, None, sqlite3.OperationalError("connection lost"))


def _begin(connection: Connection) -> None:
    if _worlds:
        _worlds[-1].on_begin(connection)


def _commit(connection: Connection) -> None:
    if _worlds:
        _worlds[-1].on_commit(connection)


def _audit(name: str, given: tuple[Any, ...]) -> None:
    if _worlds:
        _worlds[-1].on_audit(name, given)


@contextmanager
def inhabited(world: World) -> Iterator[None]:
    """Let a world decide about the faults of this process, which begins none other meanwhile."""
    if not _hooked:
        event.listen(Engine, "begin", _begin)
        event.listen(Engine, "commit", _commit)
        sys.addaudithook(_audit)  # it stays for as long as the process
        _hooked.append(True)
    _worlds.append(world)
    try:
        yield
    finally:
        _worlds.pop()
