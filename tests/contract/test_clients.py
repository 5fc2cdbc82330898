"""The client libraries against a running service, one script for all: Python, sync and async, and TypeScript."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import threading
import time
import traceback
import venv
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import sqlalchemy as sa

from service.clients.generate import PYTHON, TYPESCRIPT
from service.clients.python import (
    ApiError,
    AsyncClient,
    Client,
    ClientError,
    NotDoneError,
    VideoFailedError,
    WebhookError,
    sign_webhook,
    verify_webhook,
)
from service.store.tables import api_keys, rate_windows

PAIR = {"video_id": "vid_long", "track_id": "trk_corner"}
EXPECTED = {
    "video": ["ready", True],
    "match": [10, 12],
    "underscore": 10,
    "missing": ["NotFoundError", 404, []],
    "invalid": ["InvalidRequestError", 422, ["track_id"]],
    "stranger": ["AuthenticationError", 401, []],
    "nowhere": ["ConnectionFailedError"],
    "webhook": [200, "spend_cap.set", "the webhook's signature is wrong"],
}


def facts_of(error: ClientError) -> list[Any]:
    name = type(error).__name__
    return [name, error.status, [one["field"] for one in error.details]] if isinstance(error, ApiError) else [name]


def refused(call: Callable[[], Any]) -> list[Any]:
    with pytest.raises(ClientError) as raised:
        call()
    return facts_of(raised.value)


async def refused_async(call: Awaitable[Any]) -> list[Any]:
    with pytest.raises(ClientError) as raised:
        await call
    return facts_of(raised.value)


def webhook(url: str, secret: str) -> list[Any]:
    body = json.dumps({"type": "spend_cap.set", "data": {"account": "nobody", "amount_usd": 5}}).encode()
    headers = sign_webhook(secret, f"msg_{secrets.token_hex(8)}", body)
    sent = httpx.post(
        f"{url}/v1/webhooks/billing/credit", content=body, headers=headers | {"Content-Type": "application/json"}
    )
    with pytest.raises(WebhookError) as forged:
        verify_webhook(secret, headers, body + b" ")
    return [sent.status_code, verify_webhook(secret, headers, body)["type"], str(forged.value)]


def told(video: Any, loop: Any, align: Any, lane: Any, script: Any, beats: tuple[Any, Any, Any]) -> dict[str, Any]:
    first, again, grid = beats
    return {
        "video": [video["status"], video["ready"]],
        "loop": [loop["applicable"], loop["plan"]["end_label"], loop["plan"]["bars"]],
        "align": [align["status"], len(align["sync_points"])],
        "match": [len(lane["matches"]), len(lane["candidate_pool"])],
        "underscore": len(script["matches"]),
        "beats": [first["job_id"] == again["job_id"], grid["status"], grid["track_id"], len(grid["downbeats"])],
    }


def run_python(url: str, key: str, secret: str, audio: str, path: Path) -> dict[str, Any]:
    with (
        Client(url, key) as client,
        Client(url, "sk_live_wrong") as stranger,
        Client("http://127.0.0.1:9", key) as lost,
    ):
        first = client.submit_beats(idempotency_key="once", audio_url=audio, track_id="mine")
        again = client.submit_beats(idempotency_key="once", audio_url=audio, track_id="mine")
        found = told(
            client.ingest_file(path),
            client.loop(video_id="vid_long", track_id="trk_corner"),
            client.align(video_id="vid_long", track_id="trk_corner"),
            client.match(expand="full", video_id="vid_long")["lane"],
            client.submit_underscore(script="A quiet morning by the sea.")["lane"],
            (first, again, client.wait(first)),
        )
        broken: Any = {"video_id": "vid_long"}
        return {
            **found,
            "missing": refused(lambda: client.get_video("nobody/at all")),
            "invalid": refused(lambda: client.submit_loop(**broken)),
            "stranger": refused(lambda: stranger.get_video("vid_long")),
            "nowhere": refused(lambda: lost.submit_loop(video_id="vid_long", track_id="trk_corner")),
            "webhook": webhook(url, secret),
        }


async def run_async(url: str, key: str, secret: str, audio: str, path: Path) -> dict[str, Any]:
    async with (
        AsyncClient(url, key) as client,
        AsyncClient(url, "sk_live_wrong") as stranger,
        AsyncClient("http://127.0.0.1:9", key) as lost,
    ):
        first = await client.submit_beats(idempotency_key="once", audio_url=audio, track_id="mine")
        again = await client.submit_beats(idempotency_key="once", audio_url=audio, track_id="mine")
        found = told(
            await client.ingest_file(path),
            await client.loop(video_id="vid_long", track_id="trk_corner"),
            await client.align(video_id="vid_long", track_id="trk_corner"),
            (await client.match(expand="full", video_id="vid_long"))["lane"],
            (await client.submit_underscore(script="A quiet morning by the sea."))["lane"],
            (first, again, await client.wait(first)),
        )
        broken: Any = {"video_id": "vid_long"}
        return {
            **found,
            "missing": await refused_async(client.get_video("nobody/at all")),
            "invalid": await refused_async(client.submit_loop(**broken)),
            "stranger": await refused_async(stranger.get_video("vid_long")),
            "nowhere": await refused_async(lost.submit_loop(video_id="vid_long", track_id="trk_corner")),
            "webhook": webhook(url, secret),
        }


def node() -> str:
    """A Node that runs TypeScript as it is (22.18 and later): the one on the path, or the one of Playwright."""
    candidates = [shutil.which("node")]
    playwright = importlib.util.find_spec("playwright")
    if playwright is not None and playwright.origin is not None:
        candidates.append(str(Path(playwright.origin).parent / "driver" / "node"))
    for path in candidates:
        if path is not None and Path(path).exists():
            version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
            found = re.match(r"v(\d+)\.(\d+)", version)
            if found is not None and (int(found[1]), int(found[2])) >= (22, 18):
                return path
    pytest.skip("no Node 22.18 or later on this machine: the TypeScript client is not run")


def run_script(script: str) -> str:
    """What a script prints, which may import the client as it is."""
    command = [node(), "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_typescript(url: str, key: str, secret: str, audio: str, path: Path) -> dict[str, Any]:
    script, client = Path(__file__).with_name("clients_end_to_end.ts"), TYPESCRIPT.with_name("client.ts")
    arguments = [url, key, secret, audio, str(path), client.as_uri()]
    done = subprocess.run([node(), str(script), *arguments], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def run_python_async(url: str, key: str, secret: str, audio: str, path: Path) -> dict[str, Any]:
    return anyio.run(run_async, url, key, secret, audio, path)


@pytest.mark.slow
@pytest.mark.parametrize("run", [run_python, run_python_async, run_typescript])
def test_every_client_passes_the_same_script(
    service: Any, site: Any, customer: Any, settings: dict[str, str], run: Any
) -> None:
    secret = settings["WORKBENCH_WEBHOOK_SECRET"]
    found = run(service.url, customer.key, secret, f"{site.url}/track.flac", site.folder / "short.mp4")
    pair = customer.answered("/v1/loop", PAIR)["plan"]
    placed = customer.answered("/v1/align", PAIR)
    assert found == EXPECTED | {
        "loop": [True, pair["end_label"], pair["bars"]],
        "align": ["complete", len(placed["sync_points"])],
        "beats": [True, "complete", "mine", found["beats"][3]],
    }
    assert found["beats"][3] > 4
    beats = [row for row in customer.charges() if row[0] == "POST /v1/beats"]
    assert len(beats) == 1, "the repeat with the same key is the same job"


def test_typescript_refuses_a_webhook_secret_that_everybody_knows() -> None:
    script = f"""
        const {{ WebhookError, signWebhook, verifyWebhook }} = await import(
          {json.dumps(TYPESCRIPT.with_name("client.ts").as_uri())}
        )
        for (const secret of ["", "whsec_", "whsec_!!!!", "whsec_c2Vj!cmV0"])
          for (const call of [
            () => signWebhook(secret, "msg_1", "{{}}"),
            () => verifyWebhook(secret, {{ "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(Date.now() /
              1000)), "webhook-signature": "v1,AAAA" }}, "{{}}"),
          ]) {{
            const error = await call().then(() => undefined, (error) => error)
            if (!(error instanceof WebhookError) || !error.message.startsWith("the secret is"))
              throw new Error(`${{secret}}: ${{error}}`)
          }}
    """
    run_script(script)


NO_SERVICES = (
    "http://127.0.0.1:8000/v1",
    "http://127.0.0.1:8000/v1/",
    "127.0.0.1:8000",
    "localhost:8000",
    "https://",
    "",
)


@pytest.mark.parametrize("base_url", NO_SERVICES)
def test_an_address_where_no_call_would_arrive_is_refused_at_once(base_url: str) -> None:
    """With `/v1` each call was a path that is not there; without a scheme the service could not be reached."""
    for kind in (Client, AsyncClient):
        with pytest.raises(ValueError, match="without /v1"):
            kind(base_url, "sk_live_x")


def test_typescript_refuses_it_too() -> None:
    script = f"""
        const {{ Client }} = await import({json.dumps(TYPESCRIPT.with_name("client.ts").as_uri())})
        for (const address of {json.dumps(NO_SERVICES)}) {{
          let said = ""
          try {{ new Client(address, "sk_live_x") }} catch (error) {{ said = `${{error}}` }}
          if (!said.startsWith("TypeError") || !said.includes("without /v1")) throw new Error(`${{address}}: ${{said}}`)
        }}
        new Client("https://music.example/", "sk_live_x")
    """
    run_script(script)


@pytest.fixture
def overloaded() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that answers 503 to all: its address, and the bodies that it got."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(503)
            self.send_header("Retry-After", "1")
            self.send_header("Content-Type", "application/json")
            content = b'{"error": {"type": "overloaded", "message": "later"}}'
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", got
        server.shutdown()
        thread.join()


def match_python(url: str, body: dict[str, Any]) -> None:
    with Client(url, "sk_live_x") as client, pytest.raises(ApiError):
        client.submit_match(idempotency_key="once", **body)


def match_python_async(url: str, body: dict[str, Any]) -> None:
    async def call() -> None:
        async with AsyncClient(url, "sk_live_x") as client:
            with pytest.raises(ApiError):
                await client.submit_match(idempotency_key="once", **body)

    anyio.run(call)


def match_typescript(url: str, body: dict[str, Any]) -> None:
    script = f"""
        const {{ ApiError, Client }} = await import({json.dumps(TYPESCRIPT.with_name("client.ts").as_uri())})
        const client = new Client({json.dumps(url)}, "sk_live_x")
        try {{ await client.submitMatch({json.dumps(body)}, {{ idempotencyKey: "once" }}) }}
        catch (error) {{ process.exit(error instanceof ApiError ? 0 : 2) }}
        process.exit(1)
    """
    run_script(script)


@pytest.mark.parametrize("match", [match_python, match_python_async, match_typescript])
def test_a_call_that_makes_a_video_is_not_sent_again(
    overloaded: tuple[str, list[dict[str, Any]]], match: Callable[[str, dict[str, Any]], None]
) -> None:
    """Its key would not keep the repeat from making, and charging, another video."""
    url, got = overloaded
    match(url, {"video_url": "https://example.com/a.mp4"})
    assert got == [{"video_url": "https://example.com/a.mp4"}]
    match(url, {"video_id": "vid_1"})
    assert got[1:] == [{"video_id": "vid_1"}] * 4, "a ranking with the key is the same one"


def test_a_key_that_no_header_can_carry_is_the_callers_fault_and_tried_once(
    overloaded: tuple[str, list[dict[str, Any]]],
) -> None:
    """It is not taken for a service that cannot be reached, which is tried for seconds."""
    url, got = overloaded
    with Client(url, "sk_live_x") as client, pytest.raises(ValueError, match="cannot be sent"):
        client.submit_match(idempotency_key="two\nlines", video_id="vid_1")
    with Client(url, "sk_live_very\nsecret") as client, pytest.raises(ValueError, match="API key") as told:
        client.submit_match(video_id="vid_1")
    assert "secret" not in "".join(traceback.format_exception(told.value, limit=0)), "it may end in a log"

    async def call() -> None:
        async with AsyncClient(url, "sk_live_x") as client:
            with pytest.raises(ValueError, match="cannot be sent"):
                await client.submit_match(idempotency_key="two\nlines", video_id="vid_1")

    anyio.run(call)
    script = f"""
        const {{ Client }} = await import({json.dumps(TYPESCRIPT.with_name("client.ts").as_uri())})
        const client = new Client({json.dumps(url)}, "sk_live_x")
        try {{ await client.submitMatch({{ video_id: "vid_1" }}, {{ idempotencyKey: "two\\nlines" }}) }}
        catch (error) {{ process.exit(error instanceof TypeError ? 0 : 2) }}
        process.exit(1)
    """
    run_script(script)
    assert got == []


def test_a_refusal_for_the_rate_is_waited_out(service: Any, customer: Any) -> None:
    customer.get("/v1/videos/vid_long")
    whose = sa.select(api_keys.c.key_id).where(api_keys.c.account == customer.account).scalar_subquery()
    opened_at = time.time() - 57.0
    used_up = {"opened_at": opened_at, "requests": 10**6}
    service.changed(rate_windows.update().where(rate_windows.c.key_id == whose).values(**used_up))
    with Client(service.url, customer.key) as client:
        assert client.get_video("vid_long")["ready"] is True
    assert time.time() >= opened_at + 60.0, "the window was over"


def test_what_is_not_done_in_time_can_be_waited_for_again(service: Any, site: Any, customer: Any) -> None:
    site.gate.clear()
    try:
        with Client(service.url, customer.key) as client:
            with pytest.raises(NotDoneError) as raised:
                client.beats(timeout=3.0, audio_url=f"{site.url}/held/track.flac")
            site.gate.set()
            assert client.wait(raised.value.ticket)["status"] == "complete"
    finally:
        site.gate.set()


def test_a_video_that_fails_says_why(service: Any, site: Any, customer: Any) -> None:
    with Client(service.url, customer.key) as client:
        ticket = client.create_video(video_url=f"{site.url}/nothing.mp4")
        with pytest.raises(VideoFailedError, match="vid_"):
            client.wait(ticket)
        with pytest.raises(VideoFailedError) as raised:
            client.ingest_file(site.folder / "nothing.mp4")
    assert raised.value.record["reason"]


def test_a_match_by_address_ingests_once_and_goes_on_with_the_video(service: Any, site: Any, customer: Any) -> None:
    with Client(service.url, customer.key) as client:
        found = client.match(video_url=f"{site.url}/short.mp4")
    assert len(found["lane"]["matches"]) == 10
    billed = sorted((endpoint, unit) for endpoint, _, _, unit in customer.charges())
    assert billed == [("POST /v1/match", "call"), ("POST /v1/match", "minute")], "one ingest, one ranking"


def loop_python(url: str) -> Any:
    with Client(url, "sk_live_x") as client:
        return client.loop(video_id="vid_1", track_id="trk_1")


def loop_python_async(url: str) -> Any:
    async def call() -> Any:
        async with AsyncClient(url, "sk_live_x") as client:
            return await client.loop(video_id="vid_1", track_id="trk_1")

    return anyio.run(call)


def loop_typescript(url: str) -> Any:
    script = f"""
        const {{ Client }} = await import({json.dumps(TYPESCRIPT.with_name("client.ts").as_uri())})
        const client = new Client({json.dumps(url)}, "sk_live_x")
        console.log(JSON.stringify(await client.loop({{ video_id: "vid_1", track_id: "trk_1" }})))
    """
    return json.loads(run_script(script))


@pytest.mark.slow
@pytest.mark.parametrize("loop", [loop_python, loop_python_async, loop_typescript])
def test_a_wait_outlasts_a_service_that_is_started_again_and_a_rate_that_is_used_up(
    restarting: str, loop: Callable[[str], Any]
) -> None:
    """The job goes on meanwhile, and whoever gave up would have lost its ticket."""
    found = loop(restarting)
    assert (found["job_id"], found["status"]) == ("job_1", "complete")


PAGE = Path(__file__).parents[2] / "notebooks" / "book" / "how_to" / "client.md"


def page_code(language: str) -> str:
    """The examples of the page for clients, one after the other."""
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL))


def in_folder(folder: Path, *command: str | Path) -> str:
    """Standard output of a command that may need a package index, without which the test is skipped."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    said = done.stdout + done.stderr
    if done.returncode and re.search(r"ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|Could not find a version", said):
        pytest.skip(f"no package index answers {Path(command[0]).name}: the installed client is not tried")
    assert done.returncode == 0, said
    return done.stdout


