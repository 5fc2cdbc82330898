"""The ends of a job that have nothing to do with its work: crashes, outages, and what an operator wants.

A job that killed its process three times, ran past its deadline or met an internal error ends too, as its kind has it
(`Kind.refuse`). No fault is a 503, which would ask the caller to poll again: the job is over, and only a new submit can
help. A process that dies with its worker counts for nothing, however often: what ends both comes from outside. Only a
job that was begun a hundred times is given up all the same, in case it is what brings its machine down.

Each function is part of one transaction. False means that the job is no longer ours; nothing is changed then.
"""

from __future__ import annotations

from sqlalchemy import Connection

from service.jobs.kinds import kind_of
from service.store import jobs
from service.store.jobs import Job

MOST_CRASHES = 3
"""deaths of its process after which a job fails"""
_MOST_STARTS = 100  # of a job, however each run ended
_MOST_ATTEMPTS = 12  # before a job fails on an outage; the pauses between so many add up to six minutes
_LONGEST_PAUSE_SECONDS = 60.0  # between two attempts


def settle_if_blocked(connection: Connection, job: Job) -> bool:
    """Settle or postpone a job that cannot be run now; False if it can be run."""
    kind = kind_of(job)
    if job.crashes >= MOST_CRASHES:
        kind.refuse(connection, job, 500, _CRASHED)
    elif job.attempt > _MOST_STARTS:
        kind.refuse(connection, job, 500, f"it was begun {_MOST_STARTS} times and never ended")
    else:
        return kind.settle_if_blocked(connection, job)
    return True


def retry_after_crash(connection: Connection, job: Job) -> bool:
    """Put back a job that killed its process, or fail it: this crash is not counted in `job` yet."""
    if job.crashes + 1 >= MOST_CRASHES:
        return kind_of(job).refuse(connection, job, 500, _CRASHED)
    return jobs.put_back_crashed(connection, job)


def retry_after_outage(connection: Connection, job: Job) -> bool:
    """Postpone a job because the home folder or the database failed, for longer each time; in the end fail it."""
    if job.attempt >= _MOST_ATTEMPTS:
        message = "the service's store could not be used for too long; submit it again"
        return kind_of(job).refuse(connection, job, 500, message)
    return jobs.postpone(connection, job, min(_LONGEST_PAUSE_SECONDS, 2.0 ** (job.attempt - 1)))


def cancel(connection: Connection, job_id: str) -> Job | None:
    """End a job for an operator: its poll says so, and nothing is charged; None if there is no such unsettled job.

    The worker that has it sees at its next heartbeat that it lost the job, and ends its process.
    """
    job = jobs.take(connection, job_id, "operator")
    if job is not None:
        kind_of(job).refuse(connection, job, 500, "it was cancelled by the operator; submit it again")
    return job


_CRASHED = f"the process that worked on it died {MOST_CRASHES} times"
