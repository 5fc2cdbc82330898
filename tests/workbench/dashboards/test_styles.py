"""How what grows and scrolls is laid out."""

from __future__ import annotations

import panel_material_ui as pmui
import pytest
from bokeh.plotting import figure

from workbench.dashboards.styles import ASSETS, growing, scrolled, stylesheet


@pytest.mark.parametrize("name", sorted(path.stem for path in ASSETS.glob("*.css")))
def test_a_style_is_found_by_the_name_of_its_component(name: str) -> None:
    assert stylesheet(name).count("{") == stylesheet(name).count("}") > 0


def test_a_figure_grows_by_its_share_of_a_higher_window() -> None:
    drawn = figure(height=300)
    pane = growing(drawn, 0.25, margin=0)
    assert pane.object is drawn
    assert drawn.styles["height"] == "calc(300px + 0.25 * max(0px, 100vh - 720px))"
    assert drawn.sizing_mode == "stretch_width"


def test_a_bar_beside_a_scrolled_column_covers_nothing() -> None:
    column = pmui.Column(width=270)
    outer = scrolled(column, "50vh")
    assert (outer.width or 0) > (column.width or 0)
    assert (outer.styles["max-height"], outer.styles["overflow-y"]) == ("50vh", "auto")
