"""ULIDs as the specification has them, which `python-ulid` reads."""

from __future__ import annotations

from ulid import ULID

from service.ulids import new_ulid
from workbench.clock import SystemClock, using


class _Standing(SystemClock):
    """A clock that says what it is told."""

    seconds = 0.0

    def wall_seconds(self) -> float:
        return self.seconds


def test_they_are_what_the_specification_says() -> None:
    clock = _Standing()
    with using(clock):
        for seconds in (0.0, 1.5, 1_795_000_000.123, 2**47 / 1000):
            clock.seconds = seconds
            text = new_ulid()
            assert len(text) == 26
            assert str(ULID.from_str(text)) == text
            assert ULID.from_str(text).milliseconds == int(1000 * seconds)


def test_they_sort_by_time_and_differ() -> None:
    clock = _Standing()
    with using(clock):
        made = []
        for number in range(2000):
            clock.seconds = 1_795_000_000.0 + number / 1000
            made.append(new_ulid())
        assert made == sorted(made)
        assert len({new_ulid() for _ in range(2000)}) == 2000
