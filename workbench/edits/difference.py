"""What changed between two cuts of a video: which seconds of picture both show, and what was done between them.

Classes: `KeptSpan`, `EditChange`, `EditDifference`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from workbench.errors import EditError
from workbench.recording import VideoSeconds

ChangeKind: TypeAlias = Literal["insert", "delete", "trim", "swap", "speed", "replace"]
"""insert: pictures came in, none went. delete: whole clips, or the middle of one, went, none came in. trim: clips that
both cuts show begin or end elsewhere. swap: pictures of the old cut stand at another place. speed: the same source at
another speed. replace: pictures went and others came in their place, and nothing of the above."""
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
_ROUNDING = 1e-6  # s; times are exact until they become floats here


@dataclass(frozen=True, slots=True)
class KeptSpan:
    """Seconds of picture that both cuts show, in the same order and at the same speed."""

    old_start: VideoSeconds
    """where they begin in the old cut"""
    new_start: VideoSeconds
    """where they begin in the new cut"""
    seconds: float
    """how long they last, in both"""

    def __post_init__(self) -> None:
        # Written so that NaN fails too.
        if not (self.old_start >= 0 and self.new_start >= 0 and 0 < self.seconds < float("inf")):
            raise EditError(
                f"a kept span needs times of 0 or more and a length, got {self.old_start}, {self.new_start}, "
                f"{self.seconds}"
            )

    @property
    def old_end(self) -> VideoSeconds:
        """Where they end in the old cut."""
        return self.old_start + self.seconds

    @property
    def new_end(self) -> VideoSeconds:
        """Where they end in the new cut."""
        return self.new_start + self.seconds

    @property
    def shift(self) -> float:
        """s by which the picture moved: positive where it is later in the new cut."""
        return self.new_start - self.old_start


@dataclass(frozen=True, slots=True)
class EditChange:
    """What happened between two kept spans, or before the first, or after the last."""

    at: VideoSeconds
    """where the change begins in the new cut"""
    old_at: VideoSeconds
    """where it begins in the old cut"""
    delta_seconds: float
    """s that the new cut gains here; negative where it loses"""
    kind: ChangeKind

    def __post_init__(self) -> None:
        if self.kind not in CHANGE_KINDS:
            raise EditError(f"a change is one of {', '.join(CHANGE_KINDS)}, got {self.kind}")


@dataclass(frozen=True, slots=True)
class EditDifference:
    """What two cuts of a video have in common, and what changed."""

    old_seconds: float
    """s, length of the old cut"""
    new_seconds: float
    """s, length of the new cut"""
    kept: tuple[KeptSpan, ...]
    """sorted and disjoint in both cuts, and maximal: no two of them touch in both"""
    changes: tuple[EditChange, ...]
    """one between any two kept spans, and one at an end that is not kept; sorted"""

    def __post_init__(self) -> None:
        old = new = 0.0
        for place, span in enumerate(self.kept):
            if span.old_start < old - _ROUNDING or span.new_start < new - _ROUNDING:
                raise EditError(f"kept spans must be sorted and disjoint in both cuts, got {span}")
            if place and span.old_start <= old + _ROUNDING and span.new_start <= new + _ROUNDING:
                raise EditError(f"kept spans that touch in both cuts are one span, got {span}")
            old, new = span.old_end, span.new_end
        if old > self.old_seconds + _ROUNDING or new > self.new_seconds + _ROUNDING:
            raise EditError(f"kept spans reach {old} and {new} s, past the ends at {self.old_seconds} and "
                            f"{self.new_seconds} s")  # fmt: skip

    @property
    def kept_seconds(self) -> float:
        """s of picture that both cuts show."""
        return sum(span.seconds for span in self.kept)

    @property
    def is_same(self) -> bool:
        """Whether nothing changed."""
        return not self.changes
