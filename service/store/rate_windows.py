"""Rate limit of an API key: a fixed window of 60 s that opens with the key's first request, one row a key.

Counting is one statement, so the count is exact over all processes and machines that share the database, and survives a
restart. Requests that share a transaction lock the row once and write it once (`service.store.pending_rows`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlalchemy import Connection

from service.store.pending_rows import pending_rows
from workbench.store.statements import Statement

WINDOW_SECONDS = 60.0
"""length of a window"""

_COUNT = Statement(
    """INSERT INTO rate_windows (key_id, opened_at, requests) VALUES (:key_id, :now, 1)
    ON CONFLICT (key_id) DO UPDATE SET
        requests = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.requests + 1 ELSE 1 END,
        opened_at = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.opened_at ELSE :now END
    RETURNING requests, opened_at""",
    keeps_memory=True,
)
_STATE = Statement("SELECT requests, opened_at FROM rate_windows WHERE key_id = :key_id")
_LOCK = Statement(
    "SELECT requests, opened_at FROM rate_windows WHERE key_id = :key_id",
    postgresql_suffix="FOR UPDATE",
    keeps_memory=True,
)
_WRITE = Statement(
    "UPDATE rate_windows SET requests = :requests, opened_at = :opened_at WHERE key_id = :key_id", keeps_memory=True
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

        Parameters
        ----------
        key_id : of the key that the request carries
        stored : the state of the key's window in the database, from `get`
        now : s since 1970
        """
        opened_at, requests = self._windows.get(key_id, (now, stored.requests))
        if not now - WINDOW_SECONDS < opened_at <= now:
            opened_at, requests = now, stored.requests
        self._windows[key_id] = opened_at, requests + 1
        return Rate(stored.limit, requests + 1, opened_at + WINDOW_SECONDS - now)


def count(connection: Connection, key_id: str, limit: int, now: float) -> Rate:
    """Count one request.

    Parameters
    ----------
    connection : of a transaction that writes
    key_id : of the key that the request carries
    limit : requests a window
    now : s since 1970. Requests may be counted a little out of order, and clocks of machines differ a little. So a
        window that opened up to its own length in the future is the current one; only a clock that was set back by
        more than that opens a new window
    """
    rows = pending_rows(connection)
    row = None if rows is None else rows.get(_write, key_id) or _LOCK.first(connection, key_id=key_id)
    if rows is None or row is None:
        times = {"now": now, "expired": now - WINDOW_SECONDS, "ahead": now + WINDOW_SECONDS}
        row = _COUNT.first(connection, key_id=key_id, **times)
        assert row is not None
        requests, opened_at = row
    else:
        requests, opened_at = row  # as `_COUNT` does it
        requests, opened_at = (requests + 1, opened_at) if _is_open(opened_at, now) else (1, now)
        rows.set(_write, key_id, (requests, opened_at))
    return Rate(limit, requests, min(WINDOW_SECONDS, opened_at + WINDOW_SECONDS - now))


def _write(connection: Connection, key_id: str, row: tuple[int, float]) -> None:
    requests, opened_at = row
    _WRITE.change(connection, key_id=key_id, requests=requests, opened_at=opened_at)


def _is_open(opened_at: float, now: float) -> bool:
    return now - WINDOW_SECONDS < opened_at < now + WINDOW_SECONDS


def get(connection: Connection, key_id: str, limit: int, now: float) -> Rate:
    """The state of a key's window, without counting a request.

    Parameters
    ----------
    connection : any transaction
    key_id : of the key that the request carries
    limit : requests a window
    now : s since 1970; see `count`
    """
    row = _STATE.first(connection, key_id=key_id)
    if row is None or not _is_open(row[1], now):
        return Rate(limit, 0, WINDOW_SECONDS)
    requests, opened_at = row
    return Rate(limit, min(requests, limit), opened_at + WINDOW_SECONDS - now)
