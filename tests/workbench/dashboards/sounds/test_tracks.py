"""A track is planned under a video, looped or fitted, and its sound prepared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.videos import grey, write_video
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.tracks import mix_stacked, stack_loop, stack_track
from workbench.features.levels import level_curve
from workbench.files import bundled_path
from workbench.media.audio import decode
from workbench.plans.plan import PlanKind
from workbench.render.playback import render
from workbench.store.home import Home

TRACK = bundled_path("data", "bundled", "music", "corner_store.ogg")


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Twenty seconds of grey, without sound: too short for a loop of the track."""
    return write_video(tmp_path / "grey.mp4", [grey(128)] * 100, 5)


def test_a_track_that_cannot_be_looped_is_fitted(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    stacked = stack_track(workspace, str(TRACK), video)
    plan = stacked.loop.plan
    assert plan.kind is not PlanKind.LOOP
    assert plan.window_end == pytest.approx(20.0, abs=1e-3)
    assert stacked.soundtrack is None
    assert decode(stacked.sound).sample_rate == stacked.rate
    played = level_curve(render(plan.alone, workspace.load_recording(TRACK)).samples, stacked.rate)
    assert stacked.lufs == pytest.approx(played.integrated(), abs=0.01)
    assert stacked.peak == pytest.approx(played.peak, abs=1e-4)
    assert mix_stacked(workspace, stacked).loop.mix == stacked.loop.mix
    again = stack_loop(workspace, stacked.loop)
    assert (again.sound, again.lufs) == (stacked.sound, stacked.lufs)
