"""The MCP tools: one an endpoint, with arguments named like the endpoint's fields, and its answers unchanged.

A tool returns the endpoint's body as structured content. If the service refuses a call, the result is a tool error
whose text begins with `error.type`. It has no structured content, because clients check that against the schema of
answers; `error` of the Error body is in the result's `_meta`. Arguments are as strict as the endpoint's fields: nothing
is coerced, and an argument that is not known is refused (`service.mcp.strict`).

Tools wait for long work; when the time is up they return the ticket with `job_id` and `poll`, and the `get_…` tool of
the family continues from there. `beats` answers at once with its ticket, `get_beats_job` waits.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, GetJsonSchemaHandler, RootModel
from pydantic_core import CoreSchema

from service.errors import error_body
from service.mcp.client import Reply, ServiceClient
from service.mcp.strict import strict_tool
from service.schemas import responses
from service.schemas.fields import HEADER_VALUE, MAX_IDEMPOTENCY_KEY, MAX_URL, SyncPoints, TrackName
from workbench.results.align import AlignResult
from workbench.results.beats import BeatGridBody
from workbench.results.match import MAX_BRIEF, MatchResult, UnderscoreResult
from workbench.results.plan import LoopResult
from workbench.store.ids import MAX_ID

Connect = Callable[[Context[Any]], ServiceClient]
"""returns a client that calls the service with the key of the tool's caller"""

VideoId = Annotated[str, Field(min_length=1, max_length=MAX_ID, description="a video of yours, or a shared one")]
TrackId = Annotated[str, Field(min_length=1, max_length=MAX_ID, description="a track as match returned it")]
JobId = Annotated[str, Field(min_length=1, description="as the job's ticket named it")]
Url = Annotated[str, Field(max_length=MAX_URL, description="public https address")]
Expand = Annotated[Literal["full"] | None, Field(description="`full`: full tracks and the candidate pool")]
AutoMix = Annotated[bool, Field(description="also return a mix: how far the music is lowered under speech")]
Brief = Annotated[
    Annotated[str, Field(max_length=MAX_BRIEF)] | None,
    Field(description="what the music should be like, in plain words"),
]
RetryKey = Annotated[
    Annotated[str, Field(min_length=1, max_length=MAX_IDEMPOTENCY_KEY, pattern=HEADER_VALUE)] | None,
    Field(description="Idempotency-Key: the same for a retry of this very call"),
]


