"""The database: its file, its schema and migrations, ids."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command

from tests.damage import Way, cut, damage, emptied, zeroed
from workbench.catalog.library import Library
from workbench.errors import ParameterError, StoreError
from workbench.store import database as tables
from workbench.store.catalog_revision import current_revision, next_revision
from workbench.store.database import SCHEMA, Database, now
from workbench.store.home import Home
from workbench.store.ids import MAX_ID, check_id, check_plain_id
from workbench.store.schema import Schema, alembic_config, revision_of
from workbench.store.settings import WorkbenchSettings

VIDEO = {"path": "/a.mp4", "content_hash": "00", "added_at": now()}


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


@pytest.mark.parametrize("way", [cut, zeroed, emptied])
def test_a_damaged_database_is_an_error_that_names_it(database: Database, home: Home, way: Way) -> None:
    database.close()
    damage([home.database], way)
    os.utime(home.database, (1.0, 1.0))
    with pytest.raises(StoreError, match=str(home.database)):
        Library(Database.at(home, WorkbenchSettings(database_url=None))).list()


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as caught:
        Database("postgresql+nodriver://user:secret@host/name")
    assert "secret" not in str(caught.value)


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


_ENVIRONMENT = """
from pathlib import Path
import sqlalchemy as sa
from workbench.store.schema import Schema, run_environment
run_environment(Schema("guests", sa.MetaData(), "", Path(), ""))
"""
_REVISION = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = {revision!r}, {before!r}
def upgrade():
    {upgrade}
"""
_STEPS = {
    "1_0": 'op.create_table("rooms", sa.Column("number", sa.Text, primary_key=True), sa.Column("bell", sa.Text))',
    "1_1": 'op.add_column("rooms", sa.Column("floor", sa.Integer))',
    "2_0": 'op.drop_column("rooms", "bell")',
}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'records.sqlite'}"


@pytest.fixture
def guests(tmp_path: Path) -> Callable[[str], Schema]:
    """`guests(head)` is the schema of a package of its own, as it was with that revision."""

    def make(head: str) -> Schema:
        folder = tmp_path / head
        (folder / "versions").mkdir(parents=True, exist_ok=True)
        (folder / "alembic.ini").write_text("[alembic]\nscript_location = %(here)s\npath_separator = os\n")
        (folder / "env.py").write_text(_ENVIRONMENT)
        before = None
        for revision, upgrade in _STEPS.items():
            if revision <= head:
                text = _REVISION.format(revision=revision, before=before, upgrade=upgrade)
                (folder / "versions" / f"v{revision}.py").write_text(text)
                before = revision
        columns = {"1_0": ("bell",), "1_1": ("bell", "floor"), "2_0": ("floor",)}[head]
        metadata = sa.MetaData()
        number = sa.Column("number", sa.Text, primary_key=True)
        sa.Table("rooms", metadata, number, *(sa.Column(name, sa.Text) for name in columns))
        return Schema("guests", metadata, head, folder, "guests/0003_rooms")

    return make


def columns(database: Database, table: str) -> list[str]:
    with database.read() as connection:
        return [column["name"] for column in sa.inspect(connection).get_columns(table)]


def test_a_new_database_gets_the_tables_as_they_are_declared(url: str, guests: Callable[[str], Schema]) -> None:
    database = Database(url, (guests("2_0"),))
    assert columns(database, "rooms") == ["number", "floor"]
    with database.read() as connection:
        assert revision_of(connection, guests("2_0")) == "2_0"
    database.close()


def test_an_older_version_works_on_beside_a_newer_one_that_only_adds(url: str, guests: Callable[[str], Schema]) -> None:
    older, rooms = Database(url, (guests("1_0"),)), guests("1_0").metadata.tables["rooms"]
    newer = Database(url, (guests("1_1"),))
    restarted = Database(url, (guests("1_0"),))
    assert columns(newer, "rooms") == ["number", "bell", "floor"]
    for number, one in enumerate((older, newer, restarted)):
        with one.write() as connection:
            connection.execute(rooms.insert().values(number=str(number), bell="c"))
            assert connection.scalar(sa.select(sa.func.count()).select_from(rooms)) == number + 1
    Database(url, (guests("2_0"),)).close()
    assert columns(newer, "rooms") == ["number", "floor"]
    for head in ("1_0", "1_1"):
        with pytest.raises(StoreError, match="newer version"):
            Database(url, (guests(head),))
    Database(url).close()  # knows nothing of guests, and need not
    for one in (older, newer, restarted):
        one.close()


