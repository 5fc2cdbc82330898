"""Videos of the service: whose a video is, where its bytes come from, and how far its ingest is.

What analysis needs to know of a video that is ready stands in the workbench's own table of videos.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.tables import video_owners
from workbench.store.database import now, videos

Status = Literal["awaiting_upload", "processing", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class OwnedVideo:
    """One video of the service."""

    video_id: str
    account: str | None
    """None: every account may use it"""
    status: Status
    reason: str | None = None
    """why it failed"""
    title: str | None = None
    source_url: str | None = None
    filename: str | None = None
    content_type: str | None = None
    storage_key: str | None = None
    uploaded_bytes: int | None = None
    """None: nothing whole has arrived"""
    created_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class ReadyVideo:
    """What analysis stored of a video."""

    video_id: str
    content_hash: str
    seconds: float


# put together once
_BY_ID = sa.select(video_owners).where(video_owners.c.video_id == sa.bindparam("video_id"))
_READY = sa.select(videos.c.video_id, videos.c.content_hash, videos.c.seconds).where(
    videos.c.video_id == sa.bindparam("video_id")
)


def create(connection: Connection, video: OwnedVideo) -> OwnedVideo:
    """Insert a new video; its times are set here."""
    moment = now()
    times = {"created_at": moment, "updated_at": moment}
    values = {field: getattr(video, field) for field in OwnedVideo.__slots__} | times
    connection.execute(video_owners.insert().values(**values))
    return OwnedVideo(**values)


def get(connection: Connection, video_id: str) -> OwnedVideo | None:
    """The video of an id."""
    row = connection.execute(_BY_ID, {"video_id": video_id}).first()
    return None if row is None else OwnedVideo(**row._mapping)


def get_by_storage_key(connection: Connection, storage_key: str) -> OwnedVideo | None:
    """The video that an upload belongs to."""
    row = connection.execute(sa.select(video_owners).where(video_owners.c.storage_key == storage_key)).first()
    return None if row is None else OwnedVideo(**row._mapping)


def update(connection: Connection, video_id: str, expected: Status, **values: Any) -> bool:
    """Change a video that has the expected status; returns False, and changes nothing, if it has another."""
    where = (video_owners.c.video_id == video_id) & (video_owners.c.status == expected)
    changed = connection.execute(video_owners.update().where(where).values(updated_at=now(), **values))
    return changed.rowcount == 1


def delete_stale_uploads(connection: Connection, untouched_since: str) -> list[str]:
    """Delete videos whose bytes never came, or were never ingested, since a moment; returns their storage keys."""
    stale = (video_owners.c.status == "awaiting_upload") & (video_owners.c.updated_at < untouched_since)
    deleted = connection.scalars(video_owners.delete().where(stale).returning(video_owners.c.storage_key))
    return [storage_key for storage_key in deleted if storage_key is not None]


def get_ready(connection: Connection, video_id: str) -> ReadyVideo | None:
    """What analysis stored of a video; None if it has not been analysed yet."""
    row = connection.execute(_READY, {"video_id": video_id}).first()
    return None if row is None or row.seconds is None else ReadyVideo(*row)


def delete(connection: Connection, video_id: str) -> None:
    """Delete the row of a video, if there is one."""
    connection.execute(video_owners.delete().where(video_owners.c.video_id == video_id))
