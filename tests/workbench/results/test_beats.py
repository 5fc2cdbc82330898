from __future__ import annotations

import jsonschema
import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.results.beats import beat_grid_body
from workbench.results.schemas import schemas

GRID = BeatGrid(0.25 + 0.5 * np.arange(8), np.array([4, 1, 2, 3, 4, 1, 2, 3]), 4, 0.9)


def test_beats_at_120_bpm() -> None:
    body = beat_grid_body(GRID, 4.5000004, track_id=None, cached=False).to_json()
    jsonschema.validate(body, schemas()["BeatGrid"])
    assert body["tempo_bpm"] == 120.0
    assert body["duration_seconds"] == 4.5
    assert body["beats"] == [0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75]
    assert body["downbeats"] == [0.75, 2.75]
    assert body["track_id"] is None
    assert "job_id" not in body
    assert "billed_minutes" not in body
