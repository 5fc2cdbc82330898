"""`/v1/align`: place a track under a video."""

from __future__ import annotations

from sanic import Blueprint, HTTPResponse, Request

from service.answers import align as answers
from service.routes.admission import RoutePolicy, body_of, query_of
from service.routes.http import answer_of, path_id, reading, respond, respond_soon
from service.schemas.requests import AlignRequest, NoQuery

blueprint = Blueprint("align", url_prefix="/v1/align")


@blueprint.post("", ctx_policy=RoutePolicy(body="json", idempotency=True))
async def submit(request: Request) -> HTTPResponse:
    """Answer `POST /v1/align`: stored placements, or the job that finds them."""

    def asked() -> AlignRequest:
        body = body_of(request, AlignRequest)
        query_of(request, NoQuery)
        return body

    answer = await answer_of(request, asked, answers.submit)
    return await respond_soon(request, answer, lambda connection, job_id: answers.result(connection, asked(), job_id))


@reading(blueprint, "/jobs/<job_id:str>", RoutePolicy())
async def poll(request: Request, job_id: str) -> HTTPResponse:
    """Answer `GET /v1/align/jobs/{job_id}`: the state of the job, or its result."""

    def asked() -> str:
        query_of(request, NoQuery)
        return path_id(job_id, "job")

    return respond(await answer_of(request, asked, answers.poll))
