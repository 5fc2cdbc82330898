"""Claims: whose a video is, where its bytes come from, and how far its ingest is.

What analysis needs to know of a video that is ready stands in the workbench's own table of videos.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store.tables import claims
from workbench.store.database import now, videos

Status = Literal["awaiting_upload", "processing", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class Claim:
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
class Clip:
    """What is stored of a video that is ready."""

    video_id: str
    content_hash: str
    seconds: float


# put together once
_BY_ID = sa.select(claims).where(claims.c.video_id == sa.bindparam("video_id"))
_CLIP = sa.select(videos.c.video_id, videos.c.content_hash, videos.c.seconds).where(
    videos.c.video_id == sa.bindparam("video_id")
)


def create(connection: Connection, claim: Claim) -> Claim:
    """Keep a new claim; its times are set here."""
    moment = now()
    values = {field: getattr(claim, field) for field in Claim.__slots__} | {"created_at": moment, "updated_at": moment}
    connection.execute(claims.insert().values(**values))
    return Claim(**values)


def get(connection: Connection, video_id: str) -> Claim | None:
    """The claim of a video."""
    row = connection.execute(_BY_ID, {"video_id": video_id}).first()
    return None if row is None else Claim(**row._mapping)


def by_storage_key(connection: Connection, storage_key: str) -> Claim | None:
    """The claim that an upload belongs to."""
    row = connection.execute(sa.select(claims).where(claims.c.storage_key == storage_key)).first()
    return None if row is None else Claim(**row._mapping)


def move(connection: Connection, video_id: str, expected: Status, **values: Any) -> bool:
    """Change a claim that stands in a status; False where it does not, and nothing is changed then."""
    where = (claims.c.video_id == video_id) & (claims.c.status == expected)
    changed = connection.execute(claims.update().where(where).values(updated_at=now(), **values))
    return changed.rowcount == 1


def forget_uploads(connection: Connection, untouched_since: str) -> list[str]:
    """Forget the claims whose bytes never came, or were never ingested, since a moment; returns their storage keys."""
    stale = (claims.c.status == "awaiting_upload") & (claims.c.updated_at < untouched_since)
    gone = connection.scalars(claims.delete().where(stale).returning(claims.c.storage_key))
    return [key for key in gone if key is not None]


def clip(connection: Connection, video_id: str) -> Clip | None:
    """The stored facts of a video that is ready."""
    row = connection.execute(_CLIP, {"video_id": video_id}).first()
    return None if row is None or row.seconds is None else Clip(*row)


def remove(connection: Connection, video_id: str) -> None:
    """Forget a claim, if there is one."""
    connection.execute(claims.delete().where(claims.c.video_id == video_id))
