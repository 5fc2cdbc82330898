"""Plan a track again for another request, and move a seam of a plan.

A refusal names constraints, of which the user can drop one.

Classes: `FoundPlaces`. Functions: `plan_around`; `find_places`, where each seam could be, and `plan_with_moved_seam`;
`named_seam`, `is_same_splice`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from workbench.analysis.provenance import CHANGED_BY_HAND, OPTION
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import Analysis
from workbench.analysis.workspace import Workspace
from workbench.errors import ConstraintError, PlanError
from workbench.params import CoverParams
from workbench.plans import refusals
from workbench.plans.constraints import NamedSplice, SeamConstraints, line_pair, on_lines
from workbench.plans.move_seam import SeamPlace, move_seam, place_pairs, seam_pairs, seam_places
from workbench.plans.plan import LoopPlan
from workbench.plans.request import PlanRequest
from workbench.seams.profile import LoopProfile
from workbench.workflows.constraints import request_records, with_splices
from workbench.workflows.plan import Planned, plan_track, video_length


def plan_around(
    workspace: Workspace,
    track: TrackSource,
    video: Path | float,
    request: PlanRequest,
    *,
    auto_mix: bool = False,
) -> Planned:
    """`plan_track`, where a request that makes no sense on the track is refused too, and can be changed."""
    try:
        return plan_track(workspace, track, video, request, auto_mix=auto_mix)
    except ConstraintError as error:
        refusal = refusals.contradiction(error.sentence, error.constraints)
        under = video if isinstance(video, Path) else None
        return Planned(track, under, video_length(video), refusal, None, None, request=request)


@dataclass(frozen=True, slots=True, eq=False)
class FoundPlaces:
    """Where the seams of a plan could be."""

    places: tuple[tuple[SeamPlace, ...], ...]  # of each seam, earliest place first
    profile: LoopProfile  # of the track, with the splices at these places


def find_places(workspace: Workspace, loop: Planned, constraints: SeamConstraints) -> FoundPlaces:
    """Where each seam of a plan could be, with its score there, or what is in the way.

    The track is decoded where the plan's analysis lacks one of the splices.
    """
    assert loop.analysis is not None, "a plan comes from an analysis"
    plan, seams = loop.plan.alone, range(len(loop.plan.seam_times))
    wanted = [pair for seam in seams for pair in place_pairs(loop.analysis.profile, plan, seam).values()]
    analysis = with_splices(workspace, loop.track.path, loop.analysis, wanted)
    on = on_lines(analysis.profile, constraints)
    places = tuple(tuple(seam_places(analysis.profile, plan, seam, workspace.params.cover, on)) for seam in seams)
    return FoundPlaces(places, analysis.profile)


def plan_with_moved_seam(
    found: FoundPlaces, loop: Planned, seam: int, bars: int, request: PlanRequest, params: CoverParams
) -> Planned:
    """A plan with one seam, from 0, moved by some bars (negative: earlier) and pinned there, without other options.

    Nothing is measured: the splice there is one of the places that were found for this plan. A pin of the seam goes
    with it; the mix stays as it is. Raises `PlanError` if the seam cannot be there.
    """
    assert loop.analysis is not None, "a plan comes from an analysis"
    plan = loop.plan.alone
    place = next((place for place in found.places[seam] if place.bars == bars), None)
    if place is None or place.obstacle:
        raise PlanError(f"seam {seam + 1} cannot be moved there{'' if place is None else f': {place.obstacle}'}")
    moved = move_seam(found.profile, plan, seam, bars, params)
    analysis = replace(loop.analysis, profile=found.profile)
    asked = replace(request, constraints=_with_pin_moved(analysis, plan, moved, seam, request.constraints))
    made = loop.provenance
    if made is not None:
        for name, value in request_records(asked).items():
            made = made.with_constraint(name, value)
        made = made.with_constraint(CHANGED_BY_HAND, True).with_constraint(OPTION, None)
    return replace(loop, answer=moved, analysis=analysis, provenance=made, request=asked)


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
