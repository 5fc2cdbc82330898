"""Constraints on the seams of a track: where none may be, which are not used and which are, and what is not played.

Constraints are satisfied or refused, never weighed: no score knows of them. A splice that a constraint rules out is no
candidate of the planner (`workbench.plans.splices`), and only plans that take every pinned splice are made. A pinned
splice may be one that the planner would not take by itself: its seam may score under the floor, its body may be short.

Splices are named by times of the track as a player shows them. Each stands for the nearest bar line. A range is widened
to whole bars: a seam on its border is not in it.

A range that is excluded is not played, but for what a crossfade at its border takes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import isfinite
from typing import TypeVar

import numpy as np

from workbench.errors import ConstraintError, ContradictionError, Sentence, plain_seconds
from workbench.plans.plan import BORDER_SECONDS, nearest_line
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds
from workbench.seams.profile import LoopProfile


class ConstraintKind(StrEnum):
    """What a constraint asks for; the last four are no constraints on seams."""

    NEVER_CUT = "never_cut"
    FORBIDDEN = "forbidden"
    PINNED = "pinned"
    EXCLUDED = "excluded"
    KEEP = "keep"
    START_AT = "start_at"
    END_ON = "end_on"
    HIT = "hit"


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint, by what makes it the same as another: kind, and times or the name of a part."""

    kind: ConstraintKind
    times: tuple[float, ...] = ()  # s; of the track, or with `START_AT`, `END_ON` and `HIT` of the video
    part: str = ""  # the part of the track to keep; else empty

    def __post_init__(self) -> None:
        # As exact as `clock`: constraints that read alike are the same.
        object.__setattr__(self, "times", tuple(round(time, 3) for time in self.times))

    @property
    def what(self) -> str:
        """Its times or the name of its part, such as `1:32-0:48` or `hook`."""
        return self.part or "-".join(clock(time) for time in self.times)

    @property
    def id(self) -> str:
        """Such as `pinned 1:32-0:48`; unique among the constraints of a request."""
        return f"{self.kind} {self.what}"

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')} {self.what}"


@dataclass(frozen=True, slots=True)
class TrackRange:
    """A range of the track.

    Attributes
    ----------
    song_from : s, where it starts
    song_to : s, where it ends
    """

    song_from: TrackSeconds
    song_to: TrackSeconds

    def __post_init__(self) -> None:
        # Written so that NaN fails too.
        if not 0.0 <= self.song_from < self.song_to < float("inf"):
            raise ConstraintError(f"a range of a track ends after it begins, got {self.song_from} to {self.song_to} s")


@dataclass(frozen=True, slots=True)
class NamedSplice:
    """A splice, named by about where the track is left and where it is entered.

    Attributes
    ----------
    leave : s, about where the track is left
    enter : s, about where it goes on
    """

    leave: TrackSeconds
    enter: TrackSeconds

    def __post_init__(self) -> None:
        if not all(isfinite(time) and time >= 0.0 for time in (self.leave, self.enter)):
            raise ConstraintError(f"a splice leaves and enters a track at 0 s or later, got {self.leave}, {self.enter}")

    @property
    def in_words(self) -> str:
        """As one types it, such as `1:32-0:48`."""
        return f"{clock(self.leave)}-{clock(self.enter)}"


@dataclass(frozen=True, slots=True)
class SeamConstraints:
    """Constraints on the seams of a track; false without any.

    Attributes
    ----------
    never_cut : no seam inside of these, neither leaving nor entering, and no music that starts there or stops in a
        button
    forbidden : splices that are not used
    pinned : splices that are used, each at least once
    excluded : what is not played
    """

    never_cut: tuple[TrackRange, ...] = ()
    forbidden: tuple[NamedSplice, ...] = ()
    pinned: tuple[NamedSplice, ...] = ()
    excluded: tuple[TrackRange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.never_cut or self.forbidden or self.pinned or self.excluded)

    @property
    def each(self) -> tuple[Constraint, ...]:
        """The constraints one by one, each once."""
        return tuple(dict.fromkeys(_as_one(kind, one) for kind in _SEAM_KINDS for one in getattr(self, kind)))

    def and_more(self, others: SeamConstraints) -> SeamConstraints:
        """These and others, each once.

        Parameters
        ----------
        others : follow these
        """
        return SeamConstraints(
            **{kind: tuple(dict.fromkeys((*getattr(self, kind), *getattr(others, kind)))) for kind in _SEAM_KINDS}
        )

    def excludes(self, song_from: TrackSeconds, song_to: TrackSeconds) -> bool:
        """Whether some of a stretch of the track is not to be played."""
        return any(one.song_from < song_to - 1e-6 and one.song_to > song_from + 1e-6 for one in self.excluded)

    def only(self, some: Collection[Constraint]) -> SeamConstraints:
        """Those of the constraints that are among `some`."""
        return SeamConstraints(
            **{kind: tuple(one for one in getattr(self, kind) if _as_one(kind, one) in some) for kind in _SEAM_KINDS}
        )


