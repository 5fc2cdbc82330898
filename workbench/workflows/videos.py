"""Add a video: analyse it once, and give it an id by which commands and callers of the service name it."""

from __future__ import annotations

from pathlib import Path

from ulid import ULID

from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.store import videos
from workbench.store.stored_files import file_name
from workbench.store.videos import AddedVideo


def add_video(workspace: Workspace, path: Path | str, *, video_id: str | None = None) -> AddedVideo:
    """Analyse a video and store a record of it, under a new id, or under the given one, replacing its record.

    The file is copied to the store that the settings name; without one it is not copied, and must stay where it is. The
    record holds which sound streams the parameters choose. Raises `MediaError` without a moving picture, or for damage
    beyond use, and `ParameterError` for an id that no video can have.
    """
    path, video_id = Path(path), f"vid_{ULID()}" if video_id is None else video_id
    watched = analyze_video(workspace, path)
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
