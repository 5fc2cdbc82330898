"""A grid that is being corrected, as a project keeps it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from workbench.beats.grid import BeatGrid
from workbench.dashboards.grid_drafts import GridDraft, draft_record, read_draft


def test_a_draft_comes_back_as_it_was() -> None:
    grid = BeatGrid(np.array([0.1, 0.7000000000000001, 1.3]), np.array([4, 1, 2]), 4)
    record = json.loads(json.dumps(draft_record(GridDraft("ab12", grid, ("half the tempo",)))))
    draft = read_draft(record)
    assert draft is not None
    assert (draft.content_hash, draft.corrections) == ("ab12", ("half the tempo",))
    assert np.array_equal(draft.grid.beats, grid.beats)
    assert np.array_equal(draft.grid.positions, grid.positions)
    assert draft_record(None) is None


@pytest.mark.parametrize(
    "record",
    [None, 7, {"beats": [1.0]}, {"content_hash": "", "beats": [2, 1], "positions": [1, 2], "beats_per_bar": 4}],
)
def test_what_cannot_be_read_is_no_draft(record: object) -> None:
    assert read_draft(record) is None
