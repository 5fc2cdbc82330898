"""ULIDs: 26 characters that sort by the millisecond in which they were made; unique, and no secret.

As `ulid.ULID()` makes them, in a sixth of its time: every request and every charge gets one. The random part comes from
Python's generator, which the operating system seeds once a process.

https://github.com/ulid/spec
"""

from __future__ import annotations

from functools import lru_cache
from random import getrandbits

from workbench.clock import wall_seconds

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_PAIRS = [first + second for first in _DIGITS for second in _DIGITS]
_TIME_PAIRS, _RANDOM_PAIRS = 5, 8


def new_ulid() -> str:
    """A new one."""
    return _time_digits(int(1000 * wall_seconds())) + _digits(getrandbits(10 * _RANDOM_PAIRS), _RANDOM_PAIRS)


@lru_cache(maxsize=8)  # several are made in each millisecond
def _time_digits(milliseconds: int) -> str:
    return _digits(milliseconds, _TIME_PAIRS)


def _digits(number: int, pairs: int) -> str:
    return "".join([_PAIRS[(number >> shift) & 0x3FF] for shift in _SHIFTS[-pairs:]])


_SHIFTS = tuple(range(70, -1, -10))
