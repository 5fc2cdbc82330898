"""How jobs end, where nothing has to be analysed for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from service.jobs import settle
from service.jobs.outcome import Outcome
from service.store import accounts, jobs, mapped_recordings
from service.store.jobs import Job, NewJob
from workbench.store.database import Database


def claimed(database: Database, kind: str, queue: str, **more: Any) -> Job:
    """A job of Ada's that is running."""
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        jobs.submit(connection, NewJob(kind, queue, "ada", jobs.new_job_id(), **more))
        job = jobs.claim(connection, [queue], "test", 600.0)
    assert job is not None
    return job


def test_only_the_job_that_was_settled_has_mapped_the_bytes(database: Database) -> None:
    job = claimed(database, "beats", jobs.BEATS)
    outcome = Outcome({"job_id": job.job_id}, billed=False, facts={"content_hash": "00"})
    with database.write() as connection:
        assert not settle.complete(connection, replace(job, attempt=job.attempt + 1), outcome)
    with database.write() as connection:
        assert not mapped_recordings.has_mapped(connection, "ada", "00")
        assert settle.complete(connection, job, outcome)
        assert mapped_recordings.has_mapped(connection, "ada", "00")
        found = jobs.get(connection, job.job_id)
    assert found is not None
    assert found.answer == {"job_id": job.job_id, "cached": False}
