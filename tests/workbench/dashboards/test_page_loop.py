"""Where a page's state may be changed, and whether anybody is left to see it."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import pytest
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.server.session import ServerSession
from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop

from tests.workbench.dashboards.waiting import BrowserTab, ShownDocument
from workbench.dashboards.page_loop import PageLoop, this_page_loop


@pytest.fixture
def browser_tab() -> BrowserTab:
    return BrowserTab()


@pytest.fixture
def document(browser_tab: BrowserTab) -> Document:
    """That somebody looks at."""
    return ShownDocument(browser_tab)


async def page_of(document: Document) -> PageLoop | None:
    """As a callback of the page finds it."""
    with set_curdoc(document):
        return this_page_loop()


def test_a_script_has_no_page(document: Document) -> None:
    assert this_page_loop() is None
    assert asyncio.run(page_of(Document())) is None
    with set_curdoc(document):
        assert this_page_loop() is None, "a document is left over, but no loop runs"


def test_a_page_is_there_until_its_browser_tab_is_closed(document: Document, browser_tab: BrowserTab) -> None:
    async def look() -> tuple[bool, bool]:
        page = await page_of(document)
        assert page is not None
        before = page.gone
        browser_tab.destroyed = True
        return before, page.gone

    assert asyncio.run(look()) == (False, True)


def test_a_page_goes_with_its_server(document: Document) -> None:
    page = asyncio.run(page_of(document))
    assert page is not None
    assert page.gone
    page.call_soon(pytest.fail)
    assert document.session_callbacks == []


def test_what_is_called_again_and_again_ends_with_the_page() -> None:
    async def called(times: int) -> tuple[ServerSession, list[int]]:
        """A page that calls something every millisecond, once it has done so some times."""
        document, calls, enough = ShownDocument(BrowserTab()), list[int](), asyncio.Event()
        page = await page_of(document)
        assert page is not None

        def call() -> None:
            calls.append(len(calls))
            if len(calls) == times:
                enough.set()

        page.call_every(call, 1)
        session = ServerSession(ID(f"page {times}"), document, IOLoop.current())
        await enough.wait()
        return session, calls

    async def look() -> None:
        closed, calls = await called(3)
        closed.destroy()
        before = len(calls)
        open_still, _ = await called(10)
        open_still.destroy()
        assert len(calls) == before

    asyncio.run(look())


def test_nothing_that_another_thread_brings_is_lost_while_the_page_changes(document: Document) -> None:
    calls = 2000
    arrived: list[Any] = []

    class Receiver:
        def _session_callback_added(self, event: Any) -> None:
            arrived.append(event)

    async def change_the_page() -> None:
        page = await page_of(document)
        assert page is not None
        document.callbacks.on_change_dispatch_to(Receiver())

        def bring() -> None:
            for _ in range(calls):
                page.call_soon(lambda: None)

        thread = threading.Thread(target=bring)
        thread.start()
        while thread.is_alive():  # as Panel does about each change
            document.hold("combine")
            document.title = "changed"
            document.unhold()
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that the threads meet in every line
    try:
        asyncio.run(change_the_page())
    finally:
        sys.setswitchinterval(interval)
    assert len(arrived) == calls
