"""SIGKILL to each process of the service in turn, while videos are uploaded and ingested; nothing accepted is lost."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx
import pytest

from service.store import accounts, api_keys, jobs, ledger, video_owners
from service.store.tables import jobs as rows
from service.store.tables import open_database
from tests.service.sites import https_site
from tests.service.waiting import gone, until
from tests.videos import grey, write_video
from workbench.catalog.library import Library
from workbench.files import bundled_path
from workbench.store import videos
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings


class Service:
    """`workbench serve` on a home folder, started again on the same port where it is killed whole."""

    def __init__(self, home: Path, key: str, **settings: str) -> None:
        self._home, self._key, self._settings = home, key, settings
        self._port = "0"
        self.start()

    def start(self) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        settings = {"WORKBENCH_JOB_LEASE_SECONDS": "2", "WORKBENCH_RANKING_PROCESSES": "0"}
        with (self._home / "log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "workbench", "serve", "--home", str(self._home), "--port", self._port],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=kept | settings | self._settings,
            )
        assert self._process.stdout is not None
        found = re.fullmatch(r"listening on (http://127\.0\.0\.1:(\d+))\n", self._process.stdout.readline())
        assert found, (self._home / "log").read_text()
        self.url, self._port = found[1], found[2]

    def kill(self, what: str) -> None:
        """Kill the supervisor, and start it again; or one of its processes, which it starts again itself."""
        if what == "serve":
            self.stop()
            self.start()
            return
        for victim in self._descendants(self._process.pid):
            with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended by itself
                if what in Path(f"/proc/{victim}/cmdline").read_text():
                    os.kill(victim, signal.SIGKILL)
                    return

    def _descendants(self, pid: int) -> list[int]:
        with suppress(FileNotFoundError, ProcessLookupError):
            children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
            return [*children, *(below for child in children for below in self._descendants(child))]
        return []

    def stop(self) -> None:
        """Kill the supervisor; its processes, which hold its port, then end by themselves."""
        left = self._descendants(self._process.pid)
        self._process.kill()
        self._process.wait()
        until(lambda: all(gone(pid) for pid in left), "its processes end with the supervisor")
        assert self._process.stdout is not None
        self._process.stdout.close()

    def send(self, method: str, path: str, body: dict[str, str] | None = None) -> httpx.Response:
        headers = {"x-api-key": self._key}
        return httpx.request(method, self.url + path, json=body, headers=headers, timeout=120.0)


def draw_video(path: Path, seconds: int = 20) -> None:
    write_video(path, (grey(number * 2 % 250, 64, 36) for number in range(5 * seconds)), 5)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(Home(tmp_path), WorkbenchSettings(database_url=None))
    yield opened
    opened.close()


@pytest.fixture
def service(database: Database, tmp_path: Path) -> Iterator[Service]:
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        _, key = api_keys.create(connection, "ada")
    running = Service(tmp_path, key)
    yield running
    running.stop()


@pytest.mark.slow
def test_what_was_accepted_is_done_and_charged_once(service: Service, database: Database, tmp_path: Path) -> None:
    video = tmp_path / "video.mp4"
    draw_video(video)
    accepted = []
    for victim in ("http_process", "worker", "serve"):
        target = service.send("POST", "/v1/videos", {"filename": "video.mp4", "content_type": "video/mp4"}).json()
        stored = httpx.put(target["upload_url"], content=video.read_bytes(), headers=target["headers"], timeout=120.0)
        assert stored.status_code == 200
        asked = {"storage_key": target["storage_key"]}
        assert service.send("POST", f"/v1/videos/{target['video_id']}/ingest", asked).status_code == 202
        accepted.append(target["video_id"])
        service.kill(victim)

    def settled() -> bool:
        with database.read() as connection:
            found = [video_owners.get(connection, video_id) for video_id in accepted]
            unsettled = jobs.unsettled_ids(connection)
        return all(one is not None and one.status == "ready" for one in found) and not unsettled

    until(settled, "all videos are ready")
    for video_id in accepted:
        assert service.send("GET", f"/v1/videos/{video_id}").json()["ready"] is True
        with database.read() as connection:
            assert videos.get(connection, video_id).path.read_bytes() == video.read_bytes()
    with database.read() as connection:
        charged = [(entry.subject, entry.quantity) for entry in ledger.entries(connection, "ada")]
    assert sorted(charged) == sorted((video_id, 1) for video_id in accepted)


POINTS = 30
VICTIMS = ("http_process", "\0worker\0", "service.jobs.child", "serve")
KINDS = ("loop", "align", "match", "beats", "videos")


@pytest.mark.slow
def test_thirty_kill_points(database: Database, tmp_path: Path) -> None:
    """Every accepted job settles, and is charged once or not at all as its answer says."""
    chance = random.Random(30)
    folder = tmp_path / "site"
    folder.mkdir()
    draw_video(folder / "video.mp4", seconds=60)
    track = bundled_path("data", "bundled", "music", "top_of_the_hour.ogg").read_bytes()
    for number in range(POINTS):
        (folder / f"{number}.ogg").write_bytes(track + bytes(number))  # each is another recording to us
        Library(database).add(folder / f"{number}.ogg", {}, track_id=f"trk_{number}")
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        _, key = api_keys.create(connection, "ada")
    with https_site(folder, folder / "ca.pem") as url:
        service = Service(
            tmp_path,
            key,
            WORKBENCH_FETCH_ALLOW_HOSTS="localhost",
            WORKBENCH_FETCH_CA_FILE=str(folder / "ca.pem"),
            WORKBENCH_RATE_LIMIT_PER_MINUTE="1000000",
        )
        first = service.send("POST", "/v1/videos", {"video_url": f"{url}/video.mp4"}).json()["video_id"]
        until(lambda: bool(service.send("GET", f"/v1/videos/{first}").json()["ready"]), "the first video is ready")
        for number in range(POINTS):
            kind = KINDS[number % len(KINDS)]
            pair = {"video_id": first, "track_id": f"trk_{number}"}
            body = {
                "loop": pair,
                "align": pair,
                "match": {"video_id": first},
                "beats": {"audio_url": f"{url}/{number}.ogg"},
                "videos": {"video_url": f"{url}/video.mp4"},
            }[kind]
            assert service.send("POST", f"/v1/{kind}", body).status_code in (200, 202)
            if chance.random() < 0.5:
                until(partial(running, database), "a job runs")
            service.kill(chance.choice(VICTIMS))
        until(partial(all_settled, database), "every accepted job settles", seconds=280.0)
        service.stop()
    check_charges(database)


def running(database: Database) -> bool:
    with database.read() as connection:
        open_states = [row.state for row in connection.execute(rows.select()) if row.kind != "engine"]
    return "running" in open_states or not set(open_states) & {"queued", "waiting"}


def all_settled(database: Database) -> bool:
    with database.read() as connection:
        return not jobs.unsettled_ids(connection)


def check_charges(database: Database) -> None:
    with database.read() as connection:
        done = [job for row in connection.execute(rows.select()) if (job := jobs.get(connection, row.job_id))]
        booked = Counter(entry.subject for entry in ledger.entries(connection, "ada"))
    for job in done:
        if job.charge is None:
            continue
        billed = job.state == "complete" and (job.answer or {}).get("applicable", True)
        assert booked.pop(job.charge.subject, 0) == int(billed), (job.kind, job.state, job.fault)
    # What is left was answered at once: each such answer has its own row.
    assert all(count == 1 for count in booked.values())
    assert Counter(job.state for job in done)["complete"] >= POINTS // 2
