"""Figures on a clock: how they look on a light and a dark page, and how they follow what is in view.

Functions: `time_chart`, `paint`, `clock_ticker`, `on_page`, `ink_on`, `ink_and_rule`, `paper`, `playhead_colour`,
`flat_legend`, `unique_name`. Classes: `ViewFollower`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

import panel as pn
from bokeh.core.properties import value
from bokeh.models import (
    AdaptiveTicker,
    BasicTicker,
    CompositeTicker,
    Range1d,
    WheelPanTool,
    WheelZoomTool,
)
from bokeh.plotting import figure as new_bokeh_figure
from bokeh.themes import Theme

from workbench.dashboards.figures import ClockTickFormatter, ShowAll
from workbench.dashboards.transport import seek_on_tap
from workbench.plots.palette import DUCK, HEARD, SEAM

FONT = "system-ui, DejaVu Sans, sans-serif"
MARGIN = 0.5
"""of the view's width that is sent to either side, so that panning shows something at once"""
_REDRAW_MS = 30
_USUAL_WIDTH = 1100
THEME = Theme(json={"attrs": {"Axis": {}, "Figure": {}, "Grid": {}, "Legend": {}}})
"""for the page's document: what `paint` sets is named, so that the page's own theme leaves it alone"""
PAPER = {"light": "#FFFFFF", "dark": "#121212"}
"""what lies under the figures of a light and of a dark page"""
_PIXELS_A_TICK = 34
_ON_DARK = {HEARD: "#3A9BDC", DUCK: "#B552A8", SEAM: "#E6E6E6"}
"""the palette's darkest colours, lightened to at least 3 to 1 on a dark page; the others are legible on both"""
_WHITE, _INK = "#FFFFFF", "#10161A"
_INK_LUMINANCE = 0.0078
"""of `_INK`, 0 to 1"""
_names = count()


def unique_name(stem: str) -> str:
    """A name that no other model of any page has."""
    return f"{stem}-{next(_names)}"


def on_page(colour: str, *, dark: bool) -> str:
    """A colour of the palette as it is drawn on a light or a dark page: the same thing, the same hue."""
    return _ON_DARK.get(colour, colour) if dark else colour


def ink_on(colour: str) -> str:
    """Letters on a block of a colour: white or nearly black, whichever stands out more.

    References
    ----------
    W3C, "Web Content Accessibility Guidelines 2.2" (2023), relative luminance and contrast ratio.
    """
    parts = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return _WHITE if 1.05 / (luminance + 0.05) > (luminance + 0.05) / (_INK_LUMINANCE + 0.05) else _INK


def ink_and_rule(*, dark: bool) -> tuple[str, str]:
    """Of letters and strong lines, and of axes and grids, on a light or a dark page."""
    return ("#E6E6E6", "#4A5057") if dark else ("#1E2429", "#DDDDDD")


def paper(*, dark: bool) -> str:
    """What lies under the figures."""
    return PAPER["dark" if dark else "light"]


def playhead_colour(*, dark: bool) -> str:
    """Of the line that runs over the pictures: no other thing's colour."""
    return "#F0E442" if dark else "#000000"


def clock_ticker() -> CompositeTicker:
    """Marks at round tenths of a second, seconds or minutes, as much as the view is wide."""
    tenths = AdaptiveTicker(base=10, mantissas=[1, 2, 5], min_interval=0.1, max_interval=0.5)
    clock = AdaptiveTicker(base=60, mantissas=[1, 2, 5, 10, 15, 30], min_interval=1.0)
    return CompositeTicker(tickers=[tenths, clock])


