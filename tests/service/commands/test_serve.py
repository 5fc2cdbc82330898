"""`workbench serve` and `workbench worker` as processes: they come up, come back when killed, and go in order."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import trustme

from service.store import jobs
from service.store.jobs import NewJob
from tests.service.waiting import gone, until
from workbench.store.database import Database

WORKBENCH = [sys.executable, "-m", "workbench"]


@dataclass
class Served:
    """A running service."""

    process: subprocess.Popen[str]
    url: str

    def get(self, path: str, **more: object) -> httpx.Response:
        return httpx.get(self.url + path, timeout=240.0, **more)  # type: ignore[arg-type]

    def children(self, module: str) -> list[int]:
        """Process ids of the supervisor's children that run a module or command."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(pid) for pid in listed if module in command_of(pid)]


def command_of(pid: str) -> str:
    """The command line of a process; empty once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    return kept | {"WORKBENCH_JOB_LEASE_SECONDS": "2"}


@contextmanager
def serving(home: Path, *arguments: str, **settings: str) -> Iterator[Served]:
    """A service, killed at the end if it still runs."""
    with (home / "log").open("a") as log:
        process = subprocess.Popen(
            [*WORKBENCH, "serve", "--home", str(home), "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment() | settings,
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"listening on (https?://127\.0\.0\.1:\d+)\n", line)
        assert found, f"{line!r}: {(home / 'log').read_text()}"
        yield Served(process, found[1])
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("home"), "--no-jobs") as running:
        yield running


def test_it_answers(served: Served) -> None:
    assert served.get("/healthz").json() == {"status": "ok"}
    assert served.get("/v1/videos/vid_1").status_code == 401


def test_a_killed_http_process_is_replaced_and_nobody_is_refused(served: Served) -> None:
    (pid,) = served.children("http_process")
    os.kill(pid, signal.SIGKILL)
    assert served.get("/healthz").status_code == 200  # waits in the socket, which stayed open
    (other,) = served.children("http_process")
    assert other != pid


def test_sigterm_ends_all_and_exits_0(served: Served) -> None:
    pids = served.children("")
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(timeout=240) == 0
    assert all(gone(pid) for pid in pids)


def test_while_it_ends_what_was_begun_is_answered_and_nobody_else_waits(tmp_path: Path) -> None:
    """A new connection is refused at once, so that a proxy asks another machine, and not held until the end."""
    with serving(tmp_path, "--no-jobs") as served:
        address = httpx.URL(served.url)
        with socket.create_connection((address.host, address.port or 0), timeout=240) as begun:
            begun.sendall(
                b"POST /v1/loop HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{"
            )
            served.get("/healthz")  # by then the process has seen the other request
            served.process.send_signal(signal.SIGTERM)
            until(lambda: is_refused(address), "new connections are refused", seconds=20.0)
            begun.sendall(b"}")
            answer = begun.recv(4096)
            assert answer.startswith(b"HTTP/1.1 401")
            assert b"connection: close" in answer.lower()
            assert begun.recv(4096) == b""  # it is closed here: the caller would keep it, and the process wait for that
            # The drain, which lasts 30 s at most, ends with the last answer.
            assert served.process.wait(timeout=20) == 0


def is_refused(address: httpx.URL) -> bool:
    try:
        with socket.create_connection((address.host, address.port or 0), timeout=240):
            return False
    except ConnectionRefusedError:
        return True


@pytest.mark.slow
def test_an_http_process_that_is_still_starting_ends_on_sigterm(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-jobs"):
        pass  # it has made the database
    with socket.create_server(("127.0.0.1", 0)) as listening:
        options = ["--home", str(tmp_path), "--parent", str(os.getpid()), "--socket-fd", str(listening.fileno())]
        process = subprocess.Popen(
            [sys.executable, "-m", "service.http_process", *options],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[listening.fileno()],
            env=environment(),
        )
        status = Path(f"/proc/{process.pid}/status")
        with process:
            until(lambda: catches(signal.SIGTERM, status.read_text()), "it handles SIGTERM, and is not ready yet")
            process.send_signal(signal.SIGTERM)
            try:
                assert process.wait(timeout=240) == 0
            finally:
                process.kill()


def catches(number: signal.Signals, status: str) -> bool:
    """Whether a process handles a signal, by its file `status` in /proc."""
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    assert caught is not None
    return bool(int(caught[1], 16) >> (number - 1) & 1)


def test_the_log_says_what_began_and_ended_and_a_misspelt_setting_once(tmp_path: Path) -> None:
    with serving(tmp_path, WORKBENCH_RATE_LIMIT="5") as served:
        until(lambda: served.get("/readyz").status_code == 200, "ready")
        served.process.terminate()
        assert served.process.wait(timeout=240) == 0
    text = (tmp_path / "log").read_text()
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    for process in ("http", "worker"):
        assert [one["event"] for one in lines if one.get("process") == process] == ["started", "ending"]
    assert {one["home"] for one in lines if one["event"] == "started"} == {str(tmp_path)}
    (line,) = (line for line in (tmp_path / "log").read_text().splitlines() if "WORKBENCH_RATE_LIMIT" in line)
    assert "did you mean WORKBENCH_RATE_LIMIT_PER_MINUTE?" in line


@pytest.mark.slow
def test_jobs_are_run_by_a_process_that_is_replaced_when_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        (pid,) = served.children("worker")
        os.kill(pid, signal.SIGKILL)
        until(lambda: [other for other in served.children("worker") if other != pid], "another job process")
        pids = served.children("")
        served.process.kill()  # nobody is left to end them in order: they end by themselves
        served.process.wait()
        until(lambda: all(gone(pid) for pid in pids), "its processes end with the supervisor")


def test_a_worker_alone_runs_jobs_and_exits_0_on_sigterm(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        job = jobs.submit(connection, NewJob("loop", jobs.MAIN, "ada", "b", video_id="vid_none", track_id="trk_none"))
    with (tmp_path / "log").open("w") as log:
        worker = subprocess.Popen(
            [*WORKBENCH, "worker", "--queues", "main", "--home", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment() | {"WORKBENCH_DATABASE_URL": database.url},
        )
    assert worker.stdout is not None

    def failed() -> bool:
        with database.read() as connection:
            found = jobs.get(connection, job.job_id)
        return found is not None and found.fault is not None and found.fault["status"] == 422

    try:
        assert worker.stdout.readline() == "ready\n", (tmp_path / "log").read_text()
        until(failed, "a loop of no video fails")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=240) == 0
    finally:
        worker.kill()
        worker.wait()
        worker.stdout.close()


SHOWN = """
import sys
from pathlib import Path
from service.commands.serve import Served, serve
from service.commands.showcase import Showcase
from workbench.store.home import Home
serve("127.0.0.1", 0, Served(Home(Path(sys.argv[1])), 1, False, None, None, False), Showcase("sk_live_x", "trk_1"))
"""


def test_what_to_try_is_on_standard_output_after_the_address(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SHOWN, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment(),
        )
    with process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("listening on ").strip()
        assert address.startswith("http://127.0.0.1:"), (tmp_path / "log").read_text()
        assert httpx.get(f"{address}/healthz", timeout=60.0).status_code == 200
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait(timeout=240) == 0
    calls = [line for line in rest.splitlines() if line.startswith("curl ")]
    assert len(calls) == 3
    assert "its older ones have ended" in rest
    assert all(address in call and "sk_live_x" in call for call in calls)
    answered = [line for line in (tmp_path / "log").read_text().splitlines() if '"event": "answered"' in line]
    assert '"path": "/healthz"' in answered[0]  # requests are logged unless the settings say otherwise


def write_certificate(folder: Path, authority: trustme.CA) -> None:
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    for number, blob in enumerate(certificate.cert_chain_pems):
        blob.write_to_path(folder / "cert.pem", append=number > 0)


def trusts(authority: trustme.CA, served: Served) -> bool:
    """Whether the service shows a certificate of an authority."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    try:
        return served.get("/healthz", verify=context).status_code == 200
    except httpx.ConnectError as error:
        if "CERTIFICATE_VERIFY_FAILED" not in str(error):
            raise
        return False


