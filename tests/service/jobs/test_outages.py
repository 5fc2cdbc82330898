"""The worker while its database cannot be used: it says so, loses nothing, and goes on by itself."""

from __future__ import annotations

import resource
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.engine import make_url

from service.store import workers

if TYPE_CHECKING:
    from service.store.jobs import Job

    from .conftest import Workshop

UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


@pytest.fixture
def gated(workshop: Workshop, tmp_path: Path) -> tuple[Job, Path]:
    """A job that runs until its gate is there."""
    gate = tmp_path / "gate"
    workshop.lease = 30.0
    workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    workshop.staged(job, "waiting")
    return job, gate


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk(workshop: Workshop, gated: tuple[Job, Path]) -> None:
    job, gate = gated
    (worker,) = workshop.workers
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    gate.touch()
    workshop.wait_for(lambda: "cannot settle" in workshop.log(), "the worker says that it cannot write")
    assert workshop.ledger() == []
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, UNLIMITED)
    assert workshop.settled(job).attempt == 1
    assert len(workshop.ledger()) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_outage_and_its_end_are_told_once(workshop: Workshop) -> None:
    """However often the worker tries meanwhile: its log may lie on the disk that is full."""
    worker = workshop.ready(workshop.start())
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))

    def is_silent() -> bool:
        with workshop.database.read() as connection:
            return workers.list_alive(connection, 2.0) == []  # so many seconds, and a try every half

    workshop.wait_for(is_silent, "its heartbeats are missing")
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, UNLIMITED)
    workshop.wait_for(lambda: "answers again" in workshop.log(), "the end is told")
    assert workshop.log().count('"no heartbeat"') == 1
    assert workshop.log().count("answers again") == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_locked_database(workshop: Workshop, gated: tuple[Job, Path]) -> None:
    job, gate = gated
    (later,) = workshop.submit({})
    path = make_url(workshop.database.url).database
    assert path is not None
    lock = sqlite3.connect(path, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    gate.touch()
    scratch = workshop.home / "scratch" / job.job_id
    assert scratch.is_dir()  # nothing is cleared away before the end is written
    assert workshop.ledger() == []
    lock.execute("ROLLBACK")
    lock.close()
    assert workshop.settled(job).attempt == 1
    assert workshop.settled(later).state == "complete"
    assert len(workshop.ledger()) == 2


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_postgresql_goes_away_and_comes_back(workshop: Workshop, gated: tuple[Job, Path], postgres: Any) -> None:
    job, gate = gated
    postgres.stop()
    gate.touch()
    workshop.wait_for(lambda: "cannot settle" in workshop.log(), "the worker says that it cannot write")
    postgres.start()
    assert workshop.settled(job).attempt == 1
    (later,) = workshop.submit({})
    assert workshop.settled(later).state == "complete"
    assert len(workshop.ledger()) == 2
