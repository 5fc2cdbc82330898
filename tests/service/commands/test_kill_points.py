"""SIGKILL to each process of the service in turn, while videos are uploaded and ingested; nothing accepted is lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import httpx
import numpy as np
import pytest

from service.store import accounts, claims, jobs, keys, ledger
from service.store.tables import open_database
from workbench.home import Home
from workbench.settings import WorkbenchSettings
from workbench.store import videos
from workbench.store.database import Database


class Service:
    """`workbench serve` on a home folder, started again on the same port where it is killed whole."""

    def __init__(self, home: Path, key: str) -> None:
        self._home, self._key = home, key
        self._port = "0"
        self.start()

    def start(self) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        settings = {"WORKBENCH_JOB_LEASE_SECONDS": "2", "WORKBENCH_RANKING_PROCESSES": "0"}
        with (self._home / "log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "service.console", "serve", "--home", str(self._home), "--port", self._port],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=kept | settings,
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
        listed = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        (victim,) = (pid for pid in listed if what in Path(f"/proc/{pid}/cmdline").read_text())
        os.kill(int(victim), signal.SIGKILL)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def send(self, method: str, path: str, body: dict[str, str] | None = None) -> httpx.Response:
        headers = {"x-api-key": self._key}
        return httpx.request(method, self.url + path, json=body, headers=headers, timeout=60.0)


def draw_clip(path: Path) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        picture = container.add_stream("mpeg4", rate=5)
        picture.width, picture.height, picture.pix_fmt = 64, 36, "yuv420p"
        for number in range(100):
            image = np.full((36, 64, 3), number * 2, dtype=np.uint8)
            container.mux(picture.encode(av.VideoFrame.from_ndarray(image)))
        container.mux(picture.encode(None))


def until(condition: Callable[[], bool], what: str, seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(Home(tmp_path), WorkbenchSettings(database_url=None))
    yield opened
    opened.close()


@pytest.fixture
def service(database: Database, tmp_path: Path) -> Iterator[Service]:
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        _, key = keys.create(connection, "ada")
    running = Service(tmp_path, key)
    yield running
    running.stop()


def test_what_was_accepted_is_done_and_charged_once(service: Service, database: Database, tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    draw_clip(clip)
    accepted = []
    for victim in ("http_process", "worker", "serve"):
        target = service.send("POST", "/v1/videos", {"filename": "clip.mp4", "content_type": "video/mp4"}).json()
        stored = httpx.put(target["upload_url"], content=clip.read_bytes(), headers=target["headers"], timeout=60.0)
        assert stored.status_code == 200
        asked = {"storage_key": target["storage_key"]}
        assert service.send("POST", f"/v1/videos/{target['video_id']}/ingest", asked).status_code == 202
        accepted.append(target["video_id"])
        service.kill(victim)

    def settled() -> bool:
        with database.read() as connection:
            found = [claims.get(connection, video_id) for video_id in accepted]
            return all(one is not None and one.status == "ready" for one in found) and not jobs.unsettled(connection)

    until(settled, "all videos are ready")
    for video_id in accepted:
        assert service.send("GET", f"/v1/videos/{video_id}").json()["ready"] is True
        with database.read() as connection:
            assert videos.get(connection, video_id).path.read_bytes() == clip.read_bytes()
    with database.read() as connection:
        charged = [(entry.subject, entry.quantity) for entry in ledger.entries(connection, "ada")]
    assert sorted(charged) == sorted((video_id, 1) for video_id in accepted)
