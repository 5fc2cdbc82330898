"""What a video's timeline is drawn from: the video as it was watched, a few pictures, and the plan as it is heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.videos import coloured_shots, write_video
from workbench.analysis.workspace import Workspace
from workbench.features.levels import HOPS_PER_SECOND
from workbench.plans.request import LOOP_ALONE
from workbench.store.home import Home
from workbench.workflows.plan import plan_track
from workbench.workflows.report import video_timeline

SECONDS, FPS = 66, 4


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """A silent video of three textures, 22 s each."""
    pictures = coloured_shots(3, width=128).repeat(22 * FPS, axis=0)[: SECONDS * FPS]
    return write_video(tmp_path / "three.mp4", pictures, FPS)


def test_everything_is_on_the_videos_clock(track: Path, video: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    loop = plan_track(workspace, track, video, LOOP_ALONE)
    overview = video_timeline(workspace, loop, workspace.load_recording(track))
    assert overview.watched.picture.cuts.tolist() == [22.0, 44.0]
    assert overview.music.plan == loop.plan
    assert overview.music.music_power.size == pytest.approx(SECONDS * HOPS_PER_SECOND, abs=2)
    assert overview.music.duck_points == ()
    assert overview.tiles[0].first_s == 0.0
    assert overview.tiles[-1].last_s == pytest.approx(SECONDS, abs=0.3)
    assert [tile.first_s for tile in overview.tiles[1:]] == [tile.last_s for tile in overview.tiles[:-1]]
    assert all(0.0 <= at <= SECONDS for at, _ in overview.frames)
    first, last = overview.track_span
    assert 0.0 <= first < last <= loop.plan.song_duration
