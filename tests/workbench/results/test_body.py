"""Bodies write the fields that they were given and no others, and refuse what no client should see."""

from __future__ import annotations

import math
from typing import Annotated

import pytest
from pydantic import Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from workbench.results.body import Body, optional


class Point(Body):
    """A body of our own."""

    at: float
    label: str | None = None
    note: Annotated[str, Field(max_length=5)] | SkipJsonSchema[None] = optional("only where there is one")


def test_what_was_given_is_written_and_null_counts_as_given() -> None:
    assert Point(at=1.0).to_json() == {"at": 1.0}
    assert Point(at=1.0, label=None).to_json() == {"at": 1.0, "label": None}
    assert Point(at=1.0, note="here").to_json() == {"at": 1.0, "note": "here"}


@pytest.mark.parametrize(
    "given",
    [{"at": 1.0, "colour": "red"}, {"at": math.nan}, {"at": math.inf}, {"at": "1"}, {"at": 1.0, "note": "x" * 6}],
)
def test_unknown_fields_and_odd_values_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Point.model_validate(given)


def test_a_body_is_not_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Point(at=1.0).at = 2.0


def test_an_optional_field_is_never_null_in_the_schema() -> None:
    schema = Point.model_json_schema(mode="serialization")
    assert schema["required"] == ["at"]
    assert schema["properties"]["note"] == {
        "description": "only where there is one", "maxLength": 5, "title": "Note", "type": "string",
    }  # fmt: skip
