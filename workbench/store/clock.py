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
    return datetime.fromtimestamp(_clock.wall_seconds() + seconds, UTC).isoformat(timespec="microseconds")


@contextmanager
def using(clock: Clock) -> Iterator[None]:
    """Let another clock give the time of this whole process until the block ends."""
    global _clock
    before, _clock = _clock, clock
    try:
        yield
    finally:
        _clock = before
