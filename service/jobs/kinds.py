"""Kinds of job: from a request to the workflow that does it, and to everything that is written when it ends.

    kind     queue   request                                   answer at poll
    ingest   main *  source_url | storage_key                  the video's record
    loop     main    auto_mix                                  LoopResult
    align    main    auto_mix                                  AlignResult
    beats    beats * audio_url                                 beat grid; of long sound in the queue `long beats`
    match    main    brief, include_sync, sync_points_per_track a whole lane, from which submit and poll select
    engine   main    -                                         none: it computes the lane of a match ahead of time
    preview  main    file                                      the stretch of the track that it plays

    * with an address, it is in the queue `fetch` first: there its file is fetched, and nothing else

Video, track and account are fields of the job. A result is stored under a key of everything it depends on
(`service.cache_keys`), without the ids that a caller gave, so that jobs of other accounts find it. `service.jobs.runs`
runs a job in a process of its own: the process that settles jobs computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from service import cache_keys
from service.jobs.kind import Kind, Outcome
from service.settings import ServiceSettings
from service.store import jobs, shared_values, tracks, video_owners
from service.store.inserts import insert
from service.store.jobs import Job, NewJob
from service.store.tables import mapped_recordings
from workbench.errors import ParameterError
from workbench.plans import refusals
from workbench.plans.refusals import Refusal
from workbench.results.loop_parts import loop_names, refusal_facts
from workbench.store import videos
from workbench.store.catalog_revision import current_revision
from workbench.store.database import now

_WAIT_FOR_VIDEO_SECONDS = 30.0  # at most; `jobs.release` ends the wait as soon as the ingest has ended


class Ingest(Kind):
    """Fetch a video, analyse its picture and sound, and keep the file where later jobs find it.

    Charged by the minute. Once it is settled, jobs that wait for the video go on; if there is none, the catalog is
    ranked for it before the first request, which then waits for the same build.
    """

    name = "ingest"
    is_long = True

    def address(self, job: Job) -> str | None:
        """Address of the video; None for an upload."""
        return job.request.get("source_url")

    def deadline(self, settings: ServiceSettings) -> float:
        """A setting of its own."""
        return settings.ingest_deadline_seconds

    def complete(self, connection: Connection, job: Job, outcome: Outcome) -> bool:
        """The video is ready."""
        if not super().complete(connection, job, outcome):
            return False
        video_id, found = str(job.video_id), outcome.facts
        videos.put(
            connection,
            video_id,
            Path(found["path"]),
            content_hash=found["content_hash"],
            title=found["title"],
            seconds=found["seconds"],
        )
        video_owners.update(connection, video_id, "processing", status="ready", title=found["title"])
        if not jobs.release(connection, video_id):
            revision = shared_values.get(connection, shared_values.ANALYSIS_REVISION) or ""
            build = cache_keys.match_key(str(found["content_hash"]), current_revision(connection), revision)
            ahead = NewJob(Engine.name, Engine.queue, job.account, build, video_id=video_id)
            jobs.submit(connection, replace(ahead, traceparent=job.traceparent))
        return True

    def refuse(self, connection: Connection, job: Job, status: int, message: str) -> bool:
        """The video has failed."""
        if not super().refuse(connection, job, status, message):
            return False
        video_id = str(job.video_id)
        video_owners.update(connection, video_id, "processing", status="failed", reason=message)
        jobs.release(connection, video_id)
        return True

    def queue_again(self, connection: Connection, job: Job) -> bool:
        """The video is being processed again; its upload is deleted a day after an ingest has failed."""
        if job.request.get("storage_key"):
            video = video_owners.get(connection, str(job.video_id))
            if video is None or video.uploaded_bytes is None:
                raise ParameterError(f"the upload of {job.job_id} has been deleted; the caller has to send it again")
        if not super().queue_again(connection, job):
            return False
        video_owners.update(connection, str(job.video_id), "failed", status="processing", reason=None)
        return True


class Loop(Kind):
    """Plan how a track covers a video, unless the plan is stored; with a mix if the request asks for it.

    A plan is charged by the call, a refusal is free. A failure of ours is a refusal too, one that may be tried again:
    it is neither stored nor charged.
    """

    name = "loop"

    def refuse(self, connection: Connection, job: Job, status: int, message: str) -> bool:
        """A status of 500 or above is a refusal, all else a fault."""
        if status >= 500:
            return self._complete_as(connection, job, refusals.profile_error(message))
        return super().refuse(connection, job, status, message)

    def refuse_late(self, connection: Connection, job: Job, seconds: float) -> bool:
        """A refusal."""
        return self._complete_as(connection, job, refusals.timeout(seconds))

    def _complete_as(self, connection: Connection, job: Job, refusal: Refusal) -> bool:
        names = loop_names(str(job.video_id), str(job.track_id), tracks.get(connection, str(job.track_id)))
        return jobs.complete(connection, job, names | refusal_facts(refusal), billed=False)


class Align(Kind):
    """Find where a track lands under a video, unless the placements are stored. Charged by the call."""

    name = "align"


class Match(Kind):
    """Rank the catalog against a video, with full tracks, the candidate pool and twelve sync points a track.

    Charged by the call.
    """

    name = "match"

    def settle_if_blocked(self, connection: Connection, job: Job) -> bool:
        """It waits for a video that is being ingested, and fails with one whose ingest has failed."""
        video = video_owners.get(connection, str(job.video_id))
        if video is not None and video.status == "processing":
            jobs.postpone(connection, job, _WAIT_FOR_VIDEO_SECONDS, begun=False)
            return True
        if video is None or video.status == "failed":
            why = "it is gone" if video is None else str(video.reason)
            self.refuse(connection, job, 422, f"the video failed to process, submit it again as a new video: {why}")
            return True
        return False


class Engine(Match):
    """Rank the catalog against a video that has just become ready, so that match can answer at once. Free."""

    name = "engine"
    is_long = True
    is_background = True

    def settle_if_blocked(self, connection: Connection, job: Job) -> bool:
        """Never: its video is ready."""
        return False


class Beats(Kind):
    """Fetch a recording and track its beats. Charged by the minute.

    `cached` says whether the account had these bytes mapped before, which is known only when the job is settled: it
    must not find its own record.
    """

    name = "beats"
    queue = jobs.BEATS

    def address(self, job: Job) -> str | None:
        """Address of the recording."""
        return job.request.get("audio_url")

    def longest_wait(self, settings: ServiceSettings) -> float | None:
        """A setting."""
        return settings.beats_retention_seconds

    def complete(self, connection: Connection, job: Job, outcome: Outcome) -> bool:
        """The account has these bytes mapped."""
        content_hash = outcome.facts["content_hash"]
        mine = (mapped_recordings.c.account == job.account) & (mapped_recordings.c.content_hash == content_hash)
        cached = connection.scalar(sa.select(mapped_recordings.c.account).where(mine)) is not None
        outcome = replace(outcome, answer={**outcome.answer, "cached": cached})
        if not super().complete(connection, job, outcome):
            return False
        values = {"account": job.account, "content_hash": content_hash, "mapped_at": now()}
        connection.execute(insert(connection, mapped_recordings).values(**values).on_conflict_do_nothing())
        return True

    def refuse(self, connection: Connection, job: Job, status: int, message: str) -> bool:
        """Its fault always has the status 422."""
        return super().refuse(connection, job, 422, message)


class Preview(Kind):
    """Write the watermarked excerpt of a track to the folder of previews: once for all accounts, free."""

    name = "preview"


KINDS: Mapping[str, Kind] = {
    kind.name: kind for kind in (Ingest(), Loop(), Align(), Beats(), Match(), Engine(), Preview())
}
"""by name"""


def kind_of(job: Job) -> Kind:
    """The kind of a job; a bare one for a kind that only a newer version knows: it can be refused and queued again."""
    return KINDS.get(job.kind, Kind())


LONG = tuple(kind.name for kind in KINDS.values() if kind.is_long)
BACKGROUND = tuple(kind.name for kind in KINDS.values() if kind.is_background)
