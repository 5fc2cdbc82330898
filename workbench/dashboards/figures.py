"""What the browser does with figures by itself: Bokeh models of our own, written in `assets/figures.js`.

Bokeh's `CustomJS` carries its code as text, which a browser runs only where the page's policy allows `eval`
(`workbench.dashboards.headers` does not). These models name classes of a script that is loaded as a file.

Classes: `ClockTickFormatter`; the callbacks `SeekTo`, `LoopOver`, `ShowAll`.
"""

from __future__ import annotations

from typing import Any

from bokeh.core.properties import Float, Instance
from bokeh.models import Range1d
from bokeh.models.callbacks import Callback
from bokeh.models.formatters import TickFormatter


class ClockTickFormatter(TickFormatter):
    """Writes seconds as minutes and seconds, with tenths where the marks are less than a second apart."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


class SeekTo(Callback):
    """Tells the transport to go to the time of an event on a figure."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


class LoopOver(Callback):
    """Tells the transport to loop over the stretch that was selected on a figure."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


class ShowAll(Callback):
    """Zooms a range out to its bounds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    range = Instance(Range1d, help="The range that is zoomed out.")
    margin = Float(0.0, help="By how much it stays inside its bounds at either end, s.")
