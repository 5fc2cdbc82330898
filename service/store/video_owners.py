"""Videos of the service: which account owns a video, where its bytes come from, and the state of its ingest.

The record of a video that is ready, which analysis reads, is in the workbench's own table of videos.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.shared_reads import shared
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
    """None: no upload is complete"""
    upload_name: str | None = None
    """of the file in the store that machines share; None: named by the storage key"""
    created_at: str = ""
    updated_at: str = ""
    content_hash: str | None = None
    """of the bytes, from the workbench's table; None: not ingested, or not asked for"""
    seconds: float | None = None

    @property
    def ready(self) -> ReadyVideo | None:
        """Its facts for analysis; None until it is ingested."""
        if self.status != "ready" or self.content_hash is None or self.seconds is None:
            return None
        return ReadyVideo(self.video_id, self.content_hash, self.seconds)

    @property
    def upload(self) -> str | None:
        """Name of the file that was sent; None if none is to be."""
        return self.upload_name or self.storage_key


@dataclass(frozen=True, slots=True)
class ReadyVideo:
    """The facts of an ingested video, from the workbench's table."""

    video_id: str
    content_hash: str
    seconds: float


_UPLOAD_NAME = sa.func.coalesce(video_owners.c.upload_name, video_owners.c.storage_key)
_BY_ID = (  # most calls run it
    sa.select(video_owners, videos.c.content_hash, videos.c.seconds)
    .outerjoin(videos, videos.c.video_id == video_owners.c.video_id)
    .where(video_owners.c.video_id == sa.bindparam("sought"))
)


def create(connection: Connection, video: OwnedVideo) -> OwnedVideo:
    """Insert a new video; its two times are set to now."""
    created_at = now()
    video = replace(video, created_at=created_at, updated_at=created_at)
    values = {column.name: getattr(video, column.name) for column in video_owners.columns}
    connection.execute(video_owners.insert().values(**values))
    return video


@shared
def get(connection: Connection, video_id: str) -> OwnedVideo | None:
    """The video of an id, with what the workbench's table has of it; None if there is no such video."""
    row = connection.execute(_BY_ID, {"sought": video_id}).mappings().first()
    return None if row is None else OwnedVideo(**row)


def get_by_storage_key(connection: Connection, storage_key: str, *, lock: bool = False) -> OwnedVideo | None:
    """The video that an upload belongs to; with `lock` no other transaction may change it until this one ends."""
    query = sa.select(video_owners).where(video_owners.c.storage_key == storage_key)
    row = connection.execute(query.with_for_update() if lock else query).mappings().first()
    return None if row is None else OwnedVideo(**row)


def update(connection: Connection, video_id: str, expected: Status, **values: Any) -> bool:
    """Change a video if it has the expected status; False if it has another or does not exist."""
    where = (video_owners.c.video_id == video_id) & (video_owners.c.status == expected)
    changed = connection.execute(video_owners.update().where(where).values(updated_at=now(), **values))
    return changed.rowcount == 1


def delete_stale_uploads(connection: Connection, untouched_since: str) -> list[str]:
    """Delete videos that still wait for their upload, or its ingest; returns the names of the files to delete."""
    stale = (video_owners.c.status == "awaiting_upload") & (video_owners.c.updated_at < untouched_since)
    deleted = connection.scalars(video_owners.delete().where(stale).returning(_UPLOAD_NAME))
    return [name for name in deleted if name is not None]


def forget_failed_uploads(connection: Connection, failed_before: str, most: int) -> list[str]:
    """Forget the uploads of videos that failed long ago; returns the names of the files to delete."""
    failed = (
        (video_owners.c.status == "failed")
        & (video_owners.c.updated_at < failed_before)
        & video_owners.c.uploaded_bytes.is_not(None)
    )
    query = sa.select(video_owners.c.video_id, _UPLOAD_NAME).where(failed).limit(most).with_for_update()
    found = {str(video_id): str(file) for video_id, file in connection.execute(query)}
    forgotten = video_owners.update().where(video_owners.c.video_id.in_(found))
    connection.execute(forgotten.values(uploaded_bytes=None, upload_name=None))
    return list(found.values())


def upload_names(connection: Connection) -> set[str]:
    """Names of all uploaded files of videos, and of files that may be on their way."""
    needed = video_owners.c.uploaded_bytes.is_not(None) | (video_owners.c.status != "failed")
    return set(connection.scalars(sa.select(_UPLOAD_NAME).where(_UPLOAD_NAME.is_not(None), needed)))


def not_ready(connection: Connection) -> list[OwnedVideo]:
    """Videos that wait for their upload, are being ingested or failed; the oldest first."""
    query = sa.select(video_owners).where(video_owners.c.status != "ready").order_by(video_owners.c.created_at)
    return [OwnedVideo(**row) for row in connection.execute(query).mappings()]


def ready_since(connection: Connection, before: str, most: int) -> list[str]:
    """Ids of videos that belong to an account and were ready before some time, the oldest first."""
    ready = (
        (video_owners.c.status == "ready") & (video_owners.c.updated_at < before) & video_owners.c.account.is_not(None)
    )
    query = sa.select(video_owners.c.video_id).where(ready).order_by(video_owners.c.updated_at).limit(most)
    return list(connection.scalars(query))


def delete(connection: Connection, video_id: str) -> None:
    """Delete the row of a video, if there is one."""
    connection.execute(video_owners.delete().where(video_owners.c.video_id == video_id))
