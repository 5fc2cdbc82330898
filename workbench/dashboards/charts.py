"""Figures of the tabs: how they look on a light and a dark page, what they draw, and how they follow the view.

A figure is a chart of curves over time (`time_chart`) or a stack of lanes that share the time (`lane_chart`). A tab's
figures belong to a `Picture`. Of long curves only what is in view is sent (`ViewFollower`), as fine as the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Protocol

import numpy as np
import panel as pn
from bokeh.core.properties import value
from bokeh.core.property.descriptors import UnsetValueError
from bokeh.models import (
    AdaptiveTicker,
    BasicTicker,
    ColumnDataSource,
    CompositeTicker,
    FixedTicker,
    Range1d,
    WheelPanTool,
)
from bokeh.plotting import figure as new_bokeh_figure
from bokeh.themes import Theme
from panel.io.document import hold

from workbench.dashboards.figures import ClockTickFormatter, ClockZoomTool, ShowAll
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.styles import growing
from workbench.dashboards.transport import playhead, seek_on_tap
from workbench.plots.palette import DUCK, PLAYED, SEAM
from workbench.recording import FloatArray

FONT = "system-ui, DejaVu Sans, sans-serif"
TEXT_FONT = value(FONT)
"""the same for glyphs, which would take a bare name for a column"""
MARGIN = 0.5
"""of the view's width that is sent to either side, so that panning shows something at once"""
_REDRAW_MS = 30
_LEGEND_PIXELS, _LETTER_PIXELS = 18 + 5 + 14, 6.5
"""of an entry of a legend: its sign and the room beside it, and each letter of its name"""
_USUAL_WIDTH = 1100
FRAME_PIXELS = (88, 12)
"""from the left and the right edge of a chart of lanes to its frame: room for the longest name of a lane"""
THEME = Theme(json={"attrs": {"Axis": {}, "Figure": {}, "Grid": {}, "Legend": {}}})
"""for the page's document: what `paint` sets is named, so that the page's own theme leaves it alone"""
PAPER = {"light": "#FFFFFF", "dark": "#121212"}
"""background of the figures, on a light and on a dark page"""
_PIXELS_A_TICK = 34
_ON_DARK = {PLAYED: "#3A9BDC", DUCK: "#B552A8", SEAM: "#E6E6E6"}
"""the palette's darkest colours, lightened to at least 3 to 1 on a dark page; the others are legible on both"""
_WHITE, _INK = "#FFFFFF", "#10161A"
_INK_LUMINANCE = 0.0078
"""of `_INK`, 0 to 1"""
_names = count()


def unique_name(stem: str) -> str:
    """A name that no other model of any page has; scripts and tests find models by its stem."""
    return f"{stem}-{next(_names)}"


def on_page(colour: str, *, dark: bool) -> str:
    """A colour of the palette as it is drawn on a light or a dark page: the same thing, the same hue."""
    return _ON_DARK.get(colour, colour) if dark else colour


def ink_on(colour: str) -> str:
    """Letters on a block of a colour: white or nearly black, whichever stands out more (contrast ratio of WCAG 2.2)."""
    parts = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return _WHITE if 1.05 / (luminance + 0.05) > (luminance + 0.05) / (_INK_LUMINANCE + 0.05) else _INK


def ink_colour(*, dark: bool) -> str:
    """The colour of letters and strong lines."""
    return "#E6E6E6" if dark else "#1E2429"


def rule_colour(*, dark: bool) -> str:
    """The colour of axes and grids."""
    return "#4A5057" if dark else "#DDDDDD"


def paper(*, dark: bool) -> str:
    """The colour of the page under the figures."""
    return PAPER["dark" if dark else "light"]


def playhead_colour(*, dark: bool) -> str:
    """The colour of the line that runs over the pictures; nothing else has it."""
    return "#F0E442" if dark else "#000000"


def clock_ticker() -> CompositeTicker:
    """Marks at round tenths of a second, seconds or minutes, as many as there is room for."""
    tenths = AdaptiveTicker(base=10, mantissas=[1, 2, 5], min_interval=0.1, max_interval=0.5)
    clock = AdaptiveTicker(base=60, mantissas=[1, 2, 5, 10, 15, 30], min_interval=1.0)
    return CompositeTicker(tickers=[tenths, clock])


