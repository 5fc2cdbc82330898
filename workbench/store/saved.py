"""What users saved about a recording: its grid, corrected by hand, found by its bytes and used by every later plan.

The tracker's grid stays in the array store; a corrected grid replaces it until it is removed. When the grid that counts
changes, so does the catalog: the tracks of that recording are marked, and its measurements are out of date. Functions
that take a connection leave the transaction to their caller.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from workbench.store.catalog_revision import recording_changed
from workbench.store.clock import now
from workbench.store.database import grids
from workbench.store.fingerprint import grid_revision, grid_text


@dataclass(frozen=True, slots=True)
class CorrectedGrid:
    """A grid that a user corrected or confirmed, or that was detected at a known tempo."""

    content_hash: str
    """SHA-256 of the recording's bytes, hex"""
    beats: tuple[float, ...]
    """s, strictly increasing"""
    positions: tuple[int, ...]
    """place in the bar, from 1"""
    beats_per_bar: int
    note: str
    """the correction in the user's words"""
    at: str
    """ISO 8601, UTC"""
    confidence: float = 1.0
    """0 to 1: how sure the downbeats are; under 1 where only the tempo was known"""

    @property
    def revision(self) -> str:
        """Digest of the grid: equal grids, equal revisions; 16 hex digits."""
        return grid_revision(self.beats, self.positions, self.beats_per_bar, self.confidence)


def make_record(
    content_hash: str,
    beats: Sequence[float],
    positions: Sequence[int],
    beats_per_bar: int,
    note: str = "",
    confidence: float = 1.0,
) -> CorrectedGrid:
    """The record of a grid as it is from now on. The caller validates the grid.

    Beats (s) are rounded to the microsecond, the confidence (0 to 1) to the ten-thousandth.
    """
    return CorrectedGrid(
        content_hash,
        tuple(round(float(beat), 6) for beat in beats),
        tuple(int(position) for position in positions),
        int(beats_per_bar),
        note,
        now(),
        round(confidence, 4),
    )


def put(connection: Connection, record: CorrectedGrid) -> CorrectedGrid:
    """Keep a corrected grid for its recording, in place of the one before."""
    if revision_of(connection, record.content_hash) != record.revision:
        recording_changed(connection, record.content_hash)
    connection.execute(grids.delete().where(grids.c.content_hash == record.content_hash))
    connection.execute(
        grids.insert().values(
            content_hash=record.content_hash,
            revision=record.revision,
            grid=grid_text(record.beats, record.positions, record.beats_per_bar, record.confidence),
            note=record.note,
            at=record.at,
        )
    )
    return record


def get(connection: Connection, content_hash: str) -> CorrectedGrid | None:
    """The corrected grid of a recording; None if it has none."""
    row = connection.execute(select(grids).where(grids.c.content_hash == content_hash)).one_or_none()
    if row is None:
        return None
    grid = json.loads(row.grid)
    places = tuple(grid.pop("beats")), tuple(grid.pop("positions"))
    return CorrectedGrid(content_hash, *places, note=row.note, at=row.at, **grid)


def remove(connection: Connection, content_hash: str) -> None:
    """Delete the corrected grid of a recording, so that the tracker's grid counts again."""
    if connection.execute(grids.delete().where(grids.c.content_hash == content_hash)).rowcount:
        recording_changed(connection, content_hash)


def revision_of(connection: Connection, content_hash: str) -> str:
    """The revision of a recording's corrected grid, 16 hex digits; empty if the tracker's grid counts."""
    return connection.scalar(select(grids.c.revision).where(grids.c.content_hash == content_hash)) or ""


def revisions(connection: Connection) -> list[tuple[str, str]]:
    """The revisions of the corrected grids of all recordings: pairs of a recording's hash and a revision."""
    return [tuple(row) for row in connection.execute(select(grids.c.content_hash, grids.c.revision))]
