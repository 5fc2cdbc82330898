"""What a worker tells operators on a port of its own."""

from __future__ import annotations

from pathlib import Path

import httpx

from service.jobs.health import HealthServer
from service.settings import ServiceSettings
from service.store import accounts, jobs, workers
from service.store.jobs import NewJob
from workbench.store.clock import SystemClock, using
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.objects import FolderStore
from workbench.store.stored_files import StoredFiles


def health(database: Database, tmp_path: Path, home: str = "home") -> HealthServer:
    files = StoredFiles(Home(tmp_path / home), FolderStore(tmp_path / f"{home}-store"))
    return HealthServer("worker-1", database, files, ServiceSettings())


def get(port: int, path: str) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{port}{path}", trust_env=False, timeout=60)


class Stopped(SystemClock):
    """A clock that is put ahead by hand."""

    seconds = 1000.0

    def monotonic_seconds(self) -> float:
        return self.seconds


def test_a_worker_is_ready_while_it_sends_heartbeats(database: Database, tmp_path: Path) -> None:
    clock = Stopped()
    with using(clock), health(database, tmp_path).listening("127.0.0.1", 0) as port:
        assert get(port, "/healthz").status_code == 200
        before = get(port, "/readyz")
        with database.write() as connection:
            workers.send_heartbeat(connection, "worker-1", ["main"])
        shared = get(port, "/readyz")
        clock.seconds += 1.1
        after = get(port, "/readyz")

    assert before.status_code == 503
    assert shared.json() == before.json()  # one look counts for a second
    assert "heartbeat" in before.json()["status"]
    assert (after.status_code, after.json()) == (200, {"status": "ready"})


def test_a_worker_with_other_files_is_not_ready(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        workers.send_heartbeat(connection, "worker-1", ["main"])
    assert health(database, tmp_path).problems() == []

    (problem,) = health(database, tmp_path, "other").problems()

    assert "is not where the other processes of this database keep their files" in problem
    assert str(tmp_path) not in problem


def test_a_store_that_fails_is_named_in_the_log_alone(database: Database, tmp_path: Path) -> None:
    (tmp_path / "home-store").write_text("no folder")
    with database.write() as connection:
        workers.send_heartbeat(connection, "worker-1", ["main"])

    assert health(database, tmp_path).problems() == ["the store of files cannot be used; the log says why"]


def test_metrics_have_the_queues(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        jobs.submit(connection, NewJob("loop", jobs.MAIN, "ada", "a build"))
    one = health(database, tmp_path)

    with one.listening("127.0.0.1", 0) as port:
        assert 'workbench_queue_jobs{kind="loop",queue="main",state="queued"} 1.0' in get(port, "/metrics").text
        assert get(port, "/else").status_code == 404
    assert one.answer("/metrics", "192.0.2.1")[0] == 404
