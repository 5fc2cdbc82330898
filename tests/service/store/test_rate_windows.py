"""Rate windows: requests out of their order, and clocks that are set back."""

from __future__ import annotations

from service.store import rate_windows
from workbench.store.database import Database


def test_requests_out_of_their_order_share_a_window(database: Database) -> None:
    with database.write() as connection:
        times = (1000.001, 1000.0, 1000.002, 999.9)
        counts = [rate_windows.count(connection, "key_1", 60, now).requests for now in times]
        assert counts == [1, 2, 3, 4]
        assert rate_windows.count(connection, "key_1", 60, 1060.5).requests == 1
        assert rate_windows.count(connection, "key_1", 60, 500.0).requests == 1, "a clock that was set back"
