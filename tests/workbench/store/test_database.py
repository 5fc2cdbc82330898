"""The database: transactions, readers and writers at once, and clear words when it cannot be used."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from workbench.errors import StoreError
from workbench.store import database as tables
from workbench.store.database import Database, now
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

VIDEO = {"path": "/a.mp4", "content_hash": "00", "added_at": now()}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    opened = Database.at(home, WorkbenchSettings(database_url=None))
    yield opened
    opened.close()


def count(database: Database) -> int:
    with database.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(tables.videos)) or 0


def test_it_lies_in_the_home_folder_which_is_made(database: Database, home: Home) -> None:
    assert home.database.is_file()


def test_opening_again_changes_nothing(database: Database, home: Home) -> None:
    with database.write() as connection:
        connection.execute(tables.videos.insert().values(video_id="vid_1", **VIDEO))
    again = Database.at(home, WorkbenchSettings(database_url=None))
    assert count(again) == 1
    again.close()


def test_a_transaction_happens_whole_or_not_at_all(database: Database) -> None:
    def fail() -> None:
        with database.write() as connection:
            connection.execute(tables.videos.insert().values(video_id="vid_1", **VIDEO))
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        fail()
    assert count(database) == 0


def test_readers_do_not_wait_for_a_writer(database: Database) -> None:
    with database.write() as connection:
        connection.execute(tables.videos.insert().values(video_id="vid_1", **VIDEO))
        assert count(database) == 0
    assert count(database) == 1


def test_writers_in_several_processes_lose_nothing(database: Database, home: Home) -> None:
    code = f"""
from workbench.store.database import Database, now, videos
import os, sqlalchemy as sa
database = Database({database.url!r})
for number in range(10):
    with database.write() as connection:
        before = connection.scalar(sa.select(sa.func.count()).select_from(videos))
        connection.execute(videos.insert().values(
            video_id=f"vid_{{os.getpid()}}_{{number}}", path="/a", content_hash=str(before), added_at=now()))
"""
    writers = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    assert count(database) == 30
    with database.read() as connection:
        seen = [int(text) for text in connection.scalars(sa.select(tables.videos.c.content_hash))]
    assert sorted(seen) == list(range(30))  # each saw all that was written before it


@pytest.mark.parametrize(
    ("url", "match"),
    [
        ("nothing", "not a database address"),
        ("foo://host/name", "not a database address"),
        ("sqlite:////nonexistent/folder/file", "cannot be used"),
    ],
)
def test_what_is_no_database(url: str, match: str) -> None:
    with pytest.raises(StoreError, match=match):
        Database(url)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "track.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        Database(f"sqlite:///{tmp_path / 'track.sqlite'}")


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as caught:
        Database("postgresql+nodriver://user:secret@host/name")
    assert "secret" not in str(caught.value)


def test_moments_sort_as_text() -> None:
    earlier = now()
    assert earlier <= now()
    assert now().endswith("+00:00")


def test_opening_a_database_that_is_up_to_date_waits_for_nobody(database: Database, home: Home) -> None:
    with database.write() as connection:
        connection.execute(tables.videos.insert().values(video_id="vid_1", **VIDEO))
        again = Database.at(home, WorkbenchSettings(database_url=None))  # while another writes
        again.close()


def test_readers_who_come_again_find_their_connections_open(database: Database) -> None:
    """The service reads in eight threads; a connection that is opened anew costs more than most readers read."""
    together = threading.Barrier(8)

    def read(_: int) -> int:
        with database.read() as connection:
            together.wait(timeout=30)
            return id(connection.connection.dbapi_connection)

    with ThreadPoolExecutor(8) as threads:
        before, after = (set(threads.map(read, range(8))) for _ in range(2))
    assert before == after
