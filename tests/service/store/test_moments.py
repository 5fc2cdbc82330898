"""Moments are texts that sort as time does."""

from __future__ import annotations

from service.store.moments import moment, month_of
from workbench.store.database import now


def test_moments_sort_with_the_present_one_between_them() -> None:
    assert moment(-60) < moment(-1) < now() < moment(5) < moment(3600)
    assert len(moment(0)) == len(moment(-1e7)) == len(now())


def test_a_month_is_that_of_the_moment() -> None:
    assert month_of("2026-11-22T21:00:00.000000+00:00") == "2026-11"