@pytest.mark.slow
def test_it_serves_tls_and_takes_a_certificate_that_is_renewed(tmp_path: Path) -> None:
    old, new = trustme.CA(), trustme.CA()
    write_certificate(tmp_path, old)
    tls = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    with serving(tmp_path, "--no-jobs", "--workers", "2", *tls) as served:
        assert served.url.startswith("https://")
        assert trusts(old, served)
        (tmp_path / "key.pem").write_text("half of a key")
        log = tmp_path / "log"
        until(lambda: trusts(old, served) and "certificate not renewed" in log.read_text(), "a broken key is told")
        write_certificate(tmp_path, new)
        until(lambda: trusts(new, served), "the new certificate is shown")
        until(lambda: not trusts(old, served), "by each of the processes")


def test_a_port_for_operators_alone_has_the_metrics_behind_a_proxy(tmp_path: Path) -> None:
    port = ("--health-port", "0", "--behind-proxy", "--workers", "2")
    with serving(tmp_path, "--no-jobs", *port, WORKBENCH_METRICS_PUBLIC="true") as served:
        found = re.search(r"^health on (http://127\.0\.0\.1:\d+)$", (tmp_path / "log").read_text(), re.MULTILINE)
        assert found
        operators = Served(served.process, found[1])
        assert served.get("/metrics").status_code == 404  # nobody comes to it through the proxy
        assert served.get("/healthz").json() == operators.get("/healthz").json() == {"status": "ok"}
        assert "workbench_requests_total" in operators.get("/metrics").text
        assert operators.get("/v1/openapi.json").status_code == 404
        for one in (served, operators):
            answer = one.get("/readyz")
            assert answer.status_code == 200
        asked = httpx.head(f"{operators.url}/healthz", timeout=240)
        assert (asked.status_code, asked.content) == (200, b"")
        (pid, _) = served.children("http_process")
        os.kill(pid, signal.SIGKILL)
        assert operators.get("/healthz").status_code == 200  # of the other, or of that which takes its place
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(timeout=240) == 0
        assert is_refused(httpx.URL(operators.url))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--host", "0.0.0.0"), 2, "--behind-proxy"),
        (("--tls-cert", "none.pem", "--tls-key", "none.pem"), 1, "cannot be used for TLS"),
    ],
)
def test_what_it_refuses(arguments: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*WORKBENCH, "serve", "--home", str(tmp_path), *arguments],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*WORKBENCH, "serve", "--home", str(tmp_path), "--port", port],
            capture_output=True,
            text=True,
            env=environment(),
            timeout=240,
            check=False,
        )
    assert done.returncode == 1
    assert re.fullmatch(rf"workbench: cannot listen on 127\.0\.0\.1 port {port}: [^\[(]+\n", done.stderr)
