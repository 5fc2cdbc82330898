"""Old names of fields: each leads to a field that there is, and none is still in use."""

from __future__ import annotations

import pytest

from workbench.errors import ParameterError
from workbench.params import WorkbenchParams
from workbench.params.renamed import RENAMED, with_current_names


def fields_of(stage: str) -> set[str]:
    return set(type(getattr(WorkbenchParams(), stage)).model_fields)


@pytest.mark.parametrize("stage", sorted(RENAMED))
def test_old_names_lead_to_fields_that_there_are(stage: str) -> None:
    old, new = set(RENAMED[stage]), list(RENAMED[stage].values())
    assert not old & fields_of(stage)
    assert set(new) <= fields_of(stage)
    assert len(set(new)) == len(new)


def test_fields_are_renamed_and_reported() -> None:
    given = {"seams": {"limp": 3.0, "context_beats": 8}, "beats": {"heard_doubt": 1.0}}
    values, replaced = with_current_names(given)
    assert values == {"seams": {"bar_phase_penalty": 3.0, "context_beats": 8}, "beats": {"missed_beat_penalty": 1.0}}
    assert replaced == {
        "seams.limp": "seams.bar_phase_penalty",
        "beats.heard_doubt": "beats.missed_beat_penalty",
    }
    assert given["seams"]["limp"] == 3.0


def test_one_name_may_mean_two_fields() -> None:
    values, _ = with_current_names({"seams": {"shortest_fade_seconds": 0.03}, "cuts": {"shortest_fade_seconds": 0.1}})
    assert values == {"seams": {"alike_fade_seconds": 0.03}, "cuts": {"min_fade_seconds": 0.1}}


@pytest.mark.parametrize("values", [{}, [1, 2], {"seams": 3}, {"seamz": {"limp": 1.0}}, {"duck": {"preset": "social"}}])
def test_other_values_are_left_alone(values: object) -> None:
    assert with_current_names(values) == (values, {})


def test_a_stage_is_renamed_with_its_fields() -> None:
    values, replaced = with_current_names({"moments": {"least_motion": 0.2}})
    assert values == {"events": {"min_motion": 0.2}}
    assert replaced == {"moments": "events", "events.least_motion": "events.min_motion"}
    with pytest.raises(ParameterError, match="events: given twice; moments is its old name"):
        with_current_names({"moments": {}, "events": {}})


def test_both_names_are_an_error() -> None:
    with pytest.raises(ParameterError, match=r"seams\.bar_phase_penalty: given twice; seams\.limp is its old name"):
        with_current_names({"seams": {"limp": 1.0, "bar_phase_penalty": 2.0}})
