"""What all parameter classes have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.fields import FieldInfo

# The extension points, by the group of their entry points, and the name of our own part of each
BEAT_TRACKERS = "workbench.beat_trackers"
EXPORT_FORMATS = "workbench.export_formats"
MATCH_TERMS = "workbench.match_terms"
SEAM_MEASURES = "workbench.seam_measures"
SECTION_FINDERS = "workbench.section_finders"
VOICE_DETECTORS = "workbench.voice_detectors"
OWN = "workbench"

NamedWeight: TypeAlias = Annotated[str, Field(pattern=r"^.+=\d+(\.\d+)?$")]
"""a part of a score that an extension gives, with its weight: name=weight"""


def named_weights(entries: Iterable[NamedWeight]) -> tuple[tuple[str, float], ...]:
    """Names and weights of the parts of a score that extensions give; a name may hold further signs of equality."""
    pairs = (one.rpartition("=") for one in entries)
    return tuple((name, float(weight)) for name, _, weight in pairs)


def refuse_repeated(entries: tuple[NamedWeight, ...], own: Iterable[str], word: str) -> None:
    """Refuse by `ValueError` a name that stands there twice, or whose weight, as `level_weight`, is a field of ours."""
    names, ours = [name for name, _ in named_weights(entries)], set(own)
    for name in names:
        if f"{name}_weight" in ours:
            raise ValueError(f"{name} is a part of this package; a {word} needs another name")
        if names.count(name) > 1:
            raise ValueError(f"the {word} {name} stands there twice")


def names_extension(group: str) -> dict[str, JsonValue]:
    """For `json_schema_extra` of a field that names extensions: the page and the command line then offer them."""
    return {"extension": group}


class Params(BaseModel):
    """Base of all parameter classes: frozen, unknown fields refused, NaN and infinity refused.

    A field is a knob: a person turns it in a notebook, on the page or in a profile. The one exception is `model`, the
    fitted numbers of the stage, which only Python and a sweep vary.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def knobs(cls) -> dict[str, FieldInfo]:
        """The fields that a person turns, by name."""
        return {name: field for name, field in cls.model_fields.items() if name != "model"}


class FittedModel(BaseModel):
    """The fitted numbers of one stage, the field `model` of its parameters; `workbench/models` has them with a card.

    Part of the cache keys and the provenance like any parameter; a sweep varies a field as `models.STAGE.NAME`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
