"""Amounts are exact in micro-dollars and rounded half to even."""

from __future__ import annotations

from decimal import Decimal

import pytest

from service.amounts import MICROS, micros_of, usd


@pytest.mark.parametrize(
    ("amount", "micros"),
    [("0.10", 100_000), ("0", 0), ("1234567.000001", 1_234_567_000_001), ("0.0000005", 0), ("0.0000015", 2)],
)
def test_dollars_become_whole_micro_dollars(amount: str, micros: int) -> None:
    assert micros_of(Decimal(amount)) == micros


def test_people_read_dollars() -> None:
    assert usd(100_000) == 0.1
    assert usd(MICROS) == 1.0
    assert micros_of(Decimal(str(usd(123_456_789)))) == 123_456_789
