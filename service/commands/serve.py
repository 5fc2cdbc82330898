"""`workbench serve`: the /v1 service on this machine, with all its processes under one supervisor."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from service.commands.records import warn_if_open, workspace_in
from service.commands.showcase import Showcase, prepare
from service.commands.transport import check_transport
from service.processes.listening import listen
from service.processes.supervisor import FalseStart, Program, Supervisor
from service.settings import ServiceSettings, load_service_settings
from service.store.shared_files import problem_of_files
from service.store.tables import open_database
from workbench.cli.options import FILE, home_option
from workbench.cli.terminal import progress_bar, say
from workbench.errors import WorkbenchError, require_extra
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings, load_settings
from workbench.store.stored_files import open_files

_EXIT_SECONDS = 10.0  # that processes get to exit after their own time to finish work


@dataclass(frozen=True, slots=True)
class Served:
    """The options of `serve` that its processes depend on."""

    home: Home
    workers: int
    """HTTP processes"""
    jobs: bool
    """whether jobs are run here"""
    tls_cert: Path | None
    tls_key: Path | None
    behind_proxy: bool
    health_host: str = "127.0.0.1"
    health_port: int | None = None
    """for operators alone; None: they ask where all others do"""


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="0: any free one.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="HTTP processes.")
@click.option("--tls-cert", type=FILE, help="Certificate chain, PEM.")
@click.option("--tls-key", type=FILE, help="Its private key, PEM.")
@click.option("--behind-proxy", is_flag=True, help="A proxy in front ends TLS and says who calls (X-Real-IP).")
@click.option("--no-jobs", is_flag=True, help="Run no jobs here; `workbench worker` does, maybe elsewhere.")
@click.option(
    "--health-port",
    type=click.IntRange(0, 65_535),
    help="Answer /healthz, /readyz and /metrics there, and /metrics there alone; 0: any free port.",
)
@click.option("--health-host", default="127.0.0.1", show_default=True, help="Address for that port.")
@click.option("--demo", is_flag=True, help="Add the bundled catalog, a video and an account, and say what to try.")
@home_option
def command(host: str, port: int, demo: bool, no_jobs: bool, **served: Any) -> None:
    """Serve /v1 until SIGTERM, which lets what runs finish.

    Prints `listening on …` once requests are accepted. Any address but this machine's own needs TLS, or a proxy in
    front that has it.

    \b
    Example:
      workbench serve --port 8000
      workbench serve --host 0.0.0.0 --port 443 --workers 4 --tls-cert chain.pem --tls-key key.pem
      workbench serve --behind-proxy --health-port 9100
    """
    require_extra("service", "`workbench serve`")  # before any process starts: each of them would fail on its own
    wanted = Served(jobs=not no_jobs, **served)
    check_transport(host, wanted.tls_cert, wanted.tls_key, wanted.behind_proxy)
    shown = None
    if demo:
        say("preparing a video and the bundled tracks to try it on: a minute or two the first time, seconds after that")
        with progress_bar() as progress, workspace_in(wanted.home, progress=progress) as workspace:
            shown = prepare(workspace)
    serve(host, port, wanted, shown)


def serve(host: str, port: int, wanted: Served, shown: Showcase | None = None) -> None:
    """Bind, bring the database up to date, and run all processes until SIGTERM or SIGINT.

    The invitation of `shown` is printed once requests are accepted.
    """
    settings = load_service_settings()
    problem = _prepare(wanted.home, load_settings())
    if problem is not None:  # what is stored is still answered; /readyz says so too
        print(f"workbench: {problem}; no jobs are run here", file=sys.stderr, flush=True)
        wanted = replace(wanted, jobs=False)
    with ExitStack() as stack:
        listening = stack.enter_context(listen(host, port))
        health = None
        if wanted.health_port is not None:
            health = stack.enter_context(listen(wanted.health_host, wanted.health_port))
        run = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-")))
        counters = run / "metrics"
        counters.mkdir()
        environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(counters)}
        url = f"{'http' if wanted.tls_cert is None else 'https'}://{_address(listening)}"

        wakeup = os.pipe()  # both ends stay open here, for processes that replace others
        for end in wakeup:
            stack.callback(os.close, end)

        def announce() -> None:
            if health is not None:
                print(f"health on http://{_address(health)}", file=sys.stderr, flush=True)
            print(f"listening on {url}", flush=True)
            if shown is not None:
                print(shown.invitation(url), flush=True)

        def stop_listening() -> None:
            # Held here, they would take connections that are never accepted, until the last process has ended.
            for one in (listening, health):
                if one is not None:
                    one.close()

        supervisor = Supervisor(
            programs(wanted, settings, listening, run, wakeup, health),
            environment,
            on_ready=announce,
            drain_seconds=max(settings.http_drain_seconds, settings.job_drain_seconds) + _EXIT_SECONDS,
            on_stop=stop_listening,
        )
        try:
            supervisor.run()
        except FalseStart as error:
            raise WorkbenchError(str(error)) from error


def programs(
    wanted: Served,
    settings: ServiceSettings,
    listening: socket.socket,
    run: Path,
    wakeup: tuple[int, int],
    health: socket.socket | None = None,
) -> list[Program]:
    """The processes of this service: ranking and job processes, then HTTP processes.

    HTTP processes accept connections on `listening` and answer operators on `health`; `run` is a folder for the sockets
    of ranking processes. HTTP processes wake the job process by the pipe `wakeup`, whose reading end is first.
    """
    whose = ["--home", str(wanted.home.root), "--parent", str(os.getpid())]
    working: list[Program] = []
    sockets = [run / f"ranking-{number}.sock" for number in range(settings.ranking_processes)]
    for number, path in enumerate(sockets):
        command = [sys.executable, "-m", "service.ranking.process", *whose, "--socket", str(path)]
        working.append(Program(f"ranking process {number}", command, rank=0, needed=False))
    if wanted.jobs:
        work = [sys.executable, "-m", "workbench", "worker", *whose, "--wakeup-fd", str(wakeup[0])]
        working.append(Program("job process", work, rank=1, pass_fds=wakeup[:1]))
    http = [sys.executable, "-m", "service.http_process", *whose, "--socket-fd", str(listening.fileno())]
    for path in sockets:
        http += ["--ranking-socket", str(path)]
    if wanted.tls_cert is not None:
        http += ["--tls-cert", str(wanted.tls_cert), "--tls-key", str(wanted.tls_key)]
    if wanted.behind_proxy:
        http.append("--behind-proxy")
    shared: tuple[int, ...] = (listening.fileno(),)
    if health is not None:
        http += ["--health-fd", str(health.fileno())]
        shared += (health.fileno(),)
    if wanted.jobs:
        http += ["--wakeup-fd", str(wakeup[1])]
        shared += (wakeup[1],)
    return working + [
        Program(f"HTTP process {number}", http, rank=1, pass_fds=shared) for number in range(wanted.workers)
    ]


def _prepare(home: Home, core: WorkbenchSettings) -> str | None:
    """Bring the tables up to date, before several processes open the database; returns the `problem_of_files`."""
    home.prepared()
    warn_if_open(home)
    database = open_database(home, core)
    try:
        return problem_of_files(open_files(home, core), database)
    finally:
        database.close()


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
