"""The event loop on which a page's state may be changed, with its document at hand, and whether the page is open.

A page goes when its browser tab is closed or its server stops: then nothing that was handed to its loop is called.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import panel as pn
from bokeh.document import Document
from panel.io.document import hold
from panel.io.state import set_curdoc


@dataclass(frozen=True, slots=True, eq=False)
class PageLoop:
    """A page's document, and the loop on which its callbacks run."""

    document: Document
    loop: asyncio.AbstractEventLoop

    @property
    def gone(self) -> bool:
        """Whether the page was closed, or its server stopped."""
        context = self.document.session_context
        return context is None or context.destroyed or not self.loop.is_running()

    def call_soon(self, function: Callable[[], None]) -> None:
        """Call a function on the loop, from any thread; never where the page has gone."""
        if self.gone:
            return
        # A document takes callbacks on its loop only: while its events are held back, as they are during every change
        # that Panel makes, what another thread adds can be lost.
        with suppress(RuntimeError):  # the loop has closed since
            self.loop.call_soon_threadsafe(self._add, function)

    def _add(self, function: Callable[[], None]) -> None:
        if not self.gone:
            self.document.add_next_tick_callback(partial(self._run, function))

    def _run(self, function: Callable[[], None]) -> None:
        # In one message, behind what Panel has to send. While the socket is busy Panel holds its messages back, and
        # what Bokeh sends for itself would pass them: changes of a new tab's figures would come before the figures.
        # Another page may have asked for the call, whose document would be the current one here too.
        with set_curdoc(self.document), hold(self.document):
            function()

    def call_later(self, function: Callable[[], None], milliseconds: int) -> None:
        """Call a function on the loop after a while; never where the page has gone by then."""
        self.document.add_timeout_callback(partial(self._run, function), milliseconds)

    def call_every(self, function: Callable[[], None], milliseconds: int) -> None:
        """Call a function on the loop again and again, until the page has gone."""
        self.document.add_periodic_callback(partial(self._run, function), milliseconds)


def this_page_loop() -> PageLoop | None:
    """The loop of the page for which this code runs; None in a script or a test, where nothing runs on a loop."""
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        return None
    try:
        return PageLoop(document, asyncio.get_running_loop())
    except RuntimeError:
        return None
