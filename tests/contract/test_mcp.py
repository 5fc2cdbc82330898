"""The MCP server with the SDK's own client: one tool an endpoint, the caller's key, errors by type, waiting."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from service.mcp.server import make_server
from service.openapi import ENDPOINTS

TOOLS = {
    "create_video": "POST /v1/videos",
    "ingest_video": "POST /v1/videos/{video_id}/ingest",
    "get_video": "GET /v1/videos/{video_id}",
    "match": "POST /v1/match",
    "get_match_job": "GET /v1/match/jobs/{job_id}",
    "underscore": "POST /v1/underscore",
    "align": "POST /v1/align",
    "get_align_job": "GET /v1/align/jobs/{job_id}",
    "loop": "POST /v1/loop",
    "get_loop_job": "GET /v1/loop/jobs/{job_id}",
    "beats": "POST /v1/beats",
    "get_beats_job": "GET /v1/beats/{job_id}",
}


def called(server: Any, tool: str, arguments: dict[str, Any], told: list[str] | None = None) -> Any:
    """The result of one tool call."""

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        if told is not None:
            told.append(str(message))

    async def run() -> Any:
        async with Client(server) as client:
            return await client.call_tool(tool, arguments, progress_callback=progress)

    return anyio.run(run)


def test_there_is_one_tool_an_endpoint_with_its_fields(service: Any) -> None:
    async def run() -> Any:
        async with Client(make_server(service.url, None, 1.0)) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in anyio.run(run)}
    assert set(tools) == set(TOOLS)
    for endpoint in ENDPOINTS:
        name = next(
            (tool for tool, path in TOOLS.items() if path == f"{endpoint.method.upper()} {endpoint.path}"), None
        )
        if name is None:
            assert endpoint.webhook or endpoint.binary
            continue
        fields = set(re.findall(r"{(\w+)}", endpoint.path))
        for model in (endpoint.body, endpoint.query):
            fields |= set(model.model_fields) if model is not None else set()
        assert fields <= set(tools[name].input_schema["properties"])
        assert tools[name].output_schema["type"] == "object"


def test_long_work_is_waited_for_and_told_of(service: Any) -> None:
    told: list[str] = []
    server = make_server(service.url, service.key("by mcp".replace(" ", "-")), 60.0)
    arguments = {"video_id": "vid_long", "track_id": "trk_corner"}
    result = called(server, "loop", arguments, told)
    assert not result.is_error
    assert result.structured_content["applicable"] is True
    again = called(server, "loop", arguments)
    assert again.structured_content["plan"] == result.structured_content["plan"]


def test_when_the_time_is_up_the_ticket_is_the_answer_and_the_job_can_be_asked_for(service: Any, site: Any) -> None:
    key = service.key("impatient")
    ticket = called(make_server(service.url, key, 0.0), "beats", {"audio_url": f"{site.url}/track.flac"})
    assert ticket.structured_content["status"] == "processing"
    job = {"job_id": ticket.structured_content["job_id"]}
    grid = called(make_server(service.url, key, 60.0), "get_beats_job", job)
    assert grid.structured_content["status"] == "complete"
    assert len(grid.structured_content["downbeats"]) > 4


def test_refusals_are_tool_errors_that_name_their_type(service: Any) -> None:
    server = make_server(service.url, service.key(), 1.0)
    for tool, arguments, kind in (
        ("get_video", {"video_id": "nobody"}, "not_found"),
        ("create_video", {}, "invalid_request"),
        ("loop", {"video_id": "vid_long", "track_id": "no/such track"}, "not_found"),
    ):
        result = called(server, tool, arguments)
        assert result.is_error
        assert result.structured_content["error"]["type"] == kind
        assert result.content[0].text.startswith(f"{kind}: ")


def test_without_a_key_and_without_a_service_the_error_says_so(service: Any) -> None:
    result = called(make_server(service.url, None, 1.0), "get_video", {"video_id": "vid_long"})
    assert result.structured_content["error"]["type"] == "authentication_error"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    result = called(make_server(nobody, "sk", 1.0), "get_video", {"video_id": "vid_long"})
    assert result.structured_content["error"]["type"] == "upstream_error"


def test_over_standard_input_the_key_is_the_environments(service: Any) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "service.console", "mcp", "--url", service.url],
        env={**os.environ, "WORKBENCH_API_KEY": service.key()},
    )
    result = called(parameters, "get_video", {"video_id": "vid_long"})
    assert result.structured_content["status"] == "ready"


def mcp(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`workbench mcp` without a key, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "service.console", "mcp", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={name: value for name, value in os.environ.items() if name != "WORKBENCH_API_KEY"},
    )


def test_without_a_key_standard_input_is_refused_in_one_line() -> None:
    done = mcp()
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"workbench: WORKBENCH_API_KEY is not set: .+\n", done.stderr)


def test_a_port_that_is_taken_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = mcp("--http", str(port))
    assert done.returncode == 1
    assert re.fullmatch(rf"workbench: cannot listen on 127\.0\.0\.1 port {port}: [^\[(]+\n", done.stderr)


@pytest.fixture
def over_http(service: Any) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "service.console", "mcp", "--url", service.url, "--http", str(port)],
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name != "WORKBENCH_API_KEY"},
    )
    end = time.monotonic() + 120
    while True:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert time.monotonic() < end, "the MCP server does not listen"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    process.terminate()
    process.wait(timeout=240)


def test_over_http_each_caller_uses_his_own_key(service: Any, over_http: str) -> None:
    async def run(key: str | None) -> Any:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False) as http,
            Client(streamable_http_client(over_http, http_client=http)) as client,
        ):
            return await client.call_tool("get_video", {"video_id": "vid_long"})

    assert anyio.run(run, service.key()).structured_content["ready"] is True
    assert anyio.run(run, None).structured_content["error"]["type"] == "authentication_error"
