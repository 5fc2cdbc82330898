"""The interface description, OpenAPI 3.1, from the models that validate requests and describe answers.

`python -m service.openapi` writes it to `service/openapi.json`, the file that the server serves. So the server need not
import the models of answers. A test fails when the file differs from what this module writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from service.admission import BODY_LIMIT
from service.errors import TYPES
from service.schemas import requests, responses
from service.schemas.events import BillingEvent
from service.schemas.examples import EXAMPLES
from workbench.results.align import AlignResult
from workbench.results.beats import BeatGridBody
from workbench.results.lane import MatchResult, UnderscoreResult
from workbench.results.loop import LoopResult

VERSION = "1.0.0"
_REFERENCE = "#/components/schemas/{model}"
_REASONS = {
    400: "the request is malformed",
    401: "the key is missing, invalid, expired or revoked",
    402: "no active payment method, credit grant exhausted or expired, or monthly spend cap reached",
    403: "it belongs to another account, or the link is altered or expired",
    404: "there is no such thing",
    409: "it is not in a state for this",
    413: f"the body has more than {BODY_LIMIT} bytes, or the upload too many",
    415: "the body is not sent as application/json",
    422: "a field is invalid (details lists which), or the video or job failed",
    429: "too many requests",
    500: "an error of ours",
    502: "what a job needed from elsewhere could not be had",
    503: "not at the moment; try again",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path."""

    method: str
    path: str
    summary: str
    answers: Mapping[int, tuple[type[BaseModel], ...]]
    """models of the successes, by status"""
    errors: Sequence[int]
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    idempotency: bool = False
    api_key: bool = True
    notes: str = ""
    binary: bool = False
    """whether the body is a file"""
    signed_link: bool = False
    webhook: bool = False
    tags: Sequence[str] = field(default=())


_SUBMIT = (400, 401, 402, 403, 404, 413, 415, 422, 429, 500, 503)
_POLL = (401, 403, 404, 422, 429, 500, 502, 503)
ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "post", "/v1/videos", "Ingest a video: from an address, or as an upload",
        {202: (responses.VideoJob,), 201: (responses.UploadTarget,)}, (400, 401, 402, 422, 429, 500, 503),
        body=requests.VideoRequest, tags=("videos",),
        notes="Billed a minute when the video is ready. A source that is too large or no video fails later, as the "
        "record says. Idempotency-Key has no effect here.",
    ),
    Endpoint(
        "post", "/v1/videos/{video_id}/ingest", "Start to process an uploaded video", {202: (responses.VideoJob,)},
        (400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 500, 503), body=requests.IngestRequest, tags=("videos",),
    ),
    Endpoint(
        "get", "/v1/videos/{video_id}", "How far the ingest of a video is", {200: (responses.VideoRecord,)},
        (401, 403, 404, 422, 429, 500, 503), tags=("videos",), notes="Free.",
    ),
    Endpoint(
        "put", "/v1/uploads/{storage_key}", "Send the bytes of a video", {200: (responses.UploadReceipt,)},
        (400, 403, 404, 409, 413, 500, 503), api_key=False, binary=True, signed_link=True, tags=("videos",),
    ),
    Endpoint(
        "post", "/v1/match", "Rank the catalog against a video",
        {200: (MatchResult,), 202: (responses.MatchJob, responses.VideoJob)}, _SUBMIT, body=requests.MatchRequest,
        query=requests.ExpandQuery, idempotency=True, tags=("match",),
    ),
    Endpoint(
        "get", "/v1/match/jobs/{job_id}", "Poll a match job", {200: (MatchResult,), 202: (responses.MatchJob,)}, _POLL,
        query=requests.MatchPollQuery, tags=("match",),
    ),
    Endpoint(
        "post", "/v1/underscore", "Rank the catalog against a script", {200: (UnderscoreResult,)},
        (400, 401, 402, 413, 415, 422, 429, 500, 503), body=requests.UnderscoreRequest, query=requests.ExpandQuery,
        idempotency=True, tags=("underscore",), notes="Ten tracks. A call that returns none is not billed.",
    ),
    Endpoint(
        "post", "/v1/align", "Say where a track lands with a video",
        {200: (AlignResult,), 202: (responses.AlignJob, responses.VideoJob)}, _SUBMIT, body=requests.AlignRequest,
        idempotency=True, tags=("align",),
    ),
    Endpoint(
        "get", "/v1/align/jobs/{job_id}", "Poll an align job", {200: (AlignResult,), 202: (responses.AlignJob,)}, _POLL,
        tags=("align",),
    ),
    Endpoint(
        "post", "/v1/loop", "Cover a video with a track that is shorter",
        {200: (LoopResult,), 202: (responses.LoopJob, responses.VideoJob)}, _SUBMIT, body=requests.LoopRequest,
        idempotency=True, tags=("loop",), notes="A loop that is not applicable is a 200 and is not billed.",
    ),
    Endpoint(
        "get", "/v1/loop/jobs/{job_id}", "Poll a loop job",
        {200: (responses.LoopJobResult,), 202: (responses.LoopJob,)}, _POLL, tags=("loop",),
    ),
    Endpoint(
        "post", "/v1/beats", "Map the beats of a sound file", {202: (responses.BeatsJob,)},
        (400, 401, 402, 413, 415, 422, 429, 500, 503), body=requests.BeatsRequest, idempotency=True, tags=("beats",),
        notes="Always a job. A repeat with the same Idempotency-Key within 24 hours names the same job.",
    ),
    Endpoint(
        "get", "/v1/beats/{job_id}", "Poll a beats job", {200: (BeatGridBody,), 202: (responses.BeatsJob,)}, _POLL,
        tags=("beats",),
    ),
    Endpoint(
        "post", "/v1/webhooks/billing/payment-method", "A payment method was attached or detached", {},
        (400, 401, 413, 422, 500, 503), body=BillingEvent, api_key=False, webhook=True, tags=("webhooks",),
    ),
    Endpoint(
        "post", "/v1/webhooks/billing/credit", "A credit was granted or has expired, or a spend cap was set", {},
        (400, 401, 413, 422, 500, 503), body=BillingEvent, api_key=False, webhook=True, tags=("webhooks",),
    ),
)  # fmt: skip