def time_chart(height: int, x_range: Range1d, low: float, high: float, label: str, *, last: bool = False) -> Any:
    """A figure as wide as the page, with time from left to right; `height` is in a window 720 pixels high."""
    figure = _figure(height, x_range, Range1d(start=low, end=high), left=74, right=24, top=4, bottom=2)
    figure.yaxis.axis_label = label
    figure.yaxis.axis_label_standoff = 4
    figure.yaxis.ticker = BasicTicker(desired_num_ticks=max(2, height // _PIXELS_A_TICK))
    figure.xaxis.visible = last
    show_time(figure)
    return figure


@dataclass(frozen=True, slots=True)
class Band:
    """Height of a lane in a figure."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Half way between the edges."""
        return (self.low + self.high) / 2

    def at(self, values: FloatArray, low: float, high: float) -> FloatArray:
        """Values as heights in the lane; those outside the range lie on its edges."""
        share = np.clip((values - low) / (high - low), 0.0, 1.0)
        return np.asarray(self.low + share * (self.high - self.low))


def lane_chart(height: int, x_range: Range1d, top: float, lanes: Mapping[str, Band]) -> Any:
    """A figure of lanes one above the other, up to `top`; `height` is in a window 720 pixels high."""
    left, right = FRAME_PIXELS
    figure = _figure(height, x_range, Range1d(start=0.0, end=top), left=left, right=right, top=2)
    figure.grid.visible = False
    figure.yaxis.ticker = FixedTicker(ticks=[band.middle for band in lanes.values()])
    figure.yaxis.major_label_overrides = {band.middle: name for name, band in lanes.items()}
    figure.yaxis.axis_line_alpha = figure.yaxis.major_tick_line_alpha = 0.0
    return figure


def _figure(
    height: int, x_range: Range1d, y_range: Range1d, *, left: int, right: int, top: int, bottom: int | None = None
) -> Any:
    return new_bokeh_figure(
        height=height, sizing_mode="stretch_width", x_range=x_range, y_range=y_range, tools="", toolbar_location=None,
        min_border_left=left, min_border_right=right, min_border_top=top, min_border_bottom=bottom,
        output_backend="canvas", lod_threshold=None,
    )  # fmt: skip


def show_time(figure: Any) -> None:
    """Give a figure a clock as its horizontal axis: a click seeks, a double click shows all.

    Keys zoom, and so does the wheel with Ctrl or Alt, to the bounds of the view; alone it scrolls the page.
    """
    figure.xaxis.ticker = clock_ticker()
    figure.xaxis.formatter = ClockTickFormatter()
    zoom = ClockZoomTool(dimensions="width", maintain_focus=False)
    figure.add_tools(zoom, WheelPanTool(dimension="width", modifiers="shift"))
    figure.toolbar.active_scroll = zoom
    seek_on_tap(figure)
    figure.js_on_event("doubletap", ShowAll(range=figure.x_range))


def paint(figures: Iterable[Any], *, dark: bool, texts: Sequence[Any] = ()) -> None:
    """Set the colours and fonts of letters and lines for a light or a dark page."""
    ink, rule = ink_colour(dark=dark), rule_colour(dark=dark)
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
        glyph.text_font = TEXT_FONT


def flat_legend(figure: Any) -> None:
    """Put the legend in one line above the figure, where it hides nothing."""
    legend = figure.legend[0]
    figure.add_layout(legend, "above")
    legend.orientation, legend.location = "horizontal", "top_right"
    legend.padding = legend.margin = 0
    legend.spacing, legend.glyph_height, legend.glyph_width = 14, 12, 18
    legend.label_standoff = 5
    show_used(figure)
    figure.on_change("inner_width", lambda attr, old, new: show_used(figure))


def show_used(figure: Any) -> None:
    """Let a legend name what is drawn and nothing else, in as many columns as there is room for."""
    for legend in figure.legend:
        for item in legend.items:
            item.visible = any(len(column) for one in item.renderers for column in one.data_source.data.values())
        widths = [_LEGEND_PIXELS + _LETTER_PIXELS * len(item.label.value) for item in legend.items if item.visible]
        try:
            room = figure.inner_width
        except UnsetValueError:
            room = _USUAL_WIDTH  # until the browser has sent it
        legend.ncols = len(widths) or 1 if sum(widths) <= room else max(1, int((room + legend.spacing) // max(widths)))


class _Shade(Protocol):
    """A colour, or an opacity, that depends on the page."""

    def __call__(self, *, dark: bool) -> Any: ...


class Picture:
    """The figures of a tab, from top to bottom, what they draw by name, and their colours.

    A subclass draws on empty sources (`_source`), names what changes its colour with the page (`_tint`, `_shade`,
    `_text`), and fills the sources as soon as there is something to show (`_set`).
    """

    def __init__(self, *figures: Any) -> None:
        self.figures = figures
        self.playheads: list[str] = []
        """names of the lines that a player moves, for its `playheads`"""
        self._sources: dict[str, ColumnDataSource] = {}
        self._texts: list[Any] = []
        self._shades: list[tuple[Any, str, _Shade]] = []

    def ink(self, *, dark: bool) -> None:
        """Set the colours for a light or a dark page."""
        paint(self.figures, dark=dark, texts=self._texts)
        for model, attribute, shade in self._shades:
            setattr(model, attribute, shade(dark=dark))

    def panes(self, *shares: float, **options: Any) -> list[pn.pane.Bokeh]:
        """The figures, which take `shares` of the height that a window leaves; `options` are those of `growing`."""
        for renderer in (each for figure in self.figures for each in figure.renderers):
            # Nothing on a page is selected in this sense, or muted: a browser makes both by itself, and a page has a
            # sixth fewer models.
            renderer.nonselection_glyph = renderer.muted_glyph = "auto"
        shared = zip(self.figures, shares or (1.0,), strict=True)
        return [growing(figure, share, **options) for figure, share in shared]

    def _source(self, name: str, *columns: str) -> ColumnDataSource:
        """The source of that name; several figures may draw one."""
        return self._sources.setdefault(name, ColumnDataSource({column: [] for column in columns}))

    def _band(self, figure: Any, name: str, low: float, high: float, **style: Any) -> Any:
        """Draw stretches, to be sent by `_spans`, from one height to another."""
        return figure.quad(
            "left", "right", high, low, source=self._source(name, "left", "right"), line_width=0, **style
        )

    def _curve(self, figure: Any, name: str, colour: str, **style: Any) -> None:
        """Draw a line through x and y, in a colour of the palette."""
        line = figure.line("x", "y", source=self._source(name, "x", "y"), **style)
        self._tint(line.glyph, "line_color", colour)

    def _set(self, name: str, **columns: Any) -> None:
        """Send all columns of a source, unless it has them; a legend names it while there is something to see."""
        source = self._sources[name]
        if _is_same(source.data, columns):
            return
        was_drawn = any(len(column) for column in source.data.values())
        # Panel handles a click that follows a change at once without the document's lock, which Bokeh wants for what it
        # sends by itself; held, it is sent by Panel.
        with hold():
            source.data = columns
            if was_drawn != any(len(column) for column in columns.values()):
                for figure in self.figures:
                    show_used(figure)

    def _spans(self, name: str, spans: Iterable[Sequence[float]]) -> None:
        """Send from and to of stretches."""
        pairs = [(float(first), float(last)) for first, last in spans]
        self._set(name, left=[first for first, _ in pairs], right=[last for _, last in pairs])

    def _empty(self, *names: str) -> None:
        """Draw nothing of these; of all where none is named."""
        for name in names or self._sources:
            self._set(name, **{column: [] for column in self._sources[name].data})

    def _shade(self, model: Any, attribute: str, shade: _Shade) -> None:
        """Set an attribute of a model whenever the page becomes light or dark."""
        self._shades.append((model, attribute, shade))
        setattr(model, attribute, shade(dark=False))

    def _tint(self, model: Any, attribute: str, colour: str) -> None:
        """Give a model a colour of the palette, legible on either page."""
        self._shade(model, attribute, partial(on_page, colour))

    def _text(self, glyph: Any, alpha: float = 0.0) -> None:
        """Give a text glyph the colour of letters, on that of the page where `alpha` says so."""
        self._texts.append(glyph)
        if alpha:
            glyph.background_fill_alpha = alpha
            self._shade(glyph, "background_fill_color", paper)

    def _add_playheads(self, stem: str) -> None:
        """Put a line over each figure, which a player moves."""
        for figure in self.figures:
            name = unique_name(stem)
            self.playheads.append(name)
            self._shade(playhead(figure, name, playhead_colour(dark=False)), "line_color", playhead_colour)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two sets of columns, or two columns, have the same values, arrays among them."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_same(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other)


class ViewFollower:
    """Calls back when the view has moved or changed its size, once for all the steps of a movement in one event."""

    def __init__(self, figure: Any, draw: Callable[[], None]) -> None:
        self._figure, self._draw, self._waiting = figure, draw, False
        self._size: dict[str, int] = {"width": _USUAL_WIDTH, "height": round(figure.height)}
        for edge in ("start", "end"):
            figure.x_range.on_change(edge, lambda attr, old, new: self._moved())
        for side in self._size:
            figure.on_change(f"inner_{side}", partial(self._resized, side))

    @property
    def view(self) -> tuple[float, float]:
        """From and to, s."""
        return float(self._figure.x_range.start), float(self._figure.x_range.end)

    @property
    def width(self) -> int:
        """Width of the view, pixels; a usual one until the browser has sent it."""
        return self._size["width"]

    @property
    def height(self) -> int:
        """Height of the view, pixels; that of the whole figure until the browser has sent it."""
        return self._size["height"]

    def stretch(self, duration: float) -> tuple[float, float, int]:
        """First and last second to send of `duration` with a margin, and how many pixels that is."""
        start, end = self.view
        reach = MARGIN * (end - start)
        first, last = max(0.0, start - reach), min(duration, end + reach)
        return first, last, max(1, round(self.width * max(1e-3, last - first) / max(1e-3, end - start)))

    def _resized(self, side: str, attr: str, old: int | None, new: int) -> None:
        if new > 0 and new != self._size[side]:
            self._size[side] = new
            self._moved()

    def _moved(self) -> None:
        loop = this_page_loop()
        if loop is None:
            self._draw()
            return
        if self._waiting:
            return
        self._waiting = True

        def draw() -> None:
            self._waiting = False
            self._draw()

        loop.call_later(draw, _REDRAW_MS)
