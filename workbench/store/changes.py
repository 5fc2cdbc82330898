"""Noting that the catalog changed: its revision, which every transaction that changes it raises by one.

Whoever keeps a copy of the catalog or an answer made from it asks for the revision; see `workbench.catalog.library`.

Functions: `current_revision`, `next_revision`, `recording_changed`.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from workbench.store.database import recordings, revisions, tracks

_CATALOG = revisions.c.name == "catalog"


def current_revision(connection: Connection) -> int:
    """How often the catalog has changed: a track added, changed, measured or removed."""
    return int(connection.scalar(sa.select(revisions.c.revision).where(_CATALOG)) or 0)


def next_revision(connection: Connection) -> int:
    """Raise the catalog's revision; returns the new one."""
    raised = revisions.update().where(_CATALOG).values(revision=revisions.c.revision + 1)
    return int(connection.execute(raised.returning(revisions.c.revision)).scalar_one())


def recording_changed(connection: Connection, content_hash: str) -> None:
    """Mark the tracks of a recording as changed, and what was measured in it as out of date.

    What was measured stays until it is measured anew. A recording that is no track's changes no catalog.
    """
    outdated = recordings.update().where(recordings.c.content_hash == content_hash)
    connection.execute(outdated.values(analysis=""))
    own = tracks.c.content_hash == content_hash
    if connection.scalar(sa.select(tracks.c.track_id).where(own).limit(1)) is not None:
        connection.execute(tracks.update().where(own).values(revision=next_revision(connection)))
