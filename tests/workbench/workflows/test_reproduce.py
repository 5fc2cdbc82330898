"""Files are found by their bytes, wherever the home has them."""

from pathlib import Path

import pytest

from workbench.analysis.provenance import FileRecord
from workbench.analysis.sources import open_library, recorded_track, recorded_video
from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, PlanError
from workbench.files import hash_file
from workbench.store import videos
from workbench.store.home import Home
from workbench.workflows.reproduce import reproduce


def test_a_track_is_found_in_the_catalog_or_by_its_name(tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home")) as workspace:
        track, copy = tmp_path / "track.wav", tmp_path / "copy.wav"
        track.write_bytes(b"sound")
        record = FileRecord(name="track.wav", content_hash=hash_file(track))
        assert recorded_track(workspace, record, [tmp_path]) == track
        copy.write_bytes(b"sound")
        track.write_bytes(b"other sound")
        with pytest.raises(InputError, match=r"the track track\.wav \([0-9a-f]{12}…\) is not in this home folder"):
            recorded_track(workspace, record, [tmp_path])
        open_library(workspace).add(copy)
        assert recorded_track(workspace, record) == copy


def test_a_video_is_found_among_those_that_were_added(tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home")) as workspace:
        video = tmp_path / "video.mp4"
        video.write_bytes(b"picture")
        record = FileRecord(name="video.mp4", content_hash=hash_file(video))
        with pytest.raises(InputError, match="give video"):
            recorded_video(workspace, record)
        with workspace.database.write() as connection:
            videos.put(connection, "vid_1", video, content_hash=hash_file(video), title="", seconds=1.0)
        assert recorded_video(workspace, record) == video


def test_a_result_that_says_nothing_of_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="no provenance"):
        reproduce(Workspace(Home(tmp_path)), {"plan": {}})
