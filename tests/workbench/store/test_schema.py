"""Schemas: new databases, revisions that add and take away, and databases from before revisions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command

from workbench.errors import StoreError
from workbench.store.database import SCHEMA, Database
from workbench.store.schema import Schema, alembic_config, revision_of

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