_NEVER_CUT, _FORBIDDEN = ConstraintKind.NEVER_CUT, ConstraintKind.FORBIDDEN
_PINNED, _EXCLUDED = ConstraintKind.PINNED, ConstraintKind.EXCLUDED
_SEAM_KINDS = (_NEVER_CUT, _FORBIDDEN, _PINNED, _EXCLUDED)  # each is called as its field of `SeamConstraints`
NO_CONSTRAINTS = SeamConstraints()
_MOST_PAIRS = 60  # of constraints, that are tried for a contradiction; each takes a plan


@dataclass(frozen=True, slots=True, eq=False)
class LineConstraints:
    """Constraints on the bar lines of one track."""

    never_cut: IntArray  # bar lines inside of a range that is never cut
    forbidden: IntArray  # shape (n, 2), bar lines left and entered
    pinned: IntArray  # shape (n, 2), bar lines left and entered, each pair once
    excluded: FloatArray  # shape (n, 2), s, ranges that are not played

    def rules_out(self, leave: IntArray, enter: IntArray) -> BoolArray:
        """Which splices must not be used, shape (n,). `leave` and `enter` are bar lines."""
        inside = np.isin(leave, self.never_cut) | np.isin(enter, self.never_cut)
        return inside | _are_among(self.forbidden, leave, enter)

    def plays_excluded(self, song_from: FloatArray, song_to: FloatArray) -> BoolArray:
        """Which stretches hold some of what is not played, of the shape to which both broadcast.

        Times are in seconds of track time.
        """
        held = np.zeros(np.broadcast_shapes(np.shape(song_from), np.shape(song_to)), dtype=bool)
        for first, last in self.excluded:
            held |= (np.asarray(song_from) < last - BORDER_SECONDS) & (np.asarray(song_to) > first + BORDER_SECONDS)
        return held

    def leads_past(self, song_to: FloatArray, song_from: FloatArray) -> BoolArray:
        """Which splices go from before a range that is not played to where it is over, shape (n,).

        `song_to` is where a splice leaves, `song_from` where it enters, in seconds of track time.
        """
        past = np.zeros(np.shape(song_to), dtype=bool)
        for first, last in self.excluded:
            past |= (song_to <= first + BORDER_SECONDS) & (song_from >= last - BORDER_SECONDS)
        return past

    def is_pinned(self, leave: IntArray, enter: IntArray) -> BoolArray:
        """Which splices must be used, shape (n,). `leave` and `enter` are bar lines."""
        return _are_among(self.pinned, leave, enter)


def _are_among(pairs: IntArray, leave: IntArray, enter: IntArray) -> BoolArray:
    found = np.zeros(np.shape(leave), dtype=bool)
    for left, entered in pairs:
        found |= (leave == left) & (enter == entered)
    return found


_NO_PAIRS: IntArray = np.zeros((0, 2), dtype=np.int64)
UNCONSTRAINED = LineConstraints(np.zeros(0, dtype=np.int64), _NO_PAIRS, _NO_PAIRS, np.zeros((0, 2)))


def on_lines(profile: LoopProfile, constraints: SeamConstraints) -> LineConstraints:
    """Put constraints on the bar lines of a track.

    Raises `ConstraintError` for times outside of the track and splices from a bar line to
    itself, all of them at once, and `ContradictionError` for two that rule each other out at any length.
    """
    if not constraints:
        return UNCONSTRAINED
    wrong = find_wrong(profile, constraints)
    if wrong:
        raise wrong_ones(wrong)
    lines = profile.downbeats
    inside = np.zeros(lines.size, dtype=bool)
    for one in constraints.never_cut:
        inside |= _inside(lines, one)
    forbidden = [line_pair(profile, one, _as_one(_FORBIDDEN, one)) for one in constraints.forbidden]
    pinned = [line_pair(profile, one, _as_one(_PINNED, one)) for one in constraints.pinned]
    for pin, pair in zip(constraints.pinned, pinned, strict=True):
        clashing = [_as_one(_FORBIDDEN, one) for one, other in zip(constraints.forbidden, forbidden, strict=True)
                    if other == pair]  # fmt: skip
        for kind, ranges in ((_NEVER_CUT, constraints.never_cut), (_EXCLUDED, constraints.excluded)):
            clashing += [_as_one(kind, one) for one in ranges if _inside(lines, one)[list(pair)].any()]
        if clashing:
            both = (_as_one(_PINNED, pin), clashing[0])
            raise ContradictionError(*joined(both, " and ").parts, " contradict each other", constraints=both)
    return LineConstraints(
        np.flatnonzero(inside),
        np.array(forbidden, dtype=np.int64).reshape(-1, 2),
        np.array(list(dict.fromkeys(pinned)), dtype=np.int64).reshape(-1, 2),
        np.array([(one.song_from, one.song_to) for one in constraints.excluded], dtype=np.float64).reshape(-1, 2),
    )


