"""The tables of workbench and service: what is declared is what the revisions make, and they can be taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from service.store import accounts
from service.store import tables as service_tables
from tests.service.conftest import Postgres
from workbench.errors import StoreError
from workbench.store import database as workbench_tables
from workbench.store.database import Database
from workbench.store.schema import Schema, alembic_config, revision_of

SCHEMAS = (workbench_tables.SCHEMA, service_tables.SCHEMA)


@pytest.fixture
def empty(database_url: str) -> Iterator[Connection]:
    """A transaction on an empty database of each kind."""
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def differences(connection: Connection, schema: Schema) -> Any:
    """What autogenerate would change in a database."""

    def is_ours(name: str | None, kind: str, _: Any) -> bool:
        return kind != "table" or name in schema.metadata.tables

    return compare_metadata(
        MigrationContext.configure(connection, opts={"include_name": is_ours}),
        schema.metadata,
    )


def test_a_new_database_is_what_is_declared(database: Database) -> None:
    with database.read() as connection:
        for schema in SCHEMAS:
            assert differences(connection, schema) == []
            assert revision_of(connection, schema) == schema.head


def test_revisions_go_up_and_down_twice(empty: Connection) -> None:
    for _ in range(2):
        for schema in SCHEMAS:
            command.upgrade(alembic_config(empty, schema), "head")
        for schema in SCHEMAS:
            assert differences(empty, schema) == []
            assert revision_of(empty, schema) == schema.head
        accounts.ensure(empty, "ada")
        assert empty.scalar(sa.select(workbench_tables.revisions.c.revision).where(sa.text("name = 'catalog'"))) == 1
        for schema in SCHEMAS:
            command.downgrade(alembic_config(empty, schema), "base")
        left = set(sa.inspect(empty).get_table_names())
        assert left == {schema.version_table for schema in SCHEMAS}


def shape(connection: Connection) -> dict[str, dict[str, Any]]:
    """Of each table, its columns, what rows must be told of, and what may not be there twice."""
    inspector = sa.inspect(connection)
    return {
        table: {
            "columns": {column["name"]: str(column["type"]) for column in inspector.get_columns(table)},
            "required": {
                column["name"]
                for column in inspector.get_columns(table)
                if not column["nullable"] and column["default"] is None
            },
            "unique": {json.dumps(one["column_names"]) for one in inspector.get_unique_constraints(table)}
            | {json.dumps(one["column_names"]) for one in inspector.get_indexes(table) if one["unique"]},
        }
        for table in inspector.get_table_names()
    }


def only_adds(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> bool:
    """Whether processes that know the tables as they were can go on."""
    return all(
        table in after
        and after[table]["columns"].items() >= was["columns"].items()
        and after[table]["required"] == was["required"]
        and after[table]["unique"] <= was["unique"]
        for table, was in before.items()
    )


def test_a_revision_that_is_named_so_only_adds(empty: Connection) -> None:
    for schema in SCHEMAS:
        script = ScriptDirectory.from_config(alembic_config(empty, schema))
        for revision in reversed(list(script.walk_revisions())):
            before = shape(empty)
            command.upgrade(alembic_config(empty, schema), revision.revision)
            assert only_adds(before, shape(empty)) or revision.revision.endswith("_0"), revision.revision
        assert revision.revision == schema.head


@pytest.mark.parametrize(
    ("change", "adds"),
    [
        ("ALTER TABLE accounts ADD COLUMN mood TEXT", True),
        ("ALTER TABLE accounts ADD COLUMN mood TEXT NOT NULL DEFAULT ''", True),
        ("CREATE TABLE moods (mood TEXT PRIMARY KEY)", True),
        ("CREATE INDEX by_preview ON accounts (preview)", True),
        ("ALTER TABLE accounts RENAME COLUMN preview TO previews", False),
        ("ALTER TABLE accounts DROP COLUMN preview", False),
        ("ALTER TABLE accounts RENAME TO customers", False),
        ("CREATE UNIQUE INDEX once ON accounts (preview)", False),
        ("DROP TABLE workers", False),
    ],
)
def test_what_an_older_version_can_live_with(database: Database, change: str, adds: bool) -> None:
    with database.write() as connection:
        before = shape(connection)
        connection.exec_driver_sql(change)
        assert only_adds(before, shape(connection)) is adds


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_postgresql_that_cannot_hold_every_text_is_refused_in_a_line(postgres: Postgres, encoding: str) -> None:
    url = postgres.url()
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        made = f"CREATE DATABASE {encoding} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        connection.exec_driver_sql(made)
    engine.dispose()
    with pytest.raises(StoreError, match=f"^postgresql.*: the database is in {encoding}; create one with ENCODING"):
        Database(url.replace("/postgres?", f"/{encoding.lower()}?"), (service_tables.SCHEMA,))
