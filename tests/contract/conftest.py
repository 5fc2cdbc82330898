"""A real service for the tests of the interface: `workbench serve` in processes of its own, on files made here.

It knows one short track under twelve names, one video that is long enough to loop it under and one that is not, and an
https site on this machine to fetch from. Every test has a customer of its own, so that ledgers are short. What needs
other settings (the rate limit, no jobs, no tracks) uses `bare`, a second service that has nothing in its home.

The services run on SQLite; with `CONTRACT_DATABASE=postgresql` in the environment each home has a database of
PostgreSQL (`make test-postgresql`).
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import httpx
import numpy as np
import pytest
from click.testing import CliRunner
from standardwebhooks.webhooks import Webhook

from service import signed_links
from service.errors import error_type
from service.settings import ServiceSettings
from service.store import jobs, shared_values
from service.store.jobs import NewJob
from service.store.tables import open_database
from tests.service.conftest import Postgres, running_postgres
from tests.service.sites import Quiet, https_site
from tests.service.waiting import until
from tests.videos import grey, write_video
from workbench.cli.main import app
from workbench.files import bundled_path
from workbench.media.audio import decode, write_audio
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

WORKBENCH = (sys.executable, "-m", "workbench")
WEBHOOK_SECRET = "whsec_" + "c2VjcmV0IG9mIHRoZSB0ZXN0cywgbG9uZyBlbm91Z2g="
START_SECONDS = 240.0  # as long as a machine may take that has much else to do
SETTLE_SECONDS = 240.0
MOST_BYTES = 20 * 2**20  # of a fetched or uploaded file, in these tests


@dataclass
class Customer:
    """One account with one key, and what it is told and charged."""

    account: str
    key: str
    client: httpx.Client
    service: Service

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.client.get(path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx.Response:
        return self.client.post(path, json=body, **more)

    def settled(self, answer: httpx.Response) -> httpx.Response:
        """What a 202 comes to, by polling as it says."""
        return self.service.settled(self.client, answer)

    def match_while_ingesting(self, site: Site, body: Mapping[str, Any], query: str = "") -> httpx.Response:
        """The 202 of a match on a video that is still on its way here; which it then comes to."""
        site.gate.clear()
        try:
            video = self.post("/v1/videos", {"video_url": f"{site.url}/held/short.mp4"}).json()
            return self.post(f"/v1/match{query}", {"video_id": video["video_id"], **body})
        finally:
            site.gate.set()

    def answered(self, path: str, body: Any, **more: Any) -> dict[str, Any]:
        """The body of the result of a call, at once or as its job's."""
        answer = self.post(path, body, **more)
        if answer.status_code == 202:
            answer = self.settled(answer)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def fresh_video(self) -> str:
        """A video that nobody has asked about; long enough to loop the track under, and this customer's own."""
        number = next(self.service.numbers)
        path = self.service.home.parent / f"fresh-{number}.mp4"
        draw_video(path, 79, f"Fresh {number}")
        target = self.upload(path)
        body = {"storage_key": target["storage_key"]}
        record = self.settled(self.post(f"/v1/videos/{target['video_id']}/ingest", body)).json()
        assert record["status"] == "ready", record
        return str(record["video_id"])

    def refused(self, answer: httpx.Response, status: int) -> dict[str, Any]:
        """The error of an answer, which has this status and is an Error body in every respect."""
        return refused(answer, status)

    def ledger(self) -> list[dict[str, Any]]:
        return self.service.ledger(self.account)

    def charges(self) -> list[tuple[str, str, int, str]]:
        """Endpoint, subject, quantity and unit of every charge."""
        return [
            (row["endpoint"], row["subject"], row["quantity"], row["unit"])
            for row in self.ledger()
            if row["event"] == "charge"
        ]

    def update(self, *options: str) -> None:
        """Change the billing state."""
        self.service.workbench("accounts", "update", self.account, *options)

    def upload(self, path: Path) -> dict[str, Any]:
        """Send a file to a new upload target; the target."""
        target: dict[str, Any] = self.post("/v1/videos", {"filename": path.name, "content_type": "video/mp4"}).json()
        sent = httpx.put(
            target["upload_url"], content=path.read_bytes(), headers=target["headers"], trust_env=False, timeout=60
        )
        assert sent.status_code == 200, sent.text
        return target


