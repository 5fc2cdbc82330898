"""`/v1/videos`: ingest a video, which later calls name by its id."""

from __future__ import annotations

from functools import partial

from sanic import Blueprint, HTTPResponse, Request

from service.answers import videos as answers
from service.routes.admission import RoutePolicy, lone_body_of, query_of
from service.routes.http import answer_of, path_id, reading, respond
from service.schemas.requests import IngestRequest, NoQuery, VideoRequest

blueprint = Blueprint("videos", url_prefix="/v1/videos")


@blueprint.post("", ctx_policy=RoutePolicy(body="json", plain_400=True))
async def submit(request: Request) -> HTTPResponse:
    """Answer `POST /v1/videos`: the ingest from an address, or an upload link."""
    return respond(await answer_of(request, partial(lone_body_of, request, VideoRequest), answers.submit))


@blueprint.post("/<video_id:str>/ingest", ctx_policy=RoutePolicy(body="json"))
async def ingest(request: Request, video_id: str) -> HTTPResponse:
    """Answer `POST /v1/videos/{video_id}/ingest`: start to process an upload."""

    def read_inputs() -> tuple[str, IngestRequest]:
        body = lone_body_of(request, IngestRequest)
        return path_id(video_id, "video"), body

    return respond(
        await answer_of(request, read_inputs, lambda connection, call, given: answers.ingest(connection, call, *given))
    )


@reading(blueprint, "/<video_id:str>", RoutePolicy())
async def status(request: Request, video_id: str) -> HTTPResponse:
    """Answer `GET /v1/videos/{video_id}`: the state of the ingest."""

    def read_inputs() -> str:
        query_of(request, NoQuery)
        return path_id(video_id, "video")

    return respond(await answer_of(request, read_inputs, answers.status))
