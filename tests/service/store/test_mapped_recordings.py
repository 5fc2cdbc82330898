"""Whose bytes were mapped: each account's own."""

from __future__ import annotations

from service.store import mapped_recordings
from workbench.store.database import Database


def test_bytes_are_new_to_an_account_once(database: Database) -> None:
    with database.write() as connection:
        assert not mapped_recordings.has_mapped(connection, "ada", "00")
        mapped_recordings.add(connection, "ada", "00")
        mapped_recordings.add(connection, "ada", "00")
        assert mapped_recordings.has_mapped(connection, "ada", "00")
        assert not mapped_recordings.has_mapped(connection, "bob", "00")
        assert not mapped_recordings.has_mapped(connection, "ada", "01")
