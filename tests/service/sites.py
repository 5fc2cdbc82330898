"""Https servers on this machine, with an authority that only the tests trust."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and logs nothing."""

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def https_site(folder: Path, authority: Path, handler: type[Quiet] = Quiet) -> Iterator[str]:
    """A folder behind https until the block ends: its address; the file `authority` gets the certificate to trust."""
    issuer = trustme.CA()
    issuer.cert_pem.write_to_path(authority)
    with serving(partial(handler, directory=str(folder)), issuer.issue_cert("localhost")) as port:
        yield f"https://localhost:{port}"


@contextmanager
def serving(handler: Callable[..., BaseHTTPRequestHandler], certificate: trustme.LeafCert) -> Iterator[int]:
    """An https server on this machine until the block ends: its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context: Any = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()