def line_pair(profile: LoopProfile, splice: NamedSplice, called: str | Constraint) -> tuple[int, int]:
    """The bar lines nearest to where a named splice leaves and enters.

    Raises `ConstraintError`, which names it as it is `called`, if a time is outside of the track, both are at one bar
    line, or there are no bars.
    """
    why = _why_wrong(profile, splice)
    if why:
        about = (called,) if isinstance(called, Constraint) else ()
        raise ConstraintError(called, f": {why}", constraints=about)
    leave, enter = nearest_line(profile.downbeats, np.array([splice.leave, splice.enter])).tolist()
    return leave, enter


def find_wrong(profile: LoopProfile, constraints: SeamConstraints) -> list[tuple[Constraint, str]]:
    """Constraints that make no sense on a track, each with the reason, as a clause."""
    every = [(kind, one) for kind in _SEAM_KINDS for one in getattr(constraints, kind)]
    return [(_as_one(kind, one), why) for kind, one in every if (why := _why_wrong(profile, one))]


def _why_wrong(profile: LoopProfile, one: TrackRange | NamedSplice) -> str:
    """Why a range or a splice makes no sense on a track, as a clause; empty where it does."""
    if isinstance(one, TrackRange):
        return f"the track ends at {clock(profile.song_duration)}" if one.song_to > profile.song_duration + 1e-3 else ""
    lines = profile.downbeats
    if lines.size < 3:
        return "no bars were found in this track, so there is nothing to splice at"
    if max(one.leave, one.enter) > profile.song_duration:
        return f"the track ends at {clock(profile.song_duration)}"
    leave, enter = nearest_line(lines, np.array([one.leave, one.enter])).tolist()
    if leave == enter:
        return f"both times are at the same bar line, {clock(float(lines[leave]))}, so nothing is spliced"
    return ""


One = TypeVar("One")


def smallest_contradiction(
    every: Sequence[One], can_be_satisfied: Callable[[tuple[One, ...]], bool]
) -> tuple[One, ...]:
    """A smallest set of constraints that contradict each other: without any one of them the rest can be satisfied.

    Of few constraints, each alone and each pair is tried first, so that no larger part is named where one of these
    contradicts. Else each is left out in turn, and stays out where the rest still cannot be satisfied: as many tries
    as there are constraints, and of parts of three and more not always the smallest. The result has the order of
    `every`, which together cannot be satisfied; it is empty if what contradicts is not among them.
    """
    if every and not can_be_satisfied(()):
        return ()
    if len(every) * (len(every) - 1) // 2 <= _MOST_PAIRS:
        for size in (1, 2):
            for some in combinations(every, size):
                if size == len(every) or not can_be_satisfied(some):
                    return some
    stay = list(every)
    for left_out in every:
        rest = tuple(one for one in stay if one != left_out)
        if rest and not can_be_satisfied(rest):
            stay = list(rest)
    return tuple(stay)


def cannot_be_satisfied(some: Sequence[Constraint], where: str) -> Sentence:
    """That constraints contradict each other. `where` says in what, such as `30 s`."""
    return joined(some, " and ") + f" cannot be kept{' together' if len(some) > 1 else ''} in {where}"


def joined(constraints: Sequence[Constraint], between: str) -> Sentence:
    """Constraints with a text between each two."""
    parts = [part for one in constraints for part in (between, one)]
    return Sentence(*parts[1:])


def with_reasons(wrong: Sequence[tuple[Constraint, str]]) -> Sentence:
    """Constraints, each with what is wrong with it; those of one reason together."""
    groups = {why: [one for one, other in wrong if other == why] for _, why in wrong}
    said = [Sentence("; ") + joined(some, " and ") + f": {why}" for why, some in groups.items()]
    return Sentence(*[part for sentence in said for part in sentence.parts][1:])


def wrong_ones(wrong: Sequence[tuple[Constraint, str]]) -> ConstraintError:
    """The error of constraints that make no sense, each with the reason; at least one."""
    return ConstraintError(*with_reasons(wrong).parts, constraints=tuple(dict.fromkeys(one for one, _ in wrong)))


def clock(seconds: float) -> str:
    """A time as M:SS, with a fraction where it has one."""
    minutes, rest = divmod(round(seconds, 3), 60.0)
    whole, _, fraction = plain_seconds(rest).partition(".")
    return f"{int(minutes)}:{int(whole):02d}" + (f".{fraction}" if fraction else "")


def _as_one(kind: ConstraintKind, one: TrackRange | NamedSplice) -> Constraint:
    times = (one.song_from, one.song_to) if isinstance(one, TrackRange) else (one.leave, one.enter)
    return Constraint(kind, times)


def _inside(lines: FloatArray, one: TrackRange) -> BoolArray:
    """Bar lines inside of a range, shape (n_bars,)."""
    return np.asarray((lines > one.song_from + BORDER_SECONDS) & (lines < one.song_to - BORDER_SECONDS))
