"""The score of a plan, written again from the head of `workbench.plans.plan_score` and its page in the book alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from workbench.params import CoverParams
from workbench.plans.plan import LoopPlan
from workbench.plans.plan_score import LIMIT_PENALTY
from workbench.plans.splices import LONG_BODY_SECONDS
from workbench.recording import FloatArray, IntArray
from workbench.seams.profile import LoopProfile


def plan_score(plan: LoopPlan, profile: LoopProfile, params: CoverParams) -> float:
    splices, bars = profile.splices, profile.downbeats.size
    lengths = np.diff([*profile.downbeats, profile.last_sound])
    taken: IntArray = np.array(
        [
            np.argmin(np.abs(splices.song_to - one.song_to) + np.abs(splices.song_from - other.song_from))
            for one, other in pairwise(plan.segments)
        ]
    )
    fades = "fade" in plan.end_label
    last = (
        int(np.searchsorted(profile.downbeats, plan.segments[-1].song_to + 1e-6, side="right")) - 1 if fades else bars
    )
    begins = [0, *splices.enter[taken].tolist()]
    ends = [*splices.leave[taken].tolist(), max(last, 0)]
    played: IntArray = np.concatenate([np.arange(one, other) for one, other in zip(begins, ends, strict=True)])
    heard = np.bincount(played, minlength=bars)
    mean_heard = float(np.sum(heard * lengths) / np.sum(lengths))

    scores = splices.score[taken]
    worst = float(scores.min())
    of_worst = worst**2 if worst >= 0.75 else max(0.0, 0.75**2 - 2.5 * (0.75 - worst))
    seams = 0.6 * of_worst + 0.4 * float(scores.mean()) ** 2
    if fades:
        ending = _fade(profile, max(last, 0))
    else:
        lost = min(0.25, 0.03 * plan.music_in + 0.08 * plan.tail_seconds)
        ending = (0.9 if "hit" in plan.end_label else 1.0) - lost
    coverage = mean_heard * float(np.sum(heard * lengths) / np.sum(heard**2 * lengths))
    segments = np.array([one.song_to - one.song_from for one in plan.segments])
    economy = 1 - np.exp(-2 * segments.size / np.sum(1 / segments) / params.fresh_seconds)
    parts = {
        "seams": seams,
        "ending": ending,
        "freshness": _freshness(played, lengths, plan.window_end, params),
        "phrasing": np.mean([_phrase(profile, int(splices.leave[one]), int(splices.enter[one])) for one in taken]),
        "coverage": coverage,
        "economy": economy,
    }
    weights = {name: getattr(params, f"{name}_weight") for name in parts}
    mean = sum(weights[name] * parts[name] for name in parts) / sum(weights.values())
    most = max(params.max_plays_over_mean * mean_heard, np.ceil(mean_heard) + 1)
    passed = (_passes(profile, taken, params) / params.max_passes_in_a_row, heard.max() / most)
    lost = sum(LIMIT_PENALTY * (1 + np.log2(ratio)) / 2 for ratio in passed if ratio > 1)
    return max(0.0, float(mean - lost))


def _fade(profile: LoopProfile, line: int) -> float:
    firsts = [section.first_bar for section in profile.sections]
    if line and line in firsts:
        return 0.6
    into = line - max((first for first in firsts if first <= line), default=0)
    return 0.5 if into % 8 == 0 else 0.4 if into % 4 == 0 else 0.2


def _freshness(played: IntArray, lengths: FloatArray, video_seconds: float, params: CoverParams) -> float:
    at = np.concatenate([[0.0], np.cumsum(lengths[played])])
    fresh, again = np.ones(played.size), dict[int, int]()
    for number in range(played.size - 1, -1, -1):
        bar = int(played[number])
        if bar in again:
            fresh[number] = 1 - np.exp(-(at[again[bar]] - at[number]) / params.fresh_seconds)
        again[bar] = number
    track = min(float(lengths.sum()), video_seconds)
    round_and_round = 1 - (1 - track / video_seconds) * np.exp(-track / params.fresh_seconds)
    return min(1.0, float(np.average(fresh, weights=lengths[played]) / round_and_round))


def _phrase(profile: LoopProfile, leave: int, enter: int) -> float:
    borders = {0, *(section.first_bar for section in profile.sections)}
    moved = leave - enter
    if {leave, enter} <= borders or moved % 8 == 0:
        return 1.0
    return 0.8 if moved % 4 == 0 else 0.4 if moved % 2 == 0 else 0.1


def _passes(profile: LoopProfile, taken: IntArray, params: CoverParams) -> int:
    """Most passes in a row of one body that is not long."""
    most = run = 1
    for number, splice in enumerate(taken):
        run = run + 1 if number and taken[number - 1] == splice else 2
        begins_again = (
            profile.splices.enter[splice] == 0 and profile.splices.leave[splice] >= profile.downbeats.size - 1
        )
        long = profile.splices.song_to[splice] - profile.splices.song_from[splice] >= LONG_BODY_SECONDS
        most = max(most, 2 if begins_again or long else run)
    return most
