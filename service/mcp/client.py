"""Calls to the service over HTTP, with the caller's own key, and the waiting that a tool does for its caller.

Work that the service answers with 202 is polled until it is done or the time is up; a video that is still being
ingested is waited for and the call is made again. Polling keeps well under the rate limit of a key, and a 429 is waited
out as the service says.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2

Report = Callable[[float, str], Awaitable[None]]
"""called with the seconds waited and what is waited for"""

_FIRST_PAUSE, _LONGEST_PAUSE, _GROWTH = 0.5, 3.0, 1.3
_REQUEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the service answered."""

    status: int
    body: dict[str, Any]
    retry_after: float | None = None


class ServiceClient:
    """The service at one address, called with one key."""

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
        """One request. A service that cannot be reached, or answers no JSON, is a `502` in the Error body's shape."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        parameters = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        try:
            answer = await self._http.request(method, path, json=body, params=parameters, headers=headers)
            answered = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            message = f"the service cannot be reached ({type(error).__name__})"
            return Reply(502, {"error": {"type": "upstream_error", "message": message, "request_id": None}})
        pause = answer.headers.get("retry-after", "")
        return Reply(answer.status_code, answered, float(pause) if pause.isdigit() else None)

    async def wait_until_settled(
        self,
        ask: Callable[[], Awaitable[Reply]],
        seconds: float,
        report: Report,
        query: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The answer to a call once its work is done, or the ticket of the work when the time is up.

        Parameters
        ----------
        ask : makes the call; it is made again when it had to wait for a video
        seconds : to wait at most
        report : called before each pause
        query : what to ask the job for when it is polled
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


def _is_video(reply: Reply) -> bool:
    """Whether a reply is the record of a video that something else waits for."""
    return reply.status == 200 and "ready" in reply.body and "job_id" not in reply.body


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
