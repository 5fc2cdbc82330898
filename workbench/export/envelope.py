"""Gain curves as keys: the fewest that an editor needs to draw the plan's curve within 0.25 dB.

A program draws a curve as straight lines between keys: REAPER in linear gain, Final Cut, Resolve and our own readers in
dB; what others draw is not known. `fit_keys` serves all formats. Keys lie on the curve. It halves the stretches between
the corners of the curve until straight lines meet it, which gives the places at which a key may stand, and then finds
the fewest of them with which no line leaves the curve by more than `TOLERANCE_DB`: the shortest path from the first
place to the last, over all lines that stay within the tolerance. Among paths of equally many keys it takes the one
whose lines leave the curve least, so a curve of straight lines is fitted by its own corners.

Where the music is so low that `TOLERANCE_DB` is less than `TOLERANCE` of full gain, that counts instead: near silence,
decibels grow without bound and nothing is audible.

References
----------
H. Imai & M. Iri, "Polygonal approximations of a curve - formulations and algorithms", Computational Morphology, 1988:
the fewest lines within a tolerance are a shortest path over the lines that are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from workbench.export.timeline import SILENT_DB, decibels, linear
from workbench.recording import BoolArray, FloatArray, IntArray

TOLERANCE_DB = 0.25  # dB by which lines between keys may leave the curve; a step of level is audible from about there
TOLERANCE = 5e-4  # linear gain (-66 dB) that lines may leave the curve by where `TOLERANCE_DB` would be less
_CLOSE = 2e-4  # linear gain within which lines between the places for keys meet the curve
# dB: somewhere between, `TOLERANCE` begins to count instead of `TOLERANCE_DB`, and then allows silence
_QUIET_DB, _FLOOR_DB = -30.0, -72.0
_QUIET_STEP_DB = 4.0  # dB between neighbouring places there
_BLOCK = 64  # places examined at a time


class Lines(Enum):
    """How a program draws the line between two keys."""

    GAIN = "gain"  # straight in linear gain
    DECIBELS = "decibels"  # straight in dB
    EITHER = "either"  # not known: both must stay within the tolerance


class GainPoint(NamedTuple):
    """A point of a gain curve."""

    sample: int  # output sample
    level_db: float  # dB, `SILENT_DB` for silence

    @property
    def gain(self) -> float:
        """Linear gain; 0 for silence."""
        return 0.0 if self.level_db <= SILENT_DB else linear(self.level_db)


class FrameKey(NamedTuple):
    """A point of a curve that is keyed on video frames."""

    frame: int
    level_db: float


def fit_keys(
    curve: Callable[[int], float], corners: Iterable[int], lines: Lines, tolerance: float = TOLERANCE
) -> list[GainPoint]:
    """Fit the fewest keys to a curve: in order, on it, with one at the first and one at the last corner.

    `curve` gives dB at an output sample, `SILENT_DB` for silence; `corners` are output samples at which its course
    changes, both ends among them. Lines stay within `TOLERANCE_DB` of it, or within the linear
    gain `tolerance` where that is more, near silence.
    """
    places = _places(cache(curve), sorted(set(corners)), lines)
    at, levels = np.array([place.sample for place in places]), np.array([place.level_db for place in places])
    return [places[k] for k in _fewest(at, levels, lines, tolerance)]


def fit_frame_keys(
    curve: Callable[[int], float], turns: Iterable[Fraction], first: int, last: int, lines: Lines
) -> list[FrameKey]:
    """Fit the fewest keys on whole video frames to a curve, one a frame at most; the first and the last frame have one.

    `turns` are the times, in frames, at which the course of the curve changes; those outside are left out. The lines
    stay within the tolerance at frames; between two frames the curve is assumed to be a straight line.
    """
    # A turn between two frames cannot have a key itself; keys on both its sides keep the lines apart.
    around = {frame for turn in turns for frame in (floor(turn), ceil(turn))}
    corners = {first, last, *(frame for frame in around if first < frame < last)}
    return [FrameKey(*key) for key in fit_keys(curve, corners, lines)]


def _places(curve: Callable[[int], float], corners: Sequence[int], lines: Lines) -> list[GainPoint]:
    """Halve the stretches between corners until straight lines are within `_CLOSE` of the curve."""
    places = [GainPoint(corners[0], curve(corners[0]))]
    waiting = [GainPoint(end, curve(end)) for end in reversed(corners[1:])]
    while waiting:
        begin, end = places[-1], waiting[-1]
        # Three probes: an S-curve crosses its chord in the middle, so the middle alone would call it straight.
        probes = {begin.sample + (end.sample - begin.sample) * part // 4 for part in (1, 2, 3)} - {begin.sample}
        if _turns_quiet(begin, end) or any(_leaves(curve(at), begin, end, at, lines) for at in probes):
            middle = (begin.sample + end.sample) // 2
            waiting.append(GainPoint(middle, curve(middle)))
        else:
            places.append(waiting.pop())
    return places


def _turns_quiet(begin: GainPoint, end: GainPoint) -> bool:
    """Whether a stretch passes a range of levels in which the tolerance changes; it is checked at places alone."""
    low, high = sorted((begin.level_db, end.level_db))
    return low < _QUIET_DB and high > _FLOOR_DB and high - low > _QUIET_STEP_DB and end.sample - begin.sample > 1


def _leaves(level: float, begin: GainPoint, end: GainPoint, at: int, lines: Lines) -> bool:
    """Whether a line between two points misses the curve's level at a sample between them."""
    share = (at - begin.sample) / (end.sample - begin.sample)
    drawn = []
    if lines is not Lines.GAIN:
        drawn.append(linear(begin.level_db + share * (end.level_db - begin.level_db)))
    if lines is not Lines.DECIBELS:
        drawn.append(begin.gain + share * (end.gain - begin.gain))
    return any(abs(linear(level) - gain) > _CLOSE for gain in drawn)


