"""The MCP server with the SDK's own client: one tool an endpoint, the caller's key, errors by type, waiting."""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import trustme
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from service.mcp.server import VERSION, make_server
from service.routes.openapi import ENDPOINTS
from workbench.cli.main import run
from workbench.files import bundled_path

SETTLE_SECONDS = 240.0  # that a job may take on a machine that has much else to do
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
        assert '"additionalProperties": false' not in json.dumps(tools[name].output_schema)  # answers may gain fields
        assert tools[name].input_schema["additionalProperties"] is False
        assert all(one.get("description") for one in tools[name].input_schema["properties"].values())
        for field in tools[name].input_schema["properties"].values():  # many clients know no more of JSON Schema
            assert field["type"] in ("string", "boolean", "integer")
            assert "null" not in json.dumps(field)
        for schema in (tools[name].input_schema, tools[name].output_schema):
            assert not re.search(r'"(\$ref|\$defs|const|discriminator)":', json.dumps(schema))
        hints = tools[name].annotations
        reads = endpoint.method == "get"
        assert (hints.read_only_hint, hints.idempotent_hint) == (reads, reads)
        if not reads:
            assert hints.destructive_hint is False
        fetches = endpoint.body is not None and {"video_url", "audio_url"} & set(endpoint.body.model_fields)
        assert hints.open_world_hint is bool(fetches)


def test_what_may_be_left_out_is_its_plain_type_and_not_required(service: Any) -> None:
    async def run() -> Any:
        async with Client(make_server(service.url, None, 1.0)) as client:
            return (await client.list_tools()).tools

    match = next(tool for tool in anyio.run(run) if tool.name == "match").input_schema
    assert not match.get("required")
    kinds = {name: {"type", "enum", "default"} & set(field) for name, field in match["properties"].items()}
    assert kinds["expand"] == {"type", "enum"}
    assert kinds["video_id"] == {"type"}
    assert kinds["include_sync"] == {"type", "default"}
    assert match["properties"]["expand"]["enum"] == ["full"]


def test_long_work_is_waited_for_and_told_of(service: Any) -> None:
    told: list[str] = []
    server = make_server(service.url, service.key("by mcp".replace(" ", "-")), SETTLE_SECONDS)
    arguments = {"video_id": "vid_long", "track_id": "trk_corner"}
    result = called(server, "loop", arguments, told)
    assert not result.is_error
    assert result.structured_content["applicable"] is True
    again = called(server, "loop", arguments)
    assert again.structured_content["plan"] == result.structured_content["plan"]


def test_beats_answer_at_once_and_their_job_is_waited_for(service: Any, site: Any) -> None:
    server = make_server(service.url, service.key("patient"), SETTLE_SECONDS)
    site.gate.clear()
    try:
        ticket = called(server, "beats", {"audio_url": f"{site.url}/held/track.flac"}).structured_content
        assert ticket["status"] == "processing"
        job = {"job_id": ticket["job_id"]}
        impatient = make_server(service.url, service.key("patient"), 0.0)
        assert called(impatient, "get_beats_job", job).structured_content["status"] == "processing"
    finally:
        site.gate.set()
    grid = called(server, "get_beats_job", job).structured_content
    assert grid["status"] == "complete"
    assert len(grid["downbeats"]) > 4


@pytest.mark.slow
def test_a_wait_outlasts_a_service_that_is_started_again(restarting: str) -> None:
    arguments = {"video_id": "vid_1", "track_id": "trk_1"}
    result = called(make_server(restarting, "sk_live_x", SETTLE_SECONDS), "loop", arguments)
    assert not result.is_error, result
    assert result.structured_content["status"] == "complete"
    assert result.structured_content["gained"], "answers of a newer service may have fields that are not known here"


