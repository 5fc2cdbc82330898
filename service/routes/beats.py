"""`/v1/beats`: the beat and downbeat grid of a sound file."""

from __future__ import annotations

from sanic import Blueprint, HTTPResponse, Request

from service.answers import beats as answers
from service.routes.admission import RoutePolicy, body_of, query_of
from service.routes.http import answer_of, path_id, reading, respond
from service.schemas.requests import BeatsRequest, NoQuery

blueprint = Blueprint("beats", url_prefix="/v1/beats")


@blueprint.post("", ctx_policy=RoutePolicy(body="json", idempotency=True))
async def submit(request: Request) -> HTTPResponse:
    """Answer `POST /v1/beats`: the job that maps the beats."""

    def asked() -> BeatsRequest:
        body = body_of(request, BeatsRequest)
        query_of(request, NoQuery)
        return body

    return respond(await answer_of(request, asked, answers.submit))


@reading(blueprint, "/<job_id:str>", RoutePolicy())
async def poll(request: Request, job_id: str) -> HTTPResponse:
    """Answer `GET /v1/beats/{job_id}`: the state of the job, or its grid."""

    def asked() -> str:
        query_of(request, NoQuery)
        return path_id(job_id, "job")

    return respond(await answer_of(request, asked, answers.poll))