class _Scale:
    """The curve on the scale on which lines are straight, and how far they may leave it."""

    def __init__(self, at: IntArray, levels: FloatArray, in_gain: bool, tolerance: float) -> None:
        gain = np.where(levels <= SILENT_DB, 0.0, 10.0 ** (levels / 20.0))
        step = linear(TOLERANCE_DB)
        low, high = np.minimum(gain / step, gain - tolerance), np.maximum(gain * step, gain + tolerance)
        self.at = at.astype(np.float64)
        if in_gain:
            self.value, self.low, self.high = gain, low, high
        else:
            self.value, self.low, self.high = levels, _decibels(low), _decibels(high)

    def reached(self, begin: int, first: int, stop: int, least: float, most: float) -> tuple[BoolArray, float, float]:
        """Which of the places from `first` to `stop` a line from `begin` can go to, and the slopes that are left."""
        run = self.at[first:stop] - self.at[begin]
        # Lines that meet all places so far lie in a cone of slopes from `least` to `most`. Each place narrows it, so
        # that one pass over the places finds all ends of lines from `begin`, without trying every line against every
        # place.
        slope = (self.value[first:stop] - self.value[begin]) / run
        lows = np.maximum.accumulate(np.concatenate([[least], (self.low[first:stop] - self.value[begin]) / run]))
        highs = np.minimum.accumulate(np.concatenate([[most], (self.high[first:stop] - self.value[begin]) / run]))
        # The places between must be met, the end is on the curve by itself.
        near = 1e-9 * (1.0 + np.abs(slope))
        met = (lows[:-1] <= slope + near) & (slope - near <= highs[:-1])
        return np.asarray(met), float(lows[-1]), float(highs[-1])

    def miss(self, begin: int, end: int) -> float:
        """How far a line leaves the curve at most, in parts of the tolerance."""
        inside = slice(begin + 1, end)
        if end - begin < 2:
            return 0.0
        share = (self.at[inside] - self.at[begin]) / (self.at[end] - self.at[begin])
        off = self.value[begin] + share * (self.value[end] - self.value[begin]) - self.value[inside]
        room = np.where(off > 0.0, self.high[inside] - self.value[inside], self.value[inside] - self.low[inside])
        return float(np.max(np.abs(off) / room))


def _decibels(gain: FloatArray) -> FloatArray:
    # Lines down to silence may pass below it: what is lower than silence is silence.
    return np.array([decibels(value) if value > 0.0 else 2.0 * SILENT_DB for value in gain.tolist()])


def _fewest(at: IntArray, levels: FloatArray, lines: Lines, tolerance: float) -> list[int]:
    """Indices of the places on the shortest path from the first to the last, of equally short ones on the closest."""
    useful = _useful(levels)
    scales = [
        _Scale(at[useful], levels[useful], in_gain, tolerance)
        for in_gain, drawn in ((False, lines is not Lines.GAIN), (True, lines is not Lines.DECIBELS))
        if drawn
    ]
    ends = [_ends(scales, begin, useful.size) for begin in range(useful.size)]
    # From the last place back: how many lines still lead to the end, and how far they leave the curve.
    steps, missed = np.zeros(useful.size, dtype=np.int64), np.zeros(useful.size)
    following = np.zeros(useful.size, dtype=np.int64)
    for begin in range(useful.size - 2, -1, -1):
        count = steps[ends[begin]]
        shortest = ends[begin][count == count.min()]
        # Squares, so that several small misses count less than a large one; the measure is in parts of the tolerance,
        # which makes both scales comparable.
        costs = [missed[end] + max(scale.miss(begin, end) for scale in scales) ** 2 for end in shortest.tolist()]
        best = int(np.argmin(costs))
        following[begin], missed[begin] = shortest[best], costs[best]
        steps[begin] = count.min() + 1
    path = [0]
    while path[-1] < useful.size - 1:
        path.append(int(following[path[-1]]))
    return [int(useful[k]) for k in path]


def _useful(levels: FloatArray) -> IntArray:
    """The places without the insides of steady stretches, which may be an hour long."""
    if levels.size < 3:
        return np.arange(levels.size)
    steady = (levels[1:-1] == levels[:-2]) & (levels[1:-1] == levels[2:])
    return np.flatnonzero(np.r_[True, ~steady, True])


def _ends(scales: Sequence[_Scale], begin: int, count: int) -> IntArray:
    """Places that a line from place `begin` can go to."""
    found, first = [], begin + 1
    cones = [(-np.inf, np.inf)] * len(scales)
    while first < count and all(least <= most for least, most in cones):
        stop = min(count, first + _BLOCK)
        met = np.ones(stop - first, dtype=np.bool_)
        for k, scale in enumerate(scales):
            inside, *slopes = scale.reached(begin, first, stop, *cones[k])
            met &= inside
            cones[k] = (slopes[0], slopes[1])
        found.append(first + np.flatnonzero(met))
        first = stop
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
