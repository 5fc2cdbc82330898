"""Plan a track again around what a person asks of it, at once: constraints on seams, kept parts, times, a moved seam.

A plan with kept parts or times is a fit. A request that cannot be met is a value here and no exception, for whoever
asked can drop one of the constraints that it names.

Classes: `PlanWishes`, `Contradiction`, `FoundPlaces`. Functions: `wish_records` and `read_wishes`, as a provenance and
a project hold them; `plan_around`; `find_places`, where each seam could be, and `plan_with_moved_seam`; `named_seam`,
`is_same_splice`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import ConstraintError, PlanError, RequestError
from workbench.loops.constraints import (
    NO_CONSTRAINTS,
    Constraint,
    NamedSplice,
    SeamConstraints,
    Sentence,
    line_pair,
    on_lines,
)
from workbench.loops.fit import FitRequest, Keep
from workbench.loops.moves import SeamPlace, move_seam, place_pairs, seam_pairs, seam_places
from workbench.loops.plan import MAX_OPTIONS, LoopPlan
from workbench.loops.profile import LoopProfile
from workbench.provenance import CHANGED_BY_HAND
from workbench.recording import VideoSeconds
from workbench.workflows.analyze import Analysis
from workbench.workflows.constraints import (
    MeasuredSplices,
    constraint_records,
    measure_splices,
    measured_splices,
    read_constraints,
    remember_splices,
)
from workbench.workflows.fit import fit_track, keep_record, read_keep
from workbench.workflows.loop import Loop, loop_track
from workbench.workflows.tracks import TrackSource
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from pydantic import JsonValue

_ANY_LENGTH = 1e9  # s; length of a request of which only the constraints are read


@dataclass(frozen=True, slots=True)
class PlanWishes:
    """What a person asks of a plan besides its length; false where that is nothing."""

    seams: SeamConstraints = NO_CONSTRAINTS
    keep: tuple[Keep, ...] = ()  # parts of the track that are each kept whole in one segment
    start_at: VideoSeconds | None = None  # where the music starts, after silence; None: with the picture
    end_on: VideoSeconds | None = None  # where its last hit lands; None: nowhere in particular

    def __bool__(self) -> bool:
        return bool(self.seams) or self.needs_fit

    @property
    def needs_fit(self) -> bool:
        """Whether only a fit can keep them."""
        return bool(self.keep) or self.start_at is not None or self.end_on is not None

    @property
    def each(self) -> tuple[Constraint, ...]:
        """Everything that is asked for, each once."""
        return self._request.each

    def without(self, constraint_id: str) -> PlanWishes:
        """All but the constraint with this id."""
        rest = self._request.only([one for one in self.each if one.id != constraint_id])
        return PlanWishes(rest.constraints, rest.keep, rest.start_at, rest.end_on)

    @property
    def _request(self) -> FitRequest:
        return FitRequest(_ANY_LENGTH, self.keep, self.start_at, self.end_on, None, self.seams)


def wish_records(wishes: PlanWishes) -> dict[str, JsonValue]:
    """What is asked of a plan in JSON types, by the names of a provenance; what is not asked is left out."""
    records: dict[str, JsonValue] = {
        "keep": [keep_record(part) for part in wishes.keep] or None,
        "start_at": wishes.start_at,
        "end_on": wishes.end_on,
        **constraint_records(wishes.seams),
    }
    return {name: value for name, value in records.items() if value is not None}


def read_wishes(recorded: Mapping[str, JsonValue]) -> PlanWishes:
    """What was asked of a plan, from the constraints of its provenance; other names are ignored.

    Raises `PlanError` for a value that `wish_records` does not write.
    """
    keep = recorded.get("keep", [])
    if not isinstance(keep, list):
        raise PlanError(f"provenance.constraints.keep: {keep!r} is no list of parts")
    start_at, end_on = (_recorded_time(recorded, name) for name in ("start_at", "end_on"))
    return PlanWishes(read_constraints(recorded), tuple(map(read_keep, keep)), start_at, end_on)


def _recorded_time(recorded: Mapping[str, JsonValue], name: str) -> VideoSeconds | None:
    match recorded.get(name):
        case None:
            return None
        case int() | float() as at:
            return float(at)
        case other:
            raise PlanError(f"provenance.constraints.{name}: {other!r} is no time")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Why there is no plan with some wishes."""

    sentence: Sentence
    constraints: tuple[Constraint, ...]  # one of which must go; empty where dropping one does not help
    wishes: PlanWishes  # all that were asked for


def plan_around(
    workspace: Workspace,
    track: TrackSource,
    video: Path | float,
    wishes: PlanWishes,
    *,
    fit: bool = False,
    auto_mix: bool = False,
    found: FoundPlaces | None = None,
) -> Loop | Contradiction:
    """Plan a track with all that is asked for.

    `fit` makes a fit, whatever is asked for; else a loop where the wishes allow one. `found`, of the plan before, has
    measures that are used for a pinned seam.
    """
    if found is not None:
        remember_splices(found.measured)
    try:
        if fit or wishes.needs_fit:
            fitted = fit_track(
                workspace,
                track,
                video,
                keep=wishes.keep,
                start_at=wishes.start_at,
                end_on=wishes.end_on,
                auto_mix=auto_mix,
                constraints=wishes.seams,
            )
            return fitted.loops[0]
        return loop_track(workspace, track, video, auto_mix=auto_mix, constraints=wishes.seams)
    except RequestError as error:
        return Contradiction(error.sentence, error.constraints, wishes)


