"""The clock, and another in its place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from workbench.store import clock
from workbench.store.clock import now


class Stopped:
    """A clock that stands still."""

    def wall_seconds(self) -> float:
        return 1_000_000_000.25

    def monotonic_seconds(self) -> float:
        return 7.0


def test_the_machines_clock_is_the_usual_one() -> None:
    assert abs(clock.utc_now() - datetime.now(UTC)) < timedelta(minutes=1)
    assert clock.monotonic_seconds() <= clock.monotonic_seconds()


def test_another_clock_tells_the_time_until_its_block_ends() -> None:
    with clock.using(Stopped()):
        assert (clock.wall_seconds(), clock.monotonic_seconds()) == (1_000_000_000.25, 7.0)
        assert now() == "2001-09-09T01:46:40.250000+00:00"
    assert clock.utc_now().year > 2001
