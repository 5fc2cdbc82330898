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
    """Answer `POST /v1/match`: a stored lane, the job that ranks, or the ingest that must come first.

    Parameters
    ----------
    request : admitted
    """
    body, query = body_of(request, MatchRequest), query_of(request, ExpandQuery)
    call = call_of(request)
    write = request.app.ctx.transactions.write
    return respond(await write(lambda connection: answers.submit(connection, call, body, query)))


@blueprint.get("/jobs/<job_id:str>", ctx_policy=RoutePolicy())
async def poll(request: Request, job_id: str) -> HTTPResponse:
    """Answer `GET /v1/match/jobs/{job_id}`: the state of the job, or its lane.

    Parameters
    ----------
    request : admitted
    job_id : of the path, still percent-encoded
    """
    query = query_of(request, MatchPollQuery)
    call, job_id = call_of(request), path_id(job_id, "job")
    # a transaction that writes, because the secret of preview links may have to be created
    write = request.app.ctx.transactions.write
    return respond(await write(lambda connection: answers.poll(connection, call, job_id, query)))