@dataclass(frozen=True, slots=True, eq=False)
class FoundPlaces:
    """Where the seams of a plan could be."""

    places: tuple[tuple[SeamPlace, ...], ...]  # of each seam, earliest place first
    profile: LoopProfile  # of the track, with the splices at these places
    measured: MeasuredSplices  # at these places, to plan with at once


def find_places(workspace: Workspace, loop: Loop, constraints: SeamConstraints) -> FoundPlaces:
    """Where each seam of a plan could be, with its score there, or what is in the way.

    The track is decoded where the plan's analysis lacks one of the splices.
    """
    assert isinstance(loop.answer, LoopPlan), "a refusal has no seams"
    assert loop.analysis is not None, "a plan comes from an analysis"
    plan = loop.answer.alone
    analysis = _with_places(workspace, loop, loop.analysis, plan, range(len(plan.seam_times)))
    on = on_lines(analysis.profile, constraints)
    places = tuple(
        tuple(seam_places(analysis.profile, plan, seam, workspace.params.cover, on))
        for seam in range(len(plan.seam_times))
    )
    return FoundPlaces(places, analysis.profile, measured_splices(workspace, analysis))


def plan_with_moved_seam(
    workspace: Workspace,
    loop: Loop,
    seam: int,
    bars: int,
    wishes: PlanWishes,
    *,
    fit: bool = False,
    found: FoundPlaces | None = None,
) -> Loop | Contradiction:
    """A plan with one seam, from 0, moved by some bars (negative: earlier) and pinned there.

    Behind it as options what else meets all wishes; a pin of the seam goes with it. Raises `PlanError` if the seam
    cannot be there.
    """
    assert isinstance(loop.answer, LoopPlan), "a refusal has no seams"
    assert loop.analysis is not None, "a plan comes from an analysis"
    if found is not None:
        remember_splices(found.measured)
    plan = loop.answer.alone
    analysis = _with_places(workspace, loop, loop.analysis, plan, [seam])
    moved = move_seam(analysis.profile, plan, seam, bars, workspace.params.cover)
    asked = replace(wishes, seams=_with_pin_moved(analysis, plan, moved, seam, wishes.seams))
    around = plan_around(workspace, loop.track, loop.video or loop.video_seconds, asked, fit=fit)
    if isinstance(around, Contradiction) or not isinstance(around.answer, LoopPlan):
        return around
    others = [option for option in around.answer.options if option != moved]
    options = (moved, *others)[:MAX_OPTIONS]
    provenance = around.provenance
    if provenance is not None and around.answer.alone != moved:
        provenance = provenance.with_constraint(CHANGED_BY_HAND, True)
    return replace(around, answer=replace(moved, options=options), provenance=provenance)


def named_seam(analysis: Analysis, plan: LoopPlan, seam: int) -> NamedSplice:
    """The splice at a seam, counted from 0, by its bar lines, as it is pinned or forbidden."""
    lines = analysis.profile.downbeats
    leave, enter = seam_pairs(analysis.profile, plan)[seam]
    return NamedSplice(round(float(lines[leave]), 3), round(float(lines[enter]), 3))


def is_same_splice(analysis: Analysis, one: NamedSplice, other: NamedSplice) -> bool:
    """Whether two named splices are at the same bar lines."""
    try:
        return line_pair(analysis.profile, one, "") == line_pair(analysis.profile, other, "")
    except ConstraintError:
        return False


def _with_pin_moved(
    analysis: Analysis, plan: LoopPlan, moved: LoopPlan, seam: int, constraints: SeamConstraints
) -> SeamConstraints:
    """Constraints with the seam pinned where it is now; a pin where it was goes, unless another seam is the same."""
    before, after = (named_seam(analysis, one, seam) for one in (plan, moved))
    still = any(named_seam(analysis, moved, other) == before for other in range(len(moved.seam_times)))
    pinned = tuple(one for one in constraints.pinned if still or not is_same_splice(analysis, one, before))
    return replace(constraints, pinned=tuple(dict.fromkeys((*pinned, after))))


def _with_places(
    workspace: Workspace, loop: Loop, analysis: Analysis, plan: LoopPlan, seams: range | list[int]
) -> Analysis:
    """The analysis with the splices of all places of some seams."""
    profile = analysis.profile
    wanted = dict.fromkeys(pair for seam in seams for pair in place_pairs(profile, plan, seam).values())
    missing = [pair for pair in wanted if profile.splices.row_of(*pair) is None]
    if not missing:
        return analysis
    found = measure_splices(workspace, loop.track.path, analysis, missing)
    return replace(analysis, profile=replace(profile, splices=profile.splices.with_more(found)))
