"""What a plan is worth: the number that ranks plans of one track under one clip, `plan_score`.

It is the weighted mean (weights in `CoverParams`) of six parts, each 0 to 1:

- seams: ``0.6 worst + 0.4 mean`` of the seam scores, for one bad seam spoils a film that nine good ones carry;
- ending: the song's own outro or last bars 1.0, its own last hit 0.9; a fade 0.6 at a section's border, 0.5 after
  eight bars of a section, 0.4 after four, 0.2 elsewhere. Up to 0.1 less for a late start or for silence at the end,
  0.05 for each second;
- freshness: ``1 - exp(-G / fresh_seconds)`` with G the length-weighted mean of the segments' lengths, which is how
  long it takes, at an instant picked at random, until the music jumps back; times ``(1 + limit / run) / 2`` where one
  body follows itself `run` times, more than `max_passes_in_a_row`;
- coverage: how evenly the song is used. Bar b, of length d_b, is heard n_b times, so that a bar picked at random from
  the plan is heard ``M = sum(n_b**2 d_b) / sum(n_b d_b)`` times; were every bar heard equally often, it would be
  ``E = sum(n_b d_b) / sum(d_b)`` times; the part is E / M;
- phrasing: mean over the splices of 1.0 for one that moves from section border to section border or by a multiple of
  eight bars, 0.8 four bars, 0.4 two, 0.1 otherwise;
- economy: ``1 - exp(-2 H / fresh_seconds)`` with H the harmonic mean of the segments' lengths: few seams rather than
  many, and none close to the next.

Nothing here looks at sound: seam scores come from `workbench.loops.seams`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from workbench.loops.profile import EndingKind, LoopProfile
from workbench.params import CoverParams
from workbench.recording import FloatArray, IntArray

_OWN_ENDING = {EndingKind.OUTRO: 1.0, EndingKind.RESOLVE: 1.0, EndingKind.ABRUPT: 0.9}


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


def coverage_part(times_heard: FloatArray, bar_seconds: FloatArray) -> FloatArray:
    """How evenly the song is used, from how often each of its bars is heard and how long it lasts, both (n_bars,)."""
    heard = np.sum(times_heard * bar_seconds)
    return np.asarray(heard**2 / np.sum(bar_seconds) / np.sum(times_heard**2 * bar_seconds))


def economy_part(harmonic_mean_seconds: FloatArray, params: CoverParams) -> FloatArray:
    """How rare the seams are, from the harmonic mean of the segments' lengths in seconds."""
    return np.asarray(1.0 - np.exp(-2.0 * harmonic_mean_seconds / params.fresh_seconds))


def own_ending_part(kind: EndingKind, late_seconds: FloatArray, tail_seconds: FloatArray) -> FloatArray:
    """Worth of the song's own ending; less where the music starts late for it or leaves silence after it."""
    return np.asarray(_OWN_ENDING[kind] - np.minimum(0.1, 0.05 * (late_seconds + tail_seconds)))


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
