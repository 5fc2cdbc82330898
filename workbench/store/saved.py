"""Grids corrected by hand: records, by the bytes of the recording, that every later plan uses.

The tracker's grid stays in the array store; a corrected grid replaces it until it is removed. When the grid that counts
changes, so does the catalog: the tracks of that recording are marked, and its measurements are out of date. Functions
that take a connection leave the transaction to their caller.
"""

from __future__ import annotations

import json

from sqlalchemy import Connection, select

from workbench.store.catalog_revision import recording_changed
from workbench.store.database import grids
from workbench.store.grid_records import CorrectedGrid, grid_text


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
    return CorrectedGrid(
        content_hash,
        tuple(grid["beats"]),
        tuple(grid["positions"]),
        grid["beats_per_bar"],
        row.note,
        row.at,
        grid.get("confidence", 1.0),
    )


def remove(connection: Connection, content_hash: str) -> None:
    """Delete the corrected grid of a recording, so that the tracker's grid counts again."""
    if connection.execute(grids.delete().where(grids.c.content_hash == content_hash)).rowcount:
        recording_changed(connection, content_hash)


def revision_of(connection: Connection, content_hash: str) -> str:
    """The revision of a recording's corrected grid, 16 hex digits; empty if the tracker's grid counts."""
    return connection.scalar(select(grids.c.revision).where(grids.c.content_hash == content_hash)) or ""


def revisions(connection: Connection) -> list[tuple[str, str]]:
    """The revisions of the corrected grids of all recordings: pairs of a recording's hash and a revision."""
    return [
        (row.content_hash, row.revision) for row in connection.execute(select(grids.c.content_hash, grids.c.revision))
    ]