def test_what_answers_without_json_is_not_taken_for_the_service(restarting: str) -> None:
    result = called(make_server(restarting, "sk_live_x", 0.0), "get_video", {"video_id": "vid_1"})
    assert result.is_error
    assert "status 502 without JSON" in str(result.content)


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "message"),
    [
        ("match", {"video_id": "vid_long", "sync_points_per_track": 9.5}, "sync_points_per_track", "whole number"),
        ("get_match_job", {"job_id": "job_x", "sync_points_per_track": 9.5}, "sync_points_per_track", "whole number"),
        ("match", {"video_id": "vid_long", "include_sync": "true"}, "include_sync", "true or false"),
        ("loop", {"video_id": "vid_long", "track_id": "trk_corner", "bars": 4}, "bars", "is not known here"),
        ("loop", {"video_id": "vid_long"}, "track_id", "is missing"),
        ("underscore", {"script": "Calm.", "expand": "lean"}, "expand", "must be 'full'"),
    ],
)
def test_arguments_are_refused_as_the_api_refuses_fields(
    service: Any, tool: str, arguments: dict[str, Any], field: str, message: str
) -> None:
    customer = service.customer()
    result = called(make_server(service.url, customer.key, 1.0), tool, arguments)
    assert result.is_error
    error = result.meta["error"]
    assert error["type"] == "invalid_request"
    assert [detail["field"] for detail in error["details"]] == [field]
    assert message in error["message"]
    assert "pydantic" not in result.content[0].text
    assert customer.charges() == []


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "body"),
    [
        ("underscore", {"script": "s" * 7001}, "/v1/underscore", {"script": "s" * 7001}),
        ("create_video", {"filename": "f", "content_type": ""}, "/v1/videos", {"filename": "f", "content_type": ""}),
        ("beats", {"audio_url": "u" * 2049}, "/v1/beats", {"audio_url": "u" * 2049}),
        ("loop", {"video_id": "v", "track_id": ""}, "/v1/loop", {"video_id": "v", "track_id": ""}),
    ],
)
def test_refusals_say_what_the_api_says(
    service: Any, customer: Any, tool: str, arguments: dict[str, Any], path: str, body: dict[str, Any]
) -> None:
    """Message, fields and kinds, whether the tool or the endpoint has found the fault."""
    told = called(make_server(service.url, customer.key, 1.0), tool, arguments).meta["error"]
    error = customer.refused(customer.post(path, body), 422)
    assert (told["type"], told["message"], told["details"]) == (error["type"], error["message"], error["details"])


@pytest.mark.parametrize("key", ["", "two\nlines"])
def test_an_idempotency_key_that_no_header_can_carry_is_the_callers_fault(
    service: Any, customer: Any, key: str
) -> None:
    arguments = {"video_id": "vid_short", "track_id": "trk_corner", "idempotency_key": key}
    result = called(make_server(service.url, customer.key, 1.0), "loop", arguments)
    error = result.meta["error"]
    assert error["type"] == "invalid_request"
    assert [detail["field"] for detail in error["details"]] == ["idempotency_key"]


@pytest.mark.parametrize(
    ("tool", "arguments", "what"),
    [
        ("get_video", {}, "video"),
        ("get_beats_job", {}, "job"),
    ],
)
@pytest.mark.parametrize("odd", ["..", "a/../b", "?"])
def test_an_id_of_any_characters_is_an_id(
    service: Any, customer: Any, tool: str, arguments: dict[str, Any], what: str, odd: str
) -> None:
    """It leads to no other path: one of dots alone would lead up."""
    server = make_server(service.url, customer.key, 1.0)
    result = called(server, tool, {**arguments, f"{what}_id": odd})
    error = result.meta["error"]
    assert (error["type"], error["message"]) == ("not_found", f"no such {what}")


def test_a_number_without_a_fraction_is_an_integer(service: Any, customer: Any, site: Any) -> None:
    """As in the API; polls too, in whose query it is written without a fraction."""
    server = make_server(service.url, customer.key, SETTLE_SECONDS)
    ticket = customer.match_while_ingesting(site, {}).json()
    asked = {"include_sync": True, "sync_points_per_track": 1.0}
    for tool, of_what in (("match", {"video_id": "vid_long"}), ("get_match_job", {"job_id": ticket["job_id"]})):
        result = called(server, tool, {**of_what, **asked})
        assert not result.is_error, result.content
        tracks = result.structured_content["lane"]["matches"]
        assert max(len(track["sync_points"]) for track in tracks) == 1


def test_text_that_looks_like_json_stays_text(service: Any) -> None:
    """A brief of `null` is a brief."""
    server = make_server(service.url, service.key(), 10.0)
    for brief in ("null", "true", '{"mood": "calm"}'):
        result = called(server, "underscore", {"script": "A quiet morning.", "brief": brief})
        assert not result.is_error, result.content


def test_an_unknown_tool_is_told_in_our_words(service: Any) -> None:
    result = called(make_server(service.url, None, 1.0), "render", {})
    assert result.is_error
    assert result.meta["error"]["message"] == "no such tool: render"


