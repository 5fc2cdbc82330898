"""How fast the service answers, beside an empty handler of the same server, on SQLite and PostgreSQL, with one HTTP
process and two; whether it stays so; how soon it begins a job and what it costs while there is none; how it drains a
burst of short jobs, and one of cold loops.

Closed loops on loopback: so many clients, each of which sends its next request when the last is answered, for a few
seconds. The clients are one process of raw sockets, so that little of the machine goes into asking; they share its
cores with the server all the same, and ratios are what counts.

WORKBENCH_BENCH_MINUTES (default 1) says how long memory is watched, WORKBENCH_BENCH_BURST (500) how many jobs come at
once.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import soundfile
import trustme

from service.store import jobs
from service.store.tables import open_database
from tests.benchmarks.table import Table
from tests.contract.conftest import draw_video
from tests.service.conftest import running_postgres
from workbench.bundled import bundled_path
from workbench.home import Home
from workbench.settings import WorkbenchSettings

WORKBENCH = (sys.executable, "-m", "workbench")
CLIENTS = (1, 8, 32, 128)
FEW_CLIENTS = (8, 128)
SECONDS = 3.0
BURST, OTHERS = int(os.environ.get("WORKBENCH_BENCH_BURST", "500")), 5
TRACK_SECONDS = 8
SETTLE_SECONDS = 540.0
IDLE_SECONDS, IDLE_JOBS = 20.0, 12
COLD_VIDEOS = 11  # each with every bundled track


@dataclass
class Served:
    """A running service."""

    url: str
    process: subprocess.Popen[str]
    home: Path
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.rsplit(":", 1)[1])

    def procs(self, what: str) -> list[Path]:
        """The kernel's folders of the supervisor's children whose command line names this."""
        return [found for found in children(self.process.pid) if what in (found / "cmdline").read_text()]

    def memory_mb(self) -> float:
        """Resident memory of the HTTP process, MB."""
        (process,) = self.procs("http_process")
        pages = int((process / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def cpu_seconds(self, what: str) -> float:
        """Processor time that its processes of a kind have used."""
        return sum(cpu_seconds(process) for process in self.procs(what))

    def cpu_with_children(self, what: str) -> float:
        """The same, and that of all processes that they have started and waited for, or that still run."""
        return sum(
            cpu_seconds(process, 15) + sum(cpu_seconds(child, 15) for child in children(int(process.name)))
            for process in self.procs(what)
        )


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
    """All tables."""
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as (url, authority):
        root = Path(folder)
        media(root)
        settings = {
            "WORKBENCH_RATE_LIMIT_PER_MINUTE": "1000000",
            "WORKBENCH_FETCH_ALLOW_HOSTS": "localhost",
            "WORKBENCH_FETCH_CA_FILE": str(authority),
        }
        with serving(root / "home", settings, root) as served:
            warm = requests(served)
            tables = [load(served, warm), memory(served, warm), idle(served, url), burst(served, url)]
        with serving(root / "home", settings, root, workers=2) as served:
            tables.insert(1, load(served, warm, "Service: load, two HTTP processes", FEW_CLIENTS))
        tables[2:2] = on_postgresql(root, settings)
        tables.append(cold_loops(root, settings))
        return tables


def on_postgresql(root: Path, settings: Mapping[str, str]) -> list[Table]:
    """The load tables of a service on PostgreSQL, which waits for its disk before it says that it has committed."""
    tables = []
    with running_postgres(survives_power_cuts=True) as server:
        settings = {**settings, "WORKBENCH_DATABASE_URL": server.url()}
        with serving(root / "home-postgresql", settings, root) as served:
            warm = requests(served)
            tables.append(load(served, warm, "Service: load on PostgreSQL", FEW_CLIENTS))
        with serving(root / "home-postgresql", settings, root, workers=2) as served:
            tables.append(load(served, warm, "Service: load on PostgreSQL, two HTTP processes", FEW_CLIENTS))
    for table in tables:
        table.notes = ["fsync and synchronous_commit on; the server's own processor time is not counted."]
    return tables


def load(
    served: Served, asked: Mapping[str, bytes], title: str = "Service: load", numbers: Sequence[int] = CLIENTS
) -> Table:
    """Rate and latency of each kind of request at each number of clients."""
    asked = {"empty handler": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", **asked}
    table = Table(
        title,
        (
            "request", "clients", "requests/s", "of empty handler", "p50 ms", "p99 ms", "of empty p99",
            "CPU µs a request", "5xx", "lost",
        ),
    )  # fmt: skip
    with empty_handler() as (empty_port, empty_cpu):
        for clients in numbers:
            for port, name in ((empty_port, "empty handler"), (served.port, "warm loop")):
                asyncio.run(closed_loop(port, asked[name], clients, SECONDS / 6))  # until all connections are open
            empty: Measured | None = None
            for name, request in asked.items():
                first = empty is None
                port = empty_port if first else served.port
                cpu = empty_cpu if first else partial(served.cpu_seconds, "http_process")
                before = cpu()
                got = asyncio.run(closed_loop(port, request, clients, SECONDS))
                used = 1e6 * (cpu() - before) / len(got.latencies_ms)
                empty = empty or got
                failed = sum(count for status, count in got.statuses.items() if status >= 500)
                table.add(
                    name, clients, got.rate, got.rate / empty.rate, got.percentile(50), got.percentile(99),
                    got.percentile(99) / empty.percentile(99), used, failed, got.statuses[0],
                )  # fmt: skip
    table.notes.append(
        f"Closed loops of {SECONDS:g} s from one process on the same cores; one HTTP process, SQLite in write-ahead "
        "mode. A warm loop counts the key's rate, reads the stored plan and books its ledger row, all durable against "
        "a power cut. The empty handler is one of Sanic alone, in a "
        "process of its own; /healthz is ours, without key and database. All calls have one key, "
        "so they wait for each other at the row that counts them."
    )
    return table


def memory(served: Served, warm: Mapping[str, bytes]) -> Table:
    """Resident memory of the HTTP process under a steady load of all that it is asked, also in vain."""
    minutes = float(os.environ.get("WORKBENCH_BENCH_MINUTES", "1"))
    key = served.keys["load"]
    asked = [
        *warm.values(),
        message("GET", "/v1/videos/nobody", key),
        message("GET", "/v1/nowhere", key),
        message("GET", "/v1/videos/vid_long", "sk_live_no"),
        message("POST", "/v1/loop", key, {"video_id": 1}),
        message("GET", "/readyz", None),
        message("GET", "/metrics", None),
    ]
    table = Table("Service: memory under load", ("minute", "requests so far", "resident MB"))
    table.add(0.0, 0, served.memory_mb())
    total = 0
    for step in range(4):
        total += len(asyncio.run(closed_loop(served.port, asked, 8, 15.0 * minutes)).latencies_ms)
        table.add((step + 1) * minutes / 4, total, served.memory_mb())
    table.notes.append(
        "Eight clients that ask for everything in turn: what is stored, what is not there, with a wrong key, with a "
        "wrong body, /readyz and /metrics. SQLite keeps up to 2 MB of pages for each connection, which fill first."
    )
    return table


def idle(served: Served, url: str) -> Table:
    """What the processes cost while nothing is asked, and how soon a job begins then."""
    table = Table("Service: idle", ("process", "% of a core", "jobs", "accepted to begun, p50 ms", "longest ms"))
    names = {"HTTP": "http_process", "jobs": "\0worker\0", "ranking": "service.ranking.process"}
    before = {name: served.cpu_seconds(command) for name, command in names.items()}
    time.sleep(IDLE_SECONDS)
    used = {name: served.cpu_seconds(command) - before[name] for name, command in names.items()}
    delays = asyncio.run(begun(served, url))
    for name, seconds in used.items():
        told = (len(delays), float(np.median(delays)), max(delays)) if name == "jobs" else ("", "", "")
        table.add(name, 100 * seconds / IDLE_SECONDS, *told)
    table.notes.append(f"{IDLE_SECONDS:g} s without a request; then jobs one by one, at moments of no pattern.")
    return table


async def begun(served: Served, url: str) -> list[float]:
    """Milliseconds from accepting a job to beginning it, of jobs that each find the service idle."""
    chance = np.random.default_rng(6)
    database = open_database(Home(served.home), WorkbenchSettings(database_url=None))
    delays = []
    for _ in range(IDLE_JOBS):
        (poll,) = await submitted(served, "single", 1, url)
        while await unsettled(served, "single", [poll]):
            await asyncio.sleep(0.1)
        await asyncio.sleep(chance.uniform(0.5, 3.0))
        with database.read() as connection:
            job = jobs.get(connection, poll.rpartition("/")[2])
        assert job is not None
        assert job.started_at is not None
        waited = datetime.fromisoformat(job.started_at) - datetime.fromisoformat(job.created_at)
        delays.append(1000 * waited.total_seconds())
    database.close()
    return delays


def burst(served: Served, url: str) -> Table:
    """A burst of cold jobs of one account, and a few of another that come last."""
    table = Table("Service: a burst of cold jobs", ("account", "jobs", "settled", "first after s", "last after s"))
    began = time.monotonic()
    waiting = {
        account: asyncio.run(submitted(served, account, count, url))
        for account, count in (("crowd", BURST), ("single", OTHERS))
    }
    done: dict[str, list[float]] = {account: [] for account in waiting}
    while any(waiting.values()) and time.monotonic() - began < SETTLE_SECONDS:
        for account, polls in waiting.items():
            still = asyncio.run(unsettled(served, account, polls))
            done[account] += [time.monotonic() - began] * (len(polls) - len(still))
            waiting[account] = still
        time.sleep(0.5)
    for account, times in done.items():
        count = len(times) + len(waiting[account])
        table.add(account, count, len(times), min(times, default=float("nan")), max(times, default=float("nan")))
    table.notes.append(
        f"Beats of tracks of {TRACK_SECONDS} s, each of its own bytes, fetched over https from this machine; one job "
        "at a time. The second account's jobs came after all of the first's."
    )
    return table


def cold_loops(root: Path, settings: Mapping[str, str]) -> Table:
    """Loops of every bundled track under several videos, all asked for at once; tracks and videos are analysed."""
    tracks = [path for path in sorted(bundled_path("data", "bundled", "music").glob("*.ogg")) if path.stem != "silence"]
    folder = root / "cold"
    folder.mkdir()
    manifest = [json.dumps({"path": str(path), "track_id": f"trk_{path.stem}"}) for path in tracks]
    (folder / "manifest.jsonl").write_text("\n".join(manifest))
    videos = [f"vid_{number}" for number in range(COLD_VIDEOS)]
    for number, video in enumerate(videos):
        draw_video(folder / f"{video}.mp4", 200 + number)
    bodies = [{"video_id": video, "track_id": f"trk_{path.stem}"} for video, path in itertools.product(videos, tracks)]
    with serving(folder / "home", settings, folder, videos=videos) as served:
        kinds = {"jobs": "\0worker\0", "HTTP": "http_process"}
        before = {kind: served.cpu_with_children(command) for kind, command in kinds.items()}
        began = time.monotonic()
        polls = asyncio.run(accepted(served, "load", "/v1/loop", bodies))
        while polls and time.monotonic() - began < SETTLE_SECONDS:
            time.sleep(0.5)
            polls = asyncio.run(unsettled(served, "load", polls))
        seconds = time.monotonic() - began
        used = {kind: served.cpu_with_children(command) - before[kind] for kind, command in kinds.items()}
    settled = len(bodies) - len(polls)
    table = Table(
        "Service: a burst of cold loops",
        ("jobs", "settled", "after s", "jobs' CPU ms each", "HTTP CPU ms each", "settled a second of CPU"),
    )
    each = {kind: 1000 * spent / settled for kind, spent in used.items()}
    table.add(len(bodies), settled, seconds, each["jobs"], each["HTTP"], settled / sum(used.values()))
    table.notes.append(
        f"{len(tracks)} bundled tracks under {COLD_VIDEOS} videos; tracks and videos are analysed, no plan is stored."
    )
    return table


async def accepted(served: Served, account: str, path: str, bodies: Sequence[Mapping[str, object]]) -> list[str]:
    """Submit jobs; the paths to poll."""
    connection = await asyncio.open_connection("127.0.0.1", served.port)
    polls = []
    for body in bodies:
        status, said = await exchange(connection, message("POST", path, served.keys[account], body))
        assert status == 202, said
        polls.append(json.loads(said)["poll"])
    connection[1].close()
    return polls


async def submitted(served: Served, account: str, count: int, url: str) -> list[str]:
    """Submit beats jobs; the paths to poll."""
    bodies = [{"audio_url": f"{url}/{account}-{number}.wav"} for number in range(count)]
    return await accepted(served, account, "/v1/beats", bodies)


async def unsettled(served: Served, account: str, polls: list[str]) -> list[str]:
    """Those of some jobs that still run."""
    connection = await asyncio.open_connection("127.0.0.1", served.port)
    still = []
    for poll in polls:
        status, _ = await exchange(connection, message("GET", poll, served.keys[account]))
        if status == 202:
            still.append(poll)
        else:
            assert status == 200, (poll, status)
    connection[1].close()
    return still


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


def cpu_seconds(process: Path, end: int = 13) -> float:
    """Processor time that a process has used; its folder in `/proc` is given. With `end` 15, also that of the processes
    that it has waited for.
    """
    ticks = (process / "stat").read_text().rpartition(")")[2].split()[11:end]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[Path]:
    """The kernel's folders of a process's children."""
    return [
        Path(f"/proc/{child}")
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for child in (thread / "children").read_text().split()
    ]


async def closed_loop(port: int, asked: bytes | Sequence[bytes], clients: int, seconds: float) -> Measured:
    """Clients that each ask again when they are answered; of several requests, in turn."""
    requests = itertools.cycle((asked,) if isinstance(asked, bytes) else asked)
    latencies: list[float] = []
    statuses: Counter[int] = Counter()
    end = time.perf_counter() + seconds

    async def client() -> None:
        connection = await asyncio.open_connection("127.0.0.1", port)
        while (began := time.perf_counter()) < end:
            try:
                status, _ = await exchange(connection, next(requests))
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
    key = served.keys["load"]
    loop = message("POST", "/v1/loop", key, {"video_id": "vid_long", "track_id": "trk_corner", "auto_mix": True})

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
        "video status": message("GET", "/v1/videos/vid_long", key),
        "underscore": message("POST", "/v1/underscore", key, script),
    }


def media(root: Path) -> None:
    """The track and the video of the contract tests, and a short sound of its own for each job of the burst."""
    from workbench.media.audio import decode, write_audio

    track = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    rate = track.sample_rate
    write_audio(root / "track.flac", [track.samples[:, : 48 * rate]], rate, track.channels)
    (root / "manifest.jsonl").write_text('{"path": "track.flac", "track_id": "trk_corner"}\n')
    draw_video(root / "vid_long.mp4", 90)
    short = track.samples[0, : TRACK_SECONDS * rate].copy()
    for account, count in (("crowd", BURST), ("single", OTHERS)):
        for number in range(count):
            short[0] = number / 2**15  # other bytes, the same music
            soundfile.write(root / f"{account}-{number}.wav", short, rate, subtype="PCM_16")


@contextmanager
def serving(
    home: Path,
    settings: Mapping[str, str],
    root: Path,
    *,
    workers: int = 1,
    videos: Sequence[str] = ("vid_long",),
) -> Iterator[Served]:
    """A service on a home with the tracks, the videos and an account for each part of the measurement.

    A home that is there already is served as it is.
    """
    environment = {**os.environ, **settings}

    def workbench(*arguments: str) -> str:
        command = [*WORKBENCH, *arguments, "--home", str(home)]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    if not home.exists():
        workbench("catalog", "add", str(root / "manifest.jsonl"))
        for video in videos:
            workbench("videos", "add", str(root / f"{video}.mp4"), "--shared", "--video-id", video)
    keys = {
        account: workbench("keys", "create", "--account", account).strip() for account in ("load", "crowd", "single")
    }
    process = subprocess.Popen(
        [*WORKBENCH, "serve", "--port", "0", "--workers", str(workers), "--home", str(home)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield Served(process.stdout.readline().removeprefix("listening on ").strip(), process, home, keys)
    finally:
        process.terminate()
        process.wait(timeout=60)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def site(folder: Path) -> Iterator[tuple[str, Path]]:
    """A folder behind https on this machine: its address, and the authority to trust."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://localhost:{server.server_port}", folder / "ca.pem"
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    for one in run():
        print(one.markdown())
