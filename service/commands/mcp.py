"""`workbench mcp`: the service's endpoints as tools of the Model Context Protocol."""

from __future__ import annotations

from typing import Any

import click

from service.commands.records import ServiceUrl
from service.commands.transport import check_transport
from service.processes.listening import listen
from service.settings import load_service_settings
from workbench.cli.options import FILE, Seconds, home_option
from workbench.errors import ParameterError, require_extra
from workbench.store.home import Home


@click.command("mcp")
@click.option(
    "--url",
    type=ServiceUrl(),
    default="http://127.0.0.1:8000",
    show_default=True,
    help="Where the service is, without /v1.",
)
@click.option("--http", "port", type=click.IntRange(1, 65535), help="Serve streamable HTTP at /mcp on this port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve HTTP on.")
@click.option("--tls-cert", type=FILE, help="Certificate chain, PEM.")
@click.option("--tls-key", type=FILE, help="Its private key, PEM.")
@click.option("--behind-proxy", is_flag=True, help="A proxy in front ends TLS.")
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Name that requests over HTTP may be for; repeat it for several. This machine's own names need none.",
)
@click.option(
    "--wait", type=Seconds(0, 3600), default=50.0, show_default=True, help="Seconds a tool waits for long work."
)
@home_option
def command(
    url: str,
    port: int | None,
    host: str,
    allowed_hosts: tuple[str, ...],
    wait: float,
    home: Home,
    **transport: Any,
) -> None:
    """Offer the service to MCP clients, one tool an endpoint.

    On standard input and output with the key in WORKBENCH_API_KEY; with --http, callers send their own key in the
    Authorization header. Any address but this machine's own needs TLS, or a proxy in front that has it.

    \b
    Example:
      WORKBENCH_API_KEY=sk_live_... workbench mcp --url https://api.example.com
      workbench mcp --url http://127.0.0.1:8000 --http 8765
      workbench mcp --http 8765 --behind-proxy --allow-host mcp.example.com
    """
    if port is not None:
        check_transport(host, **transport)
    require_extra("mcp", "`workbench mcp`")
    from service.mcp.server import make_server, serve_http  # which needs the extra

    if port is None:
        api_key = load_service_settings().api_key
        if api_key is None:
            raise ParameterError("WORKBENCH_API_KEY is not set: without a key every call would be refused")
        make_server(url, api_key.get_secret_value(), wait).run("stdio")
        return
    tls = (transport["tls_cert"], transport["tls_key"]) if transport["tls_cert"] else None
    with listen(host, port) as listening:
        serve_http(make_server(url, None, wait), listening, allowed_hosts, tls)
