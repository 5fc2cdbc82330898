"""SIGTERM and SIGINT as something that a selector waits for: they are heard at once, and nothing is cut short by them.

Supervisor and job parent both wait for pipes and for time in one selector. A signal that arrives just before such a
wait would be seen only after it; a byte that Python's signal handling writes to a socket ends the wait. The module
imports the standard library alone, because the supervisor imports no more than that.
"""

from __future__ import annotations

import selectors
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def on_shutdown(selector: selectors.BaseSelector, told: Callable[[], None]) -> Iterator[None]:
    """Call back at every SIGTERM and SIGINT, and end the selector's wait then; what it selects is a socket to read.

    Parameters
    ----------
    selector : of the caller, who reads the socket with `drain` when it is selected
    told : called in the main thread, between two of its instructions
    """
    wakes, woken = socket.socketpair()
    for end in (wakes, woken):
        end.setblocking(False)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told())
    selector.register(wakes, selectors.EVENT_READ)
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        selector.unregister(wakes)
        wakes.close()
        woken.close()


def drain(wakes: socket.socket) -> None:
    """Take what signals wrote, so that the next wait lasts."""
    wakes.recv(4096)
