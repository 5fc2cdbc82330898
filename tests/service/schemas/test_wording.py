"""What is wrong with a field is said in our words."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from service.schemas.fields import Text
from service.schemas.wording import field_details, field_message


class Asked(BaseModel):
    """A body of our own."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = ""
    short: Annotated[str, Field(min_length=1, max_length=3)] = "x"
    short_and_checked: Annotated[Text, Field(min_length=1, max_length=3)] = "x"
    count: int = Field(default=1, ge=1, le=3)
    share: float = Field(default=0.5, gt=0)

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        if name == "nobody":
            raise ValueError("nobody is known here")
        return name


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": 1}, "must be text"),
        ({"count": "1"}, "must be a whole number"),
        ({"count": 0}, "must be at least 1"),
        ({"count": 4}, "must be at most 3"),
        ({"share": 0.0}, "must be more than 0.0"),
        ({"colour": "red"}, "is not known here"),
        ({"name": "nobody"}, "nobody is known here"),
    ],
)
def test_errors_are_said_in_our_words(given: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Asked.model_validate(given)
    assert [field_message(error) for error in caught.value.errors()] == [words]


@pytest.mark.parametrize("field", ["short", "short_and_checked"])
def test_text_that_is_too_short_or_too_long_is_of_one_kind_however_it_is_declared(field: str) -> None:
    for given, kind, words in (
        ("", "too_short", "must not be empty"),
        ("four", "too_long", "must have at most 3 characters"),
    ):
        with pytest.raises(ValidationError) as caught:
            Asked.model_validate({field: given})
        assert field_details(caught.value) == [{"field": field, "message": words, "type": kind}]


def test_kinds_of_the_library_that_have_no_words_are_plain_and_ours_keep_theirs() -> None:
    assert field_message({"type": "uuid_parsing", "msg": "Input should be a UUID"}) == "is not valid"
    assert field_message({"type": "a_kind_of_ours", "msg": "must rhyme \ud800"}) == "must rhyme ?"
