"""Which plan of a track is served, and in which order its options stand.

Plans that go on come ranked by `plan_score` (`workbench.plans.plan_score`), and the best of them is served, but for
wear:

- where it passes a limit on repetition, the next one that keeps both, and the track's own ending where the best has it,
  is served in its place, unless its score is lower by more than `plan_score.LIMIT_PENALTY`;
- where the plan so chosen passes a limit all the same, one that lets the whole track end and begin again (a restart) is
  served if it keeps the limits and each of its restarts spares
  `CoverParams.restart_worth_seconds` of worn music (`workbench.plans.repetition`). A restart is heard, and so is music
  that comes for the tenth time: this is what one is worth in seconds of the other.

Where the whole track again is not served, it is the last of the options if it wears less than the plan served. No
option has a higher score than one before it.

Repetition that goes on and on is a fault as an audible seam is. Any five minutes of a plan are to play
`CoverParams.min_variety_seconds` of different music (`workbench.plans.repetition.variety`), while there is any other
way. The plan served as above stays where it keeps that rule. Where it does not, or there is none, the first of these is
served: a plan by longer bodies; one over fair seams, of `plan_score.FAIR` and more; the whole track again. The ways
that were passed over, the plan that repeats too much among them, are the options.

Functions: `ranked_options`, `varied_options`, and `first_options`, as many as a plan carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.params import CoverParams
from workbench.plans.plan import MAX_OPTIONS, LoopPlan, count_restarts, segment_table
from workbench.plans.plan_score import LIMIT_PENALTY
from workbench.plans.repetition import find_repetition, is_varied, wears_less, worn_seconds
from workbench.seams.profile import LoopProfile


def ranked_options(
    plans: Sequence[LoopPlan], again: LoopPlan | None, profile: LoopProfile, params: CoverParams
) -> tuple[LoopPlan, ...]:
    """The options of a loop, the plan served first.

    At most `MAX_OPTIONS`. `plans` go on, best score first, at least one; `again` is the whole track again and again,
    None if there is no such plan. None of them has options.
    """
    first = _within_limits(plans, profile, params)
    options = [plans[first], *plans[:first], *plans[first + 1 :]]
    if again is not None and _spares_enough(again, options[0], profile, params):
        options = [again, *options]
    elif again is not None and wears_less(again, options[0], profile):
        options = [*first_options(options, MAX_OPTIONS - 1), again]
    return _falling(first_options(options))


def varied_options(
    repetitive: Sequence[LoopPlan], varied: Sequence[LoopPlan], again: LoopPlan | None, needed: float
) -> tuple[LoopPlan, ...]:
    """The options where the first of `repetitive`, if there are any, has less than `needed` s of variety.

    At most `MAX_OPTIONS`, none if there is no way. `repetitive` are those that would be served else, `varied` the plans
    that go on and have that variety, best first. `again` is the whole track again and again, or None.
    """
    if again is not None and not is_varied(segment_table(again), needed):
        again = None
    if not varied and again is None:
        return tuple(repetitive)
    ways = [*varied[: 1 if repetitive else MAX_OPTIONS - 1], *([] if again is None else [again])]
    unlike: dict[object, LoopPlan] = {}  # an option has another body or another ending than those before it
    for plan in (*ways[:1], *repetitive[:1], *ways[1:], *repetitive[1:]):
        unlike.setdefault((plan.body and plan.body[:2], plan.ending.is_own), plan)
    return _falling(first_options(list(unlike.values()), others=(*varied, *repetitive)))


def first_options(
    plans: Sequence[LoopPlan], most: int = MAX_OPTIONS, others: Sequence[LoopPlan] = ()
) -> list[LoopPlan]:
    """The first plans, the last of which gives way to one that begins with the picture, if only later ones do.

    `others` come after `plans`, and only for that.
    """
    first = list(plans[:most])
    prompt = next((plan for plan in (*plans, *others) if plan.music_in == 0.0), None)
    return first if prompt is None or any(plan.music_in == 0.0 for plan in first) else [*first[: most - 1], prompt]


def _falling(options: Sequence[LoopPlan]) -> tuple[LoopPlan, ...]:
    """Options, none of which has a higher score than one before it."""
    scores = np.minimum.accumulate([option.plan_score for option in options]).tolist()
    return tuple(replace(option, plan_score=score) for option, score in zip(options, scores, strict=True))


def _within_limits(plans: Sequence[LoopPlan], profile: LoopProfile, params: CoverParams) -> int:
    """Which plan is served of those that go on."""
    best = plans[0]
    if not find_repetition(best, profile, params).over_limits:
        return 0
    for number, plan in enumerate(plans):
        ends_as_well = best.is_faded_out or not plan.is_faded_out
        scores_as_well = plan.plan_score >= best.plan_score - LIMIT_PENALTY
        if ends_as_well and scores_as_well and not find_repetition(plan, profile, params).over_limits:
            return number
    return 0


def _spares_enough(again: LoopPlan, other: LoopPlan, profile: LoopProfile, params: CoverParams) -> bool:
    """Whether a plan that lets the whole track begin again is served instead of one that goes on."""
    if not find_repetition(other, profile, params).over_limits or find_repetition(again, profile, params).over_limits:
        return False
    spared = worn_seconds(other, profile) - worn_seconds(again, profile)
    return spared > 0.0 and spared >= params.restart_worth_seconds * count_restarts(again, profile)
