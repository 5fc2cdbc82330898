"""Calls to the service over HTTP with the caller's own key, and polling until their work is done.

Work that the service answers with 202 is polled until it is done or the time is up. If a call has to wait for the
ingest of a video, it is made again once the video is ready. Polling stays well below the rate limit of a key; after a
429 or 503 the client waits as long as the service asks, and polls go on while the service is started again.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2

Report = Callable[[float, str], Awaitable[None]]
"""called with the seconds waited so far and the stage or status of the work"""

_FIRST_PAUSE, _LONGEST_PAUSE, _GROWTH = 0.5, 3.0, 1.3  # s; 24 polls in the first minute, 20 in each after that
_REQUEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A response of the service."""

    status: int
    body: dict[str, Any]
    retry_after: float | None = None
    """s, from the header of that name"""
    unreached: bool = False
    """whether it stands for a service that did not answer, such as while it is started again"""


class ServiceClient:
    """A client of the service; to be used as an async context manager.

    `base_url` is without `/v1`. If `api_key` is None, no key is sent, and the service answers 401.
    """

    def __init__(self, base_url: str, api_key: str | None) -> None:
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._http = httpx2.AsyncClient(
            base_url=base_url.rstrip("/"), headers=headers, timeout=_REQUEST_SECONDS, trust_env=False
        )

    async def __aenter__(self) -> ServiceClient:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._http.__aexit__(*raised)

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Reply:
        """Make one request; a service that cannot be reached or does not answer JSON is a 502 with an Error body.

        Parameters of the query that are None are left out.
        """
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        parameters = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        try:
            answer = await self._http.request(method, path, json=body, params=parameters, headers=headers)
        except httpx2.HTTPError as error:
            return _unreached(f"the service cannot be reached ({type(error).__name__})")
        try:
            answered = answer.json()
        except ValueError:
            return _unreached(f"status {answer.status_code} without JSON: not the service's answer")
        pause = answer.headers.get("retry-after", "")
        return Reply(answer.status_code, answered, float(pause) if pause.isdigit() else None)

    async def wait_until_settled(
        self,
        ask: Callable[[], Awaitable[Reply]],
        seconds: float,
        report: Report,
        query: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Make a call and wait until its work is done; if `seconds` are up, the reply is the 202 with its ticket.

        `ask` makes the call, again once the video that it had to wait for is ready; `report` is called before each
        pause; `query` goes with polls of the job.
        """
        began, pause = time.monotonic(), _FIRST_PAUSE
        reply = ticket = await ask()
        while time.monotonic() - began < seconds:
            if reply.status == 429:
                wait = reply.retry_after or _LONGEST_PAUSE
            elif reply.status == 202:
                ticket, wait, pause = reply, pause, min(_LONGEST_PAUSE, pause * _GROWTH)
            elif _is_video(reply) and ticket.status == 202:
                if reply.body.get("status") != "processing":
                    reply = await ask()
                    ticket = reply
                    continue
                wait, pause = pause, min(_LONGEST_PAUSE, pause * _GROWTH)
            elif ticket.status == 202 and (reply.unreached or reply.status == 503):
                wait = reply.retry_after or _LONGEST_PAUSE  # the work goes on all the same, and polls are free
            else:
                return reply
            waited = time.monotonic() - began
            if waited + wait >= seconds:
                break
            await report(waited, str(ticket.body.get("stage") or ticket.body.get("status") or "waiting"))
            await anyio.sleep(wait)
            poll = ticket.body.get("poll")
            parameters = query if "job_id" in ticket.body else None
            reply = await (ask() if poll is None else self.call("GET", str(poll), None, parameters))
        return ticket if ticket.status == 202 else reply


def _unreached(message: str) -> Reply:
    return Reply(502, {"error": {"type": "upstream_error", "message": message, "request_id": None}}, unreached=True)


def _is_video(reply: Reply) -> bool:
    """Whether a reply is the record of a video that the call waits for."""
    return reply.status == 200 and "ready" in reply.body and "job_id" not in reply.body


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