def test_what_is_registered_is_what_is_packaged() -> None:
    told = json.loads(bundled_path("service", "mcp", "server.json").read_text(encoding="utf-8"))
    project = tomllib.loads(bundled_path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", told["name"])
    assert 1 <= len(told["description"]) <= 100
    (package,) = told["packages"]
    assert (package["identifier"], package["version"]) == (project["name"], project["version"])
    assert told["version"] == project["version"] == VERSION
    assert package["identifier"] in project["scripts"], "uvx runs the script of the package's name"
    assert package["runtimeArguments"][0]["value"] in project["optional-dependencies"]["mcp"]
    (variable,) = package["environmentVariables"]
    assert (variable["name"], variable["isSecret"]) == ("WORKBENCH_API_KEY", True)


def test_refusals_are_tool_errors_that_name_their_type(service: Any) -> None:
    server = make_server(service.url, service.key(), 1.0)
    for tool, arguments, kind in (
        ("get_video", {"video_id": "nobody"}, "not_found"),
        ("create_video", {}, "invalid_request"),
        ("loop", {"video_id": "vid_long", "track_id": "no/such track"}, "not_found"),
    ):
        result = called(server, tool, arguments)
        assert result.is_error
        assert result.structured_content is None, "clients check it against the schema of answers"
        assert result.meta["error"]["type"] == kind
        assert result.content[0].text == f"{kind}: {result.meta['error']['message']}"


def test_without_a_key_and_without_a_service_the_error_says_so(service: Any) -> None:
    result = called(make_server(service.url, None, 1.0), "get_video", {"video_id": "vid_long"})
    assert result.meta["error"]["type"] == "authentication_error"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"  # nobody listens, and nobody else can
        result = called(make_server(nobody, "sk", 1.0), "get_video", {"video_id": "vid_long"})
    assert result.meta["error"]["type"] == "upstream_error"


def test_over_standard_input_the_key_is_the_environments(service: Any) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "workbench", "mcp", "--url", service.url],
        env={**os.environ, "WORKBENCH_API_KEY": service.key()},
    )
    result = called(parameters, "get_video", {"video_id": "vid_long"})
    assert result.structured_content["status"] == "ready"


@pytest.fixture
def mcp(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`workbench mcp` without a key, to its end: exit code, standard output, standard error."""
    monkeypatch.delenv("WORKBENCH_API_KEY", raising=False)

    def call(*arguments: str) -> tuple[int, str, str]:
        return run(["mcp", *arguments]), *capfd.readouterr()

    return call


def test_without_a_key_standard_input_is_refused_in_one_line(mcp: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = mcp()
    assert (code, out) == (1, "")
    assert re.fullmatch(r"workbench: WORKBENCH_API_KEY is not set: .+\n", err)


def test_a_port_that_is_taken_is_one_clear_line(mcp: Callable[..., tuple[int, str, str]]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = mcp("--http", str(port))
    assert code == 1
    assert re.fullmatch(rf"workbench: cannot listen on 127\.0\.0\.1 port {port}: [^\[(]+\n", err)


def test_beyond_this_machine_http_needs_tls_or_a_proxy(mcp: Callable[..., tuple[int, str, str]]) -> None:
    code, _, err = mcp("--http", "8765", "--host", "0.0.0.0")
    assert code == 2
    assert "0.0.0.0 can be reached from elsewhere: give --tls-cert and --tls-key, or say --behind-proxy" in err


@contextmanager
def listening_mcp(url: str, *options: str) -> Iterator[int]:
    """`workbench mcp` over HTTP; its port."""
    with socket.socket() as kept:
        # Bound here until it is listened on there, which Linux allows: no other program is given it in between.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        port = kept.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "mcp", "--url", url, "--http", str(port), *options],
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name != "WORKBENCH_API_KEY"},
        )
        try:
            wait_until_listening(process, port)
            yield port
        finally:
            process.terminate()
            process.wait(timeout=240)


def wait_until_listening(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + 240
    while True:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, "the MCP server has ended"
        assert time.monotonic() < end, "the MCP server does not listen"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def over_http(service: Any) -> Iterator[str]:
    with listening_mcp(service.url, "--behind-proxy", "--allow-host", "mcp.example.com") as port:
        yield f"http://127.0.0.1:{port}/mcp"


async def called_over_http(address: str, key: str | None, trusted: ssl.SSLContext | bool = True) -> dict[str, Any]:
    """What a tool answers to a caller with this key."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, verify=trusted) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        result: Any = await client.call_tool("get_video", {"video_id": "vid_long"})
        found: dict[str, Any] = result.meta if result.is_error else result.structured_content
        return found


def test_over_http_each_caller_uses_his_own_key(service: Any, over_http: str) -> None:
    assert anyio.run(called_over_http, over_http, service.key())["ready"] is True
    assert anyio.run(called_over_http, over_http, None)["error"]["type"] == "authentication_error"


def test_over_http_only_allowed_hosts_are_answered(over_http: str) -> None:
    """So that no page reaches in from a browser on this machine through a name of its own."""
    for host, answered in (("mcp.example.com", True), ("localhost:99", True), ("elsewhere.example.com", False)):
        reply = httpx2.post(over_http, json={}, headers={"Host": host}, trust_env=False)
        assert (reply.status_code != 421) == answered, reply.text
    origin = {"Origin": "https://elsewhere.example.com"}
    assert httpx2.post(over_http, json={}, headers=origin, trust_env=False).status_code == 403


@pytest.mark.slow
def test_over_https_with_a_certificate_of_ones_own(service: Any, tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    for blob in issued.cert_chain_pems:
        blob.write_to_path(str(chain), append=True)
    issued.private_key_pem.write_to_path(str(key))
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    with listening_mcp(service.url, "--tls-cert", str(chain), "--tls-key", str(key)) as port:
        record = anyio.run(called_over_http, f"https://localhost:{port}/mcp", service.key(), trusted)
    assert record["ready"] is True
