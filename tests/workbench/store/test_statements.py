"""Statements on SQLite: they run in the transaction of their connection, and their errors are the store's."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import StoreError
from workbench.store.database import Database, revisions
from workbench.store.statements import Lookup, Statement, driver_of_sqlite, is_locked

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
        with pytest.raises(sqlite3.OperationalError) as refused:
            alone.begin()
    assert is_locked(refused.value)
    with alone.begin():
        assert _ALL.first(alone) == ("a", 1)
    alone.close()


_FIND = Lookup("SELECT revision FROM revisions WHERE name = :key", lambda row: int(row[0]))
_APART = Statement("INSERT INTO removed_tracks (track_id, revision) VALUES (:track_id, 1)", keeps_memory=True)


def _set(connection: sa.Connection, name: str, revision: int) -> None:
    connection.execute(revisions.delete().where(revisions.c.name == name))
    connection.execute(revisions.insert().values(name=name, revision=revision))


def test_a_writer_that_stays_open_reads_what_it_remembers_once(database: Database) -> None:
    with database.write() as connection:
        _set(connection, "a", 1)
    writer = database.connect_writer()
    statements: list[str] = []
    driver_of_sqlite(writer).set_trace_callback(statements.append)
    for number in range(3):
        with writer.begin():
            assert _FIND.find(writer, "a") == 1
            _APART.change(writer, track_id=f"trk_{number}")
            assert _FIND.find(writer, "a") == 1
            assert _FIND.find(writer, "not there") is None
    assert sum("SELECT revision" in one and "'a'" in one for one in statements) == 1
    with writer.begin():  # a change of its own, which it sees and then rolls back
        driver_of_sqlite(writer).execute("SAVEPOINT one")
        _set(writer, "a", 2)
        assert _FIND.find(writer, "a") == 2
        driver_of_sqlite(writer).execute("ROLLBACK TO one")
        assert _FIND.find(writer, "a") == 1
    with database.write() as connection:  # somebody else's
        _set(connection, "a", 3)
    with writer.begin():
        assert _FIND.find(writer, "a") == 3
    writer.close()


_STEP = st.tuples(
    st.sampled_from(("mine", "mine, undone", "another's", "apart")), st.sampled_from("abc"), st.integers(0, 9)
)


def test_what_is_remembered_is_what_is_stored(database: Database) -> None:
    """Whoever changes it, and whether the change stays; all histories one after the other on one writer."""
    writer = database.connect_writer()
    number = itertools.count()

    def check() -> None:
        for name in "abc":
            query = sa.select(revisions.c.revision).where(revisions.c.name == name)
            assert _FIND.find(writer, name) == writer.scalar(query)

    def change(whose: str, name: str, revision: int) -> None:
        driver_of_sqlite(writer).execute("SAVEPOINT one")
        if whose == "apart":
            _APART.change(writer, track_id=f"trk_{next(number)}")
        else:
            _set(writer, name, revision)
        check()
        if whose == "mine, undone":
            driver_of_sqlite(writer).execute("ROLLBACK TO one")
        driver_of_sqlite(writer).execute("RELEASE one")

    @settings(max_examples=50, deadline=None)
    @given(transactions=st.lists(st.lists(_STEP, max_size=4), max_size=4), commits=st.booleans())
    def live(transactions: list[list[tuple[str, str, int]]], *, commits: bool) -> None:
        for steps in transactions:
            for _, name, revision in [step for step in steps if step[0] == "another's"]:
                with database.write() as connection:
                    _set(connection, name, revision)
            transaction = writer.begin()
            check()
            for step in steps:
                if step[0] != "another's":
                    change(*step)
                    check()
            transaction.commit() if commits else transaction.rollback()

    live()
    writer.close()
