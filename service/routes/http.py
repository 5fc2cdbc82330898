"""From a Sanic request to a call, and from an answer to a response; shared by all routes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from functools import cache, partial
from typing import Any, TypeVar, cast
from urllib.parse import unquote_to_bytes

from sanic import Blueprint, HTTPResponse, Request
from sanic.response import json
from sqlalchemy import Connection

from service.answers.answer import Answer, Call
from service.errors import Problem, not_found
from service.routes.admission import READING, RoutePolicy, admitted, check_headers, lone_body_of, query_of
from service.routes.headers import add_retry_after
from service.schemas.requests import NoQuery
from workbench.results.body import Body

_PATIENCE_SECONDS = 2.0  # that a call waits for a job with little left to do
_LOOK_SECONDS = 0.05  # between looks at the job
A = TypeVar("A")
B = TypeVar("B", bound=Body)
H = TypeVar("H", bound=Callable[..., Coroutine[Any, Any, HTTPResponse]])
T = TypeVar("T")

_PARAMETER = re.compile(r"<(\w+)(?::\w+)?>")
_HOST = re.compile(r"([\w.-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?", re.ASCII)


def reading(blueprint: Blueprint, path: str, policy: RoutePolicy, name: str | None = None) -> Callable[[H], H]:
    """Register a handler for GET and HEAD; the server leaves out the body of HEAD answers."""
    return cast(
        Callable[[H], H], blueprint.route(path, methods=READING, ignore_body=True, ctx_policy=policy, name=name)
    )


async def answer_of(request: Request, check: Callable[[], A], work: Callable[[Connection, Call, A], T]) -> T:
    """Admit a request and answer it, in one transaction; `work` gets what `check` makes of body, query and path."""
    assert request.route is not None
    policy = request.route.ctx.policy

    def checked() -> A:
        check_headers(request, policy)
        return check()

    return await admitted(request, checked, lambda connection, asked: work(connection, call_of(request), asked))


def call_of(request: Request) -> Call:
    """The call of a request."""
    context = request.app.ctx
    route = request.route
    assert route is not None
    return Call(
        caller=request.ctx.admission.caller,
        request_id=str(request.id),
        endpoint=_endpoint(request.method, route.path),
        settings=context.settings,
        idempotency_key=request.ctx.idempotency_key,
        base_url=partial(base_url, request),
        traceparent=request.trace.traceparent,  # type: ignore[attr-defined]
    )


@cache
def _endpoint(method: str, path: str) -> str:
    """The endpoint as the ledger writes it: `POST /v1/videos/{video_id}/ingest`."""
    return f"{method} /" + _PARAMETER.sub(r"{\1}", path)


def base_url(request: Request) -> str:
    """Scheme and host of this service for callers: the setting, or the address that the request was sent to."""
    public = request.app.ctx.settings.public_url
    if public:
        return str(public).rstrip("/")
    host = request.host.strip()
    if _HOST.fullmatch(host) is None:
        raise Problem(400, "the Host header is missing or is no host: links of the answer would lead nowhere")
    # A proxy that does not say how it was called ends TLS: that is what `--behind-proxy` promises.
    unsaid = request.app.ctx.config.behind_proxy and "proto" not in request.forwarded
    return f"{'https' if unsaid else request.scheme}://{host}"


def path_id(raw: str, what: str) -> str:
    """Decode an id in a path; raises Problem, 404, for bytes that no id has: not UTF-8, or NUL."""
    try:
        decoded = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise not_found(what) from None
    if "\0" in decoded:
        raise not_found(what)
    return decoded


def respond(answer: Answer) -> HTTPResponse:
    """The response with an answer; its body has no NaN or infinity, as `Body` refuses both."""
    headers: dict[str, str] = {}
    add_retry_after(headers, answer.status)
    return json(answer.body, answer.status, headers)


async def respond_soon(request: Request, answer: Answer) -> HTTPResponse:
    """The response with an answer; one whose job has little left to do waits up to 2 s for the result."""
    if answer.soon is None:
        return respond(answer)
    end = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
    while asyncio.get_running_loop().time() < end:
        await asyncio.sleep(_LOOK_SECONDS)
        found = await request.app.ctx.transactions.read(answer.soon)
        if found is not None:
            return respond(found)
    return respond(answer)


def submit_and_poll(
    family: str,
    model: type[B],
    submit: Callable[[Connection, Call, B], Answer],
    poll: Callable[[Connection, Call, str], Answer],
    poll_path: str = "/jobs/<job_id:str>",
) -> Blueprint:
    """`POST /v1/FAMILY`, which answers at once or with a job, and the poll of that job."""
    blueprint = Blueprint(family, url_prefix=f"/v1/{family}")

    @blueprint.post("", ctx_policy=RoutePolicy(body="json", idempotency=True), name="submit")
    async def answer_submit(request: Request) -> HTTPResponse:
        return await respond_soon(request, await answer_of(request, partial(lone_body_of, request, model), submit))

    @reading(blueprint, poll_path, RoutePolicy(), name="poll")
    async def answer_poll(request: Request, job_id: str) -> HTTPResponse:
        def read_inputs() -> str:
            query_of(request, NoQuery)
            return path_id(job_id, "job")

        return respond(await answer_of(request, read_inputs, poll))

    return blueprint
