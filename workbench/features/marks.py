"""Marks: times at which something happens, each with a kind, a salience and a tolerance.

A track has marks, its landmarks (`workbench.align.landmarks`), and so has a video, its events
(`workbench.video.events`); aligning makes them coincide. Times are seconds of the track or of the video.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Marks of one track or video, in order of time."""

    names: tuple[str, ...]
    """of the kinds"""
    times: FloatArray
    """shape (n,), s, not decreasing, read-only"""
    kinds: IntArray
    """shape (n,), index into `names`"""
    salience: FloatArray
    """shape (n,), 0 to 1: how much an audience would notice it"""
    tolerance: FloatArray
    """shape (n,), s, over 0: how far off something may be that is still taken for simultaneous"""

    def __post_init__(self) -> None:
        for name, dtype in (("times", "f8"), ("kinds", "i4"), ("salience", "f8"), ("tolerance", "f8")):
            array = np.array(getattr(self, name), dtype=dtype)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        n = self.times.size
        for name in ("times", "kinds", "salience", "tolerance"):
            if getattr(self, name).shape != (n,):
                raise ParameterError(f"{name} must have shape ({n},), got {getattr(self, name).shape}")
        if not np.all(np.isfinite(self.times)) or np.any(np.diff(self.times) < 0):
            raise ParameterError("the times of marks must be finite and not decrease")
        if n and not 0 <= int(self.kinds.min()) <= int(self.kinds.max()) < len(self.names):
            raise ParameterError(f"kinds are indices into {self.names}, got {self.kinds.min()} to {self.kinds.max()}")
        if not np.all((self.salience >= 0) & (self.salience <= 1)):
            raise ParameterError("salience must be within 0 to 1")
        if not np.all((self.tolerance > 0) & np.isfinite(self.tolerance)):
            raise ParameterError("a tolerance is a finite time over 0")

    def __len__(self) -> int:
        """Return the number of marks."""
        return int(self.times.size)

    def of(self, name: str) -> FloatArray:
        """Times of one kind, s; raises `ParameterError` where there is no such kind."""
        if name not in self.names:
            raise ParameterError(f"no kind is called {name!r}; there are {', '.join(self.names)}")
        times: FloatArray = self.times[self.kinds == self.names.index(name)]
        return times

    def name_of(self, mark: int) -> str:
        """Name of the kind of the mark at one index of `times`."""
        return self.names[int(self.kinds[mark])]


def marks_of(names: Sequence[str], marks: Iterable[tuple[float, str, float, float]]) -> Marks:
    """Sort rows of time (s), name of the kind, salience (0 to 1) and tolerance (s) into marks.

    `Marks.kinds` are indices into `names`. Raises `ParameterError` for a kind that is not among them, or values out of
    range.
    """
    rows = sorted(marks)
    for _, name, _, _ in rows:
        if name not in names:
            raise ParameterError(f"no kind is called {name!r}; there are {', '.join(names)}")
    return Marks(
        tuple(names),
        np.array([time for time, _, _, _ in rows]),
        np.array([names.index(name) for _, name, _, _ in rows], dtype=np.int32),
        np.array([salience for _, _, salience, _ in rows]),
        np.array([tolerance for _, _, _, tolerance in rows]),
    )


def strongest_apart(times: FloatArray, salience: FloatArray, seconds: float) -> IntArray:
    """Indices of the marks that stay when each, the most salient first, displaces those within some seconds of it.

    Times come in any order, indices in order of time.
    """
    # stable sorts: equal marks stay in the order given, on every machine
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    free = np.ones(times.size, dtype=bool)
    taken = []
    for place in np.argsort(-salience[order], kind="stable"):
        if free[place]:
            taken.append(place)
            first, last = np.searchsorted(ordered, (ordered[place] - seconds, ordered[place] + seconds))
            free[first:last] = False
            free[place] = False
    return np.asarray(order[np.sort(np.array(taken, dtype=np.int64))], dtype=np.int64)
