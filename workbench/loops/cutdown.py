"""Cut a track down to a length, to the millisecond: which parts stay, where the music starts, and how it ends.

The music starts with the track or on a downbeat, takes splices (`workbench.loops.splices`), as a rule only ahead, and
ends with the track itself, on a button or in a fade. What is heard up to a splice is a sum over its segments, so the
search (`workbench.loops.search`) advances by one splice: of all ways to arrive at a splice after about the same time
with the same kept parts, the best is carried on. The last segment takes what the others leave of the length: the
track's own ending closes a range of lengths (a tail under a bar, and a start under a bar late), a button or a fade any
length.

A button is a downbeat hit that rings under a fade of less than a bar.

A route is scored with the weights of a loop (`workbench.loops.plan_score`), of which three parts have another meaning,
because a cut-down is asked to leave most of the track out:

- seams: not squared, for a stretch without a seam would nearly always win over one with the track's own ending;
- coverage: half whether the hook is heard whole in one segment, half the salience of the bars that stay, over that of
  the hook;
- phrasing: the mean over the splices and the start; a start in mid-phrase costs `_OFF_PHRASE` on top.

From `_HOOK_SECONDS` on a route without the hook loses `_NO_HOOK`, and one without the track's own ending, where the
track has one, `_NO_OWN_ENDING`: a piece of music that begins and ends is worth a seam.

Functions: `cut_splices`, what may be taken; `with_short_segments`; `find_cuts`, the best routes; `route_heard`, what
one plays; `assemble_cut`, its plan; `downbeat_ending`; `seams_allowed`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

import numpy as np

from workbench.loops.assembly import (
    PlayedSegments,
    build_plan,
    end_slack,
    fade_place,
    late_and_tail,
    micros,
    own_ending,
    seam_gains,
    segments_of,
)
from workbench.loops.constraints import LineConstraints
from workbench.loops.plan import BORDER_SECONDS, Ending, EndKind, LoopPlan
from workbench.loops.plan_score import PlanScore, economy_part, fresh_again, own_ending_part, seams_part
from workbench.loops.profile import LoopProfile
from workbench.loops.search import best_of_each, from_each_in_turn, layers_from, way_to
from workbench.loops.splices import UsableSplices, start_fade, usable_splices
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds, VideoSeconds
from workbench.structure.salience import bar_salience
from workbench.structure.sections import Section

SECONDS_A_SEAM = 15.0  # s; a plan that fits has at most one seam for each of these begun
MIN_INNER_BARS = 2  # bars of a segment between two seams, at least
# s before its downbeat at which music starts that is not the track's own start, and its fade there
EARLY_SECONDS = 0.03
MAX_EARLY_SECONDS = 0.06  # s before its downbeat at which the music may start, so that no attack is cut off
SHARED = 0.6  # share of a shorter version's music that is heard in the next longer one
MIN_RING_SECONDS = 0.3  # s that a button rings at least
# s; how far from the time asked for the last hit may land, with a margin to the 20 ms promised
HIT_TOLERANCE_SECONDS = 0.018
MIN_FADE_OUT_SECONDS = 0.2  # s; a closing fade lasts as long at least
GOOD_FADE_OUT_SECONDS = 2.0  # s; a closing fade that is shorter scores less
FADE_SHARE = 0.25  # of the length: how long a closing fade is where the length leaves no room for the usual one

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
_MARGIN = 2e-6
_STATES = 2000  # ways to arrive that are carried on at each seam
_FINALISTS = 1500
_MOST_SEAMS = 4
_MOST_COMMON = 7  # seams of the other plan that are told apart


@dataclass(frozen=True, slots=True)
class CutTask:
    """What is to be made of a track; all lengths are whole microseconds."""

    seconds: VideoSeconds  # length of the whole, the silence before `start_at` included
    # stretches of the track that are each kept whole in one segment
    whole: tuple[tuple[TrackSeconds, TrackSeconds], ...] = ()
    to_last_sound: bool = False  # whether the track must be played to its last sound
    hook: tuple[TrackSeconds, TrackSeconds] | None = None  # the stretch that is preferably kept whole in one segment
    start_at: VideoSeconds | None = None
    end_on: VideoSeconds | None = None  # where the last hit lands
    last_hit: TrackSeconds | None = None  # the last attack of the track; None where it is not known
    # whether the music may also stop on a downbeat of the track's own ending, and that be entered anywhere
    in_ending: bool = False
    may_repeat: bool = False  # whether loops back are taken too
    # a plan for another length, with which music and seams are shared: what is heard in the shorter of both is heard in
    # the longer
    beside: LoopPlan | None = None

    @property
    def music_seconds(self) -> float:
        """Length of the music."""
        return round(self.seconds - (self.start_at or 0.0), 6)


@dataclass(frozen=True, slots=True, eq=False)
class CutRoute:
    """Where the music starts, which splices it takes, and how it ends."""

    song_start: TrackSeconds
    own_start: bool
    taken: IntArray  # shape (n_seams,), indices into the splices
    ending: EndKind
    music_in: VideoSeconds
    last_to: TrackSeconds
    score: float
    # 2 where `SHARED` of the shorter's music and all of its seams are shared with `CutTask.beside`, 1 where the music
    # is, else 0
    sharing: int


def seams_allowed(seconds: float) -> int:
    """How many seams a plan that fits may have."""
    return ceil(round(seconds / SECONDS_A_SEAM, 9))


def cut_splices(profile: LoopProfile, params: CoverParams, constraints: LineConstraints | None = None) -> UsableSplices:
    """The splices that a cut-down may take: those of a loop, with shorter segments between them."""
    return usable_splices(profile, with_short_segments(params), constraints)


def with_short_segments(params: CoverParams) -> CoverParams:
    """Parameters with the limits that a cut-down has on its segments."""
    shorter = {"min_segment_bars": MIN_INNER_BARS, "min_segment_seconds": 2.0, "min_opening_seconds": 2.0}
    return params.model_copy(update=shorter | {"gain_glide_seconds": 0.1})


def find_cuts(profile: LoopProfile, usable: UsableSplices, task: CutTask, params: CoverParams) -> list[CutRoute]:
    """The best routes of a length, best first; routes that share most with `task.beside` before all others.

    Each takes every pinned splice, and neither starts nor stops in a button inside of a range that is never cut.
    `usable` are from `cut_splices`; the track has at least two bars.
    """
    search = _Search(profile, usable, task, params)
    layers = layers_from(search.starts(), search.after_one_more, search.most_seams)
    closed = [
        rows
        for number, states in enumerate(layers)
        for rows in (search.own_endings(states, number), search.downbeat_endings(states, number))
        if rows.score.size
    ]
    if not closed:
        return []
    score = np.concatenate([rows.score for rows in closed])
    tier = np.concatenate([rows.tier for rows in closed])
    which = np.repeat(np.arange(len(closed)), [rows.score.size for rows in closed])
    row = np.concatenate([np.arange(rows.score.size) for rows in closed])
    order = np.lexsort((-score, -tier))[:_FINALISTS]
    return [search.route(layers, closed[which[at]], int(row[at])) for at in order.tolist()]


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
    stale: FloatArray  # s heard again, times how stale they are then
    salience: FloatArray  # s heard, times their salience
    shared: FloatArray  # s heard of the other plan's music
    kept: BoolArray  # shape (n, parts): which kept parts have been heard whole, the hook last
    pins: BoolArray  # shape (n, pinned splices): which of them were taken
    common: IntArray  # how many seams of the other plan were taken
    parent: IntArray  # row of the layer before
    splice: IntArray  # splice taken into the segment; at the start, the number of the start

    @property
    def size(self) -> int:
        return int(self.at.size)

    def rows(self, chosen: IntArray | BoolArray) -> _States:
        return _States._make(column[chosen] for column in self)


class _Closed(NamedTuple):
    """Ways to end, one a row."""

    layer: int
    row: IntArray
    own: bool
    button: BoolArray
    late: FloatArray  # s by which the music starts late
    earlier: FloatArray  # s by which the start is moved to an earlier place of the track
    score: FloatArray
    tier: IntArray  # how much is shared, see `CutRoute.sharing`


@dataclass(slots=True, eq=False)
class _Search:
    profile: LoopProfile
    usable: UsableSplices
    task: CutTask
    params: CoverParams
    edges: FloatArray = field(init=False)  # bar lines and the last sound
    salience: FloatArray = field(init=False)  # salience seconds up to each of `edges`
    top: float = field(init=False)  # salience of the best stretch
    parts: FloatArray = field(init=False)  # shape (parts, 2), the kept parts, then the hook
    start_phrasing: FloatArray = field(init=False)  # of each bar line
    shared_at: FloatArray = field(init=False)
    shared_sum: FloatArray = field(init=False)  # s of the other plan's music up to each of `shared_at`
    # s of the other plan's music where it is the shorter of both, else 0
    shorter_seconds: float = field(init=False, default=0.0)
    is_common: BoolArray = field(init=False)  # which splices are seams of the other plan
    is_pin: BoolArray = field(init=False)  # shape (splices, pinned splices): which splice is which pinned one
    most_seams: int = field(init=False)
    bar: float = field(init=False)
    video: float = field(init=False)

    def __post_init__(self) -> None:
        profile, task = self.profile, self.task
        lines = profile.downbeats
        self.video = task.music_seconds
        self.bar = float(np.median(np.diff(lines)))
        last = max(profile.last_sound, float(lines[-1]) + 1e-3)
        self.edges = np.append(lines, last)
        sections = tuple(Section(s.first_bar, s.last_bar, s.label, s.group) for s in profile.sections)
        salience = bar_salience(profile.bar_lufs, sections)
        lengths = np.diff(self.edges)
        self.salience = np.concatenate(([0.0], np.cumsum(salience * lengths)))
        hook = [] if task.hook is None else [task.hook]
        self.parts = np.array([*task.whole, *hook], dtype=np.float64).reshape(-1, 2)
        first, until = task.hook or (float(lines[0]), last)
        self.top = max(float(self._salience_of(np.array(first), np.array(until))) / max(until - first, 1e-3), 1e-3)
        self.start_phrasing = _start_phrasing(profile)
        usable = self.usable
        most = max(_MOST_SEAMS, len(task.whole) + 1 + usable.pinned.size)
        self.most_seams = min(seams_allowed(task.seconds), most)
        self.is_pin = np.arange(usable.size)[:, None] == usable.pinned
        self.is_common = np.zeros(usable.size, dtype=bool)
        self.shared_at = np.array([0.0, profile.song_duration])
        self.shared_sum = np.zeros(2)
        if task.beside is not None:
            self._share(task.beside)

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
        self.shorter_seconds = sums[-1] if plan.window_end <= self.task.seconds else 0.0
        for left, entered in zip(plan.segments, plan.segments[1:], strict=False):
            same = np.abs(self.usable.song_to - left.song_to) < 1e-4
            self.is_common |= same & (np.abs(self.usable.song_from - entered.song_from) < 1e-4)

    def _salience_of(self, first: FloatArray, until: FloatArray) -> FloatArray:
        return np.asarray(
            np.interp(until, self.edges, self.salience) - np.interp(first, self.edges, self.salience), dtype=np.float64
        )

    def _shared_of(self, first: FloatArray, until: FloatArray) -> FloatArray:
        return np.asarray(
            np.interp(until, self.shared_at, self.shared_sum) - np.interp(first, self.shared_at, self.shared_sum),
            dtype=np.float64,
        )

    def _heard_whole(self, first: FloatArray, until: FloatArray, hook_until: FloatArray) -> BoolArray:
        """Which parts segments play whole that are heard in full up to `until`, or `hook_until` for the hook."""
        heard_until = np.repeat(until[:, None], len(self.parts), axis=1)
        heard_until[:, len(self.task.whole) :] = hook_until[:, None]
        return _is_inside(self.parts[:, 0], self.parts[:, 1], first[:, None], heard_until)

    def starts(self) -> _States:
        """The track's own start, and every downbeat that is not inside of a range that is never cut."""
        profile, inside = self.profile, self.usable.inside
        lines = profile.downbeats
        bars = np.flatnonzero(lines > profile.song_start + MAX_EARLY_SECONDS)
        bars = bars if inside is None else bars[~inside[bars]]
        own = round(profile.song_start, 6)
        at = np.concatenate(([own], np.round(np.maximum(lines[bars] - EARLY_SECONDS, 0.0), 6)))
        line = np.concatenate(([0], bars)).astype(np.int64)
        opening = np.concatenate(([1.0], self.start_phrasing[bars]))
        n = at.size
        zero, none = np.zeros(n), np.zeros(n, dtype=np.int64)
        room = np.concatenate(([start_fade(profile)], np.full(n - 1, EARLY_SECONDS)))
        return _States(
            at=at, line=line, room=room, played=zero, worst=np.ones(n), scores=zero, phrasing=opening, opening=opening,
            inverse=zero, stale=zero, salience=zero, shared=zero, kept=np.zeros((n, len(self.parts)), dtype=bool),
            pins=np.zeros((n, self.usable.pinned.size), dtype=bool), common=none, parent=np.full(n, -1),
            splice=np.arange(n),
        )  # fmt: skip

    def after_one_more(self, states: _States, seams: int) -> _States:
        """The states after one splice more, of which few are kept."""
        usable, task = self.usable, self.task
        lasts = usable.song_to[None, :] - states.at[:, None]
        bars = usable.leave[None, :] - states.line[:, None]
        least_bars = MIN_INNER_BARS if seams or self.video >= _HOOK_SECONDS else 1
        room = states.room[:, None] + usable.fade[None, :] / 2 + _MARGIN
        played = states.played[:, None] + lasts
        legal = (bars >= least_bars) & (lasts >= room) & (played <= self.video - 0.5 * self.bar)
        legal &= ~usable.plays_excluded(states.at[:, None], usable.song_to[None, :])
        backward = usable.gain_seconds > 0
        if task.may_repeat:
            long = (usable.leave - usable.enter >= _LOOP_BARS) & (usable.gain_seconds >= _LOOP_SECONDS)
            legal &= ~backward | long | self.is_pin.any(axis=1)
        else:
            legal &= ~backward
        row, splice = np.nonzero(legal)
        if not row.size:
            return states.rows(np.zeros(0, dtype=np.int64))
        first, until = states.at[row], usable.song_to[splice]
        kept = states.kept[row] | self._heard_whole(first, until, until)
        pins = states.pins[row] | self.is_pin[splice]
        if not task.may_repeat:  # a pinned splice that was passed, or a part that was left out, does not come again
            number = len(task.whole)
            behind = self.parts[:number, 0] < usable.song_from[splice, None] - BORDER_SECONDS
            passed = usable.leave[usable.pinned] <= usable.enter[splice, None]
            on = ~((behind & ~kept[:, :number]).any(axis=1) | (passed & ~pins).any(axis=1))
            row, splice, first, until, kept, pins = row[on], splice[on], first[on], until[on], kept[on], pins[on]
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
            kept=kept,
            pins=pins,
            common=states.common[row] + self.is_common[splice],
            parent=row,
            splice=splice,
        )
        return found.rows(self._best_of_each(found, seams + 1))

    def _best_of_each(self, states: _States, seams: int) -> IntArray:
        """Rows worth carrying on: the best to arrive at a splice at about a time, with the same parts kept."""
        # Ways within a quarter of a bar leave about the same length to what comes after.
        slot = np.rint(states.played / (self.bar / 4)).astype(np.int64)
        key = (slot, np.minimum(states.common, _MOST_COMMON), *states.pins.T, *states.kept.T, states.splice)
        best = best_of_each(key, self._promise(states, seams))
        if best.size > _STATES:
            # With pinned splices each set of them that was taken is carried on, or the worse ones would be left behind.
            best = best[from_each_in_turn((*states.pins[best].T, states.splice[best]), _STATES)]
        return best

    def _promise(self, states: _States, seams: int) -> FloatArray:
        """The score of a state so far."""
        mean = states.scores / seams
        quality = self.params.seams_weight * seams_part(states.worst, mean, hearings=1)
        kept = states.kept.sum(axis=1) / max(1, len(self.parts))
        heard = np.minimum(1.0, states.salience / np.maximum(states.played, 1.0) / self.top)
        shared = states.shared / (self.shorter_seconds or np.maximum(states.played, 1e-9))
        return np.asarray(
            quality
            + 0.2 * kept
            + self.params.coverage_weight * 0.5 * heard
            + self.params.phrasing_weight * states.phrasing / (seams + 1)
            - _OFF_PHRASE * (1.0 - states.opening)
            - states.stale / self.video
            + 0.3 * np.minimum(shared, 1.0)
            + 0.2 * (states.common if self.shorter_seconds else states.common - seams)
        )

    def own_endings(self, states: _States, seams: int) -> _Closed:
        """The states from which the track plays to its own end."""
        profile, task = self.profile, self.task
        ending = profile.ending
        last = round(profile.last_sound, 6)
        longest_tail, latest = end_slack(profile)
        if task.start_at is not None:
            latest = 0.0
        length = last - states.at
        spare = self.video - states.played - length
        if task.end_on is None:
            late, tail = late_and_tail(spare, longest_tail, latest)
        else:
            late, hit_is_known = self._late_for_hit(states, latest)
            tail = spare - late
            spare = np.where(hit_is_known, spare, -1.0)
        legal = (spare >= 0.0) & (tail >= 0.0) & (tail <= longest_tail)
        legal &= length >= np.maximum(states.room + tail + _MARGIN, self.bar)
        if ending is not None:
            legal &= (states.line <= ending.start_bar) | task.in_ending
        elif seams:
            legal &= task.to_last_sound
        row = np.flatnonzero(legal)
        late, tail = np.asarray(late)[row], np.asarray(tail)[row]
        if ending is not None:
            ending_part = own_ending_part(ending.kind, np.zeros(row.size), np.zeros(row.size))
        else:
            ending_part = np.full(row.size, _FADE_OF_TRACK)
        ending_part = ending_part - np.minimum(_MOST_SILENT, _LATE_SECOND * late + _SILENT_SECOND * tail)
        until = np.full(row.size, last)
        return self._closed(
            states.rows(row), seams, row, True, np.zeros(row.size, bool), late, 0 * late, until, ending_part
        )

    def _late_for_hit(self, states: _States, latest: float) -> tuple[FloatArray, bool]:
        """How late the music starts for the track's last attack to land where it is asked for."""
        task = self.task
        if task.last_hit is None or task.end_on is None:
            return np.zeros(states.size), False
        wanted = task.end_on - (task.start_at or 0.0)
        late = np.round(wanted - (states.played + task.last_hit - states.at), 6)
        near = (late > -HIT_TOLERANCE_SECONDS) & (late < latest + HIT_TOLERANCE_SECONDS)
        return np.where(near, np.clip(late, 0.0, latest), -1e9), True

    def downbeat_endings(self, states: _States, seams: int) -> _Closed:
        """The states from which the music goes on to a downbeat, on which it ends in a button or a fade."""
        profile, task = self.profile, self.task
        lines = profile.downbeats
        n = lines.size
        earlier = np.zeros(states.size)
        reach = states.at + self.video - states.played
        if task.end_on is None:
            stops = np.searchsorted(lines, reach + 1e-6, side="right") - 1
        else:
            wanted = task.end_on - (task.start_at or 0.0)
            hit = states.at + wanted - states.played
            after = np.clip(np.searchsorted(lines, hit), 1, n - 1)
            stops = after - (hit - lines[after - 1] <= lines[after] - hit)
            moved = np.clip(hit - lines[stops], -EARLY_SECONDS, MAX_EARLY_SECONDS - EARLY_SECONDS)
            earlier = np.where(states.opening < 1.0, np.round(moved, 6), 0.0)
        return self._downbeat_rows(states, seams, stops, earlier, reach)

    def _downbeat_rows(
        self, states: _States, seams: int, stops: IntArray, earlier: FloatArray, reach: FloatArray
    ) -> _Closed:
        profile, task = self.profile, self.task
        lines = profile.downbeats
        n = lines.size
        ending = profile.ending
        reach = reach - earlier
        start = states.at if seams else states.at - earlier
        tail = reach - lines[stops]
        bars = np.append(np.diff(lines), lines[-1] - lines[-2])
        if ending is None or task.in_ending:
            latest = profile.last_sound
        else:
            latest = float(lines[ending.start_bar + 1]) if ending.start_bar + 1 < n else profile.last_sound
        latest = min(latest, profile.last_sound)
        length = reach - start
        free = length - states.room - _MARGIN
        legal = (reach <= latest) & (stops > states.line) & (tail >= -1e-6) & (tail < bars[stops] - 1e-3)
        legal &= start >= 0.0
        legal &= not task.to_last_sound
        if task.end_on is not None:
            wanted = task.end_on - (task.start_at or 0.0)
            lands = states.played + earlier + lines[stops] - states.at
            legal &= np.abs(lands - wanted) <= HIT_TOLERANCE_SECONDS
        button = (tail >= MIN_RING_SECONDS) | (task.end_on is not None)
        if self.usable.inside is not None:  # a fade is no cut, but a hit must land where it is asked for
            button &= ~self.usable.inside[stops]
            legal &= button | (task.end_on is None)
        legal &= np.where(button, free >= tail, (free >= np.maximum(tail, MIN_FADE_OUT_SECONDS)))
        legal &= button | (np.maximum(tail, MIN_FADE_OUT_SECONDS) <= self.video / 2)
        rows, kinds = [], []
        for is_button in (True, False):
            if not is_button and task.end_on is not None:
                continue
            fits = legal & (
                button if is_button else (np.maximum(tail, MIN_FADE_OUT_SECONDS) <= np.minimum(self.video / 2, free))
            )
            found = np.flatnonzero(fits)
            rows.append(found)
            kinds.append(np.full(found.size, is_button))
        row, buttons = np.concatenate(rows), np.concatenate(kinds)
        until = reach[row]
        fade = np.minimum(np.minimum(free[row], self.video / 2), tail[row] + FADE_SHARE * self.video)
        fade = np.minimum(fade, _fade_room(task, states.at[row], until, tail[row]))
        brief = np.where(buttons, tail[row] / _GOOD_RING, fade / GOOD_FADE_OUT_SECONDS)
        ending_part = self.usable.fade_part[stops[row]] + np.where(buttons, _BUTTON, 0.0)
        ending_part = ending_part - 0.2 * np.maximum(0.0, 1.0 - brief)
        return self._closed(
            states.rows(row), seams, row, False, buttons, np.zeros(row.size), earlier[row], until, ending_part
        )

    def _closed(
        self,
        states: _States,
        seams: int,
        row: IntArray,
        own: bool,
        button: BoolArray,
        late: FloatArray,
        earlier: FloatArray,
        until: FloatArray,
        ending: FloatArray,
    ) -> _Closed:
        """The ends of some states, scored; those that keep all that must be kept."""
        task, params = self.task, self.params
        tail = np.zeros(row.size) if own else until - _line_before(self.profile, until)
        clear, hook_clear = (until, until) if own else _clear_until(until, tail, button, self.video)
        kept = states.kept | self._heard_whole(states.at, clear, hook_clear)
        length = np.maximum(until - states.at, 1e-3)
        fits = kept[:, : len(task.whole)].all(axis=1) & states.pins.all(axis=1)
        fits &= ~self.usable.plays_excluded(states.at, until)
        if seams:
            mean, worst = states.scores / seams, states.worst
        else:
            mean, worst = np.ones(row.size), np.ones(row.size)
        hooked = kept[:, len(task.whole) :].all(axis=1)  # so it is where the track has none
        heard = (states.salience + self._salience_of(states.at, until)) / np.maximum(states.played + length, 1e-3)
        off = _OFF_PHRASE * (1.0 - states.opening)
        mean_length = (seams + 1) / (states.inverse + 1.0 / length)
        if seams:
            off = off + _TOO_SHORT * np.maximum(0.0, 1.0 - mean_length / _SHORT_SECONDS)
        missed = np.where(hooked | (task.seconds < _HOOK_SECONDS), 0.0, _NO_HOOK)
        if not own and self.profile.ending is not None and task.seconds >= _HOOK_SECONDS:
            off = off + _NO_OWN_ENDING
        score = PlanScore(
            seams=seams_part(worst, mean, hearings=1),
            ending=ending,
            freshness=1.0 - states.stale / self.video,
            phrasing=states.phrasing / (seams + 1),
            coverage=0.5 * hooked + 0.5 * np.minimum(1.0, heard / self.top),
            economy=economy_part(mean_length, params),
            lost=off + missed,
        )
        tier = np.zeros(row.size, dtype=np.int64)
        if task.beside is not None:
            of = self.shorter_seconds or np.maximum(states.played + length, 1e-3)
            enough = (states.shared + self._shared_of(states.at, until)) / of >= SHARED
            theirs = len(task.beside.seam_times) if self.shorter_seconds else seams
            tier = enough.astype(np.int64) + (enough & (states.common >= theirs))
        return _Closed(
            seams, row[fits], own, button[fits], late[fits], earlier[fits], score.total(params)[fits], tier[fits]
        )

    def route(self, layers: list[_States], closed: _Closed, row: int) -> CutRoute:
        """The route of one end."""
        at, taken = way_to(layers, closed.layer, int(closed.row[row]))
        splices = np.array(taken, dtype=np.int64)
        start = round(float(layers[0].at[at]) - float(closed.earlier[row]), 6)
        own, task = closed.own, self.task
        late = float(closed.late[row])
        music_in = micros(task.start_at if task.start_at is not None else late) / 1e6
        if own:
            last_to = round(self.profile.last_sound, 6)
            kind = own_ending(self.profile, 0.0).kind
        else:
            before = micros(start)
            played = 0
            for splice in splices.tolist():
                played += micros(float(self.usable.song_to[splice])) - before
                before = micros(float(self.usable.song_from[splice]))
            last_to = (before + micros(self.video) - played) / 1e6
            kind = EndKind.BUTTON if closed.button[row] else EndKind.FADE
        return CutRoute(
            song_start=start,
            own_start=int(layers[0].splice[at]) == 0,
            taken=splices,
            ending=kind,
            music_in=music_in,
            last_to=last_to,
            score=float(closed.score[row]),
            sharing=int(closed.tier[row]),
        )


