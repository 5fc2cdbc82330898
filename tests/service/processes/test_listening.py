"""A socket to listen on, or a sentence that says why not."""

from __future__ import annotations

import socket

import pytest

from service.processes.listening import listen
from workbench.errors import WorkbenchError


def test_a_free_port_is_taken_and_accepts_connections() -> None:
    with listen("127.0.0.1", 0) as server:
        host, port = server.getsockname()
        with socket.create_connection((host, port), timeout=5):
            pass


def test_a_port_in_use_and_an_address_of_others_are_refused() -> None:
    with listen("127.0.0.1", 0) as server:
        port = server.getsockname()[1]
        with pytest.raises(WorkbenchError, match=f"cannot listen on 127.0.0.1 port {port}: Address already in use"):
            listen("127.0.0.1", port)
    with pytest.raises(WorkbenchError, match=r"cannot listen on 192\.0\.2\.1 port"):
        listen("192.0.2.1", 0)
