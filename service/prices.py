"""Amounts, and what a call or a minute costs.

Amounts are whole micro-dollars in code and database, so that sums are exact, and US dollars where people read them. The
prices are settings: `ServiceSettings` in `service.settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from service.settings import ServiceSettings, load_service_settings
from workbench.errors import ParameterError

MICROS = 1_000_000
"""micro-dollars in a dollar"""

LOOP, ALIGN, MATCH, UNDERSCORE = "POST /v1/loop", "POST /v1/align", "POST /v1/match", "POST /v1/underscore"
BEATS = "POST /v1/beats"
"""endpoints as the ledger writes them"""

CALL, MINUTE = "call", "minute"
"""units"""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in micro-dollars."""

    calls: Mapping[str, int]
    """of a call, by endpoint"""
    beats_minute: int
    """of a minute of mapped audio"""
    video_minute: int
    """of a minute of ingested video, through whichever endpoint"""

    def amount(self, endpoint: str, unit: str, quantity: int) -> int:
        """The price of some units, in micro-dollars.

        `endpoint` is as the ledger writes it, such as `POST /v1/loop`; `unit` is `CALL` or `MINUTE`. Raises
        ParameterError if the endpoint is not sold by that unit or the quantity is negative.
        """
        if quantity < 0:
            raise ParameterError(f"a quantity is 0 or more, got {quantity}")
        if unit == MINUTE:
            return quantity * (self.beats_minute if endpoint == BEATS else self.video_minute)
        if unit != CALL or endpoint not in self.calls:
            raise ParameterError(f"{endpoint} is not sold by the {unit}")
        return quantity * self.calls[endpoint]


def prices_of(settings: ServiceSettings) -> Prices:
    """The prices of some settings, in micro-dollars."""
    return Prices(
        calls={
            MATCH: micros_of(settings.price_match_usd),
            UNDERSCORE: micros_of(settings.price_underscore_usd),
            ALIGN: micros_of(settings.price_align_usd),
            LOOP: micros_of(settings.price_loop_usd),
        },
        beats_minute=micros_of(settings.price_beats_minute_usd),
        video_minute=micros_of(settings.price_video_minute_usd),
    )


@cache
def current_prices() -> Prices:
    """The prices of this process, read from the environment once."""
    return prices_of(load_service_settings())


def started_minutes(seconds: float) -> int:
    """Minutes of sound or picture as they are billed: rounded up, at least one."""
    return max(1, -int(-seconds // 60))


def usd(micros: int) -> float:
    """An amount in US dollars, for people to read."""
    return float(Decimal(micros) / MICROS)


def micros_of(amount_usd: Decimal) -> int:
    """A finite amount in micro-dollars, rounded half to even."""
    return int((amount_usd * MICROS).to_integral_value(rounding="ROUND_HALF_EVEN"))
