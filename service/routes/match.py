"""`/v1/match`: rank the catalog against a video."""

from __future__ import annotations

from sanic import Blueprint, HTTPResponse, Request

from service.admission import RoutePolicy, body_of, query_of
from service.answers import match as answers
from service.routes.http import call_of, path_id, respond
from service.schemas.requests import ExpandQuery, MatchPollQuery, MatchRequest

blueprint = Blueprint("match", url_prefix="/v1/match")


@blueprint.post("", ctx_policy=RoutePolicy(body="json", idempotency=True))
async def submit(request: Request) -> HTTPResponse:
    """A lane from the cache, the job that ranks, or the ingest that comes first."""
    body, query = body_of(request, MatchRequest), query_of(request, ExpandQuery)
    call = call_of(request)
    write = request.app.ctx.transactions.write
    return respond(await write(lambda connection: answers.submit(connection, call, body, query)))


@blueprint.get("/jobs/<job_id:str>", ctx_policy=RoutePolicy())
async def poll(request: Request, job_id: str) -> HTTPResponse:
    """How far the job is, or its lane."""
    query = query_of(request, MatchPollQuery)
    call, asked = call_of(request), path_id(job_id, "job")
    # previews are signed with a secret that may have to be made, hence written
    write = request.app.ctx.transactions.write
    return respond(await write(lambda connection: answers.poll(connection, call, asked, query)))
