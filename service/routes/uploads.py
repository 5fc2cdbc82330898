"""`/v1/uploads`: receives the bytes of a video, by a signed link and without a key.

The bytes are written to a temporary file and synced. The file is then renamed in the transaction that records the
upload, so an upload that was acknowledged is complete and stays so. A second upload before the ingest replaces the
first as a whole. Where machines share a store, each upload is a file of its own there, and the transaction records its
name: what an ingest has begun to read is never replaced.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import structlog
from sanic import Blueprint, HTTPResponse, Request
from sanic.http import Http
from sanic.response import empty, json
from sanic.server import HttpProtocol
from sqlalchemy import Connection
from ulid import ULID

from service import signed_links
from service.errors import Problem, not_found
from service.routes.admission import RoutePolicy, query_of
from service.routes.http import path_id
from service.schemas.requests import LinkQuery
from service.store import video_owners
from workbench.errors import StoreError
from workbench.store.stored_files import StoredFiles

T = TypeVar("T")

log = structlog.get_logger("service")
_BEGUN = "the ingest of this video has begun, or has ended; POST /v1/videos makes another one"
blueprint = Blueprint("uploads", url_prefix="/v1/uploads")


@blueprint.put("/<storage_key:str>", stream=True, ctx_policy=RoutePolicy(api_key=False, body="stream"))
async def put(request: Request, storage_key: str) -> HTTPResponse:
    """Answer `PUT /v1/uploads/{storage_key}`: receive the bytes of one video."""
    context = request.app.ctx
    storage_key = path_id(storage_key, "upload")
    await context.transactions.write(lambda connection: _check_awaited(connection, request, storage_key))
    if "content-range" in request.headers:  # the rest of an upload, which would replace its beginning
        raise Problem(400, "an upload is sent whole: leave out Content-Range")
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise Problem(415, "send the bytes of the video as they are: leave out Content-Encoding")
    limit = context.settings.upload_max_bytes
    length = request.headers.get("content-length")
    if length is not None and int(length) > limit:
        raise Problem(413, f"an upload has at most {limit} bytes")
    files: StoredFiles = context.files
    target = context.config.home.prepared(files.folder("uploads")) / storage_key
    partial = target.with_name(f".{storage_key}.{ULID()}.part" if files.store else f"{storage_key}.{ULID()}.part")
    try:
        count = await _receive(request, partial, limit)
        if files.store is None:
            # One transaction renames the file and records it, and an ingest reads the record: it finds both or neither.
            await context.transactions.write(
                lambda connection: record_upload(connection, storage_key, partial, target, count), in_thread=True
            )
        else:
            await _share_upload(request, storage_key, partial, count)
    finally:
        partial.unlink(missing_ok=True)
    return json({"storage_key": storage_key, "bytes": count})


@blueprint.options("/<storage_key:str>", ctx_policy=RoutePolicy(api_key=False))
async def preflight(request: Request, storage_key: str) -> HTTPResponse:
    """Answer a browser that asks whether a page may send an upload; `_allow_origin` says so."""
    path_id(storage_key, "upload")
    headers = {"access-control-allow-methods": "PUT", "access-control-allow-headers": "content-type"}
    return empty(headers=headers | {"access-control-max-age": "3600"})


async def _allow_origin(request: Request, response: HTTPResponse) -> None:
    """Let pages of the origins of the settings send uploads, and read answers and errors."""
    origin = request.headers.get("origin", "")
    if origin and origin in request.app.ctx.settings.upload_origins.split(","):
        response.headers["access-control-allow-origin"] = origin
        response.headers["vary"] = "origin"


blueprint.on_response(_allow_origin)  # type: ignore[no-untyped-call]


def _check_awaited(connection: Connection, request: Request, storage_key: str) -> None:
    """Check that the link is genuine, and its video waits for an upload."""
    secret = signed_links.link_secret(connection, request.app.ctx.settings)
    expires, signature = request.args.get("expires"), request.args.get("signature")
    if not signed_links.is_valid(secret, request.path, expires, signature):
        raise Problem(403, "the upload link is altered or has expired; POST /v1/videos gives a new one")
    query_of(request, LinkQuery)
    video = video_owners.get_by_storage_key(connection, storage_key)
    if video is None:
        raise not_found("upload")
    if video.status != "awaiting_upload":
        raise Problem(409, _BEGUN)


async def _receive(request: Request, partial: Path, limit: int) -> int:
    """Write the body to a file, sync it, and return its length."""
    count = 0
    try:
        with partial.open("xb") as file:
            while (block := await request.stream.read()) is not None:  # type: ignore[union-attr]
                count += len(block)
                if count > limit:
                    raise Problem(413, f"an upload has at most {limit} bytes")
                await asyncio.to_thread(file.write, block)
            await asyncio.to_thread(os.fsync, file.fileno())
    except OSError as error:
        raise StoreError(f"the upload cannot be saved ({error.strerror})") from error
    if count == 0:
        raise Problem(400, "the upload is empty")
    return count


async def _share_upload(request: Request, storage_key: str, partial: Path, count: int) -> None:
    """Put a file into the store under a name of its own, and record it; the file that it replaces is deleted."""
    context, name = request.app.ctx, f"{storage_key}.{ULID()}"
    files: StoredFiles = context.files
    place = await _keep(request, partial, name)

    def record(connection: Connection) -> str | None:
        video = video_owners.get_by_storage_key(connection, storage_key, lock=True)
        values = {"uploaded_bytes": count, "upload_name": name}
        if video is None or not video_owners.update(connection, video.video_id, "awaiting_upload", **values):
            raise Problem(409, _BEGUN)
        return video.upload_name

    try:
        replaced = await context.transactions.write(record)
    except Problem:
        await _on_transfers(request, _delete, files, place)
        raise
    if replaced is not None:
        await _on_transfers(request, _delete, files, files.place("uploads", replaced))


async def _keep(request: Request, partial: Path, name: str) -> Path:
    """Put a file into the store, however long it takes; nothing of it stays there if the caller goes away meanwhile."""
    files: StoredFiles = request.app.ctx.files
    keeping = _on_transfers(request, files.keep, partial, "uploads", name)
    # Sanic ends a connection on which no byte moves for a while; here they move to the store.
    cast(HttpProtocol, request.protocol).response_timeout = math.inf
    cast(Http, request.stream).keep_alive = False  # the connection serves no other request like that
    try:
        await asyncio.wait([keeping])
    except asyncio.CancelledError:
        place = files.place("uploads", name)
        keeping.add_done_callback(lambda done: _abandon(done, request, place))
        raise
    return keeping.result()


def _abandon(done: asyncio.Future[Path], request: Request, place: Path) -> None:
    """Delete what an abandoned transfer has left."""
    if not done.cancelled():
        done.exception()  # seen: it failed, or was ended by the removal of its file
    with suppress(RuntimeError):  # this process is about to end; the sweep deletes it
        request.app.ctx.transfers.submit(_delete, request.app.ctx.files, place)


def _on_transfers(request: Request, work: Callable[..., T], *given: Any) -> asyncio.Future[T]:
    """Run something that waits for the store in a thread that only transfers use."""
    return asyncio.get_running_loop().run_in_executor(request.app.ctx.transfers, work, *given)


def _delete(files: StoredFiles, place: Path) -> None:
    """Delete a file that no record names; what fails is swept, and no reason to refuse an upload that is recorded."""
    try:
        files.delete(place)
    except StoreError as error:
        log.error("cannot delete", file=place.name, problem=str(error))


def record_upload(connection: Connection, storage_key: str, partial: Path, target: Path, count: int) -> None:
    """Rename an upload that is complete and synced, and record it; Problem, 409, if the ingest has begun."""
    video = video_owners.get_by_storage_key(connection, storage_key)
    if video is None or not video_owners.update(connection, video.video_id, "awaiting_upload", uploaded_bytes=count):
        raise Problem(409, _BEGUN)
    partial.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
