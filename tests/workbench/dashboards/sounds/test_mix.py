"""A track with clicks on its beats, and a track placed under a video."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.dashboards.sounds.mix import clicked_file, grid_digest, placed_file

RATE = 8000
GRID = BeatGrid(np.arange(0.5, 11.5, 0.5), np.arange(22) % 4 + 1, 4, 1.0)


def test_a_track_lies_where_it_is_placed_with_silence_around_it(workspace: Workspace, track: Path) -> None:
    placed, rate = soundfile.read(placed_file(workspace, track, 3.0, 20.0))
    assert placed.shape == (20 * rate, 2)
    assert np.abs(placed[: 3 * rate]).max() < 1e-4, "a bit of dither"
    assert placed[9 * rate] == pytest.approx([0.5, -0.5], abs=1e-3)
    assert np.abs(placed[15 * rate :]).max() < 1e-4


def test_what_lies_before_and_after_the_video_is_cut_off(workspace: Workspace, track: Path) -> None:
    placed, rate = soundfile.read(placed_file(workspace, track, -6.0, 4.0))
    assert placed.shape == (4 * rate, 2)
    assert placed[0] == pytest.approx([0.5, -0.5], abs=1e-3)
    assert placed[-1] == pytest.approx([10 / 12, -10 / 12], abs=1e-3)


def test_clicks_are_on_the_beats_and_the_track_is_lower_beside_them(workspace: Workspace, track: Path) -> None:
    clicked, rate = soundfile.read(clicked_file(workspace, track, GRID))
    plain, _ = soundfile.read(track)
    assert clicked.shape == plain.shape
    added = np.abs(clicked - 0.5 * plain).max(axis=1)
    for beat in GRID.beats:
        at = round(float(beat) * rate)
        assert added[at : at + rate // 1000].max() > 0.2
        assert added[at - rate // 8 : at - 1].max() < 0.01


def test_grids_differ_by_where_bars_begin() -> None:
    same = BeatGrid(GRID.beats.copy(), GRID.positions.copy(), 4, 0.5)
    shifted = BeatGrid(GRID.beats, (np.arange(22) + 1) % 4 + 1, 4, 1.0)
    assert grid_digest(same) == grid_digest(GRID) != grid_digest(shifted)
