"""What the browser does with figures by itself: Bokeh models of our own, written in `assets/figures.js`.

Bokeh's `CustomJS` carries code as text, which the page's policy does not let a browser run.
"""

from __future__ import annotations

from typing import Any

from bokeh.core.properties import Any as AnyValue
from bokeh.core.properties import Bool, Float, Instance, List
from bokeh.models import BoxSelectTool, ColumnDataSource, Range1d, WheelZoomTool
from bokeh.models.callbacks import Callback
from bokeh.models.formatters import TickFormatter


class ClockTickFormatter(TickFormatter):
    """Writes seconds as minutes and seconds, with tenths where the marks are less than a second apart."""


class SeekTo(Callback):
    """Tells the transport to go to the time of an event on a figure."""


class LoopOver(Callback):
    """Tells the transport to loop over the stretch that was selected on a figure."""


class ShowAll(Callback):
    """Zooms a range out to its bounds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    range = Instance(Range1d, help="The range that is zoomed out.")


class ClockZoomTool(WheelZoomTool):
    """Zooms a clock by the wheel with Ctrl or Alt, by a pinch, and by the keys and buttons of the transport."""


class SeamTool(BoxSelectTool):
    """Drags a seam of a plan to another bar line, or the flag of a hit, or selects a stretch of the track.

    While a seam is dragged the server learns where it would go, and plays it; nothing is planned until it is let go of.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    seams = List(Float, help="Where each seam plays, video seconds.")
    places = List(
        AnyValue,
        help="Of each seam, where it could be: bars, at (s), words, and obstacle, empty where it can be there.",
    )
    marks = Instance(ColumnDataSource, help="Draws the places of the seam that is dragged: x, color.")
    ghost = Instance(ColumnDataSource, help="Draws where it would go: x, text.")
    low = Float(0.0, help="Lower end of the lanes in which a seam is taken hold of.")
    high = Float(0.0, help="Their upper end.")
    track_high = Float(0.0, help="Upper end of the lane of the track.")
    track_scale = Float(1.0, help="Video seconds as wide as a second of the track.")
    colors = List(AnyValue, help="Of a place where the seam can be, and of one where it cannot.")
    chosen = List(Float, help="Seam that was taken hold of, and a count.")
    heard = List(AnyValue, help="Seam, bars that it would be moved by, None once it is let go of, and a count.")
    moved = List(Float, help="Seam, bars that it was moved by, and a count.")
    stretch = List(Float, help="From and to of the track that were selected, s, and a count.")
    hits = List(Float, help="Where each flag stands, video seconds.")
    flag_low = Float(0.0, help="Lower end of the flags.")
    landing = Instance(ColumnDataSource, help="Draws where a flag is dragged to: x, text.")
    landed = List(Float, help="Flag that was dragged, to when, video s, and a count.")


class PointTool(BoxSelectTool):
    """Tells of a drag on a figure while it goes on, so that points of a curve can be dragged; it selects nothing."""

    gesture = List(
        AnyValue,
        help="press, move, release or give up; x and y there; how much of both is within its reach; a count.",
    )


class BeatTool(BoxSelectTool):
    """Drags a beat or a downbeat between its neighbours; a drag that begins beside them selects as its base."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    beats = Instance(ColumnDataSource, help="Beats that are drawn: x; low and high, between which they can be moved.")
    bars = Instance(ColumnDataSource, help="Downbeats that are drawn, with the same columns.")
    ghost = Instance(ColumnDataSource, help="Draws where it would be: x, text, color, align, offset.")
    colors = List(AnyValue, help="Of a beat and of a downbeat.")
    onsets = List(Float, help="Onsets in view, s, to which a beat snaps.")
    snaps = Bool(False, help="Whether it snaps; with shift held it does the opposite.")
    moved = List(Float, help="Where a beat was and where it was moved to, s, and a count.")
    taken = Float(0.0, help="The count of the last move that the server has answered.")
