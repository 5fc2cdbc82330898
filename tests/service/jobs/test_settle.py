"""How jobs end, where nothing has to be analysed for it."""

from __future__ import annotations

from dataclasses import replace

from service.jobs.kind import Outcome
from service.jobs.kinds import KINDS
from service.store import accounts, jobs
from service.store.jobs import Job, NewJob
from workbench.store.database import Database


def mapped(database: Database, account: str, content_hash: str, *, lost: bool = False) -> Job | None:
    """A beats job of an account as it was settled; `lost`: by a worker that has lost it."""
    with database.write() as connection:
        accounts.ensure(connection, account)
        jobs.submit(connection, NewJob("beats", jobs.BEATS, account, jobs.new_job_id()))
        job = jobs.claim(connection, [jobs.BEATS], "test", 600.0)
        assert job is not None
        ours = replace(job, attempt=job.attempt + 1) if lost else job
        outcome = Outcome({"job_id": job.job_id}, billed=False, facts={"content_hash": content_hash})
        assert KINDS["beats"].complete(connection, ours, outcome) is not lost
        return jobs.get(connection, job.job_id)


def test_bytes_are_new_to_an_account_until_a_job_on_them_was_settled(database: Database) -> None:
    lost = mapped(database, "ada", "00", lost=True)
    assert lost is not None
    assert not lost.settled
    cached = []
    for account, content_hash in (("ada", "00"), ("ada", "00"), ("bob", "00"), ("ada", "01")):
        job = mapped(database, account, content_hash)
        assert job is not None
        assert job.answer is not None
        cached.append(job.answer["cached"])
    assert cached == [False, True, False, False]
