"""What of a track a plan repeats, and whether that keeps to the limits on repetition.

Functions: `find_repetition`, `nearest_line`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    """how often the track is heard on average, first to last sound"""
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
    mean = float(np.sum(table[:, 1] - table[:, 0]) / max(profile.last_sound - profile.song_start, 1e-3))
    return Repetition(
        song_from=float(edges[first]),
        song_to=float(edges[last]),
        plays=most,
        mean_plays=mean,
        passes_in_a_row=_longest_run(plan) + 1,
        max_plays=float(most_plays(np.asarray(mean), params)),
        max_passes_in_a_row=params.max_passes_in_a_row,
    )


def nearest_line(lines: FloatArray, times: FloatArray) -> IntArray:
    """Which bar line lies nearest to each time, shape of `times`.

    Parameters
    ----------
    lines : shape (n_lines,), s, ascending
    times : any shape, s
    """
    return np.asarray(np.abs(np.asarray(times)[..., None] - lines).argmin(axis=-1))


def _longest_of_most(plays: IntArray, lengths: FloatArray) -> tuple[int, int, int]:
    """The longest stretch that is heard most, as first and last edge; and how often. Crumbs do not break a stretch."""
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
    left, entered = table[:-1, 1], table[1:, 0]
    same = (np.abs(np.diff(left)) < 1e-6) & (np.abs(np.diff(entered)) < 1e-6)
    opens = np.append(0, np.flatnonzero(~same) + 1)
    runs = np.diff(np.append(opens, left.size))
    return int(runs.max(initial=0))
