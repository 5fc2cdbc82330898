"""The catalog's tracks as records: adding, listing, removing, and detecting files that changed.

The library holds what is known about tracks and where their files are; it opens the files only to hash their bytes.
Analysis belongs to the workflows.

Given values are stored with the track, measured ones with the recording, that is, with the hash of the bytes: equal
bytes are measured once, however many tracks they are, and a track whose file changes loses the old measurements.

Each transaction that changes the catalog raises its revision and marks the rows it touched. So a copy, such as
`workbench.matching.snapshot`, can ask for the changes since the revision it has.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, Row
from ulid import ULID

from workbench.catalog.track import FIELD_KINDS, Track, contradictions, validate_fields
from workbench.errors import MediaError, UnknownTrack
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.files import hash_file
from workbench.recording import FloatArray
from workbench.store import saved as grids
from workbench.store.catalog_revision import current_revision, next_revision
from workbench.store.database import CREATED, Database, now, recordings, removed_tracks, revisions, tracks
from workbench.store.saved import CorrectedGrid

PRESENT, MISSING = "present", "missing"
_MADE_UP = re.compile("trk_[0-9A-HJKMNP-TV-Z]{26}")  # the ULID of `_put`
_AT_ONCE = 500
"""ids in one statement; SQLite takes 999 values"""


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """The measurements of one recording."""

    content_hash: str
    """SHA-256 of the file's bytes"""
    analysis: str
    """version and parameters of the analysis; a recording with another text is measured again"""
    facts: Mapping[str, Any]
    """numbers and texts by name, in JSON types; those named like track fields are values of the track"""
    contour: FloatArray
    """shape (CONTOUR_PARTS,), float16, energy 0 to 1"""
    sound: FloatArray
    """shape (SOUND_DIMS,), float16, of unit length or zero"""
    grid: CorrectedGrid | None = None
    """the grid to save that it was measured on: detected at the tempo that the catalog gives"""


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A file to be added, or a track to be updated."""

    path: Path
    fields: Mapping[str, Any] = field(default_factory=dict)
    track_id: str | None = None
    content_hash: str | None = None
    """of the file's bytes, where the caller has just computed it"""


