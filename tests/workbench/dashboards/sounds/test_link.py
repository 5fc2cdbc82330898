"""The sound of a frozen version: what was planned, or a refusal where the track is another one."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.link import shown_file, shown_sound
from workbench.errors import InputError
from workbench.files import bundled_path
from workbench.media.audio import decode
from workbench.plans.plan import LoopPlan
from workbench.render.playback import render
from workbench.review.versions import freeze_plan, has_its_video, thaw
from workbench.store.home import Home
from workbench.workflows.plan import Planned, loop_track


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(Home(tmp_path_factory.mktemp("shown")))


@pytest.fixture(scope="module")
def loop(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """A copy of a bundled track under four minutes."""
    path = tmp_path_factory.mktemp("track") / "track.ogg"
    shutil.copy(bundled_path("data", "bundled", "music", "corner_store.ogg"), path)
    return loop_track(workspace, find_track(workspace, str(path)), 240.0)


def test_a_version_without_a_video_is_its_music(workspace: Workspace, loop: Planned) -> None:
    assert isinstance(loop.answer, LoopPlan)
    version = freeze_plan(workspace, loop)
    out = shown_sound(workspace, version.version_id)
    assert (
        out
        == shown_file(workspace.home, thaw(workspace, version.version_id))
        == shown_sound(workspace, version.version_id)
    )
    expected = render(loop.answer, workspace.load_recording(loop.track.path)).samples
    np.testing.assert_allclose(decode(out).samples, expected, atol=2e-4)


def test_another_video_at_its_place_is_not_played(workspace: Workspace, loop: Planned, tmp_path: Path) -> None:
    video = tmp_path / "film.mp4"
    video.write_bytes(b"one film")
    version = freeze_plan(workspace, replace(loop, video=video, provenance=None))
    frozen = thaw(workspace, version.version_id)
    assert has_its_video(workspace, frozen)
    video.write_bytes(b"another film")
    assert not has_its_video(workspace, frozen)
    with pytest.raises(InputError, match=r"film\.mp4 has other bytes than the video"):
        shown_sound(workspace, version.version_id)


def test_another_track_at_its_place_is_not_played(workspace: Workspace, loop: Planned, tmp_path: Path) -> None:
    assert isinstance(loop.answer, LoopPlan)
    plan = replace(loop.answer.alone, seam_fades=(0.2, *loop.answer.seam_fades[1:]))
    path = tmp_path / "moved.ogg"
    shutil.copy(loop.track.path, path)
    version = freeze_plan(workspace, replace(loop, answer=plan, track=replace(loop.track, path=path)))
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(InputError, match=r"moved\.ogg has other bytes"):
        shown_sound(workspace, version.version_id)
