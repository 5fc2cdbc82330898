"""Which state the catalog is in, for answers that depend on all of it."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from workbench.store.database import tracks


def revision(connection: Connection) -> str:
    """A text that changes whenever a track is added, changed or removed."""
    row = connection.execute(sa.select(sa.func.count(), sa.func.max(tracks.c.updated_at))).one()
    return f"{row[0]}@{row[1]}"
