"""What jobs do: from a request to the workflow that does it, in the process of the job.

Everything here loads workflows; the process that settles jobs (`service.jobs.kinds`) computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from service import cache_keys
from service.errors import Problem
from service.jobs.fetching import fetched
from service.jobs.kind import Context, JobFault, Outcome
from service.jobs.kinds import KINDS, Beats, Match
from service.money import funds
from service.prices import started_minutes
from service.store import answers, tracks, video_owners
from service.store.jobs import LONG_BEATS, Job, StoredAnswer
from service.store.tracks import TrackFacts
from workbench.analysis.sources import TrackSource
from workbench.analysis.video import analyze_video, unused_speech
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import Library
from workbench.catalog.track import Track
from workbench.errors import MediaError, Sentence, SoundTooLong, UnknownTrack, UnknownVideo
from workbench.files import hash_file
from workbench.mix.balance import Mix
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal, audio_unavailable
from workbench.plans.request import LOOP_ALONE
from workbench.results.align import MOST_SYNC_POINTS, align_result
from workbench.results.beats import beat_grid_body
from workbench.results.loop_parts import loop_names, with_mix
from workbench.results.match import lane_body
from workbench.results.mix import mix_body
from workbench.results.plan import loop_facts, plan_from_json
from workbench.store import saved as grids
from workbench.store import videos
from workbench.store.catalog_revision import current_revision
from workbench.store.videos import AddedVideo
from workbench.workflows.align import align_track, mix_beside
from workbench.workflows.beats import map_beats
from workbench.workflows.match import match
from workbench.workflows.mix import mix_under
from workbench.workflows.plan import plan_track
from workbench.workflows.preview import make_preview

log = structlog.get_logger("service.jobs")

_REMOVED = "the track has been removed from the catalog"
_LONG_BEATS_SECONDS = 600.0  # of sound; more has a slot of its own, so that no other job waits for it
_BEATS_OWN = ("track_id", "status", "cached")
"""fields that are left out of a stored answer, because they belong to one caller"""


def run(job: Job, context: Context) -> Outcome:
    """Run a job of any kind; raises JobFault if it cannot be done: the caller gets the reason."""
    return _RUN[job.kind](job, context)


def _ingest(job: Job, context: Context) -> Outcome:
    """The outcome is the video's record. JobFault, 422: the file is not a video."""
    if KINDS[job.kind].address(job) is None:
        source = context.workspace.files.place("uploads", str(job.request["storage_key"]))
    else:
        source = fetched(job, context)
    try:
        path = context.workspace.local_file(source)
        context.stage("watching")
        watched = analyze_video(context.workspace, path)
        _reserve(job, context, watched.duration)
        missed = unused_speech(context.workspace, path)
    except MediaError as error:
        raise JobFault(422, _without_path(str(error), source, "the file")) from error
    if missed is not None:
        log.warning("speech not used", video_id=job.video_id, problem=missed)
    # A video without a title has its file's name as title, and here the file's name is an id.
    title = watched.title if watched.title != path.name else _given_title(job, path, context)
    place = source if KINDS[job.kind].address(job) is None else _keep(path, job, watched.content_hash, context)
    facts = {
        "path": str(place),
        "content_hash": watched.content_hash,
        "seconds": round(watched.duration, 6),
        "title": title,
    }
    answer = {"video_id": job.video_id, "status": "ready", "ready": True, "title": title}
    return Outcome(answer, billed=True, quantity=started_minutes(watched.duration), facts=facts)


def _keep(path: Path, job: Job, content_hash: str, context: Context) -> Path:
    """Keep a fetched video where later jobs find it, as an upload is already; returns the path of its record.

    In a store that machines share its name has the hash of its bytes, so that a run of the job on another machine,
    to which the address may give other bytes, replaces nothing.
    """
    files, name = context.workspace.files, str(job.video_id)
    return files.keep(path, "videos", name if files.store is None else f"{name}.{content_hash[:16]}")


def _given_title(job: Job, path: Path, context: Context) -> str:
    """The title that the video was submitted with: its file's name, or the last part of its address."""
    with context.workspace.database.read() as connection:
        owned = video_owners.get(connection, str(job.video_id))
    return path.name if owned is None else owned.title or owned.filename or path.name


