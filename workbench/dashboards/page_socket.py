"""The websocket of a page: a message leaves in one piece, so that no later one is held back or passes it.

While a socket is locked by the parts of one message, Panel queues what callbacks change, and panel 1.9 forgets a
message that enters the queue just when another one has been written. Here a socket is locked for less than one step of
the event loop, so nothing is ever queued. Tornado preserves the order of what is written to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from bokeh.protocol.message import Message
from bokeh.server.tornado import BokehTornado
from panel.io.application import build_applications
from panel.io.server import WSHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler


class PageSocket(WSHandler):
    """The server's end of a page's websocket."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.unsent: list[asyncio.Future[None]] = []

    async def send_message(self, message: Message[Any]) -> None:
        """Write all of a message, then wait until it is out."""
        await super().send_message(message)
        unsent, self.unsent = self.unsent, []
        for fault in await asyncio.gather(*unsent, return_exceptions=True):
            # The browser may have gone meanwhile: Tornado tells Bokeh so by `on_close`.
            if fault is not None and not isinstance(fault, WebSocketClosedError):
                raise fault

    async def write_message(  # type: ignore[override]  # a coroutine, as Bokeh's is
        self, message: bytes | str | dict[str, Any], binary: bool = False, locked: bool = True
    ) -> None:
        """Write a part of a message without waiting, so that the sender of the whole does not yield in between."""
        self.unsent.append(WebSocketHandler.write_message(self, message, binary))


def make_site(page: Callable[[], Any], title: str, **options: Any) -> BokehTornado:
    """The web application that serves a page at its root."""
    site = BokehTornado(build_applications({"/": page}, title=title), **options)
    context = {"application_context": site.applications["/"], "bokeh_websocket_path": "/ws"}
    site.add_handlers(".*", [("/ws", PageSocket, context)])  # before the route that Bokeh has for this address
    return site
