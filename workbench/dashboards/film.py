"""The picture of the video above what a tab has to be heard.

The browser plays the file itself; of one that it cannot play a small copy is made (`workbench.audition.proxies`).

Classes: `FilmPicture`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.audition.proxies import proxy_file
from workbench.dashboards.files import film_url
from workbench.dashboards.session import Session
from workbench.dashboards.transport import Program


class FilmPicture:
    """Shows a video in a program, itself or as a copy.

    Parameters
    ----------
    session : whose files are shown
    program : that the page's transport plays; its `film` is set here and may be emptied by anybody
    run : `Tab.run` of the tab whose program this is
    """

    def __init__(self, session: Session, program: Program, run: Callable[..., Any]) -> None:
        self._session, self._program, self._run = session, program, run
        self._video: Path | None = None
        program.param.watch(lambda event: self._copy(event.new), "film_refused")

    def show(self, video: Path, digest: str, fps: float) -> None:
        """Show a video.

        Parameters
        ----------
        video : its file
        digest : of its bytes
        fps : pictures a second
        """
        self._video = video
        self._program.param.update(fps=fps, film=film_url(video, digest))

    def _copy(self, refused: str) -> None:
        """Have a copy made of a video whose picture the browser cannot play."""
        video, program = self._video, self._program
        if video is None or not refused or refused != program.film:
            return

        def show(path: Path) -> None:
            program.film = self._session.url_of(path)

        self._run(proxy_file, video, then=show, wanted=lambda: program.film == refused, subject=str(video))
