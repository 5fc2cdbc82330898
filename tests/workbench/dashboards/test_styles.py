"""How what grows and scrolls is laid out."""

from __future__ import annotations

import panel_material_ui as pmui

from workbench.dashboards.styles import scrolled


def test_a_bar_beside_a_scrolled_column_covers_nothing() -> None:
    column = pmui.Column(width=270)
    outer = scrolled(column, "50vh")
    assert (outer.width or 0) > (column.width or 0)
    assert (outer.styles["max-height"], outer.styles["overflow-y"]) == ("50vh", "auto")
