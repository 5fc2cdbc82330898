"""Ranking music by others for videos by others, beside simple rules.

    python -m tests.benchmarks.elsewhere.match VIDEOS MUSIC --home HOME [--role fit|test]

VIDEOS and MUSIC are what `python -m data.recipes.material.elsewhere_videos VIDEOS` and
`python -m data.recipes.material.recordings MUSIC` fetch; HOME keeps what was measured. How pairs are graded, and what
that is worth, is in `data/recipes/material/elsewhere_pairs.py`.

The simple rules have no constants that are fitted to grades. *Nearest energy* compares how lively a video is among the
videos with how lively a track is among the tracks; *energy and brightness* adds the lightness of the picture and the
brightness of the sound, compared alike.

Intervals are bootstraps over the sources of the videos, 90 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.elsewhere_pairs import Pairs, pairs_of
from data.recipes.material.grading import best_first, ndcg
from tests.benchmarks.elsewhere.intervals import interval
from tests.benchmarks.table import Table
from workbench.match.ranking import quick_parts, raw_scores, scores_of, slow_parts, wanted_of
from workbench.params import MATCH_PARTS, MatchParams

RANDOM_ORDERS = 50

Scores = NDArray[np.float64]
"""shape (n_videos, n_recordings), higher is better"""


def ours(pairs: Pairs, params: MatchParams) -> Scores:
    """Scores of the ranking that ships, without sync: no label says where a track should land."""
    rows = []
    for video in pairs.facts:
        parts = quick_parts(video, wanted_of(video, params), pairs.columns, params)
        rows.append(scores_of(raw_scores(parts | slow_parts(video, pairs.columns, params), params), params))
    return np.array(rows, dtype=np.float64)


def places(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Each value as its place among all, 0 to 1; unknown ones in the middle."""
    values = np.asarray(values, dtype=np.float64)
    known = np.isfinite(values)
    order = np.full(values.size, 0.5)
    order[known] = np.argsort(np.argsort(values[known])) / max(1, known.sum() - 1)
    return order


def simple_rules(pairs: Pairs) -> dict[str, Scores]:
    """Rankings that compare one or two facts by their places, without a fitted constant."""
    drive = places(np.array([video.drive for video in pairs.facts]))
    light = places(np.array([video.brightness for video in pairs.facts]))
    energy, shine = places(pairs.columns.energy), places(pairs.columns.brightness)
    by_energy = -np.square(drive[:, None] - energy)
    return {
        "nearest energy": by_energy,
        "energy and brightness": by_energy - np.square(light[:, None] - shine),
    }


def reached(scores: Scores, grades: NDArray[np.int64]) -> NDArray[np.float64]:
    """NDCG@10 of each video."""
    return np.array([ndcg(best_first(row), grade) for row, grade in zip(scores, grades, strict=True)])


def correlation(scores: Scores, grades: NDArray[np.int64]) -> float:
    """Rank correlation of score and grade over all pairs."""
    from scipy.stats import spearmanr

    return float(spearmanr(scores.ravel(), grades.ravel()).statistic)


def ranking_table(name: str, pairs: Pairs, params: MatchParams) -> Table:
    """Ours beside the simple rules."""
    table = Table(
        f"Music by others for videos by others, {name}, NDCG@10",
        ("ranking", "mean", "from", "to", "worst tenth", "worst", "first track good", "score and grade, r"),
    )
    sources = [video.source for video in pairs.videos]
    dice = np.random.default_rng(7)
    chance = np.mean([reached(dice.random(pairs.grades.shape), pairs.grades) for _ in range(RANDOM_ORDERS)], axis=0)
    table.add(
        "random", chance.mean(), *interval(chance, sources), float(np.quantile(chance, 0.1)), chance.min(), None, 0.0
    )
    for way, scores in {**simple_rules(pairs), "ours": ours(pairs, params)}.items():
        found = reached(scores, pairs.grades)
        first = pairs.grades[np.arange(len(pairs.videos)), np.argmax(scores, axis=1)]
        table.add(way, found.mean(), *interval(found, sources), float(np.quantile(found, 0.1)), found.min(),
                  float(np.mean(first >= 2)), correlation(scores, pairs.grades))  # fmt: skip
    table.notes.append(
        f"{len(pairs.videos)} videos of {len(set(sources))} sources, {len(pairs.recordings)} recordings of "
        f"{len({one.package for one in pairs.recordings})}; {np.mean(pairs.grades >= 2):.0%} of the pairs are good."
    )
    return table


def ablation_table(pairs: Pairs, params: MatchParams) -> Table:
    """Each part of the score left out."""
    table = Table("Match without one of its parts, NDCG@10", ("without", "mean", "lost"))
    whole = reached(ours(pairs, params), pairs.grades).mean()
    table.add("nothing", whole, 0.0)
    for part in MATCH_PARTS:
        less = params.model_copy(update={f"{part}_weight": 0.0})
        left = reached(ours(pairs, less), pairs.grades).mean()
        table.add(part, left, whole - left)
    return table


def agreement_table(pairs: Pairs) -> Table:
    """How far the two people agreed."""
    table = Table("Labels of two people", ("what", "axis", "correlation", "equal", "within one step"))
    rows: tuple[tuple[str, Callable[[str], list[tuple[float, float]]]], ...] = (
        ("videos", lambda axis: [getattr(video, axis) for video in pairs.videos]),
        ("recordings", lambda axis: [getattr(one, axis) for one in pairs.recordings]),
    )
    for what, labels in rows:
        for axis in ("energy", "valence"):
            first, second = np.array(labels(axis)).T
            apart = np.abs(first - second)
            table.add(what, axis, float(np.corrcoef(first, second)[0, 1]), float(np.mean(apart == 0.0)),
                      float(np.mean(apart <= 1.0)))  # fmt: skip
    return table


def main() -> None:
    """Measure and print; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Rank music by others for videos by others.")
    arguments.add_argument("videos", type=Path)
    arguments.add_argument("music", type=Path)
    arguments.add_argument("--home", type=Path, required=True)
    arguments.add_argument("--role", choices=["fit", "test"], default="test")
    given = arguments.parse_args()
    params = MatchParams()
    plain = pairs_of(given.role, given.videos, given.music, given.home)
    worded = pairs_of(given.role, given.videos, given.music, given.home, words=True)
    print(agreement_table(plain).markdown())
    print(ranking_table("sound alone", plain, params).markdown())
    print(ranking_table("with the catalog's words", worded, params).markdown())
    print(ablation_table(plain, params).markdown())


if __name__ == "__main__":
    main()
