"""Grids corrected by hand: kept, found again, and what is made on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.analysis.grids import corrected_grid, corrected_revisions, delete_grid, every_revision, save_grid
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.files import bundled_path
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings
from workbench.workflows.beats import map_beats

SETTINGS = WorkbenchSettings(database_url=None)
TRACK = "0" * 64
GRID = BeatGrid(np.arange(0.5, 11.5, 0.5), np.arange(22) % 4 + 1, 4, 1.0)


def test_a_saved_grid_counts_until_it_is_deleted(tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home"), settings=SETTINGS) as workspace:
        kept = save_grid(workspace, TRACK, GRID, "by ear")
        assert corrected_grid(workspace, TRACK) == kept
        delete_grid(workspace, TRACK)
        assert corrected_grid(workspace, TRACK) is None


def test_asking_for_a_grid_makes_no_database(tmp_path: Path) -> None:
    home = Home(tmp_path / "nothing")
    assert corrected_grid(Workspace(home, settings=SETTINGS), TRACK) is None
    assert not home.root.exists()


def test_the_revisions_of_some_recordings_are_asked_for_at_once(tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home"), settings=SETTINGS) as workspace:
        kept = save_grid(workspace, TRACK, GRID)
        assert corrected_revisions(workspace, [TRACK, "1" * 64, TRACK]) == {TRACK: kept.revision}
    assert corrected_revisions(Workspace(Home(tmp_path / "nothing"), settings=SETTINGS), [TRACK]) == {}


def test_whatever_grid_is_saved_or_deleted_shows_in_the_revisions(tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home"), settings=SETTINGS) as workspace:
        assert every_revision(workspace) == frozenset()
        assert workspace.existing_database is None, "asking creates no database"
        kept, other = (save_grid(workspace, content_hash, GRID) for content_hash in (TRACK, "1" * 64))
        assert every_revision(workspace) == {(TRACK, kept.revision), ("1" * 64, other.revision)}
        delete_grid(workspace, TRACK)
        assert every_revision(workspace) == {("1" * 64, other.revision)}


def test_what_is_made_after_a_correction_is_made_on_the_corrected_grid(tmp_path: Path) -> None:
    track = bundled_path("data", "bundled", "music", "corner_store.ogg")
    with Workspace(Home(tmp_path / "home"), settings=SETTINGS) as workspace:
        found = analyze(workspace, track)
        shifted = BeatGrid(found.grid.beats, np.roll(found.grid.positions, 1), found.grid.beats_per_bar, 1.0)
        save_grid(workspace, found.content_hash, shifted)
        corrected = analyze(workspace, track)
        np.testing.assert_allclose(corrected.grid.downbeats, shifted.downbeats, atol=1e-6)
        assert corrected.grid.confidence == 1.0
        assert np.isin(np.round(corrected.profile.downbeats, 5), np.round(corrected.grid.downbeats, 5)).all()
        delete_grid(workspace, found.content_hash)
        np.testing.assert_array_equal(map_beats(workspace, track).grid.positions, found.grid.positions)