@dataclass
class Service:
    """One running service, and callers of it."""

    home: Path
    url: str
    process: subprocess.Popen[str]
    environment: Mapping[str, str]
    keys: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    open: ExitStack = field(default_factory=ExitStack)

    @property
    def log(self) -> Path:
        """What it wrote to standard error."""
        return self.home.parent / "serve.err"

    def log_lines(self) -> list[dict[str, Any]]:
        """The lines of its log that are written whole, the last one may not be; what is no JSON is left out."""
        text = self.log.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines() if line.startswith("{")]

    def workbench(self, *arguments: str) -> str:
        """Standard output of a command on the service's home, run in this process."""
        return run_command(self.home, self.environment, *arguments)

    def key(self, account: str = "acme") -> str:
        """A key of an account, the same one each time."""
        if account not in self.keys:
            self.keys[account] = self.workbench("keys", "create", "--account", account).strip()
        return self.keys[account]

    def caller(self, account: str = "acme") -> httpx.Client:
        """A client with a key of an account."""
        return httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.key(account)}"}, timeout=60, trust_env=False
        )

    def customer(self, *options: str) -> Customer:
        """A new account with a key made with these options."""
        account = f"customer-{next(self.numbers)}"
        self.keys[account] = self.workbench("keys", "create", "--account", account, *options).strip()
        client = self.open.enter_context(self.caller(account))
        return Customer(account, self.keys[account], client, self)

    def ledger(self, account: str) -> list[dict[str, Any]]:
        """What was charged and credited."""
        return [json.loads(line) for line in self.workbench("accounts", "ledger", account).splitlines()]

    def database(self) -> Database:
        """Its database, for what only time would bring about."""
        url = self.environment.get("WORKBENCH_DATABASE_URL")
        return open_database(Home(self.home), WorkbenchSettings(home=self.home, database_url=url))

    def changed(self, statement: Any) -> int:
        """Change its database, for what only time or a fault would bring about; how many rows that were."""
        database = self.database()
        with database.write() as connection:
            rows: int = connection.execute(statement).rowcount
        database.close()
        return rows

    def shared(self, name: str) -> str | None:
        """A value that its processes share in the database."""
        database = self.database()
        with database.read() as connection:
            found = shared_values.get(connection, name)
        database.close()
        return found

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for what a process of the service does in its own time, such as after it has settled a job."""
        until(condition, what, SETTLE_SECONDS)

    def wait_until_ranking(self) -> None:
        """Wait until a script is ranked: requests are accepted before the ranking processes have started."""

        def is_ranking() -> bool:
            ready = httpx.get(self.url + "/readyz", trust_env=False, timeout=60)
            return "ranking" not in ready.text

        self.wait_for(is_ranking, "a ranking process answers")

    def link(self, path: str, seconds: float) -> str:
        """A genuine link to a path that lasts so many seconds from now."""
        database = self.database()
        with database.write() as connection:
            secret = signed_links.link_secret(connection, ServiceSettings())
        database.close()
        return f"{self.url}{path}?{signed_links.signed_query(secret, path, int(time.time() + seconds))}"

    def unserved(self, account: str, kind: str, **more: Any) -> str:
        """The id of a job that nobody will ever take up."""
        database = self.database()
        with database.write() as connection:
            build = f"unserved:{next(self.numbers)}"
            job = jobs.submit(connection, NewJob(kind, "unserved", account, build, **more))
        database.close()
        return job.job_id

    def settled(self, client: httpx.Client, answer: httpx.Response) -> httpx.Response:
        """What a 202 comes to, by polling as it says."""
        assert answer.status_code == 202, answer.text
        poll, deadline = answer.json()["poll"], time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < deadline:
            found = client.get(poll)
            if found.status_code == 429:
                time.sleep(float(found.headers["retry-after"]))
            elif found.status_code != 202 and found.json().get("status") != "processing":
                return found
            time.sleep(0.1)
        raise AssertionError(f"{poll} was not settled in {SETTLE_SECONDS:g} s")

    def raw(self, *data: bytes) -> http.client.HTTPResponse:
        """The answer to bytes as they are, headers read and the body too (`answer.said`)."""
        address = urlsplit(self.url)
        with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
            for block in data:
                connection.sendall(block)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            answer.said = answer.read()  # type: ignore[attr-defined]
            answer.close()
        return answer

    def event(self, route: str, kind: str, **data: Any) -> httpx.Response:
        """What the billing provider is told when it sends an event."""
        body = json.dumps({"type": kind, "timestamp": "2026-11-21T12:00:00Z", "data": data})
        return self.signed(route, body, f"msg_{next(self.numbers)}")

    def signed(self, route: str, body: str, webhook_id: str, at: datetime | None = None) -> httpx.Response:
        """The answer to a webhook that is signed as it should be."""
        at = at or datetime.now(UTC)
        headers = {
            "webhook-id": webhook_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": Webhook(WEBHOOK_SECRET).sign(webhook_id, at, body),
            "content-type": "application/json",
        }
        path = f"/v1/webhooks/billing/{route}"
        return httpx.post(self.url + path, content=body, headers=headers, trust_env=False, timeout=60)

    def refused(self, answer: httpx.Response | http.client.HTTPResponse, status: int) -> dict[str, Any]:
        """The error of an answer, which has this status and is an Error body in every respect."""
        return refused(answer, status)

    def beside(self, *options: str) -> Service:
        """A second service on the same home."""
        settings = {name: value for name, value in self.environment.items() if name.startswith("WORKBENCH_")}
        return start_service(self.home, {**settings, "WORKBENCH_RANKING_PROCESSES": "0"}, *options)

    def stop(self) -> int:
        """End it as an operator would; its exit code."""
        self.open.close()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=SETTLE_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def refused(answer: httpx.Response | http.client.HTTPResponse, status: int) -> dict[str, Any]:
    """The error of an answer, which has this status and is an Error body in every respect."""
    if isinstance(answer, http.client.HTTPResponse):
        found, said = answer.status, answer.said  # type: ignore[attr-defined]
    else:
        found, said = answer.status_code, answer.content
    assert found == status, said
    assert answer.headers["content-type"] == "application/json"
    body = json.loads(said)
    assert set(body) == {"error"}
    error: dict[str, Any] = body["error"]
    assert set(error) - {"details"} == {"type", "message", "request_id"}
    assert error["type"] == error_type(status)
    assert error["message"]
    assert error["request_id"] == answer.headers["x-request-id"]
    return error


@dataclass
class Databases:
    """The databases of the services that do not run on SQLite."""

    server: Postgres | None = None
    urls: dict[Path, str] = field(default_factory=dict)

    def settings_of(self, home: Path) -> dict[str, str]:
        """The setting that names the database of a home; empty: it is a file there."""
        if self.server is None:
            return {}
        if home not in self.urls:
            self.urls[home] = self.server.url()
        return {"WORKBENCH_DATABASE_URL": self.urls[home]}


DATABASES = Databases()


@pytest.fixture(scope="session", autouse=True)
def databases() -> Iterator[None]:
    """PostgreSQL, if the environment asks for it."""
    if os.environ.get("CONTRACT_DATABASE") != "postgresql":
        yield
        return
    with running_postgres() as server:
        DATABASES.server = server
        yield
        DATABASES.server = None


def environment_of(home: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of the processes on a home: without settings of whoever runs the tests."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    return others | DATABASES.settings_of(home) | dict(settings)


def run_command(home: Path, environment: Mapping[str, str], *arguments: str) -> str:
    """Standard output of a command on a home, run in this process."""
    others = {name: None for name in os.environ if name.startswith("WORKBENCH_")}
    ours = {name: value for name, value in environment.items() if name.startswith("WORKBENCH_")}
    done = CliRunner().invoke(app, [*arguments, "--home", str(home)], env={**others, **ours})
    assert done.exit_code == 0, (done.stderr, done.exception)
    return done.stdout


def start_service(home: Path, settings: Mapping[str, str], *options: str) -> Service:
    """Start `workbench serve` on a free port and wait until it accepts requests."""
    environment = environment_of(home, settings)
    with (home.parent / "serve.err").open("a") as log:
        process = subprocess.Popen(
            [*WORKBENCH, "serve", "--port", "0", "--home", str(home), *options],
            stdout=subprocess.PIPE, stderr=log, text=True, env=environment,
        )  # fmt: skip
    watchdog = threading.Timer(START_SECONDS, process.kill)
    watchdog.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    watchdog.cancel()
    if not line.startswith("listening on "):
        process.kill()
        process.communicate()
        raise AssertionError((home.parent / "serve.err").read_text()[-2000:])
    return Service(home, line.removeprefix("listening on ").strip(), process, environment)


@pytest.fixture(scope="session")
def start() -> Callable[..., Service]:
    """Starts a service of a test's own: a home folder, settings, options."""
    return start_service


