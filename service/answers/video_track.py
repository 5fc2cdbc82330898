"""Shared by the answers of loop and align: the video and the track of a request, and the job on both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection

from service.answers.answer import Answer, Call, find_polled, find_track, find_video, require_not_failed
from service.schemas.requests import AlignRequest, LoopRequest
from service.store import jobs
from service.store.jobs import Job, NewJob
from service.store.tracks import TrackFacts
from service.store.video_owners import ReadyVideo

Kind: TypeAlias = Literal["loop", "align"]

_RESULTS = {"loop": "the loop is then in the answer", "align": "the sync points are then in the answer"}


@dataclass(frozen=True, slots=True)
class VideoTrack:
    """The track of a request, and its video if it is ready."""

    video: ReadyVideo | None
    """None: still being ingested"""
    track: TrackFacts


def find(connection: Connection, call: Call, request: LoopRequest | AlignRequest) -> VideoTrack:
    """The video and the track of a request.

    Raises Problem: 404, 403; 422 if the ingest of the video failed.
    """
    video = find_video(connection, call, request.video_id)
    track = find_track(connection, request.track_id)
    require_not_failed(video)
    return VideoTrack(video.ready, track)


def build(
    connection: Connection,
    call: Call,
    request: LoopRequest | AlignRequest,
    kind: Kind,
    cache_key: str,
    *,
    only_mix: bool,
) -> Answer:
    """Start the job that computes a result, unless the account has it queued or running already.

    `only_mix` says that the result is stored and only its mix is not. Returns 202 with the job.
    """
    job = jobs.submit(
        connection,
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
    return Answer(202, _running(job), is_soon=only_mix)


def poll(connection: Connection, call: Call, job_id: str, kind: Kind) -> Answer:
    """Answer a poll of a job.

    Returns 200 with the result, 202 until the job is complete. Raises Problem: 404, 403, and the fault of a failed job.
    """
    job = find_polled(connection, call, job_id, kind)
    if job.state != "complete":
        return Answer(202, _running(job))
    return Answer(200, {**(job.answer or {}), "job_id": job.job_id, "status": "complete"})


def result_of_job(connection: Connection, job_id: str) -> dict[str, Any] | None:
    """The result of a job, without what only a poll says; None until it is complete, and if it failed."""
    job = jobs.get(connection, job_id)
    if job is None or job.state != "complete":
        return None
    return {name: value for name, value in (job.answer or {}).items() if name != "job_id"}


def _running(job: Job) -> dict[str, Any]:
    return {
        "video_id": job.video_id,
        "track_id": job.track_id,
        "job_id": job.job_id,
        "status": "processing",
        "poll": f"/v1/{job.kind}/jobs/{job.job_id}",
        "next": f"poll until status is complete; {_RESULTS[job.kind]}",
    }
