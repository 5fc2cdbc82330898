"""The ends of a job. Each is one transaction that writes everything that belongs to it:

    ingest   the video's record and status, the charge by the minute, the release of jobs that wait for the video or
             else an `engine` job
    beats    whether the account had these bytes mapped before, the grid, the charge by the minute
    others   the answer, the stored answers, the charge of the call

A job that killed its process three times, ran past its deadline or met an internal error ends too: a loop as a refusal
that may be tried again, every other kind as a fault. No fault is a 503, which would ask the caller to poll again: the
job is over, and only a new submit can help. A process that dies with its worker counts for nothing, however
often: what ends both comes from outside. Only a job that was begun a hundred times is given up all the same, in case it
is what brings its machine down.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from service import cache_keys
from service.errors import error_type
from service.jobs.outcome import Outcome
from service.store import jobs, shared_values, tracks, video_owners
from service.store.inserts import insert
from service.store.jobs import Fault, Job, NewJob
from service.store.tables import mapped_recordings
from workbench.errors import ParameterError
from workbench.plans import refusals
from workbench.plans.refusals import Refusal
from workbench.results.loop_parts import loop_names, refusal_facts
from workbench.store import videos
from workbench.store.changes import current_revision
from workbench.store.database import now

MOST_CRASHES = 3
"""deaths of its process after which a job fails"""
_MOST_STARTS = 100  # of a job, whatever ended it
_WAIT_FOR_VIDEO_SECONDS = 30.0  # at most; `release` ends the wait as soon as the ingest has ended
_MOST_ATTEMPTS = 12  # before a job fails on an outage; the pauses between so many add up to six minutes
_LONGEST_PAUSE_SECONDS = 60.0  # between two attempts


def settle_if_blocked(connection: Connection, job: Job) -> bool:
    """Settle or postpone a job that cannot be run now.

    False if it can be run; nothing is changed then.
    """
    if job.crashes >= MOST_CRASHES:
        fail_after_crashes(connection, job)
        return True
    if job.attempt > _MOST_STARTS:
        fail(connection, job, 500, f"it was begun {_MOST_STARTS} times and never ended")
        return True
    if job.kind != "match":
        return False
    video = video_owners.get(connection, str(job.video_id))
    if video is not None and video.status == "processing":
        jobs.postpone(connection, job, _WAIT_FOR_VIDEO_SECONDS, begun=False)
        return True
    if video is None or video.status == "failed":
        why = "it is gone" if video is None else str(video.reason)
        fail(connection, job, 422, f"the video failed to process, submit it again: {why}")
        return True
    return False


def complete(connection: Connection, job: Job, outcome: Outcome) -> bool:
    """Settle a job that succeeded, with everything that its kind changes.

    False if the job is no longer ours, or was extended after it was claimed; nothing is changed then.
    """
    answer = outcome.answer
    if job.kind == "beats":
        answer = {
            **answer,
            "cached": _has_mapped(connection, job.account, outcome.facts["content_hash"]),
        }
    done = jobs.complete(
        connection, job, answer, billed=outcome.billed, quantity=outcome.quantity, stored=outcome.stored
    )
    if done and job.kind == "beats":
        _add_mapped(connection, job.account, outcome.facts["content_hash"])
    if done and job.kind == "ingest":
        _mark_video_ready(connection, job, outcome)
    return done


def fail(connection: Connection, job: Job, status: int, message: str) -> bool:
    """Settle a job that cannot be done: a loop with a status of 500 or above as a refusal, all else as a fault.

    The fault of a beats job always has the status 422. False if the job is no longer ours; nothing is changed then.
    """
    if job.kind == "loop" and status >= 500:
        return _complete_as_refusal(connection, job, refusals.profile_error(message))
    if job.kind == "beats":
        status = 422
    done = jobs.fail(connection, job, Fault(status, error_type(status), message))
    if done and job.kind == "ingest":
        _mark_video_failed(connection, job, message)
    return done


def fail_on_deadline(connection: Connection, job: Job, seconds: float) -> bool:
    """Settle a job that ran past its deadline.

    It was allowed to run for `seconds`. False if the job is no longer ours; nothing is changed then.
    """
    if job.kind == "loop":
        return _complete_as_refusal(connection, job, refusals.timeout(seconds))
    return fail(connection, job, 500, f"it did not finish within {seconds:.0f} s; submit it again")


def retry_after_crash(connection: Connection, job: Job) -> bool:
    """Put back a job that killed its process, or fail it after `MOST_CRASHES` crashes.

    This crash is not counted in `job` yet. False if the job is no longer ours; nothing is changed then.
    """
    if job.crashes + 1 >= MOST_CRASHES:
        return fail_after_crashes(connection, job)
    return jobs.put_back_crashed(connection, job)


def cancel(connection: Connection, job_id: str) -> Job | None:
    """End a job that is not settled because an operator wants it: its poll says so, and nothing is charged.

    The worker that has it sees at its next heartbeat that it lost the job, and ends its process.

    Returns the job as it was taken; None if it is settled, or there is no such job.
    """
    job = jobs.take(connection, job_id, "operator")
    if job is not None:
        fail(connection, job, 500, "it was cancelled by the operator; submit it again")
    return job


def retry(connection: Connection, job: Job) -> bool:
    """Queue a failed job again; the video of a failed ingest is being processed again with it.

    False if it is no longer failed, or another job does the same work already; nothing is changed then. Raises
    ParameterError if its upload has been deleted, as a day after an ingest has failed.
    """
    if job.kind == "ingest" and job.request.get("storage_key"):
        video = video_owners.get(connection, str(job.video_id))
        if video is None or video.uploaded_bytes is None:
            raise ParameterError(f"the upload of {job.job_id} has been deleted; the caller has to send it again")
    if not jobs.queue_again(connection, job):
        return False
    if job.kind == "ingest":
        video_owners.update(connection, str(job.video_id), "failed", status="processing", reason=None)
    return True


def fail_after_crashes(connection: Connection, job: Job) -> bool:
    """Settle a job that killed its process too often.

    False if the job is no longer ours; nothing is changed then.
    """
    return fail(connection, job, 500, f"the process that worked on it died {MOST_CRASHES} times")


def retry_after_outage(connection: Connection, job: Job) -> bool:
    """Postpone a job because the home folder or the database failed, for longer each time; in the end fail it.

    False if the job is no longer ours; nothing is changed then.
    """
    if job.attempt >= _MOST_ATTEMPTS:
        return fail(connection, job, 500, "the service's store could not be used for too long; submit it again")
    return jobs.postpone(connection, job, min(_LONGEST_PAUSE_SECONDS, 2.0 ** (job.attempt - 1)))


def _complete_as_refusal(connection: Connection, job: Job, refusal: Refusal) -> bool:
    """Complete a loop with a refusal, which is neither stored nor billed."""
    names = loop_names(str(job.video_id), str(job.track_id), tracks.get(connection, str(job.track_id)))
    return jobs.complete(connection, job, names | refusal_facts(refusal), billed=False)


def _mark_video_ready(connection: Connection, job: Job, outcome: Outcome) -> None:
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
        _rank_ahead(connection, job, str(found["content_hash"]))


def _rank_ahead(connection: Connection, job: Job, content_hash: str) -> None:
    """Queue a ranking of the catalog for a video before the first request, which then waits for the same build."""
    revision = shared_values.get(connection, shared_values.ANALYSIS_REVISION) or ""
    build = cache_keys.match_key(content_hash, current_revision(connection), revision)
    new = NewJob("engine", jobs.MAIN, job.account, build, video_id=job.video_id, traceparent=job.traceparent)
    jobs.submit(connection, new)


def _mark_video_failed(connection: Connection, job: Job, reason: str) -> None:
    video_id = str(job.video_id)
    video_owners.update(connection, video_id, "processing", status="failed", reason=reason)
    jobs.release(connection, video_id)


def _has_mapped(connection: Connection, account: str, content_hash: str) -> bool:
    """Whether an account had these bytes mapped before; a beats job answers `cached` for these."""
    row = (mapped_recordings.c.account == account) & (mapped_recordings.c.content_hash == content_hash)
    return connection.scalar(sa.select(mapped_recordings.c.account).where(row)) is not None


def _add_mapped(connection: Connection, account: str, content_hash: str) -> None:
    """Record that an account has these bytes mapped.

    It belongs in the transaction that settles the job: a job must not find its own record.
    """
    row = insert(connection, mapped_recordings).values(account=account, content_hash=content_hash, mapped_at=now())
    connection.execute(row.on_conflict_do_nothing())