def _clear_until(
    until: FloatArray, tail: FloatArray, is_button: BoolArray, seconds: float
) -> tuple[FloatArray, FloatArray]:
    """Up to where music that ends on a downbeat is heard in full, at the latest.

    A button fades its ring; a fade may be as short as `MIN_FADE_OUT_SECONDS` behind what must be kept, but is a proper
    one behind the hook, which nobody asked for. Returns seconds of the track, for what must be kept and for the hook.
    The music ends at `until`, `tail` seconds after its last downbeat, and rings there if `is_button`, else fades; it
    lasts `seconds` in all.
    """
    least = np.maximum(tail, MIN_FADE_OUT_SECONDS)
    proper = np.maximum(least, min(GOOD_FADE_OUT_SECONDS, FADE_SHARE * seconds))
    # The tolerance of a border is for bar lines; a fade keeps its least length.
    return (
        until - np.where(is_button, tail, least + BORDER_SECONDS - 1e-6),
        until - np.where(is_button, tail, proper + BORDER_SECONDS - 1e-6),
    )


def _fade_room(task: CutTask, first: FloatArray, until: FloatArray, tail: FloatArray) -> FloatArray:
    """How long a closing fade may be without lying over what is kept in the last segment.

    In seconds, shape (n,); the segment's length if nothing is kept in it. The last segments go from `first` to `until`
    in track time, and end `tail` seconds after their last downbeat.
    """
    clear, hook_clear = _clear_until(until, tail, np.zeros(until.size, dtype=bool), task.music_seconds)
    ends = np.array(first, dtype=np.float64)
    for begin, end in task.whole:
        ends = np.where(_is_inside(begin, end, first, clear), np.maximum(ends, end), ends)
    if task.hook is not None:
        begin, end = task.hook
        ends = np.where(_is_inside(begin, end, first, hook_clear), np.maximum(ends, end), ends)
    return np.asarray(until - ends)


