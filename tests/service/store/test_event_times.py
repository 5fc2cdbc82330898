"""The time of an event is recorded unless a later one is."""

from __future__ import annotations

from service.store import event_times
from workbench.store.database import Database

EARLY, LATE = "2026-11-21T12:00:00.000000+00:00", "2026-11-21T12:00:01.000000+00:00"


def test_times_go_forward_by_account_and_setting(database: Database) -> None:
    with database.write() as connection:
        assert event_times.advance(connection, "ada", "payment_method", LATE)
        assert event_times.advance(connection, "ada", "payment_method", LATE)
        assert not event_times.advance(connection, "ada", "payment_method", EARLY)
        assert event_times.advance(connection, "ada", "spend_cap_micros", EARLY)
        assert event_times.advance(connection, "eve", "payment_method", EARLY)
