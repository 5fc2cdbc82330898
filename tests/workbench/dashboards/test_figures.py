"""Models with a half in Python and a half in the browser: both must agree on names and properties."""

from __future__ import annotations

import re

import pytest
from bokeh.model import Model

from workbench.dashboards import figures
from workbench.dashboards.figures import ClockTickFormatter, LoopOver, SeekTo, ShowAll
from workbench.dashboards.styles import ASSETS

SCRIPT = (ASSETS / "figures.js").read_text(encoding="utf-8")
MODELS: tuple[type[Model], ...] = (ClockTickFormatter, SeekTo, LoopOver, ShowAll)


@pytest.mark.parametrize("model", MODELS)
def test_the_browser_has_a_class_for_each_model(model: type[Model]) -> None:
    registered = re.search(r"for \(const model of \[(.*?)\]\)", SCRIPT)
    assert registered is not None
    assert model.__name__ in registered[1].split(", ")
    assert f"class {model.__name__} extends" in SCRIPT
    assert f'__module__: "{figures.__name__}"' in SCRIPT
    assert model.__qualified_model__ == f"{figures.__name__}.{model.__name__}"


def test_the_browser_defines_the_properties_of_each_model() -> None:
    for model in MODELS:
        own = set(model.properties()) - set(model.__base__.properties())  # type: ignore[union-attr]
        body = SCRIPT[SCRIPT.index(f"class {model.__name__} ") :]
        defined = re.search(r"this\.define\(.*?\(\{(.*?)\}\)\)", body[: body.index("execute") if own else 0], re.S)
        names = set(re.findall(r"(\w+): \[", defined[1])) if defined else set()
        assert names == own, model.__name__
