"""Fill a video with a track, to the millisecond: choose bodies, how often each repeats, and how it ends.

The music plays the track from its start and takes splices (`workbench.loops.splices`). A loop back adds the length of
its body to the track's own, a cut ahead takes some away, and so the length of the result is a sum that does not depend
on the order. Which sums exist is therefore enumerated over few splices, and how often the main body repeats follows by
division: the planner's work does not grow with the video (Wenner et al. 2013 and Plachouras & Miron 2023 search the
same space by dynamic programming over the beats of the result).

A route is built of

- a tour (`workbench.loops.tours`): bodies in an order in which the track is heard evenly and nothing comes again soon,
  several regions one after the other where the track has them, the same bodies in a long cycle in a video of hours;
- its main body P, heard as often more as the length asks for. The simplest tour is P alone;
- before or after it one more body or cut Q, up to three times;
- one last splice R, which brings the music to its exit;
- an end: the track's own, where the sum leaves less than a bar to spare (or two, of which `music_in` takes one); else a
  fade on a bar line, preferably a section's.

Every combination that fits is ranked by an estimate of `plan_score` (`workbench.loops.plan_score`), the best are scored
exactly, and the best that differ to the ear become the options. What an ideal plan has is given up in the order of the
weights in `CoverParams`, smallest first: rare seams, whole phrases, freshness, even use of the track, the own ending.
The limits on repetition (`max_passes_in_a_row`, `max_plays_over_mean`) cost too much for that only where keeping them
costs the own ending or a seam that is heard far more. A seam under the floor is used only where every plan over it
plays too little of the track for minutes: then longer bodies are searched for, and then fair seams. Bodies shorter than
`min_body_seconds` only ever serve as Q or R.

An option passes the test of the plan served: it has no seam that many hear (`plan_score.HEARD`) unless that plan has
one as bad. One option may be of another kind: the whole track again from its head after its own ending
(`workbench.loops.restarts`), as often as the length asks for, with the same Q and R to meet it. That it begins again is
heard, so it is there only where it wears less than the others, and served only where they wear far more
(`workbench.loops.serving`).

Splices that a person pinned (`workbench.loops.constraints`) are taken by every route: either the combination holds them
all, or the search goes without them for the length that they leave, and each is put where it may stand, once.

Where a range of the track is not played, a route may begin with one splice that leads past it, and goes on as any other
from there. A body that holds such a range is not looped, for each of its passes would need two splices.

The answer is a function of the profile, the length, the constraints and the parameters alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from workbench.beats.edges import EDGE_SECONDS
from workbench.errors import ContradictionError
from workbench.loops import refusals
from workbench.loops.assembly import (
    Route,
    assemble,
    body_heard_longest,
    fade_route,
    own_end_route,
    route_score,
    spans,
)
from workbench.loops.constraints import (
    NO_CONSTRAINTS,
    Constraint,
    LineConstraints,
    NamedSplice,
    SeamConstraints,
    TrackRange,
    cannot_be_kept,
    clock,
    on_lines,
    smallest_contradiction,
)
from workbench.loops.ends import end_slack, last_line, late_and_tail
from workbench.loops.plan import MAX_OPTIONS, MOST_BARS, LoopPlan, segment_table
from workbench.loops.plan_score import (
    FAIR,
    HEARD,
    PlanScore,
    fresh_again,
    freshness_part,
    over_limits,
    own_ending_part,
)
from workbench.loops.profile import LoopProfile
from workbench.loops.refusals import Refusal, plain_seconds
from workbench.loops.repetition import is_varied, least_variety
from workbench.loops.restarts import splices_restart
from workbench.loops.serving import ranked_options, varied_options
from workbench.loops.splices import UsableSplices, rank_within, usable_splices
from workbench.loops.tours import Tour, make_tours, tour_of_body
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray

_MAX_ADJUSTERS = 40  # splices tried to make a length fit; the search grows with their square
_FINALISTS = 12  # routes of each kind of ending scored exactly
_FINALISTS_OF_ONE_PATH = 2
_FINALISTS_OF_ONE_BODY = 4  # heard longest; so that there are options to the ear
_MOST_TIMES = 3  # how often Q is taken
_NONE = -1  # no splice
_MOST_HELD = 3  # pinned splices that one combination can hold besides those of its tour
_WAY_BARS = 8  # bars within which two ways past a range lead to the same place
_MOST_WAYS = 4  # past a range that is not played, tried
_NO_SPLICES: IntArray = np.zeros(0, dtype=np.int64)


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
    Refusal : `video_not_longer`, then `no_loop_profile`; `constraints` where there is a plan, but none that keeps
        them, with the smallest part that contradicts; `low_confidence` where no splice reaches `min_seam_score` and the
        grid's confidence is under `refusals.SURE_CONFIDENCE`; else `no_viable_loop`

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
        return _with_suggestions(answer, profile, video_seconds, params)

    def can_be_kept(some: tuple[Constraint, ...]) -> bool:
        rules = on_lines(profile, constraints.only(some))
        return isinstance(find_loop(profile, video_seconds, params, rules), LoopPlan)

    blamed = smallest_contradiction(constraints.each, can_be_kept)
    if not blamed:
        return find_loop(profile, video_seconds, params, None)
    whys = [
        _why_it_is_played(profile, params, one)
        for one in constraints.excluded
        if SeamConstraints(excluded=(one,)).each == blamed
    ]
    where = f"a loop of {plain_seconds(video_seconds)} s"
    return refusals.contradiction((*cannot_be_kept(blamed, where), *whys), blamed)


def _why_it_is_played(profile: LoopProfile, params: CoverParams, excluded: TrackRange) -> str:
    """Why every loop plays a range that is not to be played, after a comma; empty where that is not known."""
    if excluded.song_from <= round(profile.song_start, 6) < excluded.song_to:
        return ", for a loop begins where the track does; a fit may begin elsewhere"
    usable = usable_splices(profile, params, on_lines(profile, SeamConstraints(excluded=(excluded,))))
    if not np.any(usable.leads_past_excluded & usable.first):
        return (
            f", for a loop begins where the track does, and no splice with a score of {params.min_seam_score:g} leads "
            f"from before {clock(excluded.song_from)} past {clock(excluded.song_to)}"
        )
    repeats = usable.is_body & np.diagonal(usable.follows)
    if any(np.any(repeats & _may_open(usable, way)) for way in (None, *_ways_past(usable))):
        return ""
    return f", for no part that repeats unnoticed lies as a whole before {clock(excluded.song_from)} or after " + clock(
        excluded.song_to
    )


def restart_splice(profile: LoopProfile) -> NamedSplice | None:
    """The splice by which a track begins again after its own ending; None for a track that cannot."""
    if profile.restart is None:
        return None
    lines = profile.downbeats
    return NamedSplice(float(lines[profile.restart.leave]), float(lines[profile.restart.enter]))


def _with_suggestions(refusal: Refusal, profile: LoopProfile, video_seconds: float, params: CoverParams) -> Refusal:
    """A refusal with the splices that make a plan all the same, varied enough."""

    def is_plan(splice: NamedSplice) -> bool:
        pinned = on_lines(profile, SeamConstraints(pinned=(splice,)))
        plan, needed = find_loop(profile, video_seconds, params, pinned), least_variety(profile, params)
        return isinstance(plan, LoopPlan) and is_varied(segment_table(plan), needed)

    body, again = _best_body(profile, params), restart_splice(profile)
    if body is not None and is_plan(body[0]):
        refusal = replace(refusal, best_splice=body[0], best_score=body[1])
    if again is not None and is_plan(again):
        refusal = replace(refusal, restart=again)
    return refusal


def _best_body(profile: LoopProfile, params: CoverParams) -> tuple[NamedSplice, float] | None:
    """The splice back that is heard least, and its score; None for a track without one that is long enough."""
    splices = profile.splices
    last = profile.downbeats.size if profile.ending is None else profile.ending.start_bar
    long_enough = splices.song_to - splices.song_from >= params.min_body_seconds
    rows = np.flatnonzero(long_enough & (splices.leave <= last))
    if profile.restart is not None:
        rows = rows[~profile.restart.is_at(splices.leave[rows], splices.enter[rows])]
    if not rows.size:
        return None
    row = int(rows[np.argmax(splices.score[rows])])
    leave, enter = (float(profile.downbeats[line]) for line in (splices.leave[row], splices.enter[row]))
    return NamedSplice(leave, enter), float(splices.score[row])


def find_loop(
    profile: LoopProfile, video_seconds: float, params: CoverParams, constraints: LineConstraints | None
) -> LoopPlan | Refusal:
    """`plan_loop` for a track with bars and a video of any length; constraints that cannot be kept are a refusal.

    The track has at least three bar lines; the length is rounded to the microsecond.
    """
    video = round(video_seconds, 6)
    found = _search(profile, video, params, constraints)
    plans, least = [], 0.0
    if not isinstance(found, Refusal):
        goes_on = _unlike_routes(found, profile)
        plans = [assemble(route, found.usable, profile, params) for route in goes_on]
        least = min([HEARD, *(_worst(route, found.usable) for route in goes_on[:1])])
    again = _begin_again(profile, video, params, constraints, least if plans else 0.0)
    options = ranked_options(plans, again, profile, params) if plans else ()
    needed = least_variety(profile, params, constraints)
    if params.min_variety_seconds > 0.0 and not (options and is_varied(segment_table(options[0]), needed)):
        varied = _varied_plans(found, profile, video, params, constraints, needed)
        options = varied_options(options, varied, again, needed)
    if options:
        return replace(options[0], options=options)
    if isinstance(found, Refusal):
        return found
    best = float(found.usable.score.max())
    return _refuse("no body of it is heard in one piece in this length", best, profile, params)


class _Found(NamedTuple):
    """What a search found."""

    usable: UsableSplices
    routes: list[Route]  # best first


def _search(
    profile: LoopProfile, video: float, params: CoverParams, constraints: LineConstraints | None
) -> _Found | Refusal:
    """The routes that cover a video and end, or fade, in time; without those that begin the whole track again."""
    usable = usable_splices(profile, params, constraints)
    if usable.size == 0:
        back = _best_body(profile, params)  # one that leads on or is too short makes no loop, however it sounds
        best = float(profile.splices.score.max(initial=0.0)) if back is None else back[1]
        return _refuse("no two of its bar lines sound alike enough to splice between them", best, profile, params)
    ways = [None, *_ways_past(usable)]
    if not any(np.any(usable.is_body & _may_open(usable, way)) for way in ways) and not usable.pinned.size:
        why = f"no part of it that repeats lasts {params.min_body_seconds:.0f} s"
        return _refuse(why, float(usable.score.max()), profile, params)
    if constraints is not None and usable.pinned.size < len(constraints.pinned):
        return _refuse("a pinned seam leaves no room for its crossfade", 1.0, profile, params)

    routes = [
        route
        for way in ways
        for route in _routes_by(way, usable, profile, video, params)
        if not usable.plays_excluded(*spans(route, usable).T).any()
    ]
    if not routes:
        return _refuse(
            "its loops add up to no length that ends with the video", float(usable.score.max()), profile, params
        )
    scores = [float(route_score(route, usable, profile, params).total(params)) for route in routes]
    ranked = [routes[index] for index in np.argsort(-np.array(scores), kind="stable").tolist()]
    if splices_restart(usable.leave[usable.pinned], usable.enter[usable.pinned], profile).any():
        # Who asks to hear the track end and begin again waits for its end, and misses what is skipped.
        ranked.sort(key=lambda route: (not route.own_ending, bool(np.any(usable.gain_seconds[route.taken] < 0))))
    return _Found(usable, ranked)


def _worst(route: Route, usable: UsableSplices) -> float:
    return float(usable.score[route.taken].min())


def _unlike_routes(found: _Found, profile: LoopProfile, needed: float = 0.0) -> list[Route]:
    """The best routes that differ to the ear and have `needed` s of variety; at most `MAX_OPTIONS`.

    One of them begins with the picture, if any route does.
    """
    usable = found.usable
    options: list[tuple[Route, int]] = []
    least = 0.0
    for route in found.routes:
        is_full = len(options) == MAX_OPTIONS
        if is_full and any(other.music_in == 0.0 for other, _ in options):
            break
        if _worst(route, usable) < least or (is_full and route.music_in > 0.0):
            continue
        body, passes = body_heard_longest(route, usable)
        others = options[: MAX_OPTIONS - 1]
        differs = all(route.own_ending != other.own_ending or usable.unlike(body, [known]) for other, known in others)
        if passes and differs and is_varied(spans(route, usable), needed):
            options = [*others, (route, body)]
            least = least or min(HEARD, _worst(route, usable))
    return [route for route, _ in options]


def _varied_plans(
    found: _Found | Refusal,
    profile: LoopProfile,
    video: float,
    params: CoverParams,
    constraints: LineConstraints | None,
    needed: float,
) -> list[LoopPlan]:
    """Plans that go on with `needed` s of variety: of those found, by longer bodies, or over fair seams; or none."""

    def among(some: _Found | Refusal) -> list[LoopPlan]:
        if isinstance(some, Refusal):
            return []
        return [assemble(route, some.usable, profile, params) for route in _unlike_routes(some, profile, needed)]

    def search(floor: float, body_seconds: float) -> list[LoopPlan]:
        changed = {"min_seam_score": floor, "min_body_seconds": max(params.min_body_seconds, body_seconds)}
        return among(_search(profile, video, params.model_copy(update=changed), constraints))

    floor = params.min_seam_score
    varied = max(among(found), search(floor, needed), key=lambda plans: plans[0].plan_score if plans else 0.0)
    if varied or not FAIR < floor <= CoverParams().min_seam_score:  # one that somebody raised is kept
        return varied
    return search(FAIR, 0.0) or search(FAIR, needed)


def _begin_again(
    profile: LoopProfile, video: float, params: CoverParams, constraints: LineConstraints | None, least: float
) -> LoopPlan | None:
    """The best plan that plays the whole track again and again; None where the track or the length allows none.

    The other seams of the plan score `least` or more.
    """
    if profile.restart is None:
        return None
    # What follows a restart lasts as long as what opens the track: else it begins only to leave again.
    longer = max(params.min_segment_seconds, params.min_opening_seconds)
    params = params.model_copy(update={"min_segment_seconds": longer})
    usable = usable_splices(profile, params, constraints, restart=True)
    if usable.restart is None:
        return None
    # Routes are ranked by their other seams, or a restart would always be left out, and no other body is repeated.
    alone = np.arange(usable.size) == usable.restart
    ranked = replace(usable, score=np.where(alone, 1.0, usable.score), is_body=alone)
    best: tuple[float, Route] | None = None
    # A pass that would stop in the track's ending fades there only where there is no other way to meet the length.
    for some in (profile, replace(profile, ending=None)):
        for route in _routes(ranked, some, video, params, body=usable.restart):
            played = spans(route, usable)
            if ranked.score[route.taken].min() < least or usable.plays_excluded(*played.T).any():
                continue
            body, passes = body_heard_longest(route, usable)
            if body != usable.restart or not passes:
                continue
            score = float(route_score(route, ranked, profile, params).total(params))
            if best is None or score > best[0]:
                best = score, route
        if best is not None:
            return assemble(best[1], usable, profile, params)
    return None


def _routes(
    usable: UsableSplices, profile: LoopProfile, video: float, params: CoverParams, body: int | None = None
) -> Iterator[Route]:
    """The best routes of each kind of ending; where splices are pinned, those that take them all.

    With `body` its passes are the whole tour.
    """
    ways = [_NO_SPLICES] if usable.pinned.size <= _MOST_HELD else []
    for inserted in (*ways, usable.pinned) if usable.pinned.size else ways:
        need = video - (profile.last_sound - profile.song_start) - float(usable.gain_seconds[inserted].sum())
        tours = make_tours(usable, need, params) if body is None else [tour_of_body(usable, body, params)]
        yield from _own_end_routes(usable, tours, profile, video, params, inserted)
        yield from _fade_routes(usable, tours, profile, video, params, inserted)


def _ways_past(usable: UsableSplices) -> list[int]:
    """Splices by which the music, from its beginning, gets past a range that is not played: the best, with variety."""
    past = usable.leads_past_excluded & usable.first & np.any(usable.follows & usable.is_body, axis=1)
    rows = np.flatnonzero(past)  # best first
    rows = rows[rank_within(usable.enter[rows] // _WAY_BARS) == 0]
    return [int(row) for row in rows[:_MOST_WAYS]]


def _may_open(usable: UsableSplices, way: int | None) -> BoolArray:
    """Which splices may be taken first, or first after the way past a range; shape (n,)."""
    return usable.first if way is None else usable.follows[way]


def _routes_by(
    way: int | None, usable: UsableSplices, profile: LoopProfile, video: float, params: CoverParams
) -> Iterator[Route]:
    """The best routes that take one splice before all others, once, to get past a range that is not played."""
    if way is None:
        yield from _routes(usable, profile, video, params)
        return
    # As if the music that is left out were heard, and the video as much longer.
    longer = round(video - float(usable.gain_seconds[way]), 6)
    rest = replace(usable, first=_may_open(usable, way), pinned=usable.pinned[usable.pinned != way])
    for route in _routes(rest, profile, longer, params):
        taken = np.append(way, route.taken)
        if route.own_ending:
            whole = own_end_route(usable, taken, profile, video)
            if whole is not None:
                yield whole
        else:
            yield fade_route(usable, taken, profile, video)


def _refuse(why: str, best_score: float, profile: LoopProfile, params: CoverParams) -> Refusal:
    """The refusal of a track without a plan; put down to unsure bars only where no seam is good enough."""
    if best_score >= params.min_seam_score:
        return refusals.no_viable_loop(why)
    if profile.grid_confidence < refusals.SURE_CONFIDENCE:
        return refusals.low_confidence(profile.grid_confidence, best_score, params.min_seam_score)
    required = params.min_seam_score
    return refusals.no_viable_loop(f"{why} (the best seam scores {best_score:.2f}, needed {required:.2f})")


class _Mixes(NamedTuple):
    """Combinations of a tour, Q taken `times`, and R, one a row."""

    tour: IntArray
    extra: IntArray
    times: IntArray
    last: IntArray
    extra_within: BoolArray  # Q before the tour or between two of its splices, or after it
    passes: IntArray  # splices of the main body


class _Space(NamedTuple):
    """All combinations of tours, Q and R as a box of shape (n_tours, n_extras, n_lasts)."""

    body: IntArray  # shape (n_tours, 1, 1), splice of the main body
    tail: IntArray  # shape (n_tours, 1, 1), last splice of the tour
    extra: IntArray  # shape (1, n_extras, 1)
    times: IntArray  # shape (1, n_extras, 1)
    last: IntArray  # shape (1, 1, n_lasts)
    legal_after: BoolArray  # tour, Q, R may follow one another
    legal_within: BoolArray  # Q within the tour, and R, may follow one another; False where there is no Q
    added: FloatArray  # seconds that all splices but those of the main body add

    def rows(self, chosen: BoolArray, passes: IntArray, before: BoolArray) -> _Mixes:
        """The chosen combinations, one a row; `before` has the shape of `chosen`: Q within the tour."""
        tour, extra, last = np.nonzero(chosen)
        taken = self.extra[0, extra, 0]
        times = np.where(taken == _NONE, 0, self.times[0, extra, 0])
        return _Mixes(tour, taken, times, self.last[0, 0, last], before[chosen], passes[chosen])


def _adjusters(usable: UsableSplices) -> IntArray:
    """Splices that can make a length fit: the best of every length and those pinned, with `_NONE` first."""
    bars = usable.leave - usable.enter
    nth_of_length = rank_within(bars)
    order = np.lexsort((-usable.score, nth_of_length // 2))
    best = order[:_MAX_ADJUSTERS]
    return np.concatenate([[_NONE], best, usable.pinned[~np.isin(usable.pinned, best)]])


def _space(usable: UsableSplices, tours: list[Tour], extras: IntArray, lasts: IntArray) -> _Space:
    """Every combination of a tour, Q once or more, and R, and in which order they may follow one another."""
    extra, times = (a.ravel() for a in np.meshgrid(extras, np.arange(1, _MOST_TIMES + 1), indexing="ij"))
    several = np.append(np.diagonal(usable.follows) & usable.is_body, False)
    kept = (times == 1) | several[extra]
    extra, times = extra[kept], times[kept]
    n = usable.size
    follows = np.zeros((n + 1, n + 1), dtype=bool)  # the last row and column stand for no splice
    follows[:n, :n] = usable.follows
    follows[:, n] = True
    gain = np.append(usable.gain_seconds, 0.0)
    body, tail = (np.array([getattr(tour, name) for tour in tours]) for name in ("body", "tail"))
    touring = np.array([tour.gain_seconds for tour in tours])

    legal_after = follows[np.ix_(tail, extra)][:, :, None] & follows[np.ix_(extra, lasts)][None, :, :]
    apart = {tour.number: tour for tour in tours}
    takes = {number: np.any(_places_for(usable, tour, extras), axis=0) for number, tour in apart.items()}
    opens = np.repeat(np.array([takes[tour.number] for tour in tours]), _MOST_TIMES, axis=1)[:, kept]
    legal_within = opens[:, :, None] & follows[np.ix_(tail, lasts)][:, None, :]
    added = touring[:, None, None] + (gain[extra] * times)[None, :, None] + gain[lasts][None, None, :]
    return _Space(
        body[:, None, None],
        tail[:, None, None],
        extra[None, :, None],
        times[None, :, None],
        lasts[None, None, :],
        legal_after,
        legal_within,
        added,
    )


def _own_end_routes(
    usable: UsableSplices,
    tours: list[Tour],
    profile: LoopProfile,
    video: float,
    params: CoverParams,
    inserted: IntArray,
) -> list[Route]:
    """The best routes that end with the track itself."""
    if profile.ending is None or not tours:
        return []
    longest_tail, latest_start = end_slack(profile)
    least = max(params.min_segment_seconds, params.gain_glide_seconds, longest_tail)
    plays_out = profile.last_sound - usable.song_from >= least + usable.fade / 2
    plays_out = np.append(plays_out & ~usable.plays_excluded(usable.song_from, np.array(profile.last_sound)), True)
    need = video - (round(profile.last_sound, 6) - round(profile.song_start, 6))
    need -= float(usable.gain_seconds[inserted].sum())

    adjusters = _adjusters(usable)
    space = _space(usable, tours, adjusters, adjusters)
    least_passes = _least_passes(tours)
    length = usable.gain_seconds[space.body]
    left = need - space.added
    passes = np.floor((left + 1e-6) / length).astype(np.int64)
    spare = left - passes * length
    fits = (spare <= longest_tail + latest_start - 1e-5) & (passes >= least_passes)
    # The splice before the end is R; without R it is Q, or the body where Q comes first or not at all.
    exits_after = np.where(space.last != _NONE, space.last, np.where(space.extra != _NONE, space.extra, space.tail))
    exits_before = np.where(space.last != _NONE, space.last, space.tail)
    after = space.legal_after & plays_out[exits_after]
    fits &= after | (space.legal_within & plays_out[exits_before])
    if usable.pinned.size > inserted.size:
        fits &= _holds_pinned(usable, tours, space, passes)
    mixes = space.rows(fits, passes, ~after)
    ending = own_ending_part(profile.ending.kind, *late_and_tail(spare[fits], longest_tail, latest_start))
    score = _estimate(usable, tours, mixes, ending, video, profile.last_sound, params)
    best = _best(tours, mixes, score)[: _finalists(inserted)]
    paths = (_path(usable, tours, mixes, row) for row in best.tolist())
    taken = (_with_inserted(usable, path, inserted, plays_out) for path in paths)
    routes = (own_end_route(usable, path, profile, video) for path in taken if path is not None)
    return [route for route in routes if route is not None]


def _fade_routes(
    usable: UsableSplices,
    tours: list[Tour],
    profile: LoopProfile,
    video: float,
    params: CoverParams,
    inserted: IntArray,
) -> list[Route]:
    """The best routes that fade on a bar line, clear of the track's own ending.

    A file that is made to repeat may fade on the bar line at its end: the next pass would be cut off in its first bar.
    """
    if not tours:
        return []
    lines = profile.downbeats
    last = lines.size - 1
    past = lines.size if profile.ending is None else profile.ending.start_bar + 1
    latest = float(lines[past]) - 1e-3 if past < lines.size else float(lines[-1])
    if usable.restart is not None and profile.ending is None:
        latest = profile.last_sound  # the last pass may fade in the ring of its ending
    latest = min(latest, profile.last_sound)
    is_whole = profile.is_whole(usable.leave, usable.enter)
    latest_after = np.where(is_whole, profile.last_sound + end_slack(profile)[0] - 2 * EDGE_SECONDS, latest)
    space = _space(usable, tours, _adjusters(usable), np.array([_NONE]))
    least_passes = _least_passes(tours)
    length = usable.gain_seconds[space.body]
    longest_tail = MOST_BARS * length / np.maximum(usable.leave[space.body] - usable.enter[space.body], 1)
    end = video + round(profile.song_start, 6) - float(usable.gain_seconds[inserted].sum())
    plays = end - space.added
    bar = float(np.median(np.diff(lines)))
    segment = max(params.min_segment_seconds, params.gain_glide_seconds)
    # Room for the whole fade; then for a segment as long as any other; then, rather than no plan, for a bar that fades.
    for least in (max(segment, params.min_fade_out_seconds + 2.0 * bar), segment, 0.0):
        found: list[tuple[float, _Mixes, int]] = []
        for legal, before in ((space.legal_after, False), (space.legal_within, True)):
            exits = space.tail if before else np.where(space.extra != _NONE, space.extra, space.tail)
            earliest = usable.song_from[exits] + least + usable.fade[exits] + bar
            # a tail, which the fade covers, is shorter than the segment
            earliest = np.maximum(earliest, lines[np.minimum(usable.enter[exits] + 1, last)] + usable.fade[exits])
            most = np.floor((plays - earliest) / length).astype(np.int64)
            for fewer in range(3):
                passes = most - fewer
                stops = plays - passes * length
                fits = legal & (stops <= latest_after[exits]) & (passes >= least_passes)
                fits &= stops - lines[np.searchsorted(lines, stops + 1e-6, side="right") - 1] < longest_tail
                fits &= stops - lines[last] < lines[last] - lines[last - 1]  # nor does a ring last longer than a bar
                fits &= ~usable.plays_excluded(usable.song_from[exits], stops)
                if usable.pinned.size > inserted.size:
                    fits &= _holds_pinned(usable, tours, space, passes)
                mixes = space.rows(fits, passes, np.full(fits.shape, before))
                line = last_line(profile, stops[fits])
                ending = usable.fade_part[line]
                score = _estimate(usable, tours, mixes, ending, video, profile.last_sound, params)
                found += [(float(score[row]), mixes, row) for row in _best(tours, mixes, score)[:_FINALISTS].tolist()]
        found.sort(key=lambda candidate: -candidate[0])
        longest = np.array([tours[mixes.tour[row]].longest for _, mixes, row in found], dtype=np.int64)
        kept = np.flatnonzero(rank_within(longest) < _finalists(inserted, _FINALISTS_OF_ONE_BODY))
        routes = []
        for index in kept[: _finalists(inserted)].tolist():
            path = _path(usable, tours, *found[index][1:])
            # Where a splice may be taken last: so that the fade after it is as long as it is after the others.
            exits = end - float(usable.gain_seconds[path].sum()) - least - bar - usable.fade / 2
            taken = _with_inserted(usable, path, inserted, usable.song_from <= exits)
            if taken is not None:
                routes.append(fade_route(usable, taken, profile, video))
        if routes:
            return routes
    return []


def _least_passes(tours: list[Tour]) -> IntArray:
    """Splices of the main body on top of the tour, one where there is nothing else; shape (n_tours, 1, 1)."""
    return np.array([0 if tour.path.size else 1 for tour in tours])[:, None, None]


def _holds_pinned(usable: UsableSplices, tours: list[Tour], space: _Space, passes: IntArray) -> BoolArray:
    """Which combinations take every pinned splice; of the shape of `passes`."""
    bit = np.zeros(usable.size + 1, dtype=np.int64)  # the last one stands for no splice
    bit[usable.pinned] = 1 << np.arange(usable.pinned.size)
    of_tour = np.array([np.bitwise_or.reduce(bit[tour.path]) for tour in tours])[:, None, None]
    held = of_tour | np.where(passes > 0, bit[space.body], 0) | bit[space.extra] | bit[space.last]
    return np.asarray(held == np.bitwise_or.reduce(bit))


def _with_inserted(
    usable: UsableSplices, path: IntArray, inserted: IntArray, may_be_last: BoolArray
) -> IntArray | None:
    """A path with some more splices, each as near to its middle as it may stand; None where one may stand nowhere."""
    waiting = inserted.tolist()
    while waiting:
        for splice in waiting:
            legal = np.ones(path.size + 1, dtype=bool)
            legal[0] = usable.first[splice]
            legal[1:] &= usable.follows[path, splice]
            legal[:-1] &= usable.follows[splice, path]
            legal[-1] &= may_be_last[splice]
            places = np.flatnonzero(legal)
            if places.size:
                place = int(places[np.argmin(np.abs(places - path.size / 2))])
                path = np.insert(path, place, splice)
                waiting.remove(splice)
                break
        else:
            return None
    return path


def _finalists(inserted: IntArray, count: int = _FINALISTS) -> int:
    """How many routes are made of the best: more where splices must still find their place."""
    return count * (4 if inserted.size else 1)


def _estimate(
    usable: UsableSplices,
    tours: list[Tour],
    mixes: _Mixes,
    ending: FloatArray,
    video: float,
    track: float,
    params: CoverParams,
) -> FloatArray:
    """`plan_score` of each combination: exact in seams, phrasing and coverage, the rest as if Q, R and the added passes
    came again after their own length."""
    which, extra, last, times = mixes.tour, mixes.extra, mixes.last, mixes.times
    body, seams_of, worst_of, score_of, phrasing_of, shared_of, fresh_of, run_of, places = (
        np.array([getattr(tour, name) for tour in tours])[which]
        for name in (
            "body", "seams", "worst", "scores", "phrasings", "shared_seconds", "fresh_seconds", "run", "places",
        )
    )  # fmt: skip
    score, phrasing = np.append(usable.score, 1.0), np.append(usable.phrasing, 0.0)
    gain, n = np.append(usable.gain_seconds, 0.0), usable.size
    shared = np.zeros((n + 1, n + 1))
    shared[:n, :n] = usable.shared_seconds
    with_tour = np.zeros((len(tours), n + 1))
    with_tour[:, :n] = [tour.shared_with for tour in tours]
    passes, one = mixes.passes, last != _NONE
    seams = seams_of + passes + times + one
    worst = np.minimum(np.minimum(worst_of, score[body]), np.minimum(score[extra], score[last]))
    mean = (score_of + passes * score[body] + times * score[extra] + one * score[last]) / seams
    phrases = (phrasing_of + passes * phrasing[body] + times * phrasing[extra] + one * phrasing[last]) / seams
    squares = shared_of + passes**2 * gain[body] + times**2 * np.abs(gain[extra]) + np.abs(gain[last])
    squares += 2 * (passes * with_tour[which, body] + times * with_tour[which, extra] + with_tour[which, last])
    squares += 2 * (passes * times * shared[body, extra] + passes * shared[body, last] + times * shared[extra, last])
    heard_squared = np.maximum(2 * video - track + squares, video)
    looped = np.maximum(gain[extra], 0.0)
    alone = np.ceil(passes / np.maximum(places, 1)) + (places == 0)
    runs = (passes > 0) & ~usable.is_long[body]
    run = np.maximum(run_of + 1, np.where(runs, alone + np.where(places > 0, run_of, 0), 1))
    fresh = (
        fresh_of + passes * gain[body] * fresh_again(gain[body], params) + times * looped * fresh_again(looped, params)
    )
    fresh += track + np.minimum(0.0, gain[extra] * times) + gain[last]
    return PlanScore(
        worst=worst,
        mean=mean,
        ending=ending,
        freshness=freshness_part(fresh / video, video, track, params),
        phrasing=phrases,
        coverage=np.minimum(1.0, video**2 / track / heard_squared),
        segment_seconds=video / (seams + 1),
        lost=over_limits(run, np.zeros(1), np.ones(1), params),
    ).total(params)


def _best(tours: list[Tour], mixes: _Mixes, score: FloatArray) -> IntArray:
    """Rows in the order of their score, a few for each path and body; P counts only where it is taken more often."""
    order = np.argsort(-score, kind="stable")[: 20 * _FINALISTS]
    tour, passes = mixes.tour[order], mixes.passes[order]
    path = np.array([tour.number for tour in tours])[tour]
    body = np.where(passes > 0, np.array([tour.body for tour in tours])[tour], _NONE)
    same = path
    for part, size in ((body, 1024), (mixes.extra[order], 1024), (mixes.last[order], 1024), (mixes.times[order], 4)):
        same = same * size + part + 1
    _, first = np.unique(same * 65536 + 2 * passes + mixes.extra_within[order], return_index=True)
    first.sort()
    first = first[rank_within(path[first]) < _FINALISTS_OF_ONE_PATH]
    order = order[first]
    longest = np.array([tour.longest for tour in tours])[mixes.tour[order]]
    return order[rank_within(longest) < _FINALISTS_OF_ONE_BODY]


def _places_for(usable: UsableSplices, tour: Tour, extras: IntArray) -> BoolArray:
    """Where on a tour each Q may stand: before it, or on each of its different steps; shape (n_steps + 1, n_extras)."""
    some = np.flatnonzero(extras != _NONE)
    taken = extras[some]
    legal = np.zeros((tour.steps.shape[0] + 1, extras.size), dtype=bool)
    legal[0, some] = usable.first[taken] & usable.follows[taken, tour.head]
    legal[1:, some] = (
        usable.follows[np.ix_(tour.steps[:, 0], taken)] & usable.follows[np.ix_(taken, tour.steps[:, 1])].T
    )
    return legal


def _path(usable: UsableSplices, tours: list[Tour], mixes: _Mixes, row: int) -> IntArray:
    """The splices of one combination in the order in which they are taken."""
    tour, passes = tours[mixes.tour[row]], int(mixes.passes[row])
    extra = np.full(mixes.times[row], mixes.extra[row], dtype=np.int64)
    last = np.full(0 if mixes.last[row] == _NONE else 1, mixes.last[row], dtype=np.int64)
    if not mixes.extra_within[row]:
        return np.concatenate([tour.with_passes(passes), extra, last])
    legal = _places_for(usable, tour, mixes.extra[row : row + 1])[:, 0]
    places = np.append(0 if legal[0] else np.zeros(0, dtype=np.int64), 1 + np.flatnonzero(legal[1:][tour.step]))
    place = int(places[places.size // 2])
    if place == 0:
        return np.concatenate([extra, tour.with_passes(passes), last])
    counts = tour.counts(passes)
    return np.concatenate(
        [np.repeat(tour.path[:place], counts[:place]), extra, np.repeat(tour.path[place:], counts[place:]), last]
    )
