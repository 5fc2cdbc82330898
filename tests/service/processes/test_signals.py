"""A signal ends the wait of a selector at once, and calls back."""

from __future__ import annotations

import os
import selectors
import signal
import socket
from collections.abc import Iterator

import pytest

from service.processes.signals import drain, on_shutdown


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Those of the tests' own process, put back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_the_wait_ends_it(number: signal.Signals) -> None:
    called: list[int] = []
    selector = selectors.DefaultSelector()
    with on_shutdown(selector, lambda: called.append(1)):
        os.kill(os.getpid(), number)
        (ready,) = selector.select(timeout=10)
        assert called == [1]
        reader = ready[0].fileobj
        assert isinstance(reader, socket.socket)
        drain(reader)
        assert selector.select(timeout=0) == []
    assert not selector.get_map()
