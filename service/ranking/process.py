"""A resident process that ranks scripts: it has the catalog's snapshot and the sentence embedding in memory, and
answers one JSON line for one JSON line on a Unix socket.

It ranks one script at a time, in a thread, so that it still accepts connections meanwhile. Before each ranking it loads
the snapshot again if the catalog has changed, or a file of the snapshot.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import structlog

from service.processes.lifelines import die_with
from service.ranking.client import LINE_LIMIT
from service.store.tables import SCHEMA
from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, WorkbenchError
from workbench.results.match import lane_body
from workbench.store.catalog_revision import current_revision
from workbench.store.home import Home
from workbench.workflows.catalog import open_catalog
from workbench.workflows.underscore import the_embedding, underscore

Rank = Callable[[Mapping[str, Any]], dict[str, Any]]

log = structlog.get_logger("ranking")


def main() -> None:
    """Entry point: `python -m service.ranking.process --home DIR --socket PATH --parent PID`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--parent", type=int, required=True)
    given = parser.parse_args()
    die_with(given.parent, sys.stdin.fileno())
    asyncio.run(serve(given.socket, load_ranker(Home(given.home))))


def load_ranker(home: Home) -> Rank:
    """Load the catalog and the embedding; returns what makes a lane of the body of `POST /v1/underscore`."""
    workspace = Workspace(home, schemas=(SCHEMA,))
    snapshot = open_catalog(workspace)
    seen: int | None = None
    the_embedding(workspace)

    def rank(question: Mapping[str, Any]) -> dict[str, Any]:
        nonlocal snapshot, seen
        with workspace.database.read() as connection:
            revision = current_revision(connection)
        if revision != seen or not snapshot.is_sound:
            snapshot, seen = open_catalog(workspace), revision
        platform, brief = question.get("platform"), question.get("brief")
        lane = underscore(workspace, question["script"], snapshot=snapshot, platform=platform, brief=brief)
        return lane_body(lane, expand_full=True, with_sync=None).to_json()

    return rank


async def serve(socket: Path, rank: Rank) -> None:
    """Answer on a Unix socket, to this user alone, until SIGTERM or SIGINT, then finish the ranking that runs.

    Prints `ready` once the socket accepts connections.
    """
    turn = asyncio.Lock()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline()
            if line.endswith(b"\n"):
                async with turn:
                    answered = await asyncio.to_thread(_answer_line, rank, line)
                writer.write(json.dumps(answered).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, asyncio.LimitOverrunError) as error:
            log.warning("lost", reason=str(error))
        finally:
            writer.close()

    socket.unlink(missing_ok=True)
    server = await asyncio.start_unix_server(answer, socket, limit=LINE_LIMIT)
    socket.chmod(0o600)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    print("ready", flush=True)
    async with server:
        await stop.wait()
        async with turn:  # waits for the ranking that runs
            pass


def _answer_line(rank: Rank, line: bytes) -> dict[str, Any]:
    """The answer to one line; errors are answers too, because one bad script must not end the process."""
    try:
        return {"lane": rank(json.loads(line))}
    except InputError as error:
        return {"status": 422, "message": str(error)}
    except WorkbenchError as error:
        log.error("cannot rank", reason=str(error))
        return {"status": 503, "message": "the catalog cannot be read at the moment"}
    except Exception:
        log.exception("failed")
        return {"status": 500, "message": "the ranking failed; it was logged"}


if __name__ == "__main__":
    main()
