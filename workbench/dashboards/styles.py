"""Scripts and styles of the page, served by us: where they lie, and what they say.

Functions: `stylesheet`, `scrolled`.
"""

from __future__ import annotations

from pathlib import Path

import panel_material_ui as pmui

ASSETS = Path(__file__).parent / "assets"
_BAR_PIXELS = 14
"""of a thin scroll bar, with a gap"""


def stylesheet(name: str) -> str:
    """The style of a component."""
    return (ASSETS / f"{name}.css").read_text(encoding="utf-8")


def scrolled(column: pmui.Column, height: str) -> pmui.Column:
    """A column of fixed width that may be longer than the page is high, with a bar beside it that covers nothing.

    Parameters
    ----------
    column : what is scrolled; its `width` is set
    height : as a style says it, so that it can follow the height of the page
    """
    bar = {"overflow-y": "auto", "overflow-x": "hidden", "scrollbar-width": "thin"}
    return pmui.Column(
        column, width=(column.width or 0) + _BAR_PIXELS, margin=(4, 0), styles={**bar, "max-height": height}
    )
