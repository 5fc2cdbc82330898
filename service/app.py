"""The Sanic application, created by `create_app`. It answers from the database alone.

It imports no analysis code. `service.routes.admission` checks requests, `service.answers` answers them in one
transaction, and this module turns every exception into the Error body. Every response has an `X-Request-Id`, and with
a valid key the rate headers; every response continues the caller's trace (`service.telemetry.traces`).
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import structlog
from pydantic_core import to_json
from sanic import HTTPResponse, Request, Sanic
from sanic.config import Config
from sanic.exceptions import (
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestCancelled,
    RequestTimeout,
    SanicException,
    ServiceUnavailable,
)
from sanic.handlers import ErrorHandler
from sanic.http import Http
from sanic.response import BaseHTTPResponse, json
from ulid import ULID

from service.errors import Problem, error_body, not_found, unavailable
from service.processes.health_port import answering
from service.processes.wakeup import WakeupPipe
from service.ranking.client import RankingClient
from service.routes import align, beats, docs, loop, match, operations, previews, underscore, uploads, videos, webhooks
from service.routes.admission import BODY_LIMIT, RoutePolicy, admit_unread, identify
from service.routes.headers import add_rate_headers, add_retry_after, add_security_headers
from service.routes.operations import Readiness, answer_operators
from service.settings import ServiceSettings
from service.store.api_keys import Admission, LocalWindows
from service.store.tables import open_database
from service.store.transactions import Transactions
from service.telemetry import metrics
from service.telemetry.spans import open_spans
from service.telemetry.traces import HEADER as TRACEPARENT
from service.telemetry.traces import Trace, continue_trace
from workbench.errors import StoreError
from workbench.store.clock import wall_seconds
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings
from workbench.store.stored_files import open_files

NAME = "barline"
_HEADER_SECONDS = 20  # without a byte, while the headers of a request arrive
_SILENCE_SECONDS = 60  # without a byte in or out, from the headers to the end of the response
_TRANSFERS = 8  # to the store at a time, in threads of their own: they take as long as the store takes
_OPEN = RoutePolicy(api_key=False)  # of routes that state none
_CALLER_GONE = 499  # as nginx logs it
_STORED = frozenset(("loop", "align", "match"))  # families whose answers are stored
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"))

log = structlog.get_logger("service")


@dataclass(frozen=True, slots=True)
class AppConfig:
    """The configuration of an HTTP process."""

    home: Home
    settings: ServiceSettings
    core: WorkbenchSettings
    ranking_sockets: tuple[Path, ...] = ()
    """Unix sockets of the resident ranking processes"""
    wakeup: WakeupPipe = field(default_factory=lambda: WakeupPipe(None), compare=False)
    """notified when a job has been accepted"""
    behind_proxy: bool = False
    """whether a proxy in front sends the caller's and the public address (`X-Real-IP`, `X-Forwarded-…`)"""
    health: socket.socket | None = field(default=None, compare=False)
    """listens for operators alone; None: they ask where all others do"""
    on_ready: Any = field(default=None, compare=False)
    """called without arguments once requests are accepted; None: nothing is called"""


