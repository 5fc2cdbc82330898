"""A rolling upgrade: two versions of the service side by side under load, with a migration in between.

    python -m tests.benchmarks.rolling_upgrade [--old COMMIT] [--database sqlite|postgresql]

The newer version, this checkout, starts beside the older one (default: HEAD) and migrates the database, with a revision
made for the rehearsal if it has none; both serve, the older one's processes are started again one by one, the newer one
serves alone, and the older one comes back. Callers ask whichever version is in the rotation. Every answer must be the
right one, every accepted video must become ready, every loop and every minute must be billed once.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.benchmarks.service_load import TRACK, VIDEO, write_media
from tests.benchmarks.table import Table
from tests.contract.conftest import draw_video
from tests.service.conftest import has_postgres, running_postgres

ROOT = Path(__file__).resolve().parents[2]
CALLERS, UPLOADERS = 3, 1
PHASE_SECONDS = float(os.environ.get("WORKBENCH_BENCH_PHASE_SECONDS", "6"))
PAUSE_SECONDS = 0.02  # between two requests of a caller
READY_SECONDS = 600.0
PARTS = ("workbench", "service", "data/bundled", "notebooks", "pyproject.toml")
REHEARSAL = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = {revision!r}, {before!r}


def upgrade():
    op.add_column("jobs", sa.Column("rehearsal", sa.Text))
    op.add_column("ledger", sa.Column("rehearsal", sa.Text, nullable=False, server_default=""))
    op.create_index("jobs_by_rehearsal", "jobs", ["rehearsal"])
    op.create_table("rehearsals", sa.Column("name", sa.Text, primary_key=True))
"""


