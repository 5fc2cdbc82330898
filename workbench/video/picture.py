"""The picture of a video over time: its shots, the borders between them, and a few curves.

Times are video seconds as the container states them, never a frame's number over a rate: a phone's videos change their
rate as they go. A border is where one shot gives way to another, or where the picture flashes and returns:

    kind       start                            end                             at
    hard       first picture of the new shot    the same                        the same
    fade       picture begins to go down        picture is fully up             the new shot begins to show
    dissolve   first picture with both shots    first picture without the old   half of each
    flash      first bright picture             first picture after it          the same as start

A video that fades in has a fade from its first picture, which is no cut, as no shot precedes it. One that fades out has
a fade to its end, where `at` is the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray, VideoSeconds

BorderKind: TypeAlias = Literal["hard", "fade", "dissolve", "flash"]
BORDER_KINDS: tuple[BorderKind, ...] = ("hard", "fade", "dissolve", "flash")
"""In the order of their numbers in the store."""
Stretches: TypeAlias = tuple[tuple[VideoSeconds, VideoSeconds], ...]
"""(start, end) pairs, sorted and disjoint"""
CURVES = ("motion", "brightness", "colourfulness", "contrast")
"""Names of the curves of a `Picture`."""


@dataclass(frozen=True, slots=True)
class Border:
    """Where a shot gives way to another, or where the picture flashes."""

    kind: BorderKind
    start: VideoSeconds
    end: VideoSeconds
    at: VideoSeconds
    """the one instant that stands for it, which an editor would put on the beat"""
    strength: float
    """0 to 1: how different the two sides are; of a flash how much brighter it is"""

    def __post_init__(self) -> None:
        if self.kind not in BORDER_KINDS:
            raise ParameterError(f"a border is one of {', '.join(BORDER_KINDS)}, got {self.kind}")
        if not 0 <= self.start <= self.at <= self.end < float("inf"):
            raise ParameterError(f"a border runs from start over at to end, got {self.start}, {self.at}, {self.end}")
        if not 0 <= self.strength <= 1:
            raise ParameterError(f"the strength of a border must be within 0 to 1, got {self.strength}")


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The moving picture of one video, measured picture by picture."""

    duration: VideoSeconds
    """end of the last picture"""
    times: FloatArray
    """shape (n,), video seconds of the pictures that were measured, strictly increasing from 0; float64, read-only"""
    motion: FloatArray
    """shape (n,), picture heights a second that things move at since the picture before; 0 at a border"""
    brightness: FloatArray
    """shape (n,), mean luma, 0 black to 1 white"""
    colourfulness: FloatArray
    """shape (n,), Hasler and Süsstrunk's measure over 255: 0 grey, 0.13 moderate, 0.4 and more extreme"""
    contrast: FloatArray
    """shape (n,), standard deviation of luma, 0 to 0.5"""
    borders: tuple[Border, ...]
    """sorted by start"""
    black: Stretches
    """where the picture is black"""
    still: Stretches
    """where nothing moves: slides, freeze frames, titles"""
    titles: Stretches = ()
    """where words are shown over the picture, from the first picture with them, see `workbench.video.titles`"""

    def __post_init__(self) -> None:
        times = _locked(self.times, np.float64)
        if times.ndim != 1 or not times.size or times[0] < 0 or np.any(np.diff(times) <= 0):
            raise ParameterError("picture times must be a row of increasing seconds from 0 on, at least one")
        if not times[-1] <= self.duration < float("inf"):
            raise ParameterError(
                f"the last picture is at {times[-1]} s, after the end of the video at {self.duration} s"
            )
        object.__setattr__(self, "times", times)
        for name in CURVES:
            curve = _locked(getattr(self, name), np.float32)
            if curve.shape != times.shape or not np.all(np.isfinite(curve)) or np.any(curve < 0):
                raise ParameterError(f"{name} must hold {times.size} finite numbers of 0 or more, got {curve.shape}")
            object.__setattr__(self, name, curve)
        for before, after in pairwise(self.borders):
            if after.start < before.start:
                raise ParameterError(f"borders must be sorted, got {before.start} before {after.start}")
        check_stretches("black", self.black)
        check_stretches("still", self.still)
        check_stretches("titles", self.titles)

    @property
    def edits(self) -> tuple[Border, ...]:
        """The borders between shots: all but the flashes and the fade that the video opens with."""
        first = float(self.times[0])
        return tuple(
            border
            for border in self.borders
            if border.kind != "flash" and not (border.kind == "fade" and border.start <= first)
        )

    @property
    def flashes(self) -> tuple[Border, ...]:
        """The borders that separate no shots."""
        return tuple(border for border in self.borders if border.kind == "flash")

    @property
    def cuts(self) -> FloatArray:
        """Instants at which the video goes on to another shot, shape (n_cuts,), video seconds, increasing."""
        inside = {border.at for border in self.edits if 0 < border.at < self.duration}
        return np.array(sorted(inside), dtype=np.float64)

    @property
    def shots(self) -> Stretches:
        """Stretches between the cuts, which together are the video."""
        return tuple(
            (float(start), float(end)) for start, end in pairwise((0.0, *self.cuts, self.duration)) if start < end
        )


def check_stretches(name: str, stretches: Stretches) -> None:
    """Raise `ParameterError`, with the name, unless stretches are sorted and disjoint and none of them is empty."""
    last = 0.0
    for start, end in stretches:
        if not last <= start < end < float("inf"):
            raise ParameterError(f"{name} must be sorted, disjoint and not empty, got {start} to {end} after {last}")
        last = end


def _locked(values: FloatArray, dtype: type[np.floating]) -> FloatArray:
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array
