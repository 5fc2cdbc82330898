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


def test_a_process_alone_counts_on_from_what_is_stored() -> None:
    windows, stored = rate_windows.LocalWindows(), rate_windows.Rate(3, 1, 30.0)
    counted = [windows.count("key_1", stored, 100.0 + second) for second in range(3)]
    assert [(rate.requests, rate.exceeded, rate.remaining) for rate in counted] == [
        (2, False, 1), (3, False, 0), (4, True, 0),
    ]  # fmt: skip
    assert counted[-1].retry_after == 58
    assert windows.count("key_2", stored, 102.0).requests == 2
    assert windows.count("key_1", stored, 160.0).requests == 2, "a second outage counts on from what is stored too"
    assert windows.count("key_1", rate_windows.Rate(3, 0, 60.0), 230.0).requests == 1
