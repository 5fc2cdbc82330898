"""Answers of `/v1/match`: a stored lane, the job that ranks, or the ingest that must come first.

A stored lane contains full tracks, the candidate pool and twelve sync points a track; the answers select from it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service import cache_keys
from service.answers import previews, videos
from service.answers.answer import Answer, Call, find_polled, find_video, require_not_failed
from service.money import funds
from service.schemas.requests import ExpandQuery, MatchPollQuery, MatchRequest
from service.store import answers, jobs, shared_values
from service.store.jobs import Job, NewJob
from workbench.results.match import select
from workbench.store.catalog_revision import current_revision


def submit(connection: Connection, call: Call, request: MatchRequest, query: ExpandQuery) -> Answer:
    """Answer `POST /v1/match`: 200 with a stored lane, which is charged; 202 with the job, or with a new video."""
    if request.video_url is not None:
        return videos.fetch(
            connection, call, request.video_url, next_step="poll until ready, then call /v1/match with this video_id"
        )
    video_id = str(request.video_id)
    video = require_not_failed(find_video(connection, call, video_id))
    funds.check(connection, call.caller)
    ready = video.ready
    sync = request.sync_points_per_track if request.include_sync else None
    brief = request.brief if request.brief and request.brief.strip() else None
    build = cache_keys.waiting_match_key(video_id, brief)
    if ready is not None:
        analysis = shared_values.get(connection, shared_values.ANALYSIS_REVISION) or ""
        build = cache_keys.match_key(ready.content_hash, current_revision(connection), analysis, brief)
        lane = answers.use(connection, build)
        if lane is not None:
            funds.charge(connection, call.caller, call.charge())
            return Answer(200, _complete(connection, call, video_id, lane, query.expand, sync))
    job = funds.accept(
        connection,
        call.caller,
        NewJob(
            kind="match",
            queue=jobs.MAIN,
            account=call.account,
            traceparent=call.traceparent,
            build=build,
            # A poll shows the part of the lane that the submit chose, so calls with other choices have their own job.
            choices=f"{int(request.include_sync)}.{request.sync_points_per_track}",
            video_id=video_id,
            request={
                "include_sync": request.include_sync,
                "sync_points_per_track": request.sync_points_per_track,
                **({} if brief is None else {"brief": brief}),
            },
            endpoint=call.endpoint,
            charge_key=call.charge_key(""),
        ),
    )
    return Answer(202, _running(job))


def poll(connection: Connection, call: Call, query: MatchPollQuery, job_id: str) -> Answer:
    """Answer `GET /v1/match/jobs/{job_id}`: 200 with the lane, 202 until the job is complete.

    Parameters left out of the query are as in the submit. The transaction has to be one that writes, because the secret
    of preview links may have to be created.
    """
    job = find_polled(connection, call, job_id, "match")
    if job.state != "complete":
        return Answer(202, _running(job))
    submitted = job.request
    include = submitted["include_sync"] if query.include_sync is None else query.include_sync
    points = query.sync_points_per_track or submitted["sync_points_per_track"]
    body = _complete(connection, call, str(job.video_id), job.answer or {}, query.expand, points if include else None)
    return Answer(200, {"video_id": body["video_id"], "job_id": job.job_id, **body})


def _complete(
    connection: Connection, call: Call, video_id: str, lane: dict[str, Any], expand: str | None, sync: int | None
) -> dict[str, Any]:
    shown = select(lane, expand == "full", sync, previews.links(connection, call, lane))
    return {"video_id": video_id, "status": "complete", "lane": shown}


def _running(job: Job) -> dict[str, Any]:
    return {
        "video_id": job.video_id,
        "job_id": job.job_id,
        "status": "processing",
        "poll": f"/v1/match/jobs/{job.job_id}",
        "next": "poll until status is complete; the lane is then in the answer",
    }
