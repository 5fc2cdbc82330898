"""Placements on recordings by others: a few true coincidences among many, beside a cross-correlation.

    python -m tests.benchmarks.elsewhere.align FOLDER

FOLDER holds `music` and `videos`; what is measured is kept in `home` there. What is planted, and how, is said in
`data.recipes.material.planted_pairs`. An offset is found within 0.1 s. The simple rule is the cross-correlation of the
saliences of events and landmarks, each a triangle as wide as its tolerance, divided by its root mean square.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.planted_pairs import KINDS, PAIRS, WITHOUT, Case, cases
from tests.benchmarks.table import Table, auc, measure_folder
from workbench.align.landmarks import Landmarks
from workbench.align.placements import CHANCE_SCORE, place
from workbench.video.events import Events

NEAR_SECONDS = 0.1

Rule = Callable[[Landmarks, Events], list[tuple[float, float]]]
"""offset, s, and score of each placement, best first"""


@dataclass(frozen=True)
class Found:
    """What a rule says of one case."""

    case: Case
    rank: int
    """of the planted offset, 0 the first; large where it is not among those found"""
    score: float


def ours(landmarks: Landmarks, events: Events) -> list[tuple[float, float]]:
    """The placements that align finds."""
    return [(one.offset_seconds, one.score) for one in place(landmarks, events)]


def correlation(landmarks: Landmarks, events: Events) -> list[tuple[float, float]]:
    """The simple rule: the highest peaks of the cross-correlation, a second apart."""
    step, track, video = 0.01, landmarks.marks, events.marks
    first = -landmarks.track_seconds
    total = np.zeros(int((events.video_seconds - first) / step) + 1)
    for at, strength, tolerance in zip(video.times, video.salience, video.tolerance, strict=True):
        centre = (at - track.times - first) / step
        width = np.hypot(tolerance, track.tolerance) / step
        for reach in range(-int(width.max()), int(width.max()) + 1):
            bins = np.round(centre).astype(np.int64) + reach
            inside = (bins >= 0) & (bins < total.size)
            fall = np.maximum(1.0 - np.abs(bins - centre) / width, 0.0)
            np.add.at(total, bins[inside], (strength * track.salience * fall)[inside])
    least = 0.6 * min(landmarks.last_sound - landmarks.first_sound, events.video_seconds)
    offsets = first + step * np.arange(total.size)
    begins = np.maximum(offsets + landmarks.first_sound, 0.0)
    ends = np.minimum(offsets + landmarks.last_sound, events.video_seconds)
    total[ends - begins < least] = 0.0
    scale = float(np.sqrt(np.mean(np.square(total)))) or 1.0
    found: list[tuple[float, float]] = []
    for k in np.argsort(-total, kind="stable")[:4000]:
        if all(abs(offsets[k] - one[0]) >= 1.0 for one in found):
            found.append((float(offsets[k]), float(total[k] / scale)))
        if len(found) == 12:
            break
    return found


def judge(rule: Rule, some: Sequence[Case]) -> list[Found]:
    """What a rule says of each case."""
    judged = []
    for case in some:
        found = rule(case.landmarks, case.events)
        truth = [] if case.offset is None else [abs(one[0] - case.offset) <= NEAR_SECONDS for one in found]
        rank = truth.index(True) if True in truth else 99
        judged.append(Found(case, rank, found[0][1] if found else 0.0))
    return judged


def tables(folder: Path) -> list[Table]:
    """How often the place is found, and what is said where there is none."""
    some = planted_cases(folder)
    found, ruled = judge(ours, some), judge(correlation, some)
    placed, placed_by_rule = ([one for one in both if one.case.offset is not None] for both in (found, ruled))
    bare = [one for one in found if one.case.offset is None]
    table = Table(
        "Align elsewhere: a few coincidences among many",
        ("planted", "pairs", "first", "first three", "first, the rule"),
    )
    for kind in (*KINDS, "all"):
        ranks, by_rule = (
            np.array([one.rank for one in both if kind in (one.case.kind, "all")]) for both in (placed, placed_by_rule)
        )
        shares = (ranks == 0, ranks < 3, by_rule == 0)
        table.add(kind, ranks.size, *(float(np.mean(share)) for share in shares))
    separation = auc([one.score for one in placed], [one.score for one in bare])
    table.notes.append(f"AUC of the first score against pairs with nothing planted: {separation:.3f}.")
    without = Table("Align elsewhere: nothing planted", ("video", "pairs", "highest", f"{CHANCE_SCORE:g} or more"))
    for kind in WITHOUT:
        scores = np.array([one.score for one in bare if one.case.kind == kind])
        without.add(kind, scores.size, float(scores.max()), int(np.sum(scores >= CHANCE_SCORE)))
    return [table, without]


def planted_cases(folder: Path) -> list[Case]:
    """The pairs that nothing was fitted to."""
    return cases(folder / "music", folder / "videos", folder / "home", "test", PAIRS)


def first_share(folder: Path) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Whether the place comes first in each test pair: ours, the simple rule's, and the sources."""
    some = [case for case in planted_cases(folder) if case.offset is not None]
    mine, rule = (np.array([float(one.rank == 0) for one in judge(way, some)]) for way in (ours, correlation))
    return mine, rule, [case.source for case in some]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