def _loop(job: Job, context: Context) -> Outcome:
    """JobFault: 404 if the track has left the catalog, 422 if the video has no record or has changed."""
    video, (track, facts) = _video(job, context), _track(job, context)
    cache_key = cache_keys.loop_key(video.content_hash, track.content_hash, facts.grid_revision, context.revision)
    stored = _use_stored(context, cache_key)
    new: list[StoredAnswer] = []
    mix: dict[str, Any] | None = None
    try:
        if stored is None:
            source = TrackSource(track.track_id, track.path, track)
            found = plan_track(_with_stages(context), source, video.seconds, LOOP_ALONE)
            if found.analysis is None or found.analysis.content_hash != track.content_hash:
                _require_track(track, context)
            stored = loop_facts(_without_paths(found.answer, track))
            if stored["applicable"] or not stored["retryable"]:
                new.append(StoredAnswer(cache_key, job.kind, stored, video.content_hash))
        if job.request.get("auto_mix") and stored["applicable"]:
            plan = plan_from_json(stored)
            measure = partial(mix_under, context.workspace, plan, track.path, video.path)
            mix, more = _mix(cache_key, track, video, context, measure)
            new += more
    except _TrackLost as lost:
        stored, new = loop_facts(audio_unavailable(str(lost))), []
    result = loop_names(str(job.video_id), str(job.track_id), track) | with_mix(stored, mix)
    return Outcome(result, billed=bool(stored["applicable"]), stored=tuple(new))


def _align(job: Job, context: Context) -> Outcome:
    """JobFault: 404 if the track has left the catalog, 422 if the video has no record or has changed, 500 if a
    file cannot be read now.
    """
    video, (track, facts) = _video(job, context), _track(job, context)
    cache_key = cache_keys.align_key(video.content_hash, track.content_hash, facts.grid_revision, context.revision)
    stored = _use_stored(context, cache_key)
    cached, new = stored is not None, list[StoredAnswer]()
    mix: dict[str, Any] | None = None
    try:
        if stored is None:
            source = TrackSource(track.track_id, track.path, track)
            found = align_track(_with_stages(context), source, video.path)
            points = ((one.offset_seconds, one.score, one.label) for one in found.placements)
            body = align_result(points, video_id="", track_id="").to_json()
            stored = {"sync_points": body["sync_points"]}
            _require_track(track, context)
            _require_video(video, context)
            new.append(StoredAnswer(cache_key, job.kind, stored, video.content_hash))
        if job.request.get("auto_mix"):
            measure = partial(mix_beside, context.workspace, track.path, video.path, video.seconds)
            mix, more = _mix(cache_key, track, video, context, measure)
            new += more
    except MediaError as error:
        log.error("align", job_id=job.job_id, problem=str(error))
        raise JobFault(500, "the track or the video could not be read; submit it again") from error
    except _TrackLost as lost:
        raise JobFault(500, f"the track's audio could not be read: {lost}; submit it again") from lost
    answer: dict[str, Any] = {"video_id": job.video_id, "track_id": job.track_id, "job_id": job.job_id}
    answer |= {"status": "complete", "cached": cached, **stored}
    answer |= {} if mix is None else {"mix": mix}
    return Outcome(answer, billed=True, stored=tuple(new))


def _match(job: Job, context: Context) -> Outcome:
    """JobFault, 422: the video has no record, has changed or cannot be read."""
    lane, new = _lane(job, context)
    return Outcome(lane, billed=True, stored=new)


