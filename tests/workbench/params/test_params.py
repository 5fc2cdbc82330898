"""Parameters: values, names and knobs."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

import workbench as wb
from workbench.errors import ParameterError
from workbench.extensions import choices, chosen, with_chosen, with_uses
from workbench.lab.sweep import with_values
from workbench.params import DuckParams, WorkbenchParams
from workbench.params.base import Params
from workbench.params.sliders import knob_of, label_of
from workbench.store.fingerprint import canonical_json
from workbench.store.profiles import load_profile

MODULES = [
    info.name
    for info in pkgutil.iter_modules(importlib.import_module("workbench.params").__path__)
    if info.name != "base"
]
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


def test_every_point_but_export_formats_is_a_parameter() -> None:
    assert {choice.word for choice in choices()} == {
        "beat-tracker", "section-finder", "seam-measure", "voice-detector", "match-term"
    }  # fmt: skip
    for choice in choices():
        assert chosen(WorkbenchParams(), choice) == (() if choice.is_weighed else ("workbench",))


def test_a_command_names_them() -> None:
    uses = ("section-finder=halves", "voice-detector=labels:Rttm", "match-term=short", "match-term=a=b:C=0.5")
    params = with_uses(WorkbenchParams(), uses)
    assert (params.sections.finder, params.voice.detector) == ("halves", "labels:Rttm")
    assert params.match.terms == ("short=1", "a=b:C=0.5")
    assert with_uses(params, ("seam-measure=chroma=2",)).seams.measures == ("chroma=2",)


@pytest.mark.parametrize(
    ("use", "complaint"),
    [
        ("sections=halves", "points are beat-tracker, match-term, seam-measure, section-finder, voice-detector"),
        ("section-finder", "name an extension as POINT=NAME"),
        ("beat-tracker=", "name an extension as POINT=NAME"),
        ("match-term=level=1", "level is a part of this package"),
        ("beat-tracker=" + "x" * 300, "beat-tracker: String should have at most 200"),
    ],
)
def test_what_is_no_extension_is_one_clear_error(use: str, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        with_uses(WorkbenchParams(), (use,))


def test_weights_that_were_there_are_kept() -> None:
    term = next(choice for choice in choices() if choice.word == "match-term")
    params = with_uses(WorkbenchParams(), ("match-term=a=0.3", "match-term=b"))
    assert with_chosen(params, term, ["a", "c"]).match.terms == ("a=0.3", "c=1")


@pytest.mark.parametrize(
    ("name", "label"),
    [("attack_ms", "attack, ms"), ("voice_lufs", "voice, LUFS"), ("max_depth_db", "max depth, dB"), ("shape", "shape")],
)
def test_the_unit_of_a_name_is_written_as_people_write_it(name: str, label: str) -> None:
    assert label_of(name) == label


def test_a_knob_has_the_range_of_its_field() -> None:
    depth = knob_of("duck", "under_voice_lu")
    field = DuckParams.model_fields["under_voice_lu"]
    assert (depth.label, depth.kind, depth.description) == ("under voice, LU", "number", field.description)
    values = depth.values(5)
    assert (values[0], values[-1], len(values)) == (depth.low, depth.high, 5)
    for value in values:
        DuckParams(under_voice_lu=value)
    beats = knob_of("seams", "context_beats")
    assert (beats.kind, beats.low, beats.high, beats.step) == ("whole", 1, 16, 1)
    assert beats.values(100) == tuple(range(1, 17))
    assert knob_of("beats", "activation").values(5) == ("network", "onsets")
    with pytest.raises(ParameterError, match="has no range"):
        knob_of("beats", "tracker").values(5)


@pytest.mark.parametrize(("stage", "name"), [("duck", "nothing"), ("nothing", "attack_ms")])
def test_an_unknown_field_is_named(stage: str, name: str) -> None:
    with pytest.raises(ParameterError, match=rf"no parameter {stage}\.{name}"):
        knob_of(stage, name)


def test_every_field_has_a_knob() -> None:
    for stage in WorkbenchParams.model_fields:
        for name in type(getattr(WorkbenchParams(), stage)).knobs():
            knob = knob_of(stage, name)
            assert (
                knob.kind in ("choice", "text")
                or (knob.high - knob.low) / knob.step + 1e-9 >= 40
                or (knob.kind == "whole")
            )


def test_every_parameter_of_a_profile_is_described() -> None:
    every = wb.params().set_index("parameter")
    fields = WorkbenchParams().model_dump(exclude={stage: {"model"} for stage in WorkbenchParams.model_fields})
    assert list(every.index) == [f"{stage}.{name}" for stage, held in fields.items() for name in held]
    assert every["meaning"].all()
    assert every["range"].all()
    for name, value in every["default"].items():
        stage, field = name.split(".")
        assert fields[stage][field] == value
    (one,) = wb.params("context_beats").to_dict("records")
    assert one == {
        "parameter": "seams.context_beats", "meaning": "beats compared on each side; one bar of 4/4", "unit": "beats",
        "range": "1 to 16", "default": 4,
    }  # fmt: skip
    assert set(wb.params("duck")["parameter"]) == {f"duck.{name}" for name in DuckParams.model_fields}


@pytest.mark.parametrize(
    ("given", "meant"),
    [("seams.context_beat", "seams.context_beats"), ("atack_ms", "attack_ms"), ("covers", "cover")],
)
def test_a_misspelt_parameter_gets_its_nearest(given: str, meant: str) -> None:
    with pytest.raises(ParameterError, match=rf"there is no parameter {given}; did you mean {meant}\?"):
        wb.params(given)
