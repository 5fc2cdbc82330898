"""Grids that were corrected by hand: saved in the database, which nothing deletes by itself, and used by every plan.

An analysis in a home folder without a database loads no such records, and no SQLAlchemy: it imports this module late.
"""

from __future__ import annotations

from collections.abc import Collection

from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.store import saved as grids
from workbench.store.saved import CorrectedGrid


def corrected_grid(workspace: Workspace, content_hash: str) -> CorrectedGrid | None:
    """The corrected grid of a recording, None without one; reading creates no database."""
    database = workspace.existing_database
    if database is None:
        return None
    with database.read() as connection:
        return grids.get(connection, content_hash)


def corrected_revisions(workspace: Workspace, content_hashes: Collection[str]) -> dict[str, str]:
    """Revisions of corrected grids by recording, for those that have one."""
    database = workspace.existing_database
    if database is None:
        return {}
    with database.read() as connection:
        found = {content_hash: grids.revision_of(connection, content_hash) for content_hash in set(content_hashes)}
    return {content_hash: revision for content_hash, revision in found.items() if revision}


def every_revision(workspace: Workspace) -> frozenset[tuple[str, str]]:
    """Revisions of all corrected grids, each with its recording's hash; reading creates no database."""
    database = workspace.existing_database
    if database is None:
        return frozenset()
    with database.read() as connection:
        return frozenset(grids.revisions(connection))


def save_grid(
    workspace: Workspace, content_hash: str, grid: BeatGrid, note: str = "", confidence: float = 1.0
) -> CorrectedGrid:
    """Save a corrected grid for a recording in place of the one before; every later plan uses it.

    Times are rounded to the microsecond. `confidence` is 1 where a person answers for every bar line, whatever the
    tracker thought of `grid`.
    """
    places = grid.beats.tolist(), grid.positions.tolist(), grid.beats_per_bar
    with workspace.database.write() as connection:
        return grids.put(connection, grids.make_record(content_hash, *places, note, confidence))


def delete_grid(workspace: Workspace, content_hash: str) -> None:
    """Delete the corrected grid of a recording, if it has one, so that the tracker's own counts again."""
    with workspace.database.write() as connection:
        grids.remove(connection, content_hash)
