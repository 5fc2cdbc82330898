"""A port for operators beside that for callers: `/healthz`, `/readyz`, `/metrics`, answered in threads."""

from __future__ import annotations

import ipaddress
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

_SILENCE_SECONDS = 10.0  # without a byte from a caller

Answer: TypeAlias = tuple[int, str, bytes]
"""status, content type and body"""


@contextmanager
def answering(listening: socket.socket, answer: Callable[[str, str], Answer]) -> Iterator[None]:
    """Answer GET and HEAD requests until the block ends; several processes may answer on one socket.

    `answer` is called in a thread with the path, without its query, and the address of the caller.
    """
    listening.setblocking(False)  # another process may have taken the connection already
    server = ThreadingHTTPServer(("", 0), _handler(answer), bind_and_activate=False)
    server.socket.close()
    server.socket, server.daemon_threads = listening, True
    thread = threading.Thread(target=server.serve_forever, name="health", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def json_answer(status: int, said: str) -> Answer:
    """An answer whose body says something in words, under the name `status`."""
    return status, "application/json", json.dumps({"status": said}).encode()


def is_loopback_caller(address: str) -> bool:
    """Whether a caller is on this machine; the address is empty for a Unix socket."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return address == ""


def _handler(answer: Callable[[str, str], Answer]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers one connection."""

        timeout = _SILENCE_SECONDS

        def do_GET(self) -> None:
            """Answer a GET request."""
            self.wfile.write(self._answer())

        def do_HEAD(self) -> None:
            """Answer a HEAD request, as load balancers send it."""
            self._answer()

        def log_message(self, *_: object) -> None:
            """Log nothing: it is asked every few seconds."""

        def _answer(self) -> bytes:
            """Send the headers; returns the body."""
            status, kind, body = answer(self.path.partition("?")[0], str(self.client_address[0]))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            return body

    return Handler
