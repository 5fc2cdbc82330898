"""A ducking envelope that somebody drew: its points, and what it means for a mix.

A drawn envelope takes the place of the measured one, from the first picture to the last. The rest of the mix stays
measured: both gains, what the soundtrack is, and where somebody speaks. It belongs to the video, so another plan under
the same video keeps it, and it may lower music under which nobody speaks. Without points nothing is ducked. A mix
remembers the points that were measured, so that drawing can be undone.

Points are `(video seconds, positive dB)`, strictly increasing in time, straight in decibels between them, and held
before the first and after the last. They lie on a grid of `ENVELOPE_HZ` steps a second, at least a step
apart.

Functions: `with_drawn`; `measured_points`, `drawn_points`; `read_points`, `depth_at`; `add_point`, `move_point`,
`delete_point`; `on_grid`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from workbench.errors import ParameterError
from workbench.mix.balance import Duck, Mix
from workbench.mix.duck import ENVELOPE_HZ
from workbench.params import DuckParams

Points: TypeAlias = tuple[tuple[float, float], ...]
"""(video seconds, dB to pull the music down) of each"""
DEEPEST_DB = 96.0
"""dB by which a point pulls the music down at most: silence, in 16 bits"""


def with_drawn(mix: Mix, points: Points | None) -> Mix:
    """A mix with an envelope that was drawn; with None as it was measured."""
    measured, duck = measured_points(mix), mix.duck
    if points is None:
        if duck is None or duck.measured_points is None:
            return mix
        if not measured and not mix.voiceover:
            return replace(mix, duck=None)
        return replace(mix, duck=replace(_with_points(duck, measured), measured_points=None))
    if duck is None:
        params = DuckParams()
        duck = Duck((), ENVELOPE_HZ, (), 0.0, params.attack_ms, params.release_ms)
    return replace(mix, duck=replace(_with_points(duck, points), measured_points=measured))


def measured_points(mix: Mix) -> Points:
    """The envelope of a mix as it was measured, whatever was drawn over it."""
    if mix.duck is None:
        return ()
    return mix.duck.envelope_points if mix.duck.measured_points is None else mix.duck.measured_points


def drawn_points(mix: Mix | None) -> Points | None:
    """The envelope of a mix where it was drawn; None for a measured one, or without a mix."""
    if mix is None or mix.duck is None or mix.duck.measured_points is None:
        return None
    return mix.duck.envelope_points


def read_points(given: Any) -> Points | None:
    """Points from plain data, such as a project or a provenance keeps them; None: nothing was drawn.

    Raises `ParameterError` for no pairs of numbers, times that do not increase, or depths outside 0 to `DEEPEST_DB`.
    """
    if given is None:
        return None
    try:
        points = tuple((round(float(at), 6), round(float(depth), 2)) for at, depth in given)
    except (TypeError, ValueError) as error:
        raise ParameterError("a drawn envelope is a list of pairs: video seconds, and dB") from error
    for at, depth in points:
        if not (0.0 <= at < float("inf") and 0.0 <= depth <= DEEPEST_DB):
            raise ParameterError(
                f"a point of an envelope lies at 0 s or later, 0 to {DEEPEST_DB:g} dB: {at} s, {depth} dB"
            )
    for (before, _), (after, _) in pairwise(points):
        if not before < after:
            raise ParameterError(f"points of an envelope must increase strictly in time, got {before} and {after} s")
    return points


def depth_at(points: Points, at: float) -> float:
    """Depth of an envelope at a time, positive dB; 0 for one without points."""
    return float(np.interp(at, *np.array(points).T)) if points else 0.0


def add_point(points: Points, at: float, seconds: float, depth: float | None = None) -> tuple[Points, int]:
    """Put a point into the envelope of a video of `seconds`; returns the points, and the index of that one.

    Where there is a point within a step of the grid, that one is moved to the depth, positive dB. Without a depth the
    point lies on the curve, which stays as it is.
    """
    at = on_grid(min(max(0.0, at), seconds))
    if depth is None:
        depth = depth_at(points, at)
    place = (at, _depth(depth))
    near = [k for k, (time, _) in enumerate(points) if abs(time - at) < 1.0 / ENVELOPE_HZ - 1e-9]
    if near:
        k = near[0]
        return (*points[:k], (points[k][0], place[1]), *points[k + 1 :]), k
    k = sum(time < at for time, _ in points)
    return (*points[:k], place, *points[k:]), k


def move_point(points: Points, index: int, at: float, depth: float, seconds: float) -> Points:
    """Move a point of the envelope of a video of `seconds`; it stays between its neighbours.

    Depths are positive dB; those outside 0 to `DEEPEST_DB` are brought to the nearer end. Raises `ParameterError` where
    there is no such point.
    """
    _check(points, index)
    first = points[index - 1][0] + 1.0 / ENVELOPE_HZ if index else 0.0
    last = points[index + 1][0] - 1.0 / ENVELOPE_HZ if index + 1 < len(points) else seconds
    at = points[index][0] if last < first else on_grid(min(max(first, at), last))
    return (*points[:index], (at, _depth(depth)), *points[index + 1 :])


def delete_point(points: Points, index: int) -> Points:
    """Take a point out of an envelope; the curve goes straight between its neighbours.

    Raises `ParameterError` where there is no such point.
    """
    _check(points, index)
    return (*points[:index], *points[index + 1 :])


def _check(points: Sequence[object], index: int) -> None:
    if not 0 <= index < len(points):
        raise ParameterError(f"the envelope has {len(points)} points, there is none of index {index}")


def _with_points(duck: Duck, points: Points) -> Duck:
    return replace(duck, envelope_points=points, depth_db=max((depth for _, depth in points), default=0.0))


def on_grid(at: float) -> float:
    """The place of the grid on which points lie that is nearest to a time."""
    return round(round(at * ENVELOPE_HZ) / ENVELOPE_HZ, 6)


def _depth(depth: float) -> float:
    return round(min(max(0.0, depth), DEEPEST_DB), 2)