def _lane(job: Job, context: Context) -> tuple[dict[str, Any], tuple[StoredAnswer, ...]]:
    """The lane, stored or ranked now, and the answers to store."""
    video = _video(job, context)
    with context.workspace.database.read() as connection:
        catalog_revision = current_revision(connection)
    brief = job.request.get("brief")
    cache_key = cache_keys.match_key(video.content_hash, catalog_revision, context.revision, brief)
    stored = _use_stored(context, cache_key)
    if stored is not None:
        return stored, ()
    try:
        lane = match(_with_stages(context), video.path, brief)
    except MediaError as error:
        log.error("match", job_id=job.job_id, problem=str(error))
        raise JobFault(422, "the video can no longer be read; submit it again as a new video") from error
    _require_video(video, context)
    body = lane_body(lane, expand_full=True, with_sync=MOST_SYNC_POINTS).to_json()
    if any(one.sync_status == "cold" and _is_lost(one.track, context) for one in lane.candidate_pool):
        return body, ()  # not stored: its placements can be found once its file is back
    return body, (StoredAnswer(cache_key, Match.name, body, video.content_hash),)


def _engine(job: Job, context: Context) -> Outcome:
    """The outcome has no answer, only the stored lane."""
    _, new = _lane(job, context)
    return Outcome({}, billed=False, stored=new)


def _beats(job: Job, context: Context) -> Outcome:
    """JobFault, 422: the file is not sound."""
    path = fetched(job, context)
    context.stage("decoding")
    try:
        content_hash = hash_file(path)
    except MediaError as error:
        raise JobFault(422, _without_path(str(error), path, "the audio")) from error
    with context.workspace.database.read() as connection:
        grid_revision = grids.revision_of(connection, content_hash)
    cache_key = cache_keys.beats_key(content_hash, grid_revision, context.revision)
    grid, new = _use_stored(context, cache_key), list[StoredAnswer]()
    if grid is None:
        most = context.settings.beats_max_seconds
        goes_on = job.queue == Beats.queue and most > _LONG_BEATS_SECONDS
        try:
            sound = context.workspace.load_recording(path, _LONG_BEATS_SECONDS if goes_on else most)
            _reserve(job, context, sound.duration)
            found = map_beats(_with_stages(context, _stage_of_beats), path)
        except MediaError as error:
            if goes_on and isinstance(error, SoundTooLong):
                return Outcome({}, billed=False, queue=LONG_BEATS)
            raise JobFault(422, _without_path(str(error), path, "the audio")) from error
        body = beat_grid_body(found.grid, found.duration, track_id=None, cached=False).to_json()
        grid = {name: value for name, value in body.items() if name not in _BEATS_OWN}
        new.append(StoredAnswer(cache_key, job.kind, grid))
    _reserve(job, context, float(grid["duration_seconds"]))
    minutes = started_minutes(float(grid["duration_seconds"]))
    answer = {"job_id": job.job_id, "track_id": job.track_id, "status": "complete", **grid}
    answer["billed_minutes"] = minutes
    facts = {"content_hash": content_hash}
    return Outcome(answer, billed=True, quantity=minutes, stored=tuple(new), facts=facts)


def _preview(job: Job, context: Context) -> Outcome:
    """The outcome is the stretch of the track that it plays.

    JobFault, 404: the track has left the catalog, or its file cannot be read or has changed.
    """
    name = str(job.request["file"])
    context.stage("cutting")
    try:
        track = Library(context.workspace.database).get(str(job.track_id))
        made = make_preview(context.workspace, track.path, context.scratch / name)
        if hash_file(context.workspace.local_file(track.path)) != track.content_hash:
            raise MediaError("the file of the track is not the one in the catalog any more")
    except (MediaError, UnknownTrack) as error:
        log.warning("no preview", track_id=job.track_id, problem=str(error))
        raise JobFault(404, "there is no sound to make a preview of") from error
    context.workspace.files.keep(made.path, "previews", name)
    return Outcome({"file": name, "song_from": made.song_from, "song_to": made.song_to}, billed=False)


_RUN: Mapping[str, Callable[[Job, Context], Outcome]] = {
    "ingest": _ingest, "loop": _loop, "align": _align, "beats": _beats, "match": _match, "engine": _engine,
    "preview": _preview,
}  # fmt: skip
"""by kind"""


def _reserve(job: Job, context: Context, seconds: float) -> None:
    """Reserve the price of a job that is sold by the minute; JobFault, 422, if its account cannot pay it."""
    try:
        with context.workspace.database.write() as connection:
            funds.reserve(connection, job, started_minutes(seconds))
    except Problem as problem:
        raise JobFault(422, problem.message) from problem


