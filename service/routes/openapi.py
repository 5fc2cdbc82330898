"""The interface description, OpenAPI 3.1, from the models that validate requests and describe answers.

`python -m service.routes.openapi` writes it to `service/openapi.json`, the file that the server serves. So the
server need not import the models of answers. A test fails when the file differs from what this module writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from service.errors import error_body
from service.routes.admission import BODY_LIMIT
from service.routes.headers import RATE_HEADERS, RETRY_SECONDS
from service.schemas import requests, responses
from service.schemas.events import BillingEvent
from service.schemas.examples import EXAMPLES
from service.schemas.fields import HEADER_VALUE, MAX_IDEMPOTENCY_KEY
from workbench.results.align import AlignResult
from workbench.results.beats import BeatGridBody
from workbench.results.match import MatchResult, UnderscoreResult
from workbench.results.plan import LoopResult

VERSION = "1.0.0"
_REQUEST_ID = "req_01JD3X5E8Q2M4V6W8Y0Z1A2B3C"
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

    operation_id: str
    """what client libraries call it"""
    method: str
    path: str
    summary: str
    answers: Mapping[int, tuple[type[BaseModel], ...]]
    """models of the successes, by status"""
    errors: Sequence[int]
    notes: str
    tags: Sequence[str]
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    idempotency: bool = False
    api_key: bool = True
    binary: bool = False
    """whether the body is a file"""
    signed_link: bool = False
    webhook: bool = False


_FOLLOW = "Answers 200 if the result is stored, else 202: follow `poll`."
_SIGNED = "Signed as the Standard Webhooks specification requires; fields that are not known are ignored."
_SUBMIT = (400, 401, 402, 403, 404, 413, 415, 422, 429, 500, 503)
_POLL = (401, 403, 404, 422, 429, 500, 502, 503)
ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "createVideo", "post", "/v1/videos", "Ingest a video: from an address, or as an upload",
        {202: (responses.VideoJob,), 201: (responses.UploadTarget,)}, (400, 401, 402, 422, 429, 500, 503),
        body=requests.VideoRequest, tags=("videos",),
        notes="With `video_url` the service fetches the video; with `filename` it says where to upload the bytes. "
        "Billed a minute when the video is ready. A source that is too large or no video fails later, as the record "
        "says. Idempotency-Key has no effect here.",
    ),
    Endpoint(
        "ingestVideo", "post", "/v1/videos/{video_id}/ingest", "Start to process an uploaded video",
        {202: (responses.VideoJob,)}, (400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 500, 503),
        body=requests.IngestRequest, tags=("videos",),
        notes="To be called once the bytes are sent. Poll the video until its `status` is `ready` or `failed`.",
    ),
    Endpoint(
        "getVideo", "get", "/v1/videos/{video_id}", "How far the ingest of a video is",
        {200: (responses.VideoRecord,)}, (401, 403, 404, 422, 429, 500, 503), tags=("videos",),
        notes="Free. Ask until `status` is `ready` or `failed`.",
    ),
    Endpoint(
        "uploadVideo", "put", "/v1/uploads/{storage_key}", "Send the bytes of a video",
        {200: (responses.UploadReceipt,)}, (400, 403, 404, 409, 413, 415, 422, 500, 503), api_key=False, binary=True,
        signed_link=True, tags=("videos",),
        notes="At the `upload_url` of the upload target, which is signed and needs no key. The bytes are sent whole: a "
        "second upload before the ingest replaces the first.",
    ),
    Endpoint(
        "submitMatch", "post", "/v1/match", "Rank the catalog against a video",
        {200: (MatchResult,), 202: (responses.MatchJob, responses.VideoJob)}, _SUBMIT, body=requests.MatchRequest,
        query=requests.ExpandQuery, idempotency=True, tags=("match",),
        notes="With `video_url` the video is ingested first, and the answer is the ticket of its ingest: call again "
        f"with its `video_id` once it is ready. {_FOLLOW}",
    ),
    Endpoint(
        "getMatchJob", "get", "/v1/match/jobs/{job_id}", "Poll a match job",
        {200: (MatchResult,), 202: (responses.MatchJob,)}, _POLL, query=requests.MatchPollQuery, tags=("match",),
        notes="Free. Parameters that are left out are as in the submit.",
    ),
    Endpoint(
        "submitUnderscore", "post", "/v1/underscore", "Rank the catalog against a script", {200: (UnderscoreResult,)},
        (400, 401, 402, 413, 415, 422, 429, 500, 503), body=requests.UnderscoreRequest, query=requests.ExpandQuery,
        idempotency=True, tags=("underscore",), notes="Ten tracks. A call that returns none is not billed.",
    ),
    Endpoint(
        "submitAlign", "post", "/v1/align", "Say where a track lands with a video",
        {200: (AlignResult,), 202: (responses.AlignJob, responses.VideoJob)}, _SUBMIT, body=requests.AlignRequest,
        idempotency=True, tags=("align",), notes=_FOLLOW,
    ),
    Endpoint(
        "getAlignJob", "get", "/v1/align/jobs/{job_id}", "Poll an align job",
        {200: (AlignResult,), 202: (responses.AlignJob,)}, _POLL, tags=("align",), notes="Free.",
    ),
    Endpoint(
        "submitLoop", "post", "/v1/loop", "Cover a video with a track that is shorter",
        {200: (LoopResult,), 202: (responses.LoopJob, responses.VideoJob)}, _SUBMIT, body=requests.LoopRequest,
        idempotency=True, tags=("loop",),
        notes=f"A loop that is not applicable is a 200 and is not billed. {_FOLLOW}",
    ),
    Endpoint(
        "getLoopJob", "get", "/v1/loop/jobs/{job_id}", "Poll a loop job",
        {200: (responses.LoopJobResult,), 202: (responses.LoopJob,)}, _POLL, tags=("loop",), notes="Free.",
    ),
    Endpoint(
        "submitBeats", "post", "/v1/beats", "Map the beats of a sound file", {202: (responses.BeatsJob,)},
        (400, 401, 402, 413, 415, 422, 429, 500, 503), body=requests.BeatsRequest, idempotency=True, tags=("beats",),
        notes="Always a job. A repeat with the same Idempotency-Key within 24 hours names the same job.",
    ),
    Endpoint(
        "getBeatsJob", "get", "/v1/beats/{job_id}", "Poll a beats job",
        {200: (BeatGridBody,), 202: (responses.BeatsJob,)}, _POLL, tags=("beats",), notes="Free.",
    ),
    Endpoint(
        "receivePaymentMethodEvent", "post", "/v1/webhooks/billing/payment-method",
        "A payment method was attached or detached", {}, (400, 401, 413, 422, 500, 503), body=BillingEvent,
        api_key=False, webhook=True, tags=("webhooks",), notes=_SIGNED,
    ),
    Endpoint(
        "receiveCreditEvent", "post", "/v1/webhooks/billing/credit",
        "A credit was granted or has expired, or a spend cap was set", {}, (400, 401, 413, 422, 500, 503),
        body=BillingEvent, api_key=False, webhook=True, tags=("webhooks",), notes=_SIGNED,
    ),
)  # fmt: skip
_TAGS: Mapping[str, str] = {
    "videos": "Ingest a video once; match, align and loop name it by its id.",
    "match": "Rank the catalog against a video.",
    "underscore": "Rank the catalog against a script.",
    "align": "Place a track under a video.",
    "loop": "Cover a long video with a short track.",
    "beats": "Beats and downbeats of a sound file.",
    "webhooks": "For the billing provider, which signs its requests.",
}
_PARAMETERS: Mapping[str, tuple[str, str]] = {
    "video_id": ("the video, as createVideo named it", EXAMPLES["VideoJob"]["video_id"]),
    "job_id": ("the job, as its ticket named it", EXAMPLES["LoopJob"]["job_id"]),
    "storage_key": ("as the upload target named it", EXAMPLES["UploadTarget"]["storage_key"]),
    "expires": ("when the link ends, s since 1970; part of the `upload_url`", "1795282674"),
    "signature": ("of the link; part of the `upload_url`", "3d32"),
    "traceparent": (
        "the trace that the request belongs to (W3C Trace Context); one that is malformed is ignored",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ),
    "Idempotency-Key": ("the same for a retry of this very request, another for each other one", "order-17-loop"),
    "webhook-id": ("names the event; a repeat has no second effect", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"),
    "webhook-timestamp": ("when it was sent, s since 1970", "1795282674"),
    "webhook-signature": (
        "as the Standard Webhooks specification has it",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
}
"""description and example of the parameters that no model describes"""
_HEADERS: Mapping[str, tuple[str, Any]] = {
    "X-Request-Id": ("names this request, here and in our logs", _REQUEST_ID),
    "traceparent": (
        "our place in your trace, or in a new one (W3C Trace Context)",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ),
    "RateLimit": ("requests left in the present window (r) and s until it ends (t)", '"key";r=59;t=43'),
    "RateLimit-Policy": ("requests (q) that the key may make in a window of so many s (w)", '"key";q=60;w=60'),
    "X-RateLimit-Limit": ("requests that the key may make in 60 s", 60),
    "X-RateLimit-Remaining": ("requests left in the present window", 59),
    "Retry-After": ("s to wait before the next request", 2),
    "WWW-Authenticate": ("how to send the key", "Bearer"),
}
"""description and example of the headers of responses"""


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
            "follow `poll` until `status` is `complete`. Answers may gain fields: ignore those that you do not know. "
            "Requests may not have fields that are not described here.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "The operator of this service"},
        },
        "servers": [{"url": "/", "description": "the service that serves this description"}],
        "tags": [{"name": name, "description": summary} for name, summary in _TAGS.items()],
        "security": [{"bearer": []}, {"apiKey": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "the API key as a bearer token"},
                "apiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "x-api-key",
                    "description": "the API key in a header of its own; same effect",
                },
            },
            "headers": _headers(),
            "schemas": _schemas(),
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.operation_id,
        "summary": endpoint.summary,
        "description": endpoint.notes,
        "tags": list(endpoint.tags),
    }
    if not endpoint.api_key:
        operation["security"] = []
    operation["parameters"] = _parameters(endpoint)
    if endpoint.body is not None:
        content = {"schema": _reference(endpoint.body), "example": EXAMPLES[endpoint.body.__name__]}
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    if endpoint.binary:
        schema = {"type": "string", "format": "binary"}
        operation["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": schema}}}
    operation["responses"] = _responses(endpoint)
    return operation


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        _parameter(part.strip("{}"), "path") for part in endpoint.path.split("/") if part.startswith("{")
    ]
    if endpoint.query is not None:
        for name, schema in endpoint.query.model_json_schema()["properties"].items():
            one = _without_null(schema)
            summary = one.pop("description")
            found.append({"name": name, "in": "query", "description": summary, "required": False, "schema": one})
    if endpoint.signed_link:
        found += [_parameter(name, "query") for name in ("expires", "signature")]
    if endpoint.idempotency:
        limits = {"minLength": 1, "maxLength": MAX_IDEMPOTENCY_KEY, "pattern": HEADER_VALUE}
        found.append(_parameter("Idempotency-Key", "header", required=False, **limits))
    found.append(_parameter("traceparent", "header", required=False))
    if endpoint.webhook:
        found += [_parameter(name, "header") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")]
    return found


def _parameter(name: str, where: str, *, required: bool = True, **limits: Any) -> dict[str, Any]:
    summary, example = _PARAMETERS[name]
    schema = {"type": "string", **limits}
    return {
        "name": name, "in": where, "description": summary, "required": required, "schema": schema, "example": example,
    }  # fmt: skip


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without null, because a query parameter is left out and never null."""
    shown = {name: value for name, value in schema.items() if name not in ("default", "title")}
    choices = [choice for choice in shown.pop("anyOf", []) if choice.get("type") != "null"]
    return shown | (choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {})


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, models in sorted(endpoint.answers.items()):
        schemas = [_reference(model) for model in models]
        content: dict[str, Any] = {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}
        content["examples"] = {model.__name__: {"value": EXAMPLES[model.__name__]} for model in models}
        first, *others = ((model.__doc__ or "").strip().splitlines()[0].rstrip(".") for model in models)
        summary = " or ".join([first, *(other[0].lower() + other[1:] for other in others)])
        found[str(status)] = _response(status, summary, content, endpoint.api_key)
    if endpoint.webhook:
        nothing = {"schema": {"type": "object", "maxProperties": 0}, "example": {}}
        found["200"] = _response(200, "Applied, ignored, or applied before", nothing, False)
    for status in endpoint.errors:
        example = error_body(status, _REASONS[status], _REQUEST_ID)
        content = {"schema": _reference(responses.ErrorBody), "example": example}
        found[str(status)] = _response(status, _REASONS[status], content, endpoint.api_key)
    return found


