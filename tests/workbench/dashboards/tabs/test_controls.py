"""Widgets made from parameters, and profiles that everything else loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
import pytest

from tests.workbench.dashboards.waiting import CollectingPool
from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.tabs.controls import ExtensionControls, ParamControls, ProfileBar, with_field
from workbench.errors import ParameterError
from workbench.params import WorkbenchParams
from workbench.params.sliders import label_of
from workbench.store.home import Home
from workbench.store.profiles import load_profile


@pytest.fixture
def session(tmp_path: Path, pool: CollectingPool) -> Session:
    return Session(Workspace(Home(tmp_path / "home")), pool=pool)


def _let_go(slider: Any, value: float) -> None:
    """What the browser sends when a slider is let go of."""
    with param.edit_constant(slider):
        slider.param.update(value=value, value_throttled=value)


def test_a_field_is_set_and_checked() -> None:
    params = with_field(WorkbenchParams(), "duck", "under_voice_lu", 13.5)
    assert params.duck.under_voice_lu == 13.5
    with pytest.raises(ParameterError, match="under_voice_lu"):
        with_field(params, "duck", "under_voice_lu", 40.0)
    with pytest.raises(ParameterError):
        with_field(params, "duck", "no_such_field", 1.0)


def test_sliders_have_the_range_of_the_field_and_names_have_units(session: Session) -> None:
    slider = ParamControls(session, "duck", ["under_voice_lu"]).widgets["under_voice_lu"]
    assert (slider.start, slider.end, slider.value, slider.step) == (13.0, 24.0, 15.0, pytest.approx(0.1))
    assert slider.label == label_of("under_voice_lu") == "under voice, LU"


def test_a_slider_that_is_let_go_of_sets_the_parameter_once(session: Session) -> None:
    told: list[str] = []
    session.param.watch(lambda _: told.append("again"), "params")
    controls = ParamControls(session, "duck", ["attack_ms", "release_ms"])
    _let_go(controls.widgets["attack_ms"], 450)
    assert session.params.duck.attack_ms == 450
    assert told == ["again"]
    controls.reset()
    assert session.params == WorkbenchParams()
    assert controls.widgets["attack_ms"].value == 300


def test_widgets_show_what_another_tab_has_set(session: Session) -> None:
    controls = ParamControls(session, "duck", ["attack_ms"])
    session.params = with_field(session.params, "duck", "attack_ms", 120)
    assert controls.widgets["attack_ms"].value == 120


def test_a_profile_is_loaded_back(session: Session) -> None:
    bar = ProfileBar(session)
    quick = with_field(session.params, "duck", "attack_ms", 90)
    session.params = quick
    path = bar.save("quick duck")
    assert path is not None
    assert load_profile(path) == quick
    assert "quick duck" in bar.chosen.options
    session.params = WorkbenchParams()
    bar.load("quick duck")
    assert session.params == quick


def test_a_name_that_is_no_name_is_told(session: Session) -> None:
    assert ProfileBar(session).save("../escape") is None
    assert "name" in session.message
    assert not session.home.profiles.exists()


def test_parts_of_others_are_offered_once_they_are_there(session: Session) -> None:
    assert ExtensionControls(session).widgets == {}
    extensions.register(extensions.SECTION_FINDERS, "halves", object())
    extensions.register(extensions.MATCH_TERMS, "short", object())
    try:
        controls = ProfileBar(session).extensions
        assert list(controls.widgets) == ["section-finder", "match-term"]
        finder, term = controls.widgets.values()
        assert finder.options == ["workbench", "halves"]
        finder.value = "halves"
        assert session.params.sections.finder == "halves"
        term.value = ["short"]
        assert session.params.match.terms == ("short=1",)
        session.params = with_field(session.params, "match", "terms", ("short=0.25", "their_module:Dark=2"))
        assert term.value == ["short", "their_module:Dark"]
        term.value = ["short"]
        assert session.params.match.terms == ("short=0.25",)
        session.params = WorkbenchParams()
        assert (finder.value, term.value) == ("workbench", [])
    finally:
        extensions.unregister(extensions.SECTION_FINDERS, "halves")
        extensions.unregister(extensions.MATCH_TERMS, "short")
