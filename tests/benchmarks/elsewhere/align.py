"""Placements on recordings by others: a few true coincidences among many, beside a cross-correlation.

    python -m tests.benchmarks.elsewhere.align FOLDER [--role fit|test] [--pairs N]

FOLDER holds `music` and `videos`, as `data.recipes.material` fetches them; what is measured of them is kept in `home`
there. What is planted, and how, is said in `data.recipes.material.planted_pairs`.

Asked is whether the offset is found within 0.1 s, first and among the first three; whether the label of the first names
a planted pair; how far the first score tells the pairs with a place from those without (AUC); and the share of pairs
without that reach the score at which a placement is told as a fact.

The simple rule is the cross-correlation of the saliences of events and landmarks, each a triangle as wide as its
tolerance, divided by its root mean square.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.planted_pairs import KINDS, PAIRS, WITHOUT, Case, cases
from tests.benchmarks.align import covering_offsets, share_near
from tests.benchmarks.area import auc
from tests.benchmarks.table import Table
from workbench.align.landmarks import Landmarks
from workbench.align.placements import CHANCE_SCORE, place
from workbench.video.events import Events

NEAR_SECONDS = 0.1

Rule = Callable[[Landmarks, Events], list[tuple[float, float, str]]]


@dataclass(frozen=True)
class Found:
    """What a rule says of one case."""

    case: Case
    rank: int
    """of the planted offset, 0 the first; large where it is not among those found"""
    score: float
    label_right: bool


def ours(landmarks: Landmarks, events: Events) -> list[tuple[float, float, str]]:
    """Offset, score and label of each placement."""
    return [(one.offset_seconds, one.score, one.label) for one in place(landmarks, events)]


def correlation(landmarks: Landmarks, events: Events) -> list[tuple[float, float, str]]:
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
    found: list[tuple[float, float, str]] = []
    for k in np.argsort(-total, kind="stable")[:4000]:
        if all(abs(offsets[k] - one[0]) >= 1.0 for one in found):
            found.append((float(offsets[k]), float(total[k] / scale), ""))
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
        judged.append(Found(case, rank, found[0][1] if found else 0.0, bool(found) and found[0][2] in case.labels))
    return judged


def separation(found: Sequence[Found]) -> float:
    """AUC of the first score: pairs with a place against those without."""
    scores = {
        with_place: [one.score for one in found if (one.case.offset is not None) == with_place]
        for with_place in (True, False)
    }
    return auc(scores[True], scores[False])


def lift(some: Sequence[Case], rule: Rule) -> float:
    """How many times more cuts lie near a landmark than by chance, in videos cut to no music."""
    generator = np.random.default_rng(32)
    served, chance = [], []
    for case in (one for one in some if one.kind == "cut to no music"):
        found = rule(case.landmarks, case.events)
        if found:
            offsets = covering_offsets(case.landmarks, case.events, generator)[:150]
            served.append(share_near(case.landmarks, case.events, found[0][0]))
            chance.append(np.nanmean([share_near(case.landmarks, case.events, float(at)) for at in offsets]))
    return float(np.nanmean(served) / np.nanmean(chance))


def tables(some: Sequence[Case]) -> list[Table]:
    """How often the place is found, and what is said where there is none."""
    with_place = Table(
        "Align elsewhere: a few coincidences among many",
        ("planted", "pairs", "first", "first three", "twelve", "label right", "score", "first, the rule"),
    )
    found, ruled = judge(ours, some), judge(correlation, some)
    for kind in (*KINDS, "all"):
        mine = [one for one in found if one.case.offset is not None and kind in (one.case.kind, "all")]
        rule = [one for one in ruled if one.case.offset is not None and kind in (one.case.kind, "all")]
        ranks = np.array([one.rank for one in mine])
        with_place.add(
            kind, len(mine), float(np.mean(ranks == 0)), float(np.mean(ranks < 3)), float(np.mean(ranks < 12)),
            float(np.mean([one.label_right for one in mine])), float(np.median([one.score for one in mine])),
            float(np.mean([one.rank == 0 for one in rule])),
        )  # fmt: skip
    with_place.notes.append(
        f"AUC against pairs with nothing planted {separation(found):.3f}, the rule {separation(ruled):.3f}; cuts near "
        f"landmarks in videos cut to no music, times chance: {lift(some, ours):.2f}, the rule "
        f"{lift(some, correlation):.2f}."
    )
    without = Table(
        "Align elsewhere: nothing planted", ("video", "pairs", "median score", "highest", f"{CHANCE_SCORE:g} or more")
    )
    for kind in WITHOUT:
        scores = np.array([one.score for one in found if one.case.offset is None and one.case.kind == kind])
        reached = float(np.mean(scores >= CHANCE_SCORE))
        without.add(kind, scores.size, float(np.median(scores)), float(scores.max()), reached)
    return [with_place, without]


def _cases(folder: Path, role: str, pairs: int = PAIRS) -> list[Case]:
    return cases(folder / "music", folder / "videos", folder / "home", role, pairs)


def first_share(folder: Path) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Whether the place comes first in each test pair: ours, the simple rule's, and the sources."""
    some = [case for case in _cases(folder, "test") if case.offset is not None]
    mine, rule = (np.array([float(one.rank == 0) for one in judge(way, some)]) for way in (ours, correlation))
    return mine, rule, [case.source for case in some]


def main() -> None:
    """Measure; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Placements on recordings by others.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"], default="test")
    arguments.add_argument("--pairs", type=int, default=PAIRS)
    given = arguments.parse_args()
    for table in tables(_cases(given.folder, given.role, given.pairs)):
        print(table.markdown())


if __name__ == "__main__":
    main()
