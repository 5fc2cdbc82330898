"""The two databases that the service runs on, for tests: SQLite in a file, and a real PostgreSQL; an account in them.

PostgreSQL is started once a test run, as an unprivileged user in a temporary folder that nobody but this machine
reaches: it listens on a Unix socket there. Where its programs are not installed, tests that need it are skipped.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from service.prices import Prices
from service.store import accounts, ledger
from service.store.ledger import Charge, Credit
from service.store.tables import MIGRATIONS
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
        settings = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off"
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


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A running PostgreSQL."""
    if not _INSTALLED or not (_INSTALLED[0] / "initdb").exists():
        pytest.skip("PostgreSQL's server programs are not installed (on Debian: postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    server = Postgres(_INSTALLED[0], folder, user)
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
    opened = Database(database_url, MIGRATIONS)
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
