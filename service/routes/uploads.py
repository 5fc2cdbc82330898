"""`/v1/uploads`: receives the bytes of a video, by a signed link and without a key.

The bytes are written to a temporary file and synced. The file is then renamed in the transaction that records the
upload, so an upload that was acknowledged is complete and stays so. A second upload before the ingest replaces the
first as a whole.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from sanic import Blueprint, HTTPResponse, Request
from sanic.response import json
from sqlalchemy import Connection
from ulid import ULID

from service.admission import RoutePolicy
from service.auth import signatures
from service.errors import Problem, not_found
from service.routes.http import path_id
from service.store import video_owners
from service.store.video_owners import OwnedVideo
from workbench.errors import StoreError

blueprint = Blueprint("uploads", url_prefix="/v1/uploads")


@blueprint.put("/<storage_key:str>", stream=True, ctx_policy=RoutePolicy(api_key=False, body="stream"))
async def put(request: Request, storage_key: str) -> HTTPResponse:
    """Answer `PUT /v1/uploads/{storage_key}`: receive the bytes of one video.

    Parameters
    ----------
    request : with a signed link; its body is a stream
    storage_key : of the path, still percent-encoded

    Raises
    ------
    Problem : 403 for an invalid link, 404, 409 if the ingest has begun, 413 if there are too many bytes, 400 if none
    StoreError : the file or the database cannot be written
    """
    context = request.app.ctx
    storage_key = path_id(storage_key, "upload")
    await context.transactions.write(lambda connection: _check_awaited(connection, request, storage_key))
    limit = context.settings.upload_max_bytes
    length = request.headers.get("content-length")
    if length is not None and int(length) > limit:
        raise Problem(413, f"an upload has at most {limit} bytes")
    home = context.config.home
    target = home.prepared(home.uploads) / storage_key
    partial = target.with_name(f"{storage_key}.{ULID()}.part")
    try:
        count = await _receive(request, partial, limit)
        # One transaction renames the file and records it, and an ingest reads the record: it finds both or neither.
        await context.transactions.write(
            lambda connection: _record_upload(connection, storage_key, partial, target, count), in_thread=True
        )
    finally:
        partial.unlink(missing_ok=True)
    return json({"storage_key": storage_key, "bytes": count})


def _check_awaited(connection: Connection, request: Request, storage_key: str) -> OwnedVideo:
    secret = signatures.link_secret(connection, request.app.ctx.settings)
    expires, signature = request.args.get("expires"), request.args.get("signature")
    if not signatures.is_valid(secret, request.path, expires, signature):
        raise Problem(403, "the upload link is altered or has expired; POST /v1/videos gives a new one")
    video = video_owners.get_by_storage_key(connection, storage_key)
    if video is None:
        raise not_found("upload")
    if video.status != "awaiting_upload":
        raise Problem(409, "the upload is being processed already")
    return video


async def _receive(request: Request, partial: Path, limit: int) -> int:
    """Write the body to a file, sync it, and return its length."""
    count = 0
    try:
        with partial.open("xb") as file:
            while (block := await _block(request)) is not None:
                count += len(block)
                if count > limit:
                    raise Problem(413, f"an upload has at most {limit} bytes")
                await asyncio.to_thread(file.write, block)
            await asyncio.to_thread(_sync, file.fileno())
    except OSError as error:
        raise StoreError(f"the upload cannot be kept ({error.strerror})") from error
    if count == 0:
        raise Problem(400, "the upload is empty")
    return count


async def _block(request: Request) -> bytes | None:
    block: bytes | None = await request.stream.read()  # type: ignore[union-attr]
    return block


def _sync(descriptor: int) -> None:
    os.fsync(descriptor)


def _record_upload(connection: Connection, storage_key: str, partial: Path, target: Path, count: int) -> None:
    video = video_owners.get_by_storage_key(connection, storage_key)
    if video is None or not video_owners.update(connection, video.video_id, "awaiting_upload", uploaded_bytes=count):
        raise Problem(409, "the upload is being processed already")
    partial.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
