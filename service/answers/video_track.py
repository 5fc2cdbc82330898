"""What loop and align share: a video and a track, and the job that brings both together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection

from service.answers.answer import Answer, Call, find_job, find_track, find_video, raise_fault, require_not_failed
from service.schemas.requests import AlignRequest, LoopRequest
from service.store import jobs, video_owners
from service.store.jobs import Job, NewJob
from service.store.tracks import TrackFacts
from service.store.video_owners import ReadyVideo

Kind: TypeAlias = Literal["loop", "align"]

_THERE = {"loop": "the loop is then in the answer", "align": "the sync points are then in the answer"}


@dataclass(frozen=True, slots=True)
class VideoTrack:
    """The track, and the video if it is ready."""

    video: ReadyVideo | None
    """None: still being ingested"""
    track: TrackFacts


def find(connection: Connection, call: Call, request: LoopRequest | AlignRequest) -> VideoTrack:
    """The video and the track that a request names.

    Raises
    ------
    Problem : 404, 403; 422 where the video failed to process
    """
    video = find_video(connection, call, request.video_id)
    track = find_track(connection, request.track_id)
    require_not_failed(video)
    return VideoTrack(video_owners.get_ready(connection, request.video_id) if video.status == "ready" else None, track)


def build(
    connection: Connection, call: Call, request: LoopRequest | AlignRequest, kind: Kind, cache_key: str
) -> Answer:
    """202: the job that makes what is stored under a key; the one that runs already, if this account has one."""
    job = jobs.submit(
        connection,
        NewJob(
            kind=kind,
            queue=jobs.MAIN,
            account=call.account,
            build=cache_key,
            video_id=request.video_id,
            track_id=request.track_id,
            request={"auto_mix": request.auto_mix},
            endpoint=call.endpoint,
            charge_key=call.charge_key(""),
        ),
    )
    return Answer(202, _running(job))


def poll(connection: Connection, call: Call, job_id: str, kind: Kind) -> Answer:
    """How far a job is, or its result.

    Raises
    ------
    Problem : 404, 403, and what a failed job says
    """
    job = find_job(connection, call, job_id, kind)
    if job.state == "failed":
        raise_fault(job)
    if job.state == "complete":
        return Answer(200, {**(job.answer or {}), "job_id": job.job_id, "status": "complete"})
    return Answer(202, _running(job))


def _running(job: Job) -> dict[str, Any]:
    return {
        "video_id": job.video_id,
        "track_id": job.track_id,
        "job_id": job.job_id,
        "status": "processing",
        "poll": f"/v1/{job.kind}/jobs/{job.job_id}",
        "next": f"poll until status is complete; {_THERE[job.kind]}",
    }
