"""What of a track a plan repeats, and whether that keeps to the limits on repetition.

Functions: `find_repetition`; `wears_less`, which of two plans repeats less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.loops.assembly import longest_run
from workbench.loops.plan import LoopPlan, segment_table
from workbench.loops.profile import LoopProfile
from workbench.loops.restarts import is_restart
from workbench.loops.worth import most_plays
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds

_OFTEN = 4  # times that a second of the track is heard before it is worn
_LEAST_SPARED_SECONDS = 1.0
_LEAST_SECONDS = 2.0  # s; a shorter stretch, where a pass overlaps the next, is not what is heard most


@dataclass(frozen=True, slots=True)
class Repetition:
    """The stretch of the track that a plan plays most."""

    song_from: TrackSeconds
    song_to: TrackSeconds
    plays: int
    """how often it is heard"""
    mean_plays: float
    """how often the track's bars are heard on average, as the planner counts them"""
    passes_in_a_row: int
    """longest run of passes of one body; not of the whole track, for nothing can stand between its passes"""
    max_plays: float
    """how often it should be heard at most, see `workbench.loops.worth`"""
    max_passes_in_a_row: int

    @property
    def over_limits(self) -> bool:
        """Whether the plan passes a limit."""
        return self.plays > self.max_plays or self.passes_in_a_row > self.max_passes_in_a_row


def find_repetition(plan: LoopPlan, profile: LoopProfile, params: CoverParams | None = None) -> Repetition:
    """What a plan plays most.

    Parameters
    ----------
    plan, profile : of one track
    params : the limits

    Returns
    -------
    Repetition : of the longest stretch among those heard most
    """
    params = params or CoverParams()
    table = segment_table(plan)
    edges = np.unique(table)
    starts, counts = np.searchsorted(edges, table), np.zeros(edges.size + 1, dtype=np.int64)
    np.add.at(counts, starts[:, 0], 1)
    np.add.at(counts, starts[:, 1], -1)
    plays = np.cumsum(counts)[: edges.size - 1]
    lengths = np.diff(edges)
    first, last, most = _longest_of_most(plays, lengths)
    mean = _mean_plays(plan, profile)
    return Repetition(
        song_from=float(edges[first]),
        song_to=float(edges[last]),
        plays=most,
        mean_plays=mean,
        passes_in_a_row=_longest_run(plan, is_restart(plan, profile)) + 1,
        max_plays=float(most_plays(np.asarray(mean), params)),
        max_passes_in_a_row=params.max_passes_in_a_row,
    )


def _mean_plays(plan: LoopPlan, profile: LoopProfile) -> float:
    """How often a bar is heard on average: without the lead-in, and in a fade up to the bar line that resolves it."""
    music = sum(segment.song_to - segment.song_from for segment in plan.segments)
    lead = max(0.0, float(profile.downbeats[0]) - plan.segments[0].song_from)
    tail = plan.tail_seconds if plan.ends_in_fade else 0.0
    return float((music - lead - tail) / max(profile.last_sound - float(profile.downbeats[0]), 1e-3))


def _longest_of_most(plays: IntArray, lengths: FloatArray) -> tuple[int, int, int]:
    """The longest stretch heard most, as first and last edge, and how often; pieces under 0.1 s do not split it."""
    for most in sorted({int(count) for count in plays}, reverse=True):
        often = (plays >= most) | (lengths < 0.1)
        changes = np.flatnonzero(np.diff(np.concatenate([[False], often, [False]]).astype(np.int8)))
        spans = changes.reshape(-1, 2)
        seconds = [float(lengths[a:b][plays[a:b] >= most].sum()) for a, b in spans]
        best = int(np.argmax(seconds))
        if seconds[best] >= _LEAST_SECONDS:
            return int(spans[best, 0]), int(spans[best, 1]), most
    return 0, plays.size, int(plays.max())


def wears_less(plan: LoopPlan, other: LoopPlan) -> bool:
    """Whether a plan wears less than another of the same track and length.

    Parameters
    ----------
    plan, other : of one track, as long as each other

    Returns
    -------
    True where fewer seconds of it play what has been heard four times before; where these are as many, where what it
    plays most is heard less often
    """
    (worn, most), (other_worn, other_most) = _wear(plan), _wear(other)
    if abs(worn - other_worn) >= _LEAST_SPARED_SECONDS:
        return worn < other_worn
    return most < other_most


def _wear(plan: LoopPlan) -> tuple[float, int]:
    """Seconds that play what has been heard `_OFTEN` times before, and how often what is heard most is heard."""
    table = segment_table(plan)
    ends, steps = table.ravel(), np.tile([1, -1], len(table))
    order = np.argsort(ends, kind="stable")
    plays, lengths = np.cumsum(steps[order])[:-1], np.diff(ends[order])
    worn = float(np.sum(np.maximum(plays - _OFTEN, 0) * lengths))
    return worn, int(plays[lengths >= _LEAST_SPARED_SECONDS].max(initial=1))


def _longest_run(plan: LoopPlan, restarts: BoolArray) -> int:
    """How often at most one splice follows itself, restarts apart."""
    table = segment_table(plan)
    ends = np.round(np.column_stack((table[:-1, 1], table[1:, 0])), 6)
    which = np.unique(ends, axis=0, return_inverse=True)[1].ravel()
    return longest_run(which, restarts)