@pytest.fixture(scope="session")
def environment() -> Callable[..., dict[str, str]]:
    """The environment of a command on a home of a test's own."""
    return environment_of


@dataclass(frozen=True)
class Site:
    """An https site on this machine that serves a folder."""

    folder: Path
    url: str
    authority: Path

    def away(self, redirects: int, address: str) -> str:
        """An address from which so many redirects lead to another."""
        return f"{self.url}/to/{redirects}/{quote(address, safe='')}"

    @property
    def seen(self) -> list[dict[str, str]]:
        """The headers of every request that came."""
        return _Folder.seen

    @property
    def gate(self) -> threading.Event:
        """Lets files under `/held` through while it is set."""
        return _Folder.gate


class _Folder(Quiet):
    """Files, files that are held back (`/held/…`), redirects (`/to/3/<address>` is three away from it)."""

    seen: list[dict[str, str]] = []  # noqa: RUF012 - shared by all requests, which is what it is for
    gate = threading.Event()

    def do_GET(self) -> None:
        self.seen.append(dict(self.headers))
        _, *parts = self.path.split("/", 3)
        if parts[0] == "held":
            assert self.gate.wait(SETTLE_SECONDS)
            self.path = "/" + parts[1]
        if parts[0] != "to":
            super().do_GET()
            return
        left, address = int(parts[1]), unquote(parts[2])
        self.send_response(302)
        self.send_header("Location", address if left == 1 else f"/to/{left - 1}/{quote(address, safe='')}")
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture(scope="session")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a track of 48 s, a video of 90 s, one of 20 s, and a file that is no media."""
    folder = tmp_path_factory.mktemp("media")
    recording = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    write_audio(
        folder / "track.flac",
        [recording.samples[:, : 48 * recording.sample_rate]],
        recording.sample_rate,
        recording.channels,
    )
    draw_video(folder / "long.mp4", 90)
    draw_video(folder / "short.mp4", 20, "A short video")
    (folder / "nothing.mp4").write_bytes(b"this is no video" * 100)
    with (folder / "huge.mp4").open("wb") as huge:
        huge.truncate(MOST_BYTES + 1)
    named: list[dict[str, str | list[str]]] = [
        {"track_id": "trk_corner", "catalog_song_id": "song_1", "title": "Corner Store"}
    ]
    named += [
        {
            "track_id": f"trk_{n}",
            "catalog_song_id": f"song_{n}",
            "catalog_audio_file_id": f"file_{n}",
            "title": f"Corner Store {n}",
            "moods": ["calm" if n % 2 else "bright"],
            "genres": ["funk"],
        }
        for n in range(2, 13)
    ]
    lines = [json.dumps({"path": "track.flac", **track}) for track in named]
    (folder / "manifest.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def draw_video(path: Path, seconds: int, title: str = "") -> None:
    """A small video with a cut every four seconds and a faint noise."""
    noise = (0.01 * np.random.default_rng(seconds).standard_normal((1, 44_100 * seconds))).astype(np.float32)
    pictures = (grey(k // 40 * 37 % 255, 160, 90) for k in range(10 * seconds))
    write_video(path, pictures, 10, sound=noise, sample_rate=44_100, title=title)


@pytest.fixture(scope="session")
def site(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The media folder behind https, with an authority that only the tests trust."""
    pem = tmp_path_factory.mktemp("authority") / "ca.pem"
    with https_site(media, pem, _Folder) as url:
        yield Site(media, url, pem)


