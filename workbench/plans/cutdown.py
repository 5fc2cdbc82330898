"""Cut a track down to a length, to the millisecond: which parts stay, where the music starts, and how it ends.

The music starts with the track or on a downbeat, takes splices (`workbench.plans.splices`), as a rule only ahead, and
ends with the track itself, on a button or in a fade. What plays up to a splice is a sum over its segments, so the
search (`workbench.plans.search`) advances by one splice: of all ways to arrive at a splice after about the same time
with the same kept parts, the best is carried on. The last segment takes what the others leave of the length: the
track's own ending closes a range of lengths, a button or a fade any length (`workbench.plans.ends`).

A route is scored with the weights of a loop (`workbench.plans.plan_score`), of which three parts have another meaning,
because a cut-down is asked to leave most of the track out:

- seams: not squared, for a stretch without a seam would nearly always win over one with the track's own ending;
- coverage: half whether the hook plays whole in one segment, half the salience of the bars that stay, over that of
  the hook;
- phrasing: the mean over the splices and the start; a start in mid-phrase costs `_OFF_PHRASE` on top.

From `_HOOK_SECONDS` on a route without the hook loses `_NO_HOOK`, and one without the track's own ending, where the
track has one, `_NO_OWN_ENDING`: a piece of music that begins and ends is worth a seam.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np

from workbench.params import CoverParams
from workbench.plans.build import Route, Window, build_plan, played, plays_to, room_for_fade, silence_after, spans
from workbench.plans.constraints import UNCONSTRAINED, LineConstraints
from workbench.plans.ends import (
    EARLY_SECONDS,
    FADE_SHARE,
    GOOD_FADE_OUT_SECONDS,
    HIT_TOLERANCE_SECONDS,
    MIN_RING_SECONDS,
    SHORTEST_FADE_SECONDS,
    downbeat_ending,
    end_slack,
    last_line,
    late_and_tail,
    latest_stop,
    own_ending,
    start_fade,
)
from workbench.plans.fit_request import Fit, hook_of
from workbench.plans.plan import BORDER_SECONDS, EndKind, LoopPlan, micros, nearest_line, song_at
from workbench.plans.plan_score import PlanScore, bars_into_section, fresh_again, own_ending_part, seams_part
from workbench.plans.search import best_of_each, from_each_in_turn, layers_from, way_to
from workbench.plans.splices import UsableSplices, usable_splices
from workbench.recording import BoolArray, FloatArray, IntArray
from workbench.seams.profile import ROUNDING_SECONDS, LoopProfile
from workbench.structure.salience import bar_salience

SECONDS_A_SEAM = 15.0  # s; a plan that fits has at most one seam for each of these begun
MIN_INNER_BARS = 2  # bars of a segment between two seams, at least
MAX_EARLY_SECONDS = 0.06  # s before its downbeat at which the music may start, so that no attack is cut off
SHARED = 0.6  # share of a shorter version's music that also plays in the next longer one

_LOOP_BARS = 4  # bars that a loop back repeats at least, and seconds
_LOOP_SECONDS = 8.0
_GOOD_RING = 1.0  # s; a button that rings less scores less
_BUTTON = 0.05  # of the ending part, a button over that of a fade on the same bar line
_HOOK_SECONDS = 15.0
_NO_HOOK = 0.15
_NO_OWN_ENDING = 0.05
_OFF_PHRASE = 0.08
_FADE_OF_TRACK = 0.7  # ending part of playing a track that has no ending of its own to its last sound
_LATE_SECOND = 0.12  # of the ending part, lost with each second of silence before the music, and after its last sound
_SILENT_SECOND = 0.12
_MOST_SILENT = 0.6
_SHORT_SECONDS = 8.0  # s; harmonic mean of the segments' lengths under which seams come too soon, and what that costs
_TOO_SHORT = 0.12
_STATES = 2000  # ways to arrive that are carried on at each seam
_FINALISTS = 1500
_MOST_SEAMS = 4
_MOST_COMMON = 7  # seams of the other plan that are counted apart


class Cut(NamedTuple):
    """A route that cuts a track down."""

    route: Route
    score: float
    # 2 where `SHARED` of the shorter's music and all of its seams are shared with `Fit.beside`, 1 where the music is,
    # else 0
    sharing: int


def seams_allowed(seconds: float) -> int:
    """How many seams a plan that fits may have."""
    return ceil(round(seconds / SECONDS_A_SEAM, 9))


def cut_splices(
    profile: LoopProfile, params: CoverParams, constraints: LineConstraints = UNCONSTRAINED
) -> UsableSplices:
    """The splices that a cut-down may take: those of a loop, with shorter segments between them."""
    return usable_splices(profile, with_short_segments(params), constraints)


def with_short_segments(params: CoverParams) -> CoverParams:
    """Parameters with the limits that a cut-down has on its segments."""
    shorter = {"min_segment_bars": MIN_INNER_BARS, "min_segment_seconds": 2.0, "min_opening_seconds": 2.0}
    return params.model_copy(update=shorter | {"gain_glide_seconds": 0.1})


class _States(NamedTuple):
    """Ways to arrive in a segment, one a row: after the start, or after a splice."""

    at: FloatArray  # s of the track where the segment starts
    line: IntArray  # its bar line
    room: FloatArray  # s that the segment needs for the fade into it
    played: FloatArray  # s of music before it
    worst: FloatArray
    scores: FloatArray  # sum of the seam scores
    phrasing: FloatArray  # sum, the start included
    opening: FloatArray  # 0 to 1, how good the start is as a phrase; 1 only for the track's own start
    inverse: FloatArray  # sum of 1 / length of the segments
    stale: FloatArray  # s played again, times how stale they are then
    salience: FloatArray  # s played, times their salience
    shared: FloatArray  # s played of the other plan's music
    held: BoolArray  # shape (n, parts): which kept parts have played whole, the hook last
    pins: BoolArray  # shape (n, pinned splices): which of them were taken
    common: IntArray  # how many seams of the other plan were taken
    parent: IntArray  # row of the layer before
    splice: IntArray  # splice taken into the segment; at the start, the number of the start

    @property
    def size(self) -> int:
        return int(self.at.size)

    def rows(self, chosen: IntArray | BoolArray) -> _States:
        return _States._make(column[chosen] for column in self)


class _Stops(NamedTuple):
    """Where some rows of a layer end in one manner, one a row."""

    kind: EndKind
    row: IntArray  # of the layer
    part: FloatArray  # 0 to 1, how good the ending is
    until: FloatArray  # s of the track where the last segment ends
    tail: FloatArray  # s from its last downbeat to there
    late: FloatArray  # s by which the music starts late
    earlier: FloatArray  # s by which the start is moved to an earlier place of the track


class _Ends(NamedTuple):
    """Possible endings, one a row, of routes that play every part that the request keeps."""

    layer: int
    stops: _Stops
    which: IntArray  # rows of `stops`
    score: FloatArray
    sharing: IntArray  # see `Cut.sharing`


class CutSearch:
    """The search for one length, of a track with at least two bars.

    `in_ending`: the music may also stop on a downbeat of the track's own ending, and that be entered anywhere;
    `may_repeat`: loops back are taken too.
    """

    def __init__(self, fit: Fit, *, in_ending: bool = False, may_repeat: bool = False) -> None:
        self.fit, self.in_ending, self.may_repeat = fit, in_ending, may_repeat
        profile, self.params, self.whole = fit.profile, fit.params, fit.whole
        self.profile, self.usable = profile, cut_splices(profile, fit.params, fit.constraints)
        self.video = fit.music_seconds
        self.bar, self.edges = profile.usual_bar, profile.edges
        salience = bar_salience(profile.bar_lufs, profile.form) * np.diff(self.edges)
        self.salience = np.append(0.0, np.cumsum(salience))  # salience seconds up to each of `edges`
        hook = hook_of(profile, self.video / 2)
        # stretches that each play whole in one segment, the last preferably: (n, 2), s of the track
        self.parts = np.array([*self.whole, *([hook] if hook else [])], dtype=np.float64).reshape(-1, 2)
        first, until = hook or (float(self.edges[0]), float(self.edges[-1]))
        self.top = max(float(self._salience_of(np.array(first), np.array(until))) / max(until - first, 1e-3), 1e-3)
        most = max(_MOST_SEAMS, len(self.whole) + 1 + self.usable.pinned.size)
        self.most_seams = min(seams_allowed(fit.seconds), most)
        # shape (splices, pinned splices): which splice is which pinned one
        self.is_pin = np.arange(self.usable.size)[:, None] == self.usable.pinned
        self.is_common = np.zeros(self.usable.size, dtype=bool)  # which splices are seams of the other plan
        # s of track that the other plan plays up to each track time; in all, if it is the shorter plan, else 0
        self.shared_at, self.shared_sum = np.array([0.0, profile.song_duration]), np.zeros(2)
        self.shorter_seconds = 0.0
        if fit.beside is not None:
            self._share(fit.beside)

    def cuts(self) -> list[Cut]:
        """The best routes of the length, best first; routes that share most with `Fit.beside` before all others.

        Each takes every pinned splice, and neither starts nor stops in a button inside of a range that is never cut.
        """
        if self.usable.pinned.size < len(self.fit.constraints.pinned):
            return []
        layers = layers_from(self.starts(), self.after_one_more, self.most_seams)
        ended = [ends for number, states in enumerate(layers) for ends in self.ends(states, number) if ends.which.size]
        if not ended:
            return []
        score = np.concatenate([ends.score for ends in ended])
        sharing = np.concatenate([ends.sharing for ends in ended])
        which = np.repeat(np.arange(len(ended)), [ends.which.size for ends in ended])
        row = np.concatenate([ends.which for ends in ended])
        order = np.lexsort((-score, -sharing))[:_FINALISTS]
        return [
            Cut(self.route(layers, ended[which[at]], int(row[at])), float(score[at]), int(sharing[at]))
            for at in order.tolist()
        ]

    def _share(self, plan: LoopPlan) -> None:
        spans = sorted((segment.song_from, segment.song_to) for segment in plan.segments)
        times, sums, until = [0.0], [0.0], 0.0
        for first, last in spans:
            begin = max(first, until)
            if last > begin:
                times += [begin, last]
                sums += [sums[-1], sums[-1] + last - begin]
                until = last
        self.shared_at, self.shared_sum = np.array(times), np.array(sums)
        self.shorter_seconds = sums[-1] if plan.window_end <= self.fit.seconds else 0.0
        for left, entered in zip(plan.segments, plan.segments[1:], strict=False):
            same = np.abs(self.usable.song_to - left.song_to) < 1e-4
            self.is_common |= same & (np.abs(self.usable.song_from - entered.song_from) < 1e-4)

    def _salience_of(self, first: FloatArray, until: FloatArray) -> FloatArray:
        return _between(first, until, self.edges, self.salience)

    def _shared_of(self, first: FloatArray, until: FloatArray) -> FloatArray:
        return _between(first, until, self.shared_at, self.shared_sum)

    def _plays_whole(self, first: FloatArray, until: FloatArray, hook_until: FloatArray) -> BoolArray:
        """Which parts segments play whole that are audible in full up to `until`, or `hook_until` for the hook."""
        clear_until = np.repeat(until[:, None], len(self.parts), axis=1)
        clear_until[:, len(self.whole) :] = hook_until[:, None]
        return _is_inside(self.parts[:, 0], self.parts[:, 1], first[:, None], clear_until)

    def starts(self) -> _States:
        """The track's own start, and every downbeat that is not inside of a range that is never cut."""
        profile, lines = self.profile, self.profile.downbeats
        bars = np.flatnonzero(lines > profile.song_start + MAX_EARLY_SECONDS)
        bars = np.setdiff1d(bars, self.usable.constraints.never_cut)
        bars = bars[:0] if profile.comes_from_hit else bars
        own = round(profile.song_start, 6)
        at = np.concatenate(([own], np.round(np.maximum(lines[bars] - EARLY_SECONDS, 0.0), 6)))
        line = np.concatenate(([max(0, int(last_line(profile, own)))], bars)).astype(np.int64)
        # on a section's border, after eight bars of it, four
        inside = bars_into_section(profile)[bars]
        at_bar = np.where(inside == 0, 0.7, np.where(inside % 8 == 0, 0.5, np.where(inside % 4 == 0, 0.3, 0.05)))
        opening = np.append(1.0, at_bar)
        n = at.size
        zero, none = np.zeros(n), np.zeros(n, dtype=np.int64)
        room = np.concatenate(([start_fade(profile)], np.full(n - 1, EARLY_SECONDS)))
        return _States(
            at=at, line=line, room=room, played=zero, worst=np.ones(n), scores=zero, phrasing=opening, opening=opening,
            inverse=zero, stale=zero, salience=zero, shared=zero, held=np.zeros((n, len(self.parts)), dtype=bool),
            pins=np.zeros((n, self.usable.pinned.size), dtype=bool), common=none, parent=np.full(n, -1),
            splice=np.arange(n),
        )  # fmt: skip

    def after_one_more(self, states: _States, seams: int) -> _States:
        """The few states worth carrying on after one more splice."""
        usable = self.usable
        lasts = usable.song_to[None, :] - states.at[:, None]
        bars = usable.leave[None, :] - states.line[:, None]
        least_bars = MIN_INNER_BARS if seams or self.video >= _HOOK_SECONDS else 1
        room = states.room[:, None] + usable.fade[None, :] / 2 + ROUNDING_SECONDS
        played = states.played[:, None] + lasts
        legal = (bars >= least_bars) & (lasts >= room) & (played <= self.video - 0.5 * self.bar)
        legal &= ~usable.constraints.plays_excluded(states.at[:, None], usable.song_to[None, :])
        backward = usable.gain_seconds > 0
        if self.may_repeat:
            long = (usable.leave - usable.enter >= _LOOP_BARS) & (usable.gain_seconds >= _LOOP_SECONDS)
            legal &= ~backward | long | self.is_pin.any(axis=1)
        else:
            legal &= ~backward
        row, splice = np.nonzero(legal)
        if not row.size:
            return states.rows(np.zeros(0, dtype=np.int64))
        first, until = states.at[row], usable.song_to[splice]
        held = states.held[row] | self._plays_whole(first, until, until)
        pins = states.pins[row] | self.is_pin[splice]
        if not self.may_repeat:  # a pinned splice that was passed, or a part that was left out, does not come again
            number = len(self.whole)
            behind = self.parts[:number, 0] < usable.song_from[splice, None] - BORDER_SECONDS
            passed = usable.leave[usable.pinned] <= usable.enter[splice, None]
            on = ~((behind & ~held[:, :number]).any(axis=1) | (passed & ~pins).any(axis=1))
            row, splice, first, until, held, pins = row[on], splice[on], first[on], until[on], held[on], pins[on]
        gain = np.maximum(usable.gain_seconds[splice], 0.0)
        found = _States(
            at=usable.song_from[splice],
            line=usable.enter[splice],
            room=usable.fade[splice] / 2,
            played=states.played[row] + until - first,
            worst=np.minimum(states.worst[row], usable.score[splice]),
            scores=states.scores[row] + usable.score[splice],
            phrasing=states.phrasing[row] + usable.phrasing[splice],
            opening=states.opening[row],
            inverse=states.inverse[row] + 1.0 / (until - first),
            stale=states.stale[row] + gain * (1.0 - fresh_again(gain, self.params)),
            salience=states.salience[row] + self._salience_of(first, until),
            shared=states.shared[row] + self._shared_of(first, until),
            held=held,
            pins=pins,
            common=states.common[row] + self.is_common[splice],
            parent=row,
            splice=splice,
        )
        return found.rows(self._best_of_each(found, seams + 1))

    def _best_of_each(self, states: _States, seams: int) -> IntArray:
        """Rows worth carrying on: the best to arrive at a splice at about a time, with the same kept parts played."""
        # Ways within a quarter of a bar leave about the same length to what comes after.
        slot = np.rint(states.played / (self.bar / 4)).astype(np.int64)
        key = (slot, np.minimum(states.common, _MOST_COMMON), *states.pins.T, *states.held.T, states.splice)
        best = best_of_each(key, self._promise(states, seams))
        if best.size > _STATES:
            # With pinned splices each set of them that was taken is carried on, or the worse ones would be left behind.
            best = best[from_each_in_turn((*states.pins[best].T, states.splice[best]), _STATES)]
        return best

    def _promise(self, states: _States, seams: int) -> FloatArray:
        """The score of a state so far."""
        mean = states.scores / seams
        quality = self.params.seams_weight * seams_part(states.worst, mean, seam_power=1)
        held = states.held.sum(axis=1) / max(1, len(self.parts))
        salience = np.minimum(1.0, states.salience / np.maximum(states.played, 1.0) / self.top)
        shared = states.shared / (self.shorter_seconds or np.maximum(states.played, 1e-9))
        return np.asarray(
            quality
            + 0.2 * held
            + self.params.coverage_weight * 0.5 * salience
            + self.params.phrasing_weight * states.phrasing / (seams + 1)
            - _OFF_PHRASE * (1.0 - states.opening)
            - states.stale / self.video
            + 0.3 * np.minimum(shared, 1.0)
            + 0.2 * (states.common if self.shorter_seconds else states.common - seams)
        )

    def ends(self, states: _States, seams: int) -> Iterator[_Ends]:
        """The ways to end of some states: with the track, in a button, in a fade."""
        yield self._own_ends(states, seams)
        if not (self.fit.to_last_sound or self.profile.leads_to_hit):
            yield from self._downbeat_ends(states, seams)

    def _own_ends(self, states: _States, seams: int) -> _Ends:
        """The states from which the track plays to its own end."""
        request, ending = self.fit.request, self.profile.ending
        last = round(self.profile.last_sound, 6)
        longest_tail, latest = end_slack(self.profile)
        if request.start_at is not None:
            latest = 0.0
        length = last - states.at
        spare = self.video - states.played - length
        if request.end_on is None:
            late, tail = late_and_tail(spare, longest_tail, latest)
        else:
            late = self._late_for_hit(states, latest)
            tail = spare - late
        legal = (spare >= 0.0) & (tail >= 0.0) & (tail <= longest_tail)
        legal &= length >= np.maximum(states.room + tail + ROUNDING_SECONDS, self.bar)
        if ending is not None:
            legal &= (states.line <= ending.start_bar) | self.in_ending
        elif seams:
            legal &= self.fit.to_last_sound
        row = np.flatnonzero(legal)
        late, tail = late[row], tail[row]
        none = np.zeros(row.size)
        part = none + _FADE_OF_TRACK if ending is None else own_ending_part(ending.kind, none, none)
        part = part - np.minimum(_MOST_SILENT, _LATE_SECOND * late + _SILENT_SECOND * tail)
        kind = own_ending(self.profile, 0.0).kind
        return self._scored(states, seams, _Stops(kind, row, part, np.full(row.size, last), none, late, none))

    def _late_for_hit(self, states: _States, latest: float) -> FloatArray:
        """How late the music starts for the track's last attack to land where it is asked for; NaN: it cannot."""
        last_hit = self.fit.last_hit
        if last_hit is None:
            return np.full(states.size, np.nan)
        late = np.round(self.fit.hit_seconds - (states.played + last_hit - states.at), 6)
        near = (late > -HIT_TOLERANCE_SECONDS) & (late < latest + HIT_TOLERANCE_SECONDS)
        return np.where(near, np.clip(late, 0.0, latest), np.nan)

    def _downbeat_ends(self, states: _States, seams: int) -> Iterator[_Ends]:
        """The states from which the music goes on to a downbeat, on which it ends in a button or a fade."""
        profile, fit = self.profile, self.fit
        lines, is_hit = profile.downbeats, fit.request.end_on is not None
        earlier = np.zeros(states.size)
        reach = states.at + self.video - states.played
        if not is_hit:
            stops = last_line(profile, reach)
        else:
            hit = states.at + fit.hit_seconds - states.played
            stops = nearest_line(lines, hit)
            moved = np.clip(hit - lines[stops], -EARLY_SECONDS, MAX_EARLY_SECONDS - EARLY_SECONDS)
            earlier = np.where(states.opening < 1.0, np.round(moved, 6), 0.0)
            reach = reach - earlier
        start = states.at if seams else states.at - earlier
        tail, free = reach - lines[stops], reach - start - states.room - ROUNDING_SECONDS
        bars = np.append(np.diff(lines), lines[-1] - lines[-2])
        legal = (reach <= latest_stop(profile, in_ending=self.in_ending)) & (stops > states.line) & (start >= 0.0)
        legal &= (tail >= -1e-6) & (tail < bars[stops] - 1e-3)

        button = legal & (free >= tail) & (tail >= MIN_RING_SECONDS - ROUNDING_SECONDS)
        button &= ~np.isin(stops, self.usable.constraints.never_cut)
        if is_hit:
            lands = states.played + earlier + lines[stops] - states.at
            button &= np.abs(lands - fit.hit_seconds) <= HIT_TOLERANCE_SECONDS
        row = np.flatnonzero(button)
        part = self.usable.fade_part[stops[row]] + _BUTTON - 0.2 * np.maximum(0.0, 1.0 - tail[row] / _GOOD_RING)
        stops_at = _Stops(EndKind.BUTTON, row, part, reach[row], tail[row], np.zeros(row.size), earlier[row])
        yield self._scored(states, seams, stops_at)
        if is_hit:
            return
        row = np.flatnonzero(legal & (np.maximum(tail, SHORTEST_FADE_SECONDS) <= np.minimum(self.video / 2, free)))
        until, rest = reach[row], tail[row]
        fade = np.minimum(np.minimum(free[row], self.video / 2), rest + FADE_SHARE * self.video)
        fade = np.minimum(fade, self._fade_room(states.at[row], until, rest))
        part = self.usable.fade_part[stops[row]] - 0.2 * np.maximum(0.0, 1.0 - fade / GOOD_FADE_OUT_SECONDS)
        none = np.zeros(row.size)
        yield self._scored(states, seams, _Stops(EndKind.FADE, row, part, until, rest, none, none))

    def _scored(self, states: _States, seams: int, stops: _Stops) -> _Ends:
        """The ends of some rows of a layer that play every part the request keeps, scored."""
        fit, states, kind, until = self.fit, states.rows(stops.row), stops.kind, stops.until
        held = states.held | self._plays_whole(states.at, *_clear_until(kind, until, stops.tail, self.video))
        length = np.maximum(until - states.at, 1e-3)
        hooked = held[:, len(self.whole) :].all(axis=1)  # so it is where the track has none
        salience = (states.salience + self._salience_of(states.at, until)) / np.maximum(states.played + length, 1e-3)
        lost = _OFF_PHRASE * (1.0 - states.opening)
        mean_length = (seams + 1) / (states.inverse + 1.0 / length)
        if seams:
            lost = lost + _TOO_SHORT * np.maximum(0.0, 1.0 - mean_length / _SHORT_SECONDS)
        if not kind.is_own and self.profile.ending is not None and fit.seconds >= _HOOK_SECONDS:
            lost = lost + _NO_OWN_ENDING
        score = PlanScore(
            worst=states.worst,
            mean=states.scores / seams if seams else np.ones(states.size),
            seam_power=1,
            ending=stops.part,
            freshness=1.0 - states.stale / self.video,
            phrasing=states.phrasing / (seams + 1),
            coverage=0.5 * hooked + 0.5 * np.minimum(1.0, salience / self.top),
            segment_seconds=mean_length,
            lost=lost + np.where(hooked | (fit.seconds < _HOOK_SECONDS), 0.0, _NO_HOOK),
        ).total(self.params)
        sharing = np.zeros(states.size, dtype=np.int64)
        if fit.beside is not None:
            of = self.shorter_seconds or np.maximum(states.played + length, 1e-3)
            enough = (states.shared + self._shared_of(states.at, until)) / of >= SHARED
            theirs = len(fit.beside.seam_times) if self.shorter_seconds else seams
            sharing = enough.astype(np.int64) + (enough & (states.common >= theirs))
        fits = held[:, : len(self.whole)].all(axis=1) & states.pins.all(axis=1)
        fits &= ~self.usable.constraints.plays_excluded(states.at, until)
        return _Ends(seams, stops, np.flatnonzero(fits), score[fits], sharing[fits])

    def route(self, layers: list[_States], ends: _Ends, number: int) -> Route:
        """The route of one end."""
        at, taken = way_to(layers, ends.layer, int(ends.stops.row[number]))
        fit, splices = self.fit, np.array(taken, dtype=np.int64)
        start = round(float(layers[0].at[at]) - float(ends.stops.earlier[number]), 6)
        asked = fit.request.start_at
        music_in = micros(asked if asked is not None else float(ends.stops.late[number])) / 1e6
        if ends.stops.kind.is_own:
            last_to = round(self.profile.last_sound, 6)
        else:
            last_to = plays_to(start, self.usable.gain_seconds[splices], self.video) / 1e6
        return Route(start, splices, ends.stops.kind, music_in, last_to, fit.seconds)

    def _fade_room(self, first: FloatArray, until: FloatArray, tail: FloatArray) -> FloatArray:
        """How long a closing fade may be without overlapping a kept part in the last segment.

        In seconds, shape (n,); the segment's length if it has no kept part. The last segments go from `first` to
        `until` in track time, and end `tail` seconds after their last downbeat.
        """
        whole = self._plays_whole(first, *_clear_until(EndKind.FADE, until, tail, self.video))
        ends = np.where(whole, self.parts[:, 1], 0.0).max(axis=1, initial=0.0)
        return np.asarray(until - np.maximum(first, ends))

    def times(self, cut: Cut, times: FloatArray) -> FloatArray:
        """Which second of the track a cut plays at some times of the video, see `song_at`."""
        table = spans(cut.route, self.usable)
        starts = cut.route.music_in + np.append(0.0, np.cumsum(table[:, 1] - table[:, 0]))
        return song_at(table, starts, times)

    def plan(self, cut: Cut) -> LoopPlan:
        """The plan of a cut; its invariants are validated. A broken rule raises `PlanError`."""
        route, usable, profile, fit = cut.route, self.usable, self.profile, self.fit
        fade_in = start_fade(profile, route.song_start)
        if route.ending.is_own:
            ending = replace(own_ending(profile, silence_after(route, usable)), named_own=True)
        else:
            first, last = spans(route, usable)[-1:].T
            clear_room = float(self._fade_room(first, last, last - profile.downbeats[last_line(profile, last)])[0])
            room = min(room_for_fade(route, usable, fade_in), clear_room)
            ending = downbeat_ending(profile, route.ending, route.last_to, self.video, room, self.params)
        return build_plan(
            profile,
            played(route, usable, fade_in, self.params.gain_glide_seconds),
            ending,
            Window(route.music_in, fit.seconds, fit.request.start_at),
            cut.score,
        )


