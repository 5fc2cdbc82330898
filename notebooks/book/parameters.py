"""The reference of parameters: every field of `workbench.params` with range, unit, default and meaning.

All of it is read from the pydantic models, so that a field cannot be missing here or stand with another default.
"""

from __future__ import annotations

import re
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from notebooks.book.markdown import cell, code, table
from workbench.params import WorkbenchParams
from workbench.params.base import Params

_UNITS = ("BPM", "dBTP", "dB", "Hz", "kbit/s", "LUFS", "LU", "bars", "beats", "log-odds", "ms", "nats", "s")
"""with which a description opens, where a number has a unit"""
_BY_NAME = {
    **{"_seconds": "s", "_ms": "ms", "_db": "dB", "_bpm": "BPM", "_bars": "bars", "_beats": "beats", "_lufs": "LUFS"},
    **{"kbps": "kbit/s", "_gigapixels": "10^9 pixels"},
}
"""by which the name of a field ends"""


def unit(name: str, field: FieldInfo) -> str:
    """The unit of a field: from its description, its name or its type; "1" for a ratio, "–" for what is no number."""
    kinds = _kinds(field.annotation)
    if not kinds & {int, float}:
        return "–"
    described = field.description or ""
    for known in sorted(_UNITS, key=len, reverse=True):
        if re.match(rf"{re.escape(known)}(?![\w-])", described):
            return known
    by_name = next((known for end, known in _BY_NAME.items() if name.endswith(end)), None)
    return by_name or ("count" if kinds == {int} else "1")


def bounds(field: FieldInfo) -> str:
    """The values that a field takes, in words."""
    if get_origin(field.annotation) is Literal:
        return ", ".join(code(value) for value in get_args(field.annotation))
    found: dict[str, Any] = {}
    for one in field.metadata:
        for name in ("ge", "le", "max_length"):
            if getattr(one, name, None) is not None:
                found[name] = getattr(one, name)
    if "max_length" in found:
        return f"at most {found['max_length']} {'characters' if field.annotation is str else 'values'}"
    return f"{found['ge']:g} to {found['le']:g}"


def default(field: FieldInfo) -> str:
    """The default of a field, as a profile file has it."""
    value = field.get_default(call_default_factory=True)
    if isinstance(value, float):
        return code(f"{value:g}")
    return code("empty" if value == () else value)


def meaning(field: FieldInfo) -> str:
    """The description of a field without the unit with which it opens, which has a column of its own."""
    described = field.description or ""
    first, _, rest = described.partition("; ")
    return rest if rest and first in _UNITS else described


def parameters_page() -> str:
    """The page, in Markdown."""
    parts = [
        "# Parameters\n",
        "Every number that one turns. A profile file holds those that differ from the defaults, in a table a stage; "
        "`--profile FILE` gives it to a command and `wb.open(profile=...)` "
        "to Python. In a sweep a parameter is called by both names, such as "
        "`seams.context_beats`. A value out of its range is refused.\n",
        "A unit of 1 is a ratio, a probability, a score or a weight. Numbers that were fitted to data are not here: "
        "see the cards of [the models](models/index.md). A sweep varies one as `models.seams.pulse_weight`.\n",
    ]
    for stage, field in WorkbenchParams.model_fields.items():
        model = field.annotation
        assert isinstance(model, type)
        assert issubclass(model, Params)
        fields = model.knobs()
        rows = [
            [f"`{name}`", bounds(one), unit(name, one), default(one), cell(meaning(one))]
            for name, one in fields.items()
        ]
        parts += [
            f"## {stage}\n",
            f"{(model.__doc__ or '').strip().splitlines()[0]} In Python `{model.__name__}`.\n",
            table(["parameter", "range", "unit", "default", "meaning"], rows),
        ]
    return "\n".join(parts)


def field_lines(model: type[BaseModel]) -> list[str]:
    """The described fields of a model, as a definition list in reStructuredText.

    Parameters also have range, unit and default; results have a meaning alone.
    """
    lines = []
    for name, field in model.model_fields.items():
        if not field.description:
            continue
        facts = ""
        if issubclass(model, Params):
            measure = {"–": "", "1": "", "count": ""}.get(unit(name, field), f" {unit(name, field)}")
            facts = f" : {bounds(field)}{measure}; default {default(field)}".replace("`", "``")
        lines += [f"``{name}``{facts}", f"    {_literal(meaning(field))}", ""]
    return lines


def _literal(text: str) -> str:
    """Text for reStructuredText: stars and bars are no markup, and single backticks hold code."""
    parts = " ".join(text.split()).split("`")
    return "``".join(part if at % 2 else re.sub(r"([*|])", r"\\\1", part) for at, part in enumerate(parts))


def _kinds(annotation: Any) -> set[type]:
    """The types that stand in an annotation."""
    if isinstance(annotation, type) and not get_args(annotation):
        return {annotation}
    return set().union(*(_kinds(part) for part in get_args(annotation) if part is not Ellipsis), set())
