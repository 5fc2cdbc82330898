"""The checks that a request passes, in order.

    1. path and method             404, 405             the router
    2. API key                     401                  `admitted`
    3. rate limit                  429                  `admitted`
    4. headers and JSON            400, 413, 415        `check_headers`, `object_of`; the length by Sanic
    5. fields                      422                  `body_of`, `query_of`
    6. video, track or job         404, 403, 422, 202   `service.answers`
    7. payment                     402                  `service.money.funds`, before the work

The `RoutePolicy` of a route selects the checks that it needs. All that touches the database, 2, 3, 6, 7 and
the answer, is one transaction. So the body, which is short, is read first. A request whose body may be too long is
admitted before that (`admit_unread`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NoReturn, TypeVar, cast

import structlog
from pydantic import ValidationError
from sanic import Request
from sqlalchemy import Connection

from service.errors import Problem
from service.schemas.fields import MAX_IDEMPOTENCY_KEY
from service.schemas.requests import NoQuery
from service.schemas.wording import field_details
from service.store import api_keys
from service.store.api_keys import Admission
from workbench.errors import StoreError
from workbench.results.body import Body
from workbench.store.clock import wall_seconds

BODY_LIMIT = 8191
"""bytes of the longest JSON body that is accepted"""
READING = frozenset(("GET", "HEAD"))
"""methods of the routes that only read; to HEAD the server sends the headers of the answer to GET, without its body"""
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)

log = structlog.get_logger("service")

A = TypeVar("A")
B = TypeVar("B", bound=Body)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """The checks of a route's requests before its handler runs."""

    api_key: bool = True
    """whether an API key is needed"""
    body: Literal["none", "json", "stream"] = "none"
    idempotency: bool = False
    """whether an Idempotency-Key is read"""
    plain_400: bool = False
    """whether a wrong media type or a body that is too long answers 400 instead of 415 or 413"""


async def admit_unread(request: Request, policy: RoutePolicy) -> None:
    """Check a request whose body may be too long to be read; `admitted` checks all others, with their answer."""
    if policy.api_key and not _has_short_body(request):
        await admitted(request, lambda: check_headers(request, policy), lambda _, __: None, reads=True)


async def admitted(
    request: Request, check: Callable[[], A], work: Callable[[Connection, A], T], *, reads: bool = False
) -> T:
    """Admit a request and answer it, in one transaction that writes: its key, its count, its answer.

    What `check` returns is given to `work`. A request with a valid key is counted once, even if `check` refuses it;
    problems of key and rate are reported first. If the database cannot be written to, `work` gets a connection that
    only reads, for GET and HEAD and where `reads` says that it writes nothing.
    """
    try:
        asked = check()
    except Problem:
        await _admit(request, lambda _: None, reads=True)
        raise
    return await _admit(request, lambda connection: work(connection, asked), reads=reads or request.method in READING)


async def _admit(request: Request, work: Callable[[Connection], T], *, reads: bool) -> T:
    """Count a request and run its work, if its key is valid and not over its rate; else raise Problem: 401, 429."""
    context, transactions = request.ctx, request.app.ctx.transactions
    secret = _secret(request)
    if secret is None:
        raise _unauthenticated()
    if context.admission is None:
        context.admission = Admission(secret, request.app.ctx.settings.rate_limit_per_minute)
    else:  # it was counted before its body was read
        context.admission.counts = False
    admission: Admission = context.admission
    try:
        answered = await transactions.write(work, lane=secret, admission=admission)
    except StoreError as error:
        if not reads:
            raise
        # What costs nothing is still answered, or refused, from a database that cannot be written to.
        log.error("requests are counted by this process alone", problem=str(error))
        answered = await transactions.read(partial(_work_uncounted, request, work))
    if admission.caller is None:
        raise _unauthenticated()
    assert admission.rate is not None
    if admission.rate.exceeded:
        wait = admission.rate.retry_after
        message = f"more than {admission.rate.limit} requests a minute; wait {wait} s"
        raise Problem(429, message, headers={"Retry-After": str(wait)})
    return cast(T, answered)


def _work_uncounted(request: Request, work: Callable[[Connection], T], connection: Connection) -> T | None:
    """Count a request in this process alone, and run its work if it is admitted."""
    admission: Admission = request.ctx.admission
    admission.caller = api_keys.find_caller(connection, admission.secret)
    if admission.caller is not None and admission.counts:
        now, key_id = wall_seconds(), admission.caller.key_id
        stored = api_keys.get_rate(connection, key_id, admission.limit, now)
        admission.rate = request.app.ctx.local_windows.count(key_id, stored, now)
    return work(connection) if admission.is_admitted else None


