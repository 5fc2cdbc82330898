"""What Panel keeps back while a socket is busy reaches the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from bokeh.document import Document
from panel.io import document as panel_document

from workbench.dashboards.kept_messages import send_all_kept


class Socket:
    """Of no known kind, so that Panel asks us to write."""


class Connection:
    """To a browser; what is sent are the events themselves."""

    def __init__(self) -> None:
        self._socket, self.protocol = Socket(), self
        self.sent: list[object] = []
        self.writing: list[asyncio.Future[None]] = []

    def create(self, _kind: str, events: list[object]) -> list[object]:
        return events

    def write(self, msg: list[object]) -> list[asyncio.Future[None]]:
        self.sent += msg
        self.writing.append(asyncio.get_running_loop().create_future())
        return self.writing[-1:]


@pytest.fixture(autouse=True)
def written_by_us() -> Iterator[None]:
    """Panel as it is otherwise, once the test is over."""
    before = panel_document._dispatch_msgs
    handlers: dict[type, Any] = panel_document.extra_socket_handlers
    handlers[Socket] = Connection.write
    yield
    panel_document._dispatch_msgs = before
    del handlers[Socket]


def test_a_change_while_another_is_written_is_sent_by_itself() -> None:
    async def change_twice() -> list[object]:
        document, connection = Document(), Connection()
        schedule: Any = panel_document.schedule_write_events
        schedule(document, [connection], ["one"])
        async with asyncio.timeout(20):
            while not connection.writing:
                await asyncio.sleep(0)
        connection.writing[0].set_result(None)
        schedule(document, [connection], ["two"])
        async with asyncio.timeout(20):
            while asyncio.all_tasks() != {asyncio.current_task()}:
                for future in connection.writing[1:]:
                    if not future.done():
                        future.set_result(None)
                await asyncio.sleep(0)
        return connection.sent

    send_all_kept()
    assert asyncio.run(change_twice()) == ["one", "two"]
