"""A ducking envelope drawn by hand: its points, and its effect on a mix.

A drawn envelope takes the place of the measured one, from the first picture to the last. The rest of the mix stays
measured: both gains, the kind of soundtrack, and the ranges of speech. It belongs to the video, so another plan under
the same video has it too, and it may lower music without speech. Without points nothing is ducked. A mix
remembers the points that were measured, so that drawing can be undone.

Points are `(video seconds, positive dB)`, strictly increasing in time, straight in decibels between them, and held
before the first and after the last. They lie on a grid of `ENVELOPE_HZ` steps a second, at least a step
apart.

After an edit of the video (`follow_edit`), points under untouched picture move with it, and points under deleted
picture go; picture that now stands elsewhere counts as deleted and new. New picture holds the level that the picture
before it ends with and glides to that of the picture after it, in the time in which ducking goes down. Without new
picture to glide in, the glide takes the first or last moments of the side with the louder music, so that a voice has
all the room that was made for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from workbench.edits.difference import EditDifference, SharedSpan
from workbench.errors import ParameterError
from workbench.mix.balance import Duck, Mix
from workbench.mix.ducking import ENVELOPE_HZ
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
    """The envelope of a mix as it was measured, without the drawn one."""
    if mix.duck is None:
        return ()
    return mix.duck.envelope_points if mix.duck.measured_points is None else mix.duck.measured_points


def drawn_points(mix: Mix | None) -> Points | None:
    """The envelope of a mix where it was drawn; None for a measured one, or without a mix."""
    if mix is None or mix.duck is None or mix.duck.measured_points is None:
        return None
    return mix.duck.envelope_points


def read_points(given: Any) -> Points | None:
    """Points from plain data, as a project or a provenance stores them; None: nothing was drawn.

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
    point is on the curve, which stays as it is.
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


GLIDE_SECONDS = DuckParams().attack_ms / 1000.0
_SAME_DB = 0.006  # dB: levels are stored in hundredths


@dataclass(frozen=True, slots=True)
class FollowedEnvelope:
    """An envelope on the new cut, and what became of the old one's points."""

    points: Points | None  # None if no picture of the old cut is left
    moved: int  # points of the old cut that are still there
    dropped: int  # those that went with their picture, or gave way to a glide
    held_seconds: float  # s of new picture, under which a level is held


class _Point(NamedTuple):
    at: float  # s of the new cut
    depth: float
    number: int  # which of the drawn points it is; -1: it is put where picture begins or ends


def follow_edit(points: Points, difference: EditDifference) -> FollowedEnvelope:
    """Move an envelope of the old cut, as in `workbench.mix.drawn_envelope`, to the new cut of its video.

    The points that come out lie on the grid of drawn ones. Without points nothing is ducked in either cut.
    """
    held = max(0.0, difference.new_seconds - difference.shared_seconds)
    if not points:
        return FollowedEnvelope((), 0, 0, held)
    if not difference.shared:
        return FollowedEnvelope(None, 0, len(points), held)
    sides = [_moved(points, span) for span in difference.shared]
    for number, (before, after) in enumerate(pairwise(difference.shared)):
        _join(sides, number, before, after)
    placed = _without_idle(_on_grid([point for side in sides for point in side]))
    moved = len({point.number for point in placed if point.number >= 0})
    return FollowedEnvelope(
        tuple((point.at, point.depth) for point in placed), moved, len(points) - moved, round(held, 6)
    )


def _moved(points: Points, span: SharedSpan) -> list[_Point]:
    """The curve under a span of untouched picture, with a point where it begins and one where it ends."""
    inside = [
        _Point(at + span.shift, depth, number)
        for number, (at, depth) in enumerate(points)
        if span.old_start <= at <= span.old_end
    ]
    first, last = depth_at(points, span.old_start), depth_at(points, span.old_end)
    return [_Point(span.new_start, first, -1), *inside, _Point(span.new_end, last, -1)]


def _join(sides: list[list[_Point]], number: int, before: SharedSpan, after: SharedSpan) -> None:
    """Put a glide between two spans whose curves meet at other levels."""
    left, right = sides[number], sides[number + 1]
    here, there = left[-1], right[0]
    room = GLIDE_SECONDS - (there.at - here.at)
    if abs(here.depth - there.depth) < _SAME_DB:
        return
    if room <= 0.0:
        left.append(_Point(there.at - GLIDE_SECONDS, here.depth, -1))
    elif there.depth > here.depth:
        # The deeper side plays all of its curve: the glide into it takes time of the louder side, half of that at most,
        # so that two glides of one span do not meet.
        start = _on_curve(left, max(here.at - room, here.at - before.seconds / 2))
        sides[number] = [*(p for p in left if p.at < start.at), start, *_deeper(left, start, there)]
    else:
        end = _on_curve(right, min(there.at + room, there.at + after.seconds / 2))
        sides[number + 1] = [*_deeper(right, here, end), end, *(p for p in right if p.at > end.at)]


def _on_curve(side: list[_Point], at: float) -> _Point:
    return _Point(at, depth_at(tuple((p.at, p.depth) for p in side), at), -1)


def _deeper(side: list[_Point], start: _Point, end: _Point) -> list[_Point]:
    """Points of a curve that a glide would make louder."""
    glide = ((start.at, start.depth), (end.at, end.depth))
    return [p for p in side if start.at < p.at < end.at and p.depth > depth_at(glide, p.at) + _SAME_DB]


def _on_grid(placed: list[_Point]) -> list[_Point]:
    """Points on the grid, one a step: one that was drawn, else the deepest."""
    found: dict[float, _Point] = {}
    for point in placed:
        one = point._replace(at=on_grid(point.at), depth=round(point.depth, 2))
        other = found.get(one.at)
        if other is None or (one.number >= 0, one.depth) > (other.number >= 0, other.depth):
            found[one.at] = one
    return [found[at] for at in sorted(found)]


def _without_idle(placed: list[_Point]) -> list[_Point]:
    """The points without added ones that the curve runs through anyway."""
    found: list[_Point] = []
    for number, point in enumerate(placed):
        beside = [*found[-1:], *placed[number + 1 : number + 2]]
        level = depth_at(tuple((p.at, p.depth) for p in beside), point.at)
        if point.number >= 0 or abs(level - point.depth) >= _SAME_DB:
            found.append(point)
    return found
