"""JSON bodies and query parameters of requests, by endpoint.

Unknown fields are refused, nothing is coerced (4.0 is an integer in JSON Schema, "4" is none), and a field may be left
out only where it has a default. Null counts as left out where it is the default.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from service.schemas.fields import (
    HEADER_VALUE,
    HttpsUrl,
    Script,
    SyncPoints,
    Text,
    TrackId,
    TrackName,
    VideoId,
)
from workbench.results.body import Body
from workbench.results.match import MAX_BRIEF

B = TypeVar("B", bound=Body)


def _left_out(description: str) -> Any:
    """A field that is given or left out: the schema has no null, and an error names the field alone."""
    return Field(default=None, description=description, json_schema_extra=_without_null)


def _without_null(schema: dict[str, Any]) -> None:
    schema.pop("default", None)
    given, _null = schema.pop("anyOf")
    schema.update({**given, **schema})


def _exactly_one_of(first: str, second: str) -> dict[str, Any]:
    """JSON Schema's words for: one of two fields is given, and not both."""
    return {"oneOf": [{"required": [first]}, {"required": [second]}]}


class PairRequest(Body):
    """A track under a video."""

    video_id: VideoId
    track_id: TrackId
    auto_mix: bool = Field(default=False, description="also return a mix: how far the music is lowered under speech")


class LoopRequest(PairRequest):
    """Cover a video with a track."""


class AlignRequest(PairRequest):
    """Place a track under a video."""


class MatchRequest(Body):
    """Rank the catalog against a video: one that was ingested, or one to be fetched."""

    model_config = ConfigDict(json_schema_extra=_exactly_one_of("video_id", "video_url"))

    video_id: VideoId | None = _left_out("a video of the caller, or a shared one")
    video_url: HttpsUrl | None = _left_out("public https address of a video to ingest first")
    brief: Annotated[Text, Field(max_length=MAX_BRIEF)] | None = Field(
        default=None, description="what the video is like or the music should be, in plain words"
    )
    include_sync: bool = Field(default=False, description="also say where each track lands")
    sync_points_per_track: SyncPoints = 4

    @model_validator(mode="after")
    def _one_video(self) -> MatchRequest:
        return _exactly_one(self, "video_id", "video_url")


class UnderscoreRequest(Body):
    """Rank the catalog against a script."""

    script: Script
    platform: Annotated[Text, Field(max_length=40)] | None = Field(
        default=None, description="where it is published: tiktok, reels, shorts, linkedin, youtube, or any other"
    )
    brief: Annotated[Text, Field(max_length=MAX_BRIEF)] | None = Field(
        default=None, description="what the music should be like, in plain words"
    )


class BeatsRequest(Body):
    """Map the beats of a sound file."""

    audio_url: HttpsUrl
    track_id: TrackName | None = Field(default=None, description="echoed")


class VideoRequest(Body):
    """Ingest a video: from an address, or as an upload."""

    model_config = ConfigDict(
        json_schema_extra={
            **_exactly_one_of("video_url", "filename"),
            "dependentRequired": {"content_type": ["filename"]},
        }
    )

    video_url: HttpsUrl | None = _left_out("public https address to fetch the video from")
    filename: Annotated[Text, Field(min_length=1, max_length=256)] | None = _left_out(
        "name of the file to upload; the answer says where to"
    )
    content_type: Annotated[str, Field(min_length=1, max_length=256, pattern=HEADER_VALUE)] | None = _left_out(
        "media type of the upload, as video/mp4; goes with filename only"
    )

    @field_validator("content_type")
    @classmethod
    def _of_an_upload(cls, content_type: str | None, given: ValidationInfo) -> str | None:
        if content_type is not None and given.data.get("filename", "") is None:  # one that is invalid is not there
            raise PydanticCustomError("needs_filename", "goes with filename only")
        return content_type

    @model_validator(mode="after")
    def _one_source(self) -> VideoRequest:
        return _exactly_one(self, "video_url", "filename")


class IngestRequest(Body):
    """Start to process an uploaded video."""

    storage_key: Annotated[Text, Field(min_length=1, max_length=512, description="as the upload target named it")]


class NoQuery(Body):
    """Query of an endpoint that takes no parameters."""


class LinkQuery(Body):
    """Query of a signed link, once its signature is found to be genuine."""

    expires: int
    signature: str


class ExpandQuery(Body):
    """Query of match and underscore."""

    expand: Literal["full"] | None = Field(default=None, description="full track objects and the candidate pool")


class MatchPollQuery(ExpandQuery):
    """Query of a match job's poll; parameters that are left out are as in the submit."""

    include_sync: bool | None = Field(default=None, description="also say where each track lands")
    sync_points_per_track: SyncPoints | None = Field(default=None, description="sync points of each track")


def _exactly_one(body: B, first: str, second: str) -> B:
    given = [name for name in (first, second) if getattr(body, name) is not None]
    if len(given) != 1:
        raise PydanticCustomError("exactly_one", "give either {first} or {second}", {"first": first, "second": second})
    return body
