"""Statements on SQLite: they run in the transaction of their connection, and their errors are the store's."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from workbench.errors import StoreError
from workbench.store.database import Database
from workbench.store.statements import Statement, is_locked

_ADD = Statement("INSERT INTO revisions (name, revision) VALUES (:name, :revision)")
_RAISE = Statement("UPDATE revisions SET revision = revision + 1 WHERE revision < :below")
_ALL = Statement("SELECT name, revision FROM revisions WHERE name <> 'catalog' ORDER BY name")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(f"sqlite:///{tmp_path / 'records.sqlite'}")


def test_rows_and_numbers_of_changes(database: Database) -> None:
    with database.write() as connection:
        assert _ALL.first(connection) is None
        for number, name in enumerate("ab"):
            _ADD.change(connection, name=name, revision=10 * number)
        assert _RAISE.change(connection, below=5) >= 1
        assert [tuple(row) for row in _ALL.all(connection)] == [("a", 1), ("b", 10)]
        assert _ALL.first(connection) == ("a", 1)


def test_what_fails_is_rolled_back_and_a_store_error(database: Database) -> None:
    def add_twice() -> None:
        with database.write() as connection:
            _ADD.change(connection, name="a", revision=1)
            _ADD.change(connection, name="a", revision=1)

    with pytest.raises(StoreError, match="UNIQUE"):
        add_twice()
    with database.read() as connection:
        assert _ALL.first(connection) is None


def test_a_connection_that_does_not_wait(database: Database) -> None:
    alone = database.connect_writer()
    with database.write() as connection:
        _ADD.change(connection, name="a", revision=1)
        with pytest.raises(OperationalError) as refused:
            alone.begin()
    assert is_locked(refused.value)
    with alone.begin():
        assert _ALL.first(alone) == ("a", 1)
    alone.close()
