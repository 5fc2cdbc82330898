"""The idempotency keys of beats calls: honoured for a day, each account's and endpoint's own."""

from __future__ import annotations

from service.store import idempotency_keys, tables
from service.store.idempotency_keys import EarlierCall
from service.store.times import time_from_now
from workbench.store.database import Database

BEATS = "POST /v1/beats"


def test_a_repeat_is_remembered_for_a_day_by_account_and_endpoint(database: Database) -> None:
    with database.write() as connection:
        assert idempotency_keys.find(connection, "ada", BEATS, "k") is None
        assert idempotency_keys.save(connection, "ada", BEATS, "k", "f1", "job_1") == EarlierCall("f1", "job_1")
        assert idempotency_keys.save(connection, "ada", BEATS, "k", "f2", "job_2") == EarlierCall("f1", "job_1")
        assert idempotency_keys.find(connection, "bob", BEATS, "k") is None
        assert idempotency_keys.find(connection, "ada", "POST /v1/other", "k") is None
        yesterday = time_from_now(-idempotency_keys.LIFETIME.total_seconds())
        connection.execute(tables.idempotency_keys.update().values(created_at=yesterday))
        assert idempotency_keys.find(connection, "ada", BEATS, "k") is None
        assert idempotency_keys.save(connection, "ada", BEATS, "k", "f2", "job_2") == EarlierCall("f2", "job_2")
