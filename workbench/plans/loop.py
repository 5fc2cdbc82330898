"""Fill a video with a track, to the millisecond: choose bodies, how often each repeats, and how it ends.

The music plays the track from its start and takes splices (`workbench.plans.splices`). Which of their combinations
have the length is found without a search over the video (`workbench.plans.combinations`). The best of them are scored
exactly, and the best that differ to the ear become the options. What an ideal plan has is given up in the order of the
weights in `CoverParams`, smallest first: rare seams, whole phrases, freshness, even use of the track, the own ending.
The limits on repetition (`max_passes_in_a_row`, `max_plays_over_mean`) cost too much for that only where keeping them
costs the own ending or a far more audible seam. A seam under the floor is used only where every plan over it
plays too little of the track for minutes: then longer bodies are searched for, and then fair seams.

An option passes the test of the plan served: it has no seam that many hear (`plan_score.NOTICED`) unless that plan has
one as bad. One option may be of another kind: the whole track again from its head after its own ending (a restart), as
often as the length asks for. That it begins again is audible, so it is there only where it wears less than the others,
and served only where they wear far more (below).

Where a range of the track is not played, a route may begin with one splice that leads past it, and goes on as any other
from there. A body that holds such a range is played around it, by two splices a pass.

Plans that go on come ranked by `plan_score` (`workbench.plans.plan_score`), and the best of them is served, but for
wear:

- where it passes a limit on repetition, the next one within both, and the track's own ending where the best has it,
  is served in its place, unless its score is lower by more than `plan_score.LIMIT_PENALTY`;
- where the plan so chosen passes a limit all the same, one that lets the whole track end and begin again (a restart) is
  served if it is within the limits and each of its restarts saves `CoverParams.restart_worth_seconds` of worn music
  (`workbench.plans.repetition`). A restart is audible, and so is music that comes for the tenth time: this is what one
  is worth in seconds of the other.

Where the whole track again is not served, it is the last of the options if it wears less than the plan served. No
option has a higher score than one before it.

Repetition that goes on and on is a fault as an audible seam is. Any five minutes of a plan are to play
`CoverParams.min_variety_seconds` of different music (`workbench.plans.repetition.variety`), while there is any other
way. The plan served as above stays where it satisfies that rule. Where it does not, or there is none, the first of
these is served: a plan by longer bodies; one over fair seams, of `plan_score.FAIR` and more; the whole track again. The
ways that were passed over, the plan that repeats too much among them, are the options. Where no way plays as much
different music, one that plays three quarters of it is as good, then one that plays half; but an audible seam is no
price for a few seconds, and so only where that is a quarter more than what would be served.

The answer is a function of the profile, the length, the constraints and the parameters alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from workbench.errors import ContradictionError, plain_seconds
from workbench.params import CoverParams
from workbench.plans import refusals
from workbench.plans.build import (
    Route,
    assemble,
    fade_route,
    looped_body,
    own_end_route,
    passes_of,
    route_score,
    spans,
)
from workbench.plans.combinations import routes_of
from workbench.plans.constraints import (
    NO_CONSTRAINTS,
    UNCONSTRAINED,
    Constraint,
    LineConstraints,
    NamedSplice,
    SeamConstraints,
    TrackRange,
    cannot_be_satisfied,
    clock,
    on_lines,
    smallest_contradiction,
)
from workbench.plans.plan import MAX_OPTIONS, LoopBody, LoopPlan, nearest_line, segment_table
from workbench.plans.plan_score import FAIR, LIMIT_PENALTY, NOTICED, is_raised
from workbench.plans.refusals import Refusal
from workbench.plans.repetition import find_repetition, is_varied, least_variety, wears_less
from workbench.plans.splices import NO_SPLICE, UsableSplices, rank_within, sound_alike, usable_splices, with_pairs
from workbench.recording import BoolArray, FloatArray, IntArray
from workbench.seams.profile import LoopProfile

_WAY_BARS = 8  # bars within which two ways past a range lead to the same place
_MOST_WAYS = 4  # past a range that is not played, tried
_SHARES = (1.0, 0.75, 0.5)  # of the variety wanted: where no way has the one, the next is asked for
_LEAST_GAIN = 0.25  # of the variety wanted, that a way has more than the plan served, where it has not all of it


def plan_loop(
    profile: LoopProfile,
    video_seconds: float,
    params: CoverParams = CoverParams(),
    constraints: SeamConstraints = NO_CONSTRAINTS,
) -> LoopPlan | Refusal:
    """Cover a video with a track.

    Parameters
    ----------
    profile : what is known of the track
    video_seconds : length of the video, s; rounded to the microsecond
    params : limits, weights and the bounds of the search
    constraints : where no seam may be, which splices are not used, and which are, in every option

    Returns
    -------
    LoopPlan : the best plan, with up to four options, the first equal to it; or
    Refusal : `video_not_longer`, then `no_loop_profile`; `constraints` where there is a plan, but none that
        satisfies them, with the smallest part that contradicts; `low_confidence` where no splice reaches
        `min_seam_score` and the grid's confidence is under `refusals.SURE_CONFIDENCE`; else `no_viable_loop`

    Raises
    ------
    ConstraintError : a constraint makes no sense on this track
    PlanError : a plan breaks an invariant, which is a fault of the planner
    """
    refusal = refusals.video_not_longer(video_seconds, profile.song_duration, params.required_excess_seconds)
    if refusal is not None:
        return refusal
    if profile.downbeats.size < 3:
        return refusals.no_loop_profile()
    try:
        answer = find_loop(profile, video_seconds, params, on_lines(profile, constraints))
    except ContradictionError as error:
        return refusals.contradiction(error.sentence, error.constraints)
    if isinstance(answer, LoopPlan):
        return answer
    if not constraints:
        return with_suggestions(
            answer, profile, params, lambda splice: _can_pin(splice, profile, video_seconds, params)
        )

    def can_be_satisfied(some: tuple[Constraint, ...]) -> bool:
        rules = on_lines(profile, constraints.only(some))
        return isinstance(find_loop(profile, video_seconds, params, rules), LoopPlan)

    blamed = smallest_contradiction(constraints.each, can_be_satisfied)
    if not blamed:
        return find_loop(profile, video_seconds, params, UNCONSTRAINED)
    said = cannot_be_satisfied(blamed, f"a loop of {plain_seconds(video_seconds)} s")
    for one in constraints.excluded:
        if SeamConstraints(excluded=(one,)).each == blamed:
            said += _why_it_is_played(profile, params, one)
    return refusals.contradiction(said, blamed)


def _can_pin(splice: NamedSplice, profile: LoopProfile, video_seconds: float, params: CoverParams) -> bool:
    """Whether there is a plan, varied enough, that takes a splice."""
    plan = find_loop(profile, video_seconds, params, on_lines(profile, SeamConstraints(pinned=(splice,))))
    return isinstance(plan, LoopPlan) and is_varied(segment_table(plan), least_variety(profile, params))


def _why_it_is_played(profile: LoopProfile, params: CoverParams, excluded: TrackRange) -> str:
    """Why every loop plays a range that is not to be played, after a comma; empty where that is not known."""
    if _holds_start(profile, excluded):
        return ", for a loop begins where the track does"
    rules = on_lines(profile, SeamConstraints(excluded=(excluded,)))
    params = params.model_copy(update={"min_seam_score": _floors(params)[-1]})
    usable = with_pairs(usable_splices(profile, params, rules), params)
    if not np.any(usable.leads_past_excluded & usable.first):
        return (
            f", for a loop begins where the track does, and no splice with a score of {params.min_seam_score:g} leads "
            f"from before {clock(excluded.song_from)} past {clock(excluded.song_to)}"
        )
    repeats = usable.is_body & np.diagonal(usable.follows)
    if any(np.any(repeats & _may_open(usable, way)) for way in (None, *_ways_past(usable))):
        return ""
    return f", for no part that repeats unnoticed is entirely before {clock(excluded.song_from)} or after " + clock(
        excluded.song_to
    )


def _holds_start(profile: LoopProfile, stretch: TrackRange) -> bool:
    """Whether the track starts in a range of it, where every loop begins."""
    return stretch.song_from <= round(profile.song_start, 6) < stretch.song_to


def with_suggestions(
    refusal: Refusal, profile: LoopProfile, params: CoverParams, can_pin: Callable[[NamedSplice], bool]
) -> Refusal:
    """A refusal with the splices that make a plan all the same: the least audible one back, and a restart.

    `can_pin` says whether there is a plan, varied enough, that takes a splice.
    """
    body = _best_body(profile, params)
    if body is not None and can_pin(body[0]):
        refusal = replace(refusal, best_splice=body[0], best_score=body[1])
    if profile.restart is not None:
        again = _named(profile, profile.restart.leave, profile.restart.enter)
        if can_pin(again):
            refusal = replace(refusal, restart=again)
    return refusal


def _named(profile: LoopProfile, leave: int, enter: int) -> NamedSplice:
    """A splice by the times of its bar lines."""
    return NamedSplice(float(profile.downbeats[leave]), float(profile.downbeats[enter]))


def _best_body(profile: LoopProfile, params: CoverParams) -> tuple[NamedSplice, float] | None:
    """The least audible splice back, and its score; None for a track without one that is long enough."""
    splices = profile.splices
    last = profile.downbeats.size if profile.ending is None else profile.ending.start_bar
    long_enough = splices.song_to - splices.song_from >= params.min_body_seconds
    rows = np.flatnonzero(long_enough & (splices.leave <= last))
    rows = rows[~profile.is_restart(splices.leave[rows], splices.enter[rows])]
    if not rows.size:
        return None
    row = int(rows[np.argmax(splices.score[rows])])
    return _named(profile, splices.leave[row], splices.enter[row]), float(splices.score[row])


def find_loop(
    profile: LoopProfile, video_seconds: float, params: CoverParams, constraints: LineConstraints
) -> LoopPlan | Refusal:
    """`plan_loop` for a track with bars and a video of any length; constraints that cannot be satisfied are a refusal.

    The track has at least three bar lines; the length is rounded to the microsecond.
    """
    task = _Task(profile, round(video_seconds, 6), params, constraints)
    found = _search(task)
    plans, least = [], 0.0
    if not isinstance(found, Refusal):
        goes_on = _unlike_routes(found, profile)
        plans = [assemble(route, found.usable, profile, params) for route in goes_on]
        least = min([NOTICED, *(_worst(route, found.usable) for route in goes_on[:1])])
    again = _begin_again(task, least if plans else 0.0)
    options = ranked_options(plans, again, profile, params) if plans else ()
    options = _more_varied(options, found, again, task)
    if options:
        return replace(options[0], options=options)
    if isinstance(found, Refusal):
        return found
    return _refuse("no body of it plays in one piece in this length", float(found.usable.score.max()), task)


def ranked_options(
    plans: Sequence[LoopPlan], again: LoopPlan | None, profile: LoopProfile, params: CoverParams
) -> tuple[LoopPlan, ...]:
    """The options of a loop, the plan served first.

    At most `MAX_OPTIONS`. `plans` go on, best score first, at least one; `again` is the whole track again and again,
    None if there is no such plan. None of them has options.
    """
    first = _within_limits(plans, profile, params)
    options = [plans[first], *plans[:first], *plans[first + 1 :]]
    if again is not None and _saves_enough(again, options[0], profile, params):
        options = [again, *options]
    elif again is not None and wears_less(again, options[0], profile):
        options = [*first_options(options, MAX_OPTIONS - 1), again]
    return _falling(first_options(options))


def _more_varied(
    served: tuple[LoopPlan, ...], found: _Found | Refusal, again: LoopPlan | None, task: _Task
) -> tuple[LoopPlan, ...]:
    """The options with the variety wanted, or with as much of it as there is a way to; none if there is no way.

    `served` would be the options if repetition was no fault, none if there is no plan; `again` is the whole track again
    and again, or None.
    """
    profile, _, params, constraints = task
    needed = least_variety(profile, params, constraints)
    if params.min_variety_seconds == 0.0 or (served and is_varied(segment_table(served[0]), needed)):
        return served
    floors = _floors(params)
    begins_again = [again, *(_begin_again(_at(task, fair, 0.0), 0.0) for fair in floors[1:])]
    searched = {(floors[0], 0.0): found}

    def going_on(floor: float, wanted: float) -> list[LoopPlan]:
        """Plans that have the variety, by the best bodies or, if that is better, by longer ones."""
        some: list[list[LoopPlan]] = [[]]
        for body_seconds in (0.0, wanted):
            if (floor, body_seconds) not in searched:
                searched[floor, body_seconds] = _search(_at(task, floor, body_seconds))
            ways = searched[floor, body_seconds]
            if not isinstance(ways, Refusal):
                routes = _unlike_routes(ways, profile, wanted)
                some.append([assemble(route, ways.usable, profile, params) for route in routes])
        return max(some, key=lambda plans: plans[0].plan_score if plans else 0.0)

    for share in _SHARES:
        if share < 1.0 and served and is_varied(segment_table(served[0]), (share - _LEAST_GAIN) * needed):
            break
        varied = next(filter(None, (going_on(floor, share * needed) for floor in floors)), [])
        again = next((one for one in begins_again if one and is_varied(segment_table(one), share * needed)), None)
        if varied or again is not None:
            return varied_options(served, varied, again)
    return served


def _floors(params: CoverParams) -> list[float]:
    """Seam scores that all seams of a plan reach: where there is no other way, the second one."""
    floor = params.min_seam_score
    return [floor] if floor <= FAIR or is_raised(floor) or params.min_variety_seconds == 0.0 else [floor, FAIR]


def _at(task: _Task, floor: float, body_seconds: float) -> _Task:
    """A task with another floor of seam scores, and bodies that last so long at least."""
    body_seconds = max(task.params.min_body_seconds, body_seconds)
    changed = {"min_seam_score": floor, "min_body_seconds": body_seconds}
    return task._replace(params=task.params.model_copy(update=changed))


def varied_options(
    repetitive: Sequence[LoopPlan], varied: Sequence[LoopPlan], again: LoopPlan | None
) -> tuple[LoopPlan, ...]:
    """The options where the first of `repetitive`, if there are any, repeats too much.

    At most `MAX_OPTIONS`. `repetitive` are those that would be served else, `varied` the plans that go on and repeat
    less, best first. `again` is the whole track again and again, or None.
    """
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


def _saves_enough(again: LoopPlan, other: LoopPlan, profile: LoopProfile, params: CoverParams) -> bool:
    """Whether a plan that lets the whole track begin again is served instead of one that goes on."""
    now, instead = (find_repetition(plan, profile, params) for plan in (other, again))
    spared = now.worn_seconds - instead.worn_seconds
    spares_enough = spared > 0.0 and spared >= params.restart_worth_seconds * again.ending.restarts
    return now.over_limits and not instead.over_limits and spares_enough


class _Task(NamedTuple):
    """A track, a length, and what is asked for."""

    profile: LoopProfile
    video: float  # s
    params: CoverParams
    constraints: LineConstraints


class _Found(NamedTuple):
    """What a search found."""

    usable: UsableSplices
    routes: list[Route]  # best first


def _search(task: _Task) -> _Found | Refusal:
    """The routes that cover a video and end, or fade, in time; without those that begin the whole track again."""
    profile, _, params, constraints = task
    usable = with_pairs(usable_splices(profile, params, constraints), params)
    if usable.size == 0:
        back = _best_body(profile, params)  # one that leads on or is too short makes no loop, however it sounds
        best = float(profile.splices.score.max(initial=0.0)) if back is None else back[1]
        return _refuse("no two of its bar lines sound alike enough to splice between them", best, task)
    ways = [None, *_ways_past(usable)]
    if not any(np.any(usable.is_body & _may_open(usable, way)) for way in ways) and not usable.pinned.size:
        why = f"no part of it that repeats lasts {params.min_body_seconds:.0f} s"
        return _refuse(why, float(usable.score.max()), task)
    if usable.pinned.size < len(constraints.pinned):
        return _refuse("a pinned seam leaves no room for its crossfade", 1.0, task)

    routes = [
        route
        for way in ways
        for route in _routes_by(way, usable, task)
        if not usable.constraints.plays_excluded(*spans(route, usable).T).any()
    ]
    if not routes:
        return _refuse("its loops add up to no length that ends with the video", float(usable.score.max()), task)
    scores = [float(route_score(route, usable, profile, params).total(params)) for route in routes]
    ranked = [routes[index] for index in np.argsort(-np.array(scores), kind="stable").tolist()]
    if profile.is_restart(usable.leave[usable.pinned], usable.enter[usable.pinned]).any():
        # Who asks to hear the track end and begin again waits for its end, and misses what is skipped.
        ranked.sort(key=lambda route: (not route.ending.is_own, bool(np.any(usable.gain_seconds[route.taken] < 0))))
    return _Found(usable, ranked)


def _worst(route: Route, usable: UsableSplices) -> float:
    return float(usable.score[route.taken].min())


def _unlike_routes(found: _Found, profile: LoopProfile, needed: float = 0.0) -> list[Route]:
    """The best routes that differ to the ear and have `needed` s of variety; at most `MAX_OPTIONS`.

    One of them begins with the picture, if any route does.
    """
    usable = found.usable
    options: list[tuple[Route, IntArray]] = []
    least = 0.0
    for route in found.routes:
        is_full = len(options) == MAX_OPTIONS
        if is_full and any(other.music_in == 0.0 for other, _ in options):
            break
        if _worst(route, usable) < least or (is_full and route.music_in > 0.0):
            continue
        table = spans(route, usable)
        body = _played_body(table, usable, profile)
        if body is None or not is_varied(table, needed):
            continue
        ends = nearest_line(profile.downbeats, np.array([[body.song_to, body.song_from]]))
        others = options[: MAX_OPTIONS - 1]
        if all(
            route.ending.is_own != other.ending.is_own or not sound_alike(ends, known).any() for other, known in others
        ):
            options = [*others, (route, ends)]
            least = least or min(NOTICED, _worst(route, usable))
    return [route for route, _ in options]


def _played_body(table: FloatArray, usable: UsableSplices, profile: LoopProfile) -> LoopBody | None:
    """The looped body of some segments; None where no pass of it plays whole, but for what is not played."""
    body = looped_body(table, profile.downbeats)
    if body is None or usable.constraints.plays_excluded(*np.array(body[:2])):
        return body
    return body if passes_of(table, np.array([body.song_from]), np.array([body.song_to])).any() else None


def _begin_again(task: _Task, least: float) -> LoopPlan | None:
    """The best plan that plays the whole track again and again; None where the track or the length allows none.

    The other seams of the plan score `least` or more.
    """
    profile, video, params, constraints = task
    if profile.restart is None:
        return None
    usable = with_pairs(usable_splices(profile, params, constraints, restart=True), params)
    if usable.restart is None:
        return None
    # Routes are ranked by their other seams, or a restart would always be left out, and no other body is repeated.
    whole = (float(usable.song_from[usable.restart]), float(usable.song_to[usable.restart]))
    ahead, last = usable.pairs.T
    again = last == usable.restart
    others = np.where(ahead == NO_SPLICE, 1.0, usable.score[ahead])  # of a restart, and of what leads to it
    ranked = replace(usable, score=np.where(again, others, usable.score), is_body=again)
    # behind a hit near its end the track has no bar line left on which to begin again first
    bodies = np.flatnonzero(again & usable.first & np.diagonal(usable.follows))[:_MOST_WAYS].tolist()

    def plays_whole(route: Route) -> bool:
        table = spans(route, usable)
        if ranked.score[route.taken].min() < least or usable.constraints.plays_excluded(*table.T).any():
            return False
        body = _played_body(table, usable, profile)
        return body is not None and body[:2] == whole

    # A pass that would stop in the track's ending fades there only where there is no other way to meet the length.
    for some in (profile, replace(profile, ending=None)):
        routes = [one for body in bodies for one in routes_of(ranked, some, video, params, body) if plays_whole(one)]
        if routes:
            best = max(routes, key=lambda route: float(route_score(route, ranked, profile, params).total(params)))
            return assemble(best, usable, profile, params)
    return None


def _ways_past(usable: UsableSplices) -> list[int]:
    """Splices by which the music, from its beginning, gets past a range that is not played: the best, with variety."""
    past = usable.leads_past_excluded & usable.first & np.any(usable.follows & usable.is_body, axis=1)
    rows = np.flatnonzero(past)  # best first
    rows = rows[rank_within(usable.enter[rows] // _WAY_BARS) == 0]
    return [int(row) for row in rows[:_MOST_WAYS]]


def _may_open(usable: UsableSplices, way: int | None) -> BoolArray:
    """Which splices may be taken first, or first after the way past a range; shape (n,)."""
    return usable.first if way is None else usable.follows[way]


def _routes_by(way: int | None, usable: UsableSplices, task: _Task) -> Iterator[Route]:
    """The best routes that take one splice before all others, once, to get past a range that is not played."""
    profile, video, params, _ = task
    if way is None:
        yield from routes_of(usable, profile, video, params)
        return
    # As if the music that is left out were played, and the video as much longer.
    longer = round(video - float(usable.gain_seconds[way]), 6)
    rest = replace(usable, first=_may_open(usable, way), pinned=usable.pinned[usable.pinned != way])
    for route in routes_of(rest, profile, longer, params):
        taken = np.append(way, route.taken)
        if route.ending.is_own:
            whole = own_end_route(usable, taken, profile, video)
            if whole is not None:
                yield whole
        else:
            yield fade_route(usable, taken, profile, video)


def _refuse(why: str, best_score: float, task: _Task) -> Refusal:
    """The refusal of a track without a plan; put down to unsure bars only where no seam is good enough."""
    required, confidence = task.params.min_seam_score, task.profile.grid_confidence
    if best_score >= required:
        return refusals.no_viable_loop(why)
    if confidence < refusals.SURE_CONFIDENCE:
        return refusals.low_confidence(confidence, best_score, required)
    return refusals.no_viable_loop(f"{why} (the best seam scores {best_score:.2f}, needed {required:.2f})")
