"""Edits with a known answer: a cut of a video, what an editor does to it, and which seconds that leaves alone.

A cut has 12 to 60 clips of 3 to 8 media, some of them used several times, some gaps, at a usual frame rate. One to
three things are done to it, each to clips of its own: an insert between clips or within one, a trim of a head or tail
to either side, a deletion, a swap of two clips anywhere, a change of speed. Everything is drawn from a seed and counted
in whole frames.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from workbench.edits.edit_list import EditList

KINDS = ("insert", "trim", "delete", "swap", "speed")
RATES = (Fraction(24_000, 1001), Fraction(24), Fraction(25), Fraction(30_000, 1001), Fraction(50))
_SPEEDS = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), Fraction(2), Fraction(-1))


class Untouched(NamedTuple):
    """Frames that no edit touched."""

    old_start: int
    new_start: int
    frames: int


@dataclass(frozen=True)
class ReEdit:
    """Two cuts, what was done between them, and what was left alone."""

    old: EditList
    new: EditList
    kinds: tuple[str, ...]
    untouched: tuple[Untouched, ...]


@dataclass(frozen=True)
class _Take:
    """A clip in whole frames."""

    media: str | None
    source: int
    frames: int
    speed: Fraction = Fraction(1)
    at: int | None = None
    """first frame in the old cut; None where an edit touched it"""
    free: bool = True
    """whether an edit may still choose it"""


def re_edit(seed: int) -> ReEdit:
    """Draw a cut and edit it; the first kind of edit goes round with the seed."""
    dice = np.random.default_rng([seed, 17])
    rate = RATES[int(dice.integers(len(RATES)))]
    takes = _cut(dice, rate)
    old = _laid(takes, rate)
    kinds = [KINDS[seed % len(KINDS)], *dice.choice(KINDS, int(dice.integers(0, 3)))]
    for number, kind in enumerate(kinds):
        takes = _EDITS[kind](takes, dice, rate, f"new {number}")
    untouched, reached = [], 0
    for take in takes:
        if take.at is not None:
            untouched.append(Untouched(take.at, reached, take.frames))
        reached += take.frames
    return ReEdit(old, _laid(takes, rate), tuple(str(kind) for kind in kinds), tuple(untouched))


def _laid(takes: list[_Take], rate: Fraction) -> EditList:
    """The edit; takes that go on in their source are one clip, as an editor's trim leaves it."""
    pieces: list[tuple[str | None, Fraction, Fraction, Fraction]] = []
    for take in takes:
        piece = (take.media, take.source / rate, take.frames / rate, take.speed)
        if pieces and pieces[-1][0] == take.media and pieces[-1][3] == take.speed:
            media, start, seconds, speed = pieces[-1]
            if start + speed * seconds == piece[1]:
                pieces[-1] = (media, start, seconds + piece[2], speed)
                continue
        pieces.append(piece)
    return EditList.laid(pieces, rate)


def _cut(dice: np.random.Generator, rate: Fraction) -> list[_Take]:
    media = [f"file:///media/A{k:03}.mov" for k in range(int(dice.integers(3, 9)))]
    takes: list[_Take] = []
    reached = 0
    for _ in range(int(dice.integers(12, 61))):
        frames = int(dice.integers(round(rate / 2), round(8 * rate)))
        used = [take for take in takes if take.media is not None]
        if used and dice.random() < 0.15:
            take = replace(used[int(dice.integers(len(used)))], at=reached)
        elif takes and takes[-1].media is not None and dice.random() < 0.05:
            take = _Take(None, 0, frames, at=reached)
        else:
            # Ten minutes of each media, so that takes overlap now and then.
            name = media[int(dice.integers(len(media)))]
            take = _Take(name, int(dice.integers(0, round(600 * rate))), frames, at=reached)
        takes.append(take)
        reached += take.frames
    return takes


def _chosen(takes: list[_Take], dice: np.random.Generator, count: int, *, once: bool = False) -> list[int]:
    """Clips that no edit has touched yet, of sources used once if asked for; in order."""
    uses = Counter((take.media, take.source) for take in takes)
    free = [
        k
        for k, take in enumerate(takes)
        if take.free and take.media is not None and take.speed == 1 and (not once or uses[take.media, take.source] == 1)
    ]
    return sorted(int(k) for k in dice.choice(free, count, replace=False))


def _source(take: _Take) -> tuple[str | None, int, int]:
    return take.media, take.source, take.frames


def _insert(takes: list[_Take], dice: np.random.Generator, rate: Fraction, name: str) -> list[_Take]:
    added = _Take(name, 0, int(dice.integers(5, round(10 * rate))), free=False)
    (k,) = _chosen(takes, dice, 1)
    take = takes[k]
    if take.at is None or dice.random() < 0.6:
        return [*takes[:k], added, *takes[k:]]
    head = int(dice.integers(2, take.frames - 2))
    first = replace(take, frames=head, free=False)
    rest = replace(take, source=take.source + head, frames=take.frames - head, at=take.at + head, free=False)
    return [*takes[:k], first, added, rest, *takes[k + 1 :]]


def _trim(takes: list[_Take], dice: np.random.Generator, rate: Fraction, name: str) -> list[_Take]:
    (k,) = _chosen(takes, dice, 1)
    take = replace(takes[k], free=False)
    by, head, longer = int(dice.integers(1, max(2, take.frames // 2))), dice.random() < 0.5, dice.random() < 0.3
    assert take.at is not None
    if longer:
        added = _Take(take.media, take.source - by if head else take.source + take.frames, by, free=False)
        # One clip in the edit: the pieces join where their sources meet.
        parts = [added, take] if head else [take, added]
    else:
        off = by if head else 0
        parts = [replace(take, source=take.source + off, frames=take.frames - by, at=take.at + off)]
    return [*takes[:k], *parts, *takes[k + 1 :]]


def _delete(takes: list[_Take], dice: np.random.Generator, rate: Fraction, name: str) -> list[_Take]:
    (k,) = _chosen(takes, dice, 1)
    # Of equal shots side by side nobody can see which one went; let it be the last.
    while k + 1 < len(takes) and _source(takes[k + 1]) == _source(takes[k]) and takes[k + 1].free:
        k += 1
    return [*takes[:k], *takes[k + 1 :]]


def _swap(takes: list[_Take], dice: np.random.Generator, rate: Fraction, name: str) -> list[_Take]:
    k, j = _chosen(takes, dice, 2, once=True)
    found = list(takes)
    found[k], found[j] = (replace(takes[n], at=None, free=False) for n in (j, k))
    return found


def _speed(takes: list[_Take], dice: np.random.Generator, rate: Fraction, name: str) -> list[_Take]:
    (k,) = _chosen(takes, dice, 1)
    take, speed = takes[k], _SPEEDS[int(dice.integers(len(_SPEEDS)))]
    source = take.source + take.frames if speed < 0 else take.source
    retimed = replace(
        take, source=source, speed=speed, frames=max(1, round(take.frames / abs(speed))), at=None, free=False
    )
    return [*takes[:k], retimed, *takes[k + 1 :]]


_EDITS = {"insert": _insert, "trim": _trim, "delete": _delete, "swap": _swap, "speed": _speed}
