"""`/healthz`, `/readyz`, `/metrics`: for operators of the service; outside `/v1` and without a key.

They are answered beside `/v1`, and on a port of their own where `serve --health-port` has one. Then `/metrics` is
answered there alone: behind a proxy, the port for callers cannot tell who asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import time
from concurrent.futures import CancelledError
from typing import Any

import structlog
from sanic import Blueprint, HTTPResponse, Request, Sanic
from sanic.response import json, raw
from sqlalchemy import Connection

from service.errors import not_found, unavailable
from service.jobs.health import problem_without_place
from service.jobs.queue_metrics import exposition
from service.processes.health_port import Answer, is_loopback_caller, json_answer
from service.routes.admission import RoutePolicy
from service.routes.http import reading
from service.store import jobs, shared_values, workers
from service.telemetry import metrics
from workbench.errors import StoreError
from workbench.store.database import now
from workbench.store.home import Home

log = structlog.get_logger("service")
blueprint = Blueprint("operations")
_OPEN = RoutePolicy(api_key=False)
_SHARED_SECONDS = 1.0  # that the result of a look counts
_PATIENCE_SECONDS = 3.0  # with a look; probes such as those of service/deploy wait for four or five
_OPERATORS_SECONDS = 4.0  # that the port for operators waits for the process
_PROBE_BYTES = 2**20  # as much as a small upload or analysis needs


@reading(blueprint, "/healthz", _OPEN)
async def healthz(request: Request) -> HTTPResponse:
    """Answer `GET /healthz`: 200 if this process answers."""
    return json({"status": "ok"})


@reading(blueprint, "/readyz", _OPEN)
async def readyz(request: Request) -> HTTPResponse:
    """Answer `GET /readyz`: 200 if database, files, workers of all queues and ranking processes can be used, else 503.

    Workers are those that `serve` has started; with `--no-jobs`, that none is alive anywhere is only logged. Database,
    home folder and store are written to, and what is written is synced: on a full disk all can be read. A home folder
    or store that is not that of the other processes is found too.
    """
    missing = await request.app.ctx.readiness.missing(request.app.ctx)
    if missing:
        raise unavailable("; ".join(missing), retry_after=5)
    return json({"status": "ready"})


class Readiness:
    """What an HTTP process misses, looked at once for all who ask within a second: it needs no key, and it writes."""

    def __init__(self) -> None:
        self._look: asyncio.Task[list[str]] | None = None
        self._found: list[str] = []
        self._until = -math.inf
        self._unserved: list[str] = []

    async def missing(self, context: Any) -> list[str]:
        """What is missing, in words; that something does not answer, if it is not known within seconds.

        A look goes on after those who asked for it have gone: there is one at a time, however long a store stalls.
        """
        if self._look is None and time.monotonic() <= self._until:
            return self._found
        look = self._look = self._look or asyncio.create_task(self._begin(context))
        done, _ = await asyncio.wait({look}, timeout=_PATIENCE_SECONDS)
        if not done:
            return [f"the database or the store of files has not answered for {_PATIENCE_SECONDS:.0f} s"]
        return look.result()

    async def _begin(self, context: Any) -> list[str]:
        try:
            unserved, self._found = await _missing(context)
            if unserved and unserved != self._unserved:
                log.warning("no worker", queues=unserved)
            self._unserved = unserved
        finally:
            self._look = None
        self._until = time.monotonic() + _SHARED_SECONDS
        return self._found


async def _missing(context: Any) -> tuple[list[str], list[str]]:
    """The queues without a worker, and the missing parts without which requests cannot be answered."""
    missing, unserved, runs_jobs = list[str](), list[str](), context.config.wakeup.enabled
    try:
        lease = context.settings.job_lease_seconds
        found = await context.transactions.read(lambda connection: workers.list_alive(connection, lease))
        served = {queue for worker in found if worker.is_here or not runs_jobs for queue in worker.queues}
        unserved = [queue for queue in jobs.QUEUES if queue not in served]
        missing += [f"no worker for {queue} jobs" for queue in unserved if runs_jobs]
    except StoreError:
        missing.append("the database does not answer")
    else:
        try:
            await context.transactions.write(
                lambda connection: shared_values.set_value(connection, shared_values.WRITTEN_AT, now())
            )
        except StoreError:
            missing.append("the database cannot be written to: is its disk full?")
    problem = await asyncio.to_thread(_problem_of_writing, context.config.home)
    if problem is not None:
        missing.append(f"the home folder cannot be written to ({problem})")
    problem = await asyncio.to_thread(problem_without_place, context.files, context.transactions.database)
    if problem is not None:
        missing.append(problem)
    if runs_jobs and context.config.ranking_sockets and not await context.ranking.is_alive():
        missing.append("no ranking process answers")
    return unserved, missing


@reading(blueprint, "/metrics", _OPEN)
async def show_metrics(request: Request) -> HTTPResponse:
    """Answer `GET /metrics`, for this machine alone unless the setting `metrics_public` says otherwise.

    Where operators have a port of their own, it is answered there.
    """
    context = request.app.ctx
    if context.config.health is not None or not (context.settings.metrics_public or _is_local(request)):
        raise not_found("path")
    return raw(await _exposition(context), content_type=metrics.CONTENT_TYPE)


async def _exposition(context: Any) -> bytes:
    def look(connection: Connection) -> tuple[list[jobs.Depth], list[workers.Worker]]:
        return jobs.depths(connection), workers.list_alive(connection, context.settings.job_lease_seconds)

    return exposition(*await context.transactions.read(look))


def answer_operators(app: Sanic[Any, Any], loop: asyncio.AbstractEventLoop, path: str, caller: str) -> Answer:
    """Answer a request on the port for operators, from another thread than the application's; 503 if that is stuck."""
    asked = asyncio.run_coroutine_threadsafe(_answer_operators(app.ctx, path, caller), loop)
    try:
        return asked.result(_OPERATORS_SECONDS)
    except (TimeoutError, CancelledError):
        asked.cancel()
        return json_answer(503, f"no answer for {_OPERATORS_SECONDS:.0f} s")
    except StoreError as error:
        log.error("no metrics", problem=str(error))
        return json_answer(503, "the database does not answer")


async def _answer_operators(context: Any, path: str, caller: str) -> Answer:
    if path == "/healthz":
        return json_answer(200, "ok")
    if path == "/readyz":
        missing = ["it is being stopped"] if context.ending else await context.readiness.missing(context)
        return json_answer(503, "; ".join(missing)) if missing else json_answer(200, "ready")
    if path == "/metrics" and (context.settings.metrics_public or is_loopback_caller(caller)):
        return 200, metrics.CONTENT_TYPE, await _exposition(context)
    return json_answer(404, "no such path")


def _is_local(request: Request) -> bool:
    """Whether the caller is on this machine; behind a proxy it never counts as such."""
    if request.app.ctx.config.behind_proxy or "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        return False
    return is_loopback_caller(request.ip)


def _problem_of_writing(home: Home) -> str | None:
    """Why the home folder cannot be written to; None if it can."""
    path = home.root / ".writable"
    try:
        with path.open("wb") as probe:  # with bytes in it: an empty file needs no space
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return str(error.strerror).lower()
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
    return None
