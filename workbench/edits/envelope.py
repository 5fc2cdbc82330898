"""A drawn ducking envelope after an edit of its video: what becomes of its points.

Under untouched picture the curve is the same, wherever that picture is now, so its points move with it. Points under
picture that is gone go with it; picture that now stands at another place counts as gone and new. New picture has no
drawn level: it holds the level that the picture before it ended with, and glides to that of the picture after it in the
time in which ducking goes down. Where there is no new picture to glide in, the glide takes the first or the last
moments of the side with the louder music, so that a voice keeps all the room that was made for it.

Class: `FollowedEnvelope`. Function: `follow_edit`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from workbench.edits.difference import EditDifference, KeptSpan
from workbench.mix.drawn import Points, depth_at, on_grid
from workbench.params import DuckParams

GLIDE_SECONDS = DuckParams().attack_ms / 1000.0
_SAME_DB = 0.006  # dB: levels are stored in hundredths


@dataclass(frozen=True, slots=True)
class FollowedEnvelope:
    """An envelope on the new cut, and what became of the old one's points."""

    points: Points | None  # None where no picture of the old cut is left: then nothing is drawn
    moved: int  # points of the old cut that are still there
    dropped: int  # those that went with their picture, or gave way to a glide
    held_seconds: float  # s of new picture, under which a level is held


class _Point(NamedTuple):
    at: float  # s of the new cut
    depth: float
    number: int  # which of the drawn points it is; -1: it is put where picture begins or ends


def follow_edit(points: Points, difference: EditDifference) -> FollowedEnvelope:
    """Move an envelope of the old cut, as in `workbench.mix.drawn`, to the new cut of its video.

    The points that come out lie on the grid of drawn ones. Without points nothing is ducked in either cut.
    """
    held = max(0.0, difference.new_seconds - difference.kept_seconds)
    if not points:
        return FollowedEnvelope((), 0, 0, held)
    if not difference.kept:
        return FollowedEnvelope(None, 0, len(points), held)
    sides = [_moved(points, span) for span in difference.kept]
    for number, (before, after) in enumerate(pairwise(difference.kept)):
        _join(sides, number, before, after)
    placed = _without_idle(_on_grid([point for side in sides for point in side]))
    moved = len({point.number for point in placed if point.number >= 0})
    return FollowedEnvelope(
        tuple((point.at, point.depth) for point in placed), moved, len(points) - moved, round(held, 6)
    )


def _moved(points: Points, span: KeptSpan) -> list[_Point]:
    """The curve under a span of untouched picture, with a point where it begins and one where it ends."""
    inside = [
        _Point(at + span.shift, depth, number)
        for number, (at, depth) in enumerate(points)
        if span.old_start <= at <= span.old_end
    ]
    first, last = depth_at(points, span.old_start), depth_at(points, span.old_end)
    return [_Point(span.new_start, first, -1), *inside, _Point(span.new_end, last, -1)]


def _join(sides: list[list[_Point]], number: int, before: KeptSpan, after: KeptSpan) -> None:
    """Put a glide between two spans whose curves meet at other levels."""
    left, right = sides[number], sides[number + 1]
    here, there = left[-1], right[0]
    room = GLIDE_SECONDS - (there.at - here.at)
    if abs(here.depth - there.depth) < _SAME_DB:
        return
    if room <= 0.0:
        left.append(_Point(there.at - GLIDE_SECONDS, here.depth, -1))
    elif there.depth > here.depth:
        # The deeper side keeps all of its curve: the glide into it takes time of the louder side, half of that at most,
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
