"""What a plan is worth: the number that ranks plans of one track under one clip, `plan_score`.

It is the weighted mean (weights in `CoverParams`) of six parts, each 0 to 1:

- seams: ``0.6 worst + 0.4 mean`` of the seam scores, for one bad seam spoils a film that nine good ones carry;
- ending: the song's own outro or last bars 1.0, its own last hit 0.9; a fade 0.6 at a section's border, 0.5 after
  eight bars of a section, 0.4 after four, 0.2 elsewhere; 0.05 less where the music has to start late for it;
- freshness: ``1 - exp(-G / fresh_seconds)`` with G the length-weighted mean of the segments' lengths, which is how
  long it takes, at an instant picked at random, until the music jumps back; times ``(1 + limit / run) / 2`` where one
  body follows itself `run` times, more than `max_passes_in_a_row`;
- phrasing: mean over the splices of 1.0 for one that moves from section border to section border or by a multiple of
  eight bars, 0.8 four bars, 0.4 two, 0.1 otherwise;
- coverage: share of the song's bars before its ending that are heard;
- economy: ``1 - exp(-mean segment / (fresh_seconds / 2))``, few seams rather than many.

Nothing here looks at sound: seam scores come from `workbench.loops.seams`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from workbench.loops.profile import EndingKind, LoopProfile
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray

_OWN_ENDING = {EndingKind.OUTRO: 1.0, EndingKind.RESOLVE: 1.0, EndingKind.ABRUPT: 0.9}
_LATE_START = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """The six parts of a score, numbers or arrays of one shape, 0 to 1 each."""

    seams: FloatArray
    ending: FloatArray
    freshness: FloatArray
    phrasing: FloatArray
    coverage: FloatArray
    economy: FloatArray

    def total(self, params: CoverParams) -> FloatArray:
        """The weighted mean of the parts, element by element; 0 where all weights are 0."""
        weights = {part.name: float(getattr(params, f"weight_{part.name}")) for part in fields(self)}
        mean = sum(weight * np.asarray(getattr(self, name)) for name, weight in weights.items())
        return np.asarray(mean / max(sum(weights.values()), 1e-9))


def seams_part(worst: FloatArray, mean: FloatArray) -> FloatArray:
    """Quality of all seams from the worst and the mean score."""
    return np.asarray(0.6 * worst + 0.4 * mean)


def freshness_part(gap_seconds: FloatArray, run: FloatArray, params: CoverParams) -> FloatArray:
    """Freshness from the length-weighted mean segment, s, and the longest run of passes of one body."""
    over = np.minimum(1.0, params.max_passes_in_a_row / np.maximum(run, 1))
    return np.asarray((1.0 - np.exp(-gap_seconds / params.fresh_seconds)) * 0.5 * (1.0 + over))


def economy_part(mean_segment_seconds: FloatArray, params: CoverParams) -> FloatArray:
    """How rare the seams are, from the mean segment in seconds."""
    return np.asarray(1.0 - np.exp(-2.0 * mean_segment_seconds / params.fresh_seconds))


def own_ending_part(kind: EndingKind, late_start: BoolArray) -> FloatArray:
    """Worth of the song's own ending; less where `music_in` had to be moved for it."""
    return np.asarray(_OWN_ENDING[kind] - _LATE_START * np.asarray(late_start, dtype=np.float64))


def fade_part(profile: LoopProfile) -> FloatArray:
    """Worth of a fade that resolves on each bar line, shape (n_bars,)."""
    worth = np.full(profile.downbeats.size, 0.2)
    for section in profile.sections:
        bars = np.arange(section.first_bar, min(section.last_bar, worth.size))
        inside = bars - section.first_bar
        worth[bars] = np.where(inside % 8 == 0, 0.5, np.where(inside % 4 == 0, 0.4, 0.2))
    for section in profile.sections:
        for border in (section.first_bar, section.last_bar):
            if 0 < border < worth.size:
                worth[border] = 0.6
    return worth


def phrasing_part(profile: LoopProfile, leave: IntArray, enter: IntArray) -> FloatArray:
    """Worth of each splice as a phrase, shape of `leave`; see the module's head."""
    bars = np.abs(np.asarray(leave, dtype=np.int64) - np.asarray(enter, dtype=np.int64))
    worth = np.where(bars % 8 == 0, 1.0, np.where(bars % 4 == 0, 0.8, np.where(bars % 2 == 0, 0.4, 0.1)))
    borders = {section.first_bar for section in profile.sections} | {section.last_bar for section in profile.sections}
    at_borders = np.isin(leave, list(borders)) & np.isin(enter, list(borders))
    return np.where(at_borders, 1.0, worth)
