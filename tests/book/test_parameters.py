"""The reference of parameters: every field of every stage, with range, unit and default as the models have them."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from notebooks.book.parameters import field_lines, parameters_page
from workbench.params import AlignParams, BeatParams, DuckParams, MatchParams, Params, SeamParams, WorkbenchParams
from workbench.params.described import bounds, default, meaning, unit


def test_every_parameter_stands_in_the_page_once_in_its_stage() -> None:
    stages = {part.split("\n", 1)[0]: part for part in parameters_page().split("\n## ")[1:]}
    assert list(stages) == list(WorkbenchParams.model_fields)
    for stage, field in WorkbenchParams.model_fields.items():
        kind = field.annotation
        assert isinstance(kind, type)
        assert issubclass(kind, Params)
        rows = [line.split(" | ")[0] for line in stages[stage].splitlines() if line.startswith("| `")]
        assert rows == [f"| `{name}`" for name in kind.knobs()]


@pytest.mark.parametrize(
    ("kind", "name", "row"),
    [
        (SeamParams, "context_beats", ("1 to 16", "beats", "4")),
        (SeamParams, "min_body_bars", ("1 to 64", "bars", "2")),
        (BeatParams, "min_bpm", ("30 to 80", "BPM", "40")),
        (DuckParams, "attack_ms", ("50 to 1500", "ms", "300")),
        (AlignParams, "min_cover", ("0.6 to 1", "1", "0.6")),
        (AlignParams, "max_placements", ("1 to 12", "count", "12")),
        (BeatParams, "tracker", ("at most 200 characters", "", "workbench")),
        (BeatParams, "activation", ("network, onsets", "", "network")),
        (MatchParams, "pulse_weight", ("0 to 1", "1", "0.164")),
        (DuckParams, "voice_lufs", ("-28 to -14", "LUFS", "-18")),
    ],
)
def test_range_unit_and_default_are_those_of_the_field(
    kind: type[BaseModel], name: str, row: tuple[str, str, str]
) -> None:
    field = kind.model_fields[name]
    assert (bounds(field), unit(name, field), default(field)) == row


def test_a_meaning_does_not_repeat_the_column_of_the_unit() -> None:
    assert meaning(BeatParams.model_fields["max_bpm"]) == "fastest beat"
    assert not meaning(DuckParams.model_fields["attack_ms"]).startswith("ms;")


def test_the_fields_of_a_class_are_listed_with_range_and_unit() -> None:
    lines = field_lines(SeamParams)
    at = lines.index("``context_beats`` : 1 to 16 beats; default ``4``")
    assert lines[at + 1].startswith("    beats compared")
    assert [name for name in SeamParams.knobs() if not any(line.startswith(f"``{name}``") for line in lines)] == []
