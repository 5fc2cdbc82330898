"""`/v1/match`: rank the catalog against a video."""

from __future__ import annotations

from sanic import Blueprint, HTTPResponse, Request

from service.answers import match as answers
from service.routes.admission import RoutePolicy, body_of, query_of
from service.routes.http import answer_of, path_id, reading, respond
from service.schemas.requests import ExpandQuery, MatchPollQuery, MatchRequest

blueprint = Blueprint("match", url_prefix="/v1/match")


@blueprint.post("", ctx_policy=RoutePolicy(body="json", idempotency=True))
async def submit(request: Request) -> HTTPResponse:
    """Answer `POST /v1/match`: a stored lane, the job that ranks, or the ingest that must come first."""

    def read_inputs() -> tuple[MatchRequest, ExpandQuery]:
        return body_of(request, MatchRequest), query_of(request, ExpandQuery)

    return respond(
        await answer_of(request, read_inputs, lambda connection, call, given: answers.submit(connection, call, *given))
    )


@reading(blueprint, "/jobs/<job_id:str>", RoutePolicy())
async def poll(request: Request, job_id: str) -> HTTPResponse:
    """Answer `GET /v1/match/jobs/{job_id}`: the state of the job, or its lane."""

    def read_inputs() -> tuple[MatchPollQuery, str]:
        return query_of(request, MatchPollQuery), path_id(job_id, "job")

    return respond(
        await answer_of(request, read_inputs, lambda connection, call, given: answers.poll(connection, call, *given))
    )
