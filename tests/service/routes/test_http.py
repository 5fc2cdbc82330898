"""A call that waits for a job with little left to do, and whose names its answer has."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from service import cache_keys
from service.answers import align, loop
from service.answers.answer import Answer, Call
from service.errors import Problem
from service.processes.wakeup import WakeupPipe
from service.routes.http import base_url, respond_soon
from service.schemas.requests import AlignRequest, LoopRequest
from service.settings import ServiceSettings
from service.store import accounts, answers, jobs, video_owners
from service.store.api_keys import Caller
from service.store.tables import SCHEMA
from service.store.transactions import Transactions
from service.store.video_owners import OwnedVideo
from workbench.store import videos
from workbench.store.database import Database, now, recordings, tracks

Family = tuple[Any, type[LoopRequest | AlignRequest], Callable[..., str]]
FAMILIES: dict[str, Family] = {
    "loop": (loop, LoopRequest, cache_keys.loop_key),
    "align": (align, AlignRequest, cache_keys.align_key),
}
FACTS: dict[str, dict[str, Any]] = {
    "loop": {"applicable": True, "plan": {"applicable": True}},
    "align": {"sync_points": []},
}
MIX = {"voiceover": False, "classification": "ambient", "duck": None}

ADA = Caller("ada", "key_1", preview=False, pays_freely=True, has_credit=False)


@pytest.fixture
def stored(database: Database, tmp_path: Path) -> Database:
    """The same bytes as two videos and two tracks, whose plan and placements are stored without their mix."""
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        accounts.update(connection, "ada", payment_method=True)
        for number in (1, 2):
            video_owners.create(connection, OwnedVideo(f"vid_{number}", "ada", "ready"))
            path = tmp_path / f"{number}.mp4"
            videos.put(connection, f"vid_{number}", path, content_hash="vv", title="A video", seconds=300.0)
            row = {"track_id": f"trk_{number}", "path": f"/{number}", "content_hash": "tt", "state": "present"}
            fields = json.dumps({"catalog_song_id": f"song_{number}"})
            connection.execute(tracks.insert().values(**row, fields=fields, added_at=now(), updated_at=now()))
        measured = json.dumps({"duration_seconds": 60.0})
        row = {"content_hash": "tt", "measured": measured, "descriptor": "", "analysis": "", "measured_at": now()}
        connection.execute(recordings.insert().values(**row))
        for kind, (_, _, key) in FAMILIES.items():
            answers.store(connection, key("vv", "tt", "", ""), kind, FACTS[kind])
    return database


def ask(database: Database, kind: str, number: int) -> Answer:
    """The answer to a call for the mix, under the names of this number."""
    family, model, _ = FAMILIES[kind]
    body = model(video_id=f"vid_{number}", track_id=f"trk_{number}", auto_mix=True)
    call = Call(
        ADA,
        f"req_{number}",
        f"POST /v1/{kind}",
        ServiceSettings(),
    )
    with database.write() as connection:
        answer: Answer = family.submit(connection, call, body)
        return answer


def complete(database: Database, kind: str) -> None:
    """Complete the job, under the names that it was first asked for."""
    with database.write() as connection:
        held = jobs.claim(connection, [jobs.MAIN], "tests", 600.0)
        assert held is not None
        names = {"video_id": held.video_id, "track_id": held.track_id, "job_id": held.job_id}
        assert jobs.complete(connection, held, {**names, **FACTS[kind], "mix": MIX}, billed=True)


async def respond(database: Database, kind: str, number: int, *, is_completed: bool) -> Any:
    """The response to a call under the names of this number, during which the job is completed or is not."""
    answer = ask(database, kind, number)
    assert answer.soon is not None
    transactions = Transactions(Database(database.url, (SCHEMA,)), WakeupPipe(None))
    request: Any = SimpleNamespace(app=SimpleNamespace(ctx=SimpleNamespace(transactions=transactions)))
    try:
        waiting = asyncio.create_task(respond_soon(request, answer))
        await asyncio.sleep(0)  # it waits before the job is complete
        if is_completed:
            await asyncio.to_thread(complete, database, kind)
        return await waiting
    finally:
        transactions.close()


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_call_that_waited_gets_the_result_under_its_own_names(stored: Database, kind: str) -> None:
    """The job was begun for another track and another video with the same bytes."""
    ask(stored, kind, 1)
    response = asyncio.run(respond(stored, kind, 2, is_completed=True))
    body = json.loads(response.body)
    assert (response.status, body["mix"]) == (200, MIX)
    assert (body["video_id"], body["track_id"]) == ("vid_2", "trk_2")
    assert "job_id" not in body
    if kind == "loop":
        assert body["track"]["catalog_song_id"] == "song_2"


def test_a_job_that_takes_longer_is_left_to_be_polled(stored: Database) -> None:
    response = asyncio.run(respond(stored, "loop", 1, is_completed=False))
    assert (response.status, json.loads(response.body)["status"]) == (202, "processing")


@pytest.mark.parametrize("host", ["localhost", "music.example:8000", "http_1:80", "127.0.0.1", "[::1]:8000"])
def test_links_lead_where_the_request_was_sent(host: str) -> None:
    assert base_url(_sent_to(host)) == f"http://{host}"
    assert base_url(_sent_to(host, public_url="https://music.example/")) == "https://music.example"


def test_links_behind_a_proxy_are_https_unless_it_says_otherwise() -> None:
    """It ends TLS, and the request that it passes on is plain."""
    assert base_url(_sent_to("music.example", behind_proxy=True)) == "https://music.example"
    assert base_url(_sent_to("music.example", behind_proxy=True, forwarded={"proto": "http"})) == "http://music.example"


@pytest.mark.parametrize("host", ["", "a b", "a\udcff", "a/b", "a:b", "[::1", "a\nb"])
def test_a_request_that_was_sent_nowhere_gets_no_link(host: str) -> None:
    with pytest.raises(Problem) as refused:
        base_url(_sent_to(host))
    assert refused.value.status == 400
    assert base_url(_sent_to(host, public_url="https://music.example")) == "https://music.example"


def _sent_to(
    host: str, public_url: str | None = None, behind_proxy: bool = False, forwarded: dict[str, str] | None = None
) -> Any:
    config = SimpleNamespace(behind_proxy=behind_proxy)
    context = SimpleNamespace(settings=ServiceSettings(public_url=public_url), config=config)
    return SimpleNamespace(host=host, scheme="http", forwarded=forwarded or {}, app=SimpleNamespace(ctx=context))
