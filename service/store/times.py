"""Times before or after now, in the text form of the database (`workbench.store.database.now`), which sorts."""

from __future__ import annotations

from workbench.clock import now


def time_from_now(seconds: float) -> str:
    """The time some seconds from now.

    Parameters
    ----------
    seconds : s; negative for a time that has passed

    Returns
    -------
    ISO 8601, UTC, microseconds
    """
    return now(seconds)


def month_of(time: str) -> str:
    """The calendar month, UTC, that a time lies in: `2026-11`.

    Parameters
    ----------
    time : in the database's form
    """
    return time[:7]
