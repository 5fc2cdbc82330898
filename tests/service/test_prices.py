"""Amounts and prices are exact, and minutes are rounded up."""

from __future__ import annotations

from decimal import Decimal

import pytest

from service.prices import MICROS, micros_of, prices_of, started_minutes, usd
from service.settings import ServiceSettings
from workbench.errors import ParameterError

LOOP = "POST /v1/loop"


def test_prices_are_exact() -> None:
    settings = ServiceSettings(price_loop_usd=Decimal("0.10"), price_beats_minute_usd=Decimal("0.0000015"))
    prices = prices_of(settings)
    assert prices.amount(LOOP, "call", 3) == 300_000
    assert prices.amount("POST /v1/beats", "minute", 10) == 20  # 1.5 micro-dollars round to 2
    assert prices.amount("POST /v1/videos", "minute", 2) == prices.amount("POST /v1/match", "minute", 2)
    with pytest.raises(ParameterError, match="not sold"):
        prices.amount("GET /v1/videos", "call", 1)
    with pytest.raises(ParameterError, match="0 or more"):
        prices.amount(LOOP, "call", -1)


@pytest.mark.parametrize(("seconds", "minutes"), [(0.0, 1), (59.9, 1), (60.0, 1), (60.000001, 2), (3600.0, 60)])
def test_minutes_are_rounded_up(seconds: float, minutes: int) -> None:
    assert started_minutes(seconds) == minutes


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
