"""Answers of `/v1/loop`: 200 with a stored result or an immediate refusal, or 202 with the job that plans."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service import cache_keys
from service.answers import video_track
from service.answers.answer import Answer, Call, raise_fault, video_job
from service.money import funds
from service.schemas.requests import LoopRequest
from service.store import answers, jobs, ledger, tracks
from service.store.jobs import NewJob
from service.store.tracks import TrackFacts
from workbench.params import CoverParams
from workbench.plans.refusals import Refusal, missing_profile, video_not_longer
from workbench.results.loop_parts import loop_names, refusal_facts, with_mix

_EXCESS_SECONDS = CoverParams().required_excess_seconds


def submit(connection: Connection, call: Call, request: LoopRequest) -> Answer:
    """Answer `POST /v1/loop`.

    Returns 200 with a stored plan, which is charged, or a refusal, which is not; 202 with the job, or with the video
    while it is ingested. Raises Problem: 404, 403, 422, 402.
    """
    found = video_track.find(connection, call, request)
    video, track = found.video, found.track
    if video is None:
        return video_job(request.video_id)
    funds.check(connection, call.caller)
    refusal = None if track.seconds is None else video_not_longer(video.seconds, track.seconds, _EXCESS_SECONDS)
    if refusal is not None:
        return Answer(200, _refused(refusal, request.video_id, track))
    cache_key = cache_keys.loop_key(
        video.content_hash, track.content_hash, track.grid_revision, track.analysis_revision
    )
    body = _stored(connection, cache_key, request.auto_mix)
    if body is not None:
        if body["applicable"]:
            ledger.charge(connection, call.charge(), draws=call.caller.has_credit)
        return Answer(200, body | loop_names(request.video_id, track.track_id, track))
    only_mix = answers.find(connection, cache_key) is not None
    if track.seconds is None and not only_mix:
        return Answer(200, _unanalysed(connection, request, track, cache_key))
    return video_track.build(connection, call, request, "loop", cache_key, only_mix=only_mix)


def _unanalysed(connection: Connection, request: LoopRequest, track: TrackFacts, cache_key: str) -> dict[str, Any]:
    """The refusal for a track that was never analysed; a job that analyses it is started, for all accounts and free.

    If such a job has just ended in a refusal, that refusal is returned and no job is started.

    Raises the fault of the job as Problem, if it has just failed.
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
        return _refused(missing_profile(), request.video_id, track)
    if tried.state == "failed":
        raise_fault(tried)
    return answer | loop_names(request.video_id, track.track_id, track)


def poll(connection: Connection, call: Call, job_id: str) -> Answer:
    """Answer `GET /v1/loop/jobs/{job_id}`.

    Returns 200 with the result, 202 until the job is complete. Raises Problem: 404, 403, and the fault of a failed job.
    """
    return video_track.poll(connection, call, job_id, "loop")


def result(connection: Connection, request: LoopRequest, job_id: str) -> Answer | None:
    """The answer of a submit that has waited for its job; the job has booked the charge.

    The job may be one that was asked for under other names of the same bytes; the answer's names are the request's.

    None until the job is complete.
    """
    body = video_track.result_of_job(connection, job_id)
    if body is None:
        return None
    names = loop_names(request.video_id, request.track_id, tracks.get(connection, request.track_id))
    return Answer(200, body | names)


def _stored(connection: Connection, cache_key: str, auto_mix: bool) -> dict[str, Any] | None:
    """The stored answer; None if a part that is asked for is not stored."""
    if not auto_mix:
        return answers.use(connection, cache_key)
    facts, mix = answers.use_both(connection, cache_key, cache_keys.mix_key(cache_key))
    if facts is None or not facts["applicable"]:
        return facts
    return None if mix is None else with_mix(facts, mix["mix"])


def _refused(refusal: Refusal, video_id: str, track: TrackFacts) -> dict[str, Any]:
    return loop_names(video_id, track.track_id, track) | refusal_facts(refusal)
