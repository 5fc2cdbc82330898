"""Tours: in which order the bodies of a track play so that a listener does not tire of it.

A tour is a sequence of loops back. Its bodies are chosen a pass at a time, each time the one whose bars have played
least: with c how often each body is taken, the bars of body j have played ``1 + (K c)_j / g_j`` times on average,
K being the seconds that two bodies share and g their lengths. Short bodies pay for the seams they bring, so that bodies
on the scale of the whole track come first and regions that only local loops reach get their share too.

Then the passes are put in order. Which splice may follow which falls into regions: from an earlier one the music gets
to a later one by playing on, the way back needs a loop that spans both. The tour takes what is furthest behind its
share among what may follow without leaving something behind for good. So it goes round and round where a long loop
leads back (what repeats then is the whole cycle), and visits one region after the other where none does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.params import CoverParams
from workbench.plans.build import longest_run
from workbench.plans.plan_score import fresh_again
from workbench.plans.splices import UsableSplices, rank_within, sound_alike
from workbench.recording import IntArray

_MAX_PRIMARIES = 20  # bodies and tours tried; bounds the search
_MAX_TOUR_BODIES = 20  # that a tour of the track chooses from
_SAME_BODY = 3  # bodies of one length in bars tried alone: others are the same loop, begun a little earlier or later
_FLOORS = (0.04, 0.12, 1.0)  # how much worse than the best body's the seams of a tour may be
_SEAM_COSTS = (20.0, 80.0)  # s; a seam costs this over its body's length, in units of the mean number of plays
_STEPS = 20  # passes are dealt out in about so many steps: more than one at a time in a video of hours
_SPARED_SECONDS = 90.0  # left to the main body, Q and R to meet the length exactly; at most a quarter of the gap
_LEAST_SECONDS = 40.0  # a shorter gap takes a loop or two, which need no tour
_MAIN_BODIES = 2  # of a tour, by which its length may vary
_CROWDED = 1.5  # what a run over the limit weighs, in units of the mean number of plays
_GOLDEN = 0.6180339887  # multiples of it, less their whole part, fill 0 to 1 evenly
_DETOURS = 3  # splices in a row beyond a body's share, to get to where passes are left


@dataclass(frozen=True, slots=True, eq=False)
class Tour:
    """Bodies in the order in which they are looped, and one of them that may be looped more often."""

    number: int  # equal for tours that differ in their main body only
    body: int  # the main body, a splice
    path: IntArray  # shape (n,), splices; empty where the main body is all there is
    fresh_seconds: float  # of what the path adds, s times how fresh it is
    run: int  # how often at most one splice follows itself, those of long bodies apart

    @property
    def head(self) -> int:
        """The first splice."""
        return int(self.path[0]) if self.path.size else self.body

    @property
    def tail(self) -> int:
        """The last splice."""
        return int(self.path[-1]) if self.path.size else self.body

    def with_passes(self, passes: int) -> IntArray:
        """The path with so many more splices of the main body, spread over its runs, the shortest first."""
        if not self.path.size:
            return np.full(passes, self.body, dtype=np.int64)
        return np.repeat(self.path, self.counts(passes))

    def counts(self, passes: int) -> IntArray:
        """How often each splice of the path is taken with so many more of the main body, shape (n,)."""
        at = np.flatnonzero(self.path == self.body)
        opens = at[np.diff(at, prepend=-2) > 1]  # where runs of the main body begin
        lengths = np.diff(np.searchsorted(at, opens), append=at.size)
        counts = np.ones(self.path.size, dtype=np.int64)
        spread = (np.arange(opens.size) * _GOLDEN) % 1.0
        for _ in range(passes):
            run = int(np.argmin(lengths + spread))
            lengths[run] += 1
            counts[opens[run]] += 1
        return counts


def make_tours(usable: UsableSplices, need_seconds: float, params: CoverParams) -> list[Tour]:
    """Tours that add `need_seconds` less what the main body makes up (a quarter, at most 90 s), then single bodies.

    Best first, at most `_MAX_PRIMARIES` in all, and one more for each pinned body. `need_seconds` is video beyond
    one play of the track; below 40 s only single bodies are returned. There are none if no body may be the first splice
    and follow itself and no tour exists.
    """
    score = 0.5 * usable.score + 0.3 * fresh_again(usable.gain_seconds, params) + 0.2 * usable.phrasing
    order = np.argsort(-score, kind="stable")
    order = order[usable.is_body[order]]
    tours: list[Tour] = []
    for number, path in enumerate(_paths(usable, order, need_seconds, params)):
        often = np.bincount(path, minlength=usable.size)
        mains = np.argsort(-often * usable.gain_seconds, kind="stable")[:_MAIN_BODIES]
        fresh, run = _fresh_seconds(usable, path, params), _longest_run(usable, path)
        tours += [Tour(number, int(body), path, fresh, run) for body in mains if often[body]]
    tours = tours[: 2 * _MAX_PRIMARIES // 3]
    alone = order[usable.first[order] & np.diagonal(usable.follows)[order]]
    alone = alone[rank_within(usable.leave[alone] - usable.enter[alone]) < _SAME_BODY]
    tried = alone[: _MAX_PRIMARIES - len(tours)].tolist()
    tried += [
        body
        for body in usable.pinned.tolist()
        if body not in tried and usable.gain_seconds[body] > 0 and usable.first[body] and usable.follows[body, body]
    ]
    return tours + [tour_of_body(body) for body in tried]


def tour_of_body(body: int) -> Tour:
    """The tour that is one body alone, which may follow itself."""
    return Tour(-1 - body, body, np.zeros(0, dtype=np.int64), 0.0, 0)


def _longest_run(usable: UsableSplices, path: IntArray) -> int:
    return longest_run(path, usable.is_long[path], np.zeros(path.size, dtype=bool)).length


def _fresh_seconds(usable: UsableSplices, path: IntArray, params: CoverParams) -> float:
    """Seconds added by a path, each pass times how fresh it is when its body comes again."""
    gains = usable.gain_seconds[path]
    begins = np.cumsum(gains)
    order = np.argsort(path, kind="stable")
    again = path[order][1:] == path[order][:-1]
    since = np.append(np.where(again, np.diff(begins[order]), 0.0), 0.0)
    # Bars that other bodies share with this one come again sooner: as if these were spread evenly between.
    shared = usable.shared_seconds[np.ix_(path, np.unique(path))] @ np.bincount(path)[np.unique(path)]
    evenly = begins[-1] / np.maximum(shared / gains, 1.0)
    since = np.minimum(np.maximum(since[np.argsort(order)], gains), np.maximum(evenly, gains))
    return float(np.sum(gains * fresh_again(since, params)))


def _paths(usable: UsableSplices, order: IntArray, need_seconds: float, params: CoverParams) -> list[IntArray]:
    """Different paths that add about `need_seconds`, over bodies of several qualities, with few seams or many."""
    if need_seconds < _LEAST_SECONDS or order.size < 2:
        return []
    spared = min(need_seconds / 4, _SPARED_SECONDS)
    ends = np.column_stack([usable.leave, usable.enter])[order]
    alike = sound_alike(ends, ends)
    paths: list[IntArray] = []
    known: set[bytes] = set()
    best = float(usable.score[order].max())
    for floor in _FLOORS:
        free = usable.score[order] >= best - floor
        chosen: list[int] = []
        while len(chosen) < _MAX_TOUR_BODIES and free.any():
            at = int(np.argmax(free))
            chosen.append(int(order[at]))
            free &= ~alike[at]
            free[at] = False
        bodies = np.array(chosen, dtype=np.int64)
        if bodies.size < 2 or bodies.tobytes() in known:
            continue
        known.add(bodies.tobytes())
        for cost in _SEAM_COSTS:
            passes = _deal(usable, bodies, need_seconds - spared, cost, params)
            path = _in_order(usable, bodies[passes > 0], passes[passes > 0], params)
            if path.size > 1 and path.tobytes() not in known:
                known.add(path.tobytes())
                paths.append(path)
    return paths


def _deal(
    usable: UsableSplices, bodies: IntArray, need_seconds: float, seam_cost: float, params: CoverParams
) -> IntArray:
    """How often each body is taken, shape of `bodies`: least played first, until none fits any more.

    A body that has no others left to stand between its runs waits until they have grown.
    """
    gain = usable.gain_seconds[bodies]
    shared = usable.shared_seconds[np.ix_(bodies, bodies)]
    track = float(np.sum(usable.bar_seconds))
    mean = 1.0 + need_seconds / track
    portion = np.maximum(1, need_seconds / _STEPS / gain).astype(np.int64)
    passes = np.zeros(bodies.size, dtype=np.int64)
    plays = 1.0 + portion / 2
    fixed = seam_cost / gain + 0.5 * (1.0 - usable.phrasing[bodies]) + 2.0 * (1.0 - usable.score[bodies])
    mutual = usable.follows[np.ix_(bodies, bodies)]
    mutual = (mutual & mutual.T & ~np.eye(bodies.size, dtype=bool)).astype(np.int64)
    in_a_row, short = params.max_passes_in_a_row - 1, ~usable.is_long[bodies]
    left, relief = need_seconds, np.ones(bodies.size)
    while True:
        price = plays / mean + fixed + _CROWDED * short * (passes + portion > in_a_row * relief)
        price[gain > left] = np.inf
        body = int(np.argmin(price))
        if price[body] == np.inf:
            return passes
        more = min(int(portion[body]), int(left / gain[body]))
        passes[body] += more
        plays += more * shared[body] / gain
        relief += more * mutual[body]
        left -= more * float(gain[body])


def _in_order(usable: UsableSplices, bodies: IntArray, passes: IntArray, params: CoverParams) -> IntArray:
    """The passes of each body as one path of splices that may follow each other; without bodies that cannot join."""
    n = bodies.size
    none = np.zeros(0, dtype=np.int64)
    if n == 0:
        return none
    follows = usable.follows[np.ix_(bodies, bodies)]
    reach = follows.copy()
    for middle in range(n):
        reach |= reach[:, middle : middle + 1] & reach[middle]
    after = [np.flatnonzero(row).tolist() for row in follows]
    reached = [sum(1 << y for y in np.flatnonzero(row).tolist()) for row in reach]
    # Start where the most can still be reached; what cannot is not played.
    starts = np.flatnonzero(usable.first[bodies]).tolist()
    if not starts:
        return none
    most = max(starts, key=lambda x: bin(reached[x] | 1 << x).count("1"))
    within = reached[most] | 1 << most
    share = passes.tolist()
    long = set(np.flatnonzero(usable.is_long[bodies]).tolist())
    # Bodies of one share take their turns one after the other, not all at once.
    phase = ((rank_within(passes) + 1) / (1 + np.bincount(passes)[passes])).tolist()
    taken, left = [0] * n, [count if within >> y & 1 else 0 for y, count in enumerate(share)]
    waiting = sum(1 << y for y in range(n) if left[y])
    path: list[int] = []
    at, run, detour = -1, 0, 0
    candidates = starts
    while waiting:
        options = [
            y for y in candidates if left[y] and not (waiting & ~(1 << y) if left[y] == 1 else waiting) & ~reached[y]
        ]
        if options:
            if run >= params.max_passes_in_a_row - 1 and len(options) > 1 and at not in long:
                options = [y for y in options if y != at]
            detour = 0
        else:
            options = [y for y in candidates if not waiting & ~reached[y] and (y != at or len(candidates) == 1)]
            detour += 1
            if not options or detour > _DETOURS:
                break
        chosen = min(options, key=lambda y: (taken[y] + phase[y]) / share[y])
        run = run + 1 if chosen == at else 1
        at = chosen
        taken[at] += 1
        if left[at]:
            left[at] -= 1
            if not left[at]:
                waiting &= ~(1 << at)
        path.append(at)
        candidates = after[at]
    return bodies[np.array(path, dtype=np.int64)] if path else none
