"""Corrected grids: records that outlive every cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.analysis.grids import corrected_grid
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import Library, LibraryEntry, Measurement
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.store import saved as grids
from workbench.store.database import Database
from workbench.store.grid_records import make_record
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

SETTINGS = WorkbenchSettings(database_url=None)
TRACK = "0" * 64


def test_a_grid_is_found_by_the_bytes_until_it_is_removed(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with database.write() as connection:
        kept = grids.put(connection, make_record(TRACK, [0.5, 1.0, 1.5], [3, 1, 2], 3, "shifted by a beat"))
    assert corrected_grid(Workspace(home, settings=SETTINGS), TRACK) == kept
    with database.write() as connection:
        assert grids.revision_of(connection, TRACK) == kept.revision
        grids.remove(connection, TRACK)
        assert grids.revision_of(connection, TRACK) == ""
    assert corrected_grid(Workspace(home, settings=SETTINGS), TRACK) is None


def test_equal_grids_have_equal_revisions(database: Database) -> None:
    with database.write() as connection:
        first = grids.put(connection, make_record(TRACK, [0.5, 1.0], [1, 2], 2, "one way"))
        again = grids.put(connection, make_record(TRACK, [0.5, 1.0], [1, 2], 2, "the other"))
        other = grids.put(connection, make_record(TRACK, [0.5, 1.0], [2, 1], 2))
    assert first.revision == again.revision != other.revision


def test_another_grid_marks_the_tracks_of_its_recording(database: Database, tmp_path: Path) -> None:
    library = Library(database)
    nothing = Measurement(TRACK, "a", {}, np.zeros(CONTOUR_PARTS, np.float16), np.zeros(SOUND_DIMS, np.float16))
    entries = [LibraryEntry(tmp_path / "one", {}, "t1", TRACK), LibraryEntry(tmp_path / "two", {}, "t2", "1" * 64)]
    library.add_all([*entries, LibraryEntry(tmp_path / "again", {}, "t3", TRACK)], [nothing])

    def touched(positions: list[int]) -> list[str]:
        """Tracks that a correction changes; none at all for a removal."""
        _, before = library.revision()
        with database.write() as connection:
            if positions:
                grids.put(connection, make_record(TRACK, [0.5, 1.0], positions, 2))
            else:
                grids.remove(connection, TRACK)
        changes = library.changes(before, 100)
        assert changes.revision - before == bool(changes.changed)
        return [change.track.track_id for change in changes.changed]

    assert library.measured([TRACK], "a") == {TRACK}
    assert touched([1, 2]) == ["t1", "t3"]
    assert library.measured([TRACK], "a") == set()
    assert touched([1, 2]) == []
    assert touched([2, 1]) == ["t1", "t3"]
    assert touched([]) == ["t1", "t3"]
    assert touched([]) == []


def test_a_grid_of_a_recording_that_is_no_track_changes_no_catalog(database: Database) -> None:
    library = Library(database)
    before = library.revision()
    with database.write() as connection:
        grids.put(connection, make_record(TRACK, [0.5, 1.0], [1, 2], 2))
    assert library.revision() == before
