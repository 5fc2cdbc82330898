"""What is kept of recordings by hand is known by its revisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.home import Home
from workbench.loops.constraints import SeamConstraints, TrackRange
from workbench.settings import WorkbenchSettings
from workbench.workflows.grids import delete_grid, save_grid
from workbench.workflows.kept_constraints import forget_constraints, keep_wishes, seam_wishes
from workbench.workflows.kept_records import kept_revisions
from workbench.workspace import Workspace

TRACK, OTHER = "0" * 64, "1" * 64
GRID = BeatGrid(np.arange(0.5, 11.5, 0.5), np.arange(22) % 4 + 1, 4, 1.0)
SUNG = SeamConstraints(never_cut=(TrackRange(40.0, 60.0),))


def test_whatever_is_kept_or_dropped_shows_in_the_revisions(tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home"), settings=WorkbenchSettings(database_url=None)) as workspace:
        assert kept_revisions(workspace) == frozenset()
        assert workspace.existing_database is None, "asking creates no database"
        grid = save_grid(workspace, TRACK, GRID)
        with_grid = kept_revisions(workspace)
        assert with_grid == {(TRACK, grid.revision)}
        keep_wishes(workspace, OTHER, seam_wishes(workspace, OTHER, SUNG, "apply"))
        assert len(kept_revisions(workspace) - with_grid) == 1
        forget_constraints(workspace, OTHER)
        assert kept_revisions(workspace) == with_grid
        delete_grid(workspace, TRACK)
        assert kept_revisions(workspace) == frozenset()
