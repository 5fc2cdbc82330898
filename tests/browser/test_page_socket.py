"""What the server changes is shown: where changes meet on a socket in use, and while a component is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import product
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.document import Document
from panel.custom import JSComponent
from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop

from workbench.dashboards.styles import script

pytestmark = pytest.mark.browser

STEPS = 10
"""of the event loop by which changes follow one another, 0 to 9: a message is written in some seven"""
SHOWN_MS = 2000
BUTTONS = 40
ROUNDS = 4
DRAWING_SECONDS = 0.02
"""between two changes, so that some fall between the drawing of a button and the moment that it listens"""

ServePage = Callable[[Callable[[], Any]], tuple[str, IOLoop]]


class Changed:
    """A page whose parts the server changes."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts
        self.document: Document | None = None

    def make(self) -> Any:
        """The page, once it is asked for."""
        self.document = pn.state.curdoc
        return pn.Column(*self.parts)

    def shown(self) -> Document:
        assert self.document is not None, "the page is open"
        return self.document


def test_two_hundred_changes_on_a_busy_socket_are_shown(new_page: Callable[..., Any], serve_page: ServePage) -> None:
    text: Any = pn.widgets.StaticText(value="nothing yet")
    changed = Changed(text)

    async def change(before: int, between: int, words: str) -> None:
        """Change the page three times: its title as Bokeh does, then its text twice as Panel does."""
        document = changed.shown()
        document.add_next_tick_callback(lambda: setattr(document, "title", words))
        for steps, shown in ((before, "something else"), (between, words)):
            for _ in range(steps):
                await asyncio.sleep(0)
            with set_curdoc(document):
                text.value = shown

    url, loop = serve_page(changed.make)
    page = new_page()
    page.goto(url)
    page.get_by_text("nothing yet").wait_for()
    page.wait_for_load_state("networkidle")
    for before, between in product(range(STEPS), repeat=2):
        words = f"after {before} steps, then {between}"
        loop.add_callback(change, before, between, words)
        page.get_by_text(words, exact=True).wait_for(timeout=SHOWN_MS)


class Page(JSComponent):
    """What the page's head does for all of the page."""

    _esm: ClassVar[str] = (
        script("drawn")
        + """
        export const initialize = () => announceAgain(window.Bokeh.documents.at(-1))
        export const render = () => document.createElement("div")"""
    )


def test_what_changes_while_a_component_is_drawn_is_shown(new_page: Callable[..., Any], serve_page: ServePage) -> None:
    make_button: Any = pmui.Button
    head: Any = Page
    column = pn.Column(make_button(label="nothing yet"))
    changed = Changed(head(), column)

    async def change(number: int) -> None:
        """Draw buttons, and change each a while later."""
        buttons = [make_button(label="as it was drawn") for _ in range(BUTTONS)]
        with set_curdoc(changed.shown()):
            column[:] = buttons
        for button in buttons:
            await asyncio.sleep(DRAWING_SECONDS)
            with set_curdoc(changed.shown()):
                button.label = f"change {number}"

    url, loop = serve_page(changed.make)
    page = new_page()
    page.goto(url)
    page.get_by_role("button", name="nothing yet").wait_for()
    page.wait_for_load_state("networkidle")
    for number in range(ROUNDS):
        loop.add_callback(change, number)
        page.get_by_role("button", name=f"change {number}").nth(BUTTONS - 1).wait_for()
