"""A real service for the tests of the interface: `workbench serve` in processes of its own, on files made here.

It knows one short song, one clip that is long enough to loop it under and one that is not, and an https site on this
machine to fetch from. Tests that change settings start a server of their own with `start_service`.
"""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import av
import httpx
import numpy as np
import pytest
import trustme

from workbench.bundled import bundled_path
from workbench.media.audio import decode, write_audio

WORKBENCH = (sys.executable, "-m", "service.console")
WEBHOOK_SECRET = "whsec_" + "c2VjcmV0IG9mIHRoZSB0ZXN0cw=="
START_SECONDS = 60.0
SETTLE_SECONDS = 60.0


@dataclass
class Service:
    """One running service, and callers of it."""

    home: Path
    url: str
    process: subprocess.Popen[str]
    environment: Mapping[str, str]
    keys: dict[str, str] = field(default_factory=dict)

    def workbench(self, *arguments: str) -> str:
        """Standard output of a command on the service's home."""
        done = subprocess.run(
            [*WORKBENCH, *arguments, "--home", str(self.home)],
            capture_output=True, text=True, check=False, env=dict(self.environment), timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def key(self, account: str = "acme") -> str:
        """A key of an account, the same one each time."""
        if account not in self.keys:
            self.keys[account] = self.workbench("keys", "create", "--account", account).strip()
        return self.keys[account]

    def caller(self, account: str = "acme") -> httpx.Client:
        """A client with a key of an account."""
        return httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.key(account)}"}, timeout=30, trust_env=False
        )

    def ledger(self, account: str) -> list[dict[str, Any]]:
        """What was charged and credited."""
        return [json.loads(line) for line in self.workbench("accounts", "ledger", account).splitlines()]

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

    def stop(self) -> int:
        """End it as an operator would; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def start_service(home: Path, settings: Mapping[str, str], *options: str) -> Service:
    """Start `workbench serve` on a free port and wait until it accepts requests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")} | settings
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
    assert line.startswith("listening on "), (home.parent / "serve.err").read_text()[-2000:]
    return Service(home, line.removeprefix("listening on ").strip(), process, environment)


@dataclass(frozen=True)
class Site:
    """An https site on this machine that serves a folder."""

    folder: Path
    url: str
    authority: Path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a song of 48 s, a clip of 90 s, one of 20 s, and a file that is no media."""
    folder = tmp_path_factory.mktemp("media")
    song = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    write_audio(folder / "song.flac", [song.samples[:, : 48 * song.sample_rate]], song.sample_rate, song.channels)
    draw_clip(folder / "long.mp4", 90)
    draw_clip(folder / "short.mp4", 20)
    (folder / "nothing.mp4").write_bytes(b"this is no film" * 100)
    manifest = {"path": "song.flac", "track_id": "trk_corner", "catalog_song_id": "song_1", "title": "Corner Store"}
    (folder / "manifest.jsonl").write_text(json.dumps(manifest) + "\n")
    return folder


def draw_clip(path: Path, seconds: int) -> None:
    """A small film with a cut every four seconds and a faint noise."""
    noise = np.random.default_rng(seconds)
    with av.open(str(path), "w") as film:
        picture = film.add_stream("libx264", rate=10)
        picture.width, picture.height, picture.pix_fmt = 160, 90, "yuv420p"
        sound = film.add_stream("aac", rate=44_100)
        for index in range(10 * seconds):
            colour = np.full((90, 160, 3), index // 40 * 37 % 255, dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(colour, format="rgb24")
            frame.pts = index
            film.mux(picture.encode(frame))
        film.mux(picture.encode())
        for second in range(seconds):
            samples = (0.01 * noise.standard_normal((1, 44_100))).astype(np.float32)
            block = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
            block.sample_rate, block.pts = 44_100, second * 44_100
            film.mux(sound.encode(block))
        film.mux(sound.encode())


@pytest.fixture(scope="session")
def site(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The media folder behind https, with an authority that only the tests trust."""
    authority = trustme.CA()
    pem = tmp_path_factory.mktemp("authority") / "ca.pem"
    authority.cert_pem.write_to_path(str(pem))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(media)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Site(media, f"https://localhost:{server.server_port}", pem)
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def settings(site: Site) -> dict[str, str]:
    """The environment of the tests' services."""
    return {
        "WORKBENCH_RATE_LIMIT_PER_MINUTE": "100000",
        "WORKBENCH_FETCH_ALLOW_HOSTS": "localhost",
        "WORKBENCH_FETCH_CA_FILE": str(site.authority),
        "WORKBENCH_WEBHOOK_SECRET": WEBHOOK_SECRET,
    }


@pytest.fixture(scope="session")
def service(media: Path, settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all tests that leave its settings alone."""
    home = tmp_path_factory.mktemp("service") / "home"
    fill(home, media, settings)
    running = start_service(home, settings)
    yield running
    assert running.stop() == 0


def fill(home: Path, media: Path, settings: Mapping[str, str]) -> None:
    """Give a home its song and its two shared clips."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")} | settings
    for command in (
        ("catalog", "add", str(media / "manifest.jsonl")),
        ("videos", "add", str(media / "long.mp4"), "--shared", "--video-id", "vid_long"),
        ("videos", "add", str(media / "short.mp4"), "--shared", "--video-id", "vid_short"),
    ):
        subprocess.run([*WORKBENCH, *command, "--home", str(home)], check=True, capture_output=True, env=environment)


@pytest.fixture
def acme(service: Service) -> Iterator[httpx.Client]:
    """A caller of the account that most tests use."""
    with service.caller() as client:
        yield client


Waiting = Callable[[httpx.Client, httpx.Response], httpx.Response]