def _is_inside(begin: float | FloatArray, end: float | FloatArray, first: FloatArray, until: FloatArray) -> BoolArray:
    return np.asarray((first <= begin + BORDER_SECONDS) & (until >= end - BORDER_SECONDS))


def _line_before(profile: LoopProfile, times: FloatArray) -> FloatArray:
    lines = profile.downbeats
    return np.asarray(lines[np.maximum(np.searchsorted(lines, times + 1e-6, side="right") - 1, 0)])


def _start_phrasing(profile: LoopProfile) -> FloatArray:
    """How good it is to start on each bar line, 0.05 to 0.7: on a section's border, after eight bars of it, four."""
    part = np.full(profile.downbeats.size, 0.05)
    for section in profile.sections:
        bars = np.arange(section.first_bar, min(section.last_bar, part.size))
        inside = bars - section.first_bar
        part[bars] = np.where(inside == 0, 0.7, np.where(inside % 8 == 0, 0.5, np.where(inside % 4 == 0, 0.3, 0.05)))
    return part


def route_heard(route: CutRoute, usable: UsableSplices, task: CutTask, times: FloatArray) -> FloatArray:
    """Which second of the track a route plays at some times; NaN where it is silent.

    In track seconds, shape of `times`, which are seconds after `task.start_at`.
    """
    froms = np.append(route.song_start, usable.song_from[route.taken])
    untils = np.append(usable.song_to[route.taken], route.last_to)
    begins = route.music_in - (task.start_at or 0.0) + np.concatenate(([0.0], np.cumsum(untils - froms)))
    at = np.searchsorted(begins, times, side="right") - 1
    inside = (at >= 0) & (at < froms.size)
    at = np.clip(at, 0, froms.size - 1)
    return np.where(inside, froms[at] + times - begins[at], np.nan)