def _response(status: int, summary: str, content: Mapping[str, Any], api_key: bool) -> dict[str, Any]:
    names = ["X-Request-Id", "traceparent"]
    if api_key:
        names += ["WWW-Authenticate"] if status == 401 else RATE_HEADERS
    if status in RETRY_SECONDS:
        names.append("Retry-After")
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return {"description": summary, "headers": headers, "content": {"application/json": dict(content)}}


def _headers() -> dict[str, Any]:
    return {
        name: {
            "description": summary,
            "schema": {"type": "integer" if isinstance(example, int) else "string"},
            "example": example,
        }
        for name, (summary, example) in _HEADERS.items()
    }


def _schemas() -> dict[str, Any]:
    """The models as JSON schemas: requests refuse fields that are not known, answers may gain some."""
    given = {e.body for e in ENDPOINTS if e.body is not None}
    answered = {model for e in ENDPOINTS for models in e.answers.values() for model in models} | {responses.ErrorBody}
    found = _named(given, "validation")
    for name, schema in _named(answered, "serialization").items():
        if "properties" in schema:
            schema["additionalProperties"] = True
        assert name not in found, f"{name} is the body of a request and of an answer"
        found[name] = schema
    return dict(sorted(found.items()))


def _named(models: set[type[BaseModel]], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """The schemas of models and of the models inside, by title."""
    wanted: list[tuple[type[BaseModel], Any]] = [(model, mode) for model in sorted(models, key=_name)]
    _, document = models_json_schema(wanted, ref_template=_REFERENCE)
    schemas: dict[str, Any] = document["$defs"]
    titles = {_REFERENCE.format(model=name): schema["title"] for name, schema in schemas.items()}
    assert len(set(titles.values())) == len(titles), "two models have one title"
    return {schema["title"]: _readable(schema, titles) for schema in schemas.values()}


def _readable(schema: Any, titles: Mapping[str, str]) -> Any:
    """A schema with references to titles, and without the titles that repeat the names of fields."""
    if isinstance(schema, list):
        return [_readable(item, titles) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shown: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "$ref":
            shown[name] = _REFERENCE.format(model=titles[value])
        elif name == "properties":
            shown[name] = {
                field: _readable({key: item for key, item in one.items() if key != "title"}, titles)
                for field, one in value.items()
            }
        else:
            shown[name] = _readable(value, titles)
    return shown


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(model=_name(model))}


def _name(model: type[BaseModel]) -> str:
    """The name of a model's schema: its title."""
    return str(model.model_config.get("title") or model.__name__)


def text() -> str:
    """The document as JSON text, as it is stored and served."""
    return json.dumps(description(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(str(files("service") / "openapi.json")).write_text(text(), encoding="utf-8")
