"""How much moves, and when it moves most.

Speed is estimated from two pictures at once: where luma changes by d at a place whose slope is g, something moved by
about d / g. Summed over the picture before dividing, that is the mean speed of what has structure, whatever its
contrast; it saturates where things move by more than their own size between two pictures. A change of light over the
whole picture is taken out first.

Functions: `speeds`, `still_stretches`, `motion_peaks`.

References
----------
Horn & Schunck, "Determining optical flow", Artificial Intelligence 1981 (the constraint that one picture pair gives).
"""

from __future__ import annotations

import numpy as np

from workbench.params import CutParams
from workbench.recording import FloatArray
from workbench.video.picture import Border, Picture, Stretches

_FIELDS_HIGH = 36
_SMOOTH_SECONDS = 0.2


def speeds(times: FloatArray, changes: FloatArray, borders: tuple[Border, ...]) -> FloatArray:
    """Picture heights a second, shape (n,), float32; 0 in the first picture and where the picture itself changes.

    Parameters
    ----------
    times : shape (n,), video seconds
    changes : shape (n,), fields moved since the picture before
    borders : hard cuts count by their one picture, dissolves, fades and flashes from start to end
    """
    motion = np.zeros(times.size, dtype=np.float32)
    motion[1:] = changes[1:] / _FIELDS_HIGH / np.maximum(np.diff(times), 1e-3)
    for border in borders:
        first, last = np.searchsorted(times, (border.start - 1e-6, border.end + 1e-6))
        motion[first : max(last, first + 1)] = 0.0
    return motion


def still_stretches(
    times: FloatArray, motion: FloatArray, black: Stretches, borders: tuple[Border, ...], end: float, params: CutParams
) -> Stretches:
    """Where nothing moves for `still_seconds` or longer, black and cuts left out."""
    if not times.size:
        return ()
    moves = motion > params.still_speed
    for start, stop in black:
        moves[(times >= start) & (times < stop)] = True
    breaks = np.zeros(times.size, dtype=bool)
    for border in borders:
        first, last = np.searchsorted(times, (border.start - 1e-6, border.end + 1e-6))
        if border.kind == "hard":
            breaks[first : first + 1] = True
        else:
            moves[first:last] = True
    found: list[tuple[float, float]] = []
    begun: float | None = None
    for k in range(times.size):
        if begun is not None and (moves[k] or breaks[k]):
            found.append((begun, float(times[k])))
            begun = None
        if begun is None and not moves[k]:
            begun = float(times[k])
    if begun is not None:
        found.append((begun, end))
    return tuple((start, stop) for start, stop in found if stop - start >= params.still_seconds)


def motion_peaks(
    picture: Picture, least_prominence: float = 0.1, apart_seconds: float = 0.5
) -> tuple[FloatArray, FloatArray]:
    """Instants at which motion peaks within a shot: a leap, a hit, something that passes.

    Parameters
    ----------
    picture : of the clip
    least_prominence : picture heights a second by which a peak stands over the valleys beside it
    apart_seconds : s between peaks; of closer ones the stronger is kept

    Returns
    -------
    times : shape (n_peaks,), video seconds, increasing
    prominence : shape (n_peaks,), picture heights a second
    """
    from scipy.signal import find_peaks

    times = picture.times
    if times.size < 3:
        return np.zeros(0), np.zeros(0)
    step = float(np.median(np.diff(times)))
    grid = np.arange(0.0, times[-1] + step, step)
    width = max(1, round(_SMOOTH_SECONDS / step))
    even = np.convolve(np.interp(grid, times, picture.motion), np.ones(width) / width, mode="same")
    peaks, facts = find_peaks(even, prominence=least_prominence, distance=max(1, round(apart_seconds / step)))
    return grid[peaks], np.asarray(facts["prominences"])
