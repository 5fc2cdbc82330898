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
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import urlsplit

import anyio
import httpx

from service.clients.python.errors import (
    ApiError,
    ClientError,
    ConnectionFailedError,
    NotDoneError,
    VideoFailedError,
)
from service.clients.python.generated import (
    ERRORS,
    AsyncOperations,
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


class _Request:
    """One request, how often it may be sent again, and what its answer comes to."""

    def __init__(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
        idempotency_key: str | None,
        retries: int,
    ) -> None:
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        parameters = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        self.arguments: dict[str, Any] = {
            "method": method, "url": path, "json": body, "params": parameters, "headers": headers,
        }  # fmt: skip
        self._harmless = method == "GET" or (idempotency_key is not None and "video_url" not in (body or {}))
        self._left = retries

    def failed(self, error: Exception) -> float:
        """Seconds until it is sent again after it did not get through.

        Raises
        ------
        ValueError : it is nothing that can be sent, such as for a line break in its Idempotency-Key
        ConnectionFailedError : it is not sent again
        """
        if isinstance(error, httpx.LocalProtocolError):
            raise ValueError(f"the request cannot be sent: {error}") from error
        self._left -= 1
        if self._left < 0 or not self._harmless:
            raise ConnectionFailedError(f"the service cannot be reached ({type(error).__name__})") from error
        return _FIRST_PAUSE

    def again_after(self, answer: httpx.Response) -> float | None:
        """Seconds until it is sent again after this answer; None: it is not."""
        if answer.status_code == 429 or (self._harmless and _is_passing(answer)):
            self._left -= 1
            return None if self._left < 0 else _retry_after(answer) or _FIRST_PAUSE
        return None


class _Poll:
    """The pauses between the polls of one ticket, which grow."""

    def __init__(self, ticket: Mapping[str, Any], timeout: float) -> None:
        self.ticket, self.path = ticket, str(ticket["poll"])
        self._timeout, self._end = timeout, time.monotonic() + timeout
        self._pause = self._next = _FIRST_PAUSE

    def pause(self) -> float:
        """Seconds until the next poll.

        Raises
        ------
        NotDoneError : the time would be up by then
        """
        if time.monotonic() + self._next > self._end:
            raise NotDoneError(self.ticket, self._timeout)
        return self._next

    def goes_on(self, answer: httpx.Response) -> None:
        """Make the pause longer, because the work goes on."""
        self._pause = min(_LONGEST_PAUSE, self._pause * _GROWTH)
        self._next = max(self._pause, _retry_after(answer) or 0.0)

    def failed(self, error: ClientError) -> None:
        """Poll again, because the work goes on though this poll was not answered."""
        self._next = max(_FIRST_PAUSE, (error.retry_after if isinstance(error, ApiError) else None) or 0.0)


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
        self._base_url, self._headers = _service_address(base_url), {"Authorization": f"Bearer {api_key}"}
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

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        retries: int = _RETRIES,
    ) -> httpx.Response:
        request = _Request(method, path, body, query, idempotency_key, retries)
        while True:
            try:
                answer = self._http.request(**_addressed(request.arguments, self._base_url, self._headers))
            except httpx.TransportError as error:
                time.sleep(request.failed(error))
                continue
            seconds = request.again_after(answer)
            if seconds is None:
                return answer
            time.sleep(seconds)

    def _call(self, method: str, path: str, **more: Any) -> Any:
        return _answered(self._send(method, path, **more))

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
        poll = _Poll(ticket, timeout)
        while True:
            time.sleep(poll.pause())
            try:
                answer = self._send("GET", poll.path, query=query if "job_id" in ticket else None, retries=0)
                found = _answered(answer)
            except _PASSING as error:
                poll.failed(error)
                continue
            if not _is_running(answer, found):
                return _settled(found)
            poll.goes_on(answer)

    def _complete(
        self, submit: Callable[..., Any], body: Mapping[str, Any], query: Mapping[str, Any], timeout: float
    ) -> Any:
        end = time.monotonic() + timeout
        while _is_ticket(found := submit(**body)):
            record = self.wait(found, max(0.0, end - time.monotonic()), query)
            if "job_id" in found:
                return record
            body = _with_video(body, found)
        return found

    def upload(self, target: UploadTarget, content: bytes | Path) -> UploadReceipt:
        """Send the bytes of a video.

        Parameters
        ----------
        target : from `create_video`
        content : the bytes, or the file that holds them, which is read block by block
        """
        try:
            answer = self._http.request(
                target["method"], target["upload_url"], headers=_upload_headers(target, content),
                content=content if isinstance(content, bytes) else _blocks(content), timeout=_UPLOAD_SECONDS,
            )  # fmt: skip
        except httpx.TransportError as error:
            raise ConnectionFailedError(f"the upload did not get through ({type(error).__name__})") from error
        return cast(UploadReceipt, _answered(answer))

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
    """The same, asynchronous, for asyncio and Trio.

    Parameters
    ----------
    base_url : of the service, without `/v1`
    api_key : `sk_live_…`
    http : client to send with, such as one with a proxy; None: one of our own

    Raises
    ------
    ValueError : the address is none, or ends in `/v1`
    """

    def __init__(self, base_url: str, api_key: str, http: httpx.AsyncClient | None = None) -> None:
        self._base_url, self._headers = _service_address(base_url), {"Authorization": f"Bearer {api_key}"}
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

    async def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        retries: int = _RETRIES,
    ) -> httpx.Response:
        request = _Request(method, path, body, query, idempotency_key, retries)
        while True:
            try:
                answer = await self._http.request(**_addressed(request.arguments, self._base_url, self._headers))
            except httpx.TransportError as error:
                await anyio.sleep(request.failed(error))
                continue
            seconds = request.again_after(answer)
            if seconds is None:
                return answer
            await anyio.sleep(seconds)

    async def _call(self, method: str, path: str, **more: Any) -> Any:
        return _answered(await self._send(method, path, **more))

    async def wait(
        self, ticket: Mapping[str, Any], timeout: float = 600.0, query: Mapping[str, Any] | None = None
    ) -> Any:
        """Wait for the work of a ticket; see `Client.wait`.

        Parameters
        ----------
        ticket : a 202: of a job or of a video
        timeout : s to wait at most
        query : parameters of the job's polls, such as `expand`, which no job remembers
        """
        poll = _Poll(ticket, timeout)
        while True:
            await anyio.sleep(poll.pause())
            try:
                answer = await self._send("GET", poll.path, query=query if "job_id" in ticket else None, retries=0)
                found = _answered(answer)
            except _PASSING as error:
                poll.failed(error)
                continue
            if not _is_running(answer, found):
                return _settled(found)
            poll.goes_on(answer)

    async def _complete(
        self, submit: Callable[..., Awaitable[Any]], body: Mapping[str, Any], query: Mapping[str, Any], timeout: float
    ) -> Any:
        end = time.monotonic() + timeout
        while _is_ticket(found := await submit(**body)):
            record = await self.wait(found, max(0.0, end - time.monotonic()), query)
            if "job_id" in found:
                return record
            body = _with_video(body, found)
        return found

    async def upload(self, target: UploadTarget, content: bytes | Path) -> UploadReceipt:
        """Send the bytes of a video.

        Parameters
        ----------
        target : from `create_video`
        content : the bytes, or the file that holds them, which is read block by block
        """
        try:
            answer = await self._http.request(
                target["method"], target["upload_url"], headers=_upload_headers(target, content),
                content=content if isinstance(content, bytes) else _async_blocks(content), timeout=_UPLOAD_SECONDS,
            )  # fmt: skip
        except httpx.TransportError as error:
            raise ConnectionFailedError(f"the upload did not get through ({type(error).__name__})") from error
        return cast(UploadReceipt, _answered(answer))

    async def ingest_file(self, path: Path, content_type: str = "video/mp4", timeout: float = 600.0) -> VideoRecord:
        """Upload a video and wait until it is ready.

        Parameters
        ----------
        path : of the file
        content_type : its media type
        timeout : s to wait for its analysis at most
        """
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


