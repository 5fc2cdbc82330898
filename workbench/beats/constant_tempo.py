"""Straight grids: beats at a constant tempo in one phase, or at a few tempi one after the other.

The most probable beats of a passage with strummed off-beats or without drums may lie half a beat late. A decoded path
then changes over and back, in a leap or by hurrying for some beats, which costs little beside the evidence of the
passage, and every reading of that path inherits the slip. So the constant tempi of the path are measured, and the grids
that they imply are proposed beside it. A slip changes the phase and not the tempo, so it is no border between tempi. If
the path has one tempo, one line through the whole piece is proposed. If it has several, a line for each is, with the
path between them; one through the whole piece would explain the longest part alone. Which grid is right is decided in
`beats.meter`, like all else.

Steady tempo: most catalog music is recorded to a click. A tracked beat is accurate to a frame; the slope of a line
through a hundred of them is accurate to a fraction of a millisecond, and its position to the bias of the onsets.
`steady_beats` divides the beats into stretches of constant tempo by dynamic programming, so that a change of tempo or a
ritardando stays. How far beats may lie from a line is measured in the piece: beats that are even among their neighbours
but leave the line together drift, and a line through a drift is wrong by more than the beats were. Second differences
measure the jitter alone, for a slow drift has next to none.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from workbench.beats.evidence import Odds
from workbench.recording import FloatArray

_SHARPEST = 0.003
"""s, least jitter assumed; onsets of two instruments differ by as much without a change of tempo"""
JITTER_SECONDS = 0.012
"""s of unevenness of beats that still count as jitter about a straight line; no change of tempo"""
MIN_STEADY_BEATS = 8
"""fewest beats that make a steady stretch; two bars"""
STRETCH_COST = 120.0
"""squared jitters that a new stretch of tempo must save, or a line would begin at every syncopation"""


def steady_beats(times: FloatArray, trust: FloatArray) -> FloatArray:
    """Move beats onto straight lines where lines explain them; beats outside steady stretches keep their place.

    `trust`, 0 or more, says how clearly a sound marks each beat.
    """
    n = times.size
    if n < MIN_STEADY_BEATS:
        return times.copy()
    fitted = times.copy()
    jitter = min(max(_jitter(times), _SHARPEST), JITTER_SECONDS)
    for first, last in steady_runs(times, trust, STRETCH_COST * jitter**2):
        if last - first < MIN_STEADY_BEATS:
            continue
        line, spread = _robust_line(times[first:last], trust[first:last])
        if spread <= jitter:
            fitted[first:last] = line
    # two lines that meet badly may put beats on top of each other; beats as tracked are better than that
    if np.any(np.diff(fitted) <= 0.1 * float(np.median(np.diff(times)))):
        return times.copy()
    return fitted


def _jitter(times: FloatArray) -> float:
    """Standard deviation of single beats about a smooth tempo, s, from the median second difference.

    Independent errors of deviation s make second differences of deviation sqrt(6) s; half of a normal distribution
    is within 0.6745 deviations.
    """
    return float(np.median(np.abs(np.diff(times, 2))) / (0.6745 * np.sqrt(6.0)))


def _robust_line(times: FloatArray, trust: FloatArray) -> tuple[FloatArray, float]:
    """Robust line through the beats, and their median distance from it in s."""
    k = np.arange(times.size, dtype=np.float64)
    weight = trust + 1e-3
    line = times
    # iteratively reweighted least squares: a beat beyond two median distances counts with the square less, as a single
    # syncopation would otherwise turn the whole line; polyfit squares its weights
    for _ in range(8):
        slope, start = np.polyfit(k, times, 1, w=np.sqrt(weight))
        line = start + slope * k
        distance = np.abs(times - line)
        scale = max(float(np.median(distance)), 0.001)
        weight = (trust + 1e-3) * np.where(distance < 2 * scale, 1.0, np.square(2 * scale / np.maximum(distance, 1e-9)))
    return line, float(np.median(np.abs(times - line)))


def steady_runs(times: FloatArray, trust: FloatArray, price: float) -> list[tuple[int, int]]:
    """Runs of beats that lie on one line each: least squares, each line at a cost, by dynamic programming.

    A run cannot begin where the lines up to here, without its price, already cost more than the best ones do with all
    prices: the rest costs both alike. `price` of a line is in s². Each run is its first beat and the one after
    its last; every beat is in a run.

    References
    ----------
    Killick, Fearnhead & Eckley, "Optimal detection of changepoints with a linear computational cost", JASA 107, 2012:
    which beginnings of a run can be left out for good.
    """
    n = times.size
    weight = np.minimum(trust, 1.0) + 0.05
    k = np.arange(n, dtype=np.float64)
    # off the line from end to end: sums of squares of times of an hour would lose the milliseconds in rounding
    t = times - times[0] - k * (times[-1] - times[0]) / (n - 1)
    sums = [np.concatenate(([0.0], np.cumsum(weight * value))) for value in (np.ones(n), k, t, k * k, k * t, t * t)]
    best = np.zeros(n + 1)
    origin = np.zeros(n + 1, dtype=np.int64)
    starts = np.zeros(0, dtype=np.int64)
    for end in range(1, n + 1):
        starts = np.append(starts, end - 1)
        w, sk, st, skk, skt, stt = (total[end] - total[starts] for total in sums)
        spread_k = np.maximum(skk - sk * sk / w, 1e-12)
        joint = skt - sk * st / w
        error = np.maximum(stt - st * st / w - joint * joint / spread_k, 0.0)
        so_far = best[starts] + error
        lowest = int(np.argmin(so_far))
        origin[end], best[end] = starts[lowest], so_far[lowest] + price
        starts = starts[so_far <= best[end] + price]  # a price more than it takes, because sums are rounded
    runs: list[tuple[int, int]] = []
    end = n
    while end > 0:
        runs.append((int(origin[end]), end))
        end = int(origin[end])
    return runs[::-1]


_SLIP = 1 / 3
"""part of a beat from which a change of phase is a slip; most are half of one"""
_LINE, _BETWEEN = 12, 8
"""beats on a line before and after a slip, and most beats between the two"""
_ON_LINE_SECONDS = 0.012
"""s, root mean square distance of beats from their line; the network's frames alone make half of it"""
_NEAR = 0.015
"""part of the tempo within which two tempi are one"""
_ONE_TEMPO = 0.8
"""share of the steady parts of a path that makes its tempo that of the piece"""
_TEMPO_DOUBT = 0.006
"""part of a tempo within which the best one is searched; a line of 8 beats is known so well"""
_PHASES = 48
"""phases of a beat that are compared"""