@dataclass
class Version:
    """A checkout, and its service while it runs."""

    name: str
    code: Path
    home: Path
    settings: Mapping[str, str]
    url: str = ""
    _process: subprocess.Popen[str] | None = None

    def workbench(self, *arguments: str) -> str:
        """Run a command of this version; what it prints."""
        command = [*self._command, *arguments, "--home", str(self.home)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=self._environment, cwd=self.code, check=False
        )
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def start(self) -> None:
        """Serve; returns once it is ready."""
        with (self.home.parent / f"{self.name}.log").open("a") as log:
            self._process = subprocess.Popen(
                [*self._command, "serve", "--port", "0", "--home", str(self.home)],
                stdout=subprocess.PIPE, stderr=log, text=True, env=self._environment, cwd=self.code,
            )  # fmt: skip
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().removeprefix("listening on ").strip()
        assert self.url, (self.home.parent / f"{self.name}.log").read_text()[-2000:]
        self.wait()

    def wait(self) -> None:
        """Wait until it is ready."""
        end = time.monotonic() + READY_SECONDS
        while True:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return
            assert time.monotonic() < end, (self.home.parent / f"{self.name}.log").read_text()[-2000:]
            time.sleep(0.1)

    def restart_processes(self) -> None:
        """Have every process of it but the supervisor started again, so that each opens the database anew."""
        assert self._process is not None
        for pid in _children(self._process.pid):
            for grandchild in _children(pid):
                with suppress(ProcessLookupError):
                    os.kill(grandchild, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            end = time.monotonic() + READY_SECONDS
            while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
                time.sleep(0.05)
        self.wait()

    def stop(self) -> None:
        """End it in order."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=120)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    @property
    def _command(self) -> list[str]:
        return [sys.executable, "-m", "workbench"]

    @property
    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        return {**kept, **self.settings, "PYTHONPATH": str(self.code)}


@dataclass
class Load:
    """Callers of what is in the rotation."""

    key: str
    video: Path
    poll: str
    rotation: list[Version]
    phase: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    longest_ms: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    loops: int = 0
    """that were answered at once"""
    jobs: set[str] = field(default_factory=set)
    """that other loops were answered with"""
    uploads: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _busy: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Ask until the block ends, and let uploads that have begun come to their end."""
        work = [self._call] * CALLERS + [self._upload] * UPLOADERS
        threads = [threading.Thread(target=self._run, args=(one, number)) for number, one in enumerate(work)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()

    def in_phase(self, name: str, seconds: float = PHASE_SECONDS) -> None:
        """Ask for a while under this name."""
        self.phase = name
        time.sleep(seconds)

    def take_out(self, version: Version) -> None:
        """Send it nothing new, and wait for what it is answering, as a load balancer does."""
        with self._lock:
            self.rotation = [one for one in self.rotation if one is not version]
        while self._busy[version.url]:
            time.sleep(0.01)

    def put_in(self, version: Version) -> None:
        """Ask it too."""
        with self._lock:
            self.rotation = [*self.rotation, version]

    def _run(self, work: object, seed: int) -> None:
        chance = random.Random(seed)
        clients: dict[str, httpx.Client] = {}
        try:
            while not self._stopped.is_set():
                try:
                    work(chance, clients)  # type: ignore[operator]
                except Exception as error:  # noqa: BLE001  whatever goes wrong is counted and told
                    self.failures.append(f"{self.phase}: {type(error).__name__}: {error}")
                time.sleep(PAUSE_SECONDS)
        finally:
            for client in clients.values():
                client.close()

    def _send(
        self,
        chance: random.Random,
        clients: dict[str, httpx.Client],
        method: str,
        path: str,
        *want: int,
        **more: object,
    ) -> httpx.Response:
        """Ask any version; anything but the wanted statuses is a failure."""
        with self._lock:
            url = chance.choice(self.rotation).url
            self._busy[url] += 1
        began, phase = time.perf_counter(), self.phase
        try:
            if url not in clients:
                clients[url] = httpx.Client(base_url=url, timeout=120, trust_env=False, headers={"x-api-key": self.key})
            answer = clients[url].request(method, path, **more)  # type: ignore[arg-type]
        finally:
            with self._lock:
                self._busy[url] -= 1
        took = 1000 * (time.perf_counter() - began)
        with self._lock:
            self.asked[phase] += 1
            self.longest_ms[phase] = max(took, self.longest_ms.get(phase, 0.0))
        assert answer.status_code in want, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return answer

    def _call(self, chance: random.Random, clients: dict[str, httpx.Client]) -> None:
        warm = {"video_id": VIDEO, "track_id": TRACK}
        answer = self._send(chance, clients, "POST", "/v1/loop", 200, 202, json=warm)
        with self._lock:
            if answer.status_code == 202:  # the version that announced itself last analyses in another way
                self.jobs.add(answer.json()["job_id"])
            else:
                self.loops += 1
        end = time.monotonic() + READY_SECONDS
        while answer.status_code == 202:
            assert time.monotonic() < end, f"{answer.json()['job_id']} is not complete"
            time.sleep(0.5)
            answer = self._send(chance, clients, "GET", answer.json()["poll"], 200, 202)
        assert answer.json()["applicable"] is True
        assert self._send(chance, clients, "GET", self.poll, 200).json()["applicable"] is True
        assert self._send(chance, clients, "GET", f"/v1/videos/{VIDEO}", 200).json()["ready"] is True

    def _upload(self, chance: random.Random, clients: dict[str, httpx.Client]) -> None:
        """A video from its target to ready, each step by any version."""
        body = {"filename": "short.mp4", "content_type": "video/mp4"}
        target = self._send(chance, clients, "POST", "/v1/videos", 201, json=body).json()
        link = urlsplit(target["upload_url"])
        path = f"{link.path}?{link.query}"
        self._send(chance, clients, "PUT", path, 200, content=self.video.read_bytes(), headers=target["headers"])
        asked = {"storage_key": target["storage_key"]}
        self._send(chance, clients, "POST", f"/v1/videos/{target['video_id']}/ingest", 202, json=asked)
        with self._lock:
            self.uploads.append(target["video_id"])
        end = time.monotonic() + READY_SECONDS
        while True:
            record = self._send(chance, clients, "GET", f"/v1/videos/{target['video_id']}", 200).json()
            if record["ready"]:
                return
            assert record["status"] == "processing", record
            assert time.monotonic() < end, f"{target['video_id']} is not ready"
            time.sleep(0.2)


def upgrade(old: Version, new: Version) -> Table:
    """The whole upgrade; raises AssertionError where anything failed."""
    root = old.home.parent
    prepare(root, old)
    old.start()
    load = first_loop(root, old)
    load.phase = "older alone"
    with load.running():
        load.in_phase("older alone")
        load.phase = "newer starts and migrates"
        new.start()
        load.put_in(new)
        load.in_phase("both")
        load.take_out(old)
        load.phase = "older starts its processes again"
        old.restart_processes()
        load.put_in(old)
        load.in_phase("both, older started again")
        load.take_out(old)
        load.phase = "older ends"
        old.stop()
        load.in_phase("newer alone")
        load.phase = "older comes back"
        old.start()
        load.put_in(old)
        load.take_out(new)
        new.stop()
        load.in_phase("older alone again")
    assert not load.failures, load.failures[:5]
    entries = [json.loads(line) for line in old.workbench("accounts", "ledger", "load").splitlines()]
    loops = sum(entry["endpoint"] == "POST /v1/loop" for entry in entries)
    ingests = sorted(entry["subject"] for entry in entries if entry["subject"].startswith("vid_"))
    answered = load.loops + len(load.jobs) + 1
    assert loops == answered, f"{answered} loops were answered, the first included, and {loops} billed"
    assert ingests == sorted(load.uploads), "every upload is billed once"
    table = Table("Service: rolling upgrade", ("phase", "requests", "longest ms"))
    for phase, count in load.asked.items():
        table.add(phase, count, load.longest_ms[phase])
    table.notes.append(
        f"No request failed. {load.loops} loops at once, {len(load.jobs)} through a job and {len(load.uploads)} "
        "uploads, each billed once."
    )
    return table


def prepare(root: Path, version: Version) -> None:
    """A track, a video and an account, in the tables of a version."""
    manifest, video = write_media(root)
    draw_video(root / "short.mp4", 12)
    version.workbench("catalog", "add", str(manifest))
    version.workbench("videos", "add", str(video), "--shared", "--video-id", VIDEO)


def first_loop(root: Path, version: Version) -> Load:
    """The load, once the loop that it asks for is stored."""
    key = version.workbench("keys", "create", "--account", "load").strip()
    with httpx.Client(base_url=version.url, headers={"x-api-key": key}, timeout=120, trust_env=False) as client:
        poll = client.post("/v1/loop", json={"video_id": VIDEO, "track_id": TRACK}).json()["poll"]
        while (answer := client.get(poll)).status_code == 202:
            time.sleep(0.5)
        assert answer.status_code == 200, answer.text
    return Load(key, root / "short.mp4", poll, [version])


def check_out(commit: str | None, folder: Path) -> Path:
    """The files of a commit in a folder of their own; None: those of this checkout as they are."""
    folder.mkdir()
    if commit is None:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PARTS],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        command = ["tar", "-cf", "-", "--files-from=-"]
        packed = subprocess.run(command, cwd=ROOT, check=True, input=listed.stdout.encode(), capture_output=True).stdout
    else:
        command = ["git", "archive", commit, *PARTS]
        packed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def revisions(code: Path) -> set[str]:
    """The revisions of a version's tables."""
    folders = (code / part / "store/migrations/versions" for part in ("workbench", "service"))
    return {f"{file.parts[-5]} {file.stem}" for folder in folders for file in folder.glob("v*.py")}


def add_rehearsal(code: Path) -> None:
    """Give a version one more revision of the service's tables, which only adds."""
    tables = code / "service/store/tables.py"
    text = tables.read_text()
    before = text.partition('head="')[2].partition('"')[0]
    major, minor = before.split("_")
    revision = f"{major}_{int(minor) + 1}"
    tables.write_text(text.replace(f'head="{before}"', f'head="{revision}"'))
    written = code / f"service/store/migrations/versions/v{revision}_rehearsal.py"
    written.write_text(REHEARSAL.format(revision=revision, before=before))


def _children(pid: int) -> list[int]:
    with suppress(FileNotFoundError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", default="HEAD")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], action="append")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        code = {"older": check_out(given.old, Path(folder, "older")), "newer": check_out(None, Path(folder, "newer"))}
        added = revisions(code["newer"]) - revisions(code["older"])
        if not added:
            add_rehearsal(code["newer"])
        for database in given.database or ["sqlite", *(["postgresql"] if has_postgres() else [])]:
            with ExitStack() as stack:
                root = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                settings = {"WORKBENCH_RATE_LIMIT_PER_MINUTE": "1000000"}
                if database == "postgresql":
                    settings["WORKBENCH_DATABASE_URL"] = stack.enter_context(running_postgres()).url()
                old, new = (Version(name, code[name], root / "home", settings) for name in code)
                stack.callback(old.stop)
                stack.callback(new.stop)
                table = upgrade(old, new)
                what = ", ".join(sorted(added)) or "one for the rehearsal"
                table.notes.append(f"{database}; {given.old} beside this checkout; revisions in between: {what}.")
                print(table.markdown(), flush=True)


if __name__ == "__main__":
    main()
