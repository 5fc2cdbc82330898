"""Rows that wait: changed in memory, undone call by call, written once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service.store.pending_rows import pending_rows, sharing
from workbench.store.database import Database


def test_rows_are_undone_call_by_call_and_written_once(database: Database) -> None:
    written: list[tuple[str, int]] = []

    def write(_: Connection, name: Any, value: Any) -> None:
        written.append((name, value))

    with database.write() as connection:
        assert pending_rows(connection) is None
        with sharing(connection) as rows:
            assert pending_rows(connection) is rows
            rows.set(write, "a", 1)
            rows.set(write, "a", 2)
            rows.keep()
            rows.set(write, "a", 3)
            rows.set(write, "b", 1)
            rows.set(write, "a", 4)
            assert rows.get(write, "a") == 4
            rows.undo()
            assert (rows.get(write, "a"), rows.get(write, "b")) == (2, None)
            rows.write(connection)
        assert pending_rows(connection) is None
    assert written == [("a", 2)]
