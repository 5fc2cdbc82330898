"""Workers as processes of their own, on a database of each kind."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from service.prices import CALL, MINUTE
from service.store import accounts, jobs, ledger
from service.store.jobs import Job, NewJob
from tests.service.waiting import until
from workbench.store.database import Database

LOOP = "POST /v1/loop"
BEATS = "POST /v1/beats"


@dataclass
class Workshop:
    """A database, its home folder, and workers that are started and killed."""

    database: Database
    home: Path
    lease: float = 1.0
    deadline: float = 60.0
    settings: dict[str, str] = field(default_factory=dict)
    workers: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, main: int = 1, beats: int = 0, fetch: int = 0) -> subprocess.Popen[str]:
        """A worker; wait for it with `ready`."""
        program = Path(__file__).with_name("tiny_worker.py")
        with (self.home / "log").open("a") as log:
            worker = subprocess.Popen(
                [sys.executable, str(program), str(self.home), str(main), str(beats), str(fetch)],
                env=self.environment(),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.workers.append(worker)
        return worker

    def environment(self) -> dict[str, str]:
        """What its processes find in their environment."""
        return {
            **os.environ,
            "WORKBENCH_JOB_DRAIN_SECONDS": "60",
            "TINY_REVISION": "revision of the tests",
            **self.settings,
            "WORKBENCH_DATABASE_URL": self.database.url,
            "WORKBENCH_JOB_LEASE_SECONDS": str(self.lease),
            "WORKBENCH_JOB_DEADLINE_SECONDS": str(self.deadline),
        }

    def ready(self, worker: subprocess.Popen[str]) -> subprocess.Popen[str]:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        return worker

    def submit(
        self, *given: dict[str, Any], kind: str = "loop", account: str = "ada", queue: str | None = None
    ) -> list[Job]:
        """Jobs with these requests."""
        usual, endpoint = (jobs.BEATS, BEATS) if kind == "beats" else (jobs.MAIN, f"POST /v1/{kind}")
        with self.database.write() as connection:
            accounts.ensure(connection, account)
            return [
                jobs.submit(
                    connection,
                    NewJob(
                        kind=kind,
                        queue=queue or usual,
                        account=account,
                        build=jobs.new_job_id(),
                        video_id="vid_1",
                        track_id="trk_1",
                        request=request,
                        endpoint=endpoint,
                        unit=MINUTE if kind == "beats" else CALL,
                        charge_key=None if kind == "engine" else "",
                    ),
                )
                for request in given
            ]

    def read(self, job: Job) -> Job:
        with self.database.read() as connection:
            found = jobs.get(connection, job.job_id)
        assert found is not None
        return found

    def settled(self, job: Job, seconds: float = 240.0) -> Job:
        """The job once it is settled."""
        return until(lambda: (now := self.read(job)).settled and now, f"settled: {job.request}", seconds)  # type: ignore[no-any-return]

    def staged(self, job: Job, stage: str) -> Job:
        """The job once it says that it is in a stage."""
        return until(lambda: (now := self.read(job)).stage == stage and now, stage)  # type: ignore[no-any-return]

    def ledger(self, account: str = "ada") -> list[ledger.LedgerEntry]:
        with self.database.read() as connection:
            return ledger.entries(connection, account)

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        until(condition, what)

    def children_of(self, worker: subprocess.Popen[str]) -> list[int]:
        """Process ids of what a worker has started."""
        try:
            return [int(child) for child in Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            return []

    def put_to_sleep(self, worker: subprocess.Popen[str]) -> None:
        """Stop a worker in the middle of its work, but not of a transaction, which would lock the others out."""
        while True:
            worker.send_signal(signal.SIGSTOP)
            os.waitpid(worker.pid, os.WUNTRACED)
            if self._may_be_written():
                return
            worker.send_signal(signal.SIGCONT)

    def _may_be_written(self) -> bool:
        """Whether nobody holds the lock of an SQLite database; waits for it as long as a live writer may take."""
        path = make_url(self.database.url).database
        assert path is not None
        with closing(sqlite3.connect(path, timeout=5.0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            connection.execute("ROLLBACK")
        return True

    def kill(self, pid: int) -> None:
        """End a process; one that has just ended is as good."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def log(self) -> str:
        return (self.home / "log").read_text()


@pytest.fixture
def workshop(database: Database, tmp_path: Path) -> Iterator[Workshop]:
    home = tmp_path / "home"
    home.mkdir()
    made = Workshop(database, home)
    yield made
    for worker in made.workers:
        if worker.poll() is None:
            worker.send_signal(signal.SIGKILL)
        worker.wait()
        if worker.stdout is not None:
            worker.stdout.close()
