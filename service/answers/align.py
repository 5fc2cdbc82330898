"""Align: stored placements, or the job that finds them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service.answers import keys
from service.answers.answer import (
    Answer,
    Call,
    analysis_revision,
    known_track,
    not_failed,
    open_claim,
    own_job,
    raise_fault,
    video_job,
)
from service.billing import funds
from service.schemas.requests import AlignRequest
from service.store import answers, claims, jobs, ledger
from service.store.jobs import Job, NewJob


def submit(connection: Connection, call: Call, request: AlignRequest) -> Answer:
    """Answer `POST /v1/align`.

    Raises
    ------
    Problem : 404, 403, 422, 402
    """
    claim = open_claim(connection, call, request.video_id)
    track = known_track(connection, request.track_id)
    not_failed(claim)
    clip = claims.clip(connection, request.video_id) if claim.status == "ready" else None
    if clip is None:
        return video_job(request.video_id)
    funds.check(connection, call.account)
    key = keys.align_key(clip.content_hash, track.content_hash, track.grid_revision, analysis_revision(connection))
    body = _stored(connection, key, request.auto_mix)
    if body is not None:
        body |= {"video_id": request.video_id, "track_id": request.track_id, "status": "complete", "cached": True}
        ledger.charge(connection, call.charge())
        return Answer(200, body)
    job = jobs.submit(
        connection,
        NewJob(
            kind="align",
            queue="main",
            account=call.account,
            build=key,
            video_id=request.video_id,
            track_id=request.track_id,
            request={"auto_mix": request.auto_mix},
            endpoint=call.endpoint,
            charge_key=call.charge_key(""),
        ),
    )
    return Answer(202, _running(job))


def poll(connection: Connection, call: Call, job_id: str) -> Answer:
    """Answer `GET /v1/align/jobs/{job_id}`; a mix that is not there is left out.

    Raises
    ------
    Problem : 404, 403, and what a failed job says
    """
    job = own_job(connection, call, job_id, "align")
    if job.state == "failed":
        raise_fault(job)
    if job.state == "complete":
        return Answer(200, {**(job.answer or {}), "job_id": job.job_id, "status": "complete"})
    return Answer(202, _running(job))


def _stored(connection: Connection, key: str, auto_mix: bool) -> dict[str, Any] | None:
    body = answers.find(connection, key)
    if body is None or not auto_mix:
        return None if body is None else body | {"mix": None}
    mix = answers.find(connection, keys.mix_key(key))
    return None if mix is None else body | {"mix": mix["mix"]}


def _running(job: Job) -> dict[str, Any]:
    return {
        "video_id": job.video_id,
        "track_id": job.track_id,
        "job_id": job.job_id,
        "status": "processing",
        "poll": f"/v1/align/jobs/{job.job_id}",
        "next": "poll until status is complete; the sync points are then in the answer",
    }
