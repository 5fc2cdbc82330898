"""The catalog's tracks as far as an HTTP process needs to know them; it reads them, the workbench writes them."""

from __future__ import annotations

import json
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from workbench.store import grids
from workbench.store.database import recordings, tracks


@dataclass(frozen=True, slots=True)
class TrackFacts:
    """What is stored of a track."""

    track_id: str
    content_hash: str
    catalog_song_id: str | None
    catalog_audio_file_id: str | None
    seconds: float | None
    """decoded length; None where it was never analysed"""
    grid_revision: str = ""
    """which of the track's grids counts; empty: the one that we heard"""


def get(connection: Connection, track_id: str) -> TrackFacts | None:
    """The track of an id."""
    row = connection.execute(sa.select(tracks).where(tracks.c.track_id == track_id)).first()
    if row is None:
        return None
    given = json.loads(row.fields)
    text = connection.scalar(sa.select(recordings.c.measured).where(recordings.c.content_hash == row.content_hash))
    measured = {} if text is None else json.loads(text)
    return TrackFacts(
        row.track_id,
        row.content_hash,
        given.get("catalog_song_id"),
        given.get("catalog_audio_file_id"),
        measured.get("duration_seconds"),
        grids.revision_of(connection, row.content_hash),
    )


def with_audio(connection: Connection, audio_id: str) -> str | None:
    """A track whose bytes an audio id stands for."""
    start = audio_id.removeprefix("aud_")
    query = sa.select(tracks.c.track_id).where(tracks.c.content_hash.startswith(start, autoescape=True))
    return connection.scalar(query.order_by(tracks.c.track_id).limit(1))