def assemble_cut(
    route: CutRoute, profile: LoopProfile, usable: UsableSplices, task: CutTask, params: CoverParams
) -> LoopPlan:
    """Make the plan of a route; its invariants are validated. A broken rule raises `PlanError`."""
    taken = route.taken
    table = np.empty((taken.size + 1, 2))
    table[0, 0], table[-1, 1] = route.song_start, route.last_to
    table[1:, 0], table[:-1, 1] = usable.song_from[taken], usable.song_to[taken]
    fade_in = start_fade(profile) if route.own_start else EARLY_SECONDS
    if route.ending.is_own:
        played = sum(micros(last) - micros(first) for first, last in table.tolist())
        ending = own_ending(profile, (micros(task.seconds) - micros(route.music_in) - played) / 1e6)
    else:
        before = float(usable.fade[taken[-1]]) / 2 if taken.size else fade_in
        room = float(table[-1, 1] - table[-1, 0]) - before - _MARGIN
        ring = route.last_to - _line_before(profile, np.array([route.last_to]))
        kept_room = float(_fade_room(task, table[-1:, 0], table[-1:, 1], ring)[0])
        ending = downbeat_ending(profile, route.ending, route.last_to, task.music_seconds, min(room, kept_room), params)
    gains = np.concatenate([[0.0], seam_gains(usable.level_step_db[taken])])
    return build_plan(
        profile,
        PlayedSegments(segments_of(table, gains), usable.fade[taken], usable.exponent[taken], usable.score[taken]),
        ending,
        fade_in,
        route.music_in,
        task.seconds,
        plan_score=route.score,
        glide_seconds=params.gain_glide_seconds,
        start_at=task.start_at,
        is_fit=True,
    )


