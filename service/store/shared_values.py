"""Single values that all processes share, such as the revision of the analysis."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.inserts import insert
from service.store.shared_reads import shared
from service.store.tables import shared_values

ANALYSIS_REVISION = "analysis_revision"
"""digest of everything that analysis results depend on; job processes write it when they start, before it is absent"""
LINK_SECRET = "link_secret"
"""signs upload and preview links if the settings name no secret"""
STORE_SWEPT_AT = "store_swept_at"
"""when a worker last looked for files that no record names"""
STORE_ID = "store_id"
"""what the marker in the home folder or store says that the processes of this database use"""
DATABASE_ID = "database_id"
"""what the home folder, or the store that machines share, says that it belongs to"""
WRITTEN_AT = "written_at"
"""when `/readyz` last found that the database can be written to"""

_BY_NAME = sa.select(shared_values.c.value).where(shared_values.c.name == sa.bindparam("sought"))


@shared
def get(connection: Connection, name: str) -> str | None:
    """The value of a name; None if the name, a constant of this module, has no value yet."""
    found: str | None = connection.scalar(_BY_NAME, {"sought": name})
    return found


def set_value(connection: Connection, name: str, value: str) -> None:
    """Set a value, replacing the one that the name had."""
    row = insert(connection, shared_values).values(name=name, value=value)
    connection.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": value}))


def set_if_absent(connection: Connection, name: str, value: str) -> str:
    """Set a value if the name has none yet; returns the value that the name has now."""
    connection.execute(insert(connection, shared_values).values(name=name, value=value).on_conflict_do_nothing())
    found = get(connection, name)
    assert found is not None
    return found
