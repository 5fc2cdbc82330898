"""Moments before or after the present one, as the database keeps them: texts that sort."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def moment(seconds: float) -> str:
    """The moment so many seconds from now; before it where negative."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="microseconds")


def month_of(at: str) -> str:
    """The calendar month, UTC, of a moment: `2026-11`."""
    return at[:7]