@pytest.fixture(scope="session")
def settings(site: Site) -> dict[str, str]:
    """The environment of the tests' services."""
    return {
        "WORKBENCH_LOG_LEVEL": "info",
        "WORKBENCH_RATE_LIMIT_PER_MINUTE": "100000",
        "WORKBENCH_FETCH_ALLOW_HOSTS": "localhost",
        "WORKBENCH_FETCH_CA_FILE": str(site.authority),
        "WORKBENCH_FETCH_MAX_BYTES": str(MOST_BYTES),
        "WORKBENCH_UPLOAD_MAX_BYTES": str(MOST_BYTES),
        "WORKBENCH_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "WORKBENCH_UPLOAD_ORIGINS": "https://music.example, http://localhost:3000",
    }


@pytest.fixture(scope="session")
def service(media: Path, settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all tests that leave its settings alone."""
    home = tmp_path_factory.mktemp("service") / "home"
    fill(home, media, settings)
    running = start_service(home, settings)
    running.wait_until_ranking()
    yield running
    assert running.stop() == 0


def fill(home: Path, media: Path, settings: Mapping[str, str]) -> None:
    """Give a home its track and its two shared videos."""
    environment = environment_of(home, settings)
    for command in (
        ("catalog", "add", str(media / "manifest.jsonl")),
        ("videos", "add", str(media / "long.mp4"), "--shared", "--video-id", "vid_long"),
        ("videos", "add", str(media / "short.mp4"), "--shared", "--video-id", "vid_short"),
    ):
        run_command(home, environment, *command)


@pytest.fixture
def acme(service: Service) -> Iterator[httpx.Client]:
    """A caller of the account that most tests use."""
    with service.caller() as client:
        yield client


@pytest.fixture
def customer(service: Service) -> Customer:
    """A new account."""
    return service.customer()


@pytest.fixture(scope="session")
def owner(service: Service) -> tuple[Customer, str]:
    """An account with a video of its own that no track was tried on."""
    made = service.customer()
    return made, made.fresh_video()


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service as it comes, of two HTTP processes, with nothing in its home and nobody to run jobs."""
    running = start_service(tmp_path_factory.mktemp("bare") / "home", {}, "--workers", "2", "--no-jobs")
    running.wait_until_ranking()
    yield running
    assert running.stop() == 0


JOB = {"video_id": "vid_1", "track_id": "trk_1", "job_id": "job_1"}
TICKET = {**JOB, "status": "processing", "poll": "/v1/loop/jobs/job_1"}
LOOPED = {
    **JOB,
    "status": "complete",
    "track": {"catalog_song_id": None, "catalog_audio_file_id": None},
    "applicable": False,
    "plan": {"applicable": False, "reason": "no_viable_loop"},
    "hint": "pick another track",
    "retryable": False,
    "gained": "a field that a later version has",
}


@pytest.fixture
def restarting() -> Iterator[str]:
    """The address of a proxy before a service that is started again while a job runs.

    A loop is accepted. Of its polls, the first meets the proxy's own 502, a page; the second a connection that is
    closed, the third a service that cannot use its database yet. Then other clients with the same key have used up its
    rate, four times. The last has the result.
    """
    polls = count(1)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.say(202, "application/json", json.dumps(TICKET))

        def do_GET(self) -> None:
            number = next(polls)
            if number == 1:
                self.say(502, "text/html", "<h1>Bad Gateway</h1>")
            elif number == 2:
                self.close_connection = True
            elif number == 3:
                error = {"type": "service_unavailable", "message": "call again", "request_id": None}
                self.say(503, "application/json", json.dumps({"error": error}))
            elif number <= 7:
                error = {"type": "rate_limited", "message": "too many requests", "request_id": None}
                self.say(429, "application/json", json.dumps({"error": error}))
            else:
                self.say(200, "application/json", json.dumps(LOOPED))

        def say(self, status: int, kind: str, text: str) -> None:
            self.send_response(status)
            self.send_header("Retry-After", "1")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