NARROWED = """
from typing import assert_type

from workbench_client.generated import LoopPlan, LoopRefusal


def narrowed(client: Client) -> tuple[str | None, str]:
    looped = client.loop(video_id="vid_1", track_id="trk_1")
    if looped["applicable"]:
        assert_type(looped["plan"], LoopPlan)
    else:
        assert_type(looped["plan"], LoopRefusal)
    ticket = client.submit_match(video_id="vid_1")
    return ticket.get("job_id"), looped["plan"]["reason"] or ""
"""


@pytest.mark.slow
def test_the_python_client_installs_by_itself_and_the_pages_examples_are_typed(
    tmp_path: Path, service: Any, customer: Any
) -> None:
    source = shutil.copytree(PYTHON.parent, tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__"))
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    in_folder(tmp_path, python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", "dist", source)
    (wheel,) = (tmp_path / "dist").iterdir()
    in_folder(tmp_path, python, "-m", "pip", "install", "-q", wheel)
    script = (
        "import importlib.util, sys; from workbench_client import Client\n"
        "assert importlib.util.find_spec('service') is None\n"
        "with Client(*sys.argv[1:]) as client:\n"
        "    print(client.loop(video_id='vid_long', track_id='trk_corner')['applicable'])"
    )
    assert in_folder(tmp_path, python, "-I", "-c", script, service.url, customer.key) == "True\n"
    in_folder(tmp_path, python, "-m", "pip", "install", "-q", "--no-deps", "--target", "typed", wheel)
    (tmp_path / "page.py").write_text(page_code("python") + NARROWED)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "page.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": "typed"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
def test_the_npm_package_installs_by_itself_and_the_pages_examples_are_typed(
    tmp_path: Path, service: Any, customer: Any
) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no Node and npm on this machine: the npm package is not tried")
    left = shutil.ignore_patterns("node_modules", "dist", "*.tgz", "package-lock.json")
    source, user = shutil.copytree(TYPESCRIPT.parent, tmp_path / "source", ignore=left), tmp_path / "user"
    install = ("npm", "install", "--no-audit", "--no-fund")
    in_folder(source, *install)
    in_folder(source, "npm", "pack")
    (package,) = source.glob("*.tgz")
    user.mkdir()
    (user / "package.json").write_text('{"type": "module"}')
    in_folder(user, *install, package, "typescript@5.9", "@types/node@20")
    narrowed = """
        export async function narrowed(client: Client): Promise<[number, string]> {
          const looped = await client.loop({ video_id: "vid_1", track_id: "trk_1" })
          const ticket = await client.submitMatch({ video_id: "vid_1" })
          const jobId: string | undefined = ticket.job_id
          return looped.applicable ? [looped.plan.bars, jobId ?? ""] : [0, looped.plan.reason]
        }
    """
    (user / "page.ts").write_text(page_code("typescript") + narrowed)
    in_folder(user, "npx", "tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "page.ts")
    script = """
        import { Client } from "barline-workbench-client"
        const [, url, key] = process.argv
        const loop = await new Client(url, key).loop({ video_id: "vid_long", track_id: "trk_corner" })
        console.log(loop.applicable)
    """
    called = in_folder(user, "node", "--input-type=module", "-e", script, service.url, customer.key)
    assert called == "true\n"
