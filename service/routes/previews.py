"""`/previews`: watermarked excerpts by signed link, outside `/v1`; made by a job, never in the request, and stored."""

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

from service import signed_links
from service.answers import previews as answers
from service.answers.answer import raise_fault
from service.errors import Problem, not_found, unavailable
from service.routes.admission import RoutePolicy, query_of
from service.routes.http import path_id, reading
from service.schemas.requests import LinkQuery
from service.store import jobs, tracks
from service.store.jobs import Job, NewJob

blueprint = Blueprint("previews", url_prefix="/previews")
_NAME = re.compile(r"(aud_[0-9a-f]{24})\.mp3")
_PATIENCE_SECONDS = 10.0  # that a request waits for the job that makes the excerpt
_LOOK_SECONDS = 0.1  # between looks at the job


@reading(blueprint, "/<name:str>", RoutePolicy(api_key=False))
async def excerpt(request: Request, name: str) -> HTTPResponse:
    """Answer `GET /previews/{name}`: the excerpt or a range of it. If it does not exist yet, start a job and wait."""
    context = request.app.ctx
    named = _NAME.fullmatch(path_id(name, "preview"))

    def is_genuine(connection: Connection) -> bool:
        secret = signed_links.link_secret(connection, context.settings)
        return signed_links.is_valid(secret, request.path, request.args.get("expires"), request.args.get("signature"))

    if not await context.transactions.write(is_genuine):
        raise Problem(403, "the preview link is altered or has expired; ask for the lane again")
    query_of(request, LinkQuery)
    if named is None:
        raise not_found("preview")
    track_id, file_name = await context.transactions.read(partial(_find_preview, audio_id=named[1]))
    place = context.files.place("previews", file_name)
    loop, transfers = asyncio.get_running_loop(), context.transfers
    try:
        path = await loop.run_in_executor(transfers, context.files.find, place)
        if path is None or not await asyncio.to_thread(answers.record_play, path):
            await _make(request, track_id, file_name)
            path = await loop.run_in_executor(transfers, context.files.find, place)
        return await _send_file(request, path or place)
    except FileNotFoundError:  # it was deleted after it was found: it had expired, or the cache needed its room
        raise unavailable("the preview is being made; ask again", retry_after=1) from None
    finally:
        context.files.release(place)  # all of it has been read


def _find_preview(connection: Connection, audio_id: str) -> tuple[str, str]:
    """The id of an excerpt's track, and the name of the excerpt's file; Problem, 404, if there is none."""
    track = tracks.find_by_audio(connection, audio_id)
    if track is None:
        raise not_found("preview")
    return track.track_id, answers.file_name(audio_id, track.grid_revision, track.analysis_revision)


async def _make(request: Request, track_id: str, file_name: str) -> None:
    """Start the job that makes a preview and wait for it; one that has just failed is not started again."""
    transactions, build = request.app.ctx.transactions, f"preview:{file_name}"
    new = NewJob("preview", jobs.MAIN, "", build, track_id=track_id, request={"file": file_name})

    def start(connection: Connection) -> Job:
        last = jobs.find_recently_settled(connection, "preview", build, new.account)
        return last if last is not None and last.state == "failed" else jobs.submit(connection, new)

    job: Job | None = await transactions.write(start)
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while job is not None and not job.settled:
                await asyncio.sleep(_LOOK_SECONDS)
                job = await transactions.read(partial(jobs.get, job_id=job.job_id))
    except TimeoutError:
        raise unavailable("the preview is being made; ask again", retry_after=5) from None
    if job is None:
        raise not_found("preview")
    if job.state == "failed":
        if job.fault is None or job.fault["status"] >= 500:  # ours, and a later request starts another job
            raise unavailable("the preview could not be made; ask again", retry_after=jobs.RECENT_SECONDS)
        raise_fault(job)


async def _send_file(request: Request, path: Path) -> HTTPResponse:
    """The response with a file, or with the range of it that the request asks for."""
    wanted = ContentRangeHandler(request, await stat_async(path)) if _asks_for_part(request) else None
    # in lower case: Sanic would add a `cache-control` of its own beside another one
    headers = {"accept-ranges": "bytes", "cache-control": "private, max-age=60"}
    status = 206 if wanted else 200
    return await file(path, status, mime_type="audio/mpeg", headers=headers, _range=wanted)


def _asks_for_part(request: Request) -> bool:
    """Whether a request has a range that is to be heeded (RFC 9110, 14.2): of a GET, in bytes, on no condition."""
    unit = request.headers.get("range", "").partition("=")[0].strip().lower()
    return request.method == "GET" and unit == "bytes" and "if-range" not in request.headers
