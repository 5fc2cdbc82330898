"""Which combinations of splices have a length: how often the bodies of a tour repeat, what else is taken, how it ends.

A loop back adds the length of its body to the track's own, a cut ahead takes some away, and so the length of the result
is a sum that does not depend on the order. Which sums exist is therefore enumerated over few splices, all combinations
at once as a box of arrays, and how often the main body repeats follows by division: the work does not grow with the
video (Wenner et al. 2013 and Plachouras & Miron 2023 search the same space by dynamic programming over the beats of the
result).

A route is built of

- a tour (`workbench.plans.tours`): bodies in an order in which the track is played evenly and nothing comes again soon,
  several regions one after the other where the track has them, the same bodies in a long cycle in a video of hours;
- its main body P, played as often more as the length asks for. The simplest tour is P alone;
- before or after it one more body or cut Q, up to three times;
- one last splice R, which brings the music to its exit;
- an end: the track's own, where the sum leaves less than a bar to spare (or two, of which `music_in` takes one); else a
  fade on a bar line, preferably a section's.

Bodies shorter than `min_body_seconds` only ever serve as Q or R. Combinations that fit are ranked by an estimate of
their score (`workbench.plans.plan_score`), and routes are made of the best that differ.

Splices that a person pinned (`workbench.plans.constraints`) are taken by every route: either the combination holds them
all, or the search goes without them for the length that they leave, and each is put where it may stand, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from workbench.beats.edges import EDGE_SECONDS
from workbench.params import CoverParams
from workbench.plans.build import Route, fade_route, own_end_route
from workbench.plans.ends import end_slack, last_line, late_and_tail
from workbench.plans.plan import MOST_BARS
from workbench.plans.plan_score import PlanScore, fresh_again, freshness_part, over_limits, own_ending_part
from workbench.plans.splices import NO_SPLICE, UsableSplices, rank_within
from workbench.plans.tours import Tour, make_tours, tour_of_body
from workbench.recording import BoolArray, FloatArray, IntArray
from workbench.seams.profile import LoopProfile

_MAX_ADJUSTERS = 40  # splices tried to make a length fit; the search grows with their square
_FINALISTS = 12  # routes of each kind of ending scored exactly
_FINALISTS_OF_ONE_PATH = 2
_FINALISTS_OF_ONE_BODY = 4  # played longest; so that there are options to the ear
_MOST_TIMES = 3  # how often Q is taken
_MOST_HELD = 3  # pinned splices that one combination can hold in addition to those of its tour
_NONE = NO_SPLICE
_NO_SPLICES: IntArray = np.zeros(0, dtype=np.int64)


def routes_of(
    usable: UsableSplices, profile: LoopProfile, video: float, params: CoverParams, body: int | None = None
) -> Iterator[Route]:
    """The best routes of each kind of ending; where splices are pinned, those that take them all.

    With `body` its passes are the whole tour.
    """
    ways = [_NO_SPLICES] if usable.pinned.size <= _MOST_HELD else []
    for inserted in (*ways, usable.pinned) if usable.pinned.size else ways:
        need = video - (profile.last_sound - profile.song_start) - float(usable.gain_seconds[inserted].sum())
        tours = make_tours(usable, need, params) if body is None else [tour_of_body(body)]
        if tours:
            found = _Combinations(usable, tours, profile, video, params, inserted)
            yield from found.own_end_routes()
            yield from found.fade_routes()


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
    legal_after: BoolArray  # the tour, then Q, then R may follow one another
    legal_within: BoolArray  # the tour with Q inside it, then R; False without Q
    added: FloatArray  # seconds that all splices but those of the main body add

    def rows(self, chosen: BoolArray, passes: IntArray, within: BoolArray) -> _Mixes:
        """The chosen combinations, one a row; `within` has the shape of `chosen`: Q within the tour."""
        tour, extra, last = np.nonzero(chosen)
        taken = self.extra[0, extra, 0]
        times = np.where(taken == _NONE, 0, self.times[0, extra, 0])
        return _Mixes(tour, taken, times, self.last[0, 0, last], within[chosen], passes[chosen])

    def exits(self, *, within: bool) -> IntArray:
        """The splice before the end: R; without R it is Q, or the tour's last where Q is within or not taken."""
        without = self.tail if within else np.where(self.extra != _NONE, self.extra, self.tail)
        return np.where(self.last != _NONE, self.last, without)