async def identify(request: Request) -> None:
    """Find the caller of a request that does not count, and the state of its rate window; nothing without a key."""
    secret = _secret(request)
    if secret is None:
        return
    admission = Admission(secret, request.app.ctx.settings.rate_limit_per_minute, counts=False)

    def find(connection: Connection) -> None:
        admission.caller = api_keys.find_caller(connection, secret)
        if admission.caller is not None:
            admission.rate = api_keys.get_rate(connection, admission.caller.key_id, admission.limit, wall_seconds())

    await request.app.ctx.transactions.read(find)
    request.ctx.admission = admission


def _unauthenticated() -> Problem:
    return Problem(401, "the API key is missing, invalid, expired or revoked", headers={"WWW-Authenticate": "Bearer"})


def _has_short_body(request: Request) -> bool:
    length = request.headers.get("content-length")
    return "transfer-encoding" not in request.headers and (length is None or int(length) <= BODY_LIMIT)


def check_headers(request: Request, policy: RoutePolicy) -> None:
    """Check the media type of the body, and the Idempotency-Key, which goes into the request's context."""
    if policy.body == "json":
        media_type = (request.headers.get("content-type") or "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise Problem(400 if policy.plain_400 else 415, "send the body as Content-Type: application/json")
    if policy.idempotency:
        request.ctx.idempotency_key = _idempotency_key(request)


def _secret(request: Request) -> str | None:
    """The key of a request; None if it carries two that differ."""
    found = {value.strip() for value in request.headers.getall("x-api-key", [])}
    for value in request.headers.getall("authorization", []):
        scheme, _, token = value.partition(" ")
        if scheme.lower() == "bearer":
            found.add(token.strip())
    found.discard("")  # a header without a value says nothing
    return found.pop() if len(found) == 1 else None


def _idempotency_key(request: Request) -> str | None:
    values = request.headers.getall("idempotency-key", [])
    if not values:
        return None
    value = str(values[0])
    if len(values) > 1 or not 1 <= len(value) <= MAX_IDEMPOTENCY_KEY or not all(" " <= c <= "~" for c in value):
        raise Problem(400, f"Idempotency-Key must be one of 1 to {MAX_IDEMPOTENCY_KEY} printable ASCII characters")
    return value


def body_of(request: Request, model: type[B]) -> B:
    """The JSON body of a request; Problem, 422, if a field is missing, unknown or invalid."""
    return _validated(model, object_of(request))


def lone_body_of(request: Request, model: type[B]) -> B:
    """The JSON body of a request that takes no query parameters; raises Problem as `body_of` and `query_of`."""
    body = body_of(request, model)
    query_of(request, NoQuery)
    return body


def object_of(request: Request) -> dict[str, Any]:
    """The JSON object that is the body of a request; NaN and infinity, which Python would accept, are not JSON."""
    try:
        given = json.loads(request.body.decode("utf-8"), parse_constant=_refuse_constant, parse_int=_integer)
    except (ValueError, RecursionError):
        raise Problem(400, "the body is not JSON") from None
    if not isinstance(given, dict):
        raise Problem(400, "the body must be a JSON object")
    return given


def query_of(request: Request, model: type[B]) -> B:
    """The query parameters of a request; raises Problem, 422, if one is unknown, given twice or invalid."""
    given: dict[str, Any] = {}
    for name, value in request.get_query_args(keep_blank_values=True):
        if name in given:
            raise _unprocessable([{"field": name, "message": "given twice", "type": "duplicate"}])
        given[name] = _typed(value)
    return _validated(model, given)


def _typed(value: str) -> Any:
    """The value of a query parameter with its type in JSON: true, false, a plain integer, or text."""
    if value in ("true", "false"):
        return value == "true"
    return int(value) if _INTEGER.fullmatch(value) else value


def _validated(model: type[B], given: dict[str, Any]) -> B:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise problem_of(error) from None


def problem_of(error: ValidationError) -> Problem:
    """The 422 that lists the fault of each field."""
    return _unprocessable(field_details(error))


def _unprocessable(details: list[dict[str, str]]) -> Problem:
    first = details[0]
    return Problem(422, f"{first['field']}: {first['message']}", details=details)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _integer(digits: str) -> float:
    """An integer; where Python converts no number of so many digits, one that no field takes either."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)
