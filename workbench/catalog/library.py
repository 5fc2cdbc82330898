"""The catalog's tracks as records: adding, listing, removing, and noticing files that changed.

The library holds what is known about tracks and where their files are; it opens them only to hash their bytes.
Analysis belongs to the workflows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row
from ulid import ULID

from workbench.catalog.track import Track, checked_fields
from workbench.errors import MediaError, UnknownTrack
from workbench.media.containers import hash_file
from workbench.store.database import Database, now, tracks

PRESENT, MISSING = "present", "missing"


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What became of the files of the catalog."""

    unchanged: tuple[str, ...]
    """ids of tracks whose bytes are as they were"""
    changed: tuple[str, ...]
    """ids of tracks whose bytes are new: what was analysed before no longer applies"""
    missing: tuple[str, ...]
    """ids of tracks whose file cannot be read; their records are kept"""


class Library:
    """The tracks in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        path: Path,
        fields: Mapping[str, Any] | None = None,
        *,
        track_id: str | None = None,
        content_hash: str | None = None,
    ) -> Track:
        """Add a file as a track, or update the track it already is.

        Without an id, a path that is known updates its first track; fields that are not given keep their values. With
        an id, the track of that id is updated or made. Equal bytes under two ids stay two tracks.

        Parameters
        ----------
        path : the file
        fields : track fields to set, see `Track`
        track_id : the id to keep, from a manifest
        content_hash : of the file's bytes, where the caller has just computed it

        Raises
        ------
        MediaError : the file cannot be read
        ParameterError : an id or a field that a track cannot have
        """
        path = Path(path).absolute()
        given = checked_fields(fields or {})
        digest = content_hash or hash_file(path)
        with self._database.write() as connection:
            known = _find(connection, path, track_id)
            values = {**({} if known is None else json.loads(known.fields)), **given}
            identity = known.track_id if known is not None else track_id or f"trk_{ULID()}"
            track = Track(track_id=identity, path=path, content_hash=digest, **values)
            stamp = now()
            record = {
                "path": str(path), "content_hash": digest, "fields": json.dumps(track.known()), "state": PRESENT,
                "updated_at": stamp,
            }  # fmt: skip
            if known is None:
                connection.execute(tracks.insert().values(track_id=identity, added_at=stamp, **record))
            else:
                connection.execute(tracks.update().where(tracks.c.track_id == identity).values(**record))
        return track

    def update(self, track_id: str, fields: Mapping[str, Any]) -> Track:
        """Set fields of a track, measured or corrected ones.

        Raises
        ------
        UnknownTrack : no track of that id
        ParameterError : a field that a track cannot have
        """
        given = checked_fields(fields)
        with self._database.write() as connection:
            row = _by_id(connection, track_id)
            track = _track(row, given)
            change = tracks.update().where(tracks.c.track_id == track_id)
            connection.execute(change.values(fields=json.dumps(track.known()), updated_at=now()))
        return track

    def get(self, track_id: str) -> Track:
        """The track of an id.

        Raises
        ------
        UnknownTrack : there is none
        """
        with self._database.read() as connection:
            return _track(_by_id(connection, track_id))

    def list(self) -> list[Track]:
        """All tracks, in the order in which they were added."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(tracks).order_by(tracks.c.added_at, tracks.c.track_id)).all()
        return [_track(row) for row in rows]

    def remove(self, track_id: str) -> None:
        """Forget a track; its file stays where it is.

        Raises
        ------
        UnknownTrack : no track of that id
        """
        with self._database.write() as connection:
            gone = connection.execute(tracks.delete().where(tracks.c.track_id == track_id))
            if gone.rowcount == 0:
                raise _unknown(track_id)

    def reindex(self, track_ids: Iterable[str] | None = None) -> Reindexed:
        """Hash the files again, all or those of some tracks, and note which changed or are gone.

        Raises
        ------
        UnknownTrack : an id that is not in the catalog
        """
        chosen = self.list() if track_ids is None else [self.get(track_id) for track_id in track_ids]
        found: dict[str, list[str]] = {"unchanged": [], "changed": [], MISSING: []}
        for track in chosen:
            try:
                digest = hash_file(track.path)
            except MediaError:
                outcome, digest = MISSING, track.content_hash
            else:
                outcome = "unchanged" if digest == track.content_hash else "changed"
            found[outcome].append(track.track_id)
            state = MISSING if outcome == MISSING else PRESENT
            with self._database.write() as connection:
                # Only if nobody has updated the track since it was read.
                change = tracks.update().where(
                    tracks.c.track_id == track.track_id, tracks.c.content_hash == track.content_hash
                )
                connection.execute(change.values(content_hash=digest, state=state, updated_at=now()))
        return Reindexed(tuple(found["unchanged"]), tuple(found["changed"]), tuple(found[MISSING]))


def _find(connection: Connection, path: Path, track_id: str | None) -> Row[Any] | None:
    query = sa.select(tracks).order_by(tracks.c.added_at, tracks.c.track_id).limit(1)
    own = tracks.c.path == str(path) if track_id is None else tracks.c.track_id == track_id
    return connection.execute(query.where(own)).first()


def _by_id(connection: Connection, track_id: str) -> Row[Any]:
    row = connection.execute(sa.select(tracks).where(tracks.c.track_id == track_id)).first()
    if row is None:
        raise _unknown(track_id)
    return row


def _track(row: Row[Any], more: Mapping[str, Any] | None = None) -> Track:
    values = {**json.loads(row.fields), **(more or {})}
    return Track(track_id=row.track_id, path=Path(row.path), content_hash=row.content_hash, **values)


def _unknown(track_id: str) -> UnknownTrack:
    return UnknownTrack(f"no track {track_id!r} in the catalog; `workbench catalog list` shows what there is")
