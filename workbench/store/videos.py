"""Records of videos: which file an id stands for. The file stays where it is; its analysis is in the array store.

Every function takes the connection of a transaction that its caller opened, so that a record can be written together
with others.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, select

from workbench.errors import UnknownVideo
from workbench.recording import VideoSeconds
from workbench.store.database import now, videos
from workbench.store.ids import check_id


@dataclass(frozen=True, slots=True)
class AddedVideo:
    """A video that was added."""

    video_id: str
    """1 to 128 characters, no blanks at its ends"""
    path: Path
    """absolute"""
    content_hash: str
    """SHA-256 of the file's bytes when it was added, hex"""
    title: str
    seconds: VideoSeconds
    added_at: str
    """ISO 8601, UTC"""
    audio: str | None = None
    """sound streams that were chosen when it was added, as typed"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path).absolute())
        check_id("video_id", self.video_id)

    def to_json(self) -> dict[str, Any]:
        """The record as the command line prints it."""
        return {
            "video_id": self.video_id,
            "title": self.title,
            "seconds": round(self.seconds, 6),
            "path": str(self.path),
            "content_hash": self.content_hash,
            "added_at": self.added_at,
            **({} if self.audio is None else {"audio": self.audio}),
        }


def put(
    connection: Connection,
    video_id: str,
    path: Path,
    *,
    content_hash: str,
    title: str,
    seconds: VideoSeconds,
    audio: str | None = None,
) -> AddedVideo:
    """Add a video, or replace the record under its id; the time when it was first added stays.

    `audio` are the sound streams that were chosen, as typed; None: the default. ParameterError: an id
    that is not of 1 to 128 characters, or has blanks at its ends.
    """
    before = connection.scalar(select(videos.c.added_at).where(videos.c.video_id == video_id))
    record = AddedVideo(video_id, path, content_hash, title, seconds, before or now(), audio)
    delete(connection, video_id)
    connection.execute(videos.insert().values(asdict(record) | {"path": str(record.path)}))
    return record


def get(connection: Connection, video_id: str) -> AddedVideo:
    """The video of an id; UnknownVideo if there is none."""
    row = connection.execute(select(videos).where(videos.c.video_id == video_id)).one_or_none()
    if row is None:
        raise UnknownVideo(f"{video_id}: no video of that id")
    return _record(row)


def delete(connection: Connection, video_id: str) -> None:
    """Delete the record of a video, if there is one; its file stays."""
    connection.execute(videos.delete().where(videos.c.video_id == video_id))


def every(connection: Connection) -> list[AddedVideo]:
    """All videos, in the order in which they were added."""
    rows = connection.execute(select(videos).order_by(videos.c.added_at, videos.c.video_id))
    return [_record(row) for row in rows]


def with_content(connection: Connection, content_hash: str) -> list[AddedVideo]:
    """The videos of some bytes, in the order in which they were added; of files that may have changed since."""
    query = select(videos).where(videos.c.content_hash == content_hash)
    return [_record(row) for row in connection.execute(query.order_by(videos.c.added_at, videos.c.video_id))]


def _record(row: Row[Any]) -> AddedVideo:
    path = Path(row.path)
    return AddedVideo(
        row.video_id, path, row.content_hash, row.title or path.name, float(row.seconds or 0.0), row.added_at, row.audio
    )
