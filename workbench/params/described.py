"""What a person is told of a parameter: its unit, range, default and meaning, all from the pydantic field.

Functions: `params`, all of them or some as a table, and `described`, as records; of one field `unit`, `bounds`,
`default` and `meaning`.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from workbench.errors import ParameterError
from workbench.params.workbench import WorkbenchParams

if TYPE_CHECKING:
    import pandas as pd

_UNITS = ("BPM", "dBTP", "dB", "Hz", "kbit/s", "LUFS", "LU", "bars", "beats", "log-odds", "ms", "nats", "s")
"""with which a description opens, where a number has a unit"""
_BY_NAME = {
    **{"_seconds": "s", "_ms": "ms", "_db": "dB", "_bpm": "BPM", "_bars": "bars", "_beats": "beats", "_lufs": "LUFS"},
    **{"kbps": "kbit/s", "_gigapixels": "10^9 pixels"},
}
"""by which the name of a field ends"""


def params(name: str | None = None) -> pd.DataFrame:
    """The parameters that a profile accepts.

    Parameters
    ----------
    name : one of them, such as `seams.context_beats`, the second half of that, or a stage such as `seams`; None: all

    Returns
    -------
    a row each, with the columns `parameter`, `meaning`, `unit` (1 for a ratio, `count` for a number of things, empty
    for what is no number), `range` in words, and `default`

    Raises
    ------
    ParameterError : there is no such parameter or stage; the message names the nearest
    """
    import pandas as pd

    return pd.DataFrame(described(name))


def described(name: str | None = None) -> list[dict[str, Any]]:
    """`params` as one record a parameter."""
    rows = []
    known: set[str] = set()
    for stage, held in WorkbenchParams.model_fields.items():
        for short, field in type(held.get_default()).knobs().items():
            names = {f"{stage}.{short}", short, stage}
            known |= names
            if name is None or name in names:
                rows.append(
                    {
                        "parameter": f"{stage}.{short}",
                        "meaning": meaning(field),
                        "unit": unit(short, field),
                        "range": bounds(field),
                        "default": field.get_default(),
                    }
                )
    if not rows:
        close = get_close_matches(str(name), sorted(known), n=1)
        raise ParameterError(f"there is no parameter {name}" + (f"; did you mean {close[0]}?" if close else ""))
    return rows


def unit(name: str, field: FieldInfo) -> str:
    """The unit of a field: from its description, its name or its type.

    "1" for a ratio, "count" for a number of things, empty for what is no number.
    """
    kinds = _kinds(field.annotation)
    if not kinds & {int, float}:
        return ""
    described = field.description or ""
    for known in sorted(_UNITS, key=len, reverse=True):
        if re.match(rf"{re.escape(known)}(?![\w-])", described):
            return known
    by_name = next((known for end, known in _BY_NAME.items() if name.endswith(end)), None)
    return by_name or ("count" if kinds == {int} else "1")


def bounds(field: FieldInfo) -> str:
    """The values that a field takes, in words."""
    if get_origin(field.annotation) is Literal:
        return ", ".join(map(str, get_args(field.annotation)))
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
        return f"{value:g}"
    return "empty" if value == () else str(value)


def meaning(field: FieldInfo) -> str:
    """The description of a field without the unit with which it opens, which has a column of its own."""
    described = field.description or ""
    first, _, rest = described.partition("; ")
    return rest if rest and first in _UNITS else described


def _kinds(annotation: Any) -> set[type]:
    """The types that stand in an annotation."""
    if isinstance(annotation, type) and not get_args(annotation):
        return {annotation}
    return set().union(*(_kinds(part) for part in get_args(annotation) if part is not Ellipsis), set())