class ServiceRequest(Request):
    """A request whose id the service generates; an id sent by the client is ignored."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.ctx.began, self.ctx.began_at = time.perf_counter(), wall_seconds()

    async def receive_body(self) -> None:
        """Read the body, once the request is admitted; called after the router has found the route."""
        await admit_unread(self, getattr(self.route.ctx, "policy", _OPEN))  # type: ignore[union-attr]
        await super().receive_body()  # type: ignore[no-untyped-call]

    @property
    def id(self) -> str:
        """`req_` and a ULID."""
        return cast(str, self.ctx.request_id)

    @property
    def trace(self) -> Trace:
        """Our place in the trace that the caller sends along, or in a new one."""
        trace: Trace | None = self.ctx.trace
        if trace is None:
            headers, spans = self.headers, self.app.ctx.spans
            found = headers.getall(TRACEPARENT, []) if headers else []
            trace = self.ctx.trace = continue_trace(found, 0.0 if spans is None else spans.share)
        return trace

    @staticmethod
    def make_context() -> SimpleNamespace:
        """The context of a new request, without a caller yet."""
        return SimpleNamespace(
            request_id=f"req_{ULID()}",
            admission=None,
            idempotency_key=None,
            trace=None,
        )


class _Errors(ErrorHandler):
    """Turns every exception into the Error body. Only `default` is overridden: `response` would disable the rest."""

    def default(self, request: Any, exception: Exception) -> Any:
        """The response to an exception, as a coroutine that Sanic awaits."""
        return _error_response(request, exception)


def create_app(config: AppConfig) -> Sanic[Any, Any]:
    """Create the application, which does not listen yet; it opens the database when it starts."""
    app: Sanic[Any, Any] = Sanic(
        NAME,
        config=_sanic_config(config),
        error_handler=_Errors(),
        request_class=ServiceRequest,
        configure_logging=False,
        strict_slashes=True,
        dumps=to_json,
    )
    app.ctx.config, app.ctx.settings = config, config.settings
    app.ctx.ending = False
    app.ctx.local_windows = LocalWindows()
    app.ctx.spans = open_spans(config.settings, "http")
    for family in (loop, align, match, underscore, beats, videos, uploads, webhooks, previews, operations, docs):
        app.blueprint(family.blueprint)
    app.register_listener(_open, "before_server_start")
    app.register_listener(_announce, "after_server_start")
    app.register_listener(_close, "after_server_stop")
    app.register_middleware(_finish, "response")
    return app


def _sanic_config(config: AppConfig) -> Config:
    values = Config(env_prefix=None)
    values.update(
        {
            "REQUEST_MAX_SIZE": BODY_LIMIT,
            "REQUEST_TIMEOUT": _HEADER_SECONDS,
            "RESPONSE_TIMEOUT": _SILENCE_SECONDS,
            "GRACEFUL_SHUTDOWN_TIMEOUT": config.settings.http_drain_seconds,
            "AUTO_EXTEND": False,
            "ACCESS_LOG": False,
            "MOTD": False,
            "OAS": False,
        }
    )
    if config.behind_proxy:
        values.update({"PROXIES_COUNT": 1, "REAL_IP_HEADER": "x-real-ip"})
    return values


async def _open(app: Sanic[Any, Any]) -> None:
    config: AppConfig = app.ctx.config
    app.ctx.transactions = Transactions(open_database(config.home, config.core), config.wakeup)
    app.ctx.files = open_files(config.home, config.core)
    app.ctx.transfers = ThreadPoolExecutor(_TRANSFERS, thread_name_prefix="transfer")
    app.ctx.readiness = Readiness()
    app.ctx.ranking = RankingClient(config.ranking_sockets, config.settings.ranking_queue)
    app.ctx.for_operators = ExitStack()


async def _announce(app: Sanic[Any, Any]) -> None:
    health = app.ctx.config.health
    if health is not None:
        answer = partial(answer_operators, app, asyncio.get_running_loop())
        app.ctx.for_operators.enter_context(answering(health, answer))
    if app.ctx.config.on_ready is not None:
        app.ctx.config.on_ready()


async def _close(app: Sanic[Any, Any]) -> None:
    await asyncio.to_thread(app.ctx.for_operators.close)  # whose threads wait for this loop
    app.ctx.transfers.shutdown(wait=False, cancel_futures=True)
    await app.ctx.transactions.drain()
    app.ctx.transactions.close()
    if app.ctx.spans is not None:
        await asyncio.to_thread(app.ctx.spans.close)


async def _finish(request: ServiceRequest, response: BaseHTTPResponse) -> None:
    """Add the headers that every response has, count the request and log it."""
    context, trace, request_id = request.ctx, request.trace, request.id
    response.headers["X-Request-Id"] = request_id
    response.headers[TRACEPARENT] = trace.traceparent
    add_security_headers(response.headers)
    if context.admission is None and _is_under_v1(request):
        await _identify_uncounted(request)
    _announce_close(request)
    admission: Admission | None = context.admission
    rate = None if admission is None else admission.rate
    caller = None if admission is None else admission.caller
    if rate is not None:
        add_rate_headers(response.headers, rate)
    seconds = time.perf_counter() - context.began
    method = request.method if request.method in _METHODS else "other"
    family = "none" if request.route is None else request.route.name.split(".")[1]  # the blueprint's
    metrics.REQUESTS.labels(family, method, str(response.status)).inc()
    metrics.LATENCY.labels(family).observe(seconds)
    if method == "POST" and family in _STORED and response.status in (200, 202):
        metrics.ANSWERS.labels(family, "stored" if response.status == 200 else "work").inc()
    if request.app.ctx.spans is not None and family != "operations":
        _send_span(request, method, response.status, seconds)
    log.info(
        "answered",
        request_id=request_id,
        trace_id=trace.trace_id,
        span_id=trace.span_id,
        method=request.method,
        path=request.path,
        status=response.status,
        account=None if caller is None else caller.account,
        ms=round(1000 * seconds, 2),
    )


def _send_span(request: ServiceRequest, method: str, status: int, seconds: float) -> None:
    """Send the span of a request; it names the route and not the path, which holds ids and signatures."""
    route = None if request.route is None else f"/{request.route.path}"
    began_at = request.ctx.began_at
    attributes = {
        "http.request.method": method,
        "http.response.status_code": status,
        "workbench.request_id": request.id,
    }
    request.app.ctx.spans.send(
        method if route is None else f"{method} {route}",
        request.trace,
        began_at,
        began_at + seconds,
        kind="server",
        attributes=attributes if route is None else attributes | {"http.route": route},
        failed=status >= 500,
    )


def _announce_close(request: Request) -> None:
    """Close the connection after the response if the unread rest of the body is too long to be read and discarded.

    While the process ends, close every one: it waits until all are closed, and a caller may keep one for long.
    """
    stream = request.stream
    if not isinstance(stream, Http):
        return
    if request.app.ctx.ending:
        stream.keep_alive = False
    elif stream.request_body:
        chunked = "transfer-encoding" in request.headers
        if chunked or (stream.request_bytes_left or 0) > BODY_LIMIT:
            stream.keep_alive = False


async def _identify_uncounted(request: Request) -> None:
    """Find the caller of a request whose route needs no key or was not found; it does not count for the rate limit."""
    try:
        await identify(request)
    except StoreError as error:
        log.warning("store", request_id=request.id, problem=str(error))


async def _error_response(request: ServiceRequest, exception: Exception) -> HTTPResponse:
    problem = _problem(request, exception)
    route = getattr(request, "route", None)
    if problem.status in (413, 415) and route is not None and getattr(route.ctx, "policy", RoutePolicy()).plain_400:
        problem = Problem(400, problem.message, headers=problem.headers)
    body = error_body(problem.status, problem.message, str(request.id), problem.details)
    headers = {**problem.headers, "X-Request-Id": str(request.id), TRACEPARENT: request.trace.traceparent}
    add_retry_after(headers, problem.status)
    add_security_headers(headers)  # here too, because response middleware does not run for a malformed request
    return json(body, problem.status, headers)


def _problem(request: ServiceRequest, exception: Exception) -> Problem:
    """The problem that the caller is shown for an exception."""
    if isinstance(exception, Problem):
        return exception
    if isinstance(exception, RequestCancelled):  # this answer is not read; the status is for log and counters
        return Problem(_CALLER_GONE, "the caller went away before the answer")
    if isinstance(exception, asyncio.CancelledError):
        return unavailable("the service is being stopped; call again", retry_after=5)
    if isinstance(exception, StoreError):
        log.error("store", request_id=request.id, trace_id=request.trace.trace_id, problem=str(exception))
        return unavailable("the database or the files cannot be used at the moment; call again", retry_after=5)
    # The router compares the method before it notices a trailing slash, which none of our paths has.
    if isinstance(exception, NotFound) or (isinstance(exception, MethodNotAllowed) and request.path.endswith("/")):
        return not_found("path")
    if isinstance(exception, SanicException):
        return _problem_of_http(request, exception)
    trace_id = request.trace.trace_id
    log.error("failed", request_id=request.id, trace_id=trace_id, path=request.path, exc_info=exception)
    return Problem(500, "an error of ours; it was logged under this request id")


def _problem_of_http(request: ServiceRequest, exception: SanicException) -> Problem:
    """The problem of a request that fails before it reaches a handler."""
    status = exception.status_code
    headers: Mapping[str, str] = getattr(exception, "headers", None) or {}
    if isinstance(exception, PayloadTooLarge):
        # The headers come first, and the route is found by them.
        message = "the headers are too long" if request.route is None else f"the body has more than {BODY_LIMIT} bytes"
    elif isinstance(exception, MethodNotAllowed):
        message = f"this path takes {' and '.join(exception.allowed_methods or ())}, not {request.method}"
    elif isinstance(exception, RequestTimeout) or (isinstance(exception, ServiceUnavailable) and _give_up(request)):
        status, message = 408, "the request did not arrive in time"
    elif isinstance(exception, ServiceUnavailable):
        message = "the answer took too long; call again"
    elif status >= 500:
        message = "an error of ours"
    elif request.route is None and str(exception) == "Bad Request":
        message = "this cannot be read as a request of HTTP/1.1"
    else:
        message = "; ".join(str(exception).split("\n")) or "the request cannot be answered"
    return Problem(status, message, headers=headers)


def _give_up(request: ServiceRequest) -> bool:
    """Wait no longer for the rest of a body, if there is one; whether there was.

    After its answer Sanic reads what is left of a body. Of one that stalled it would do so for ever: nothing ends a
    connection any more whose time was up once.
    """
    stream = request.stream
    if not isinstance(stream, Http) or not stream.request_body:
        return False
    stream.request_body = None
    return True


def _is_under_v1(request: Request) -> bool:
    return request.path == "/v1" or request.path.startswith("/v1/")
