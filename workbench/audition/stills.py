"""A small picture of a video, by which people know it in a list.

Functions: `still_file`, which makes it; `find_still`, which only looks whether it is there.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from workbench.audition.plans import listening_folder
from workbench.files import written_whole
from workbench.home import Home
from workbench.media.probe import probe
from workbench.media.video import still
from workbench.workspace import Workspace

_PIXELS = 240
"""wide"""
_SHARE = 1.0 / 3.0
"""of the video, at which the picture is taken: past titles, before the end"""


def find_still(home: Home, video: Path) -> Path | None:
    """The picture of a video, where it was made before and the video has not changed since."""
    path = _place(home, video)
    return path if path is not None and path.is_file() else None


def still_file(workspace: Workspace, video: Path) -> Path | None:
    """The picture of a video as a JPEG file, made where it is not there yet; None if the video is gone."""
    from PIL import Image

    path = _place(workspace.home, video)
    if path is None or path.is_file():
        return path
    picture = still(video, _SHARE * probe(video).duration, _PIXELS).pixels
    with written_whole(path) as part:
        Image.fromarray(picture).save(part, format="JPEG", quality=80)
    return path


def _place(home: Home, video: Path) -> Path | None:
    """Where the picture lies: under a name that follows from the file's, its size and its time."""
    try:
        found = video.stat()
    except OSError:
        return None
    stated = f"{video.absolute()} {found.st_size} {found.st_mtime_ns}"
    return listening_folder(home) / f"{hashlib.sha256(stated.encode()).hexdigest()[:16]}.still.jpg"