class _Combinations:
    """The search for routes over some tours.

    `inserted` are pinned splices that no combination holds: each is put into a route where it may stand. The others
    must be held. Arrays of splices end with an entry for no splice, so that `_NONE` is an index like any other.
    """

    def __init__(
        self,
        usable: UsableSplices,
        tours: list[Tour],
        profile: LoopProfile,
        video: float,
        params: CoverParams,
        inserted: IntArray,
    ) -> None:
        self.usable, self.tours, self.profile, self.params = usable, tours, profile, params
        self.video, self.inserted = video, inserted
        n = usable.size
        self.gain = np.append(usable.gain_seconds, 0.0)
        self.follows = np.zeros((n + 1, n + 1), dtype=bool)
        self.follows[:n, :n] = usable.follows
        self.follows[:, n] = True
        # how often each tour takes each splice, shape (n_tours, n), and what follows from that, shape (n_tours,)
        self.counts = np.array([np.bincount(tour.path, minlength=n) for tour in tours])
        self.seams = self.counts.sum(axis=1)
        self.number, self.body = (np.array([getattr(tour, name) for tour in tours]) for name in ("number", "body"))
        played = np.argmax(self.counts * usable.gain_seconds, axis=1)
        self.longest = np.where(self.seams > 0, played, self.body)  # the body played longest
        taken = self.counts.astype(np.float64)
        self.touring, self.scores, self.phrasings = (
            taken @ of for of in (usable.gain_seconds, usable.score, usable.phrasing)
        )
        self.worst = np.where(self.counts > 0, usable.score, 1.0).min(axis=1)
        self.shared_with = np.zeros((len(tours), n + 1))
        for tour, often in enumerate(taken):  # one by one: threads for a product this small cost more than they save
            self.shared_with[tour, :n] = usable.shared_seconds @ often
        self.shared = np.sum(taken * self.shared_with[:, :n], axis=1)
        # splices of the main body on top of the tour, one where there is nothing else; shape (n_tours, 1, 1)
        self.least_passes = np.where(self.seams > 0, 0, 1)[:, None, None]

    def own_end_routes(self) -> list[Route]:
        """The best routes that end with the track itself."""
        usable, profile, params = self.usable, self.profile, self.params
        if profile.ending is None:
            return []
        longest_tail, latest_start = end_slack(profile)
        least = max(params.min_segment_seconds, params.gain_glide_seconds, longest_tail)
        plays_out = profile.last_sound - usable.song_from >= least + usable.fade / 2
        plays_out = np.append(
            plays_out & ~usable.constraints.plays_excluded(usable.song_from, np.array(profile.last_sound)), True
        )
        need = self.video - (round(profile.last_sound, 6) - round(profile.song_start, 6))
        need -= float(usable.gain_seconds[self.inserted].sum())

        adjusters = self._adjusters()
        # Few splices enter before a hit: the last one is sought among all of these.
        lasts = self._adjusters(np.flatnonzero(plays_out[:-1])) if profile.leads_to_hit else adjusters
        space = self._space(adjusters, lasts)
        length = usable.gain_seconds[space.body]
        left = need - space.added
        passes = np.floor((left + 1e-6) / length).astype(np.int64)
        spare = left - passes * length
        after = space.legal_after & plays_out[space.exits(within=False)]
        fits = (spare <= longest_tail + latest_start - 1e-5) & (passes >= self.least_passes)
        fits &= after | (space.legal_within & plays_out[space.exits(within=True)])
        fits &= self._holds_pinned(space, passes)
        mixes = space.rows(fits, passes, ~after)
        ending = own_ending_part(profile.ending.kind, *late_and_tail(spare[fits], longest_tail, latest_start))
        best = self._best(mixes, self._estimate(mixes, ending))[: self._finalists()]
        taken = (self._with_inserted(self._path(mixes, row), plays_out) for row in best.tolist())
        each = (usable.each(path) for path in taken if path is not None)
        routes = (own_end_route(usable, path, profile, self.video) for path in each)
        return [route for route in routes if route is not None]

    def fade_routes(self) -> list[Route]:
        """The best routes that fade on a bar line, clear of the track's own ending.

        A file that is made to repeat may fade on the bar line at its end: the next pass would be cut off in its first
        bar.
        """
        usable, profile, params = self.usable, self.profile, self.params
        if profile.leads_to_hit:
            return []
        space = self._space(self._adjusters(), np.array([_NONE]))
        end = self.video + round(profile.song_start, 6) - float(usable.gain_seconds[self.inserted].sum())
        bar = profile.usual_bar
        segment = max(params.min_segment_seconds, params.gain_glide_seconds)
        # Room for the whole fade; then for a segment as long as any other; then, rather than no plan, for a bar that
        # fades.
        for least in (max(segment, params.min_fade_out_seconds + 2.0 * bar), segment, 0.0):
            found = self._fades(space, end, least + bar)
            longest = np.array([self.longest[mixes.tour[row]] for _, mixes, row in found], dtype=np.int64)
            finalists = np.flatnonzero(rank_within(longest) < self._finalists(_FINALISTS_OF_ONE_BODY))
            routes = []
            for index in finalists[: self._finalists()].tolist():
                path = self._path(*found[index][1:])
                # Where a splice may be taken last: so that the fade after it is as long as it is after the others.
                exits = end - float(usable.gain_seconds[path].sum()) - least - bar - usable.fade / 2
                taken = self._with_inserted(path, usable.song_from <= exits)
                if taken is not None:
                    routes.append(fade_route(usable, usable.each(taken), profile, self.video))
            if routes:
                return routes
        return []

    def _fades(self, space: _Space, end: float, least: float) -> list[tuple[float, _Mixes, int]]:
        """Combinations that fade in a last segment of `least` s and more: their score and where they stand, best first.

        Music without splices would get to `end` in the track.
        """
        usable, profile, lines = self.usable, self.profile, self.profile.downbeats
        last = lines.size - 1
        past = lines.size if profile.ending is None else profile.ending.start_bar + 1
        latest = float(lines[past]) - 1e-3 if past < lines.size else float(lines[-1])
        if usable.restart is not None and profile.ending is None:
            latest = profile.last_sound  # the last pass may fade in the ring of its ending
        latest = min(latest, profile.last_sound)
        is_whole = profile.is_whole(usable.leave, usable.enter)
        latest_after = np.where(is_whole, profile.last_sound + end_slack(profile)[0] - 2 * EDGE_SECONDS, latest)
        length = usable.gain_seconds[space.body]
        longest_tail = MOST_BARS * length / np.maximum(usable.leave[space.body] - usable.enter[space.body], 1)
        plays = end - space.added
        found: list[tuple[float, _Mixes, int]] = []
        for legal, within in ((space.legal_after, False), (space.legal_within, True)):
            exits = space.exits(within=within)
            earliest = usable.song_from[exits] + least + usable.fade[exits]
            # a tail, which the fade covers, is shorter than the segment
            earliest = np.maximum(earliest, lines[np.minimum(usable.enter[exits] + 1, last)] + usable.fade[exits])
            most = np.floor((plays - earliest) / length).astype(np.int64)
            for fewer in range(3):
                passes = most - fewer
                stops = plays - passes * length
                resolves = last_line(profile, stops)
                fits = legal & (stops <= latest_after[exits]) & (passes >= self.least_passes)
                fits &= stops - lines[resolves] < longest_tail
                fits &= stops - lines[last] < lines[last] - lines[last - 1]  # nor does a ring last longer than a bar
                fits &= ~usable.constraints.plays_excluded(usable.song_from[exits], stops)
                fits &= self._holds_pinned(space, passes)
                mixes = space.rows(fits, passes, np.full(fits.shape, within))
                score = self._estimate(mixes, usable.fade_part[resolves[fits]])
                found += [(float(score[row]), mixes, row) for row in self._best(mixes, score)[:_FINALISTS].tolist()]
        return sorted(found, key=lambda candidate: -candidate[0])

    def _adjusters(self, among: IntArray | None = None) -> IntArray:
        """Splices that can make a length fit: the best of every length and those pinned, with `_NONE` first.

        `among` are the splices to choose from; None: all.
        """
        usable = self.usable
        among = np.arange(usable.size) if among is None else among
        nth_of_length = rank_within((usable.leave - usable.enter)[among])
        best = among[np.lexsort((-usable.score[among], nth_of_length // 2))[:_MAX_ADJUSTERS]]
        return np.concatenate([[_NONE], best, usable.pinned[~np.isin(usable.pinned, best)]])

    def _space(self, extras: IntArray, lasts: IntArray) -> _Space:
        """Every combination of a tour, Q once or more, and R, and in which order they may follow one another."""
        extra, times = (a.ravel() for a in np.meshgrid(extras, np.arange(1, _MOST_TIMES + 1), indexing="ij"))
        several = np.append(np.diagonal(self.usable.follows) & self.usable.is_body, False)
        allowed = (times == 1) | several[extra]
        extra, times = extra[allowed], times[allowed]
        body, touring = self.body, self.touring
        tail = np.array([tour.tail for tour in self.tours])

        follows, gain = self.follows, self.gain
        legal_after = follows[np.ix_(tail, extra)][:, :, None] & follows[np.ix_(extra, lasts)][None, :, :]
        apart = {tour.number: tour for tour in self.tours}
        takes = {number: np.any(self._places_for(tour, extras), axis=0) for number, tour in apart.items()}
        opens = np.repeat(np.array([takes[tour.number] for tour in self.tours]), _MOST_TIMES, axis=1)[:, allowed]
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

    def _holds_pinned(self, space: _Space, passes: IntArray) -> BoolArray:
        """Which combinations take every pinned splice that is not inserted; of the shape of `passes`, or of none."""
        pinned = self.usable.pinned
        if pinned.size == self.inserted.size:
            return np.array(True)
        bit = np.zeros(self.usable.size + 1, dtype=np.int64)
        bit[pinned] = 1 << np.arange(pinned.size)
        bit[:-1] = bit[self.usable.pairs].sum(axis=1)  # of the two of a pair at most one is pinned, or each has its bit
        of_tour = np.array([np.bitwise_or.reduce(bit[tour.path]) for tour in self.tours])[:, None, None]
        held = of_tour | np.where(passes > 0, bit[space.body], 0) | bit[space.extra] | bit[space.last]
        return np.asarray(held == np.bitwise_or.reduce(bit))

    def _finalists(self, count: int = _FINALISTS) -> int:
        """How many routes are made of the best: more where splices must still find their place."""
        return count * (4 if self.inserted.size else 1)

    def _estimate(self, mixes: _Mixes, ending: FloatArray) -> FloatArray:
        """`plan_score` of each combination: exact in seams, phrasing and coverage, the rest as if Q, R and the added
        passes came again after their own length."""
        usable, params, video, track = self.usable, self.params, self.video, self.profile.last_sound
        which, extra, last, times = mixes.tour, mixes.extra, mixes.last, mixes.times
        body = self.body[which]
        fresh_of, run_of = (
            np.array([getattr(tour, name) for tour in self.tours])[which] for name in ("fresh_seconds", "run")
        )
        scores_of, phrasing_of, worst_of = self.scores[which], self.phrasings[which], self.worst[which]
        places = self.counts[np.arange(len(self.tours)), self.body][which]
        gain, n = self.gain, usable.size
        score, phrasing = np.append(usable.score, 1.0), np.append(usable.phrasing, 0.0)
        shared = np.zeros((n + 1, n + 1))
        shared[:n, :n] = usable.shared_seconds
        with_tour, shared_of = self.shared_with, self.shared[which]
        passes, one = mixes.passes, last != _NONE
        seams = self.seams[which] + passes + times + one
        worst = np.minimum(np.minimum(worst_of, score[body]), np.minimum(score[extra], score[last]))
        mean = (scores_of + passes * score[body] + times * score[extra] + one * score[last]) / seams
        phrases = (phrasing_of + passes * phrasing[body] + times * phrasing[extra] + one * phrasing[last]) / seams
        squares = shared_of + passes**2 * gain[body] + times**2 * np.abs(gain[extra]) + np.abs(gain[last])
        squares += 2 * (passes * with_tour[which, body] + times * with_tour[which, extra] + with_tour[which, last])
        squares += 2 * (
            passes * times * shared[body, extra] + passes * shared[body, last] + times * shared[extra, last]
        )
        played_squared = np.maximum(2 * video - track + squares, video)
        looped = np.maximum(gain[extra], 0.0)
        alone = np.ceil(passes / np.maximum(places, 1)) + (places == 0)
        runs = (passes > 0) & ~usable.is_long[body]
        run = np.maximum(run_of + 1, np.where(runs, alone + np.where(places > 0, run_of, 0), 1))
        fresh = fresh_of + passes * gain[body] * fresh_again(gain[body], params)
        fresh = fresh + times * looped * fresh_again(looped, params)
        fresh += track + np.minimum(0.0, gain[extra] * times) + gain[last]
        return PlanScore(
            worst=worst,
            mean=mean,
            ending=ending,
            freshness=freshness_part(fresh / video, video, track, params),
            phrasing=phrases,
            coverage=np.minimum(1.0, video**2 / track / played_squared),
            segment_seconds=video / (seams + 1),
            lost=over_limits(run, np.zeros(1), np.ones(1), params),
        ).total(params)

    def _best(self, mixes: _Mixes, score: FloatArray) -> IntArray:
        """Rows in the order of their score, a few for each path and body; P counts only where it is taken again."""
        order = np.argsort(-score, kind="stable")[: 20 * _FINALISTS]
        tour, passes = mixes.tour[order], mixes.passes[order]
        path, body = self.number[tour], np.where(passes > 0, self.body[tour], _NONE)
        others = (mixes.extra, mixes.last, mixes.times, mixes.extra_within)
        columns = (path, body, passes, *(column[order] for column in others))
        first: dict[tuple[int, ...], int] = {}
        for row, key in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            first.setdefault(key, row)
        rows = np.array(list(first.values()), dtype=np.int64)
        order = order[rows[rank_within(path[rows]) < _FINALISTS_OF_ONE_PATH]]
        return order[rank_within(self.longest[mixes.tour[order]]) < _FINALISTS_OF_ONE_BODY]

    def _places_for(self, tour: Tour, extras: IntArray) -> BoolArray:
        """Where on a tour each Q may stand: before it, or before each further splice; shape (n_path, n_extras)."""
        first, follows, n = self.usable.first, self.usable.follows, self.usable.size
        pairs, step = np.unique(tour.path[:-1] * n + tour.path[1:], return_inverse=True)
        left, entered = np.divmod(pairs, n)  # the different pairs of splices that follow each other
        some = np.flatnonzero(extras != _NONE)
        taken = extras[some]
        legal = np.zeros((max(tour.path.size, 1), extras.size), dtype=bool)
        legal[0, some] = first[taken] & follows[taken, tour.head]
        legal[1:, some] = (follows[np.ix_(left, taken)] & follows[np.ix_(taken, entered)].T)[step]
        return legal

    def _path(self, mixes: _Mixes, row: int) -> IntArray:
        """The splices of one combination in the order in which they are taken."""
        tour, passes = self.tours[mixes.tour[row]], int(mixes.passes[row])
        extra = np.full(mixes.times[row], mixes.extra[row], dtype=np.int64)
        last = np.full(0 if mixes.last[row] == _NONE else 1, mixes.last[row], dtype=np.int64)
        if not mixes.extra_within[row]:
            return np.concatenate([tour.with_passes(passes), extra, last])
        legal = self._places_for(tour, mixes.extra[row : row + 1])[:, 0]
        places = np.flatnonzero(legal)
        place = int(places[places.size // 2])
        if place == 0:
            return np.concatenate([extra, tour.with_passes(passes), last])
        counts = tour.counts(passes)
        return np.concatenate(
            [np.repeat(tour.path[:place], counts[:place]), extra, np.repeat(tour.path[place:], counts[place:]), last]
        )

    def _with_inserted(self, path: IntArray, may_be_last: BoolArray) -> IntArray | None:
        """A path with the inserted splices, each as near to its middle as it may stand; None where one cannot stand."""
        usable, waiting = self.usable, self.inserted.tolist()
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
