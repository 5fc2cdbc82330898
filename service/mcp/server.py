"""The MCP server, built on the official SDK: on standard input and output, or as streamable HTTP at `/mcp`.

It stores no key. On standard input and output the key comes from the environment; over HTTP each caller sends its own
in the headers, and it is passed on to the service. Every tool call is a call to the service and is billed like one.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
import ssl
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from service.errors import error_body
from service.mcp.client import Reply, ServiceClient
from service.mcp.tools import make_tools, result_of
from service.processes.certificates import follow_files
from service.schemas.wording import field_details

VERSION = version("barline-workbench")

log = logging.getLogger(__name__)

_INSTRUCTIONS = (
    "Licensed music for videos: ingest a video once (create_video), rank the catalog against it (match) or against a "
    "script (underscore), place a track (align), loop a track over a long video (loop), map the beats of any audio "
    "(beats, then get_beats_job). Calls are billed like calls to the service; polling is free."
)


def make_server(base_url: str, api_key: str | None, wait_seconds: float) -> MCPServer[Any]:
    """Make a server whose tools call the service; it does not listen yet.

    `api_key` is for callers who send none, as on standard input and output. A tool waits `wait_seconds` for work before
    it returns the ticket.
    """

    def connect(context: Context[Any]) -> ServiceClient:
        return ServiceClient(base_url, _api_key_of(context) or api_key)

    tools = make_tools(connect, wait_seconds)
    return _StrictServer(
        "barline-workbench", version=VERSION, instructions=_INSTRUCTIONS, tools=tools, log_level="WARNING"
    )


class _StrictServer(MCPServer[Any]):
    """Refuses a call in the words of the API: an unknown tool, an unknown argument, an argument of another type."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; an invalid call gives a tool error with an Error body."""
        if name not in {tool.name for tool in await self.list_tools()}:
            return result_of(Reply(404, error_body(404, f"no such tool: {name}", None)))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError) or isinstance(error, UnexpectedToolError):
                raise
            details = field_details(error.__cause__)
            message = f"{details[0]['field']}: {details[0]['message']}"
            return result_of(Reply(422, error_body(422, message, None, details)))


def serve_http(
    server: MCPServer[Any],
    listening: socket.socket,
    allowed_hosts: Sequence[str] = (),
    tls: tuple[Path, Path] | None = None,
) -> None:
    """Serve streamable HTTP at `/mcp` until SIGTERM or SIGINT, without sessions: calls share no state.

    `allowed_hosts` are the names in the Host and Origin headers of requests that are answered; on a loopback address
    this machine's own names are allowed too, and none on another address means any. `tls` holds the PEM files of
    certificate chain and key.
    """
    app = server.streamable_http_app(
        stateless_http=True, transport_security=_security(listening.getsockname()[0], allowed_hosts)
    )
    config = uvicorn.Config(
        app,
        log_level=server.settings.log_level.lower(),
        ssl_certfile=None if tls is None else tls[0],
        ssl_keyfile=None if tls is None else tls[1],
    )
    if tls is not None:
        config.load()
        assert config.ssl is not None
        follow_files(config.ssl, *tls, partial(_tls_context, *tls), partial(log.error, "certificate not renewed: %s"))
    uvicorn.Server(config).run(sockets=[listening])


def _tls_context(chain: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    return context


def _security(address: str, allowed_hosts: Sequence[str]) -> TransportSecuritySettings:
    """Which Host and Origin headers are answered, so that no page elsewhere reaches in through a name of its own."""
    local = ipaddress.ip_address(address).is_loopback
    if not local and not allowed_hosts:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [*(("127.0.0.1", "localhost", "[::1]") if local else ()), *allowed_hosts]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    return TransportSecuritySettings(
        allowed_hosts=[pattern for name in names for pattern in (name, f"{name}:*")],
        allowed_origins=[pattern for origin in origins for pattern in (origin, f"{origin}:*")],
    )


def _api_key_of(context: Context[Any]) -> str | None:
    """The API key in the headers of a call over HTTP, `Authorization` or `X-Api-Key`; None without headers or key."""
    headers = context.headers
    if headers is None:
        return None
    lower = {name.lower(): value for name, value in headers.items()}
    scheme, _, token = lower.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return lower.get("x-api-key")
