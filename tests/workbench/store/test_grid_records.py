"""What names a grid: its digest, the same for equal grids."""

from __future__ import annotations

import json

from workbench.store.grid_records import CorrectedGrid, grid_revision, grid_text


def test_equal_grids_have_equal_revisions() -> None:
    revision = grid_revision([0.5, 1.0], [1, 2], 2)
    assert revision == grid_revision((0.5000001, 1.0), (1, 2), 2)
    assert revision == CorrectedGrid("0" * 64, (0.5, 1.0), (1, 2), 2, "a note counts for nothing", "").revision
    others = {
        grid_revision([0.5, 1.1], [1, 2], 2),
        grid_revision([0.5, 1.0], [2, 1], 2),
        grid_revision([0.5, 1.0], [1, 2], 2, 0.8),
    }
    assert len(others | {revision}) == 4


def test_a_grid_as_text_holds_all_of_it() -> None:
    assert json.loads(grid_text((0.5, 1.0), (1, 2), 2)) == {
        "beats": [0.5, 1.0],
        "positions": [1, 2],
        "beats_per_bar": 2,
    }
    assert json.loads(grid_text((0.5, 1.0), (1, 2), 2, 0.8))["confidence"] == 0.8
