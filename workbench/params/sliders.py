"""Parameters as sliders of the page and of notebooks: name, range, step and reason."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args, get_origin

from workbench.errors import ParameterError
from workbench.params.workbench import WorkbenchParams

_UNITS = {"lufs": "LUFS", "lu": "LU", "db": "dB", "dbfs": "dBFS", "ms": "ms", "seconds": "s", "hz": "Hz"}
"""as a field's name ends, and as people write it"""
_STEPS = 40
"""of a slider, at least: fine enough for the ear, and no digit that the hand cannot set"""


class Knob(NamedTuple):
    """One field of the parameters."""

    stage: str
    """name of a field of `WorkbenchParams`, such as "duck" """
    name: str
    """of a field of that stage"""
    label: str
    """as people read it, with its unit"""
    kind: Literal["number", "whole", "choice", "text"]
    """a text cannot be turned: it has no range"""
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0
    """of numbers, in the unit of the field"""
    choices: tuple[Any, ...] = ()
    description: str = ""

    def values(self, count: int) -> tuple[Any, ...]:
        """At most `count` values from one end of its range to the other; `ParameterError` for a text without range."""
        if self.kind == "choice":
            return self.choices
        if self.kind == "text":
            raise ParameterError(f"{self.stage}.{self.name} has no range")
        spread = (self.low + (self.high - self.low) * at / (count - 1) for at in range(count))
        return tuple(dict.fromkeys(round(one) if self.kind == "whole" else round(one, 6) for one in spread))


def knob_of(stage: str, name: str) -> Knob:
    """The knob of a field, such as "attack_ms" of "duck"; `ParameterError` where there is no such field."""
    held = WorkbenchParams.model_fields.get(stage)
    field = None if held is None else type(held.get_default(call_default_factory=True)).knobs().get(name)
    if field is None:
        raise ParameterError(f"there is no parameter {stage}.{name}; they are called such as duck.attack_ms")
    named: dict[str, Any] = {"label": label_of(name), "description": field.description or ""}
    if get_origin(field.annotation) is Literal:
        return Knob(stage, name, kind="choice", choices=get_args(field.annotation), **named)
    low = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), None)
    high = next((rule.le for rule in field.metadata if hasattr(rule, "le")), None)
    if low is None or high is None:
        return Knob(stage, name, kind="text", **named)
    if field.annotation is int:
        return Knob(stage, name, kind="whole", low=int(low), high=int(high), step=1, **named)
    return Knob(stage, name, kind="number", low=float(low), high=float(high), step=_step(high - low), **named)


def label_of(name: str) -> str:
    """A field's name as people read it: `attack_ms` is "attack, ms"."""
    words = name.split("_")
    unit = _UNITS.get(words[-1])
    return " ".join(words) if unit is None else f"{' '.join(words[:-1])}, {unit}"


def _step(span: float) -> float:
    """A round step that divides the span in forty to four hundred."""
    step = 1.0
    while step > span / _STEPS:
        step /= 10.0
    while step * 10.0 <= span / _STEPS:
        step *= 10.0
    return step
