"""The picture of the video above what a tab plays: the file itself, or a small copy where the browser refuses that."""

from __future__ import annotations

from pathlib import Path

from workbench.dashboards.actions import Session
from workbench.dashboards.files import video_url
from workbench.dashboards.sounds.video import playback_facts, proxy_file
from workbench.dashboards.tasks import Task
from workbench.dashboards.transport import Program
from workbench.files import stamps_of
from workbench.workflows.plan import Planned


class VideoPicture:
    """Shows the session's video in a program: the file itself, or a copy that browsers can play."""

    def __init__(self, session: Session, program: Program) -> None:
        self._session, self._program = session, program
        self._video: Path | None = None
        self._copying: tuple[Path, Task] | None = None
        program.param.watch(lambda event: self._copy(event.new), "refused_url")
        session.param.watch(lambda *_: self._cover(), ["video", "still"])
        self._cover()

    def take(self, loop: Planned | None) -> None:
        """Show the video of a loop, once it is known how a browser plays it."""
        video = None if loop is None else loop.video
        if video == self._video:
            return
        self._video, self._program.video_url = video, ""

        def known(facts: tuple[str, float, bool]) -> None:
            digest, fps, for_browsers = facts
            self._program.fps = fps
            if for_browsers and video is not None:
                self._program.video_url = video_url(video, digest)
            else:
                self._make_copy()

        if video is not None:
            self._session.run(
                playback_facts, video, on_result=known, is_current=lambda: video == self._video, subject=str(video),
                cache_key=stamps_of(video),
            )  # fmt: skip

    def _cover(self) -> None:
        session, still = self._session, self._session.still
        self._program.param.update(
            video_shown=session.video is not None, still="" if still is None else session.url_of(still)
        )

    def _copy(self, refused: str) -> None:
        """Have a copy made of a video whose picture the browser cannot play."""
        if refused and refused == self._program.video_url:
            self._make_copy()

    def _make_copy(self) -> None:
        """Show a copy of the video once it is made, unless something else is shown by then."""
        video, program, session = self._video, self._program, self._session
        if video is None:
            return
        shown = program.video_url
        if self._copying is not None:
            copied, task = self._copying
            if copied == video and not (task.cancelled or task.wait(0.0)):
                return

        def is_wanted() -> bool:
            return self._video == video and program.video_url == shown

        def show(path: Path) -> None:
            program.video_url = session.url_of(path)

        self._copying = video, session.run(proxy_file, video, on_result=show, is_current=is_wanted, subject=str(video))
