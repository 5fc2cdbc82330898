"""A page is the same to the browser when Bokeh and Panel do less for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn
import pytest
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure
from bokeh.protocol.messages.patch_doc import patch_doc

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.dashboards import page_costs
from workbench.dashboards.app import Page
from workbench.dashboards.charts import THEME
from workbench.dashboards.page_costs import lighten_pages
from workbench.dashboards.session import Session
from workbench.home import Home
from workbench.workspace import Workspace


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Bokeh as it comes, whatever was served in this process before."""
    monkeypatch.setattr(Serializer, "__init__", page_costs._start)
    monkeypatch.setattr(Serializer, "get_ref", page_costs._get_ref)
    monkeypatch.setattr(Serializer, "has_ref", page_costs._has_ref)
    monkeypatch.setattr(PropertyDescriptor, "_get_default", page_costs._get_default)
    monkeypatch.setattr(PropertyDescriptor, "has_unstable_default", page_costs._has_unstable_default)
    return monkeypatch


def test_a_whole_page_is_written_alike(plain: pytest.MonkeyPatch, tmp_path: Path) -> None:
    document = Document(theme=THEME)
    document.add_root(Page(Session(Workspace(Home(tmp_path)), WaitingPool())).view().get_root(document))
    before = document.to_json()
    lighten_pages()
    assert document.to_json() == before
    assert document.to_json() == before, "with what was kept"


def test_a_message_names_what_the_browser_has_and_brings_what_it_has_not(plain: pytest.MonkeyPatch) -> None:
    def message() -> Any:
        document = Document()
        chart = figure()
        line = chart.line([1, 2], [3, 4])
        document.add_root(chart)
        document.models.flush_synced()
        known = ModelChangedEvent(document, chart, "renderers", [line])
        new = ModelChangedEvent(document, line, "data_source", ColumnDataSource({"x": [5], "y": [6]}))
        events: list[Any] = patch_doc.create([known, new]).content["events"]
        known_rep, new_rep = events
        return known_rep["new"] == [{"id": line.id}], sorted(new_rep["new"])

    before = message()
    assert before[0]
    lighten_pages()
    assert message() == before


def test_models_share_no_default_that_can_be_changed() -> None:
    lighten_pages()
    one, other = figure(), figure()
    one.tags.append("mine")
    one.min_border = 7
    assert (other.tags, other.min_border) == ([], 5)
    assert figure().xaxis[0].axis_line_width == 1


def test_a_theme_counts_also_after_a_default_was_kept() -> None:
    lighten_pages()
    chart = figure()
    plain_fill = chart.background_fill_color
    document = Document()
    document.theme = "dark_minimal"
    document.add_root(chart)
    assert chart.background_fill_color != plain_fill
    assert figure().background_fill_color == plain_fill


def test_events_under_way_are_not_counted() -> None:
    lighten_pages()
    pn.state._add_busy_event("of a page")
    assert not pn.state.busy
    pn.state._remove_busy_event("of a page")
