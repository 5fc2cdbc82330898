"""The MCP server, built on the official SDK: on standard input and output, or as streamable HTTP at `/mcp`.

It stores no key. On standard input and output the key comes from the environment; over HTTP each caller sends its own
in the headers, and it is passed on to the service. Every tool call is a call to the service and is billed like one.
"""

from __future__ import annotations

import socket
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

from service.mcp.client import ServiceClient
from service.mcp.tools import add_tools

_INSTRUCTIONS = (
    "Licensed music for videos: ingest a video once (create_video), rank the catalog against it (match) or against a "
    "script (underscore), place a track (align), loop a track over a long video (loop), map the beats of any audio "
    "(beats). Calls are billed like calls to the service; polling is free."
)


def make_server(base_url: str, api_key: str | None, wait_seconds: float) -> MCPServer[Any]:
    """Make a server whose tools call the service.

    Parameters
    ----------
    base_url : of the service, without `/v1`
    api_key : for callers who send none, as on standard input and output; None over HTTP
    wait_seconds : how long a tool waits for work before it returns the ticket

    Returns
    -------
    a server that does not listen yet
    """
    server: MCPServer[Any] = MCPServer("barline-workbench", instructions=_INSTRUCTIONS, log_level="WARNING")

    def connect(context: Context[Any]) -> ServiceClient:
        return ServiceClient(base_url, _api_key_of(context) or api_key)

    add_tools(server, connect, wait_seconds)
    return server


def serve_http(server: MCPServer[Any], listening: socket.socket) -> None:
    """Serve streamable HTTP at `/mcp` until SIGTERM or SIGINT, without sessions: calls share no state.

    Parameters
    ----------
    server : see `make_server`
    listening : a socket that listens; on a loopback address the SDK refuses requests for any other host
    """
    host = listening.getsockname()[0]
    app = server.streamable_http_app(stateless_http=True, host=host)
    uvicorn.Server(uvicorn.Config(app, log_level=server.settings.log_level.lower())).run(sockets=[listening])


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
