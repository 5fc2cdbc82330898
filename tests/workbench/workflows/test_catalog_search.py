"""Tracks are found by the words that people know them by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.analysis.sources import open_library
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import LibraryEntry
from workbench.store.home import Home
from workbench.workflows.catalog import search_catalog

TRACKS: dict[str, dict[str, Any]] = {
    "trk_1": {"title": "Slow Tide", "artist_name": "Lagoon Street", "tags": ["beach", "dusk"]},
    "trk_2": {"title": "Tidal", "genres": ["dub"], "moods": ["warm"]},
    "trk_3": {"title": "Über den Wolken", "tags": ["Flug"], "bpm": 120.0},
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(Home(tmp_path))
    library = open_library(workspace)
    for track_id, fields in TRACKS.items():
        path = tmp_path / f"{track_id}.wav"
        path.write_bytes(track_id.encode())
        library.add_all([LibraryEntry(path, fields, track_id)])
    return workspace


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", ["trk_1", "trk_2", "trk_3"]),
        ("tid", ["trk_2", "trk_1"]),
        ("TIDE dusk", ["trk_1"]),
        ("warm", ["trk_2"]),
        ("über", ["trk_3"]),
        ("trk_3", ["trk_3"]),
        ("title", []),
    ],
)
def test_all_words_are_looked_for(workspace: Workspace, words: str, found: list[str]) -> None:
    assert [track.track_id for track in search_catalog(workspace, words)] == found


def test_a_track_that_is_added_or_renamed_is_found_at_once(workspace: Workspace, tmp_path: Path) -> None:
    assert search_catalog(workspace, "new") == []
    open_library(workspace).update("trk_1", {"title": "New Tide"})
    assert [track.title for track in search_catalog(workspace, "new")] == ["New Tide"]
    assert len(search_catalog(workspace, "", at_most=2)) == 2


def test_an_empty_home_has_no_tracks_and_gets_no_database(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "empty"))
    assert search_catalog(workspace, "tide") == []
    assert not workspace.home.database.exists()
