"""One HTTP process of the service: a Sanic server on a socket that the supervisor has bound.

The supervisor holds the socket open until it ends itself, so connections are not refused while a process is replaced.
Prints `ready` once it accepts requests.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import ssl
import sys
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from sanic import Sanic
from sanic.http.tls.context import create_context

from service.app import AppConfig, create_app
from service.processes.certificates import follow_files
from service.processes.lifelines import die_with
from service.processes.wakeup import WakeupPipe
from service.settings import load_service_settings
from service.telemetry.logs import log_start, log_to_stderr
from workbench.store.home import Home
from workbench.store.settings import load_settings

_AGAIN_SECONDS = 0.05

log = structlog.get_logger("service")


def main() -> None:
    """Entry point: `python -m service.http_process --home DIR --socket-fd N --parent PID …`."""
    given = _arguments()
    die_with(given.parent, sys.stdin.fileno())
    core = load_settings()
    log_to_stderr(core.log_level)
    home = Home(given.home)
    app = create_app(
        AppConfig(
            home=home,
            settings=load_service_settings(),
            core=core,
            ranking_sockets=tuple(given.ranking_socket),
            wakeup=WakeupPipe(given.wakeup_fd),
            behind_proxy=given.behind_proxy,
            health=None if given.health_fd is None else socket.socket(fileno=given.health_fd),
            on_ready=partial(_announce, home),
        )
    )
    app.register_listener(_end_on_signals, "after_server_start")
    tls = _tls(given.tls_cert, given.tls_key) if given.tls_cert else None
    app.prepare(sock=socket.socket(fileno=given.socket_fd), ssl=tls, single_process=True, access_log=False, motd=False)
    type(app).serve_single(app)


def _tls(chain: Path, key: Path) -> ssl.SSLContext:
    make = partial(create_context, str(chain), str(key))
    context = make()
    follow_files(context, chain, key, make, lambda problem: log.error("certificate not renewed", problem=problem))
    return context


async def _end_on_signals(app: Sanic[Any, Any]) -> None:
    # Sanic's own handlers stop the loop at once. While it is still starting, that stop is forgotten as soon as the
    # loop runs for good, and the process would serve until it is killed.
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, _end, app)


def _end(app: Sanic[Any, Any]) -> None:
    if not app.ctx.ending:
        log.info("ending", process="http")
    app.ctx.ending = True
    if app.state.is_running:
        app.stop(terminate=False)
    else:
        asyncio.get_running_loop().call_later(_AGAIN_SECONDS, _end, app)


def _announce(home: Home) -> None:
    log_start("http", home.root)
    print("ready", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--ranking-socket", type=Path, action="append", default=[])
    parser.add_argument("--wakeup-fd", type=int)
    parser.add_argument("--health-fd", type=int)
    parser.add_argument("--behind-proxy", action="store_true")
    parser.add_argument("--tls-cert", type=Path)
    parser.add_argument("--tls-key", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
