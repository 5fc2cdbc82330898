"""Rate limit of an API key: a fixed window of 60 s that opens with the key's first request, one row a key.

Counting is one statement, so the count is exact over all processes and machines that share the database, and survives a
restart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.tables import rate_windows

WINDOW_SECONDS = 60.0
"""length of a window"""

# Text, because SQLAlchemy has an upsert for each database and none for both; every request runs it.
_COUNT = sa.text(
    """INSERT INTO rate_windows (key_id, opened_at, requests) VALUES (:key_id, :now, 1)
    ON CONFLICT (key_id) DO UPDATE SET
        requests = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.requests + 1 ELSE 1 END,
        opened_at = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.opened_at ELSE :now END
    RETURNING requests, opened_at"""
)


@dataclass(frozen=True, slots=True)
class Rate:
    """The state of a key's window."""

    limit: int
    requests: int
    """counted in the window, the current one included"""
    seconds_left: float
    """s until the window ends"""

    @property
    def exceeded(self) -> bool:
        """Whether the current request is over the limit."""
        return self.requests > self.limit

    @property
    def remaining(self) -> int:
        """Requests left in the window."""
        return max(0, self.limit - self.requests)

    @property
    def retry_after(self) -> int:
        """Whole seconds to wait, at least one."""
        return max(1, math.ceil(self.seconds_left))


class LocalWindows:
    """Windows of one process, which count while the database can be read and not written, as when its disk is full."""

    def __init__(self) -> None:
        self._windows: dict[str, tuple[float, int]] = {}

    def count(self, key_id: str, stored: Rate, now: float) -> Rate:
        """Count one request here.

        `stored` is the state of the key's window in the database, from `get`; `now` is in s since 1970.
        """
        opened_at, requests = self._windows.get(key_id, (now, stored.requests))
        if not now - WINDOW_SECONDS < opened_at <= now:
            opened_at, requests = now, stored.requests
        self._windows[key_id] = opened_at, requests + 1
        return Rate(stored.limit, requests + 1, opened_at + WINDOW_SECONDS - now)


def count(connection: Connection, key_id: str, limit: int, now: float) -> Rate:
    """Count one request.

    `limit` is in requests a window, `now` in s since 1970. Requests may be counted a little out of order, and clocks of
    machines differ a little. So a window that opened up to its own length in the future is the current one; only a
    clock that was set back by more than that opens a new window.
    """
    times = {"now": now, "expired": now - WINDOW_SECONDS, "ahead": now + WINDOW_SECONDS}
    requests, opened_at = connection.execute(_COUNT, {"key_id": key_id, **times}).one()
    return Rate(limit, requests, min(WINDOW_SECONDS, opened_at + WINDOW_SECONDS - now))


def get(connection: Connection, key_id: str, limit: int, now: float) -> Rate:
    """The state of a key's window, without counting a request."""
    state = sa.select(rate_windows.c.requests, rate_windows.c.opened_at).where(rate_windows.c.key_id == key_id)
    row = connection.execute(state).first()
    if row is None or not now - WINDOW_SECONDS < row.opened_at < now + WINDOW_SECONDS:
        return Rate(limit, 0, WINDOW_SECONDS)
    requests, opened_at = row
    return Rate(limit, min(requests, limit), opened_at + WINDOW_SECONDS - now)
