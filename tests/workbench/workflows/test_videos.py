"""Videos with ids: ingested once, found by file or id, gone when their file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.videos import grey, write_video
from workbench.analysis.sources import find_video
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError, ParameterError, UnknownVideo
from workbench.store import videos
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import load_settings
from workbench.workflows.videos import add_video


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds, one cut, a title in the container."""
    path = tmp_path_factory.mktemp("video") / "harbour.mp4"
    return write_video(path, [grey(30)] * 25 + [grey(200)] * 25, 25, title="The Harbour")


def test_a_file_is_watched_once_and_stays_where_it_is(home: Home, video: Path) -> None:
    record = add_video(Workspace(home), video)
    assert record.video_id.startswith("vid_")
    assert (record.title, record.path) == ("The Harbour", video)
    assert record.seconds == pytest.approx(2.0)
    told: list[str] = []
    soundtrack = analyze_video(Workspace(home, progress=lambda stage, share: told.append(stage)), video)
    assert told == []
    assert soundtrack.content_hash == record.content_hash
    found = find_video(Workspace(home), record.video_id)
    assert (found.video_id, found.path) == (record.video_id, video)


def test_the_same_file_again_is_another_video(home: Home, video: Path) -> None:
    assert add_video(Workspace(home), video).video_id != add_video(Workspace(home), video).video_id


def test_an_id_that_is_given_is_kept_and_can_be_given_another_file(home: Home, video: Path, tmp_path: Path) -> None:
    first = add_video(Workspace(home), video, video_id="trailer")
    other = tmp_path / "other.mp4"
    other.write_bytes(video.read_bytes() + b"\0" * 8)
    second = add_video(Workspace(home), other, video_id="trailer")
    with Database.at(home, load_settings()).read() as connection:
        assert videos.every(connection) == [second]
    assert second.added_at == first.added_at
    assert second.content_hash != first.content_hash
    assert find_video(Workspace(home), "trailer").path == other


def test_a_record_prints_as_json(home: Home, video: Path) -> None:
    record = add_video(Workspace(home), video, video_id="v")
    assert record.to_json() == {
        "video_id": "v",
        "title": "The Harbour",
        "seconds": 2.0,
        "path": str(video),
        "content_hash": record.content_hash,
        "added_at": record.added_at,
    }


def test_a_file_comes_before_an_id(home: Home, video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(video.parent)
    add_video(Workspace(home), video, video_id=video.name)
    assert find_video(Workspace(home), video.name).path == Path(video.name)


def test_what_is_wrong_is_said(home: Home, video: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownVideo, match="no such file, and no video of that id"):
        find_video(Workspace(home), "vid_nobody")
    with pytest.raises(MediaError):
        add_video(Workspace(home), tmp_path / "absent.mp4")
    for bad in ("", " v", "v" * 129):
        with pytest.raises(ParameterError, match="1 to 128 characters"):
            add_video(Workspace(home), video, video_id=bad)
    moved = tmp_path / "moved.mp4"
    moved.write_bytes(video.read_bytes())
    add_video(Workspace(home), moved, video_id="moved")
    moved.unlink()
    with pytest.raises(MediaError, match="is gone"):
        find_video(Workspace(home), "moved")
