"""Provenance is written and read back whole, and is refused where it is none."""

import pytest
from pydantic import ValidationError

from workbench.analysis.provenance import KEY, FileRecord, GridRecord, Provenance, read_provenance, with_provenance
from workbench.errors import PlanError

MADE = Provenance(
    command="loop",
    program="barline-workbench",
    version="1.0",
    stages={"beats": 4},
    params={"seams": {"context_beats": 8}},
    defaults="0123456789abcdef",
    constraints={"auto_mix": True},
    track=FileRecord(name="track.wav", content_hash="ab" * 32),
    grid=GridRecord(origin="given", revision="0123456789abcdef", note="read from track.beats"),
)


def test_what_is_written_is_read_back() -> None:
    body = with_provenance({"plan": {}}, MADE)
    assert list(body) == ["plan", KEY]
    assert read_provenance(body) == MADE
    assert "video" not in body[KEY]


def test_a_result_may_have_none() -> None:
    assert with_provenance({"plan": {}}, None) == {"plan": {}}
    assert read_provenance({"plan": {}}) is None


def test_fields_of_a_later_program_are_ignored() -> None:
    assert read_provenance({KEY: MADE.to_json() | {"weather": "fine"}}) == MADE


@pytest.mark.parametrize("given", ["loop", {}, MADE.to_json() | {"stages": {"beats": "four"}}])
def test_what_is_none_is_refused(given: object) -> None:
    with pytest.raises(PlanError, match="not a provenance: provenance"):
        read_provenance({KEY: given})


def test_it_is_frozen_and_grows_by_copies() -> None:
    changed = MADE.with_constraint("changed_by_hand", True)
    assert changed.constraints == {"auto_mix": True, "changed_by_hand": True}
    assert MADE.constraints == {"auto_mix": True}
    with pytest.raises(ValidationError, match="frozen"):
        MADE.command = "align"
