"""Answers of `/v1/align`: 200 with stored placements, or 202 with the job that finds them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service import cache_keys
from service.answers import video_track
from service.answers.answer import Answer, Call, video_job
from service.money import funds
from service.schemas.requests import AlignRequest
from service.store import answers, ledger


def submit(connection: Connection, call: Call, request: AlignRequest) -> Answer:
    """Answer `POST /v1/align`.

    Returns 200 with stored placements, which is charged; 202 with the job, or with the video while it is ingested.
    Raises Problem: 404, 403, 422, 402.
    """
    found = video_track.find(connection, call, request)
    video, track = found.video, found.track
    if video is None:
        return video_job(request.video_id)
    funds.check(connection, call.caller)
    cache_key = cache_keys.align_key(
        video.content_hash, track.content_hash, track.grid_revision, track.analysis_revision
    )
    body = _stored(connection, cache_key, request.auto_mix)
    if body is not None:
        ledger.charge(connection, call.charge(), draws=call.caller.has_credit)
        names = {"video_id": request.video_id, "track_id": request.track_id, "status": "complete", "cached": True}
        return Answer(200, body | names)
    only_mix = answers.find(connection, cache_key) is not None
    return video_track.build(connection, call, request, "align", cache_key, only_mix=only_mix)


def poll(connection: Connection, call: Call, job_id: str) -> Answer:
    """Answer `GET /v1/align/jobs/{job_id}`; the mix is left out if there is none.

    Returns 200 with the result, 202 until the job is complete. Raises Problem: 404, 403, and the fault of a failed job.
    """
    return video_track.poll(connection, call, job_id, "align")


def result(connection: Connection, request: AlignRequest, job_id: str) -> Answer | None:
    """The answer of a submit that has waited for its job; the job has booked the charge.

    The job may be one that was asked for under other names of the same bytes; the answer's names are the request's.

    The mix is null if there is none; None until the job is complete.
    """
    body = video_track.result_of_job(connection, job_id)
    if body is None:
        return None
    return Answer(200, {"mix": None, **body, "video_id": request.video_id, "track_id": request.track_id})


def _stored(connection: Connection, cache_key: str, auto_mix: bool) -> dict[str, Any] | None:
    """The stored answer; None if a part that is asked for is not stored."""
    if auto_mix:
        points, mix = answers.use_both(connection, cache_key, cache_keys.mix_key(cache_key))
    else:
        points, mix = answers.use(connection, cache_key), {"mix": None}
    return None if points is None or mix is None else points | mix