class _OneOf:
    """Adds `"type": "object"` to the schema of a union of objects, because the protocol requires it."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "object", **handler.resolve_ref_schema(handler(core))}


class VideoAnswer(_OneOf, RootModel[responses.VideoRecord | responses.VideoJob | responses.UploadTarget]):
    """A video, its ingest, or where to upload it."""


class MatchAnswer(_OneOf, RootModel[MatchResult | responses.MatchJob | responses.VideoJob]):
    """A lane, or the ticket of the work."""


class AlignAnswer(_OneOf, RootModel[AlignResult | responses.AlignJob | responses.VideoJob]):
    """Placements, or the ticket of the work."""


class LoopAnswer(_OneOf, RootModel[responses.LoopJobResult | LoopResult | responses.LoopJob | responses.VideoJob]):
    """A loop, or the ticket of the work."""


class BeatsAnswer(_OneOf, RootModel[BeatGridBody | responses.BeatsJob]):
    """A grid, or the ticket of the work."""


_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_BILLED = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_FETCHES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True)
"""of tools that may fetch a file from an address; they are billed like the others"""


def make_tools(connect: Connect, wait_seconds: float) -> list[Tool]:
    """Make every tool; one waits `wait_seconds` for its work before it answers with the ticket."""
    tools = _Tools(connect, wait_seconds)
    return [
        strict_tool(tools.create_video, "Ingest a video", _FETCHES),
        strict_tool(tools.ingest_video, "Process an uploaded video", _BILLED),
        strict_tool(tools.get_video, "State of a video", _READS),
        strict_tool(tools.match, "Music for a video", _FETCHES),
        strict_tool(tools.get_match_job, "State of a match", _READS),
        strict_tool(tools.underscore, "Music for a script", _BILLED),
        strict_tool(tools.align, "Place a track under a video", _BILLED),
        strict_tool(tools.get_align_job, "State of an align", _READS),
        strict_tool(tools.loop, "Loop a track over a video", _BILLED),
        strict_tool(tools.get_loop_job, "State of a loop", _READS),
        strict_tool(tools.beats, "Beats of a sound file", _FETCHES),
        strict_tool(tools.get_beats_job, "State of a beat grid", _READS),
    ]


class _Tools:
    """The tools, a method each.

    Names, arguments and docstrings of the methods are what clients and their models read: a docstring is the tool's
    description, so it has no section on parameters; those describe themselves in their annotations.
    """

    def __init__(self, connect: Connect, wait_seconds: float) -> None:
        self._connect = connect
        self._wait_seconds = wait_seconds

    async def create_video(
        self,
        context: Context[Any],
        video_url: Annotated[Url | None, Field(description="public https address to fetch the video from")] = None,
        filename: Annotated[
            Annotated[str, Field(max_length=256)] | None,
            Field(description="name of a file to upload; the answer says where to"),
        ] = None,
        content_type: Annotated[
            str | None, Field(description="media type of the upload, as video/mp4; goes with filename only")
        ] = None,
    ) -> Annotated[CallToolResult, VideoAnswer]:
        """Ingest a video: give its `video_url`, or a `filename` to get an address to upload to.

        With an address, waits until the video is ready. With a file name, PUT the bytes to `upload_url`, then call
        `ingest_video`. Billed a minute of the video.
        """
        body = _given(video_url=video_url, filename=filename, content_type=content_type)
        return await self._ingest_and_wait(context, "/v1/videos", body)

    async def ingest_video(
        self,
        context: Context[Any],
        video_id: VideoId,
        storage_key: Annotated[str, Field(max_length=512, description="as create_video answered it")],
    ) -> Annotated[CallToolResult, VideoAnswer]:
        """Start to process an uploaded video, and wait until it is ready."""
        path = f"/v1/videos/{_segment(video_id)}/ingest"
        return await self._ingest_and_wait(context, path, {"storage_key": storage_key})

    async def get_video(self, context: Context[Any], video_id: VideoId) -> Annotated[CallToolResult, VideoAnswer]:
        """How far the ingest of a video is. Free."""
        return await self._call(context, "GET", f"/v1/videos/{_segment(video_id)}")

    async def match(
        self,
        context: Context[Any],
        video_id: Annotated[VideoId | None, Field(description="a video of yours, or a shared one")] = None,
        video_url: Annotated[Url | None, Field(description="public https address of a video to ingest first")] = None,
        brief: Brief = None,
        include_sync: Annotated[bool, Field(description="also say where each track lands")] = False,
        sync_points_per_track: SyncPoints = 4,
        expand: Expand = None,
        idempotency_key: RetryKey = None,
    ) -> Annotated[CallToolResult, MatchAnswer]:
        """Rank the catalog against a video: give its `video_id`, or a `video_url` to ingest it first.

        With a `video_url` the answer is the ticket of the ingest; call again with its `video_id` once it is ready.
        """
        body = _given(video_id=video_id, video_url=video_url, brief=brief) | {
            "include_sync": include_sync,
            "sync_points_per_track": sync_points_per_track,
        }
        ask = self._call_and_wait if video_url is None else self._call
        query = {"expand": expand}
        return await ask(context, "POST", "/v1/match", body=body, query=query, idempotency_key=idempotency_key)

    async def get_match_job(
        self,
        context: Context[Any],
        job_id: JobId,
        include_sync: Annotated[bool | None, Field(description="also say where each track lands")] = None,
        sync_points_per_track: Annotated[SyncPoints | None, Field(description="sync points of each track")] = None,
        expand: Expand = None,
    ) -> Annotated[CallToolResult, MatchAnswer]:
        """How far a match job is, or its lane; waits for it. Arguments that are left out are as in the submit. Free."""
        query = {"include_sync": include_sync, "sync_points_per_track": sync_points_per_track, "expand": expand}
        return await self._call_and_wait(context, "GET", f"/v1/match/jobs/{_segment(job_id)}", query=query)

    async def underscore(
        self,
        context: Context[Any],
        script: Annotated[str, Field(min_length=1, max_length=7000, description="what is said or shown")],
        platform: Annotated[
            Annotated[str, Field(max_length=40)] | None,
            Field(description="where it is published: tiktok, reels, shorts, linkedin, youtube, or any other"),
        ] = None,
        brief: Brief = None,
        expand: Expand = None,
        idempotency_key: RetryKey = None,
    ) -> Annotated[CallToolResult, UnderscoreResult]:
        """Rank the catalog against a text script, without a video. Ten tracks, at once."""
        body = {"script": script} | _given(platform=platform, brief=brief)
        call = {"body": body, "query": {"expand": expand}, "idempotency_key": idempotency_key}
        return await self._call_and_wait(context, "POST", "/v1/underscore", **call)

    async def align(
        self,
        context: Context[Any],
        video_id: VideoId,
        track_id: TrackId,
        auto_mix: AutoMix = False,
        idempotency_key: RetryKey = None,
    ) -> Annotated[CallToolResult, AlignAnswer]:
        """Say where a track lands against the events of a video."""
        body = {"video_id": video_id, "track_id": track_id, "auto_mix": auto_mix}
        return await self._call_and_wait(context, "POST", "/v1/align", body=body, idempotency_key=idempotency_key)

    async def get_align_job(self, context: Context[Any], job_id: JobId) -> Annotated[CallToolResult, AlignAnswer]:
        """How far an align job is, or its placements; waits for it. Free."""
        return await self._call_and_wait(context, "GET", f"/v1/align/jobs/{_segment(job_id)}")

    async def loop(
        self,
        context: Context[Any],
        video_id: VideoId,
        track_id: TrackId,
        auto_mix: AutoMix = False,
        idempotency_key: RetryKey = None,
    ) -> Annotated[CallToolResult, LoopAnswer]:
        """Cover a video with a track that is at least 30 s shorter, looped in whole bars."""
        body = {"video_id": video_id, "track_id": track_id, "auto_mix": auto_mix}
        return await self._call_and_wait(context, "POST", "/v1/loop", body=body, idempotency_key=idempotency_key)

    async def get_loop_job(self, context: Context[Any], job_id: JobId) -> Annotated[CallToolResult, LoopAnswer]:
        """How far a loop job is, or its result; waits for it. Free."""
        return await self._call_and_wait(context, "GET", f"/v1/loop/jobs/{_segment(job_id)}")

    async def beats(
        self,
        context: Context[Any],
        audio_url: Url,
        track_id: Annotated[TrackName | None, Field(description="echoed")] = None,
        idempotency_key: RetryKey = None,
    ) -> Annotated[CallToolResult, BeatsAnswer]:
        """Map the beats and downbeats of a sound file. Billed a minute of it.

        Answers at once with the ticket of the job; `get_beats_job` waits for its grid.
        """
        body = {"audio_url": audio_url} | _given(track_id=track_id)
        return await self._call(context, "POST", "/v1/beats", body=body, idempotency_key=idempotency_key)

    async def get_beats_job(self, context: Context[Any], job_id: JobId) -> Annotated[CallToolResult, BeatsAnswer]:
        """How far a beats job is, or its grid; waits for it. Free."""
        return await self._call_and_wait(context, "GET", f"/v1/beats/{_segment(job_id)}")

    async def _call(self, context: Context[Any], method: str, path: str, **call: Any) -> CallToolResult:
        """Make a call; the ticket of its work is an answer too."""
        async with self._connect(context) as service:
            return result_of(await service.call(method, path, **call))

    async def _call_and_wait(self, context: Context[Any], method: str, path: str, **call: Any) -> CallToolResult:
        """Make a call and wait until its work is done; its ticket is the answer when the time is up."""
        report = _reporter(context, self._wait_seconds)
        async with self._connect(context) as service:
            ask = partial(service.call, method, path, **call)
            return result_of(await service.wait_until_settled(ask, self._wait_seconds, report, call.get("query")))

    async def _ingest_and_wait(self, context: Context[Any], path: str, body: dict[str, Any]) -> CallToolResult:
        """Submit a video and wait until it is settled; its record is the answer, or the ticket when the time is up."""
        async with self._connect(context) as service:
            submitted = await service.call("POST", path, body)
            if submitted.status != 202:
                return result_of(submitted)
            record = f"/v1/videos/{_segment(submitted.body['video_id'])}"

            async def look() -> Reply:
                found = await service.call("GET", record)
                waiting = found.status == 200 and found.body["status"] == "processing"
                return Reply(202, {**submitted.body, "poll": None}) if waiting else found

            report = _reporter(context, self._wait_seconds)
            reply = await service.wait_until_settled(look, self._wait_seconds, report)
        return result_of(submitted if reply.status == 202 else reply)


def _reporter(context: Context[Any], seconds: float) -> Callable[[float, str], Awaitable[None]]:
    async def report(waited: float, what: str) -> None:
        await context.report_progress(round(waited, 1), seconds, what)

    return report


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _segment(text: str) -> str:
    """An id in a path; one of dots alone would lead elsewhere, so they are encoded too."""
    return quote(text, safe="").replace(".", "%2E")


def result_of(reply: Reply) -> CallToolResult:
    """A reply as a tool's result; an error is a tool error whose text is its type and message."""
    if reply.status < 300:
        text = json.dumps(reply.body, ensure_ascii=False)
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=reply.body)
    plain = error_body(reply.status, f"the service answered {reply.status}", None)
    error = reply.body.get("error", plain["error"])
    text = f"{error['type']}: {error['message']}"
    return CallToolResult(content=[TextContent(type="text", text=text)], _meta={"error": error}, is_error=True)
