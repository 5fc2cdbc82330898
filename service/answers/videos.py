"""Answers of `/v1/videos`: an ingest from an address, an upload link and its ingest, and the status of a video."""

from __future__ import annotations

from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Connection
from ulid import ULID

from service import signed_links
from service.answers.answer import Answer, Call, find_video, video_job
from service.errors import Problem, invalid
from service.money import funds
from service.prices import MINUTE
from service.schemas.requests import IngestRequest, VideoRequest
from service.store import jobs, video_owners
from service.store.jobs import NewJob
from service.store.video_owners import OwnedVideo
from workbench.store.clock import utc_now


def submit(connection: Connection, call: Call, request: VideoRequest) -> Answer:
    """Answer `POST /v1/videos`: 202 with the video for an address, 201 with the upload link for a file name."""
    if request.video_url is not None:
        return fetch(connection, call, request.video_url)
    return _upload_target(connection, call, str(request.filename), request.content_type)


def fetch(connection: Connection, call: Call, url: str, next_step: str | None = None) -> Answer:
    """202 with a new video, whose ingest from an address is started; the same address again is another video."""
    video = video_owners.create(
        connection,
        OwnedVideo(f"vid_{ULID()}", call.account, "processing", title=_last_part(url), source_url=url),
    )
    _start(connection, call, video)
    return video_job(video.video_id, next_step=next_step)


def ingest(connection: Connection, call: Call, video_id: str, request: IngestRequest) -> Answer:
    """Answer `POST /v1/videos/{video_id}/ingest`: 202 with the video; a repeat gets it with the current status."""
    video = find_video(connection, call, video_id)
    if video.storage_key is None or video.storage_key != request.storage_key:
        raise invalid("storage_key", "is not the one that POST /v1/videos gave for this video")
    if video.status != "awaiting_upload":
        return video_job(video_id, video.status)
    if video.uploaded_bytes is None:
        raise Problem(409, "nothing has been uploaded yet: PUT the bytes to upload_url first")
    if video_owners.update(connection, video_id, "awaiting_upload", status="processing"):
        _start(connection, call, find_video(connection, call, video_id))  # as changed: a new upload may have come first
    return video_job(video_id)


def status(connection: Connection, call: Call, video_id: str) -> Answer:
    """Answer `GET /v1/videos/{video_id}`: 200 with the record."""
    video = find_video(connection, call, video_id)
    shown = "processing" if video.status == "awaiting_upload" else video.status
    body: dict[str, Any] = {
        "video_id": video_id,
        "status": shown,
        "ready": shown == "ready",
        "title": video.title or "",
    }
    if video.status == "failed":
        body["reason"] = video.reason or "it could not be processed"
    return Answer(200, body)


def _start(connection: Connection, call: Call, video: OwnedVideo) -> None:
    funds.accept(
        connection,
        call.caller,
        NewJob(
            kind="ingest",
            queue=jobs.MAIN if video.source_url is None else jobs.FETCH,
            account=call.account,
            traceparent=call.traceparent,
            build=f"ingest:{video.video_id}",
            video_id=video.video_id,
            request={"source_url": video.source_url, "storage_key": video.upload},
            endpoint=call.endpoint,
            unit=MINUTE,
            subject=video.video_id,
            charge_key=f"video:{video.video_id}",
        ),
    )


def _upload_target(connection: Connection, call: Call, filename: str, content_type: str | None) -> Answer:
    video_id = f"vid_{ULID()}"
    storage_key = f"upl_{ULID()}"
    video_owners.create(
        connection,
        OwnedVideo(
            video_id,
            call.account,
            "awaiting_upload",
            title=filename,
            filename=filename,
            content_type=content_type,
            storage_key=storage_key,
        ),
    )
    expires = utc_now().replace(microsecond=0) + timedelta(seconds=call.settings.upload_seconds)
    path = f"/v1/uploads/{storage_key}"
    query = signed_links.signed_query(
        signed_links.link_secret(connection, call.settings), path, int(expires.timestamp())
    )
    body = {
        "video_id": video_id,
        "upload_url": f"{call.base_url()}{path}?{query}",
        "method": "PUT",
        "headers": {"Content-Type": content_type or "application/octet-stream"},
        "storage_key": storage_key,
        "expires_at": expires.isoformat().replace("+00:00", "Z"),
    }
    return Answer(201, body)


def _last_part(url: str) -> str:
    """The last part of an address, which is the title of the video until its file has been read."""
    parts = urlsplit(url)
    return unquote(PurePosixPath(parts.path).name).replace("\0", "") or str(parts.hostname)