def description() -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Music matching and looping",
            "version": VERSION,
            "description": "Match licensed music to a video or a script, place it, loop it, and map its beats. Answers "
            "carry timings, analysis and catalog identifiers, never recordings. Work that is not cached is a job: "
            "follow `poll` until `status` is `complete`.",
        },
        "security": [{"bearer": []}, {"apiKey": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
            "headers": _headers(),
            "schemas": _schemas(),
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": endpoint.summary, "tags": list(endpoint.tags)}
    words = [part.strip("{}") for part in endpoint.path.removeprefix("/v1/").split("/")]
    operation["operationId"] = "_".join([endpoint.method, *words]).replace("-", "_")
    if endpoint.notes:
        operation["description"] = endpoint.notes
    if not endpoint.api_key:
        operation["security"] = []
    parameters = _parameters(endpoint)
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        content: dict[str, Any] = {"schema": _reference(endpoint.body)}
        if endpoint.body.__name__ in EXAMPLES:
            content["example"] = EXAMPLES[endpoint.body.__name__]
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    if endpoint.binary:
        schema = {"type": "string", "format": "binary"}
        operation["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": schema}}}
    operation["responses"] = _responses(endpoint)
    return operation


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        _required(part.strip("{}"), "path") for part in endpoint.path.split("/") if part.startswith("{")
    ]
    if endpoint.query is not None:
        for name, schema in endpoint.query.model_json_schema()["properties"].items():
            found.append({"name": name, "in": "query", "required": False, "schema": _without_null(schema)})
    if endpoint.signed_link:
        found += [_required(name, "query") for name in ("expires", "signature")]
    if endpoint.idempotency:
        schema = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
        found.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": schema})
    if endpoint.webhook:
        found += [_required(name, "header") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")]
    return found


def _required(name: str, where: str) -> dict[str, Any]:
    return {"name": name, "in": where, "required": True, "schema": {"type": "string"}}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without null, because a query parameter is left out and never null."""
    kept = {name: value for name, value in schema.items() if name not in ("default", "title")}
    choices = [choice for choice in kept.pop("anyOf", []) if choice.get("type") != "null"]
    return kept | (choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {})


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, models in sorted(endpoint.answers.items()):
        schemas = [_reference(model) for model in models]
        content: dict[str, Any] = {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}
        examples = {
            model.__name__: {"value": EXAMPLES[model.__name__]} for model in models if model.__name__ in EXAMPLES
        }
        if examples:
            content["examples"] = examples
        first, *others = ((model.__doc__ or "").strip().splitlines()[0].rstrip(".") for model in models)
        summary = " or ".join([first, *(other[0].lower() + other[1:] for other in others)])
        found[str(status)] = _response(summary, content, endpoint.api_key)
    if endpoint.webhook:
        found["200"] = _response(
            "Applied, ignored, or applied before", {"schema": {"type": "object", "maxProperties": 0}}, False
        )
    for status in endpoint.errors:
        kind = TYPES.get(status, "error")
        example = {"error": {"type": kind, "message": _REASONS[status], "request_id": "req_01JD3X5E8Q2M4V6W8Y0Z1A2B3C"}}
        content = {"schema": _reference(responses.ErrorBody), "example": example}
        found[str(status)] = _response(_REASONS[status], content, endpoint.api_key)
        if status in (429, 503):
            found[str(status)]["headers"]["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
    return found


def _response(summary: str, content: Mapping[str, Any], api_key: bool) -> dict[str, Any]:
    names = ["X-Request-Id", *(("X-RateLimit-Limit", "X-RateLimit-Remaining") if api_key else ())]
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return {"description": summary, "headers": headers, "content": {"application/json": dict(content)}}


def _headers() -> dict[str, Any]:
    def header(summary: str, kind: str) -> dict[str, Any]:
        return {"description": summary, "schema": {"type": kind}}

    return {
        "X-Request-Id": header("names this request, here and in our logs", "string"),
        "X-RateLimit-Limit": header("requests that the key may make in 60 s", "integer"),
        "X-RateLimit-Remaining": header("requests left in the present window", "integer"),
        "Retry-After": header("s to wait", "integer"),
    }


def _schemas() -> dict[str, Any]:
    given = {e.body for e in ENDPOINTS if e.body is not None}
    answered = {model for e in ENDPOINTS for models in e.answers.values() for model in models} | {responses.ErrorBody}
    modes: list[tuple[type[BaseModel], Any]] = [(model, "validation") for model in sorted(given, key=_name)]
    modes += [(model, "serialization") for model in sorted(answered, key=_name)]
    _, document = models_json_schema(modes, ref_template=_REFERENCE)
    schemas: dict[str, Any] = document["$defs"]
    return schemas


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def _name(model: type[BaseModel]) -> str:
    return model.__name__


def text() -> str:
    """The document as JSON text, as it is stored and served."""
    return json.dumps(description(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(str(files("service") / "openapi.json")).write_text(text(), encoding="utf-8")
