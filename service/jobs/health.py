"""What a worker tells operators over HTTP, on a port of its own: `/healthz`, `/readyz`, `/metrics`.

Under `workbench serve` the HTTP processes answer these (`service.routes.operations`); a worker alone answers them
itself, in threads beside its work.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from service.jobs.queue_metrics import exposition
from service.processes.health_port import Answer, answering, is_loopback_caller, json_answer
from service.processes.listening import listen
from service.settings import ServiceSettings
from service.store import jobs, workers
from service.store.shared_files import problem_of_files
from service.telemetry import metrics
from workbench.errors import StoreError
from workbench.store.clock import monotonic_seconds
from workbench.store.database import Database
from workbench.store.stored_files import StoredFiles

_SHARED_SECONDS = 1.0  # that a look at the problems counts

log = structlog.get_logger("service.jobs")


class _Shared:
    """One look at the problems for all who ask within a second: it needs no key, and it writes to the store."""

    def __init__(self) -> None:
        self._looking = threading.Lock()
        self._found: list[str] = []
        self._until = -math.inf

    def problems(self, look: Callable[[], list[str]]) -> list[str]:
        with self._looking:
            if monotonic_seconds() > self._until:
                self._found = look()
                self._until = monotonic_seconds() + _SHARED_SECONDS
            return self._found


@dataclass(frozen=True, slots=True)
class HealthServer:
    """Answers for one worker, which sends heartbeats under the name `owner`."""

    owner: str
    database: Database
    files: StoredFiles
    settings: ServiceSettings
    _shared: _Shared = field(default_factory=_Shared, init=False)

    @contextmanager
    def listening(self, host: str, port: int) -> Iterator[int]:
        """Answer until the block ends, and yield the port; see `listen`."""
        with listen(host, port) as listening, answering(listening, self.answer):
            yield listening.getsockname()[1]

    def problems(self) -> list[str]:
        """Why the worker cannot work at the moment, in words; empty if it can.

        It is alive if its heartbeat, which its own loop writes to the database, is no older than a lease.
        """
        found = []
        try:
            with self.database.read() as connection:
                alive = {one.owner for one in workers.list_alive(connection, self.settings.job_lease_seconds)}
            if self.owner not in alive:
                found.append("the worker has sent no heartbeat for longer than a lease")
        except StoreError as error:
            log.error("not ready", problem=str(error))
            return ["the database does not answer"]
        problem = problem_without_place(self.files, self.database)
        return found if problem is None else [*found, problem]

    def answer(self, path: str, caller: str) -> Answer:
        """Answer a request for a path without query; metrics are for this machine, unless the settings allow any."""
        if path == "/healthz":
            return json_answer(200, "ok")
        if path == "/readyz":
            problems = self._shared.problems(self.problems)
            return json_answer(503, "; ".join(problems)) if problems else json_answer(200, "ready")
        if path == "/metrics" and (self.settings.metrics_public or is_loopback_caller(caller)):
            try:
                with self.database.read() as connection:
                    depths = jobs.depths(connection)
                    alive = workers.list_alive(connection, self.settings.job_lease_seconds)
            except StoreError as error:
                log.error("no metrics", problem=str(error))
                return json_answer(503, "the database does not answer")
            return 200, metrics.CONTENT_TYPE, exposition(depths, alive)
        return json_answer(404, "no such path")


def problem_without_place(files: StoredFiles, database: Database) -> str | None:
    """Why other processes would not find files of this one, for callers without a key; None if they do.

    The log names the place, which may be a path, a bucket or a host.
    """
    try:
        files.check_writable()
        problem = problem_of_files(files, database)
    except StoreError as error:
        log.error("not ready", problem=str(error))
        return "the store of files cannot be used; the log says why"
    if problem is None:
        return None
    log.error("not ready", problem=problem)
    return "this process is not where the other processes of this database keep their files; the log names the place"
