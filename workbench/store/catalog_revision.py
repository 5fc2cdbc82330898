"""The catalog's revision: every transaction that changes the catalog raises it by one.

Holders of a copy of the catalog, or of an answer made from it, compare the revision; see `workbench.catalog.library`.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection

from workbench.store.database import recordings, revisions, tracks

_CATALOG = revisions.c.name == "catalog"
_CURRENT = sa.select(revisions.c.revision).where(_CATALOG)


def current_revision(connection: Connection) -> int:
    """The catalog's revision: how often a track was added, changed, measured or removed; 0: never."""
    return connection.scalar(_CURRENT) or 0


def next_revision(connection: Connection) -> int:
    """Raise the catalog's revision by one, and return it."""
    raised = revisions.update().where(_CATALOG).values(revision=revisions.c.revision + 1)
    return int(connection.execute(raised.returning(revisions.c.revision)).scalar_one())


def recording_changed(connection: Connection, content_hash: str) -> None:
    """Mark the tracks of a recording as changed, and its measurements as out of date.

    The measurements stay until the recording is measured again. If no track has this recording, the catalog's revision
    stays.
    """
    outdated = recordings.update().where(recordings.c.content_hash == content_hash)
    connection.execute(outdated.values(analysis=""))
    own = tracks.c.content_hash == content_hash
    if connection.scalar(sa.select(tracks.c.track_id).where(own).limit(1)) is not None:
        connection.execute(tracks.update().where(own).values(revision=next_revision(connection)))
