"""Names of parameters as people read them."""

from __future__ import annotations

import pytest

from workbench.errors import ParameterError
from workbench.params import DuckParams, WorkbenchParams
from workbench.params.sliders import knob_of, label_of


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
