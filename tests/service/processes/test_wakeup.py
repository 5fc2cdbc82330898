"""The pipe that wakes the job process: a byte is enough, and nothing blocks."""

from __future__ import annotations

import os
import selectors

from service.processes.wakeup import WakeupPipe


def test_a_notice_wakes_the_reader_once() -> None:
    reader, writer = (WakeupPipe(end) for end in os.pipe())
    selector = selectors.DefaultSelector()
    selector.register(reader, selectors.EVENT_READ)
    assert selector.select(timeout=0) == []
    for _ in range(3):
        writer.notify()
    assert selector.select(timeout=5)
    reader.drain()
    assert selector.select(timeout=0) == []
    reader.drain()
    os.close(reader.fileno())
    writer.notify()
    os.close(writer.fileno())


def test_a_full_pipe_does_not_block_and_none_is_no_pipe() -> None:
    reader, writer = (WakeupPipe(end) for end in os.pipe())
    for _ in range(70_000):
        writer.notify()
    assert writer.enabled
    for end in (reader, writer):
        os.close(end.fileno())
    absent = WakeupPipe(None)
    assert not absent.enabled
    absent.notify()
