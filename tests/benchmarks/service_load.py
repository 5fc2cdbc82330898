"""How fast the service answers, beside an empty handler of the same server, on SQLite with one HTTP process.

    python -m tests.benchmarks.run service-load

Closed loops on loopback for a few seconds. The clients are one process of raw sockets that shares the machine's cores
with the server, so ratios are what counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tests.benchmarks.table import Table
from tests.contract.conftest import draw_video
from workbench.files import bundled_path
from workbench.media.audio import decode, write_audio

WORKBENCH = (sys.executable, "-m", "workbench")
CLIENTS = (8, 128)
SECONDS = 3.0
VIDEO, TRACK, ACCOUNT = "vid_long", "trk_corner", "load"


@dataclass
class Served:
    """A running service."""

    port: int
    process: subprocess.Popen[str]
    key: str

    def cpu_seconds(self) -> float:
        """Processor time that its HTTP process has used."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        processes = [Path(f"/proc/{child}") for child in children]
        return sum(cpu_seconds(one) for one in processes if "http_process" in (one / "cmdline").read_text())


@dataclass
class Measured:
    """What one closed loop came to."""

    latencies_ms: list[float]
    statuses: Counter[int]
    seconds: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.latencies_ms) / self.seconds

    def percentile(self, share: float) -> float:
        """Latency, ms."""
        return float(np.percentile(self.latencies_ms, share))


def run() -> list[Table]:
    """The one table."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        return [load(served, requests(served))]


def load(served: Served, asked: Mapping[str, bytes]) -> Table:
    """Rate and latency of each kind of request at each number of clients."""
    asked = {"empty handler": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", **asked}
    table = Table(
        "Service: load",
        ("request", "clients", "requests/s", "of empty handler", "p50 ms", "p99 ms", "CPU µs a request", "5xx", "lost"),
    )
    with empty_handler() as (empty_port, empty_cpu):
        for clients in CLIENTS:
            for port, name in ((empty_port, "empty handler"), (served.port, "warm loop")):
                asyncio.run(closed_loop(port, asked[name], clients, SECONDS / 6))  # until all connections are open
            empty: Measured | None = None
            for name, request in asked.items():
                first = empty is None
                port = empty_port if first else served.port
                cpu = empty_cpu if first else served.cpu_seconds
                before = cpu()
                got = asyncio.run(closed_loop(port, request, clients, SECONDS))
                used = 1e6 * (cpu() - before) / len(got.latencies_ms)
                empty = empty or got
                failed = sum(count for status, count in got.statuses.items() if status >= 500)
                table.add(
                    name, clients, got.rate, got.rate / empty.rate, got.percentile(50), got.percentile(99), used,
                    failed, got.statuses[0],
                )  # fmt: skip
    table.notes.append(
        f"Closed loops of {SECONDS:g} s from one process on the same cores; one HTTP process, SQLite in write-ahead "
        "mode. A warm loop counts the key's rate, reads the stored plan and books its ledger row, all durable against "
        "a power cut. The empty handler is one of Sanic alone, in a process of its own; /healthz is ours, without key "
        "and database. All calls have one key, so they wait for each other at the row that counts them."
    )
    return table


_EMPTY = """
import socket, sys
from sanic import Sanic
from sanic.response import json

app = Sanic("empty", configure_logging=False)


@app.get("/")
async def answer(request):
    return json({"status": "ok"})


