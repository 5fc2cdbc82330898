"""What is asked of a plan beyond its length: kept parts, times, constraints on seams, and whether it must loop."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite

from workbench.errors import ParameterError
from workbench.plans.constraints import NO_CONSTRAINTS, Constraint, ConstraintKind, SeamConstraints
from workbench.recording import TrackSeconds, VideoSeconds

_TIMES = {"start_at": ConstraintKind.START_AT, "end_on": ConstraintKind.END_ON}


class KeptPart(StrEnum):
    """What a `Keep` can name."""

    INTRO = "intro"
    ENDING = "ending"
    HOOK = "hook"


@dataclass(frozen=True, slots=True)
class Keep:
    """A part of the track that plays whole in one segment: one with a name, or a range of track time.

    Attributes
    ----------
    part : a part with a name; None: the range
    song_from : s, where the range starts
    song_to : s, where the range ends
    """

    part: KeptPart | None = None
    song_from: TrackSeconds = 0.0
    song_to: TrackSeconds = 0.0

    @property
    def constraint(self) -> Constraint:
        """This part as one of the constraints of a request."""
        if self.part is not None:
            return Constraint(ConstraintKind.KEEP, part=self.part.value)
        return Constraint(ConstraintKind.KEEP, (self.song_from, self.song_to))


@dataclass(frozen=True, slots=True)
class Hit:
    """A second of the track that lands on a second of the video; a bad time raises `ParameterError`.

    Attributes
    ----------
    at : s of the video
    landmark : s of the track; None: the track's arrival, its strongest drop or a chorus
    what : `drop`, or the section that begins there, where the arrival was found; empty where its second was given
    """

    at: VideoSeconds
    landmark: TrackSeconds | None = None
    what: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _checked_time("hit", "the video", self.at))
        if self.landmark is not None:
            object.__setattr__(self, "landmark", _checked_time("hit at", "the track", self.landmark))

    @property
    def constraint(self) -> Constraint:
        """This hit as one of the constraints of a request."""
        return Constraint(ConstraintKind.HIT, (self.at,))


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What is asked of a plan beyond its length; false if nothing is.

    Times are rounded to the microsecond; one that is negative or not finite raises `ParameterError`. The length of the
    closing fade is no constraint: it changes how a plan ends and not which one is found.

    Attributes
    ----------
    constraints : where no seam may be, which splices are not used and which are, what is not played
    keep : parts of the track that each play whole in one segment
    start_at : where the music starts, after silence; None: with the picture
    end_on : where its last hit lands; None: nowhere in particular
    hits : seconds of the track that land on seconds of the video
    only_loop : whether only a loop will do, of a video that is longer than the track by
        `CoverParams.required_excess_seconds`; else any length is filled: looped, straight or cut down
    fade : s of the closing fade, where the music ends in one; None: as long as the planner finds good
    """

    constraints: SeamConstraints = NO_CONSTRAINTS
    keep: tuple[Keep, ...] = ()
    start_at: VideoSeconds | None = None
    end_on: VideoSeconds | None = None
    hits: tuple[Hit, ...] = ()
    only_loop: bool = False
    fade: float | None = None

    def __post_init__(self) -> None:
        for name in _TIMES:
            at = getattr(self, name)
            if at is not None:
                object.__setattr__(self, name, _checked_time(name.replace("_", " "), "the video", at))
        if self.fade is not None:
            if not (isfinite(self.fade) and self.fade > 0.0):
                raise ParameterError(f"fade: a closing fade lasts more than 0 s, not {self.fade:g} s")
            object.__setattr__(self, "fade", round(self.fade, 6))

    def __bool__(self) -> bool:
        return bool(self.each)

    @property
    def each(self) -> tuple[Constraint, ...]:
        """Everything that is asked for, each once."""
        parts = [keep.constraint for keep in self.keep]
        times = [Constraint(kind, (at,)) for name, kind in _TIMES.items() if (at := getattr(self, name)) is not None]
        hits = [hit.constraint for hit in self.hits]
        return tuple(dict.fromkeys((*parts, *times, *hits, *self.constraints.each)))

    @property
    def asks_beyond_seams(self) -> bool:
        """Whether it has kept parts, times, or hits."""
        return bool(self.keep or self.hits) or self.start_at is not None or self.end_on is not None

    def only(self, some: Collection[Constraint]) -> PlanRequest:
        """The same request with those constraints that are among `some`."""
        kinds = {one.kind for one in some}
        return replace(
            self,
            constraints=self.constraints.only(some),
            keep=tuple(keep for keep in self.keep if keep.constraint in some),
            start_at=self.start_at if ConstraintKind.START_AT in kinds else None,
            end_on=self.end_on if ConstraintKind.END_ON in kinds else None,
            hits=tuple(hit for hit in self.hits if hit.constraint in some),
        )

    def and_more(self, others: PlanRequest) -> PlanRequest:
        """What others ask for too, each once; a time, hits or a fade of these stand before theirs."""
        return replace(
            self,
            constraints=others.constraints.and_more(self.constraints),
            keep=tuple(dict.fromkeys((*others.keep, *self.keep))),
            start_at=others.start_at if self.start_at is None else self.start_at,
            end_on=others.end_on if self.end_on is None else self.end_on,
            hits=self.hits or others.hits,
            fade=others.fade if self.fade is None else self.fade,
        )

    def without(self, constraint_id: str) -> PlanRequest:
        """All but the constraint with this id."""
        return self.only([one for one in self.each if one.id != constraint_id])


def _checked_time(name: str, of: str, seconds: float) -> float:
    """A time rounded to the microsecond; `ParameterError` for one that is negative or not finite."""
    if not (isfinite(seconds) and seconds >= 0.0):
        raise ParameterError(f"{name}: a time in {of} is 0 s or more, not {seconds:g} s")
    return round(seconds, 6)


LENGTH_ALONE = PlanRequest()
"""nothing is asked for but a length"""
LOOP_ALONE = PlanRequest(only_loop=True)
"""nothing is asked for but a loop of some length"""
