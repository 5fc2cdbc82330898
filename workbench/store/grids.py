"""Grids set right by hand: records, by the bytes of the recording, that every later plan uses.

What the tracker heard stays in the array store; a corrected grid stands in front of it until it is removed. Where
another grid comes to count, the catalog changes: the tracks of that recording are marked, and what was measured in it
is out of date. Functions that take a connection leave the transaction to their caller.

Classes: `CorrectedGrid`. Functions: `put`, `get`, `remove`, `revision_of`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from workbench.store.changes import recording_changed
from workbench.store.database import grids, now


@dataclass(frozen=True, slots=True)
class CorrectedGrid:
    """The grid that somebody vouches for."""

    content_hash: str
    """SHA-256 of the recording's bytes, hex"""
    beats: tuple[float, ...]
    """s, strictly increasing"""
    positions: tuple[int, ...]
    """place in the bar, from 1"""
    beats_per_bar: int
    note: str
    """what was set right, in the words of whoever did"""
    at: str
    """ISO 8601, UTC"""

    @property
    def revision(self) -> str:
        """Digest of the grid: equal grids, equal revisions; 16 hex digits."""
        return hashlib.sha256(_text(self.beats, self.positions, self.beats_per_bar).encode()).hexdigest()[:16]


def put(
    connection: Connection,
    content_hash: str,
    beats: Sequence[float],
    positions: Sequence[int],
    beats_per_bar: int,
    note: str = "",
) -> CorrectedGrid:
    """Keep a grid for a recording, in place of the one before; whether it is a grid is the caller's to check."""
    kept = CorrectedGrid(
        content_hash,
        tuple(round(float(beat), 6) for beat in beats),
        tuple(int(position) for position in positions),
        int(beats_per_bar),
        note,
        now(),
    )
    if revision_of(connection, content_hash) != kept.revision:
        recording_changed(connection, content_hash)
    connection.execute(grids.delete().where(grids.c.content_hash == content_hash))
    text = _text(kept.beats, kept.positions, kept.beats_per_bar)
    connection.execute(
        grids.insert().values(content_hash=content_hash, revision=kept.revision, grid=text, note=note, at=kept.at)
    )
    return kept


def get(connection: Connection, content_hash: str) -> CorrectedGrid | None:
    """The corrected grid of a recording, if it has one."""
    row = connection.execute(select(grids).where(grids.c.content_hash == content_hash)).one_or_none()
    if row is None:
        return None
    grid = json.loads(row.grid)
    return CorrectedGrid(
        content_hash, tuple(grid["beats"]), tuple(grid["positions"]), grid["beats_per_bar"], row.note, row.at
    )


def remove(connection: Connection, content_hash: str) -> None:
    """Go back to the grid that was heard."""
    if connection.execute(grids.delete().where(grids.c.content_hash == content_hash)).rowcount:
        recording_changed(connection, content_hash)


def revision_of(connection: Connection, content_hash: str) -> str:
    """Which grid of a recording counts: the corrected one's revision; empty for the one that was heard."""
    return connection.scalar(select(grids.c.revision).where(grids.c.content_hash == content_hash)) or ""


def _text(beats: Sequence[float], positions: Sequence[int], beats_per_bar: int) -> str:
    grid = {"beats": list(beats), "positions": list(positions), "beats_per_bar": beats_per_bar}
    return json.dumps(grid, separators=(",", ":"), allow_nan=False)
