"""Paths that keep one level: the same beat counted throughout, where a decoded path leaps to its half or its double.

In music that changes its tempo the network may hear the beat in one part and its half in another, for it hears moderate
tempi most readily. The most probable path then leaps between levels at the change, and every reading of it does too. A
leap of about an octave is no tempo that a player takes. So the shorter beat is counted through the whole path, and
every second of these beats is proposed beside it. Which level is the beat is decided in `beats.readings`.

Functions: `count_one_level`, `halves_of`.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.beats.downbeats import BAR_SLIP_COST
from workbench.beats.evidence import Odds
from workbench.recording import FloatArray, IntArray

_FEWEST = 8
"""beats that a level holds at least; fewer are single beats that were missed"""
_LEAP = 0.65
"""octaves from which a change of tempo is one of level; 3 to 2, at 0.58, is a change that music makes"""
_MOST_LEVELS = 2
"""octaves between the quickest and the slowest level of a path; more is no path of beats"""


def count_one_level(times: FloatArray) -> FloatArray | None:
    """Count the shortest beat of a path throughout, with all its times; None where it keeps one level by itself."""
    if times.size <= _FEWEST:
        return None
    beats = np.diff(times)
    levels = _levels_of(beats)
    if np.count_nonzero(np.bincount(levels) >= _FEWEST) < 2 or levels.max() > _MOST_LEVELS:
        return None
    place = np.concatenate(([0], np.cumsum(2**levels)))
    counted: FloatArray = np.interp(np.arange(place[-1] + 1), place, times)
    return counted


def halves_of(times: FloatArray, odds: Odds) -> list[FloatArray]:
    """Every second beat of a path: from the first, from the second, and as the network detects it.

    The last may go over from one half to the other, at the cost of a bar cut short. The path has 3 beats at least.
    """
    frames = odds.frames(times)
    total = (odds.beat[frames] + odds.downbeat[frames]).astype(np.float64)
    # the best path of steps of two beats, where one of three pays for a bar cut short; no other step occurs
    before = np.full(times.size, -1)
    for k in range(2, times.size):
        over = total[k - 3] - BAR_SLIP_COST if k > 2 else -np.inf
        before[k] = k - 2 if total[k - 2] >= over else k - 3
        total[k] += max(total[k - 2], over)
    chosen = [times.size - 2 + int(np.argmax(total[-2:]))]
    while before[chosen[-1]] >= 0:
        chosen.append(int(before[chosen[-1]]))
    return [times[0::2], times[1::2], times[chosen[::-1]]]


def _levels_of(beats: FloatArray) -> IntArray:
    """How many times each beat is halved until it is of the shortest level, shape (n,)."""
    levels = np.zeros(beats.size, dtype=np.int64)
    # each beat is compared with the middle of the last four at their own level, so that a drift of tempo adds up to
    # no leap and one missed beat does not move the reference
    recent = [float(np.median(beats[:4]))] * 4
    for k, beat in enumerate(beats.tolist()):
        low, high = sorted(recent)[1:3]
        octaves = math.log2(2.0 * beat / (low + high))
        levels[k] = int(math.copysign(math.floor(abs(octaves) + 1.0 - _LEAP), octaves))
        recent = [*recent[1:], beat / 2.0 ** int(levels[k])]
    shortest: IntArray = levels - levels.min()
    return shortest
