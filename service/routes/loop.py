"""`/v1/loop`: cover a video with a track."""

from __future__ import annotations

from sanic import Blueprint, HTTPResponse, Request

from service.answers import loop as answers
from service.routes.admission import RoutePolicy, body_of, query_of
from service.routes.http import answer_of, path_id, reading, respond, respond_soon
from service.schemas.requests import LoopRequest, NoQuery

blueprint = Blueprint("loop", url_prefix="/v1/loop")


@blueprint.post("", ctx_policy=RoutePolicy(body="json", idempotency=True))
async def submit(request: Request) -> HTTPResponse:
    """Answer `POST /v1/loop`: a stored plan, or the job that makes one."""

    def asked() -> LoopRequest:
        body = body_of(request, LoopRequest)
        query_of(request, NoQuery)
        return body

    answer = await answer_of(request, asked, answers.submit)
    return await respond_soon(request, answer, lambda connection, job_id: answers.result(connection, asked(), job_id))


@reading(blueprint, "/jobs/<job_id:str>", RoutePolicy())
async def poll(request: Request, job_id: str) -> HTTPResponse:
    """Answer `GET /v1/loop/jobs/{job_id}`: the state of the job, or its result."""

    def asked() -> str:
        query_of(request, NoQuery)
        return path_id(job_id, "job")

    return respond(await answer_of(request, asked, answers.poll))
