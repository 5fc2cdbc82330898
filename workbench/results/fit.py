"""The JSON body of a fit: a plan of exactly one length, looped, straight or cut down.

It has the shape of a LoopResult, with `kind` in the plan, its options and its alternates. What only a loop has
(`loop_start_a`, `loop_end_b`, `bars`, `repeats`) is absent elsewhere. The command line prints it; `/v1` never does.

Functions: `fit_result` makes the body of one length; `get_fit` finds one of several; `fit_plan_from_json` reads a plan
back, which `workbench.results.loop.plan_from_json` does for plans of every kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from workbench.errors import PlanError
from workbench.loops.plan import MAX_OPTIONS, LoopPlan
from workbench.loops.refusals import plain_seconds
from workbench.results.body import Body, Count, NonNegative, optional
from workbench.results.loop import (
    EndsBody,
    PlayedBody,
    SegmentBody,
    TrackRef,
    option_fields,
    plan_of_body,
    validated,
)
from workbench.results.loop_parts import CatalogIds, loop_names, with_mix
from workbench.results.mix import MixBody

Kind = Literal["loop", "straight", "cut_down"]


class _LoopedBody(Body):
    """What is repeated, where something is."""

    kind: Kind = Field(description="loop: some of it is heard twice; straight: no seam; cut_down: seams, nothing twice")
    loop_start_a: NonNegative | SkipJsonSchema[None] = optional("start of the body heard longest, track s; of a loop")
    loop_end_b: NonNegative | SkipJsonSchema[None] = optional("its end, track s; of a loop")
    bars: Count | SkipJsonSchema[None] = optional("its length in whole bars; of a loop")
    beats_per_bar: int = Field(ge=1, description="of the prevailing metre")
    repeats: Count | SkipJsonSchema[None] = optional("passes of that body heard in full; of a loop")
    start_at: NonNegative | SkipJsonSchema[None] = optional("where the music was asked to start, video s")


class FitOptionBody(EndsBody, _LoopedBody, PlayedBody, title="FitOption"):
    """One whole plan."""

    segments: list[SegmentBody] = Field(min_length=1, description="track ranges played back to back; authoritative")


class FitAlternateBody(Body, title="FitAlternate"):
    """Summary of an option that is not served."""

    kind: Kind
    loop_start_a: NonNegative | SkipJsonSchema[None] = optional("start of the body heard longest, track s; of a loop")
    loop_end_b: NonNegative | SkipJsonSchema[None] = optional("its end, track s; of a loop")
    bars: Count | SkipJsonSchema[None] = optional("its length in whole bars; of a loop")
    repeats: Count | SkipJsonSchema[None] = optional("passes heard in full; of a loop")
    seam_score: float = Field(ge=0, le=1, description="of the worst seam")
    plan_score: float = Field(ge=0, le=1, description="ranking score")
    end_label: str = Field(description="how the plan ends, in words")


class FitPlanBody(FitOptionBody, title="FitPlan"):
    """The served plan and its alternatives."""

    options: Annotated[list[FitOptionBody], Field(min_length=1, max_length=MAX_OPTIONS)] | SkipJsonSchema[None] = (
        optional("up to four plans, best first, the first equal to this one")
    )
    alternates: Annotated[list[FitAlternateBody], Field(max_length=MAX_OPTIONS - 1)] | SkipJsonSchema[None] = optional(
        "summary of the other options"
    )


class FitResult(Body):
    """One track fitted to one length."""

    video_id: str
    track_id: str
    track: TrackRef
    applicable: Literal[True] = Field(description="true: a track that does not fit has no result")
    plan: FitPlanBody
    mix: MixBody | SkipJsonSchema[None] = optional("only where asked for and measured")


class FitsResult(Body):
    """One track fitted to several lengths."""

    fits: list[FitResult] = Field(min_length=1, description="one a length, in the order asked for")


def fit_result(
    plan: LoopPlan, *, video_id: str, track_id: str, track: CatalogIds | None, mix: MixBody | None = None
) -> FitResult:
    """The body of a fit; `track` is the record of the track, None for one that is in no catalog."""
    facts = {"applicable": True, "plan": _plan_body(plan)}
    return FitResult.model_validate(loop_names(video_id, track_id, track) | with_mix(facts, mix))


def get_fit(result: Mapping[str, Any], seconds: float | None) -> Mapping[str, Any]:
    """One of the plans of several lengths that a fit printed, by its seconds to the millisecond.

    A result of one plan is returned as it is if no length is wanted. Raises `PlanError` if there are several lengths
    and none is named, or none like that, or it is not a result of several.
    """
    fits = result.get("fits")
    if not isinstance(fits, list):
        if seconds is not None:
            raise PlanError("these are not plans of several lengths; leave --length out")
        return result
    known: dict[str, Mapping[str, Any]] = {}
    for fit in fits:
        match fit:
            case {"plan": {"window_end": int() | float() as lasts}}:
                known[plain_seconds(lasts)] = fit
            case _:
                raise PlanError("these are not plans of several lengths, as `workbench fit` prints them")
    lengths = f"plans of several lengths: {', '.join(known)} s"
    if seconds is None:
        raise PlanError(f"these are {lengths}; name one by --length S")
    if plain_seconds(seconds) not in known:
        raise PlanError(f"there is no plan of {plain_seconds(seconds)} s; these are {lengths}")
    return known[plain_seconds(seconds)]


def _plan_body(plan: LoopPlan) -> FitPlanBody:
    fields = option_fields(plan, FitOptionBody)
    if plan.options:
        fields["options"] = [FitOptionBody(**option_fields(option, FitOptionBody)) for option in plan.options]
        fields["alternates"] = [FitAlternateBody(**_alternate(option)) for option in plan.options[1:]]
    return FitPlanBody(**fields)


def _alternate(plan: LoopPlan) -> dict[str, Any]:
    values = {name: getattr(plan, name) for name in FitAlternateBody.model_fields}
    return {name: value for name, value in values.items() if value is not None}


def fit_plan_from_json(plan: Mapping[str, Any]) -> LoopPlan:
    """Read a plan that says of which kind it is.

    Raises `PlanError` if it is not a plan, one of a later format, or one that breaks an invariant.
    """
    body = validated(FitPlanBody, plan, "not a plan")
    return plan_of_body(body, tuple(plan_of_body(option, is_fit=True) for option in body.options or ()), is_fit=True)
