"""How often a key may call: a fixed window of 60 s that opens with the key's first request, one row a key.

Counting is one statement, so the count is exact over all processes and machines that share the database, and a restart
forgets nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.tables import rate_windows

WINDOW_SECONDS = 60.0

_COUNT = sa.text(
    """INSERT INTO rate_windows (key_id, opened_at, requests) VALUES (:key_id, :at, 1)
    ON CONFLICT (key_id) DO UPDATE SET
        requests = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.requests + 1 ELSE 1 END,
        opened_at = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.opened_at ELSE :at END
    RETURNING requests, opened_at"""
)


@dataclass(frozen=True, slots=True)
class Rate:
    """The state of a key's window."""

    limit: int
    requests: int
    """counted in the window, the present one included"""
    seconds_left: float
    """s until the window ends"""

    @property
    def exceeded(self) -> bool:
        """Whether the present request is one too many."""
        return self.requests > self.limit

    @property
    def remaining(self) -> int:
        """Requests left in the window."""
        return max(0, self.limit - self.requests)

    @property
    def retry_after(self) -> int:
        """Whole seconds to wait, at least one."""
        return max(1, math.ceil(self.seconds_left))


def count(connection: Connection, key_id: str, limit: int, at: float) -> Rate:
    """Count one request.

    Parameters
    ----------
    key_id : whose request
    limit : requests a window
    at : this moment, s since 1970. Requests may be counted a little out of their order, and clocks of machines differ
        a little: a window that opens up to its own length ahead is the present one; only a clock that was set back by
        more opens a new one
    """
    moments = {"at": at, "expired": at - WINDOW_SECONDS, "ahead": at + WINDOW_SECONDS}
    row = connection.execute(_COUNT, {"key_id": key_id, **moments}).one()
    return Rate(limit, row.requests, min(WINDOW_SECONDS, row.opened_at + WINDOW_SECONDS - at))


def get(connection: Connection, key_id: str, limit: int, at: float) -> Rate:
    """The state of a key's window, without counting a request."""
    row = connection.execute(sa.select(rate_windows).where(rate_windows.c.key_id == key_id)).first()
    if row is None or not at - WINDOW_SECONDS < row.opened_at < at + WINDOW_SECONDS:
        return Rate(limit, 0, WINDOW_SECONDS)
    return Rate(limit, min(row.requests, limit), row.opened_at + WINDOW_SECONDS - at)