def _addressed(arguments: Mapping[str, Any], base_url: str, headers: Mapping[str, str]) -> dict[str, Any]:
    return {**arguments, "url": base_url + arguments["url"], "headers": {**arguments["headers"], **headers}}


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
    told = answer.headers.get("retry-after", "")
    return float(told) if told.isdigit() else None


def _is_ticket(body: Mapping[str, Any]) -> bool:
    return body.get("status") == "processing" and "poll" in body


def _is_running(answer: httpx.Response, body: Mapping[str, Any]) -> bool:
    return answer.status_code == 202 or body.get("status") == "processing"


def _settled(body: Mapping[str, Any]) -> Mapping[str, Any]:
    if body.get("status") == "failed":
        raise VideoFailedError(body)
    return body


def _with_video(body: Mapping[str, Any], ticket: Mapping[str, Any]) -> dict[str, Any]:
    """The body for a call after its video is ready: an address to fetch it from becomes its id."""
    kept = {name: value for name, value in body.items() if name != "video_url"}
    return {**kept, "video_id": ticket["video_id"]}


def _upload_headers(target: UploadTarget, content: bytes | Path) -> dict[str, str]:
    length = len(content) if isinstance(content, bytes) else content.stat().st_size
    return {**target["headers"], "Content-Length": str(length)}


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
