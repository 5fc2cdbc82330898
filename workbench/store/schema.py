"""The revision of a schema that a database has, and the way to the one that this code needs.

A package declares its tables once, in a `MetaData`. A database without them gets them as they are declared; an older
one is changed by the package's Alembic revisions, `migrations/versions` beside the tables, all in one transaction. Each
package notes its revision in a version table of its own, so that a process can use a database that other packages keep
tables in, too. A revision that was released is never edited.

**Expand, then contract.** While a service is upgraded, processes of two versions work on one database, and the older
ones may start again or come back for good. So a change that they could not live with takes two releases. The first
only adds: tables, indexes, columns that may be empty or have a default, and an older version opens a database that has
them. A later release, when nothing of the older version runs any more, drops the unused; older versions
refuse the database then. Revisions are named by that: `1_1` is the first after `1_0` that only adds, `2_0` takes away.

`alembic -c workbench/store/migrations/alembic.ini revision --autogenerate --rev-id 1_1 -m "what it adds"` writes a
revision. It compares the tables with the database that `WORKBENCH_DATABASE_URL` names; `upgrade head` makes that one.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import Connection

from workbench.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config

_FIRST = "1_0"
_LOCK = 0x6261726C  # PostgreSQL's advisory lock; any constant of our own
_ALEMBIC = threading.Lock()  # its environment is a global of the process

_old_migrations = sa.table("migrations", sa.column("name", sa.Text))
"""the version table from before Alembic; the names of a package other than the workbench begin with its own"""


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one package, and its revisions."""

    name: str
    metadata: sa.MetaData
    head: str
    """the last revision, which makes the tables that `metadata` declares"""
    migrations: Path
    """Alembic's folder"""
    successor_of: str
    """the last migration from before Alembic, which left the tables of revision `1_0`"""

    @property
    def version_table(self) -> str:
        """Name of the table that holds the revision of a database."""
        return f"alembic_version_{self.name}"


def revision_of(connection: Connection, schema: Schema) -> str | None:
    """The revision that a database has; None if it has none yet."""
    if not sa.inspect(connection).has_table(schema.version_table):
        return None
    version = sa.table(schema.version_table, sa.column("version_num", sa.Text))
    return connection.scalar(sa.select(version.c.version_num))


def is_current(connection: Connection, schema: Schema) -> bool:
    """Whether this code can use the tables of a database as they are; StoreError if only newer code can."""
    found = revision_of(connection, schema)
    if found is None:
        return False
    (major, minor), (own_major, own_minor) = _numbers(found), _numbers(schema.head)
    if major > own_major:
        raise StoreError(f"the database was made by a newer version of this package ({schema.name} {found}); update it")
    return (major, minor) >= (own_major, own_minor)


def bring_up_to_date(connection: Connection, schema: Schema) -> None:
    """Make or change the tables of a database, in a transaction that writes; StoreError if its tables are too old."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    if is_current(connection, schema):  # another process was first
        return
    if revision_of(connection, schema) is None:
        if _has_old_tables(connection, schema):
            _note_revision(connection, schema, _FIRST)
        else:  # Alembic would make the same tables; it is not imported for that, because it takes longer than all else
            schema.metadata.create_all(connection, checkfirst=False)
            _note_revision(connection, schema, schema.head)
        if is_current(connection, schema):
            return
    from alembic import command

    with _ALEMBIC:
        command.upgrade(alembic_config(connection, schema), "head")


def alembic_config(connection: Connection, schema: Schema) -> Config:
    """Alembic's configuration for its commands on an open connection, whose transaction they use."""
    from alembic.config import Config

    config = Config(schema.migrations / "alembic.ini")
    config.attributes["connection"] = connection
    return config


def run_environment(schema: Schema) -> None:
    """Run an Alembic command on the connection it was given, else on `WORKBENCH_DATABASE_URL`; called by `env.py`."""
    from alembic import context

    def run(connection: Connection) -> None:
        context.configure(
            connection=connection,
            target_metadata=schema.metadata,
            version_table=schema.version_table,
            # other packages' tables are not for this one to drop
            include_name=lambda name, kind, _: kind != "table" or name in schema.metadata.tables,
            # SQLite cannot change a column; Alembic copies the table there
            render_as_batch=True,
        )
        with context.begin_transaction():
            context.run_migrations()

    given: Connection | None = context.config.attributes.get("connection")
    if given is not None:
        run(given)
        return
    engine = sa.create_engine(os.environ["WORKBENCH_DATABASE_URL"])
    with engine.begin() as connection:
        run(connection)
    engine.dispose()


def _has_old_tables(connection: Connection, schema: Schema) -> bool:
    """Whether the tables of the first revision are there from before Alembic; then nothing old is noted of them."""
    if not sa.inspect(connection).has_table(_old_migrations.name):
        return False
    owner = schema.successor_of.rpartition("/")[0]
    names = set(connection.scalars(sa.select(_old_migrations.c.name)))
    own = {name for name in names if name.rpartition("/")[0] == owner}
    if not own:
        return False
    if schema.successor_of not in own:
        raise StoreError(f"the database is older than any that this version can update (its tables are {max(own)})")
    connection.execute(_old_migrations.delete().where(_old_migrations.c.name.in_(own)))
    if names == own:
        sa.Table(_old_migrations.name, sa.MetaData()).drop(connection)
    return True


def _note_revision(connection: Connection, schema: Schema, revision: str) -> None:
    """Write the version table as Alembic would."""
    number = sa.Column("version_num", sa.String(32), primary_key=True)
    version = sa.Table(schema.version_table, sa.MetaData(), number)
    version.create(connection)
    connection.execute(version.insert().values(version_num=revision))


def _numbers(revision: str) -> tuple[int, int]:
    major, _, minor = revision.partition("_")
    return int(major), int(minor)
