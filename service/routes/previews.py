"""`/previews`: marked excerpts by signed link, outside `/v1`; made by a job, never in the request, and kept."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from pathlib import Path

from sanic import Blueprint, HTTPResponse, Request
from sanic.compat import stat_async
from sanic.handlers import ContentRangeHandler
from sanic.response import file
from sqlalchemy import Connection

from service.admission import Door
from service.auth import signatures
from service.errors import Problem, not_found, unavailable
from service.routes.exchange import path_id
from service.store import jobs, tracks
from service.store.jobs import Job, NewJob

blueprint = Blueprint("previews", url_prefix="/previews")
_NAME = re.compile(r"(aud_[0-9a-f]{24})\.mp3")
_PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = 0.1


@blueprint.get("/<name:str>", ctx_door=Door(key=False))
async def excerpt(request: Request, name: str) -> HTTPResponse:
    """The excerpt, or a part of it; one that is not made yet is waited for a while.

    Raises
    ------
    Problem : 403, 404, 416; 503 where it is still not made
    """
    context = request.app.ctx
    named = _NAME.fullmatch(path_id(name, "preview"))

    def genuine(connection: Connection) -> bool:
        secret = signatures.link_secret(connection, context.settings)
        return signatures.holds(secret, request.path, request.args.get("expires"), request.args.get("signature"))

    if not await context.transactions.write(genuine):
        raise Problem(403, "the preview link is altered or has expired; ask for the lane again")
    if named is None:
        raise not_found("preview")
    path = context.config.home.previews / named[0]
    if not await asyncio.to_thread(path.is_file):
        await _made(request, named[1])
    return await _sent(request, path)


async def _made(request: Request, audio_id: str) -> None:
    """Have a preview made, and wait for it."""
    transactions = request.app.ctx.transactions

    def start(connection: Connection) -> Job:
        track_id = tracks.with_audio(connection, audio_id)
        if track_id is None:
            raise not_found("preview")
        build = f"preview:{audio_id}"
        new = NewJob("preview", jobs.MAIN, "", build, track_id=track_id, request={"audio_id": audio_id})
        return jobs.submit(connection, new)

    job: Job | None = await transactions.write(start)
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while job is not None and not job.settled:
                await asyncio.sleep(_LOOK_SECONDS)
                job = await transactions.read(partial(jobs.get, job_id=job.job_id))
    except TimeoutError:
        raise unavailable("the preview is being made; ask again", retry_after=5) from None
    if job is None or job.state == "failed":
        raise not_found("preview")


async def _sent(request: Request, path: Path) -> HTTPResponse:
    """The file, or the range of it that was asked for."""
    wanted = None
    if "range" in request.headers:
        wanted = ContentRangeHandler(request, await stat_async(path))
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=60"}
    status = 206 if wanted else 200
    return await file(path, status, mime_type="audio/mpeg", headers=headers, _range=wanted)