def time_chart(height: int, x_range: Range1d, low: float, high: float, label: str, *, last: bool = False) -> Any:
    """A figure as wide as the page, with time from left to right; a click seeks, the wheel zooms.

    Parameters
    ----------
    x_range : shared by all figures that show the same stretch
    low, high : of the vertical axis
    label : of the vertical axis
    last : whether it is the lowest one, which shows the time
    """
    figure: Any = new_bokeh_figure(
        height=height, sizing_mode="stretch_width", x_range=x_range, y_range=Range1d(start=low, end=high), tools="",
        toolbar_location=None, min_border_left=74, min_border_right=24, min_border_top=4, min_border_bottom=2,
        output_backend="canvas", lod_threshold=None,
    )  # fmt: skip
    figure.yaxis.axis_label = label
    figure.yaxis.axis_label_standoff = 4
    figure.yaxis.ticker = BasicTicker(desired_num_ticks=max(2, height // _PIXELS_A_TICK))
    figure.xaxis.ticker = clock_ticker()
    figure.xaxis.formatter = ClockTickFormatter()
    figure.xaxis.visible = last
    zoom = WheelZoomTool(dimensions="width", maintain_focus=False)
    pan = WheelPanTool(dimension="width", modifiers="shift")
    figure.add_tools(zoom, pan)
    figure.toolbar.active_scroll = zoom
    seek_on_tap(figure)
    figure.js_on_event("doubletap", ShowAll(range=x_range))
    return figure


def paint(figures: Iterable[Any], *, dark: bool, texts: Sequence[Any] = ()) -> None:
    """Colours of letters and lines for a light or a dark page."""
    ink, rule = ink_and_rule(dark=dark)
    for figure in figures:
        figure.background_fill_color = figure.border_fill_color = None
        figure.outline_line_color = None
        figure.xgrid.visible = False
        figure.ygrid.grid_line_color = rule
        figure.ygrid.grid_line_alpha = 0.6
        for axis in figure.axis:
            axis.axis_line_color = axis.major_tick_line_color = rule
            axis.minor_tick_line_color = None
            axis.major_label_text_color = axis.axis_label_text_color = ink
            axis.major_label_text_font_size = axis.axis_label_text_font_size = "12px"
            axis.major_label_text_font = axis.axis_label_text_font = FONT
            axis.axis_label_text_font_style = "normal"
        for legend in figure.legend:
            legend.background_fill_alpha = legend.border_line_alpha = 0.0
            legend.label_text_color = ink
            legend.label_text_font, legend.label_text_font_size = FONT, "12px"
    for glyph in texts:
        glyph.text_color = ink
        glyph.text_font = value(FONT)


def flat_legend(figure: Any) -> None:
    """The legend in one line above the figure, where it hides nothing."""
    legend = figure.legend[0]
    figure.add_layout(legend, "above")
    legend.orientation, legend.location = "horizontal", "top_right"
    legend.padding = legend.margin = 0
    legend.spacing, legend.glyph_height, legend.glyph_width = 14, 12, 18
    legend.label_standoff = 5


class ViewFollower:
    """Calls back when the view has moved, once for all the steps of a movement that come in an event.

    Parameters
    ----------
    figure : whose stretch and width are watched
    draw : sends what is in view
    """

    def __init__(self, figure: Any, draw: Callable[[], None]) -> None:
        self._figure, self._draw, self._waiting = figure, draw, False
        self._width = _USUAL_WIDTH
        for edge in ("start", "end"):
            figure.x_range.on_change(edge, lambda attr, old, new: self._moved())
        figure.on_change("inner_width", lambda attr, old, new: self._resized(int(new)))

    @property
    def view(self) -> tuple[float, float]:
        """From and to, s."""
        return float(self._figure.x_range.start), float(self._figure.x_range.end)

    @property
    def width(self) -> int:
        """Pixels, once the browser has told."""
        return self._width

    def stretch(self, duration: float) -> tuple[float, float, int]:
        """What to send of something that lasts so long: from, to, and how many columns that is on the screen."""
        start, end = self.view
        reach = MARGIN * (end - start)
        first, last = max(0.0, start - reach), min(duration, end + reach)
        return first, last, max(1, round(self.width * max(1e-3, last - first) / max(1e-3, end - start)))

    def _resized(self, width: int) -> None:
        if width > 0 and width != self._width:
            self._width = width
            self._moved()

    def _moved(self) -> None:
        document = pn.state.curdoc
        if document is None:
            self._draw()
            return
        if self._waiting:
            return
        self._waiting = True

        def draw() -> None:
            self._waiting = False
            self._draw()

        document.add_timeout_callback(draw, _REDRAW_MS)
