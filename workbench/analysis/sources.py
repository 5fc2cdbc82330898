"""Find the track or video that a name stands for: a file, or the id of one that was added.

`find_track` takes a file or an id, `find_in_catalog` an id alone; `find_video` finds a video that
`workbench.workflows.videos` added. `recorded_track` and `recorded_video` find the files of a provenance by their bytes;
`open_library` opens the records of tracks.

The records of tracks and videos load late, and SQLAlchemy with them: a file that is named itself needs no database. So
does what decodes a video, and PyAV with it: what reads records alone starts in a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.analysis.provenance import FileRecord
from workbench.analysis.workspace import Workspace
from workbench.edits.documents import document_of
from workbench.errors import Argument, InputError, MediaError, ParameterError, UnknownTrack, UnknownVideo

if TYPE_CHECKING:
    from workbench.catalog.library import Library
    from workbench.catalog.track import Track
    from workbench.media.sound_streams import SoundChoice


def open_library(workspace: Workspace) -> Library:
    """The tracks of a workspace: of its home folder, or of the database that the settings name."""
    from workbench.catalog.library import Library

    return Library(workspace.database)


@dataclass(frozen=True, slots=True)
class TrackSource:
    """A track that was found by name: a file, or a track of the catalog."""

    track_id: str  # the catalog's id, or the file's name
    path: Path
    record: Track | None  # its record; None for a file that was named itself

    @property
    def title(self) -> str:
        """What people call it: as its record says, else the name of its file, without suffix."""
        return self.path.stem if self.record is None else self.record.called


def find_track(workspace: Workspace, named: str) -> TrackSource:
    """Find the track that a name stands for, a path or an id of the catalog; a file comes before an id.

    Raises `UnknownTrack` if it is neither.
    """
    path = Path(named)
    if path.is_file():
        return TrackSource(path.name, path, None)
    try:
        return find_in_catalog(workspace, named)
    except UnknownTrack:
        found = "a folder or a pipe and no file" if path.exists() else "no such file"
        raise UnknownTrack(f"{named}: {found}, and no track of that id in the catalog") from None


def find_in_catalog(workspace: Workspace, track_id: str) -> TrackSource:
    """Find a track of the catalog by its id, even if a file has that name; raises `UnknownTrack`."""
    track = open_library(workspace).get(track_id)
    return TrackSource(track.track_id, workspace.files.find(track.path) or track.path, track)


@dataclass(frozen=True, slots=True)
class VideoSource:
    """A video that was found by name: a file, or a video with an id."""

    video_id: str  # the id, or the file's name
    path: Path
    audio: str | None = None  # sound streams that were chosen when it was added, as typed


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
    """The workspace with the sound streams chosen now, or else when the video was added.

    Raises `MediaError` if the file lacks one of them, and `ParameterError` if they were chosen now, of no video.
    """
    if video is None and audio is not None:
        raise ParameterError("sound streams are those of a video: ", Argument("audio"), " needs ", Argument("video"))
    if video is None or (audio is None and video.audio is None):
        return workspace
    from workbench.media.sound_streams import SoundChoice, check_choice

    choice = audio or SoundChoice.parse(str(video.audio))
    check_choice(video.path, choice)
    return workspace.with_audio(choice)


def recorded_track(workspace: Workspace, record: FileRecord, folders: Iterable[Path] = ()) -> Path:
    """The track that a result was made from: in the catalog, or under its name in some folders.

    Raises `InputError` if no file of those bytes was found.
    """
    known: list[Path] = []
    if record.content_hash is not None and workspace.existing_database is not None:
        known = [track.path for track in open_library(workspace).with_content(record.content_hash)]
    return _with_bytes(workspace, record, known, folders, "track")


def recorded_video(workspace: Workspace, record: FileRecord, folders: Iterable[Path] = ()) -> Path:
    """The video that a result was made for: among those that were added, or under its name in some folders.

    Raises `InputError` if no file of those bytes was found.
    """
    known: list[Path] = []
    database = workspace.existing_database
    if record.content_hash is not None and database is not None:
        from workbench.store import videos

        with database.read() as connection:
            known = [video.path for video in videos.with_content(connection, record.content_hash)]
    home = workspace.home
    in_home = [folder / record.name for folder in (home.demo_videos, home.videos, home.uploads)]
    return _with_bytes(workspace, record, [*known, *in_home], folders, "video")


def _with_bytes(
    workspace: Workspace, record: FileRecord, known: Iterable[Path], folders: Iterable[Path], what: str
) -> Path:
    named_so = [folder / record.name for folder in folders]
    for named in (*known, *named_so):
        try:
            path = workspace.local_file(named)
            document = document_of(path)
            if document.is_file() and workspace.hash_file(document) == record.content_hash:
                return path
        except MediaError:
            continue
    digest = f" ({record.content_hash[:12]}…)" if record.content_hash else ""
    besides = f", and no {record.name} of these bytes beside the plan" if named_so else ""
    raise InputError(f"the {what} {record.name}{digest} is not in this home folder{besides}: give ", Argument(what))