# The video and the track of a job


def _video(job: Job, context: Context) -> AddedVideo:
    """The record of a video that is ready."""
    try:
        with context.workspace.database.read() as connection:
            return videos.get(connection, str(job.video_id))
    except UnknownVideo as error:
        raise JobFault(422, "the video failed to process; submit it again as a new video") from error


def _track(job: Job, context: Context) -> tuple[Track, TrackFacts]:
    """A track of the catalog, and its facts with the revisions of what a person gave."""
    track_id = str(job.track_id)
    try:
        track = Library(context.workspace.database).get(track_id)
    except UnknownTrack as error:
        raise JobFault(404, _REMOVED) from error
    with context.workspace.database.read() as connection:
        facts = tracks.get(connection, track_id)
    if facts is None:
        raise JobFault(404, _REMOVED)
    return track, facts


class _TrackLost(Exception):
    """The file of a track cannot be read, or is not the one in the catalog."""


def _is_lost(track: Track, context: Context) -> bool:
    """Whether the file of a track is missing or is not the one in the catalog; it may come back."""
    try:
        _require_track(track, context)
    except _TrackLost:
        return True
    return False


def _require_track(track: Track, context: Context) -> None:
    """Check after work on a track that it was done on the bytes under whose hash it is stored; else _TrackLost."""
    try:
        content_hash = hash_file(context.workspace.local_file(track.path))
    except MediaError as error:
        raise _TrackLost(_without_path(str(error), track.path, "the file")) from error
    if content_hash != track.content_hash:
        raise _TrackLost("its file is not the one in the catalog any more; the catalog has to be indexed again")


def _require_video(video: AddedVideo, context: Context) -> None:
    """Check after work on a video that it was done on the bytes under whose hash it is stored; else JobFault."""
    problem = "its bytes are not those that were ingested"
    try:
        if hash_file(context.workspace.local_file(video.path)) == video.content_hash:
            return
    except MediaError as error:
        problem = str(error)
    log.error("video lost", video_id=video.video_id, file=str(video.path), problem=problem)
    raise JobFault(422, "the video can no longer be read; submit it again as a new video")


# Stored answers and stages


def _mix(
    cache_key: str, track: Track, video: AddedVideo, context: Context, measure: Callable[[], Mix]
) -> tuple[dict[str, Any] | None, list[StoredAnswer]]:
    """The body of a mix, stored or measured now, and the answers to store.

    A mix that cannot be measured is null, and stored as such, because the same bytes would fail again.
    """
    mix_key = cache_keys.mix_key(cache_key)
    stored = _use_stored(context, mix_key)
    if stored is not None:
        return stored["mix"], []
    context.stage("mixing")
    body: dict[str, Any] | None = None
    try:
        body = mix_body(measure()).to_json()
    except MediaError as error:
        log.warning("no mix", problem=str(error))
    _require_track(track, context)
    _require_video(video, context)
    return body, [StoredAnswer(mix_key, "mix", {"mix": body}, video.content_hash)]


def _use_stored(context: Context, cache_key: str) -> dict[str, Any] | None:
    """The answer stored under a key; its use is recorded, and the sweep leaves it."""
    with context.workspace.database.write() as connection:
        return answers.use(connection, cache_key)


def _with_stages(context: Context, shown: Callable[[str], str] = str) -> Workspace:
    """The job's workspace, which reports each stage to the parent when it begins, under the name that is `shown`."""
    return context.workspace.with_progress(lambda stage, _: context.stage(shown(stage)))


def _stage_of_beats(stage: str) -> str:
    return "decoding" if stage.startswith("decoding") else "analyzing"


def _without_paths(answer: LoopPlan | Refusal, track: Track) -> LoopPlan | Refusal:
    """The same answer, without the path of the track in the hint of a refusal."""
    if isinstance(answer, Refusal):
        return replace(answer, sentence=Sentence(_without_path(answer.hint, track.path, "the file")))
    return answer


def _without_path(text: str, path: Path, instead: str) -> str:
    """A message about a file, with a noun in place of its path and name."""
    return text.replace(str(path), instead).replace(path.name, instead)
