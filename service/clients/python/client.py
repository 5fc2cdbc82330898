"""The client of the service, waiting (`Client`) and asynchronous (`AsyncClient`).

Methods named like the operations of the description answer what the endpoint answers. `loop`, `align`, `match` and
`beats` submit and wait for the result; `wait` waits for a ticket, `ingest_file` uploads a video and waits for it. A
refusal raises the class of its `error.type`.

A request that was refused for its rate is sent again after `Retry-After`; one that did not get through, met a 503, or a
502 or 504 of a proxy, only where a repeat is harmless: a GET, or a call with an Idempotency-Key, unless it has a
`video_url`: each such call makes a video. A wait goes on through all of these until its time is up.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, Unpack, cast
from urllib.parse import urlsplit

import anyio
import httpx

from .errors import ApiError, ConnectionFailedError, NotDoneError, VideoFailedError
from .generated import (
    ERRORS,
    AsyncOperations,
    Call,
    Operations,
    RateLimitedError,
    ServiceUnavailableError,
    UploadReceipt,
    UploadTarget,
    VideoRecord,
)

_FIRST_PAUSE, _LONGEST_PAUSE, _GROWTH = 2.0, 15.0, 1.4  # s between polls; a poll's Retry-After is the least
_REQUEST_SECONDS, _UPLOAD_SECONDS = 60.0, 3600.0
_RETRIES = 3
_PASSING = (ConnectionFailedError, ServiceUnavailableError, RateLimitedError)
"""of a poll: the work goes on, and so does the wait"""
_BLOCK = 1 << 20  # bytes of an upload that are read at a time


class _Step(NamedTuple):
    """A request to send after a pause."""

    pause: float  # s
    request: Mapping[str, Any]  # arguments of httpx's `request`


_Flow = Generator[_Step, httpx.Response, Any]


class _Flows:
    """The requests of each call and the handling of their answers, without the sending.

    Each flow yields requests; the client sends each, and passes back its response or throws its transport error, as
    httpx does with an `auth_flow`. So retries and waits are written once for both clients.
    """

    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url, self._headers = _service_address(base_url), {"Authorization": f"Bearer {api_key.strip()}"}

    def call(self, method: str, path: str, **call: Unpack[Call]) -> _Flow:
        return _answered((yield from self._send(method, path, **call)))

    def _send(self, method: str, path: str, pause: float = 0.0, retries: int = _RETRIES, **call: Unpack[Call]) -> _Flow:
        body, key = call.get("body"), call.get("idempotency_key")
        request = {
            "method": method,
            "url": self._base_url + path,
            "json": body,
            "params": {name: _text(value) for name, value in call.get("query", {}).items() if value is not None},
            "headers": self._headers if key is None else self._headers | {"Idempotency-Key": key},
        }
        is_harmless = method == "GET" or (key is not None and "video_url" not in (body or {}))
        while True:
            try:
                answer = yield _Step(pause, request)
            except httpx.LocalProtocolError:  # its text has the header, so perhaps the API key
                raise ValueError(
                    "the request cannot be sent: the API key or the Idempotency-Key holds what no header may"
                ) from None
            except httpx.TransportError as error:
                if retries == 0 or not is_harmless:
                    raise ConnectionFailedError(f"the service cannot be reached ({type(error).__name__})") from error
                pause = _FIRST_PAUSE
            else:
                is_refused = answer.status_code == 429 or (is_harmless and _is_passing(answer))
                if retries == 0 or not is_refused:
                    return answer
                pause = _retry_after(answer) or _FIRST_PAUSE
            retries -= 1

    def wait(self, ticket: Mapping[str, Any], timeout: float, query: Mapping[str, Any] | None) -> _Flow:
        end = time.monotonic() + timeout
        call: Call = {"query": query} if query and "job_id" in ticket else {}
        pause = longer = _FIRST_PAUSE
        while True:
            if time.monotonic() + pause > end:
                raise NotDoneError(ticket, timeout)
            try:
                answer = yield from self._send("GET", str(ticket["poll"]), pause=pause, retries=0, **call)
                found = _answered(answer)
            except _PASSING as error:
                pause = max(_FIRST_PAUSE, (error.retry_after if isinstance(error, ApiError) else None) or 0.0)
                continue
            if answer.status_code != 202 and found.get("status") != "processing":
                if found.get("status") == "failed":
                    raise VideoFailedError(found)
                return found
            longer = min(_LONGEST_PAUSE, longer * _GROWTH)
            pause = max(longer, _retry_after(answer) or 0.0)

    def complete(self, method: str, path: str, timeout: float, **call: Unpack[Call]) -> _Flow:
        """Call, wait for the job that was started, and call again if that was the ingest of its video."""
        end = time.monotonic() + timeout
        while True:
            found = yield from self.call(method, path, **call)
            if found.get("status") != "processing" or "poll" not in found:
                return found
            record = yield from self.wait(found, max(0.0, end - time.monotonic()), call.get("query"))
            if "job_id" in found:
                return record
            # the video is ready: an address to fetch it from becomes its id
            body = {name: value for name, value in call["body"].items() if name != "video_url"}
            call["body"] = body | {"video_id": found["video_id"]}

    def upload(
        self, target: UploadTarget, content: bytes | Path, stream: bytes | Iterator[bytes] | AsyncIterator[bytes]
    ) -> _Flow:
        length = len(content) if isinstance(content, bytes) else content.stat().st_size
        request = {
            "method": target["method"],
            "url": target["upload_url"],
            "headers": {**target["headers"], "Content-Length": str(length)},
            "content": stream,
            "timeout": _UPLOAD_SECONDS,
        }
        try:
            return _answered((yield _Step(0.0, request)))
        except httpx.TransportError as error:
            raise ConnectionFailedError(f"the upload did not get through ({type(error).__name__})") from error


class Client(Operations):
    """A client that waits; to be used as a context manager, or closed.

    Parameters
    ----------
    base_url : of the service, without `/v1`
    api_key : `sk_live_…`
    http : client to send with, such as one with a proxy; None: one of our own

    Raises
    ------
    ValueError : the address is none, or ends in `/v1`
    """

    def __init__(self, base_url: str, api_key: str, http: httpx.Client | None = None) -> None:
        self._flows = _Flows(base_url, api_key)
        self._http = http or httpx.Client(timeout=_REQUEST_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _run(self, flow: _Flow) -> Any:
        try:
            step = next(flow)
            while True:
                time.sleep(step.pause)
                try:
                    answer = self._http.request(**step.request)
                except httpx.TransportError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(answer)
        except StopIteration as done:
            return done.value

    def _call(self, method: str, path: str, **call: Unpack[Call]) -> Any:
        return self._run(self._flows.call(method, path, **call))

    def _complete(self, method: str, path: str, timeout: float, **call: Unpack[Call]) -> Any:
        return self._run(self._flows.complete(method, path, timeout, **call))

    def wait(self, ticket: Mapping[str, Any], timeout: float = 600.0, query: Mapping[str, Any] | None = None) -> Any:
        """Wait for the work of a ticket, also while the service cannot be reached or refuses polls for their rate.

        Parameters
        ----------
        ticket : a 202: of a job or of a video
        timeout : s to wait at most
        query : parameters of the job's polls, such as `expand`, which no job remembers

        Returns
        -------
        the result of the job, or the record of the video

        Raises
        ------
        NotDoneError : the time is up
        VideoFailedError : the ingest failed
        ApiError : the job failed
        """
        return self._run(self._flows.wait(ticket, timeout, query))

    def upload(self, target: UploadTarget, content: bytes | Path) -> UploadReceipt:
        """Send the bytes of a video.

        Parameters
        ----------
        target : from `create_video`
        content : the bytes, or the file that holds them, which is read block by block
        """
        stream = content if isinstance(content, bytes) else _blocks(content)
        return cast(UploadReceipt, self._run(self._flows.upload(target, content, stream)))

    def ingest_file(self, path: Path, content_type: str = "video/mp4", timeout: float = 600.0) -> VideoRecord:
        """Upload a video and wait until it is ready.

        Parameters
        ----------
        path : of the file
        content_type : its media type
        timeout : s to wait for its analysis at most
        """
        target = cast(UploadTarget, self.create_video(filename=path.name, content_type=content_type))
        self.upload(target, path)
        ticket = self.ingest_video(target["video_id"], storage_key=target["storage_key"])
        return cast(VideoRecord, self.wait(ticket, timeout))


class AsyncClient(AsyncOperations):
    """The same, asynchronous, for asyncio and Trio; arguments and errors are those of `Client`."""

    def __init__(self, base_url: str, api_key: str, http: httpx.AsyncClient | None = None) -> None:
        self._flows = _Flows(base_url, api_key)
        self._http = http or httpx.AsyncClient(timeout=_REQUEST_SECONDS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _run(self, flow: _Flow) -> Any:
        try:
            step = next(flow)
            while True:
                await anyio.sleep(step.pause)
                try:
                    answer = await self._http.request(**step.request)
                except httpx.TransportError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(answer)
        except StopIteration as done:
            return done.value

    async def _call(self, method: str, path: str, **call: Unpack[Call]) -> Any:
        return await self._run(self._flows.call(method, path, **call))

    async def _complete(self, method: str, path: str, timeout: float, **call: Unpack[Call]) -> Any:
        return await self._run(self._flows.complete(method, path, timeout, **call))

    async def wait(
        self, ticket: Mapping[str, Any], timeout: float = 600.0, query: Mapping[str, Any] | None = None
    ) -> Any:
        """Wait for the work of a ticket; see `Client.wait`."""
        return await self._run(self._flows.wait(ticket, timeout, query))

    async def upload(self, target: UploadTarget, content: bytes | Path) -> UploadReceipt:
        """Send the bytes of a video; see `Client.upload`."""
        stream = content if isinstance(content, bytes) else _async_blocks(content)
        return cast(UploadReceipt, await self._run(self._flows.upload(target, content, stream)))

    async def ingest_file(self, path: Path, content_type: str = "video/mp4", timeout: float = 600.0) -> VideoRecord:
        """Upload a video and wait until it is ready; see `Client.ingest_file`."""
        target = cast(UploadTarget, await self.create_video(filename=path.name, content_type=content_type))
        await self.upload(target, path)
        ticket = await self.ingest_video(target["video_id"], storage_key=target["storage_key"])
        return cast(VideoRecord, await self.wait(ticket, timeout))


def _service_address(base_url: str) -> str:
    """The address without a slash at its end; no call to another one would arrive."""
    address = base_url.rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or address.endswith("/v1"):
        raise ValueError(f"{base_url!r} must be an address such as https://music.example, without /v1")
    return address


def _answered(answer: httpx.Response) -> Any:
    """The body of an answer; a refusal is raised."""
    try:
        body = answer.json()
    except ValueError as error:
        raise ConnectionFailedError(f"status {answer.status_code} without JSON: not the service's answer") from error
    if answer.is_success:
        return body
    facts = body.get("error", {}) if isinstance(body, dict) else {}
    raise ERRORS.get(str(facts.get("type")), ApiError)(answer.status_code, facts, _retry_after(answer))


def _is_passing(answer: httpx.Response) -> bool:
    """Whether an answer says that the service cannot be used now; a proxy says so without JSON, a job fails with it."""
    gateway = answer.status_code in (502, 504) and "json" not in answer.headers.get("content-type", "")
    return answer.status_code == 503 or gateway


def _retry_after(answer: httpx.Response) -> float | None:
    seconds = answer.headers.get("retry-after", "")
    return float(seconds) if seconds.isdigit() else None


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


async def _async_blocks(path: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        while block := await file.read(_BLOCK):
            yield block


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
