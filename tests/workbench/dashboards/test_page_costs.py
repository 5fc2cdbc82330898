"""A page is the same to the browser when Bokeh and Panel do less for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn
import param
import pytest
from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.serialization import Deserializer, Serializer
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.model import model as model_module
from bokeh.model import util as model_util
from bokeh.models import ColumnDataSource, Range1d
from bokeh.plotting import _renderer as plotting_renderer
from bokeh.plotting import figure
from bokeh.protocol.messages.patch_doc import patch_doc
from param import parameterized

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
    monkeypatch.setattr(Deserializer, "__init__", page_costs._start_reading)
    monkeypatch.setattr(Serializer, "has_ref", page_costs._has_ref)
    monkeypatch.setattr(PropertyDescriptor, "_get_default", page_costs._get_default)
    monkeypatch.setattr(PropertyDescriptor, "has_unstable_default", page_costs._has_unstable_default)
    monkeypatch.setattr(HasProps, "themed_values", page_costs._themed_values)
    monkeypatch.setattr(model_util, "collect_filtered_models", page_costs._collect)
    monkeypatch.setattr(model_module, "visit_value_and_its_immediate_references", page_costs._visit_value)
    monkeypatch.setattr(plotting_renderer, "pop_visuals", page_costs._pop_visuals)
    monkeypatch.setattr(parameterized, "_instantiate_param_obj", page_costs._copy_plainly)
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


def test_a_message_from_the_browser_changes_the_model_that_it_names() -> None:
    lighten_pages()
    document, one, other = Document(), figure(), figure()
    document.add_root(one)
    document.add_root(other)
    change: Any = {"kind": "ModelChanged", "model": {"id": other.id}, "attr": "min_border", "new": 7}
    document.apply_json_patch({"events": [change]})
    assert (one.min_border, other.min_border) == (5, 7)


def test_models_share_no_default_that_can_be_changed() -> None:
    lighten_pages()
    one, other = figure(), figure()
    one.tags.append("mine")
    one.min_border = 7
    assert (other.tags, other.min_border) == ([], 5)
    assert figure().xaxis[0].axis_line_width == 1


def test_the_models_of_a_page_are_found_in_the_same_order(plain: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = Page(Session(Workspace(Home(tmp_path)), WaitingPool())).view().get_root(Document())
    before = [model.id for model in root.references()]
    lighten_pages()
    for _ in range(2):
        assert [model.id for model in root.references()] == before
    marks = [model.id for model in model_util.collect_filtered_models(lambda model: isinstance(model, Range1d), root)]
    assert marks == [model.id for model in page_costs._collect(lambda model: isinstance(model, Range1d), root)]


def test_a_model_that_is_made_when_it_is_asked_for_is_found() -> None:
    """A renderer has a view, and a source a selection, that nobody gave to them."""
    lighten_pages()
    for _ in range(2):
        line = figure().line([1, 2], [3, 4])
        found = {type(model).__name__ for model in line.references()}
        assert {"CDSView", "AllIndices", "Selection", "Line", "ColumnDataSource"} <= found


def test_glyphs_that_nothing_draws_are_left_to_the_browser() -> None:
    lighten_pages()
    line = figure().line([1, 2], [3, 4], color="#123456")
    assert line.glyph.line_color == "#123456"
    assert (line.nonselection_glyph, line.muted_glyph) == ("auto", "auto")
    dimmed: Any = figure().line([1, 2], [3, 4], muted_alpha=0.5).muted_glyph
    assert dimmed.line_alpha == 0.5


class Described(param.Parameterized):
    """With parameters whose parts can and cannot be changed."""

    kind: Any = param.Selector(default="a", objects=["a", "b"])
    values = param.List([1], doc="some")
    share = param.Number(0.5, bounds=(0.0, 1.0))


def test_what_is_changed_in_one_object_s_parameter_stays_there() -> None:
    lighten_pages()
    one, other = Described(), Described()
    one.param["kind"].objects.append("c")
    one.param["share"].bounds = (0.0, 2.0)
    one.share = 1.5
    assert (one.param["kind"].owner, list(other.param["kind"].objects)) == (one, ["a", "b"])
    assert list(Described.param["kind"].objects) == ["a", "b"]
    with pytest.raises(ValueError, match="share"):
        other.share = 1.5
    seen: list[float] = []
    one.param.watch(lambda event: seen.append(event.new), "share")
    one.share, other.share = 1.0, 0.25
    assert seen == [1.0]
    for name in Described.param:
        plain = page_costs._copy_plainly(Described.param[name], one)
        ours = page_costs._copy_parameter(Described.param[name], one)
        assert type(ours) is type(plain)
        assert [getattr(ours, slot) for slot in ours._all_slots_] == [
            getattr(plain, slot) for slot in plain._all_slots_
        ]


def test_a_theme_counts_also_after_a_default_was_kept() -> None:
    lighten_pages()
    chart = figure()
    plain_fill = chart.background_fill_color
    document = Document()
    document.theme = "dark_minimal"
    document.add_root(chart)
    assert chart.background_fill_color != plain_fill
    assert figure().background_fill_color == plain_fill


def test_a_new_model_in_a_value_is_found_wherever_it_is() -> None:
    lighten_pages()
    document, chart = Document(), figure()
    document.add_root(chart)
    for put in (
        lambda mark: setattr(chart, "tags", [1, "two", [3.0, mark]]),
        lambda mark: setattr(chart, "tags", [{"mark": (None, mark)}]),
        lambda mark: setattr(chart, "x_range", mark),
    ):
        mark = Range1d()
        put(mark)
        assert document.get_model_by_id(mark.id) is mark
        chart.tags = []
        assert mark is chart.x_range or document.get_model_by_id(mark.id) is None


def test_events_under_way_are_not_counted() -> None:
    lighten_pages()
    pn.state._add_busy_event("of a page")
    assert not pn.state.busy
    pn.state._remove_busy_event("of a page")
