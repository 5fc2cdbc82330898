"""The track that a person named: a file first, then an id."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.analysis.sources import find_in_catalog, find_track, open_library
from workbench.analysis.workspace import Workspace
from workbench.errors import UnknownTrack
from workbench.store.home import Home


def test_a_file_comes_before_an_id(track: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Workspace(Home(tmp_path / "home")) as workspace:
        kept = open_library(workspace).add(track, {"title": "Clicks"}, track_id="clicks")
        found = find_track(workspace, "clicks")
        assert (found.track_id, found.path, found.record) == ("clicks", track, kept)
        by_path = find_track(workspace, str(track))
        assert (by_path.track_id, by_path.path, by_path.record) == (track.name, track, None)
        monkeypatch.chdir(tmp_path)
        (tmp_path / "clicks").write_bytes(b"a file of that name")
        assert find_track(workspace, "clicks").record is None
        assert find_in_catalog(workspace, "clicks") == found


def test_what_is_neither_is_named(tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home")) as workspace, pytest.raises(UnknownTrack, match="nothing: no such file"):
        find_track(workspace, "nothing")


def test_a_file_is_no_track_of_the_catalog(track: Path, tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home")) as workspace, pytest.raises(UnknownTrack):
        find_in_catalog(workspace, str(track))
