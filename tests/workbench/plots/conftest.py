"""What a figure writes, taken from the renderer that draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import matplotlib as mpl
import matplotlib.style
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text


@dataclass(frozen=True)
class Written:
    """A line of text on the paper, pixels from its lower left corner."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    angle: float


class _Recorder(RendererAgg):
    """Draws as usual and keeps every line of text."""

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__(width, height, dpi)  # type: ignore[no-untyped-call]
        self.written: list[Written] = []

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        """Keep where a line is drawn; its lower left corner before it is turned is x, y pixels from the upper left."""
        super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)  # type: ignore[no-untyped-call]
        wide, high, below = self.get_text_width_height_descent(s, prop, ismath)  # type: ignore[no-untyped-call]
        foot = self.height - y
        if angle == 90:
            box = (x - high + below, foot, x + below, foot + wide)
        else:
            box = (x, foot - below, x + wide, foot - below + high)
        self.written.append(Written(s, *box, angle))


@pytest.fixture(scope="session")
def written() -> Callable[[Figure], list[Written]]:
    """Every line of text that a figure draws, in the order in which it is drawn."""

    def draw(figure: Figure) -> list[Written]:
        figure.draw_without_rendering()
        recorder = _Recorder(figure.bbox.width, figure.bbox.height, figure.dpi)
        figure.draw(recorder)
        return recorder.written

    return draw


@pytest.fixture(scope="session")
def check_legible(written: Callable[[Figure], list[Written]]) -> Callable[[Figure], None]:
    """Fails where a text lies over another or over a legend, is turned, or leaves the paper."""

    def check(figure: Figure) -> None:
        texts = written(figure)
        assert texts
        side = {axes.get_ylabel() for axes in figure.axes}
        for one in texts:
            assert one.angle == 0 or one.text in side, one
            assert -1 <= one.x0 <= one.x1 <= figure.bbox.width + 1, one
            assert -1 <= one.y0 <= one.y1 <= figure.bbox.height + 1, one
        for one, other in combinations(texts, 2):
            over = min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)
            assert min(over) <= 1.5, (one, other)
        for legend in (*figure.legends, *filter(None, (axes.get_legend() for axes in figure.axes))):
            own, frame = {text.get_text() for text in legend.findobj(Text)}, legend.get_window_extent()
            for one in texts:
                beside = max(frame.x0 - one.x1, one.x0 - frame.x1, frame.y0 - one.y1, one.y0 - frame.y1)
                # Lines of a name of two lines are drawn one by one.
                assert beside >= -1.5 or any(one.text in text.split("\n") for text in own), (one, own)

    return check


@pytest.fixture(params=["default", "dark_background"])
def style(request: pytest.FixtureRequest) -> Iterator[str]:
    """The light and the dark palette that a notebook may be set to."""
    with mpl.style.context(request.param):
        yield request.param
