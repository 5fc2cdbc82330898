"""The sound of a frozen version: what was planned, or a refusal where the track is another one."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.workbench.dashboards.conftest import copy_home
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.link import shown_file, shown_sound
from workbench.errors import InputError
from workbench.media.audio import decode
from workbench.render.playback import render
from workbench.review.versions import freeze_plan, has_its_video, thaw
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture(scope="module")
def loop(corner_loop: Planned) -> Planned:
    return corner_loop


@pytest.fixture(scope="module")
def workspace(corner_home: Home, loop: Planned, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(copy_home(corner_home, tmp_path_factory.mktemp("shown") / "home"))


def test_a_version_without_a_video_is_its_music(workspace: Workspace, loop: Planned) -> None:
    version = freeze_plan(workspace, loop)
    out = shown_sound(workspace, version.version_id)
    assert (
        out
        == shown_file(workspace.home, thaw(workspace, version.version_id))
        == shown_sound(workspace, version.version_id)
    )
    expected = render(loop.plan, workspace.load_recording(loop.track.path)).samples
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
    plan = replace(loop.plan.alone, seam_fades=(0.2, *loop.plan.seam_fades[1:]))
    path = tmp_path / "moved.ogg"
    shutil.copy(loop.track.path, path)
    version = freeze_plan(workspace, replace(loop, answer=plan, track=replace(loop.track, path=path)))
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(InputError, match=r"moved\.ogg has other bytes"):
        shown_sound(workspace, version.version_id)
