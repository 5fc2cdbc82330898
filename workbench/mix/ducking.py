"""The ducking curve: how far music is lowered at each time, so that a voice stays clear over it.

Each utterance needs a depth that follows from both levels. The curve reaches it before the first syllable and leaves
it after the last sound; where utterances follow each other closely it stays at the lesser of both depths instead of
pumping; away from speech it is exactly 0. All ramps are straight in decibels, as the points of a mix are read.

1. *Steady depths.* A block is a run of pieces with pauses of `bridge_seconds` or less between them; pieces of depth 0
   belong to it. With `a` the greatest depth in the block up to a piece and `b` the greatest from it on, both with its
   own depth `d`, the piece gets `min(a, b)` if `d > 0` and `min(a, b) - d <= STEADY_DB`. Depths are those given; there
   is one pass. Then a piece between two others of which the second begins `bridge_seconds` or less after the first
   ends gets at least the lesser of both their depths, if its own is above 0, so that the music does not come up for
   less time than a pause would have to last for it, inside an utterance either. The depths are those of the first
   pass.
2. *Dips.* The curve is on a grid of `ENVELOPE_HZ` steps a second, from step 0 to the last that is not behind the
   video. An utterance of depth `d > 0` from `s` to `e` is at full depth from step `floor((s - AHEAD_SECONDS) hz)` to
   step `ceil((e + HOLD_SECONDS) hz)`. Before it the curve falls from 0 in `ceil(hz max(attack_ms / 1000,
   d / SLOPE_DB_PER_SECOND))` steps, after it it rises to 0 in as many, with `release_ms`. What misses a whole step by a
   rounding error is on it. Utterances of depth 0 make no dip, and are not there for what follows.
3. *Groups.* A dip joins the one before it if the speech of both, rounded to the nearest steps, is `bridge_seconds`
   apart or less, or if it begins before or where the dips of the group have come back to 0.
4. *The curve* of a group is the greatest of its dips at each step. Between two neighbours whose speech is
   `bridge_seconds` apart or less it is at least the lesser of both depths, from the end of the first's full depth to
   the beginning of the second's. Ramps between unequal depths are so those of the dips themselves.
5. *Points.* The curve of each group, from the last step at 0 before it to the first after it, or cut off at either end
   of the video where its value stays, is thinned to `TOLERANCE_DB` (`thin_curve`). Without any, there are no points.

Conventions: attenuation is in dB, positive pulls down; times are video seconds; points have shape (n_points, 2).

References
----------
U. Ramer, "An iterative procedure for the polygonal approximation of plane curves" (1972), with vertical distances,
in dB.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.errors import ParameterError
from workbench.features.levels import LevelCurve
from workbench.params import DuckParams
from workbench.recording import FloatArray, IntArray, runs
from workbench.video.speech_ranges import Utterances

MIN_UNDER_VOICE_LU = 11.0
"""LU that music is under any utterance, however quiet; half an LU more than is promised"""
AHEAD_SECONDS = 0.15
"""s before the first syllable at which the full depth is reached"""
HOLD_SECONDS = 0.1
"""s after the last sound before the music rises"""
STEADY_DB = 4.0
"""dB by which the music may stay deeper than needed, so that it is steady in a block"""
SLOPE_DB_PER_SECOND = 60.0
"""dB/s of the steepest ramp; steeper ones sound like a cut"""
TOLERANCE_DB = 0.1
"""dB that the points may differ from the curve; a tenth of one is inaudible"""
ENVELOPE_HZ = 100
"""points a second of the curve before it is thinned"""


def split_utterances(utterances: Utterances, params: DuckParams | None = None) -> Utterances:
    """Cut utterances longer than `piece_seconds` into equal pieces, each with a depth of its own."""
    params = params or DuckParams()
    pieces = []
    for start, end in utterances:
        count = max(1, int(np.ceil((end - start) / params.piece_seconds - 1e-9)))
        cuts = np.linspace(start, end, count + 1)
        pieces += [(float(a), float(b)) for a, b in pairwise(cuts)]
    return tuple(pieces)


def duck_depths(
    pieces: Utterances,
    voice: LevelCurve,
    music: LevelCurve,
    params: DuckParams | None = None,
    min_under_voice_lu: float = MIN_UNDER_VOICE_LU,
) -> FloatArray:
    """How far, in dB, the music is lowered under each piece: until it is `under_voice_lu` under the voice.

    It is 0 where the music is low enough already, `max_depth_db` at most; both levels are on the video's clock, with
    their gains applied. A whispered aside must not make the music drop out: a piece counts as no more than
    `quiet_utterance_lu` quieter than the median piece. What is quieter still is held clear of the music by
    `min_under_voice_lu`, so that it is understood.
    """
    params = params or DuckParams()
    depths = np.zeros(len(pieces))
    spoken = [voice.lufs(start, end) for start, end in pieces]
    quietest = float(np.median(spoken)) - params.quiet_utterance_lu if pieces else 0.0
    for k, (start, end) in enumerate(pieces):
        level = music.lufs(start, end)
        wanted = max(
            params.under_voice_lu - (max(spoken[k], quietest) - level), min_under_voice_lu - (spoken[k] - level)
        )
        if np.isfinite(wanted):
            depths[k] = min(max(0.0, wanted), params.max_depth_db)
    return depths


def steady_depths(pieces: Utterances, depths_db: FloatArray, params: DuckParams | None = None) -> FloatArray:
    """Even out small changes of depth inside a block of speech, which would sound like pumping.

    Pauses up to `bridge_seconds` are inside a block. A piece that is at most `STEADY_DB` shallower than deeper ones
    before and after it, in the same block, goes down with the lesser of the deepest on either side. So does one that
    is shallower by more, where the deeper ones are `bridge_seconds` apart or less: the music would swell up and be
    taken back at once.
    """
    params = params or DuckParams()
    steady = np.array(depths_db, dtype=np.float64)
    breaks = [k for k in range(1, len(pieces)) if pieces[k][0] - pieces[k - 1][1] > params.bridge_seconds]
    for first, stop in pairwise([0, *breaks, len(pieces)]):
        block = steady[first:stop]
        before, after = np.maximum.accumulate(block), np.maximum.accumulate(block[::-1])[::-1]
        filled = np.minimum(before, after)
        steady[first:stop] = np.where((block > 0) & (filled - block <= STEADY_DB), filled, block)
    return _without_swells(pieces, steady, params.bridge_seconds)


def _without_swells(pieces: Utterances, depths_db: FloatArray, bridge_seconds: float) -> FloatArray:
    """Depths without swells: between two pieces `bridge_seconds` apart or less, at least the depth of the shallower."""
    held = depths_db.copy()
    for first in range(len(pieces)):
        second = first + 2
        while second < len(pieces) and pieces[second][0] - pieces[first][1] <= bridge_seconds:
            between = held[first + 1 : second]
            between[between > 0] = np.maximum(between[between > 0], min(depths_db[first], depths_db[second]))
            second += 1
    return held


def duck_curve(
    utterances: Utterances, depths_db: FloatArray, video_seconds: float, params: DuckParams | None = None
) -> FloatArray:
    """Attenuation over time as points, shape (n_points, 2): seconds, strictly increasing, and dB.

    Each depth holds from `AHEAD_SECONDS` before its utterance to `HOLD_SECONDS` after it; no ramp is steeper than
    `SLOPE_DB_PER_SECOND`; the curve is 0 before the first point and after the last, unless speech reaches the end of
    the video. No points where nothing is ducked. Raises `ParameterError` for utterances out of order, or another number
    of depths.
    """
    params = params or DuckParams()
    depths = np.asarray(depths_db, dtype=np.float64)
    if depths.shape != (len(utterances),) or np.any(~(depths >= 0)):
        raise ParameterError(f"{len(utterances)} utterances need as many depths of 0 dB or more, got {depths!r}")
    edges = [edge for utterance in utterances for edge in utterance]
    if any(after < before for before, after in pairwise(edges)):
        raise ParameterError("utterances must be sorted and disjoint")
    # In whole steps of the grid: the same curve then comes out wherever a rounding error puts a time.
    hz, last = ENVELOPE_HZ, int(video_seconds * ENVELOPE_HZ + 1e-9)
    dips = [
        _Dip.under(utterance, float(depth), params)
        for utterance, depth in zip(utterances, depths, strict=True)
        if depth > 0
    ]
    points = [np.zeros((0, 2))]
    for group in _groups(dips, round(params.bridge_seconds * hz)):
        first, stop = max(0, group[0].leaves), min(last, max(dip.returns for dip in group))
        if stop > first:
            curve = _draw(group, first, stop, round(params.bridge_seconds * hz))
            thinned = thin_curve(curve, TOLERANCE_DB)
            points.append(np.column_stack([(first + thinned) / hz, curve[thinned]]))
    return np.concatenate(points)


def deepest_curve(first: FloatArray, second: FloatArray, video_seconds: float) -> FloatArray:
    """The curve that is everywhere as deep as the deeper of two, all of them as of `duck_curve`.

    Where one has no points, the other is returned as it is.
    """
    if not len(first) or not len(second):
        return first if len(first) else second
    hz = ENVELOPE_HZ
    times = np.arange(int(video_seconds * hz + 1e-9) + 1) / hz
    curve = np.maximum(*(np.interp(times, *points.T) for points in (first, second)))
    return thin_stretches(times, curve)


def thin_stretches(times: FloatArray, curve: FloatArray) -> FloatArray:
    """The points of a curve on the grid, shape (n_points, 2), thinned to `TOLERANCE_DB`; none where it is 0 throughout.

    Each stretch over 0 is thinned by itself, with the step at 0 on either side, so that between them it is exactly 0.
    """
    points = [np.zeros((0, 2))]
    for begins, ends in runs(curve > 0):
        begins, ends = max(0, begins - 1), min(times.size - 1, ends)
        thinned = begins + thin_curve(curve[begins : ends + 1], TOLERANCE_DB)
        points.append(np.column_stack([times[thinned], curve[thinned]]))
    joined: FloatArray = np.concatenate(points)
    # two stretches may share the step at 0 between them
    rising = np.concatenate([[True], np.diff(joined[:, 0]) > 0])[: len(joined)]
    return np.asarray(joined[rising])


@dataclass(frozen=True, slots=True)
class _Dip:
    """The part of the curve for one utterance, in steps of its grid: a ramp, a plateau, a ramp."""

    leaves: int  # last step at 0
    full_from: int
    full_to: int
    returns: int  # first step at 0 again
    begins: int  # the speech itself
    ends: int
    depth: float  # dB

    @classmethod
    def under(cls, utterance: tuple[float, float], depth: float, params: DuckParams) -> _Dip:
        """Place it: plateau rounded outwards, ramps never steeper than allowed."""
        hz, shortest = ENVELOPE_HZ, depth / SLOPE_DB_PER_SECOND
        full_from = int(np.floor((utterance[0] - AHEAD_SECONDS) * hz + 1e-9))
        full_to = int(np.ceil((utterance[1] + HOLD_SECONDS) * hz - 1e-9))
        attack = int(np.ceil(max(params.attack_ms / 1000, shortest) * hz - 1e-9))
        release = int(np.ceil(max(params.release_ms / 1000, shortest) * hz - 1e-9))
        begins, ends = round(utterance[0] * hz), round(utterance[1] * hz)
        return cls(full_from - attack, full_from, full_to, full_to + release, begins, ends, depth)


def _groups(dips: list[_Dip], bridge: int) -> list[list[_Dip]]:
    """Dips between which the music does not come back, together."""
    groups: list[list[_Dip]] = []
    for dip in dips:
        if groups and (dip.begins - groups[-1][-1].ends <= bridge or dip.leaves <= max(d.returns for d in groups[-1])):
            groups[-1].append(dip)
        else:
            groups.append([dip])
    return groups


def _draw(group: list[_Dip], first: int, stop: int, bridge: int) -> FloatArray:
    """The curve of a group from step `first` to step `stop`: the deepest of its dips, held over short pauses."""
    curve = np.zeros(stop - first + 1)
    for dip in group:
        steps = np.arange(max(dip.leaves, first), min(dip.returns, stop) + 1)
        shape = np.interp(steps, [dip.leaves, dip.full_from, dip.full_to, dip.returns], [0, dip.depth, dip.depth, 0])
        curve[steps - first] = np.maximum(curve[steps - first], shape)
    for before, after in pairwise(group):
        if after.begins - before.ends <= bridge:
            held = slice(max(0, before.full_to - first), max(0, after.full_from - first + 1))
            curve[held] = np.maximum(curve[held], min(before.depth, after.depth))
    return curve


def thin_curve(curve: FloatArray, tolerance: float) -> IntArray:
    """Indices of the points that are enough to draw a curve within a tolerance, first and last always among them.

    The curve's values are at even distances, the tolerance in their unit. A stretch is split at its first greatest
    error, for as long as that exceeds the tolerance.
    """
    keep = np.zeros(curve.size, dtype=bool)
    keep[[0, -1]] = True
    waiting = [(0, curve.size - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        line = curve[first] + (curve[last] - curve[first]) * np.arange(last - first + 1) / (last - first)
        error = np.abs(curve[first : last + 1] - line)
        worst = first + int(error.argmax())
        if error[worst - first] > tolerance:
            keep[worst] = True
            waiting += [(first, worst), (worst, last)]
    return np.flatnonzero(keep)
