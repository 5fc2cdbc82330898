"""What all parameters have in common: a reason and a default within their range, frozen, unknown names refused.

The modules of `workbench.params` hold nothing but fields; this is their test together. Every knob has to be read by
whoever turns one, so their number is bounded; what nobody turns is a constant beside its code, or part of a model.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from workbench import params
from workbench.errors import ParameterError
from workbench.lab.sweep import with_values
from workbench.params.base import Params
from workbench.params.workbench import WorkbenchParams
from workbench.store.fingerprint import canonical_json
from workbench.store.profiles import load_profile

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


def test_a_profile_takes_few_enough_knobs_and_no_fitted_numbers(tmp_path: Path) -> None:
    stages = {stage: getattr(WorkbenchParams(), stage) for stage in WorkbenchParams.model_fields}
    assert 50 < sum(len(given.knobs()) for given in stages.values()) < 90
    for stage, given in stages.items():
        values = given.model_dump(mode="json")
        fitted = values.pop("model", None)
        (tmp_path / "knobs.json").write_text(json.dumps({stage: values}))
        assert getattr(load_profile(tmp_path / "knobs.json"), stage) == given
        if fitted is not None:
            (tmp_path / "fitted.json").write_text(json.dumps({stage: {"model": fitted}}))
            with pytest.raises(ParameterError, match="does not hold fitted numbers"):
                load_profile(tmp_path / "fitted.json")


@pytest.mark.parametrize("stage", [name for name, held in WorkbenchParams() if hasattr(held, "model")])
def test_every_fitted_number_can_be_varied(stage: str) -> None:
    model = getattr(WorkbenchParams(), stage).model
    for name, value in model:
        other = [0.9 * one for one in value] if isinstance(value, tuple) else 0.9 * value
        varied = getattr(with_values(WorkbenchParams(), {f"models.{stage}.{name}": other}), stage)
        assert varied.model.model_dump(exclude_defaults=True).keys() <= {name}
        assert canonical_json(varied) != canonical_json(getattr(WorkbenchParams(), stage)) or not np.any(value)
