"""Scripts and styles of the page: where they lie, and how what grows and scrolls is laid out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui

ASSETS = Path(__file__).parent / "assets"
_BAR_PIXELS = 14
"""of a thin scroll bar, with a gap"""
_LEAST_WINDOW = 720
"""pixels high, in which a tab without a video is to be seen without scrolling"""


def stylesheet(*names: str) -> str:
    """The style of a component, after what all of them have in common."""
    return "\n".join((ASSETS / f"{part}.css").read_text(encoding="utf-8") for part in ("base", *names))


def script(*names: str) -> str:
    """The script of a component: the common part, files that several share, and its own."""
    return "\n".join((ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in ("made", *names))


def scrolled(column: pmui.Column, height: str, least: int = 0) -> pmui.Column:
    """A column that may be higher than the page, at least `least` pixels wide, with a bar that covers nothing."""
    # The label of a field stands out of its frame: the first one needs room above.
    bar = {"overflow-y": "auto", "overflow-x": "hidden", "scrollbar-width": "thin", "padding-top": "4px"}
    styles = {**bar, "max-height": height}
    if least:
        return pmui.Column(column, margin=(4, 0), styles={**styles, **beside(least + _BAR_PIXELS, share=1)})
    return pmui.Column(column, width=(column.width or 0) + _BAR_PIXELS, margin=(4, 0), styles=styles)


def beside(least: int, share: int = 999) -> dict[str, str]:
    """Take the width that is left beside a neighbour in a `FlexBox`; under `least` pixels stand in a line of its own.

    With `share` 1 it stays at its least width beside a neighbour of 999, and fills the line where it stands alone.
    """
    return {"flex": f"{share} 1 {least}px", "width": "auto", "min-width": "0"}


def growing(figure: Any, share: float = 1.0, window: int = _LEAST_WINDOW, **options: Any) -> pn.pane.Bokeh:
    """A figure as wide as its place, which grows by a share of what a window is higher than `window` pixels."""
    height = f"calc({figure.height}px + {share} * max(0px, 100vh - {window}px))"
    figure.update(sizing_mode="stretch_width", styles={"height": height, "flex": "none"})
    return pn.pane.Bokeh(figure, **options)
