"""Videos with an id: analyse a file once, and find it again by its id.

Functions: `add_video`, `find_video`, `with_audio_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import Argument, MediaError, ParameterError, UnknownVideo
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.media.sound_streams import SoundChoice
    from workbench.store.videos import AddedVideo


@dataclass(frozen=True, slots=True)
class VideoSource:
    """A video that was found by name: a file, or a video with an id."""

    video_id: str  # the id, or the file's name
    path: Path
    audio: str | None = None  # sound streams that were chosen when it was added, as typed


def add_video(workspace: Workspace, path: Path | str, *, video_id: str | None = None) -> AddedVideo:
    """Analyse a video and store a record of it, under a new id or the given one, whose record is replaced.

    The file is copied to the store that the settings name; without one it is not copied, and must stay where it is. The
    record holds which sound streams the parameters choose. Raises `MediaError` without a moving picture, or for damage
    beyond use, and `ParameterError` for an id that no video can have.
    """
    from ulid import ULID

    from workbench.store import videos
    from workbench.store.stored_files import file_name
    from workbench.workflows.watch import watch

    path, video_id = Path(path), f"vid_{ULID()}" if video_id is None else video_id
    watched = watch(workspace, path)
    kept = workspace.files.add(path, "videos", file_name(path.name, str(ULID())))
    with workspace.database.write() as connection:
        return videos.put(
            connection,
            video_id,
            kept,
            content_hash=watched.content_hash,
            title=watched.title,
            seconds=watched.duration,
            audio=None if workspace.audio is None else str(workspace.audio),
        )


def find_video(workspace: Workspace, named: Path | str) -> VideoSource:
    """Find the video that a name stands for, a path or an id; a file comes before an id.

    Raises `UnknownVideo` if it is neither, and `MediaError` if the file of the video with that id is gone.
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
    found = workspace.files.find(record.path)
    if found is None or not found.is_file():
        raise MediaError(f"{record.video_id}: its file {record.path} is gone; add it again under this id")
    return VideoSource(record.video_id, found, record.audio)


def with_audio_of(workspace: Workspace, video: VideoSource | None, audio: SoundChoice | None) -> Workspace:
    """The workspace that takes the sound streams that were chosen now, or when the video was added.

    Raises `MediaError` if the file lacks one of them, and `ParameterError` if they were chosen now, of no video.
    """
    if video is None and audio is not None:
        raise ParameterError("sound streams are those of a video: ", Argument("audio"), " needs ", Argument("video"))
    if video is None or (audio is None and video.audio is None):
        return workspace
    from workbench.media.containers import open_media
    from workbench.media.sound_streams import SoundChoice, sound_streams

    choice = audio or SoundChoice.parse(str(video.audio))
    with open_media(video.path) as container:
        sound_streams(container, video.path, choice)  # that it has them
    return workspace.with_audio(choice)
