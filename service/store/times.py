"""Times before or after now, in the text form of the database (`workbench.store.database.now`), which sorts."""

from __future__ import annotations

from workbench.store.clock import now


def time_from_now(seconds: float) -> str:
    """The time some seconds from now, before now if negative, in the database's form: ISO 8601, UTC, microseconds."""
    return now(seconds)


def month_of(time: str) -> str:
    """The calendar month, UTC, of a time in the database's form: `2026-11`."""
    return time[:7]
