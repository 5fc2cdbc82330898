"""Saved grids and videos."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from workbench.catalog.library import Library, LibraryEntry, Measurement
from workbench.errors import ParameterError, UnknownVideo
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.store import saved as grids
from workbench.store import videos
from workbench.store.database import Database
from workbench.store.fingerprint import grid_revision, grid_text
from workbench.store.saved import CorrectedGrid, make_record
from workbench.store.settings import WorkbenchSettings

SETTINGS = WorkbenchSettings(database_url=None)
TRACK = "0" * 64


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


def test_equal_records_have_equal_revisions() -> None:
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


def test_a_record_is_read_as_it_was_put_and_printed(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        kept = videos.put(
            connection, "trailer", tmp_path / "a.mp4", content_hash="0" * 64, title="A", seconds=12.3456789
        )
        assert videos.get(connection, "trailer") == kept
    assert kept.to_json() == {
        "video_id": "trailer", "title": "A", "seconds": 12.345679, "path": str(tmp_path / "a.mp4"),
        "content_hash": "0" * 64, "added_at": kept.added_at,
    }  # fmt: skip


def test_another_file_under_an_id_keeps_the_time_when_it_was_added(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        first = videos.put(connection, "v", tmp_path / "a.mp4", content_hash="0" * 64, title="A", seconds=1.0)
        again = videos.put(connection, "v", tmp_path / "b.mp4", content_hash="1" * 64, title="B", seconds=2.0)
        assert videos.every(connection) == [again]
    assert again.added_at == first.added_at
    assert (again.path.name, again.title) == ("b.mp4", "B")


def test_videos_are_listed_in_the_order_in_which_they_were_added(database: Database, tmp_path: Path) -> None:
    for name in ("z", "a", "m"):
        with database.write() as connection:
            videos.put(connection, name, tmp_path / name, content_hash="0" * 64, title="", seconds=1.0)
    with database.read() as connection:
        listed = videos.every(connection)
    assert [record.added_at for record in listed] == sorted(record.added_at for record in listed)
    assert {(record.video_id, record.title) for record in listed} == {("z", "z"), ("a", "a"), ("m", "m")}


def test_unknown_and_impossible_ids_are_refused(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        with pytest.raises(UnknownVideo, match="nobody: no video of that id"):
            videos.get(connection, "nobody")
        for bad in ("", " v", "x" * 129):
            with pytest.raises(ParameterError):
                videos.put(connection, bad, tmp_path, content_hash="0" * 64, title="", seconds=1.0)
        assert videos.every(connection) == []
