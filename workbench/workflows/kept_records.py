"""What users saved of any recordings: it shows the holder of a plan whether the plan still holds.

Functions: `kept_revisions`.
"""

from __future__ import annotations

from workbench.workspace import Workspace


def kept_revisions(workspace: Workspace) -> frozenset[tuple[str, str]]:
    """Revisions of all corrected grids and constraints on seams, each with the recording's hash.

    Two answers are equal where a plan that is made then is made from the same records. Reading creates no database.
    """
    database = workspace.existing_database
    if database is None:
        return frozenset()
    from workbench.store import constraints, grids

    with database.read() as connection:
        return frozenset((*grids.revisions(connection), *constraints.revisions(connection)))
