"""Compiled inner loops of align. Compiled when they are first called, and cached on disk."""

from __future__ import annotations

import numpy as np

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray

WIDTHS = 3.0
"""standard deviations of the wider curve at which a pair no longer counts"""


def odds_at(gap: FloatArray, odds: FloatArray, deviation_s: FloatArray) -> FloatArray:
    """Odds of pairs whose times differ by `gap` s: they fall off as a normal curve from `odds` at 0."""
    return odds * np.exp(-0.5 * (gap / deviation_s) ** 2)


_odds_at = kernel()(odds_at)


@kernel()
def _add_curve(to: FloatArray, first: int, last: int, middle: float, height: float, deviation: float) -> None:
    """Add a normal curve to the numbers from `first` to `last`; middle and deviation are in their steps.

    From one step to the next the curve changes by a factor, and that by another, so that no exponential is needed.
    """
    # outwards from the middle: values only shrink, so rounding errors of the products shrink with them
    nearest = min(max(round(middle), first), last)
    bends = np.exp(-1.0 / deviation**2)
    for way in (1, -1):
        at = nearest if way > 0 else nearest - 1
        gap = way * (at - middle)
        value = height * np.exp(-0.5 * (gap / deviation) ** 2)
        change = np.exp(-(gap + 0.5) / deviation**2)
        while first <= at <= last:
            to[at] += value
            value *= change
            change *= bends
            at += way


@kernel()
def add_evidence(
    track_s: FloatArray,
    video_s: FloatArray,
    near: FloatArray,
    near_s: FloatArray,
    far: FloatArray,
    far_s: FloatArray,
    first_s: float,
    step_s: float,
    out: FloatArray,
    moments: FloatArray,
) -> None:
    """Add what every event says for every offset: log(1 + odds that it was put on one of the landmarks there).

    The odds of a pair fall off with its gap as the sum of two normal curves. They are added up over the landmarks of an
    event before the logarithm is taken, so that an event meets landmarks once.

    Pairs have shape (n_events, n_landmarks); one whose odds are 0 is left out, and `far_s` is the wider of its standard
    deviations. `out` holds offsets `first_s + k * step_s` and is added to. `moments` of shape (2, n_events) gets the
    sums over all offsets of what each event says, and of its squares.
    """
    # One row of odds serves all events: a first pass over an event's landmarks adds up, a second over the same places
    # takes the logarithm and leaves zeros. A table of all events and offsets would hold gigabytes for an hour.
    n = out.size
    odds = np.zeros(n)
    for j in range(video_s.size):
        for counting in (True, False):
            for i in range(track_s.size):
                if near[j, i] + far[j, i] <= 0.0:
                    continue
                centre = (video_s[j] - track_s[i] - first_s) / step_s
                width = WIDTHS * far_s[j, i] / step_s
                first, last = max(0, int(np.ceil(centre - width))), min(n - 1, int(centre + width))
                if counting:
                    _add_curve(odds, first, last, centre, near[j, i], near_s[j, i] / step_s)
                    _add_curve(odds, first, last, centre, far[j, i], far_s[j, i] / step_s)
                    continue
                for k in range(first, last + 1):
                    if odds[k] > 0.0:
                        said = np.log1p(odds[k])
                        odds[k] = 0.0
                        out[k] += said
                        moments[0, j] += said
                        moments[1, j] += said * said


@kernel()
def shift_to_peak(
    together_at: FloatArray,
    event: IntArray,
    near: FloatArray,
    near_s: FloatArray,
    far: FloatArray,
    far_s: FloatArray,
    n_events: int,
    widest_s: float,
    offset_s: float,
    max_shifts: int,
) -> float:
    """The maximum of the evidence near an offset, by mean shift (Comaniciu & Meer 2002).

    Arrays have shape (n_pairs,): `together_at` is the offset at which an event and a landmark coincide, ascending, and
    beyond `widest_s` of it a pair counts no more.
    """
    odds = np.zeros(n_events)
    for _ in range(max_shifts):
        first, last = (
            np.searchsorted(together_at, offset_s - widest_s),
            np.searchsorted(together_at, offset_s + widest_s),
        )
        for k in range(first, last):
            gap = together_at[k] - offset_s
            if abs(gap) <= WIDTHS * far_s[k]:
                odds[event[k]] += _odds_at(gap, near[k], near_s[k])
                odds[event[k]] += _odds_at(gap, far[k], far_s[k])
        # The gradient of the evidence is 0 where the offset is the weighted mean of those at which pairs coincide. A
        # pair weighs by its odds over its variance, and less the surer its event already is of a landmark.
        pull, moved = 0.0, 0.0
        for k in range(first, last):
            gap = together_at[k] - offset_s
            if abs(gap) <= WIDTHS * far_s[k]:
                by_near = _odds_at(gap, near[k], near_s[k]) / near_s[k] ** 2
                by_far = _odds_at(gap, far[k], far_s[k]) / far_s[k] ** 2
                weight = (by_near + by_far) / (1.0 + odds[event[k]])
                pull += weight
                moved += weight * gap
        for k in range(first, last):
            odds[event[k]] = 0.0
        if pull <= 0.0:
            break
        offset_s += moved / pull
        if abs(moved / pull) < 5e-7:
            break
    return offset_s
