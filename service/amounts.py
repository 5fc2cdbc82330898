"""Amounts: whole micro-dollars in code and database, so that sums are exact; US dollars where people read them."""

from __future__ import annotations

from decimal import Decimal

MICROS = 1_000_000
"""micro-dollars in a dollar"""


def usd(micros: int) -> float:
    """An amount in US dollars, for people to read."""
    return float(Decimal(micros) / MICROS)


def micros_of(amount_usd: Decimal) -> int:
    """A finite amount in micro-dollars, rounded half to even."""
    return int((amount_usd * MICROS).to_integral_value(rounding="ROUND_HALF_EVEN"))
