"""What is wrong with a field is said in our words."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from service.schemas.wording import field_message


class Asked(BaseModel):
    """A body of our own."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = ""
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


def test_kinds_of_the_library_that_have_no_words_are_plain_and_ours_keep_theirs() -> None:
    assert field_message({"type": "uuid_parsing", "msg": "Input should be a UUID"}) == "is not valid"
    assert field_message({"type": "a_kind_of_ours", "msg": "must rhyme \ud800"}) == "must rhyme ?"
