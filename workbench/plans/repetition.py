"""What of a track a plan repeats, whether that is within the limits on repetition, and how far it wears.

Music wears where it plays more often than need be. A second of the track is *worn* from the time on when it has
played four times, and as often as all of the track would have to play to fill the video, and once more. How many
seconds of a video play what is worn is comparable between plans of one track and length: none in a plan that plays the
whole track again and again.

How varied a plan is, is another measure: how much different music any five minutes of it play, at least.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np

from workbench.params import CoverParams
from workbench.plans.build import longest_run
from workbench.plans.constraints import UNCONSTRAINED, LineConstraints
from workbench.plans.plan import GRID_TOLERANCE_SECONDS, LoopPlan, Plays, plays_of, seams_restart, segment_table
from workbench.plans.plan_score import most_plays
from workbench.plans.splices import LONG_BODY_SECONDS
from workbench.recording import FloatArray, IntArray, TrackSeconds
from workbench.seams.profile import LoopProfile

VARIETY_WINDOW = 300.0  # s of a plan in which its different music is counted
_OFTEN = 4  # times that a second of the track plays before it is worn
_ENOUGH = 0.95  # share of the variety wanted that counts as all of it: a few seconds more are not worth an audible seam
_OFF_LINES = 2 * GRID_TOLERANCE_SECONDS  # s by which splices may shorten whole bars
_MANY_SEGMENTS = 40
_LEAST_SPARED_SECONDS = 1.0
_LEAST_SECONDS = 2.0  # s; a shorter stretch, where a pass overlaps the next, is not what plays most


class RepeatedBody(NamedTuple):
    """A stretch of the track that follows itself."""

    song_from: TrackSeconds
    song_to: TrackSeconds
    passes: int
    """how often it plays in a row at most"""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The stretch of the track played most often, and the body with the longest run of passes."""

    song_from: TrackSeconds
    song_to: TrackSeconds
    plays: int
    """how often it plays"""
    mean_plays: float
    """how often the track's bars play on average, as the planner counts them"""
    run: RepeatedBody
    """the one with most passes in a row; not one that lasts `LONG_BODY_SECONDS`, nor the whole track that
    begins again, which play once in a row"""
    worn_after: int
    """how often a second of the track plays before it is worn"""
    worn_seconds: float
    """s of the video that play worn music"""
    max_plays: float
    """how often it should play at most, see `workbench.plans.plan_score`"""
    max_passes_in_a_row: int

    @property
    def runs_too_long(self) -> bool:
        """Whether a body follows itself more often than the limit allows."""
        return self.run.passes > self.max_passes_in_a_row

    @property
    def over_limits(self) -> bool:
        """Whether the plan passes a limit."""
        return self.plays > self.max_plays or self.runs_too_long


def find_repetition(plan: LoopPlan, profile: LoopProfile, params: CoverParams | None = None) -> Repetition:
    """What a plan plays most: the longest stretch among those played most."""
    params = params or CoverParams()
    table = segment_table(plan)
    counted = plays_of(table)
    first, last, most = _longest_of_most(counted.plays, counted.lengths)
    mean = _mean_plays(plan, profile)
    return Repetition(
        song_from=float(counted.edges[first]),
        song_to=float(counted.edges[last]),
        plays=most,
        mean_plays=mean,
        run=_longest_run(table, profile),
        worn_after=_worn_after(mean),
        worn_seconds=_worn(counted, mean),
        max_plays=float(most_plays(np.asarray(mean), params)),
        max_passes_in_a_row=params.max_passes_in_a_row,
    )


def wears_less(plan: LoopPlan, other: LoopPlan, profile: LoopProfile) -> bool:
    """Whether a plan wears less than another of the same track and length.

    It does if fewer of its seconds play worn music, or as many and its most played music plays less often.
    """
    some, others = (plays_of(segment_table(one)) for one in (plan, other))
    worn, other_worn = _worn(some, _mean_plays(plan, profile)), _worn(others, _mean_plays(other, profile))
    if abs(worn - other_worn) >= _LEAST_SPARED_SECONDS:
        return worn < other_worn
    return _most(some) < _most(others)


def variety(segments: FloatArray, window_seconds: float = VARIETY_WINDOW) -> float:
    """The least amount of different music, seconds of the track, in any `window_seconds` of some segments.

    `segments`, shape (n, 2), has the track ranges in the order of playback, s. Music shorter than that counts whole.
    """
    edges = np.unique(segments)
    first, last = np.searchsorted(edges, segments).T
    count = last - first
    # Each segment in pieces between two edges of any: a piece is played whole, and again whole.
    piece = np.arange(int(count.sum())) + np.repeat(first - np.cumsum(count) + count, count)
    lasts = np.diff(edges)[piece]
    ends = np.cumsum(lasts)
    begins = ends - lasts
    order = np.argsort(piece, kind="stable")
    again = piece[order][1:] == piece[order][:-1]
    since = np.append(np.where(again, np.diff(begins[order]), np.inf), np.inf)
    # In a window a piece counts from when it has begun until it begins again or the window has passed it.
    until = np.empty_like(lasts)
    until[order] = np.minimum(since, window_seconds)
    music = float(ends[-1])
    knots = np.concatenate([begins, ends, begins + until, ends + until])
    bends = np.repeat([1.0, -1.0, -1.0, 1.0], lasts.size)
    order = np.argsort(knots, kind="stable")
    knots, slopes = knots[order], np.cumsum(bends[order])
    different = np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(knots))])
    whole_windows = (knots >= window_seconds) & (knots <= music)
    limits = np.interp([min(window_seconds, music), music], knots, different)
    return float(min(limits.min(), different[whole_windows].min(initial=np.inf)))


