"""Machines that share a database and a store, and no folder: each has a home of its own, which may be lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service.waiting import until
from tests.videos import grey, write_video
from workbench.files import bundled_path
from workbench.media.audio import decode, write_audio
from workbench.store.objects import open_store

SECONDS = 240.0
SETTINGS = {
    "WORKBENCH_RANKING_PROCESSES": "0",
    "WORKBENCH_JOB_LEASE_SECONDS": "2",
    "WORKBENCH_RATE_LIMIT_PER_MINUTE": "100000",
}


@dataclass
class Machines:
    """Machines with home folders of their own, on one database and maybe one store."""

    folder: Path
    settings: dict[str, str]
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def command(self, machine: str, *arguments: str) -> str:
        """Standard output of a command on a machine."""
        done = subprocess.run(
            [*self._line(machine, *arguments)], env=self._environment(), capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, machine: str, *arguments: str) -> tuple[subprocess.Popen[str], str]:
        """A process of a machine, once it has printed its first line; that line."""
        with (self.folder / f"{machine}.log").open("a") as log:
            process = subprocess.Popen(
                self._line(machine, *arguments), env=self._environment(), stdout=subprocess.PIPE, stderr=log, text=True
            )
        self.running.append(process)
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        assert line, (self.folder / f"{machine}.log").read_text()
        return process, line

    def serve(self, machine: str) -> tuple[subprocess.Popen[str], str]:
        """HTTP processes alone, without jobs; their address."""
        process, line = self.start(machine, "serve", "--port", "0", "--no-jobs")
        return process, line.removeprefix("listening on ")

    def log(self, machine: str) -> str:
        return (self.folder / f"{machine}.log").read_text()

    def kill(self, process: subprocess.Popen[str], machine: str) -> None:
        """End a machine and all that is on its disk."""
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self.running.remove(process)
        shutil.rmtree(self.folder / machine, ignore_errors=True)

    def stop(self) -> None:
        for process in self.running:
            process.send_signal(signal.SIGTERM)
        for process in self.running:
            process.wait(timeout=SECONDS)
            if process.stdout is not None:
                process.stdout.close()

    def _line(self, machine: str, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "workbench", *arguments, "--home", str(self.folder / machine)]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        return kept | {**SETTINGS, **self.settings}


@pytest.fixture
def machines(tmp_path: Path, postgres: Any) -> Iterator[Machines]:
    found = Machines(tmp_path, {"WORKBENCH_DATABASE_URL": postgres.url()})
    yield found
    found.stop()


def draw_video(path: Path, seconds: int) -> None:
    """A small silent video with a cut every four seconds."""
    write_video(path, (grey(40 + 50 * (number // 20 % 4)) for number in range(5 * seconds)), 5)


def settled(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    """What a 202 comes to."""
    assert answer.status_code in (200, 202), answer.text
    if answer.status_code == 200:
        return answer.json()  # type: ignore[no-any-return]
    poll = answer.json()["poll"]

    def done() -> dict[str, Any] | None:
        found = client.get(poll)
        body: dict[str, Any] = found.json()
        return None if found.status_code == 202 or body.get("status") == "processing" else body

    return until(done, poll)  # type: ignore[no-any-return]


def upload(client: httpx.Client, path: Path) -> str:
    """The id of a video that was sent, not ingested yet; sent twice, the second time as it should be."""
    target = client.post("/v1/videos", json={"filename": path.name}).json()
    for content in (b"a first try", path.read_bytes()):
        assert httpx.put(target["upload_url"], content=content, trust_env=False, timeout=60).status_code == 200
    body = {"storage_key": target["storage_key"]}
    assert client.post(f"/v1/videos/{target['video_id']}/ingest", json=body).status_code == 202
    return str(target["video_id"])


@pytest.mark.slow
def test_an_upload_to_one_machine_is_answered_by_any_after_all_others_are_lost(machines: Machines, bucket: str) -> None:
    machines.settings["WORKBENCH_STORE_URL"] = bucket
    store, folder = open_store(bucket), machines.folder
    recording = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    begin = recording.samples[:, : 48 * recording.sample_rate]
    write_audio(folder / "track.flac", [begin], recording.sample_rate, recording.channels)
    draw_video(folder / "video.mp4", 90)

    # The catalog is filled on a machine that is then gone, with the file.
    added = json.loads(machines.command("filler", "catalog", "add", str(folder / "track.flac")))
    shutil.rmtree(folder / "filler")
    (folder / "track.flac").unlink()
    key = machines.command("filler", "keys", "create", "--account", "ada").strip()

    def caller(url: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=url, headers=headers, timeout=60.0, trust_env=False)

    front, url = machines.serve("front")
    worker, _ = machines.start("worker", "worker")
    with caller(url) as client:
        ask = {"video_id": upload(client, folder / "video.mp4"), "track_id": added["track_id"], "auto_mix": True}
        until(lambda: client.get(f"/v1/videos/{ask['video_id']}").json()["ready"], "ready")
        loop = settled(client, client.post("/v1/loop", json=ask))
        assert loop["applicable"], loop
        assert httpx.get(f"{url}/readyz", trust_env=False, timeout=60).status_code == 200

        machines.kill(worker, "worker")
        machines.start("worker2", "worker")
        align = settled(client, client.post("/v1/align", json=ask))
        assert align["status"] == "complete", align

    machines.kill(front, "front")
    _, url = machines.serve("front2")
    with caller(url) as client:
        again = client.post("/v1/loop", json=ask)
        assert again.status_code == 200
        assert again.json()["plan"] == loop["plan"]

    parts = {found.name.partition("/")[0] for found in store.every()}
    assert {"uploads", "tracks", "arrays", "workbench-id"} <= parts
    assert len(list(store.every("uploads"))) == 1  # the first try is gone
    deleted = json.loads(machines.command("front2", "videos", "delete", str(ask["video_id"])))
    assert deleted["bytes"] == (folder / "video.mp4").stat().st_size
    assert list(store.every("uploads")) == []


@pytest.mark.slow
def test_a_machine_without_the_files_of_the_others_says_so(machines: Machines) -> None:
    machines.serve("one")

    refused = subprocess.run(
        machines._line("other", "worker"), env=machines._environment(), capture_output=True, text=True, timeout=SECONDS
    )
    _, url = machines.serve("third")
    answer = httpx.get(f"{url}/readyz", trust_env=False, timeout=60)

    said = "is not where the other processes of this database keep their files"
    assert refused.returncode == 1
    assert refused.stdout == ""
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"workbench: the home folder {machines.folder / 'other'} {said}")
    assert said in machines.log("third")
    assert answer.status_code == 503
    assert said in answer.json()["error"]["message"]
