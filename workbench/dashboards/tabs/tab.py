"""What every tab of the page does: follow the session, colour its pictures, run work, say what went wrong.

A tab is a small class. Its state is another one, without widgets, which tests use without a browser; its figures are a
`Picture`. The tab makes both and the widgets, follows what it needs of the session, and lays all out in `panel`. Tabs
never talk to each other: what one of them changes in the session, the others follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui

from workbench.dashboards.actions import Session
from workbench.dashboards.charts import Picture
from workbench.dashboards.transport import Program

NOT_LOOPED = ": the track is not looped under this video. The tab Plan says why, and what can be done."
"""after what a tab therefore has not"""


class Tab:
    """A tab of the page; it is made when it is first opened."""

    title: ClassVar[str]
    """on the page"""
    plays_itself: ClassVar[bool] = False
    """whether it has a player of its own, with keys, beside the page's transport"""
    program: Program | None = None
    """what the page's transport plays of it; None where there is nothing"""

    def __init__(self, session: Session, *pictures: Picture) -> None:
        self._session = session
        self.run, self.attempt = session.run, session.attempt
        self._is_shown = True
        self._follows: list[Callable[[], None]] = []
        """what follows the session only while it is asked for, in order"""
        self._late: set[Callable[[], None]] = set()
        """those of `_follows` that have changes to catch up with"""
        for picture in pictures:
            self.follow(["dark"], partial(_ink, picture))

    def panel(self) -> pn.viewable.Viewable:
        """Widgets and pictures, laid out."""
        raise NotImplementedError

    def follow(self, names: Sequence[str], act: Callable[..., None]) -> None:
        """Call a function with values of the session, at once and whenever one of them changes."""

        def call(*_: Any) -> None:
            act(*(getattr(self._session, name) for name in names))

        self._session.param.watch(call, list(names))
        call()

    def follow_shown(self, names: Sequence[str], act: Callable[..., None]) -> None:
        """Follow the session as `follow` does, but only while the tab is open or its program plays.

        What changes meanwhile is one call later, with the latest values: a hidden tab asks for no work.
        """

        def call() -> None:
            act(*(getattr(self._session, name) for name in names))

        def follow(*_: Any) -> None:
            if self._is_awake:
                call()
            else:
                self._late.add(call)

        self._follows.append(call)
        self._session.param.watch(follow, list(names))
        call()

    def follow_place(self, player: Program) -> None:
        """Let a player of the plan stand where the page does, and the page where the player does."""

        def go(time: float) -> None:
            if time != player.time:
                player.go(time)

        player.param.watch(lambda event: self._session.param.update(time=event.new), "time")
        self.follow(["time"], go)

    @property
    def _is_awake(self) -> bool:
        return self._is_shown or (self.program is not None and self.program.playing)

    def show_tab(self, *, shown: bool) -> None:
        """Take note of whether the tab is the one that is open, and catch up where it is."""
        self._is_shown = shown
        self.catch_up()

    def catch_up(self, *_: Any) -> None:
        """Catch up with what has changed meanwhile, if the tab is open or plays now."""
        for call in self._follows:
            if self._is_awake and call in self._late:
                self._late.discard(call)
                call()


def _ink(picture: Picture, dark: bool) -> None:
    picture.ink(dark=dark)


def action(label: str, act: Callable[[], Any], *, tip: str = "", **options: Any) -> pmui.Button:
    """A button that does something."""
    description = f"{label}: {tip}" if tip else None  # a screen reader reads it instead of the label
    return pmui.Button(label=label, size="small", description=description, on_click=lambda _: act(), **options)


def number_field(label: str, value: int, *, low: int, high: int | None = None, **options: Any) -> pmui.IntInput:
    """A field for a whole number, which is typed, or changed by the arrow keys or the wheel."""
    # Its two buttons have no names that a screen reader could read.
    sx = {"& .MuiInputAdornment-root": {"display": "none"}, "& input": {"paddingLeft": "12px !important"}}
    return pmui.IntInput(label=label, value=value, start=low, end=high, size="small", sx=sx, **options)


def answer_each(board: Any, act: Callable[..., Any]) -> None:
    """Do what a component of `assets/made.js` (`asker`) asks for: each of `asked` once, however often it is sent."""

    def answer(event: Any) -> None:
        for number, *asked in event.new:
            if number > board.taken:
                board.taken = number
                act(*asked)

    board.param.watch(answer, "asked")
