"""The small picture of a video: made once, and again when the video has changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import av
import pytest
from PIL import Image

from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.video import find_still, still_file
from workbench.errors import MediaError
from workbench.store.home import Home


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Two seconds of a pattern, wider than the picture."""
    out = tmp_path / "patterns.mp4"
    with (
        av.open("testsrc=size=480x270:rate=5,trim=duration=2[out0]", format="lavfi") as drawn,
        av.open(str(out), "w") as written,
    ):
        stream = written.add_stream("libx264", rate=5)
        stream.width, stream.height, stream.pix_fmt = 480, 270, "yuv420p"
        for frame in drawn.decode(video=0):
            written.mux(stream.encode(frame))
        written.mux(stream.encode(None))
    return out


def test_a_picture_is_made_once(tmp_path: Path, video: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    assert find_still(workspace.home, video) is None
    made = still_file(workspace, video)
    assert made is not None
    with Image.open(made) as picture:
        assert picture.size == (240, 135)
    before = made.stat().st_mtime_ns
    assert still_file(workspace, video) == find_still(workspace.home, video) == made
    assert made.stat().st_mtime_ns == before
    os.utime(video, (1.0, 1.0))
    assert find_still(workspace.home, video) is None, "the video may be another one now"


def test_what_has_no_picture(tmp_path: Path, video: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    video.unlink()
    assert still_file(workspace, video) is None
    shutil.copy(__file__, video)
    with pytest.raises(MediaError):
        still_file(workspace, video)
