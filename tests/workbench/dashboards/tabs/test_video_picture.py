"""The picture above what is heard: the video itself, or a copy where the browser cannot play it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.video import playback_facts, proxy_file
from workbench.dashboards.tabs.video_picture import VideoPicture
from workbench.dashboards.transport import Program
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture
def pool() -> WaitingPool:
    return WaitingPool()


@pytest.fixture
def picture(tmp_path: Path, pool: WaitingPool, program: Program) -> VideoPicture:
    return VideoPicture(Session(Workspace(Home(tmp_path)), pool=pool), program)


@pytest.fixture
def program() -> Program:
    return Program()


def under(loop: Planned, video: Path) -> Planned:
    video.touch()
    return replace(loop, video=video)


def test_a_video_that_the_browser_refuses_is_shown_as_a_copy(
    picture: VideoPicture, pool: WaitingPool, program: Program, corner_fit: Planned, tmp_path: Path
) -> None:
    program.refused_url = "videos/0123"  # of another tab's program
    loop = under(corner_fit, tmp_path / "broadcast.ts")
    for _ in range(2):  # such as with another mix
        picture.take(loop)
    (asked,) = pool.tasks
    assert (asked.function, asked.arguments) == (playback_facts, (loop.video,))
    pool.finish(0, ("4567", 29.97, True))
    assert (program.video_url, program.fps) == ("videos/4567", 29.97)
    program.refused_url = "videos/4567"
    assert (pool.tasks[1].function, pool.tasks[1].arguments) == (proxy_file, (loop.video,))
    copy = Home(tmp_path).renders / "dashboard" / "4567.proxy.webm"
    pool.finish(1, copy)
    assert program.video_url == "sounds/4567.proxy.webm"
    program.refused_url = ""
    program.refused_url = "videos/4567"  # heard late
    assert len(pool.tasks) == 2


def test_a_copy_of_what_is_not_shown_any_more_comes_too_late(
    picture: VideoPicture, pool: WaitingPool, program: Program, corner_fit: Planned, tmp_path: Path
) -> None:
    picture.take(under(corner_fit, tmp_path / "broadcast.ts"))
    pool.finish(0, ("4567", 25.0, True))
    program.refused_url = program.video_url
    picture.take(under(corner_fit, tmp_path / "other.mp4"))
    pool.finish(2, ("89ab", 25.0, True))
    pool.finish(1, Home(tmp_path).renders / "dashboard" / "4567.proxy.webm")
    assert program.video_url == "videos/89ab"
    picture.take(None)
    assert program.video_url == ""


def test_a_copy_is_made_at_once_of_what_no_browser_plays(
    picture: VideoPicture, pool: WaitingPool, program: Program, corner_fit: Planned, tmp_path: Path
) -> None:
    picture.take(under(corner_fit, tmp_path / "broadcast.ts"))
    pool.finish(0, ("4567", 25.0, False))
    assert (program.video_url, pool.tasks[1].function) == ("", proxy_file)
    pool.finish(1, Home(tmp_path).renders / "dashboard" / "4567.proxy.webm")
    assert program.video_url == "sounds/4567.proxy.webm"