def downbeat_ending(
    profile: LoopProfile, kind: EndKind, last_to: TrackSeconds, seconds: float, room: float, params: CoverParams
) -> Ending:
    """How music ends on a downbeat, by a button or in a fade.

    The last segment has `room` seconds for a fade, which lasts at most half of the music's `seconds`. A button rings
    under a fade of less than a bar.
    """
    lines = profile.downbeats
    stops = int(np.searchsorted(lines, last_to + 1e-6, side="right")) - 1
    tail = max(0, micros(last_to) - micros(float(lines[stops]))) / 1e6
    if kind is EndKind.BUTTON:
        section = next((s.label for s in profile.sections if s.last_bar == stops), None)
        return Ending(kind, tail, tail, "" if section is None else f"after the {section}")
    most = min(seconds / 2, room)
    wanted = min(params.min_fade_out_seconds, FADE_SHARE * seconds)
    begins = max(0, int(np.searchsorted(lines, lines[stops] - wanted + 1e-6, side="right")) - 1)
    while begins < stops and last_to - lines[begins] > most:
        begins += 1
    length = last_to - float(lines[begins]) if begins < stops else min(most, max(tail, wanted, MIN_FADE_OUT_SECONDS))
    return Ending(kind, tail, micros(max(tail, length)) / 1e6, fade_place(profile, last_to - tail))
