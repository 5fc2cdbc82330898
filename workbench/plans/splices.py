"""Which splices of a track a plan may use, and which may follow which.

The planner may use a splice when it satisfies every rule that a plan is checked for (`workbench.plans.plan`):
within 10 ms of its bar lines and of the pulse, room for its crossfade, a body no shorter than allowed, a score over the
floor. It may not leave inside the track's own ending: music that restarts after it has come to rest sounds wrong.
What a person ruled out is not among them, and what a person pinned is, as long as it can be played
(`workbench.plans.constraints`).

A splice y may follow a splice x when enough music plays between where x enters and where y leaves. Nothing else binds
them: a splice need not be taken when the music passes it, so splices that all share a bar can be taken in any order and
any number, and the length of the result depends on the numbers only. So the planner's cost does
not depend on the length of the video.

Where a range of the track is not played, a body that holds it is played around it: `with_pairs` takes a splice past the
range and one back together, as if they were one.

Who fills a length chooses among the best: `usable_splices` takes few that sound alike, with a table of what may follow
what. Who follows a picture needs one certain number of bars, and takes `playable_splices`, all there are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from workbench.params import CoverParams
from workbench.plans.constraints import UNCONSTRAINED, LineConstraints
from workbench.plans.ends import start_fade
from workbench.plans.plan import GRID_TOLERANCE_SECONDS
from workbench.plans.plan_score import fade_part, phrasing_part
from workbench.recording import BoolArray, FloatArray, IntArray
from workbench.seams.profile import BEST_SPLICES, MIN_FADE_SECONDS, ROUNDING_SECONDS, LoopProfile, Splices, with_room

NO_SPLICE = -1
MAX_GAIN_DB = 6.0  # a seam that steps more is smoothed by this much only
MIN_GAIN_DB = 0.3  # a smaller step at a seam is not audible and left alone
LONG_BODY_SECONDS = 120.0  # a body that lasts as long may follow itself any number of times: listeners notice no run
_SAME_PLACE = 2  # splices used of one length in bars that leave within the same eight bars: others are the same loop
_PLACE_BARS = 8
_MOST = 256  # splices used in all; bounds the table of what may follow what
_MOST_PAIRS = 64  # of a splice past a range that is not played and one back, that are taken as one
_DIFFERENT_BARS = 4  # how far the ends of two bodies lie apart, in all, that sound different


@dataclass(frozen=True, slots=True, eq=False)
class PlayableSplices:
    """The splices that a plan may use, best first; all arrays have shape (n,) unless said otherwise."""

    leave: IntArray  # bar line left
    enter: IntArray  # bar line entered
    song_to: FloatArray  # s, rounded to the microsecond
    song_from: FloatArray  # s, rounded to the microsecond
    # s of sound that taking the splice adds: positive for a loop back, negative for a cut ahead
    gain_seconds: FloatArray
    score: FloatArray
    fade: FloatArray  # s, rounded to the microsecond
    exponent: FloatArray
    gain_in_db: FloatArray  # the level at which the entered segment starts

    @property
    def size(self) -> int:
        """Number of splices."""
        return int(self.leave.size)

    def rows(self, chosen: IntArray) -> PlayableSplices:
        """Some of the splices, in the order given."""
        return PlayableSplices(**{name: getattr(self, name)[chosen] for name in _PLAYED})

    def with_row(self, number: int, one: PlayableSplices) -> PlayableSplices:
        """These splices, one of them replaced by another."""
        rows = np.arange(self.size)
        rows[number] = self.size
        return self.with_more(one).rows(rows)

    def with_more(self, others: PlayableSplices) -> PlayableSplices:
        """These splices, and others after them."""
        return PlayableSplices(**{name: np.append(getattr(self, name), getattr(others, name)) for name in _PLAYED})


@dataclass(frozen=True, slots=True, eq=False)
class UsableSplices(PlayableSplices):
    """The splices that a plan chooses from, and which of them may follow which."""

    phrasing: FloatArray  # 0 to 1, see `workbench.plans.plan_score`
    is_body: BoolArray  # a loop back whose body is long enough to sound like music and not like a stutter
    is_long: BoolArray  # a loop back whose body is too long to sound like a run when it follows itself
    first: BoolArray  # may be the first splice after the track's start
    follows: BoolArray  # shape (n, n): splice [x, y] may follow x by y
    # shape (n, n), s of track that both bodies hold; negative for a body and a cut. With c how often each splice is
    # taken, bars play ``track + 2 c g + c' shared c`` seconds, squared (coverage in `workbench.plans.plan_score`)
    shared_seconds: FloatArray
    bar_seconds: FloatArray  # shape (n_bars,), the last one up to the track's last sound
    # shape (n_bars,), 0 to 1, of a fade that resolves on each bar line, see `workbench.plans.plan_score`
    fade_part: FloatArray
    pinned: IntArray  # shape (n_pinned,), the splices that every plan must take
    # shape (n, 2), the splices that each stands for, in order: itself after `NO_SPLICE`, or two other splices
    pairs: IntArray
    constraints: LineConstraints  # which ruled splices out
    # the splice that begins the whole track again; None where it was not asked for, or there is none
    restart: int | None = None

    @property
    def leads_past_excluded(self) -> BoolArray:
        """Which splices lead past a range that is not played, see `LineConstraints.leads_past`; shape (n,)."""
        return self.constraints.leads_past(self.song_to, self.song_from)

    def each(self, taken: IntArray) -> IntArray:
        """Some splices in the order of playback, with both of each pair in its place."""
        both = self.pairs[taken].ravel()
        return np.asarray(both[both != NO_SPLICE])


def sound_alike(bodies: IntArray, others: IntArray) -> BoolArray:
    """Which bodies sound the same, shape (n_bodies, n_others).

    Each is a row of the bar lines that it leaves and enters. Two do unless their ends lie apart, in all, by four bars
    at least and by a quarter of the longer body.
    """
    apart = np.abs(bodies[:, None, :] - others).sum(axis=2)
    bars, other_bars = bodies[:, 0] - bodies[:, 1], others[:, 0] - others[:, 1]
    return np.asarray(apart < np.maximum(_DIFFERENT_BARS, np.maximum(bars[:, None], other_bars) / 4))


_PLAYED = tuple(field.name for field in fields(PlayableSplices))


def playable_splices(
    profile: LoopProfile, params: CoverParams, constraints: LineConstraints = UNCONSTRAINED
) -> PlayableSplices:
    """All splices that keep the rules of a plan and reach the floor, best first, possibly none.

    The arguments are those of `usable_splices`.
    """
    return _among(profile, params, constraints, restart=False, alike=True)


def usable_splices(
    profile: LoopProfile, params: CoverParams, constraints: LineConstraints = UNCONSTRAINED, *, restart: bool = False
) -> UsableSplices:
    """The splices of a track that keep the rules of a plan and reach the floor, best first; possibly none.

    A pinned splice need not reach the floor, nor the least lengths, and may be in the track's own ending; the one that
    repeats a whole file, as its maker meant it, need not have the least lengths either. One that cannot be played at
    all, for it leaves no room for its crossfade, is missing. So are those that make the same loop as a better one
    nearby. `constraints` say what is ruled out and what is pinned. With `restart` the splice by which the track begins
    again is in, which need not reach the floor (a restart, see `workbench.plans.plan`).
    """
    lines = profile.downbeats
    found = _among(profile, params, constraints, restart=restart, alike=False)
    leave, enter, gain = found.leave, found.enter, found.gain_seconds
    is_pinned = constraints.is_pinned(leave, enter)
    again = profile.is_restart(leave, enter) & (gain >= params.min_body_seconds) & restart
    song_to, song_from, fade = found.song_to, found.song_from, found.fade
    least = max(params.min_segment_seconds, params.gain_glide_seconds)
    # behind a hit the music has been playing for a while
    opens = params.gain_glide_seconds
    opens = opens if profile.comes_from_hit else max(params.min_opening_seconds, opens)
    lasts = song_to[None, :] - song_from[:, None]
    first_second, last_second = np.minimum(song_to, song_from), np.maximum(song_to, song_from)
    shared = np.minimum(last_second[:, None], last_second) - np.maximum(first_second[:, None], first_second)
    is_whole = profile.is_whole(leave, enter)
    is_free = is_pinned | is_whole
    bars_before = np.where(is_free, 1, params.min_segment_bars)
    bars_between = np.where(is_free[:, None] | is_free, 1, params.min_segment_bars)
    opens_after = np.where(is_free, params.gain_glide_seconds, opens)
    # what goes on past a range that is not played is no stutter, however soon
    opens_after = np.where(constraints.leads_past(song_to, song_from), np.minimum(opens_after, least), opens_after)
    least_between = np.where(is_free[:, None] | is_free, params.gain_glide_seconds, least)
    first = leave >= bars_before
    opens_after = np.maximum(opens_after, start_fade(profile) + fade / 2) + ROUNDING_SECONDS
    first &= song_to - round(profile.song_start, 6) >= opens_after
    # what follows a restart lasts as long as what opens the track: else it begins only to leave again
    least_between = np.where((again & ~is_free)[:, None], np.maximum(least_between, opens_after), least_between)
    follows = leave[None, :] - enter[:, None] >= bars_between
    follows &= lasts >= np.maximum(least_between, (fade[:, None] + fade[None, :]) / 2) + ROUNDING_SECONDS
    first &= ~constraints.plays_excluded(np.array(profile.song_start), song_to)
    follows &= ~constraints.plays_excluded(song_from[:, None], song_to[None, :])
    return UsableSplices(
        **{name: getattr(found, name) for name in _PLAYED},
        phrasing=phrasing_part(profile, leave, enter),
        is_body=(gain >= params.min_body_seconds) | is_whole,
        is_long=gain >= LONG_BODY_SECONDS,
        first=first,
        follows=follows,
        shared_seconds=np.maximum(shared, 0.0) * np.sign(gain)[:, None] * np.sign(gain),
        bar_seconds=np.append(np.diff(lines), max(profile.last_sound - float(lines[-1]), 1e-3)),
        fade_part=fade_part(profile),
        pinned=np.flatnonzero(is_pinned),
        pairs=np.column_stack([np.full(found.size, NO_SPLICE), np.arange(found.size)]),
        constraints=constraints,
        restart=int(np.flatnonzero(again)[0]) if again.any() else None,
    )


def with_pairs(usable: UsableSplices, params: CoverParams) -> UsableSplices:
    """Splices, and after them pairs that repeat a body around a range that is not played.

    A pair leads past the range and then back to where it can do so again. It stands in the place of the splice back,
    with the gain of both. As many as there are, the best of each splice back first.
    """
    past = usable.leads_past_excluded[:, None]
    gain = np.round(usable.gain_seconds[:, None] + usable.gain_seconds, 6)
    ahead, back = np.nonzero(past & usable.follows & usable.follows.T & (gain >= params.min_body_seconds))
    if not ahead.size:
        return usable
    score = np.minimum(usable.score[ahead], usable.score[back])
    order = np.argsort(-score, kind="stable")
    order = order[np.argsort(rank_within(back[order]), kind="stable")][:_MOST_PAIRS]
    ahead, back = ahead[order], back[order]
    n = usable.size
    every = np.append(np.arange(n), back)
    # a pair is what both of its splices are together: one leaves from where it is, the other enters
    enters = np.append(np.arange(n), ahead)
    counts = np.zeros((every.size, n))
    np.add.at(counts, (np.arange(every.size), every), 1.0)
    np.add.at(counts, (np.arange(n, every.size), ahead), 1.0)
    gains = np.append(usable.gain_seconds, gain[ahead, back])
    played = usable.rows(every)
    return replace(
        usable,
        **{name: getattr(played, name) for name in _PLAYED}
        | {"gain_seconds": gains, "score": np.append(usable.score, score[order])},
        phrasing=np.append(usable.phrasing, (usable.phrasing[ahead] + usable.phrasing[back]) / 2),
        is_body=np.append(usable.is_body, np.ones(back.size, dtype=bool)),
        is_long=gains >= LONG_BODY_SECONDS,
        first=usable.first[enters],
        follows=usable.follows[np.ix_(every, enters)],
        shared_seconds=counts @ usable.shared_seconds @ counts.T,
        pairs=np.concatenate([usable.pairs, np.column_stack([ahead, back])]),
    )


def as_played(splices: Splices, lines: FloatArray) -> PlayableSplices:
    """Splices of a track as they are played: in whole microseconds, with room for their crossfade at its start."""
    leave, enter = np.asarray(splices.leave, dtype=np.int64), np.asarray(splices.enter, dtype=np.int64)
    song_to, song_from, fade = (
        np.round(column, 6)
        for column in with_room(splices.song_to, splices.song_from, splices.fade_seconds, lines[leave])
    )
    gain, level = np.round(song_to - song_from, 6), seam_gains(splices.level_step_db)
    return PlayableSplices(leave, enter, song_to, song_from, gain, splices.score, fade, splices.exponent, level)


def _among(
    profile: LoopProfile, params: CoverParams, constraints: LineConstraints, *, restart: bool, alike: bool
) -> PlayableSplices:
    """The playable splices of a track; `alike`: those too that make the same loop as a better one nearby."""
    splices, lines = profile.splices, profile.downbeats
    every = as_played(splices, lines)
    leave, enter, song_to, song_from = every.leave, every.enter, every.song_to, every.song_from
    fade, gain = every.fade, every.gain_seconds

    off_left, off_entered = song_to - lines[leave], song_from - lines[enter]
    near = GRID_TOLERANCE_SECONDS - ROUNDING_SECONDS
    legal = (np.abs(off_left) <= near) & (np.abs(off_entered) <= near) & (np.abs(off_left - off_entered) <= near)
    legal &= (fade >= MIN_FADE_SECONDS) & (splices.exponent >= 0.5) & (splices.exponent <= 1.0)
    legal &= (song_from >= fade / 2) & (song_to + fade / 2 <= round(profile.song_duration, 6))
    playable = legal & (leave != enter)
    legal &= (splices.score >= params.min_seam_score) & (leave != enter)
    long_enough = (gain >= params.min_segment_seconds) & (leave - enter >= params.min_segment_bars)
    legal &= (gain < 0) | long_enough | profile.is_whole(leave, enter)
    legal &= profile.comes_from_hit | (lines[enter] >= profile.song_start - near)
    if profile.ending is not None:
        legal &= (leave <= profile.ending.start_bar) & (enter <= profile.ending.start_bar)
    again = playable & profile.is_restart(leave, enter) & (gain >= params.min_body_seconds) & restart
    ruled_out = constraints.rules_out(leave, enter)
    ruled_out |= constraints.plays_excluded(song_to - GRID_TOLERANCE_SECONDS, song_to)
    ruled_out |= constraints.plays_excluded(song_from, song_from + GRID_TOLERANCE_SECONDS)
    legal, again = legal & ~ruled_out, again & ~ruled_out
    pins = playable & constraints.is_pinned(leave, enter)

    order = np.lexsort((enter, leave, -splices.score))
    best = order[legal[order]]
    if not alike:
        best = best[best < BEST_SPLICES]
        best = best[_unlike(leave[best], enter[best], lines.size)]
    return every.rows(order[np.isin(order, best) | (pins | again)[order]])


def seam_gains(level_step_db: FloatArray) -> FloatArray:
    """Level in dB at which each entered segment starts, so that no step is audible.

    `level_step_db` is by how many LU the entered side is louder. Gains are limited, and rounded to the hundredth.
    """
    gain = np.where(np.abs(level_step_db) < MIN_GAIN_DB, 0.0, -level_step_db)
    return np.asarray(np.round(np.clip(gain, -MAX_GAIN_DB, MAX_GAIN_DB), 2) + 0.0)


def _unlike(leave: IntArray, enter: IntArray, n_lines: int) -> IntArray:
    """Rows of the splices, which come best first, without those that make the same loop as better ones nearby."""
    bars = leave - enter
    rows = np.flatnonzero(rank_within(bars * n_lines + leave // _PLACE_BARS) < _SAME_PLACE)
    if rows.size > _MOST:  # the best of every length and place before the second best of any
        rows = rows[np.sort(np.argsort(rank_within(bars[rows]), kind="stable")[:_MOST])]
    return rows


def rank_within(group: IntArray) -> IntArray:
    """For each entry, how many earlier entries are of the same group; shape of `group`."""
    order = np.argsort(group, kind="stable")
    sorted_group = group[order]
    starts = np.searchsorted(sorted_group, sorted_group, side="left")
    rank = np.empty(group.size, dtype=np.int64)
    rank[order] = np.arange(group.size) - starts
    return rank
