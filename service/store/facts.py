"""Facts: single values that all processes share, such as which revision the analysis has."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.tables import facts

ANALYSIS_REVISION = "analysis_revision"
"""digest of everything that decides what the analysis answers; job processes write it when they start"""
LINK_SECRET = "link_secret"
"""signs upload and preview links where the settings name no secret"""


_BY_NAME = sa.select(facts.c.value).where(facts.c.name == sa.bindparam("name"))  # put together once


def get(connection: Connection, name: str) -> str | None:
    """The value of a fact."""
    return connection.scalar(_BY_NAME, {"name": name})


def put(connection: Connection, name: str, value: str) -> None:
    """Set a fact."""
    row = insert(connection, facts).values(name=name, value=value)
    connection.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": value}))


def settle(connection: Connection, name: str, value: str) -> str:
    """Set a fact that has no value yet; returns the value that it has now, whoever set it."""
    connection.execute(insert(connection, facts).values(name=name, value=value).on_conflict_do_nothing())
    found = get(connection, name)
    assert found is not None
    return found
