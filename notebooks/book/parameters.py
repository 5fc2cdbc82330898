"""The reference of parameters: every field of `workbench.params` with range, unit, default and meaning.

All of it is read from the pydantic models, so that a field cannot be missing here or stand with another default.
"""

from __future__ import annotations

import re

from pydantic import BaseModel

from notebooks.book.markdown import cell, code, table
from workbench.params import WorkbenchParams
from workbench.params.base import Params
from workbench.params.described import bounds, default, meaning, unit


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
            [f"`{name}`", bounds(one), unit(name, one) or "–", code(default(one)), cell(meaning(one))]
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
            measure = {"": "", "1": "", "count": ""}.get(unit(name, field), f" {unit(name, field)}")
            facts = f" : {bounds(field)}{measure}; default {code(default(field))}".replace("`", "``")
        lines += [f"``{name}``{facts}", f"    {_literal(meaning(field))}", ""]
    return lines


def _literal(text: str) -> str:
    """Text for reStructuredText: stars and bars are no markup, and single backticks hold code."""
    parts = " ".join(text.split()).split("`")
    return "``".join(part if at % 2 else re.sub(r"([*|])", r"\\\1", part) for at, part in enumerate(parts))
