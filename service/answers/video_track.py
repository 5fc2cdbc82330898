"""Shared by the answers of loop and align: video and track of a request, what is stored, and the job on both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection

from service import cache_keys
from service.answers.answer import Answer, Call, find_polled, find_track, find_video, require_not_failed
from service.money import funds
from service.schemas.requests import PairRequest
from service.store import answers, jobs
from service.store.jobs import Job, NewJob
from service.store.tracks import TrackFacts
from service.store.video_owners import ReadyVideo

Kind: TypeAlias = Literal["loop", "align"]
Body: TypeAlias = dict[str, Any]

_RESULTS = {"loop": "the loop is then in the answer", "align": "the sync points are then in the answer"}


def find(connection: Connection, call: Call, request: PairRequest) -> tuple[ReadyVideo | None, TrackFacts]:
    """The video of a request, None while it is being ingested, and the track."""
    video = find_video(connection, call, request.video_id)
    track = find_track(connection, request.track_id)
    return require_not_failed(video).ready, track


def stored(connection: Connection, cache_key: str, auto_mix: bool) -> tuple[Body | None, Body | None]:
    """The stored answer, and the stored `{"mix": …}`, null if none is asked for; None for what is not stored."""
    mix = answers.use(connection, cache_keys.mix_key(cache_key)) if auto_mix else {"mix": None}
    return answers.use(connection, cache_key), mix


def build(
    connection: Connection,
    call: Call,
    request: PairRequest,
    kind: Kind,
    cache_key: str,
    soon: Callable[[Connection, Body], Body] | None,
) -> Answer:
    """202 with the job that computes a result, a new one unless the account has it queued or running already.

    If only its mix is not stored, `soon` makes the answer of a call that waits for it of the body of the job, which may
    be one that was asked for under other names of the same bytes.
    """
    job = funds.accept(
        connection,
        call.caller,
        NewJob(
            kind=kind,
            queue=jobs.MAIN,
            account=call.account,
            traceparent=call.traceparent,
            build=cache_key,
            video_id=request.video_id,
            track_id=request.track_id,
            request={"auto_mix": request.auto_mix},
            endpoint=call.endpoint,
            charge_key=call.charge_key(""),
        ),
    )
    return Answer(202, _running(job), soon and partial(_result, job_id=job.job_id, body_of=soon))


def poll(connection: Connection, call: Call, job_id: str, kind: Kind) -> Answer:
    """Answer a poll of a job: 200 with the result, 202 until the job is complete."""
    job = find_polled(connection, call, job_id, kind)
    if job.state != "complete":
        return Answer(202, _running(job))
    return Answer(200, {**(job.answer or {}), "job_id": job.job_id, "status": "complete"})


def _result(connection: Connection, job_id: str, body_of: Callable[[Connection, Body], Body]) -> Answer | None:
    """The answer of a submit that has waited for its job, which has booked the charge."""
    job = jobs.get(connection, job_id)
    if job is None or job.state != "complete":
        return None
    found = {name: value for name, value in (job.answer or {}).items() if name != "job_id"}
    return Answer(200, body_of(connection, found))


def _running(job: Job) -> Body:
    return {
        "video_id": job.video_id,
        "track_id": job.track_id,
        "job_id": job.job_id,
        "status": "processing",
        "poll": f"/v1/{job.kind}/jobs/{job.job_id}",
        "next": f"poll until status is complete; {_RESULTS[job.kind]}",
    }
