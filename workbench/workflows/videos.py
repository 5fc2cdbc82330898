"""Videos that have an id: ingest a file once, and find it again by what it is called.

Functions: `add_video`, `find_video`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import MediaError, UnknownVideo
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.store.videos import AddedVideo


@dataclass(frozen=True, slots=True)
class VideoSource:
    """A video as somebody named it: a file, or an id."""

    video_id: str
    """the id, or the file's name"""
    path: Path


def add_video(workspace: Workspace, path: Path | str, *, video_id: str | None = None) -> AddedVideo:
    """Watch a video and write it down under an id; the file is not copied, so it must stay where it is.

    Parameters
    ----------
    workspace : of its parameters those of cuts and voice matter
    path : a file with a moving picture
    video_id : the id to take; what stood under it before is replaced. None makes a new one

    Raises
    ------
    MediaError : no such file, no media, no moving picture, or damage beyond use
    ParameterError : an id that no video can have
    StoreError : the home folder or the database cannot be used
    """
    from ulid import ULID

    from workbench.store import videos
    from workbench.workflows.watch import watch

    watched = watch(workspace, path)
    with workspace.database.write() as connection:
        return videos.put(
            connection,
            f"vid_{ULID()}" if video_id is None else video_id,
            Path(path),
            content_hash=watched.content_hash,
            title=watched.title,
            seconds=watched.duration,
        )


def find_video(workspace: Workspace, named: Path | str) -> VideoSource:
    """The file or the video that a name means; a file comes first.

    Raises
    ------
    UnknownVideo : neither a file nor an id of a video
    MediaError : the video of that id is no longer where it was
    """
    path = Path(named)
    if path.exists():
        return VideoSource(path.name, path)
    from workbench.store import videos

    try:
        with workspace.database.read() as connection:
            record = videos.get(connection, str(named))
    except UnknownVideo:
        raise UnknownVideo(f"{named}: no such file, and no video of that id") from None
    if not record.path.is_file():
        raise MediaError(f"{record.video_id}: its file {record.path} is gone; add it again with --video-id")
    return VideoSource(record.video_id, record.path)
