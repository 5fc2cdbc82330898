"""Beats calls with one Idempotency-Key that come at the same time, on both databases: one job, whoever was first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

from service.answers import beats
from service.answers.answer import Call
from service.errors import Problem
from service.schemas.requests import BeatsRequest
from service.settings import ServiceSettings
from service.store import accounts
from service.store.api_keys import Caller
from service.store.tables import jobs
from workbench.store.database import Database

ADA = Caller("ada", "key_1", preview=False, pays_freely=True, has_credit=False)


def submitted(database: Database, number: int, path: str) -> str | int:
    """The job of one call, or the status it was refused with."""
    call = Call(
        ADA,
        f"req_{number}",
        "POST /v1/beats",
        ServiceSettings(),
        "once",
    )
    try:
        with database.write() as connection:
            answer = beats.submit(connection, call, BeatsRequest(audio_url=f"https://localhost/{path}"))
    except Problem as problem:
        return problem.status
    assert isinstance(answer.body, dict)
    return str(answer.body["job_id"])


def test_one_key_starts_one_job(database: Database) -> None:
    with database.write() as connection:
        accounts.ensure(connection, "ada")
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(partial(submitted, database, path="a"), range(24)))
        others = set(pool.map(partial(submitted, database, path="b"), range(4)))
    with database.read() as connection:
        kept = {row.job_id for row in connection.execute(jobs.select())}
    assert found == kept
    assert len(kept) == 1
    assert others == {422}
