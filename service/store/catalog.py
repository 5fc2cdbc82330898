"""Which state the catalog is in, for answers that depend on all of it."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from workbench.store.database import revisions


def revision(connection: Connection) -> str:
    """A text that changes whenever a track is added, changed or removed."""
    return str(connection.scalar(sa.select(revisions.c.revision).where(revisions.c.name == "catalog")) or 0)
