"""How much moves, and where nothing does.

Speed is estimated from two pictures at once: where luma changes by d at a place whose slope is g, something moved by
about d / g. Summed over the picture before dividing, that is the mean speed of everything with structure, whatever its
contrast; it saturates where things move by more than their own size between two pictures. A change of light over the
whole picture is subtracted first.

References
----------
Horn & Schunck, "Determining optical flow", Artificial Intelligence 1981 (the constraint that one picture pair gives).
"""

from __future__ import annotations

import numpy as np

from workbench.recording import FloatArray
from workbench.video.picture import Border, Stretches

_FIELDS_HIGH = 36
"""fields in the height of a small picture"""
_STILL_SPEED = 0.004
"""picture heights a second under which nothing moves"""
STILL_SECONDS = 1.0
"""s; shorter rests are not reported"""


def speeds(times: FloatArray, changes: FloatArray, borders: tuple[Border, ...]) -> FloatArray:
    """Speed of what moves, picture heights a second, from `changes`, the fields moved since the picture before.

    It is 0 in the first picture and at borders: at the one picture of a hard cut, from start to end of the others.
    """
    motion = np.zeros(times.size, dtype=np.float32)
    motion[1:] = changes[1:] / _FIELDS_HIGH / np.maximum(np.diff(times), 1e-3)
    for border in borders:
        first, last = np.searchsorted(times, (border.start - 1e-6, border.end + 1e-6))
        motion[first : max(last, first + 1)] = 0.0
    return motion


def still_stretches(
    times: FloatArray, motion: FloatArray, black: Stretches, borders: tuple[Border, ...], end: float
) -> Stretches:
    """Where nothing moves for `STILL_SECONDS` or longer, sorted and disjoint, black pictures left out.

    Motion is in picture heights a second. A cut ends a stretch; fades, dissolves and flashes count as motion.
    """
    if not times.size:
        return ()
    moves = motion > _STILL_SPEED
    for start, stop in black:
        moves[(times >= start) & (times < stop)] = True
    breaks = np.zeros(times.size, dtype=bool)
    for border in borders:
        first, last = np.searchsorted(times, (border.start - 1e-6, border.end + 1e-6))
        if border.kind == "hard":
            breaks[first : first + 1] = True
        else:
            moves[first:last] = True
    # a cut between two still shots ends one stretch and begins the next with the same picture
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
    return tuple((start, stop) for start, stop in found if stop - start >= STILL_SECONDS)
