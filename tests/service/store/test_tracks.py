"""What an HTTP process reads of a track that the workbench wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from service.store import tracks
from workbench.catalog.library import Library, LibraryEntry, Measurement
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.store import saved as grids
from workbench.store.database import Database
from workbench.store.saved import make_record

TRACK = "ab" * 32


def test_facts_are_the_catalogs_and_lengths_what_was_measured(database: Database, tmp_path: Path) -> None:
    measured = Measurement(
        TRACK, "a", {"duration_seconds": 61.5}, np.zeros(CONTOUR_PARTS, np.float16), np.zeros(SOUND_DIMS, np.float16)
    )
    Library(database).add_all(
        [
            LibraryEntry(tmp_path / "one", {"catalog_song_id": "song"}, "t1", TRACK),
            LibraryEntry(tmp_path / "two", {}, "t2", "cd" * 32),
        ],
        [measured],
    )
    with database.write() as connection:
        found = tracks.get(connection, "t1")
        assert found == tracks.TrackFacts("t1", TRACK, "song", None, 61.5)
        assert tracks.get(connection, "t2") == tracks.TrackFacts("t2", "cd" * 32, None, None, None)
        assert tracks.get(connection, "t3") is None
        assert tracks.find_by_audio(connection, f"aud_{TRACK[:20]}") == found
        assert tracks.find_by_audio(connection, "aud_00") is None
        kept = grids.put(connection, make_record(TRACK, [0.5, 1.0], [1, 2], 2))
        corrected = tracks.get(connection, "t1")
        assert corrected is not None
        assert corrected.grid_revision == kept.revision
