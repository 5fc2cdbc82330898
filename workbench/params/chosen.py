"""Which extensions parameters name: found in the fields, so that a new point is offered wherever parameters are chosen.

A field that names extensions says of which point, see `names_extension` of `workbench.params.base`. It holds one name,
or, where an extension is a part of a score, several names with their weights.

Class: `Choice`. Functions: `choices`, `chosen`, `with_chosen`, `with_uses`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from pydantic import ValidationError

from workbench.errors import ParameterError
from workbench.extensions import word_of
from workbench.params.base import named_weights
from workbench.params.workbench import WorkbenchParams


@dataclass(frozen=True, slots=True)
class Choice:
    """A field that names extensions."""

    stage: str
    """name of a field of `WorkbenchParams`"""
    field: str
    """of that stage"""
    group: str
    """the extension point"""
    is_weighed: bool
    """whether it takes several, each with a weight"""

    @property
    def word(self) -> str:
        """What one is called on the command line, such as "beat-tracker"."""
        return word_of(self.group).replace(" ", "-")


@cache
def choices() -> tuple[Choice, ...]:
    """All fields that name extensions, in the order of the stages."""
    found = []
    for stage in WorkbenchParams.model_fields:
        for name, field in type(getattr(WorkbenchParams(), stage)).model_fields.items():
            group = field.json_schema_extra.get("extension") if isinstance(field.json_schema_extra, dict) else None
            if isinstance(group, str):
                found.append(Choice(stage, name, group, isinstance(field.default, tuple)))
    return tuple(found)


def chosen(params: WorkbenchParams, choice: Choice) -> tuple[str, ...]:
    """Names of the extensions of a point that parameters name."""
    value = getattr(getattr(params, choice.stage), choice.field)
    return tuple(name for name, _ in named_weights(value)) if choice.is_weighed else (value,)


def with_chosen(params: WorkbenchParams, choice: Choice, names: Iterable[str]) -> WorkbenchParams:
    """The parameters with other extensions of one point.

    Where they are weighed, `names` are all that count: those that counted before keep their weights, others get 1.
    Raises `ParameterError` for a name that the field refuses.
    """
    stage = getattr(params, choice.stage)
    if choice.is_weighed:
        before = dict(named_weights(getattr(stage, choice.field)))
        value: object = tuple(f"{name}={before.get(name, 1.0):g}" for name in names)
    else:
        (value,) = names
    return _with(params, choice, value)


def with_uses(params: WorkbenchParams, uses: Iterable[str]) -> WorkbenchParams:
    """The parameters with extensions as a command names them, such as "section-finder=their_module:Finder".

    Where extensions are weighed, a use is point=name=weight, without a weight 1, and it is added. Raises
    `ParameterError` for an unknown point, or a name that the field refuses.
    """
    points = {choice.word: choice for choice in choices()}
    for use in uses:
        word, _, name = use.partition("=")
        if word not in points or not name:
            raise ParameterError(f"{use}: name an extension as POINT=NAME; points are {', '.join(sorted(points))}")
        choice = points[word]
        if not choice.is_weighed:
            params = _with(params, choice, name)
            continue
        named, _, weight = name.rpartition("=")
        one = name if named and _is_weight(weight) else f"{name}=1"
        params = _with(params, choice, (*getattr(getattr(params, choice.stage), choice.field), one))
    return params


def _is_weight(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _with(params: WorkbenchParams, choice: Choice, value: object) -> WorkbenchParams:
    try:
        values = params.model_dump()
        values[choice.stage][choice.field] = value
        return WorkbenchParams.model_validate(values)
    except ValidationError as error:
        raise ParameterError(f"{choice.word}: {error.errors()[0]['msg']}") from None