def straight_grid(times: FloatArray, odds: Odds) -> FloatArray | None:
    """One line through the whole piece at the tempo of a decoded path, in the phase with the best odds.

    None where less than four fifths of what is steady is in one tempo, its half or its double.
    """
    parts = _parts(times)
    if not parts:
        return None
    beat = max(parts, key=lambda part: part[1] - part[0])[2]
    octaves = np.log2([part[2] / beat for part in parts])
    length = np.array([part[1] - part[0] for part in parts])
    if length[np.abs(octaves - np.round(octaves)) <= _NEAR].sum() < _ONE_TEMPO * length.sum():
        return None
    return _line(beat, 0.0, odds.beat.size / odds.network.frames_per_second, odds)


def joined_grid(times: FloatArray, odds: Odds) -> FloatArray | None:
    """A line for each tempo of a decoded path, and the path's own beats between them; None for one tempo, or none."""
    parts = _parts(times)
    return _joined(times, parts, odds) if len(parts) > 1 else None


def slips_of(times: FloatArray) -> int:
    """How often a sequence leaves a straight line and goes on along another one of the same tempo, half a beat off.

    A slip is a dozen beats on a line, to 12 ms, followed within eight by a dozen on another line of the tempo, a third
    of a beat or more off the beat; neither a change of tempo nor a bend is one.
    """
    if times.size < 2 * _LINE + _BETWEEN:
        return 0
    # a least-squares line through every window of a dozen beats at once: with centred counts, slope and mean separate
    windows = np.lib.stride_tricks.sliding_window_view(times, _LINE)
    count = np.arange(_LINE) - 0.5 * (_LINE - 1)
    middle, beat = windows.mean(axis=1), windows @ (count / np.sum(count * count))
    spread = np.sqrt(np.mean(np.square(windows - middle[:, None] - beat[:, None] * count), axis=1))
    lines = spread <= _ON_LINE_SECONDS
    apart = _LINE + _BETWEEN
    usual = 0.5 * (beat[:-apart] + beat[apart:])
    off = (middle[apart:] - middle[:-apart]) / usual
    slipped = lines[:-apart] & lines[apart:] & (np.abs(beat[apart:] - beat[:-apart]) <= _NEAR * usual)
    slipped &= np.abs(off - np.round(off)) >= _SLIP
    # one slip is seen from several windows in a row: only where a run of them begins is it counted
    return int(np.count_nonzero(np.diff(slipped.astype(np.int8), prepend=0) == 1))