def is_varied(segments: FloatArray, needed: float) -> bool:
    """Whether any five minutes of some segments, as `variety` has them, play `needed` s of different music, or nearly.

    Less than that lasts no longer without repeating anything.
    """
    if needed <= 0.0:
        return True
    ends = np.cumsum(segments[:, 1] - segments[:, 0])
    least = _ENOUGH * min(needed, float(ends[-1])) - _OFF_LINES
    # What repeats too much mostly does so wherever one looks, and a few segments are soon counted.
    for share in (0.25, 0.5, 0.75) if len(segments) > _MANY_SEGMENTS else ():
        first = int(np.searchsorted(ends, share * ends[-1]))
        last = int(np.searchsorted(ends, ends[first] + VARIETY_WINDOW)) + 1
        counted = plays_of(segments[first:last])
        if last < len(segments) and float(np.sum(counted.lengths[counted.plays > 0])) < least:
            return False
    return variety(segments) >= least


def least_variety(profile: LoopProfile, params: CoverParams, constraints: LineConstraints = UNCONSTRAINED) -> float:
    """How much different music any five minutes of a loop are to play, s.

    `CoverParams.min_variety_seconds`, or all that a loop can repeat of a shorter track, to a bar: from its first bar
    line to its own ending, less what is not to be played. 0 for a file that is made to be repeated as it is. The track
    has at least three bar lines.
    """
    splices, lines = profile.splices, profile.downbeats
    good = np.flatnonzero(splices.score >= params.min_seam_score)
    if good.size and np.any(profile.is_whole(splices.leave[good], splices.enter[good])):
        return 0.0
    first, last = float(lines[0]), float(lines[-1] if profile.ending is None else lines[profile.ending.start_bar])
    repeated = last - first - float(np.median(np.diff(lines)))
    reached = first  # ranges may overlap
    for song_from, song_to in sorted(constraints.excluded.tolist()):
        repeated -= max(0.0, min(song_to, last) - max(song_from, reached))
        reached = max(reached, song_to)
    return max(0.0, min(params.min_variety_seconds, repeated))


def _most(counted: Plays) -> int:
    """How often what plays most plays."""
    return int(counted.plays[counted.lengths >= _LEAST_SPARED_SECONDS].max(initial=1))


def _worn_after(mean_plays: float) -> int:
    return max(_OFTEN, ceil(mean_plays - 1e-9) + 1)


def _worn(counted: Plays, mean_plays: float) -> float:
    return float(np.sum(np.maximum(counted.plays - _worn_after(mean_plays), 0) * counted.lengths))


def _mean_plays(plan: LoopPlan, profile: LoopProfile) -> float:
    """How often a bar plays on average: without the lead-in, and in a fade up to the bar line that resolves it."""
    music = sum(segment.song_to - segment.song_from for segment in plan.segments)
    lead = max(0.0, float(profile.downbeats[0]) - plan.segments[0].song_from)
    tail = plan.tail_seconds if plan.ends_in_fade else 0.0
    return float((music - lead - tail) / max(profile.last_sound - float(profile.downbeats[0]), 1e-3))


def _longest_of_most(plays: IntArray, lengths: FloatArray) -> tuple[int, int, int]:
    """The longest stretch played most, as first and last edge, and how often; pieces under 0.1 s do not split it."""
    for most in sorted({int(count) for count in plays}, reverse=True):
        often = (plays >= most) | (lengths < 0.1)
        changes = np.flatnonzero(np.diff(np.concatenate([[False], often, [False]]).astype(np.int8)))
        spans = changes.reshape(-1, 2)
        seconds = [float(lengths[a:b][plays[a:b] >= most].sum()) for a, b in spans]
        best = int(np.argmax(seconds))
        if seconds[best] >= _LEAST_SECONDS:
            return int(spans[best, 0]), int(spans[best, 1]), most
    return 0, plays.size, int(plays.max())


def _longest_run(table: FloatArray, profile: LoopProfile) -> RepeatedBody:
    left, entered = table[:-1, 1], table[1:, 0]
    if not left.size:
        return RepeatedBody(float(table[0, 0]), float(table[0, 1]), 1)
    ends, which = np.unique(np.round(np.column_stack((entered, left)), 6), axis=0, return_inverse=True)
    apart = seams_restart(table, profile) | (left - entered >= LONG_BODY_SECONDS)
    at, passes = longest_run(which.ravel(), apart, entered > left)
    song_from, song_to = ends[which.ravel()[at]]
    return RepeatedBody(float(song_from), float(song_to), passes + 1)