@dataclass(frozen=True, slots=True, eq=False)
class ChangedTrack:
    """A track that was added or changed, with its measurements."""

    track: Track
    measurement: Measurement | None


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Changes of the catalog up to a revision."""

    revision: int
    changed: tuple[ChangedTrack, ...]
    """added or changed, the oldest change first"""
    removed: tuple[str, ...]
    """ids"""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """Result of hashing the catalog's files again."""

    unchanged: tuple[str, ...]
    """ids of tracks whose bytes are the same"""
    changed: tuple[str, ...]
    """ids of tracks whose bytes are different: the old analysis no longer applies"""
    missing: tuple[str, ...]
    """ids of tracks whose file cannot be read; their records stay"""


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

        Without an id, a path that is known updates its first track, and so do bytes that are known; these keep the path
        that they are known by while a file is there. Fields that are not given keep their values. With an id, the track
        of that id is updated or created; one of these bytes whose id was made up here gets the given id instead. Equal
        bytes under two given ids stay two tracks. `content_hash` is the SHA-256 of the file's bytes, where the caller
        has just computed it. Raises `MediaError` for a file that cannot be read, and `ParameterError` for an id or a
        field that a track cannot have.
        """
        (track,) = self.add_all([LibraryEntry(path, fields or {}, track_id, content_hash)])
        return track

    def add_all(self, entries: Sequence[LibraryEntry], measurements: Iterable[Measurement] = ()) -> list[Track]:
        """Add files as `add` does, and record measurements, in one transaction."""
        given = [validate_fields(entry.fields) for entry in entries]
        paths = [place_of(entry.path) for entry in entries]
        # Files are hashed before the transaction begins, since other writers wait for its end.
        digests = [entry.content_hash or hash_file(path) for entry, path in zip(entries, paths, strict=True)]
        places = self._places({one for one, entry in zip(digests, entries, strict=True) if entry.track_id is None})
        for digest, path in zip(digests, paths, strict=True):
            places.setdefault(digest, path)
        with self._database.write() as connection:
            revision = next_revision(connection)
            for measurement in measurements:
                _record(connection, measurement, revision)
            rows = zip(entries, paths, digests, given, strict=True)
            ids = [
                _put(connection, entry.track_id, path, digest, fields, revision, places)
                for entry, path, digest, fields in rows
            ]
            found = _by_ids(connection, ids)
        return [found[identity] for identity in ids]

    def _places(self, digests: Iterable[str]) -> dict[str, Path]:
        """Files of the catalog that hold some bytes still, by their hash."""
        found: dict[str, Path] = {}
        with self._database.read() as connection:
            for some in _parts(list(digests)):
                query = sa.select(tracks.c.content_hash, tracks.c.path).where(tracks.c.content_hash.in_(some))
                for digest, path in connection.execute(query.order_by(tracks.c.added_at, tracks.c.track_id)):
                    found.setdefault(digest, Path(path))
        return {digest: path for digest, path in found.items() if _digest(path, hash_file) == digest}

    def update(self, track_id: str, fields: Mapping[str, Any]) -> Track:
        """Set given fields of a track; None and empty lists are left out, and other fields keep their values.

        Raises `UnknownTrack`, and `ParameterError` for a field that a track cannot have.
        """
        given = validate_fields(fields)
        with self._database.write() as connection:
            known = connection.execute(sa.select(tracks.c.fields).where(tracks.c.track_id == track_id)).first()
            if known is None:
                raise _unknown(track_id)
            values = json.dumps({**json.loads(known.fields), **given}, ensure_ascii=False)
            change = tracks.update().where(tracks.c.track_id == track_id)
            revision = next_revision(connection)
            connection.execute(change.values(fields=values, updated_at=now(), revision=revision))
            return _by_ids(connection, [track_id])[track_id]

    def record(self, measurement: Measurement) -> None:
        """Store the measurements of a recording, in the catalog or not, in place of the earlier ones."""
        with self._database.write() as connection:
            _record(connection, measurement, next_revision(connection))

    def measured(self, content_hashes: Iterable[str], analysis: str) -> set[str]:
        """Those of some recordings that have been measured with an analysis, as in `Measurement.analysis`."""
        found: set[str] = set()
        with self._database.read() as connection:
            for some in _parts(list(content_hashes)):
                query = sa.select(recordings.c.content_hash).where(
                    recordings.c.content_hash.in_(some), recordings.c.analysis == analysis
                )
                found.update(connection.scalars(query))
        return found

    def get(self, track_id: str) -> Track:
        """Get a track; raises `UnknownTrack`."""
        return self.get_all([track_id])[0]

    def get_all(self, track_ids: Sequence[str]) -> list[Track]:
        """Get tracks, in the order of the ids; raises `UnknownTrack`."""
        with self._database.read() as connection:
            found = _by_ids(connection, track_ids)
        return [found[track_id] for track_id in track_ids]

    def with_content(self, content_hash: str) -> list[Track]:
        """The tracks of some bytes, in the order in which they were added; of files that may have changed since."""
        query = _SELECT.where(tracks.c.content_hash == content_hash).order_by(tracks.c.added_at, tracks.c.track_id)
        with self._database.read() as connection:
            return [_track(row) for row in connection.execute(query).all()]

    def list(self) -> list[Track]:
        """All tracks, in the order in which they were added."""
        with self._database.read() as connection:
            rows = connection.execute(_SELECT.order_by(tracks.c.added_at, tracks.c.track_id)).all()
        return [_track(row) for row in rows]

    def is_empty(self) -> bool:
        """Whether it has no track."""
        with self._database.read() as connection:
            return connection.scalar(sa.select(tracks.c.track_id).limit(1)) is None

    def remove(self, track_id: str) -> None:
        """Remove a track from the catalog; its file stays where it is. Raises `UnknownTrack`."""
        with self._database.write() as connection:
            gone = connection.execute(tracks.delete().where(tracks.c.track_id == track_id))
            if gone.rowcount == 0:
                raise _unknown(track_id)
            connection.execute(removed_tracks.insert().values(track_id=track_id, revision=next_revision(connection)))

    def revision(self) -> tuple[str, int]:
        """Time at which the catalog was created, which identifies it, and how often it has changed."""
        with self._database.read() as connection:
            return _revision(connection)

    def changes(self, since: int, limit: int) -> Changes:
        """Changes after a revision, 0 for everything, the oldest first.

        After `limit` tracks it stops, but the changes of one transaction stay together; `revision` of what it returns
        is where the next call goes on.
        """
        with self._database.read() as connection:
            _, upto = _revision(connection)
            marks = (
                sa.select(tracks.c.revision)
                .where(tracks.c.revision > since)
                .order_by(tracks.c.revision)
                .offset(limit)
                .limit(1)
            )
            upto = connection.scalar(marks) or upto
            touched = _SELECT.where(tracks.c.revision > since, tracks.c.revision <= upto)
            rows = connection.execute(touched.order_by(tracks.c.revision, tracks.c.added_at, tracks.c.track_id))
            changed = tuple(ChangedTrack(_track(row), _measurement(row)) for row in rows)
            gone = sa.select(removed_tracks.c.track_id).where(
                removed_tracks.c.revision > since, removed_tracks.c.revision <= upto
            )
            return Changes(upto, changed, tuple(connection.scalars(gone)))

    def reindex(self, hash_bytes: Callable[[Path], str] = hash_file) -> Reindexed:
        """Hash the files of all tracks again, and note which changed or are missing."""
        found: dict[str, list[str]] = {"unchanged": [], "changed": [], MISSING: []}
        digests: dict[Path, str | None] = {}
        for track in self.list():
            if track.path not in digests:
                digests[track.path] = _digest(track.path, hash_bytes)
            digest = digests[track.path]
            outcome = MISSING if digest is None else "unchanged" if digest == track.content_hash else "changed"
            found[outcome].append(track.track_id)
            state = MISSING if digest is None else PRESENT
            # Only if the track was not updated since it was read.
            same = (tracks.c.track_id == track.track_id, tracks.c.content_hash == track.content_hash)
            values: dict[str, Any] = {"content_hash": digest or track.content_hash, "state": state}
            with self._database.write() as connection:
                if outcome == "changed":
                    values["revision"] = next_revision(connection)
                connection.execute(tracks.update().where(*same).values(**values, updated_at=now()))
        return Reindexed(tuple(found["unchanged"]), tuple(found["changed"]), tuple(found[MISSING]))


_SELECT = sa.select(tracks, recordings.c.measured, recordings.c.descriptor, recordings.c.analysis).select_from(
    tracks.outerjoin(recordings, tracks.c.content_hash == recordings.c.content_hash)
)


def _digest(path: Path, hash_bytes: Callable[[Path], str]) -> str | None:
    try:
        return hash_bytes(path)
    except MediaError:
        return None


def place_of(path: Path) -> Path:
    """A path as records have it: absolute, its folder without symbolic links; a link to a file keeps its own name."""
    return path.parent.resolve() / path.name


def _put(
    connection: Connection,
    track_id: str | None,
    path: Path,
    digest: str,
    given: Mapping[str, Any],
    revision: int,
    places: Mapping[str, Path],
) -> str:
    """Write one track; returns its id. `places` are the files that hold known bytes still."""
    query = sa.select(tracks.c.track_id, tracks.c.fields).order_by(tracks.c.added_at, tracks.c.track_id).limit(1)
    own = tracks.c.path == str(path) if track_id is None else tracks.c.track_id == track_id
    known = connection.execute(query.where(own)).first()
    if known is None and track_id is None:
        known = connection.execute(query.where(tracks.c.content_hash == digest)).first()
        if known is not None:
            path = places[digest]
    if known is None and track_id is not None and (renamed := _made_up(connection, digest)) is not None:
        known = connection.execute(query.where(tracks.c.track_id == renamed)).one()
        connection.execute(tracks.update().where(tracks.c.track_id == renamed).values(track_id=track_id))
        connection.execute(removed_tracks.insert().values(track_id=renamed, revision=revision))
    values = {**({} if known is None else json.loads(known.fields)), **given}
    identity = track_id or (f"trk_{ULID()}" if known is None else known.track_id)
    track = Track(track_id=identity, path=path, content_hash=digest, **values)
    stamp = now()
    record = {
        "path": str(path), "content_hash": digest, "fields": json.dumps(track.known(), ensure_ascii=False),
        "state": PRESENT, "updated_at": stamp, "revision": revision,
    }  # fmt: skip
    if known is None:
        connection.execute(tracks.insert().values(track_id=identity, added_at=stamp, **record))
    else:
        connection.execute(tracks.update().where(tracks.c.track_id == identity).values(**record))
    connection.execute(removed_tracks.delete().where(removed_tracks.c.track_id == identity))
    return str(identity)


def _made_up(connection: Connection, digest: str) -> str | None:
    """The id of the track of some bytes, if it was made up here because none was given."""
    ids = connection.scalars(sa.select(tracks.c.track_id).where(tracks.c.content_hash == digest))
    return next((found for found in ids if _MADE_UP.fullmatch(found)), None)


def _record(connection: Connection, measurement: Measurement, revision: int) -> None:
    """Write a measurement, and mark the tracks that it belongs to as changed."""
    if (detected := measurement.grid) is not None and grids.get(connection, detected.content_hash) is None:
        grids.put(connection, detected)
    own = recordings.c.content_hash == measurement.content_hash
    values = {
        "measured": json.dumps(dict(measurement.facts), ensure_ascii=False, allow_nan=False),
        "descriptor": pack_descriptor(measurement.contour, measurement.sound),
        "analysis": measurement.analysis,
        "measured_at": now(),
    }
    if not connection.execute(recordings.update().where(own).values(**values)).rowcount:
        connection.execute(recordings.insert().values(content_hash=measurement.content_hash, **values))
    same = tracks.c.content_hash == measurement.content_hash
    connection.execute(tracks.update().where(same).values(revision=revision))


def _revision(connection: Connection) -> tuple[str, int]:
    created = connection.scalar(sa.select(revisions.c.revision).where(revisions.c.name == CREATED))
    return str(created), current_revision(connection)


def _by_ids(connection: Connection, track_ids: Sequence[str]) -> dict[str, Track]:
    found = {
        row.track_id: _track(row)
        for some in _parts(track_ids)
        for row in connection.execute(_SELECT.where(tracks.c.track_id.in_(some))).all()
    }
    for track_id in track_ids:
        if track_id not in found:
            raise _unknown(track_id)
    return found


def _parts(items: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(items), _AT_ONCE):
        yield items[first : first + _AT_ONCE]


def _track(row: Row[Any]) -> Track:
    given = json.loads(row.fields)
    facts = {} if row.measured is None else json.loads(row.measured)
    measured = {name: value for name, value in facts.items() if name in FIELD_KINDS}
    own = {name: value for name, value in measured.items() if name not in given}
    if "musical_key_name" in given or "musical_key_mode" in given:  # halves of a given and a measured key do not mix
        own = {name: value for name, value in own.items() if not name.startswith("musical_key")}
    return Track(
        track_id=row.track_id,
        path=Path(row.path),
        content_hash=row.content_hash,
        **given,
        **own,
        measured=frozenset(own),
        contradictions=contradictions(given, measured),
    )


def _measurement(row: Row[Any]) -> Measurement | None:
    if row.measured is None:
        return None
    both = np.frombuffer(base64.b64decode(row.descriptor), dtype="<f2", count=CONTOUR_PARTS + SOUND_DIMS)
    facts = json.loads(row.measured)
    return Measurement(row.content_hash, row.analysis, facts, both[:CONTOUR_PARTS], both[CONTOUR_PARTS:])


def pack_descriptor(contour: FloatArray, sound: FloatArray) -> str:
    """Contour and sound vector as the database stores them: base64 of both as little-endian half floats."""
    both = np.concatenate((contour, sound)).astype("<f2")
    return base64.b64encode(both.tobytes()).decode("ascii")


def _unknown(track_id: str) -> UnknownTrack:
    return UnknownTrack(f"no track {track_id!r} in the catalog; `workbench catalog list` shows what there is")
