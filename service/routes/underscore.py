"""`/v1/underscore`: rank the catalog against a script."""

from __future__ import annotations

from sanic import Blueprint, HTTPResponse, Request
from sqlalchemy import Connection

from service.answers import underscore as answers
from service.answers.answer import Call
from service.money import funds
from service.routes.admission import RoutePolicy, body_of, query_of
from service.routes.http import answer_of, call_of, respond
from service.schemas.requests import ExpandQuery, UnderscoreRequest

blueprint = Blueprint("underscore", url_prefix="/v1/underscore")


@blueprint.post("", ctx_policy=RoutePolicy(body="json", idempotency=True))
async def submit(request: Request) -> HTTPResponse:
    """Answer `POST /v1/underscore`: the lane."""

    def read_inputs() -> tuple[UnderscoreRequest, ExpandQuery]:
        return body_of(request, UnderscoreRequest), query_of(request, ExpandQuery)

    def check(
        connection: Connection, call: Call, given: tuple[UnderscoreRequest, ExpandQuery]
    ) -> tuple[UnderscoreRequest, ExpandQuery]:
        funds.check(connection, call.caller)
        return given

    body, query = await answer_of(request, read_inputs, check)
    call, context = call_of(request), request.app.ctx
    lane = await context.ranking.rank(body.model_dump(mode="json"))
    return respond(await context.transactions.write(lambda connection: answers.answer(connection, call, query, lane)))
