"""What a video's timeline is drawn from: the video as it was watched, a few pictures, and the plan as it is heard."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.mix.levels import HOPS_PER_SECOND
from workbench.workflows.loop import loop_track
from workbench.workflows.timeline import video_timeline
from workbench.workspace import Workspace

SECONDS, FPS = 66, 4


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """A silent video of three textures, 22 s each."""
    path = tmp_path / "three.mp4"
    shots = np.random.default_rng(2).integers(20, 235, (3, 9, 16, 3)).repeat(8, axis=1).repeat(8, axis=2)
    with av.open(str(path), "w") as output:
        stream = output.add_stream("libx264", rate=FPS, options={"preset": "ultrafast"})
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 128, 72, "yuv420p"
        for number in range(SECONDS * FPS):
            pixels = shots[number // (22 * FPS)].astype(np.uint8)
            output.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, "rgb24")))
        output.mux(stream.encode(None))
    return path


def test_everything_is_on_the_videos_clock(track: Path, video: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    loop = loop_track(workspace, track, video)
    assert isinstance(loop.answer, LoopPlan)
    overview = video_timeline(workspace, loop, workspace.load_recording(track))
    assert overview.watched.picture.cuts.tolist() == [22.0, 44.0]
    assert overview.music.plan == loop.answer
    assert overview.music.music_power.size == pytest.approx(SECONDS * HOPS_PER_SECOND, abs=2)
    assert overview.music.duck_points == ()
    assert overview.tiles[0].first_s == 0.0
    assert overview.tiles[-1].last_s == pytest.approx(SECONDS, abs=0.3)
    assert [tile.first_s for tile in overview.tiles[1:]] == [tile.last_s for tile in overview.tiles[:-1]]
    assert all(0.0 <= at <= SECONDS for at, _ in overview.frames)
    first, last = overview.track_span
    assert 0.0 <= first < last <= loop.answer.song_duration
