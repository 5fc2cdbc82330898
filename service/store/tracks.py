"""The facts of a catalog track that HTTP processes read; the workbench writes them."""

from __future__ import annotations

import json
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.shared_reads import shared
from service.store.shared_values import ANALYSIS_REVISION
from service.store.tables import shared_values
from workbench.store.database import grids, recordings, tracks


@dataclass(frozen=True, slots=True)
class TrackFacts:
    """The stored facts of a track."""

    track_id: str
    content_hash: str
    catalog_song_id: str | None
    catalog_audio_file_id: str | None
    seconds: float | None
    """decoded length; None: never analysed"""
    grid_revision: str = ""
    """of the beat grid that was corrected by hand; empty: there is none, the detected grid counts"""
    analysis_revision: str = ""
    """see `shared_values.ANALYSIS_REVISION`; empty: no job process has been ready yet"""


# outer joins, because a track that was never analysed has no recording and most have no corrected grid
_BY_ID = (
    sa.select(
        tracks.c.track_id,
        tracks.c.content_hash,
        tracks.c.fields,
        recordings.c.measured,
        grids.c.revision.label("grid_revision"),
        sa.select(shared_values.c.value)
        .where(shared_values.c.name == ANALYSIS_REVISION)
        .scalar_subquery()
        .label("analysis_revision"),
    )
    .outerjoin(recordings, recordings.c.content_hash == tracks.c.content_hash)
    .outerjoin(grids, grids.c.content_hash == tracks.c.content_hash)
    .where(tracks.c.track_id == sa.bindparam("sought"))
)


@shared
def get(connection: Connection, track_id: str) -> TrackFacts | None:
    """The track of an id; None if there is no such track."""
    row = connection.execute(_BY_ID, {"sought": track_id}).first()
    if row is None:
        return None
    given = json.loads(row.fields)
    return TrackFacts(
        row.track_id,
        row.content_hash,
        given.get("catalog_song_id"),
        given.get("catalog_audio_file_id"),
        None if row.measured is None else json.loads(row.measured).get("duration_seconds"),
        row.grid_revision or "",
        row.analysis_revision or "",
    )


# A range instead of LIKE, so that the index on the hash is used; every hex digit sorts before "g".
_BY_AUDIO = (
    sa.select(tracks.c.track_id)
    .where(tracks.c.content_hash >= sa.bindparam("first"), tracks.c.content_hash < sa.bindparam("end"))
    .order_by(tracks.c.track_id)
    .limit(1)
)


def find_by_audio(connection: Connection, audio_id: str) -> TrackFacts | None:
    """The track of an audio id: `aud_` and the first digits of the hash of its bytes; of several the first by id."""
    first = audio_id.removeprefix("aud_")
    track_id = connection.scalar(_BY_AUDIO, {"first": first, "end": f"{first}g"})
    return None if track_id is None else get(connection, track_id)
