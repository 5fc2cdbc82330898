"""What is kept of recordings by hand, whatever the recording: whoever keeps a plan can tell whether it still holds.

Functions: `kept_revisions`.
"""

from __future__ import annotations

from workbench.workspace import Workspace


def kept_revisions(workspace: Workspace) -> frozenset[tuple[str, str]]:
    """Revisions of all corrected grids and constraints on seams; reading creates no database.

    Two answers are equal where a plan that is made then is made from the same records.

    Parameters
    ----------
    workspace : of which the database is read

    Returns
    -------
    frozenset : pairs of the SHA-256 of a recording's bytes, hex, and a revision

    Raises
    ------
    StoreError : the database cannot be used
    """
    database = workspace.existing_database
    if database is None:
        return frozenset()
    from workbench.store import constraints, grids

    with database.read() as connection:
        return frozenset((*grids.revisions(connection), *constraints.revisions(connection)))
