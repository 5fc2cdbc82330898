"""Single values that all processes share, such as which revision the analysis has."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import shared_values

ANALYSIS_REVISION = "analysis_revision"
"""digest of everything that decides what the analysis answers; job processes write it when they start"""
LINK_SECRET = "link_secret"
"""signs upload and preview links if the settings name no secret"""

# put together once
_BY_NAME = sa.select(shared_values.c.value).where(shared_values.c.name == sa.bindparam("name"))


def get(connection: Connection, name: str) -> str | None:
    """The value of a name."""
    return connection.scalar(_BY_NAME, {"name": name})


def set_value(connection: Connection, name: str, value: str) -> None:
    """Set a value, in place of the one that the name had."""
    row = insert(connection, shared_values).values(name=name, value=value)
    connection.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": value}))


def set_if_absent(connection: Connection, name: str, value: str) -> str:
    """Set a value if the name has none yet; returns the value that it has now, whoever set it."""
    connection.execute(insert(connection, shared_values).values(name=name, value=value).on_conflict_do_nothing())
    found = get(connection, name)
    assert found is not None
    return found
