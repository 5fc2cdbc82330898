"""The picture above what is heard: the video itself, or a copy where the browser cannot play it."""

from __future__ import annotations

from pathlib import Path

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.video import proxy_file
from workbench.dashboards.tabs.tab import Tab
from workbench.dashboards.tabs.video_picture import VideoPicture
from workbench.dashboards.transport import Program
from workbench.store.home import Home


def test_a_video_that_the_browser_refuses_is_shown_as_a_copy(tmp_path: Path) -> None:
    pool, program = WaitingPool(), Program()
    session = Session(Workspace(Home(tmp_path)), pool=pool)
    picture = VideoPicture(session, program, Tab(session).run)
    program.refused_url = "videos/0123"  # of another tab's program
    assert pool.tasks == []
    session.video = tmp_path / "broadcast.ts"
    picture.show(session.video, "4567", 29.97)
    assert (program.video_url, program.fps) == ("videos/4567", 29.97)
    program.refused_url = "videos/4567"
    (copying,) = pool.tasks
    assert (copying.function, copying.arguments) == (proxy_file, (tmp_path / "broadcast.ts",))
    pool.finish(0, session.home.renders / "dashboard" / "4567.proxy.webm")
    assert program.video_url == "sounds/4567.proxy.webm"
    program.refused_url = ""
    program.refused_url = "videos/4567"  # heard late
    assert len(pool.tasks) == 1


def test_a_copy_of_what_is_not_shown_any_more_comes_too_late(tmp_path: Path) -> None:
    pool, program = WaitingPool(), Program()
    session = Session(Workspace(Home(tmp_path)), pool=pool)
    picture = VideoPicture(session, program, Tab(session).run)
    session.video = tmp_path / "broadcast.ts"
    picture.show(session.video, "4567", 25.0)
    program.refused_url = program.video_url
    picture.show(tmp_path / "other.mp4", "89ab", 25.0)
    pool.finish(0, session.home.renders / "dashboard" / "4567.proxy.webm")
    assert program.video_url == "videos/89ab"


def test_a_copy_is_made_at_once_of_what_no_browser_plays(tmp_path: Path) -> None:
    pool, program = WaitingPool(), Program()
    session = Session(Workspace(Home(tmp_path)), pool=pool)
    session.video = tmp_path / "broadcast.ts"
    picture = VideoPicture(session, program, Tab(session).run)
    for _ in range(2):  # a tab may ask again, such as for another mix
        picture.show(session.video, "4567", 25.0, for_browsers=False)
    (copying,) = pool.tasks
    assert (program.video_url, copying.function) == ("", proxy_file)
    pool.finish(0, session.home.renders / "dashboard" / "4567.proxy.webm")
    assert program.video_url == "sounds/4567.proxy.webm"
