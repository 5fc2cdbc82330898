"""The clock: the one place where records, leases, retention and deadlines get the time from.

It is the machine's, unless `using` puts another in its place: the simulation of the service lets a year pass in a
second (`tests/service/simulation`). What waits for the operating system, such as a socket or a lock, is timed by the
system all the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol


class Clock(Protocol):
    """Gives the time in two ways."""

    def wall_seconds(self) -> float:
        """Seconds since 1970, UTC; may be set back."""
        ...

    def monotonic_seconds(self) -> float:
        """Seconds since some time; never goes back."""
        ...


class SystemClock:
    """The clock of the machine."""

    def wall_seconds(self) -> float:
        """Seconds since 1970, UTC; may be set back."""
        return time.time()

    def monotonic_seconds(self) -> float:
        """Seconds since some time; never goes back."""
        return time.monotonic()


_clock: Clock = SystemClock()


def wall_seconds() -> float:
    """Seconds since 1970, UTC; they go back when the clock is set back."""
    return _clock.wall_seconds()


def monotonic_seconds() -> float:
    """Seconds since some time; they never go back, and mean nothing to another process."""
    return _clock.monotonic_seconds()


def utc_now() -> datetime:
    """The current time, with its zone, UTC."""
    return datetime.fromtimestamp(_clock.wall_seconds(), UTC)


def now(seconds: float = 0.0) -> str:
    """The time some seconds from now, as records store it: ISO 8601, UTC, microseconds; sorts as text."""
    second, micros = divmod(round(1e6 * (_clock.wall_seconds() + seconds)), 1_000_000)
    return f"{_whole_second(second)}.{micros:06d}+00:00"


@lru_cache(maxsize=8)  # many are asked for in each second
def _whole_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()[: len("2026-11-23T12:00:00")]


@contextmanager
def using(clock: Clock) -> Iterator[None]:
    """Let another clock give the time of this whole process until the block ends."""
    global _clock
    before, _clock = _clock, clock
    try:
        yield
    finally:
        _clock = before
