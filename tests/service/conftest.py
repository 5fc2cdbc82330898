"""The two databases that the service runs on, for tests: SQLite in a file, and a real PostgreSQL; an account in them.

A collector of OpenTelemetry too, to which the service sends its spans.

PostgreSQL is started once a test run, as an unprivileged user in a temporary folder that nobody but this machine
reaches: it listens on a Unix socket there. Where its programs are not installed, tests that need it are skipped.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from service.prices import Prices
from service.store import accounts, ledger
from service.store.ledger import Charge, Credit
from service.store.tables import SCHEMA
from workbench.store.database import Database

_LOOP = "POST /v1/loop"
_INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


@dataclass
class Postgres:
    """A PostgreSQL server of our own."""

    programs: Path
    folder: Path
    user: dict[str, Any]
    """arguments of subprocess.run that make it somebody other than root, whom PostgreSQL refuses"""
    survives_power_cuts: bool = False
    """whether it waits for its disk, as PostgreSQL does unless it is told not to"""
    _names: Iterator[int] = field(default_factory=count)

    def run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.folder,
            env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=300,
            check=False,
            **self.user,
        )
        assert done.returncode == 0, f"{program}: {done.stderr.decode()}"

    def start(self) -> None:
        settings = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}'"
        if not self.survives_power_cuts:
            settings += " -c fsync=off"
        log = str(self.folder / "log")
        self.run("pg_ctl", "-w", "-t", "240", "-D", str(self.folder / "data"), "-l", log, "-o", settings, "start")

    def stop(self) -> None:
        """End it at once, as a lost connection looks to its clients."""
        self.run("pg_ctl", "-w", "-t", "240", "-D", str(self.folder / "data"), "-m", "immediate", "stop")

    def url(self) -> str:
        """The address of a new, empty schema, which is to its clients what a database of their own would be."""
        name, address = f"test_{next(self._names)}", f"postgresql+psycopg://postgres@/postgres?host={self.folder}"
        engine = sa.create_engine(address)
        with engine.begin() as connection:
            connection.execute(sa.text(f"CREATE SCHEMA {name}"))
        engine.dispose()
        return f"{address}&options=-csearch_path%3D{name}"


def has_postgres() -> bool:
    """Whether PostgreSQL's server programs are installed (on Debian: postgresql)."""
    return bool(_INSTALLED) and (_INSTALLED[0] / "initdb").exists()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A running PostgreSQL."""
    if not has_postgres():
        pytest.skip("PostgreSQL's server programs are not installed (on Debian: postgresql)")
    with running_postgres() as server:
        yield server


@contextmanager
def running_postgres(*, survives_power_cuts: bool = False) -> Iterator[Postgres]:
    """A PostgreSQL of our own, stopped and removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    server = Postgres(_INSTALLED[0], folder, user, survives_power_cuts)
    try:
        server.run("initdb", "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'service.sqlite'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.url()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database of each kind, with the service's tables."""
    opened = Database(database_url, (SCHEMA,))
    yield opened
    opened.close()


@pytest.fixture
def ada(database: Database) -> None:
    """An account of this name."""
    with database.write() as connection:
        accounts.ensure(connection, "ada")


@pytest.fixture
def charge(database: Database, ada: None) -> Callable[..., bool]:
    """`charge(key, **more)` books a loop of "ada" at 100,000 micros; False where `key` is booked already."""
    prices = Prices(calls={_LOOP: 100_000}, beats_minute=20_000, video_minute=50_000)

    def book(key: str, **more: object) -> bool:
        given = Charge("ada", _LOOP, "job_1", key, **more)  # type: ignore[arg-type]
        with database.write() as connection:
            return ledger.charge(connection, given, prices)

    return book


@pytest.fixture
def grant(database: Database, ada: None) -> Callable[..., bool]:
    """`grant(key, micros, expires_at)` gives "ada" credit; False where `key` is booked already."""

    def book(key: str, micros: int, expires_at: str | None = None) -> bool:
        with database.write() as connection:
            return ledger.credit(connection, Credit("ada", micros, key, "accounts update", "ada", expires_at))

    return book


@dataclass
class SentSpan:
    """A span as the collector received it."""

    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    """empty: it has none"""
    began: float
    """s since 1970"""
    ended: float
    failed: bool
    attributes: dict[str, str | int]
    """its own, and those of its process"""


class Collector:
    """A collector of OpenTelemetry on this machine."""

    def __init__(self, messages: Any) -> None:
        self._request = messages.ExportTraceServiceRequest
        self._bodies: list[bytes] = []
        bodies = self._bodies

        class Handler(BaseHTTPRequestHandler):
            """Takes what is sent."""

            def do_POST(self) -> None:
                """Take one batch."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/traces":
                    bodies.append(body)
                self.send_response(200 if self.path == "/v1/traces" else 404)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def spans(self) -> list[SentSpan]:
        """What has come in, in the order in which it began."""
        found = []
        for body in self._bodies:
            for group in self._request.FromString(body).resource_spans:
                process = _attributes(group.resource.attributes)
                for span in (span for scope in group.scope_spans for span in scope.spans):
                    sent = SentSpan(
                        name=span.name,
                        kind={1: "internal", 2: "server", 5: "consumer"}[span.kind],
                        trace_id=span.trace_id.hex(),
                        span_id=span.span_id.hex(),
                        parent_id=span.parent_span_id.hex(),
                        began=span.start_time_unix_nano / 1e9,
                        ended=span.end_time_unix_nano / 1e9,
                        failed=span.status.code == 2,
                        attributes=process | _attributes(span.attributes),
                    )
                    found.append(sent)
        return sorted(found, key=lambda span: span.began)

    def stop(self) -> None:
        """Refuse connections from now on."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _attributes(pairs: Any) -> dict[str, str | int]:
    return {one.key: one.value.string_value or one.value.int_value for one in pairs}


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector that listens."""
    name = "opentelemetry.proto.collector.trace.v1.trace_service_pb2"
    made = Collector(pytest.importorskip(name, reason="the extra `otel` is not installed"))
    yield made
    made.stop()
