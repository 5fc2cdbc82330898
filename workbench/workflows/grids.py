"""Grids that were corrected by hand: kept in the database, which nothing deletes by itself, and used by every plan.

Functions: `corrected_grid`, `corrected_revisions`; `save_grid`, `delete_grid`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from workbench.beats.grid import BeatGrid
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.store.grid_records import CorrectedGrid


def corrected_grid(workspace: Workspace, content_hash: str) -> CorrectedGrid | None:
    """The corrected grid of a recording; reading creates no database.

    Parameters
    ----------
    workspace : of which the database is read
    content_hash : SHA-256 of the recording's bytes, hex

    Returns
    -------
    None if the recording has none

    Raises
    ------
    StoreError : the database cannot be used
    """
    database = workspace.existing_database
    if database is None:
        return None
    from workbench.store import grids

    with database.read() as connection:
        return grids.get(connection, content_hash)


def corrected_revisions(workspace: Workspace, content_hashes: Collection[str]) -> dict[str, str]:
    """Revisions of corrected grids.

    Parameters
    ----------
    workspace : of which the database is read
    content_hashes : SHA-256 of recordings' bytes, hex

    Returns
    -------
    by hash, for those recordings that have one

    Raises
    ------
    StoreError : the database cannot be used
    """
    database = workspace.existing_database
    if database is None:
        return {}
    from workbench.store import grids

    with database.read() as connection:
        found = {content_hash: grids.revision_of(connection, content_hash) for content_hash in set(content_hashes)}
    return {content_hash: revision for content_hash, revision in found.items() if revision}


def save_grid(
    workspace: Workspace, content_hash: str, grid: BeatGrid, note: str = "", confidence: float = 1.0
) -> CorrectedGrid:
    """Save a corrected grid for a recording; every later plan uses it.

    Parameters
    ----------
    workspace : its database takes the record
    content_hash : SHA-256 of the recording's bytes, hex
    grid : replaces the one saved before; times are rounded to the microsecond
    note : what was corrected, in the words of whoever did it
    confidence : 0 to 1; 1 where a person answers for every bar line, whatever the tracker thought of `grid`

    Returns
    -------
    CorrectedGrid : the record as it is stored

    Raises
    ------
    StoreError : the database cannot be used
    """
    from workbench.store import grids
    from workbench.store.grid_records import make_record

    places = grid.beats.tolist(), grid.positions.tolist(), grid.beats_per_bar
    with workspace.database.write() as connection:
        return grids.put(connection, make_record(content_hash, *places, note, confidence))


def delete_grid(workspace: Workspace, content_hash: str) -> None:
    """Delete the corrected grid of a recording, so that the tracker's own counts again.

    Parameters
    ----------
    workspace : its database holds the record
    content_hash : SHA-256 of the recording's bytes, hex; one without a corrected grid is left as it is

    Raises
    ------
    StoreError : the database cannot be used
    """
    from workbench.store import grids

    with workspace.database.write() as connection:
        grids.remove(connection, content_hash)
