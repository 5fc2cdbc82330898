"""The picture of the video above what a tab plays: the file itself, or a small copy where the browser refuses that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.dashboards.actions import Session
from workbench.dashboards.files import video_url
from workbench.dashboards.sounds.video import proxy_file
from workbench.dashboards.tasks import Task
from workbench.dashboards.transport import Program


class VideoPicture:
    """Shows a video in a program, itself or as a copy; the program's `video_url` may be emptied by other code."""

    def __init__(self, session: Session, program: Program, run: Callable[..., Any]) -> None:
        self._session, self._program, self._run = session, program, run
        self._video: Path | None = None
        self._copying: tuple[Path, Task] | None = None
        program.param.watch(lambda event: self._copy(event.new), "refused_url")
        session.param.watch(lambda *_: self._cover(), ["video", "still"])
        self._cover()

    def show(self, video: Path, digest: str, fps: float, *, for_browsers: bool = True) -> None:
        """Show a video."""
        self._video = video
        self._program.param.update(fps=fps, video_url=video_url(video, digest) if for_browsers else "")
        if not for_browsers:
            self._copy_of(video, "")

    def _cover(self) -> None:
        session, still = self._session, self._session.still
        self._program.param.update(
            video_shown=session.video is not None, still="" if still is None else session.url_of(still)
        )

    def _copy(self, refused: str) -> None:
        """Have a copy made of a video whose picture the browser cannot play."""
        video, program = self._video, self._program
        if video is not None and refused and refused == program.video_url:
            self._copy_of(video, refused)

    def _copy_of(self, video: Path, shown: str) -> None:
        """Show a copy of a video once it is made, unless another one is shown by then."""
        program, session = self._program, self._session
        if self._copying is not None:
            copied, task = self._copying
            if copied == video and not (task.cancelled or task.wait(0.0)):
                return

        def is_wanted() -> bool:
            return self._video == video == session.video and program.video_url == shown

        def show(path: Path) -> None:
            program.video_url = session.url_of(path)

        self._copying = video, self._run(proxy_file, video, then=show, wanted=is_wanted, subject=str(video))
