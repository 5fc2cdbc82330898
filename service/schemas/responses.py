"""Bodies of responses beside results: envelopes of jobs and videos, upload targets, errors.

The server answers with plain data from its database and does not use these models. They are for the interface
description, and for the tests that validate every answer against it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from workbench.results.body import Body, optional
from workbench.results.plan import LoopResult


class ErrorDetail(Body):
    """One invalid field."""

    field: str = Field(description="path of the field, as `data.account`; `body` for the body as a whole")
    message: str = Field(description="what is wrong with it, in words")
    type: str = Field(description="kind of the problem, as `missing` or `string_type`")


class ErrorFacts(Body):
    """What went wrong."""

    type: Literal[
        "invalid_request", "authentication_error", "payment_required", "forbidden", "not_found", "conflict",
        "payload_too_large", "unsupported_media_type", "rate_limited", "internal_error", "upstream_error",
        "service_unavailable", "error",
    ] = Field(description="stable; branch on it, not on the message")  # fmt: skip
    message: str = Field(description="one sentence for a person")
    request_id: str | None = Field(description="as the X-Request-Id header")
    details: list[ErrorDetail] | SkipJsonSchema[None] = optional("on a request that failed validation")


class ErrorBody(Body, title="Error"):
    """Body of every error."""

    error: ErrorFacts = Field(description="what went wrong")


class VideoJob(Body):
    """A video that is being ingested; it has no job_id."""

    video_id: str = Field(description="to name the video in later calls")
    status: Literal["processing", "ready", "failed"] = Field(description="how far it is")
    poll: str = Field(description="/v1/videos/{video_id}")
    next: str | SkipJsonSchema[None] = optional("what to do once ready; only from match with a video_url")


class VideoRecord(Body):
    """How far the ingest of a video is."""

    video_id: str = Field(description="to name the video in later calls")
    status: Literal["processing", "ready", "failed"] = Field(description="how far it is")
    ready: bool = Field(description="whether it can be used")
    title: str = Field(description="from its metadata, else the name of its file")
    reason: str | SkipJsonSchema[None] = optional("why it failed; it stays so: send it again as a new video")


class UploadTarget(Body):
    """Where to send the bytes of a video."""

    video_id: str = Field(description="to name the video in later calls")
    upload_url: str = Field(description="absolute; signed, needs no key")
    method: Literal["PUT"] = Field(description="to send the bytes with")
    headers: dict[str, str] = Field(description="to send with the bytes")
    storage_key: str = Field(description="to send to the ingest endpoint afterwards")
    expires_at: str = Field(description="ISO 8601, UTC")


class UploadReceipt(Body):
    """The upload is complete and stored."""

    storage_key: str = Field(description="to send to the ingest endpoint")
    bytes: int = Field(ge=1, description="how many have arrived")


class _Ticket(Body):
    job_id: str = Field(description="names the job")
    status: Literal["processing"] = Field(description="the work is not done yet")
    poll: str = Field(description="path to ask at until the work is done")


class LoopJob(_Ticket):
    """A loop that is being computed."""

    video_id: str = Field(description="the video, as the request named it")
    track_id: str = Field(description="the track, as the request named it")
    next: str = Field(description="what to do, in words")


class AlignJob(_Ticket):
    """Placements that are being computed."""

    video_id: str = Field(description="the video, as the request named it")
    track_id: str = Field(description="the track, as the request named it")
    next: str = Field(description="what to do, in words")


class MatchJob(_Ticket):
    """A ranking that is being computed."""

    video_id: str = Field(description="the video, as the request named it")
    next: str = Field(description="what to do, in words")


class BeatsJob(_Ticket):
    """A beat grid that is being computed."""

    track_id: str | None = Field(description="echoes what was sent; null if nothing was")
    stage: Literal["queued", "fetching", "decoding", "analyzing"] = Field(description="what is being done")


class LoopJobResult(LoopResult):
    """A finished loop job: the loop's result, and the job's id."""

    job_id: str = Field(description="of the job whose result this is")
    status: Literal["complete"] = Field(description="the work is done")
