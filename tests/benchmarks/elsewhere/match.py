"""Ranking music by others for videos by others, beside simple rules.

    python -m tests.benchmarks.elsewhere.match VIDEOS MUSIC --home HOME [--role fit|test]

VIDEOS and MUSIC are what `python -m data.recipes.material.elsewhere_videos VIDEOS` and
`python -m data.recipes.material.recordings MUSIC` fetch; HOME keeps what was measured. How pairs are graded, and what
that is worth, is in `data/recipes/material/elsewhere_pairs.py`.

The simple rules have no constants that are fitted to grades. *Nearest energy* compares how lively a video is among the
videos with how lively a track is among the tracks; *energy and brightness* adds the lightness of the picture and the
brightness of the sound, compared alike.

Where the rest is lost is told by putting labels in place of what is measured: those of the videos, those of the
recordings, both. How far one person's labels lead, graded by the other's, is about as far as anything can be measured
to go here.

Intervals are bootstraps over the sources of the videos, 90 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.elsewhere_pairs import TOLERANCE, LabelledRecording, Pairs, grade_pairs, pairs_of
from data.recipes.material.elsewhere_videos import ElsewhereVideo
from data.recipes.material.grading import best_first, ndcg
from tests.benchmarks.table import Table
from workbench.intervals import bootstrap_interval
from workbench.match.ranking import VideoWants, quick_parts, raw_scores, scores_of, slow_parts, wanted_of
from workbench.params import MATCH_PARTS, MatchParams

RANDOM_ORDERS = 50
ABLATION = "Match without one of its parts, NDCG@10"
"""title of the table"""
EVERYBODY, SECOND = slice(0, 2), slice(1, 2)
"""whose labels are read"""

Scores = NDArray[np.float64]
"""shape (n_videos, n_recordings), higher is better"""


def ours(pairs: Pairs, params: MatchParams, wanted: Sequence[VideoWants] | None = None) -> Scores:
    """Scores of the ranking that ships, without sync: no label says where a track should land.

    `wanted` is what each video expects, in place of what its facts say.
    """
    rows = []
    for video, wants in zip(pairs.facts, wanted or [wanted_of(one, params) for one in pairs.facts], strict=True):
        parts = quick_parts(video, wants, pairs.columns, params)
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


def within(scores: Scores, grades: NDArray[np.int64]) -> float:
    """Rank correlation of score and grade among the recordings of one video, mean over the videos."""
    from scipy.stats import spearmanr

    rows = [(row, grade) for row, grade in zip(scores, grades, strict=True) if grade.std() > 0.0]
    return float(np.mean([spearmanr(row, grade).statistic for row, grade in rows]))


def ranking_table(name: str, pairs: Pairs, params: MatchParams) -> Table:
    """Ours beside the simple rules."""
    table = Table(
        f"Music by others for videos by others, {name}, NDCG@10",
        ("ranking", "mean", "from", "to", "worst tenth", "worst", "first track good", "score and grade, r",
         "of one video"),
    )  # fmt: skip
    sources = [video.source for video in pairs.videos]
    dice = np.random.default_rng(7)
    chance = np.mean([reached(dice.random(pairs.grades.shape), pairs.grades) for _ in range(RANDOM_ORDERS)], axis=0)
    table.add(
        "random",
        chance.mean(),
        *bootstrap_interval(chance, sources),
        float(np.quantile(chance, 0.1)),
        chance.min(),
        None,
        0.0,
        0.0,
    )
    for way, scores in {**simple_rules(pairs), "ours": ours(pairs, params)}.items():
        found = reached(scores, pairs.grades)
        first = pairs.grades[np.arange(len(pairs.videos)), np.argmax(scores, axis=1)]
        told = float(np.mean(first >= 2)), correlation(scores, pairs.grades), within(scores, pairs.grades)
        table.add(
            way, found.mean(), *bootstrap_interval(found, sources), float(np.quantile(found, 0.1)), found.min(), *told
        )
    table.notes.append(
        f"{len(pairs.videos)} videos of {len(set(sources))} sources, {len(pairs.recordings)} recordings of "
        f"{len({one.package for one in pairs.recordings})}; {np.mean(pairs.grades >= 2):.0%} of the pairs are good."
    )
    return table


def ablation_table(sets: Mapping[str, Callable[[MatchParams], float]], params: MatchParams) -> Table:
    """Each part of the score left out; `sets` give, by name, the mean NDCG@10 under some parameters."""
    table = Table(ABLATION, ("without", *sets))
    for part in (None, *MATCH_PARTS):
        less = params if part is None else params.model_copy(update={f"{part}_weight": 0.0})
        table.add(part or "nothing", *(mean(less) for mean in sets.values()))
    table.notes.append("Sync takes part in no set: no label says where a track should land.")
    return table


def mean_reached(pairs: Pairs) -> Callable[[MatchParams], float]:
    """The mean NDCG@10 under some parameters."""
    return lambda params: float(reached(ours(pairs, params), pairs.grades).mean())


def labelled_videos(pairs: Pairs, params: MatchParams, people: slice = EVERYBODY) -> list[VideoWants]:
    """What each video expects, with the labels of some people in place of what its facts say of energy and valence."""
    energy, valence = (labels_of(pairs.videos, name, people) for name in ("energy", "valence"))
    read = (wanted_of(video, params).pulse for video in pairs.facts)
    return [VideoWants(float(e), pulse, float(v)) for e, pulse, v in zip(energy, read, valence, strict=True)]


def labelled_music(pairs: Pairs, people: slice = EVERYBODY) -> Pairs:
    """The recordings with the labels of some people in place of what is heard, and read, of energy and valence.

    Their contours keep their shape.
    """
    energy, valence = (labels_of(pairs.recordings, name, people) for name in ("energy", "valence"))
    columns = pairs.columns
    moved = np.clip(columns.contour.astype(np.float64) + (energy - columns.energy)[:, None], 0.0, 1.0)
    return replace(
        pairs,
        columns=replace(
            columns,
            energy=energy.astype(np.float32),
            contour=moved.astype(columns.contour.dtype),
            words_energy=np.full(len(columns), np.nan, np.float32),
            words_valence=valence.astype(np.float32),
        ),
    )


def labels_of(labelled: Sequence[ElsewhereVideo | LabelledRecording], name: str, people: slice) -> NDArray[np.float64]:
    """Mean label of some people, 0 to 1."""
    return np.array([(np.mean(getattr(one, name)[people]) - 1.0) / 4.0 for one in labelled])


def oracle_table(name: str, pairs: Pairs, params: MatchParams, people: slice) -> Table:
    """Labels in place of what is measured; they are those of the people who grade."""
    table = Table(
        f"Labels in place of what is measured, {name}",
        ("video", "recording", "NDCG@10", "from", "to", "score and grade, r", "of one video"),
    )
    told = params.model_copy(update={"words_share_of_valence": 1.0})
    sources = [video.source for video in pairs.videos]
    wanted, heard = labelled_videos(pairs, params, people), labelled_music(pairs, people)
    for video, recording, scores in (
        ("seen", "heard", ours(pairs, params)),
        ("labels", "heard", ours(pairs, params, wanted)),
        ("seen", "labels", ours(heard, told)),
        ("labels", "labels", ours(heard, told, wanted)),
    ):
        found = reached(scores, pairs.grades)
        table.add(video, recording, found.mean(), *bootstrap_interval(found, sources),
                  correlation(scores, pairs.grades), within(scores, pairs.grades))  # fmt: skip
    return table


def nearness_of(pairs: Pairs, people: slice) -> tuple[Scores, NDArray[np.int64]]:
    """How near the labels of some people are, pair by pair, and the grades that follow from them."""

    def given(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return 1.0 + 4.0 * labels_of(pairs.videos, name, people), 1.0 + 4.0 * labels_of(pairs.recordings, name, people)

    energy, valence = given("energy"), given("valence")
    steps = [np.subtract.outer(*labels) / step for labels, step in zip((energy, valence), TOLERANCE, strict=True)]
    return -np.hypot(*steps), grade_pairs(energy, valence)


def person_table(pairs: Pairs) -> Table:
    """One person's labels of both, graded by the other's: as far as two people agree."""
    table = Table(
        "One person's labels, graded by the other's",
        ("labels", "grades", "NDCG@10", "from", "to", "worst", "score and grade, r", "of one video"),
    )
    sources = [video.source for video in pairs.videos]
    people = {"first": slice(0, 1), "second": slice(1, 2)}
    for by, judge in (("first", "second"), ("second", "first")):
        scores, (_, grades) = nearness_of(pairs, people[by])[0], nearness_of(pairs, people[judge])
        found = reached(scores, grades)
        table.add(by, judge, found.mean(), *bootstrap_interval(found, sources), found.min(),
                  correlation(scores, grades), within(scores, grades))  # fmt: skip
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
    sets = {"by sound alone": mean_reached(plain), "with the catalog's words": mean_reached(worded)}
    print(ablation_table(sets, params).markdown())
    print(person_table(plain).markdown())
    if given.role == "fit":
        print(oracle_table("sound alone", plain, params, EVERYBODY).markdown())
        print(oracle_table("with the catalog's words", worded, params, SECOND).markdown())


if __name__ == "__main__":
    main()
