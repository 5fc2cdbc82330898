"""Answers of `/v1/align`: 200 with stored placements, or 202 with the job that finds them."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import Connection

from service import cache_keys
from service.answers import video_track
from service.answers.answer import Answer, Call, video_job
from service.money import funds
from service.schemas.requests import AlignRequest

poll = partial(video_track.poll, kind="align")


def submit(connection: Connection, call: Call, request: AlignRequest) -> Answer:
    """Answer `POST /v1/align`: 200 with stored placements, which is charged; 202 with the job, or a video in ingest."""
    video, track = video_track.find(connection, call, request)
    if video is None:
        return video_job(request.video_id)
    funds.check(connection, call.caller)
    names = {"video_id": request.video_id, "track_id": request.track_id}
    cache_key = cache_keys.align_key(
        video.content_hash, track.content_hash, track.grid_revision, track.analysis_revision
    )
    points, mix = video_track.stored(connection, cache_key, request.auto_mix)
    if points is not None and mix is not None:
        funds.charge(connection, call.caller, call.charge())
        return Answer(200, {**points, **mix, **names, "status": "complete", "cached": True})

    def renamed(_: Connection, body: dict[str, Any]) -> dict[str, Any]:
        return {"mix": None, **body, **names}

    return video_track.build(connection, call, request, "align", cache_key, None if points is None else renamed)
