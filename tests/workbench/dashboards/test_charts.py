"""Figures of the tabs: legible on both pages, no finer than the screen, drawn again when the view moves."""

from __future__ import annotations

import numpy as np
import pytest
from bokeh.models import Range1d

from workbench.dashboards.charts import (
    PAPER,
    Band,
    Picture,
    ViewFollower,
    ink_colour,
    ink_on,
    lane_chart,
    on_page,
    paper,
    playhead_colour,
    time_chart,
    unique_name,
)
from workbench.plots import palette


def luminance(colour: str) -> float:
    """Relative luminance of `#RRGGBB` after WCAG 2.2."""
    parts = [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def contrast(one: str, other: str) -> float:
    """Ratio of two colours, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("block", ["#0072B2", "#56B4E9", "#E69F00", "#F0E442", "#009E73", "#000000", "#FFFFFF"])
def test_letters_on_a_block_are_legible(block: str) -> None:
    assert contrast(ink_on(block), block) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_lines_and_letters_stand_out_from_the_page(dark: bool) -> None:
    page = paper(dark=dark)
    assert page == PAPER["dark" if dark else "light"]
    assert contrast(ink_colour(dark=dark), page) >= 7.0
    assert contrast(playhead_colour(dark=dark), page) >= 7.0
    for colour in (palette.PLAYED, palette.DUCK, palette.SEAM):
        assert contrast(on_page(colour, dark=dark), page) >= 3.0


def test_no_two_models_have_one_name() -> None:
    assert len({unique_name("head") for _ in range(10)}) == 10


def test_values_outside_their_range_lie_on_the_edge_of_the_lane() -> None:
    band = Band(10.0, 20.0)
    assert band.middle == 15.0
    assert list(band.at(np.array([-9.0, 0.0, 1.0, 2.0, 9.0]), 0.0, 2.0)) == [10.0, 10.0, 15.0, 20.0, 20.0]


def test_lanes_have_their_names_at_their_middles() -> None:
    chart = lane_chart(100, Range1d(start=0.0, end=1.0), 40.0, {"low": Band(0.0, 10.0), "high": Band(20.0, 40.0)})
    assert chart.yaxis[0].major_label_overrides == {5.0: "low", 30.0: "high"}
    assert list(chart.yaxis[0].ticker.ticks) == [5.0, 30.0]
    assert (chart.y_range.start, chart.y_range.end) == (0.0, 40.0)


def test_only_the_lowest_chart_shows_the_time() -> None:
    view = Range1d(start=0.0, end=60.0)
    upper, lowest = time_chart(90, view, 0.0, 1.0, "onsets"), time_chart(90, view, 60.0, 180.0, "bpm", last=True)
    assert (upper.xaxis[0].visible, lowest.xaxis[0].visible) == (False, True)
    assert upper.x_range is lowest.x_range


class Levels(Picture):
    """One curve."""

    def __init__(self) -> None:
        self.chart = time_chart(120, Range1d(start=0.0, end=60.0), 0.0, 1.0, "level")
        super().__init__(self.chart)
        self.line = self.chart.line("x", "y", source=self._source("level", "x", "y")).glyph
        self._tint(self.line, "line_color", palette.PLAYED)
        self._add_playheads("levels")
        self.drawn: list[tuple[float, float, int]] = []
        self.follow = ViewFollower(self.chart, self.show_view)

    def show_view(self) -> None:
        """Send a straight line over what is in view."""
        first, last, columns = self.follow.stretch(100.0)
        self.drawn.append((first, last, columns))
        self.draw(np.linspace(first, last, columns), np.zeros(columns))

    def draw(self, x: object, y: object) -> None:
        """Send a curve."""
        self._set("level", x=x, y=y)

    @property
    def points(self) -> int:
        """How many are sent."""
        return len(self.chart.renderers[0].data_source.data["x"])


def test_what_is_drawn_already_is_not_sent_again() -> None:
    picture = Levels()
    source = picture.chart.renderers[0].data_source
    sent: list[str] = []
    source.on_change("data", lambda attr, old, new: sent.append(attr))
    picture.draw([1.0, 2.0], [[(0, "a"), np.arange(3)], [(1, "b"), np.arange(4)]])
    picture.draw(np.array([1.0, 2.0]), [[(0, "a"), np.arange(3)], [(1, "b"), np.arange(4)]])
    assert sent == ["data"]
    picture.draw([1.0, 2.0], [[(0, "a"), np.arange(3)], [(1, "b"), np.arange(1, 5)]])
    picture.draw([1.0, 2.0], [[(0, "a"), np.arange(3)], [(1, "c"), np.arange(1, 5)]])
    picture.draw([1.0], [[(0, "a"), np.arange(3)]])
    assert len(sent) == 4


def test_a_picture_takes_the_colours_of_the_page() -> None:
    picture = Levels()
    head = picture.chart.select_one({"name": picture.playheads[0]})
    for dark in (True, False):
        picture.ink(dark=dark)
        assert picture.line.line_color == on_page(palette.PLAYED, dark=dark)
        assert head.line_color == playhead_colour(dark=dark)
        assert picture.chart.yaxis[0].axis_label_text_color == ink_colour(dark=dark)


def test_a_moved_view_is_drawn_again_with_a_margin_and_as_fine_as_the_screen() -> None:
    picture = Levels()
    picture.chart.x_range.update(start=10.0, end=20.0)
    first, last, columns = picture.drawn[-1]
    assert (first, last) == (5.0, 25.0)
    assert columns == picture.points == 2 * picture.follow.width
    picture.chart.x_range.update(start=90.0, end=110.0)
    assert picture.drawn[-1][1] == 100.0, "there is nothing after the end"


def test_a_picture_in_its_panes_shares_the_height_of_the_window() -> None:
    (pane,) = Levels().panes(0.5, margin=0)
    assert "0.5 *" in pane.object.styles["height"]
    with pytest.raises(ValueError, match="zip"):
        Levels().panes(0.5, 0.5)
