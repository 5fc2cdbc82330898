"""INSERT with a rule for conflicts: SQLAlchemy has it in a class for SQLite and one for PostgreSQL, here one serves."""

from __future__ import annotations

from typing import cast

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite


def insert(connection: Connection, table: sa.Table) -> postgresql.Insert:
    """An INSERT with `on_conflict_do_nothing` and `on_conflict_do_update`, in the dialect of the connection."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return cast(postgresql.Insert, sqlite.insert(table))