def test_a_revision_that_fails_leaves_the_database_as_it_was(url: str, guests: Callable[[str], Schema]) -> None:
    Database(url, (guests("1_0"),)).close()
    newer = guests("2_0")
    broken = newer.migrations / "versions" / "v2_0.py"
    broken.write_text(broken.read_text().replace("bell", "whistle"))
    with pytest.raises(StoreError, match="whistle"):
        Database(url, (newer,))
    database = Database(url, (guests("1_0"),))
    assert columns(database, "rooms") == ["number", "bell"]
    database.close()


def before_revisions(url: str, *names: str) -> None:
    """Make a database as it was before Alembic: with the names of migrations."""
    database = Database(url)
    with database.write() as connection:
        command.downgrade(alembic_config(connection, SCHEMA), "1_0")
        connection.exec_driver_sql("DROP TABLE alembic_version_workbench")
        connection.exec_driver_sql("CREATE TABLE migrations (name TEXT NOT NULL PRIMARY KEY, applied_at TEXT NOT NULL)")
        connection.exec_driver_sql("INSERT INTO migrations VALUES (?, '')", [(name,) for name in names])
        connection.exec_driver_sql("INSERT INTO grids VALUES ('00', 'r', '{}', '', '')")
    database.close()


def test_a_database_from_before_revisions_keeps_its_rows(url: str, guests: Callable[[str], Schema]) -> None:
    before_revisions(url, "0007_projects", SCHEMA.successor_of, "guests/0003_rooms")
    database = Database(url)
    with database.write() as connection:
        assert connection.scalar(sa.text("SELECT revision FROM grids")) == "r"
        assert revision_of(connection, SCHEMA) == SCHEMA.head
        connection.execute(sa.text("CREATE TABLE rooms (number TEXT PRIMARY KEY, bell TEXT)"))
    database.close()
    later = Database(url, (guests("1_1"),))  # which may come at any later time
    assert columns(later, "rooms") == ["number", "bell", "floor"]
    with later.read() as connection:
        assert not sa.inspect(connection).has_table("migrations")
    later.close()


def test_an_older_database_from_before_revisions_is_refused_in_a_line(url: str) -> None:
    before_revisions(url, "0006_reviewers", "0007_projects")
    for _ in range(2):
        with pytest.raises(StoreError, match=r"^the database is older than .* \(its tables are 0007_projects\)$"):
            Database(url)


def test_processes_that_open_a_new_database_at_once_agree(url: str) -> None:
    code = f"from workbench.store.database import Database; Database({url!r}).close()"
    openers = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [opener.wait(timeout=60) for opener in openers] == [0, 0, 0]


def test_a_database_that_is_up_to_date_is_opened_without_alembic(url: str) -> None:
    code = f"""
import sys
from workbench.store.database import Database
for _ in range(2):
    Database({url!r}).close()
    print("alembic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("given", ["", " vid", "vid\n", "v" * (MAX_ID + 1)])
def test_what_no_id_can_be(given: str) -> None:
    for check in (check_id, check_plain_id):
        with pytest.raises(ParameterError, match="video_id must have"):
            check("video_id", given)


@pytest.mark.parametrize("given", ["Größe 1", "a/b", "-vid", "../vid", "vid\n2"])
def test_what_cannot_stand_in_an_address(given: str) -> None:
    check_id("video_id", given)
    with pytest.raises(ParameterError, match="letters, digits"):
        check_plain_id("video_id", given)


@pytest.mark.parametrize("given", ["v", "vid_01J.2-b", "7", "v" * MAX_ID])
def test_plain_ids(given: str) -> None:
    check_plain_id("video_id", given)


TRACK = "0" * 64


def test_each_change_raises_the_revision_by_one(database: Database) -> None:
    with database.write() as connection:
        before = current_revision(connection)
        assert [next_revision(connection), next_revision(connection)] == [before + 1, before + 2]
        assert current_revision(connection) == before + 2


def test_a_change_that_is_taken_back_leaves_the_revision(database: Database) -> None:
    with database.read() as connection:
        before = current_revision(connection)
    try:
        with database.write() as connection:
            next_revision(connection)
            raise InterruptedError
    except InterruptedError:
        pass
    with database.read() as connection:
        assert current_revision(connection) == before
