"""SIGTERM and SIGINT end the wait of a selector at once, and interrupt nothing else.

Supervisor and job parent wait for pipes and for time in one selector. A signal that arrives just before such a wait
would be noticed only after it; so Python's signal handling writes a byte to a socket, which ends the wait. The module
imports only the standard library, because the supervisor imports nothing else.
"""

from __future__ import annotations

import selectors
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def on_shutdown(selector: selectors.BaseSelector, callback: Callable[[], None]) -> Iterator[None]:
    """Call a function at every SIGTERM and SIGINT, and end the selector's wait by making a socket readable.

    The function runs in the main thread, between two of its instructions. The caller passes the socket to `drain` when
    it is selected.
    """
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: callback())
    selector.register(reader, selectors.EVENT_READ)
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        selector.unregister(reader)
        reader.close()
        writer.close()


def drain(reader: socket.socket) -> None:
    """Read the bytes that signals wrote, so that the next `select` waits."""
    reader.recv(4096)
