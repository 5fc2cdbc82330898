"""What readers of edit lists share: shots in a row with transitions over their joints, exact rates, plain speeds.

A transition is a cut at its middle. Editors put the joint of two shots anywhere within the transition; it is moved to
the middle, where the shot before goes on for longer and the one after begins later in its source, or the other way
round.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple

from workbench.edits.edit_list import EditList
from workbench.errors import EditError

_NTSC_SHARE = Fraction(1000, 1001)
_LOWEST_RATE = 0.001  # a picture in 17 min; below it, the nearest fraction may be 0
_NTSC_RATES = (24, 30, 48, 60, 120)
# Frames a second of videos; two of them lie 1e-3 apart or more
USUAL_RATES = (
    *(Fraction(rate) for rate in (10, 12, 12.5, 15, 20, 24, 25, 30, 48, 50, 60, 100, 120)),
    *(whole * _NTSC_SHARE for whole in (24, 30, 60, 120)),
)
_SAME_RATE = 2.5e-4  # relative; 23.98 is 24000/1001, which is 1e-3 away from 24
_PARTS_OF_FRAME = 1000  # finest part of a frame that a time stamp written as a decimal number is read to


class Shot(NamedTuple):
    """A stretch of one media, before it has its place; fields as of `workbench.edits.edit_list.Clip`."""

    media: str | None
    source_start: Fraction
    seconds: Fraction
    speed: Fraction
    # s of record time from its joint with the shot before to the middle of the transition into it
    moved_by: Fraction = Fraction(0)

    @classmethod
    def gap(cls, seconds: Fraction) -> Shot:
        """Nothing, for a time."""
        return cls(None, Fraction(0), seconds, Fraction(1))

    def without(self, head: Fraction, tail: Fraction) -> Shot:
        """The shot with seconds of record time taken off its ends, or added where they are negative."""
        start = self.source_start if self.media is None else self.source_start + head * self.speed
        return self._replace(source_start=start, seconds=self.seconds - head - tail)


def lay_shots(shots: Sequence[Shot], frame_rate: Fraction) -> EditList:
    """Lay shots one after the other, with cuts at the middle of transitions; raises `EditError` where none lasts."""
    laid = cut_at_middles(shots)
    if not laid:
        raise EditError("no shot on the first video track")
    return EditList.laid((shot[:4] for shot in laid), frame_rate)


def cut_at_middles(shots: Sequence[Shot]) -> list[Shot]:
    """Move the joints of shots to the middle of the transitions over them; shots without length are left out."""
    laid: list[Shot] = []
    for shot in shots:
        if shot.seconds <= 0:
            continue
        by = shot.moved_by
        shot = shot._replace(moved_by=Fraction(0))
        if by and laid:
            # No further than either shot lasts: a transition of a broken list may be longer than its shots.
            by = max(-laid[-1].seconds, min(shot.seconds, by))
            laid[-1] = laid[-1].without(Fraction(0), -by)
            shot = shot.without(by, Fraction(0))
        laid.append(shot)
    return [shot for shot in laid if shot.seconds > 0]


def part_of(shots: Sequence[Shot], start: Fraction, seconds: Fraction, speed: Fraction = Fraction(1)) -> list[Shot]:
    """Cut a part out of a row of shots, as a nested sequence is shown in part and maybe at another speed.

    The shots begin at 0 and those that come out last `seconds` together; before 0 and past the end nothing is shown.
    Speed is seconds of the row a second of the part; backwards it begins at `start` and goes down.
    """
    # A freeze frame shows the picture at `start`: a very short part there finds its media.
    if speed == 0:
        (still,) = part_of(shots, start, Fraction(1, 1_000_000))[:1]
        return [still._replace(seconds=seconds, speed=Fraction(0))] if still.media is not None else [Shot.gap(seconds)]
    low, high = sorted((start, start + seconds * speed))
    found: list[Shot] = []
    reached = Fraction(0)
    if low < 0:
        found.append(Shot.gap(min(high, Fraction(0)) - low))
    for shot in cut_at_middles(shots):
        first, last = max(low, reached), min(high, reached + shot.seconds)
        if last > first:
            found.append(shot.without(first - reached, reached + shot.seconds - last))
        reached += shot.seconds
    if high > reached:
        found.append(Shot.gap(high - max(low, reached)))
    if speed == 1:
        return found
    return [_at_speed(shot, speed) for shot in (found if speed > 0 else found[::-1])]


def _at_speed(shot: Shot, speed: Fraction) -> Shot:
    if shot.media is None:
        return Shot.gap(shot.seconds / abs(speed))
    start = shot.source_start if speed > 0 else shot.source_start + shot.seconds * shot.speed
    return Shot(shot.media, start, shot.seconds / abs(speed), shot.speed * speed)


def exact_rate(rate: float) -> Fraction:
    """The frame rate that a decimal number means: 29.97 is 30000/1001; raises `EditError` where it stands for none."""
    if not _LOWEST_RATE <= rate < float("inf"):
        raise EditError(f"a rate must be positive, got {rate}")
    if rate == round(rate):
        return Fraction(round(rate))
    for whole in _NTSC_RATES:
        if abs(rate - whole * _NTSC_SHARE) < _SAME_RATE * whole:
            return whole * _NTSC_SHARE
    return Fraction(rate).limit_denominator(1001)


def find_usual_rate(mean: float, tolerance: float) -> Fraction | None:
    """The usual frame rate that the mean of a whole video stands for; None if none is near, by a relative tolerance."""
    return next((rate for rate in USUAL_RATES if abs(mean / rate - 1.0) < tolerance), None)


def exact_number(value: float) -> Fraction:
    """A count of frames written as a decimal number, to a thousandth; raises `EditError` where it is not finite."""
    if not abs(value) < float("inf"):
        raise EditError(f"a time must be finite, got {value}")
    return Fraction(value).limit_denominator(_PARTS_OF_FRAME)


def plain_speed(speed: Fraction, tolerance: Fraction) -> Fraction:
    """The fraction with the smallest denominator within a tolerance, half a step of the rounding: 133.3 % is 4/3."""
    denominator = 1
    while True:
        for numerator in (floor(speed * denominator), floor(speed * denominator) + 1):
            if abs(Fraction(numerator, denominator) - speed) <= tolerance:
                return Fraction(numerator, denominator)
        denominator += 1
