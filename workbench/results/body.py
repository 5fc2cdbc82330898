"""What all JSON bodies share: unknown fields refused, no NaN, and absent means absent.

A field that does not apply is left out of the JSON; null stands only where the interface says so. A body therefore
remembers which fields it was given (`None` counts as given) and writes exactly those.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    """Base of every JSON body."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON writer, without the fields that were never given."""
        return self.model_dump(mode="json", exclude_unset=True)


def optional(description: str, **constraints: Any) -> Any:
    """A field that may be absent; with type ``X | SkipJsonSchema[None]`` it is never null in the schema.

    Parameters
    ----------
    description : of the field, in the schema
    **constraints : of its value, as pydantic's `Field` takes them
    """
    return Field(default=None, description=description, json_schema_extra=_without_default, **constraints)


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)
