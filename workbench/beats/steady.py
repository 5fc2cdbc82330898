"""Steady tempo: where a constant tempo explains the beats within their jitter, put them exactly on it.

Most catalog music is recorded to a click. A tracked beat is accurate to a frame; the slope of a line through a hundred
of them is accurate to a fraction of a millisecond, and its position to the bias of the onsets. The beats are divided
into stretches of constant tempo by dynamic programming, so that a change of tempo or a ritardando is kept.

How far beats may lie from a line is measured in the piece: beats that are even among their neighbours but leave the
line together drift, and a line through a drift is wrong by more than the beats were. Second differences measure the
jitter alone, for a slow drift has next to none.

Functions: `steady_beats`; `steady_runs` for the stretches alone.
"""

from __future__ import annotations

import numpy as np

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
    lies within 0.6745 deviations.
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
    prices: whatever follows costs both alike. `price` of a line is in s². Each run is its first beat and the one after
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
