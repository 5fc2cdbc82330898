"""What all JSON bodies share: unknown fields refused, no NaN, and absent means absent.

A field that does not apply is left out of the JSON; null stands only where the interface says so. A body therefore
remembers which fields it was given (`None` counts as given) and writes exactly those.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

NonNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class Body(BaseModel):
    """Base of every JSON body."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON writer, without the fields that were never given."""
        return self.model_dump(mode="json", exclude_unset=True)


def optional(description: str) -> Any:
    """A field that may be absent; with type ``X | SkipJsonSchema[None]`` it is never null in the schema.

    Its limits belong into the type (``Annotated[float, Field(ge=0)]``): as limits of the union they would not be
    written in JSON Schema's words.
    """
    return Field(default=None, description=description, json_schema_extra=_without_default)


def first_fault(error: ValidationError, *inside: str) -> str:
    """The path of the first wrong field, and its fault."""
    first = error.errors()[0]
    # a part with a bracket is the name of a type, where several are tried
    where = ".".join(str(part) for part in (*inside, *first["loc"]) if "[" not in str(part))
    return f"{where}: {first['msg']}" if where else str(first["msg"])  # nowhere: of all fields together


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)