def _parts(times: FloatArray) -> list[tuple[float, float, float]]:
    """Parts of a constant tempo: start and end in s, and the beat in s; half a beat's slip does not divide a part."""
    if times.size < MIN_STEADY_BEATS:
        return []
    parts: list[tuple[float, float, float]] = []
    for first, last in steady_runs(times, np.ones(times.size), STRETCH_COST * JITTER_SECONDS**2):
        if last - first < MIN_STEADY_BEATS:
            continue
        count = np.arange(last - first)
        beat, start = (float(value) for value in np.polyfit(count, times[first:last], 1))
        if np.median(np.abs(times[first:last] - start - beat * count)) > JITTER_SECONDS:
            continue
        if parts and abs(beat / parts[-1][2] - 1.0) <= _NEAR:
            # the same tempo goes on, perhaps half a beat off: one part, whose tempo is the mean by length
            begin, end, known = parts[-1]
            weight = (end - begin) / (times[last - 1] - times[first] + end - begin)
            parts[-1] = (begin, float(times[last - 1]), float(weight * known + (1.0 - weight) * beat))
        else:
            parts.append((float(times[first]), float(times[last - 1]), beat))
    return parts


def _line(beat: float, begin: float, end: float, odds: Odds) -> FloatArray:
    """Beats at a constant tempo between two times, in the tempo and the phase with the best odds."""
    rate = odds.network.frames_per_second
    inside = odds.peaks[(odds.peaks >= begin) & (odds.peaks <= end)]
    if inside.size >= 4:
        # twice a beat, for peaks half a beat off must not cancel the others
        doubt = np.linspace(
            -_TEMPO_DOUBT, _TEMPO_DOUBT, 2 * max(4, round(2.0 * _TEMPO_DOUBT * (end - begin) / beat)) + 1
        )
        turns = np.exp((2j * np.pi / beat) * np.outer(1.0 / (1.0 + doubt), inside - begin))
        agree = np.abs(turns.sum(axis=1)) + np.abs(np.square(turns).sum(axis=1))
        beat = float(beat * (1.0 + doubt[int(np.argmax(agree))]))
    # the phase by the odds themselves, and not by the angle of the peaks, which cannot tell a beat from its off-beat
    count = max(int((end - begin) / beat), 1)
    starts = begin + beat * np.arange(_PHASES) / _PHASES
    at = starts[:, None] + beat * np.arange(count)
    worth = odds.beat[np.round(at * rate).astype(np.int64).clip(0, odds.beat.size - 1)].mean(axis=1)
    # the middle of the phases that are nearly as good, for the odds are widened
    near = np.roll(worth, _PHASES // 2 - int(np.argmax(worth)))
    good = np.flatnonzero(near >= near.max() - 1e-3 - 0.02 * np.ptp(near))
    shift = float(good[np.abs(good - _PHASES // 2) <= 4].mean()) - _PHASES // 2
    start = starts[int(np.argmax(worth))] + beat * shift / _PHASES
    start = begin + (start - begin) % beat
    line: FloatArray = start + beat * np.arange(int(np.floor((end - start) / beat + 1e-9)) + 1)
    return line


def _joined(times: FloatArray, parts: list[tuple[float, float, float]], odds: Odds) -> FloatArray:
    """A line for each part, and the path's own beats before, between and after them."""
    pieces = [times[times < parts[0][0]]]
    for part, following in pairwise([*parts, None]):
        assert part is not None
        pieces.append(_line(part[2], part[0], part[1] + 0.25 * part[2], odds))
        until = following[0] if following is not None else np.inf
        pieces.append(times[(times > part[1]) & (times < until)])
    merged: list[float] = []
    for piece in pieces:
        for time in piece.tolist():
            # where a line and the path both have a beat, the one that comes first stays
            if len(merged) < 2 or time - merged[-1] > 0.6 * (merged[-1] - merged[-2]):
                merged.append(time)
    return np.array(merged)
