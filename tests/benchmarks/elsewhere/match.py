"""Ranking music by others for videos by others: each part of the score left out, and how far two people agree.

    python -m tests.benchmarks.elsewhere.match VIDEOS MUSIC --home HOME

VIDEOS and MUSIC are of `data.recipes.material.elsewhere_videos` and `recordings`; HOME keeps what was measured. How
pairs are graded, and what that is worth, is in `data/recipes/material/elsewhere_pairs.py`. A brief is what one person's
labels of a video say in a line, graded by the other's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.elsewhere_pairs import TOLERANCE, LabelledRecording, Pairs, grade_pairs, pairs_of
from data.recipes.material.elsewhere_videos import ElsewhereVideo
from data.recipes.material.grading import best_first, ndcg
from tests.benchmarks.table import Table
from workbench.lab.statistics import mean_interval
from workbench.matching.brief import read_brief
from workbench.matching.texts import TextIndex
from workbench.matching.video_ranking import (
    AskedMusic,
    quick_parts,
    rank,
    raw_scores,
    scores_of,
    slow_parts,
    wanted_of,
)
from workbench.params import MATCH_PARTS, MatchParams

BY_SOUND = "by sound alone"
SETS = {BY_SOUND: False, "with the catalog's words": True}
"""and whether these are read"""
ENERGIES = ("very calm, low energy", "calm", "medium energy", "energetic", "frantic, high energy")
VALENCES = ("dark", "sombre", "", "hopeful", "joyful")
"""how a person would say each step of a label"""

PEOPLE = ("first", "second")

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
    drives = [sum(scene.drive * scene.seconds for scene in video.scenes) / video.duration for video in pairs.facts]
    drive = places(np.array(drives))
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


def ablation_table(sets: Mapping[str, Callable[[MatchParams], float]], params: MatchParams) -> Table:
    """Each part of the score left out; `sets` give, by name, the mean NDCG@10 under some parameters."""
    table = Table("Match without one of its parts, NDCG@10", ("without", *sets))
    for part in (None, *MATCH_PARTS):
        less = params if part is None else params.model_copy(update={f"{part}_weight": 0.0})
        table.add(part or "nothing", *(mean(less) for mean in sets.values()))
    table.notes.append("Sync takes part in no set: no label says where a track should land.")
    return table


def mean_reached(pairs: Pairs) -> Callable[[MatchParams], float]:
    """The mean NDCG@10 under some parameters."""
    return lambda params: float(reached(ours(pairs, params), pairs.grades).mean())


def labels_of(labelled: Sequence[ElsewhereVideo | LabelledRecording], name: str, people: slice) -> NDArray[np.float64]:
    """Mean label of some people, 0 to 1."""
    return np.array([(np.mean(getattr(one, name)[people]) - 1.0) / 4.0 for one in labelled])


def nearness_of(pairs: Pairs, people: slice) -> tuple[Scores, NDArray[np.int64]]:
    """How near the labels of some people are, pair by pair, and the grades that follow from them."""

    def given(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return 1.0 + 4.0 * labels_of(pairs.videos, name, people), 1.0 + 4.0 * labels_of(pairs.recordings, name, people)

    energy, valence = given("energy"), given("valence")
    steps = [np.subtract.outer(*labels) / step for labels, step in zip((energy, valence), TOLERANCE, strict=True)]
    return -np.hypot(*steps), grade_pairs(energy, valence)


def person_table(pairs: Pairs) -> Table:
    """One person's labels of both, graded by the other's: as far as two people agree."""
    table = Table("One person's labels, graded by the other's", ("labels", "grades", "NDCG@10", "from", "to"))
    sources = [video.source for video in pairs.videos]
    people = {"first": slice(0, 1), "second": slice(1, 2)}
    for by, judge in (("first", "second"), ("second", "first")):
        scores, (_, grades) = nearness_of(pairs, people[by])[0], nearness_of(pairs, people[judge])
        found = reached(scores, grades)
        table.add(by, judge, found.mean(), *mean_interval(found, sources))
    return table


def brief_of(video: ElsewhereVideo, person: int) -> str:
    """What one person said of a video, as a brief of one line."""
    energy, valence = (round(labels[person]) - 1 for labels in (video.energy, video.valence))
    return ", ".join(filter(None, (ENERGIES[energy], VALENCES[valence])))


def reached_with_briefs(pairs: Pairs, by: int, grades: NDArray[np.int64], *, words: bool) -> NDArray[np.float64]:
    """NDCG@10 of each video with a brief by one person, in a catalog with the first person's moods or without words."""
    texts = ["\n".join(("", ", ".join(one.moods if words else ()), "untitled")) for one in pairs.recordings]
    with TemporaryDirectory() as folder:
        index = TextIndex.build(texts, Path(folder))
        asked = [AskedMusic(read_brief(brief_of(video, by)), index) for video in pairs.videos]
        ranked = [
            rank(facts, pairs.columns, len(texts), None, brief) for facts, brief in zip(pairs.facts, asked, strict=True)
        ]
    return np.array([ndcg(one.rows.tolist(), grade) for one, grade in zip(ranked, grades, strict=True)])


def brief_table(sets: Mapping[str, Pairs]) -> Table:
    """One person's labels of the video as a brief, graded by the other's of both."""
    columns = ("", "briefs", "grades", "without", "with", "gain from", "gain to")
    table = Table("Match with a brief of one line, NDCG@10", columns)
    for name, pairs in sets.items():
        sources = [video.source for video in pairs.videos]
        # The catalog's words are the first person's: the second grades them.
        for by, judge in ((0, 1),) if SETS[name] else ((0, 1), (1, 0)):
            grades = nearness_of(pairs, slice(judge, judge + 1))[1]
            found = reached_with_briefs(pairs, by, grades, words=SETS[name])
            without = reached(ours(pairs, MatchParams()), grades)
            gain = mean_interval(found - without, sources)
            table.add(name, PEOPLE[by], PEOPLE[judge], without.mean(), found.mean(), *gain)
    return table


def main() -> None:
    """Measure and print; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Rank music by others for videos by others.")
    arguments.add_argument("videos", type=Path)
    arguments.add_argument("music", type=Path)
    arguments.add_argument("--home", type=Path, required=True)
    given = arguments.parse_args()
    by_set = {
        name: pairs_of("test", given.videos, given.music, given.home, words=words) for name, words in SETS.items()
    }
    sets = {name: mean_reached(pairs) for name, pairs in by_set.items()}
    for table in (ablation_table(sets, MatchParams()), brief_table(by_set), person_table(by_set[BY_SOUND])):
        print(table.markdown())


if __name__ == "__main__":
    main()