def _between(first: FloatArray, until: FloatArray, times: FloatArray, sums: FloatArray) -> FloatArray:
    """The part between `first` and `until` of a running sum that is given at some times."""
    return np.asarray(np.interp(until, times, sums) - np.interp(first, times, sums), dtype=np.float64)


def _clear_until(kind: EndKind, until: FloatArray, tail: FloatArray, seconds: float) -> tuple[FloatArray, FloatArray]:
    """Up to where music plays in full, at the latest.

    A button fades its ring; a fade may be as short as `SHORTEST_FADE_SECONDS` behind a kept part, but is a proper
    one behind the hook, which no request names. Returns seconds of the track, for kept parts and for the hook.
    The music ends at `until`, `tail` seconds after its last downbeat; it lasts `seconds` in all.
    """
    if kind is not EndKind.FADE:
        clear = until if kind.is_own else until - tail
        return clear, clear
    least = np.maximum(tail, SHORTEST_FADE_SECONDS)
    proper = np.maximum(least, min(GOOD_FADE_OUT_SECONDS, FADE_SHARE * seconds))
    # The tolerance of a border is for bar lines; a fade has its least length.
    return until - (least + BORDER_SECONDS - 1e-6), until - (proper + BORDER_SECONDS - 1e-6)


def _is_inside(begin: float | FloatArray, end: float | FloatArray, first: FloatArray, until: FloatArray) -> BoolArray:
    return np.asarray((first <= begin + BORDER_SECONDS) & (until >= end - BORDER_SECONDS))
