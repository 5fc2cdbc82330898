"""The revision of the catalog: raised by whoever changes it, together with the change."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.catalog.library import Library, LibraryEntry, Measurement
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.store.catalog_revision import current_revision, next_revision, recording_changed
from workbench.store.database import Database

TRACK = "0" * 64


def test_each_change_raises_the_revision_by_one(database: Database) -> None:
    with database.write() as connection:
        before = current_revision(connection)
        assert [next_revision(connection), next_revision(connection)] == [before + 1, before + 2]
        assert current_revision(connection) == before + 2


def test_a_change_that_is_taken_back_leaves_the_revision(database: Database) -> None:
    with database.read() as connection:
        before = current_revision(connection)
    try:
        with database.write() as connection:
            next_revision(connection)
            raise InterruptedError
    except InterruptedError:
        pass
    with database.read() as connection:
        assert current_revision(connection) == before


def test_a_changed_recording_marks_its_tracks_and_what_was_measured(database: Database, tmp_path: Path) -> None:
    library = Library(database)
    nothing = Measurement(TRACK, "a", {}, np.zeros(CONTOUR_PARTS, np.float16), np.zeros(SOUND_DIMS, np.float16))
    library.add_all([LibraryEntry(tmp_path / "one", {}, "t1", TRACK)], [nothing])
    _, before = library.revision()
    with database.write() as connection:
        recording_changed(connection, "1" * 64)
        assert current_revision(connection) == before, "a recording that is no track's"
        recording_changed(connection, TRACK)
        assert current_revision(connection) == before + 1
    assert library.measured([TRACK], "a") == set()
    assert [change.track.track_id for change in library.changes(before, 10).changed] == ["t1"]
