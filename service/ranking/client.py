"""Asking the resident ranking processes, over Unix sockets: one JSON line there, one JSON line back.

Each process ranks one script at a time. A process that has just died is asked again once it is back: the supervisor
starts it anew on the same path. More calls than may wait are refused at once, so that a caller
learns in milliseconds what a time-out would say later.
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
_ANSWER_SECONDS = 30.0
_PAUSE_SECONDS = 0.2
_TRIES = 25


class RankingClient:
    """The ranking processes of this service, as one of its HTTP processes sees them."""

    def __init__(self, sockets: Sequence[Path], queue: int) -> None:
        self._sockets = list(sockets)
        self._free: asyncio.Queue[Path] = asyncio.Queue()
        for socket in self._sockets:
            self._free.put_nowait(socket)
        self._waiting = 0
        self._queue = queue

    async def rank(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The lane that answers a question.

        Raises
        ------
        Problem : 503 where too many wait, or no process answers; 500 where the ranking failed
        """
        if not self._sockets:
            raise unavailable("no ranking process runs here", retry_after=30)
        if self._waiting >= self._queue:
            raise unavailable("too many scripts are waiting to be ranked", retry_after=1)
        self._waiting += 1
        try:
            socket = await self._free.get()
            try:
                async with asyncio.timeout(_ANSWER_SECONDS):
                    said = await _ask(socket, question)
            finally:
                self._free.put_nowait(socket)
        except TimeoutError:
            raise unavailable("the ranking process does not answer", retry_after=5) from None
        finally:
            self._waiting -= 1
        if "lane" not in said:
            raise Problem(int(said.get("status", 500)), str(said.get("message", "the ranking failed")))
        lane: dict[str, Any] = said["lane"]
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


async def _ask(socket: Path, question: Mapping[str, Any]) -> dict[str, Any]:
    """Ask, and ask again where the process died before it answered: ranking changes nothing, so twice does no harm."""
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
            said: dict[str, Any] = json.loads(line)
            return said
    raise unavailable("no ranking process answers", retry_after=5)
