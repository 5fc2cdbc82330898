"""Client of the resident ranking processes: one JSON line each way over a Unix socket.

Each process ranks one script at a time. If a process dies, the call is repeated once the supervisor has restarted it on
the same path. When too many calls wait already, a call is refused at once, so that the caller learns in milliseconds
what would otherwise be a time-out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from service.errors import Problem, unavailable

LINE_LIMIT = 16 * 2**20
"""bytes of one line; a lane with its pool has some 100 kB"""
_ANSWER_SECONDS = 30.0  # of a call, once a process is free for it
_PAUSE_SECONDS = 0.2  # between two tries to connect
_TRIES = 25  # 5 s in all, so that a process can be restarted meanwhile


class RankingClient:
    """Calls the ranking processes for one HTTP process; at most `queue` calls wait or are ranked at a time."""

    def __init__(self, sockets: Sequence[Path], queue: int) -> None:
        self._sockets = list(sockets)
        self._free: asyncio.Queue[Path] = asyncio.Queue()
        for socket in self._sockets:
            self._free.put_nowait(socket)
        self._waiting = 0
        self._queue = queue

    async def rank(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Rank the catalog for the body of `POST /v1/underscore`: the lane as JSON, with full tracks and candidates."""
        if not self._sockets:
            raise unavailable("no ranking process runs here", retry_after=30)
        if self._waiting >= self._queue:
            raise unavailable("too many scripts are waiting to be ranked", retry_after=1)
        self._waiting += 1
        try:
            socket = await self._free.get()
            try:
                async with asyncio.timeout(_ANSWER_SECONDS):
                    reply = await _call(socket, question)
            finally:
                self._free.put_nowait(socket)
        except TimeoutError:
            raise unavailable("the ranking process does not answer", retry_after=5) from None
        finally:
            self._waiting -= 1
        if "lane" not in reply:
            raise Problem(int(reply.get("status", 500)), str(reply.get("message", "the ranking failed")))
        lane: dict[str, Any] = reply["lane"]
        return lane

    async def is_alive(self) -> bool:
        """Whether a ranking process accepts connections."""
        for socket in self._sockets:
            try:
                _, writer = await asyncio.open_unix_connection(socket)
            except OSError:
                continue
            writer.close()
            return True
        return False


async def _call(socket: Path, question: Mapping[str, Any]) -> dict[str, Any]:
    """Call a process, again if it dies before it replies: ranking changes nothing, so a repeat does no harm."""
    for _ in range(_TRIES):
        try:
            reader, writer = await asyncio.open_unix_connection(socket, limit=LINE_LIMIT)
        except OSError:
            await asyncio.sleep(_PAUSE_SECONDS)
            continue
        try:
            writer.write(json.dumps(question).encode() + b"\n")
            await writer.drain()
            line = await reader.readline()
        except OSError:
            continue
        finally:
            writer.close()
        if line.endswith(b"\n"):
            reply: dict[str, Any] = json.loads(line)
            return reply
    raise unavailable("no ranking process answers", retry_after=5)
