"""Answers of `/v1/loop`: 200 with a stored result or an immediate refusal, or 202 with the job that plans."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import Connection

from service import cache_keys
from service.answers import video_track
from service.answers.answer import Answer, Call, raise_fault, video_job
from service.money import funds
from service.schemas.requests import LoopRequest
from service.store import jobs, tracks
from service.store.jobs import NewJob
from service.store.tracks import TrackFacts
from workbench.params import CoverParams
from workbench.plans.refusals import missing_profile, video_not_longer
from workbench.results.loop_parts import loop_names, refusal_facts, with_mix

_EXCESS_SECONDS = CoverParams().required_excess_seconds


poll = partial(video_track.poll, kind="loop")


def submit(connection: Connection, call: Call, request: LoopRequest) -> Answer:
    """Answer `POST /v1/loop`: 200 with a stored plan, charged, or a refusal; 202 with the job, or a video in ingest."""
    video, track = video_track.find(connection, call, request)
    if video is None:
        return video_job(request.video_id)
    funds.check(connection, call.caller)
    names = loop_names(request.video_id, track.track_id, track)
    refusal = None if track.seconds is None else video_not_longer(video.seconds, track.seconds, _EXCESS_SECONDS)
    if refusal is not None:
        return Answer(200, names | refusal_facts(refusal))
    cache_key = cache_keys.loop_key(
        video.content_hash, track.content_hash, track.grid_revision, track.analysis_revision
    )
    facts, mix = video_track.stored(connection, cache_key, request.auto_mix)
    if facts is not None and not facts["applicable"]:
        return Answer(200, facts | names)
    if facts is not None and mix is not None:
        funds.charge(connection, call.caller, call.charge())
        return Answer(200, with_mix(facts, mix["mix"]) | names)
    if facts is None and track.seconds is None:
        return Answer(200, _unanalysed(connection, request, track, cache_key))

    def renamed(connection: Connection, body: dict[str, Any]) -> dict[str, Any]:
        return body | loop_names(request.video_id, request.track_id, tracks.get(connection, request.track_id))

    return video_track.build(connection, call, request, "loop", cache_key, None if facts is None else renamed)


def _unanalysed(connection: Connection, request: LoopRequest, track: TrackFacts, cache_key: str) -> dict[str, Any]:
    """The refusal for a track that was never analysed; a job that analyses it is started, for all accounts and free.

    If such a job has just ended, its refusal is returned, or its fault raised, and no job is started.
    """
    tried = jobs.find_recently_settled(connection, "loop", cache_key, account="")
    answer: dict[str, Any] = {} if tried is None else tried.answer or {}
    # An applicable loop is not returned from here, but found among the stored answers by `submit`, which charges it.
    if tried is None or answer.get("applicable"):
        jobs.submit(
            connection,
            NewJob(
                kind="loop",
                queue=jobs.MAIN,
                account="",
                build=cache_key,
                video_id=request.video_id,
                track_id=request.track_id,
                request={"auto_mix": request.auto_mix},
            ),
        )
        return loop_names(request.video_id, track.track_id, track) | refusal_facts(missing_profile())
    if tried.state == "failed":
        raise_fault(tried)
    return answer | loop_names(request.video_id, track.track_id, track)
