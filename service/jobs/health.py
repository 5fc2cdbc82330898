"""What a worker tells operators over HTTP, on a port of its own: `/healthz`, `/readyz`, `/metrics`.

Under `workbench serve` the HTTP processes answer these; a worker alone answers them itself, in threads beside its work.

Class: `HealthServer`.
"""

from __future__ import annotations

import ipaddress
import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import structlog

from service import metrics
from service.settings import ServiceSettings
from service.store import jobs, workers
from service.store.shared_files import PROBLEM_OF_PLACE, PROBLEM_OF_STORE, problem_of_files
from workbench.clock import monotonic_seconds
from workbench.errors import StoreError, WorkbenchError
from workbench.store.database import Database
from workbench.store.stored_files import StoredFiles

_SHARED_SECONDS = 1.0  # that a look at the problems counts
_SILENCE_SECONDS = 10.0  # without a byte from a caller

log = structlog.get_logger("service.jobs")


class _Shared:
    """One look at the problems for all who ask within a second: anybody may ask, and it writes to the store."""

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
    """Answers for one worker.

    Parameters
    ----------
    owner : name of the worker, by which it sends heartbeats
    database, files, settings : as the worker has them
    """

    owner: str
    database: Database
    files: StoredFiles
    settings: ServiceSettings
    _shared: _Shared = field(default_factory=_Shared, init=False)

    @contextmanager
    def listening(self, host: str, port: int) -> Iterator[int]:
        """Answer until the block ends.

        Parameters
        ----------
        host, port : where to listen; port 0: any free one

        Yields
        ------
        the port

        Raises
        ------
        WorkbenchError : the address cannot be listened on
        """
        try:
            server = ThreadingHTTPServer((host, port), self._handler())
        except OSError as error:
            raise WorkbenchError(f"{host}:{port}: cannot listen there ({error.strerror})") from error
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, name="health", daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

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
        try:
            self.files.check_writable()
            problem = problem_of_files(self.files, self.database)
        except StoreError as error:
            log.error("not ready", problem=str(error))
            return [*found, PROBLEM_OF_STORE]
        if problem is not None:
            log.error("not ready", problem=problem)
            found.append(PROBLEM_OF_PLACE)
        return found

    def answer(self, path: str, caller: str) -> tuple[int, str, bytes]:
        """Answer a request.

        Parameters
        ----------
        path : without its query
        caller : address of the caller; metrics are for this machine alone, unless the settings allow any

        Returns
        -------
        status, content type and body
        """
        if path == "/healthz":
            return _json(200, {"status": "ok"})
        if path == "/readyz":
            problems = self._shared.problems(self.problems)
            return _json(503, {"status": "; ".join(problems)}) if problems else _json(200, {"status": "ready"})
        if path == "/metrics" and (self.settings.metrics_public or ipaddress.ip_address(caller).is_loopback):
            try:
                with self.database.read() as connection:
                    depths = jobs.depths(connection)
                    alive = workers.list_alive(connection, self.settings.job_lease_seconds)
            except StoreError as error:
                log.error("no metrics", problem=str(error))
                return _json(503, {"status": "the database does not answer"})
            return 200, metrics.CONTENT_TYPE, metrics.exposition(depths, alive)
        return _json(404, {"status": "no such path"})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self.answer

        class Handler(BaseHTTPRequestHandler):
            """Answers one connection."""

            timeout = _SILENCE_SECONDS

            def do_GET(self) -> None:
                """Answer a GET request."""
                status, kind, body = answer(self.path.partition("?")[0], str(self.client_address[0]))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Log nothing: it is asked every few seconds."""

        return Handler


def _json(status: int, body: dict[str, str]) -> tuple[int, str, bytes]:
    return status, "application/json", json.dumps(body).encode()
