"""The ducking envelope, drawn by hand on the Mix tab: points are added, dragged and deleted, with pointer or keys.

A drag is shown and played at once; it becomes a step of the history when the point is let go of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from workbench.dashboards.actions import Session
from workbench.dashboards.styles import script, stylesheet
from workbench.dashboards.tabs.tab import answer_each
from workbench.errors import WorkbenchError
from workbench.mix.drawn_envelope import Points, add_point, delete_point, depth_at, move_point, read_points
from workbench.plans.constraints import clock


@dataclass
class Drawing:
    """An envelope that is drawn on."""

    points: Points = ()
    seconds: float = 0.0
    """length of the video"""
    chosen: int | None = None
    """index of a point"""

    @property
    def point(self) -> tuple[float, float]:
        """The point that is chosen, s and dB; zeros without one."""
        return (0.0, 0.0) if self.chosen is None else self.points[self.chosen]

    def take(self, points: Points, seconds: float) -> None:
        """Draw on another envelope; the choice stays where there is such a point."""
        self.points, self.seconds = points, seconds
        if self.chosen is not None and self.chosen >= len(points):
            self.chosen = None

    def nearest(self, at: float, depth: float, reach_s: float, reach_db: float) -> int | None:
        """Index of the point at a place, in video seconds and positive dB; None where there is none."""
        away = [max(abs(time - at) / reach_s, abs(db - depth) / reach_db) for time, db in self.points]
        return away.index(min(away)) if away and min(away) <= 1.0 else None

    def take_hold(self, at: float, depth: float, reach_s: float, reach_db: float) -> bool:
        """Choose the point at a place, else put one on the curve there."""
        found = self.nearest(at, depth, reach_s, reach_db)
        if found is not None:
            self.chosen = found
            return True
        if abs(depth_at(self.points, at) - depth) > reach_db:
            return False
        self.points, self.chosen = add_point(self.points, at, self.seconds)
        return True

    def add(self, at: float) -> None:
        """Put a point on the curve, and choose it."""
        self.points, self.chosen = add_point(self.points, at, self.seconds)

    def move(self, at: float, depth: float) -> None:
        """Move the point that is chosen, as far as its neighbours let it."""
        if self.chosen is not None:
            self.points = move_point(self.points, self.chosen, at, depth, self.seconds)

    def delete(self) -> None:
        """Take out the point that is chosen; its neighbour is chosen then."""
        if self.chosen is not None:
            self.points = delete_point(self.points, self.chosen)
            self.chosen = min(self.chosen, len(self.points) - 1) if self.points else None

    def choose(self, way: int) -> None:
        """Choose the next point (1) or the one before (-1); of none, the first or the last."""
        if self.points:
            start = (-1 if way > 0 else 0) if self.chosen is None else self.chosen
            self.chosen = (start + way) % len(self.points)


class EnvelopePanel(JSComponent):
    """Buttons and fields for the points of the envelope."""

    count = param.Integer(0, doc="of points")
    chosen = param.Integer(-1, doc="the point that is chosen, from 0; -1 for none")
    at = param.Number(0.0, doc="where it is, video s")
    depth = param.Number(0.0, doc="its attenuation, dB")
    drawn = param.Boolean(False, doc="whether the envelope is not the measured one")
    slider = param.String("", doc="label of the slider that lowers and raises all of the measured one")
    under = param.Number(0.0, doc="what that was set to when the envelope was measured, LU")
    deepest = param.Number(0.0, doc="that the measured one may be, dB")
    asked = param.List([], doc="[n, what, its values] of each request that may not be taken yet")
    taken = param.Integer(0, doc="n of the last request that was taken")

    _esm = script("keys", "clock", "envelope")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("envelope")]


class EnvelopeEditor:
    """Edits the points of the session's envelope; `show` has the tab draw and play them."""

    def __init__(self, session: Session, show: Callable[[Points, bool], None]) -> None:
        self._session, self._show = session, show
        self.drawing = Drawing()
        self._before: Drawing | None = None
        """while a change is under way: the drawing before it"""
        self._beside: tuple[float, float] | None = None
        """how far the point that is held is from the pointer, s and dB: it moves as the pointer does"""
        self.panel = EnvelopePanel(sizing_mode="stretch_width", margin=(0, 10), visible=False)
        answer_each(self.panel, self.ask)

    def take(self, points: Points, seconds: float) -> None:
        """Draw on another envelope; one that is being drawn on stays. Without a video its length is 0."""
        if self._before is None:
            self.drawing.take(points, seconds)
        self.panel.visible = seconds > 0
        self._paint()

    def drag(self, phase: str, at: float, depth: float, reach_s: float, reach_db: float) -> None:
        """Take hold of a point, move it, let go of it, or put it back."""
        drawing = self.drawing
        if phase == "press":
            self.keep()
            self._beside, before = None, replace(drawing)
            if drawing.seconds > 0 and drawing.take_hold(at, depth, reach_s, reach_db):
                self._before = before
                self._beside = drawing.point[0] - at, drawing.point[1] - depth
                self._show(drawing.points, True)
        elif self._beside is None or self._before is None:
            return
        elif phase == "give up":
            self.drawing, self._before, self._beside = self._before, None, None
            self._show(self.drawing.points, False)
        else:
            drawing.move(at + self._beside[0], depth + self._beside[1])
            if phase != "move":
                self._beside = None
                self.keep()
                return
            self._show(drawing.points, True)
        self._paint()

    def pick(self, at: float, depth: float, reach_s: float, reach_db: float) -> None:
        """Choose the point at a place, if there is one."""
        found = self.drawing.nearest(at, depth, reach_s, reach_db)
        if found is not None:
            self.keep()
            self.drawing.chosen = found
            self._show(self.drawing.points, False)
            self._paint()

    def ask(self, what: str, *values: Any) -> None:
        """Do what a button, a field or a key of the panel asks for."""
        drawing = self.drawing
        if what == "set" and 0 <= int(values[0]) < len(drawing.points):
            if drawing.chosen != int(values[0]):
                self.keep()
            self._before = self._before or replace(drawing)
            drawing.chosen = int(values[0])
            drawing.move(float(values[1]), float(values[2]))
            self._show(drawing.points, True)
        else:
            self.keep()
        before = drawing.points
        if what == "choose":
            drawing.choose(int(values[0]))
            self._show(drawing.points, False)
        elif what == "add":
            drawing.add(float(values[0]))
            self._keep(before, f"duck point added at {self._place}")
        elif what == "delete" and drawing.chosen is not None:
            words = f"duck point at {self._place} deleted"
            drawing.delete()
            self._keep(before, words)
        elif what == "restore" and self._session.envelope is not None:
            with self._session.change("the measured ducking again"):
                self._session.envelope = None
        self._paint()

    def keep(self) -> None:
        """Save the change under way as a step of the history."""
        before, self._before = self._before, None
        if before is not None:
            self._keep(before.points, f"duck point at {self._place}: {self.drawing.point[1]:.1f} dB")

    @property
    def _place(self) -> str:
        return clock(round(self.drawing.point[0], 1))

    def _keep(self, before: Points, words: str) -> None:
        points = self.drawing.points
        if points != before:
            try:
                points = read_points(points) or ()
            except WorkbenchError as error:
                self._session.message = str(error)
                return
            with self._session.change(words):
                self._session.envelope = points
        self._show(points, False)
        self._paint()

    def _paint(self) -> None:
        drawing, chosen, (at, depth) = self.drawing, self.drawing.chosen, self.drawing.point
        self.panel.param.update(
            count=len(drawing.points), chosen=-1 if chosen is None else chosen, at=at, depth=depth,
            drawn=self._session.envelope is not None,
        )  # fmt: skip
