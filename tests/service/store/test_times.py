"""Moments are texts that sort as time does."""

from __future__ import annotations

from service.store.times import month_of, time_from_now
from workbench.store.database import now


def test_moments_sort_with_the_present_one_between_them() -> None:
    assert time_from_now(-60) < time_from_now(-1) < now() < time_from_now(5) < time_from_now(3600)
    assert len(time_from_now(0)) == len(time_from_now(-1e7)) == len(now())


def test_a_month_is_that_of_the_moment() -> None:
    assert month_of("2026-11-22T21:00:00.000000+00:00") == "2026-11"