app.prepare(sock=socket.socket(fileno=int(sys.argv[1])), single_process=True, access_log=False, motd=False)
Sanic.serve_single(app)
"""


@contextmanager
def empty_handler() -> Iterator[tuple[int, Callable[[], float]]]:
    """A server whose handler does nothing: its port, and the processor time that it has used."""
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        process = subprocess.Popen(
            [sys.executable, "-c", _EMPTY, str(listening.fileno())],
            pass_fds=[listening.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield listening.getsockname()[1], partial(cpu_seconds, Path(f"/proc/{process.pid}"))
        finally:
            process.kill()
            process.wait()


def cpu_seconds(process: Path) -> float:
    """Processor time that a process has used; its folder in `/proc` is given."""
    ticks = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


async def closed_loop(port: int, request: bytes, clients: int, seconds: float) -> Measured:
    """Clients that each ask again when they are answered."""
    latencies: list[float] = []
    statuses: Counter[int] = Counter()
    end = time.perf_counter() + seconds

    async def client() -> None:
        connection = await asyncio.open_connection("127.0.0.1", port)
        while (began := time.perf_counter()) < end:
            try:
                status, _ = await exchange(connection, request)
            except (OSError, asyncio.IncompleteReadError):
                statuses[0] += 1
                connection = await asyncio.open_connection("127.0.0.1", port)
                continue
            latencies.append(1000 * (time.perf_counter() - began))
            statuses[status] += 1
        connection[1].close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return Measured(latencies, statuses, time.perf_counter() - began)


async def exchange(connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], request: bytes) -> tuple[int, bytes]:
    """One request and its answer on a connection that stays open."""
    reader, writer = connection
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    body = await reader.readexactly(int(length.split(b":")[1]))
    return int(head.split(b" ", 2)[1]), body


def message(method: str, path: str, key: str | None, body: Mapping[str, object] | None = None) -> bytes:
    """A request as it goes over the wire."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    if key is not None:
        lines.append(f"x-api-key: {key}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def requests(served: Served) -> dict[str, bytes]:
    """The requests that are measured; the loop and the job that it polls are built first."""
    key = served.key
    loop = message("POST", "/v1/loop", key, {"video_id": VIDEO, "track_id": TRACK, "auto_mix": True})

    async def poll_of_a_settled_job() -> str:
        connection = await asyncio.open_connection("127.0.0.1", served.port)
        status, said = await exchange(connection, loop)
        assert status == 202, said
        poll = str(json.loads(said)["poll"])
        while (await exchange(connection, message("GET", poll, key)))[0] == 202:
            await asyncio.sleep(0.2)
        connection[1].close()
        return poll

    poll = asyncio.run(poll_of_a_settled_job())
    script = {"script": "A quiet morning by the sea, before anybody is awake."}
    return {
        "healthz": message("GET", "/healthz", None),
        "warm loop": loop,
        "poll": message("GET", poll, key),
        "video status": message("GET", f"/v1/videos/{VIDEO}", key),
        "underscore": message("POST", "/v1/underscore", key, script),
    }


def write_media(root: Path) -> tuple[Path, Path]:
    """The track and the video of the contract tests: the manifest of the one, and the other."""
    track = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    write_audio(root / "track.flac", [track.samples[:, : 48 * track.sample_rate]], track.sample_rate, track.channels)
    manifest, video = root / "manifest.jsonl", root / "video.mp4"
    manifest.write_text(json.dumps({"path": "track.flac", "track_id": TRACK}) + "\n")
    draw_video(video, 90)
    return manifest, video


@contextmanager
def serving(root: Path) -> Iterator[Served]:
    """A service that knows both."""
    environment = {**os.environ, "WORKBENCH_RATE_LIMIT_PER_MINUTE": "1000000"}
    home = ("--home", str(root / "home"))

    def workbench(*arguments: object) -> str:
        command = [*WORKBENCH, *map(str, arguments), *home]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    manifest, video = write_media(root)
    workbench("catalog", "add", manifest)
    workbench("videos", "add", video, "--shared", "--video-id", VIDEO)
    key = workbench("keys", "create", "--account", ACCOUNT).strip()
    process = subprocess.Popen(
        [*WORKBENCH, "serve", "--port", "0", *home],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield Served(int(process.stdout.readline().rpartition(":")[2]), process, key)
    finally:
        process.terminate()
        process.wait(timeout=60)
