"""What all parameters have in common: a reason and a default within their range, frozen, unknown names refused.

The modules of `workbench.params` hold nothing but fields; this is their test together.
"""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from pydantic import ValidationError

from workbench import params
from workbench.params.base import Params
from workbench.params.workbench import WorkbenchParams

MODULES = [info.name for info in pkgutil.iter_modules(params.__path__) if info.name != "base"]
CLASSES = sorted(
    {
        kind
        for name in MODULES
        for kind in vars(importlib.import_module(f"workbench.params.{name}")).values()
        if isinstance(kind, type) and issubclass(kind, Params) and kind is not Params
    },
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", CLASSES)
def test_every_field_has_a_reason_and_a_default_that_is_allowed(kind: type[Params]) -> None:
    assert kind.__doc__
    kind.model_validate(kind().model_dump())
    if kind is not WorkbenchParams:
        assert [name for name, field in kind.knobs().items() if not field.description] == []


@pytest.mark.parametrize("kind", CLASSES)
def test_values_are_frozen_and_unknown_ones_refused(kind: type[Params]) -> None:
    name = next(iter(kind.model_fields))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(kind(), name, getattr(kind(), name))
    with pytest.raises(ValidationError, match="Extra inputs"):
        kind.model_validate({"of_no_class": 1})


@pytest.mark.parametrize("kind", CLASSES)
def test_no_number_is_nan_or_infinite(kind: type[Params]) -> None:
    numbers = [name for name, value in kind() if isinstance(value, float)]
    for name in numbers:
        for bad in (float("nan"), float("inf")):
            with pytest.raises(ValidationError):
                kind.model_validate({name: bad})


def test_a_profile_holds_every_class_once_and_they_all_come_from_one_package() -> None:
    held = [field.annotation for field in WorkbenchParams.model_fields.values()]
    assert len(set(held)) == len(held)
    assert set(held) | {WorkbenchParams} == set(CLASSES)
    assert [kind for kind in CLASSES if getattr(params, kind.__name__) is not kind] == []
