"""Widgets for the fields of `workbench.params`: a change sets other parameters in the session; profiles save them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui

from workbench.dashboards.actions import Session
from workbench.dashboards.tabs.tab import action
from workbench.errors import ParameterError
from workbench.extensions import Choice, choices, chosen, names, with_chosen, word_of
from workbench.params import WorkbenchParams
from workbench.params.sliders import Knob, knob_of
from workbench.store.profiles import load_profile, save_profile

_NAME = re.compile(r"[\w][\w .-]{0,63}")


def with_field(params: WorkbenchParams, stage: str, name: str, value: Any) -> WorkbenchParams:
    """The parameters with one field of one stage set; `ParameterError` where it cannot have that value."""
    try:
        changed = params.model_dump()
        changed[stage][name] = value
        return WorkbenchParams.model_validate(changed)
    except (KeyError, ValueError) as error:
        raise ParameterError(f"{stage}.{name} cannot be {value!r}: {error}") from error


class ParamControls:
    """Widgets for fields of one stage, in this order; letting go of one sets the session's parameters."""

    def __init__(self, session: Session, stage: str, names: Sequence[str]) -> None:
        self._session, self._stage = session, stage
        self.widgets = {name: self._widget(name) for name in names}
        self._showing = False
        session.param.watch(lambda _: self.show(), "params")

    def show(self) -> None:
        """Show the session's parameters, which a profile or another tab may have changed."""
        stage = getattr(self._session.params, self._stage)
        self._showing = True
        for name, widget in self.widgets.items():
            widget.value = getattr(stage, name)
        self._showing = False

    def reset(self) -> None:
        """Set these fields to their defaults."""
        params, defaults = self._session.params, getattr(WorkbenchParams(), self._stage)
        for name in self.widgets:
            params = with_field(params, self._stage, name, getattr(defaults, name))
        self._session.params = params

    def panel(self) -> pn.viewable.Viewable:
        """The widgets in a column, each above its description, with a button that sets the defaults."""
        button = action("Defaults", self.reset, variant="text")
        fields = type(getattr(self._session.params, self._stage)).knobs()
        column = []
        for name, widget in self.widgets.items():
            words = pmui.Typography(
                fields[name].description or "", variant="caption", sizing_mode="stretch_width", margin=(0, 10, 8, 10)
            )
            column += [widget, words]
        return pmui.Column(*column, button, sizing_mode="stretch_width")

    def _widget(self, name: str) -> Any:
        value = getattr(getattr(self._session.params, self._stage), name)
        widget = _widget_for(knob_of(self._stage, name), value)
        watched = "value_throttled" if "value_throttled" in widget.param else "value"
        widget.param.watch(lambda event: self._set(name, event.new), watched)
        return widget

    def _set(self, name: str, value: Any) -> None:
        session = self._session
        if not self._showing and value != getattr(getattr(session.params, self._stage), name):
            session.params = session.find(with_field, session.params, self._stage, name, value) or session.params
            self.show()


def _widget_for(knob: Knob, value: Any) -> Any:
    common: dict[str, Any] = {"label": knob.label, "value": value, "sizing_mode": "stretch_width"}
    if knob.kind == "choice":
        return pmui.Select(options=list(knob.choices), **common)
    if knob.kind == "text":
        return pmui.TextInput(**{**common, "value": str(value)}, disabled=True)
    slider = pmui.IntSlider if knob.kind == "whole" else pmui.FloatSlider
    return slider(start=knob.low, end=knob.high, step=knob.step, size="small", **common)


class ExtensionControls:
    """A choice for each extension point to which something was added; without any there is nothing to see."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._showing = False
        self.widgets: dict[str, Any] = {}
        self._choices = choices()
        for choice in self._choices:
            offered = self._offered(choice)
            if len(offered) > (0 if choice.is_weighed else 1):
                self.widgets[choice.word] = self._widget(choice, offered)
        session.param.watch(lambda _: self.show(), "params")

    def show(self) -> None:
        """Show the session's parameters, which a profile or another tab may have changed."""
        self._showing = True
        for choice in self._choices:
            if choice.word in self.widgets:
                widget = self.widgets[choice.word]
                widget.options = self._offered(choice)
                widget.value = self._value(choice)
        self._showing = False

    def panel(self) -> pn.viewable.Viewable:
        """The choices in a row."""
        return pmui.Row(*self.widgets.values(), visible=bool(self.widgets))

    def _offered(self, choice: Choice) -> list[str]:
        return list(dict.fromkeys((*names(choice.group), *chosen(self._session.params, choice))))

    def _value(self, choice: Choice) -> Any:
        found = chosen(self._session.params, choice)
        return list(found) if choice.is_weighed else found[0]

    def _widget(self, choice: Choice, offered: list[str]) -> Any:
        kind = pmui.MultiChoice if choice.is_weighed else pmui.Select
        label = f"{word_of(choice.group)}s" if choice.is_weighed else word_of(choice.group)
        widget = kind(label=label, options=offered, value=self._value(choice), width=200)
        widget.param.watch(lambda event: self._set(choice, event.new), "value")
        return widget

    def _set(self, choice: Choice, value: Any) -> None:
        if not self._showing:
            session, wanted = self._session, value if choice.is_weighed else (value,)
            session.params = session.find(with_chosen, session.params, choice, wanted) or session.params
            self.show()


_NO_PROFILE = "–"
"""which is no profile's name: a field that is empty would show its label in its place, cut"""


class ProfileBar:
    """Save the session's parameters as a profile, and load one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.name = pmui.TextInput(label="profile", placeholder="quiet-voice", size="small", width=150)
        self.chosen = pmui.Select(
            label="load", options=[_NO_PROFILE, *self._names()], value=_NO_PROFILE, size="small", width=150
        )
        self.outcome = pmui.Typography("", variant="caption")
        self.extensions = ExtensionControls(session)
        self.chosen.param.watch(lambda event: self.load(event.new), "value")

    def save(self, name: str) -> Path | None:
        """Write the parameters that differ from the defaults; the command line takes the file as `--profile`."""
        if not _NAME.fullmatch(name):
            self._session.message = "a profile's name has letters, digits, blanks, dots and dashes"
            return None
        path = self._session.find(self._save, name)
        if path is None:
            return None
        self.chosen.options = [_NO_PROFILE, *self._names()]
        self.outcome.object = f"saved; use it with --profile {path}"
        return path

    def load(self, name: str) -> None:
        """Take the parameters of a saved profile."""
        if name == _NO_PROFILE:
            return
        loaded = self._session.find(load_profile, self._session.home.profiles / f"{name}.toml")
        if loaded is not None:
            self._session.params = loaded

    def panel(self) -> pn.viewable.Viewable:
        """The bar."""
        save = action("Save as profile", lambda: self.save(self.name.value))
        return pmui.FlexBox(
            self.name, save, self.chosen, self.extensions.panel(), self.outcome, sizing_mode="stretch_width"
        )

    def _save(self, name: str) -> Path:
        home = self._session.home
        return save_profile(self._session.params, home.prepared(home.profiles) / f"{name}.toml")

    def _names(self) -> list[str]:
        return sorted(path.stem for path in self._session.home.profiles.glob("*.toml"))
