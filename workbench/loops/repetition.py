"""What of a track a plan repeats, and whether that keeps to the limits on repetition.

Functions: `find_repetition`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.loops.assembly import longest_run
from workbench.loops.plan import LoopPlan, segment_table
from workbench.loops.profile import LoopProfile
from workbench.loops.worth import most_plays
from workbench.params import CoverParams
from workbench.recording import FloatArray, IntArray, TrackSeconds

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
    """longest run of passes of one body"""
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
        passes_in_a_row=_longest_run(plan) + 1,
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


def _longest_run(plan: LoopPlan) -> int:
    """How often at most one splice follows itself."""
    table = segment_table(plan)
    ends = np.round(np.column_stack((table[:-1, 1], table[1:, 0])), 6)
    return longest_run(np.unique(ends, axis=0, return_inverse=True)[1].ravel())
