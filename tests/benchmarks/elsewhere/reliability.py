"""Whether `seam_score` is the chance that it claims to be, on recordings that nobody here made and no fit used.

    python -m tests.benchmarks.elsewhere.reliability FOLDER [--most N]

FOLDER as in `tests.benchmarks.elsewhere.loops`. Of every recording some 150 splices between its bar lines, half of them
between bars that are much alike, are scored as the planner scores them and judged by
`data.recipes.material.naturalness`,
which knows nothing of the project. The judgement becomes an answer as in the fit (`data.recipes.fitting.seams`): 0 at a
naturalness of 0.5, 1 at 0.9. A score is reliable where the mean answer of the splices near it is that score. The error
is the mean distance of the two over the bins, weighted by their splices; the interval of a bin is a bootstrap over
recordings, because splices of one recording are no independent cases.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.seams import Examples, examples_of
from data.recipes.material.recordings import ElsewhereRecording, recordings
from tests.benchmarks.table import Table
from workbench.models.seams import SeamModel
from workbench.seams.profile import SEAM_PARTS

BINS = 10
RESAMPLED = 1000


def scored(recording: ElsewhereRecording) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores and answers of the splices of a recording, shape (n,) each."""
    examples = examples_of(recording)
    return scores_of(examples), examples.answers


def scores_of(examples: Examples) -> NDArray[np.float64]:
    """The scores of judged splices as the planner scores them, shape (n,)."""
    model = SeamModel()
    weights = np.array([getattr(model, f"{part}_weight") for part in SEAM_PARTS])
    loss = 2.0 * np.log1p(examples.breaks) @ weights
    return np.asarray(1.0 / (1.0 + np.exp(loss - model.unbroken_log_odds)))


def bins_of(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The bin of each score, from 0."""
    return np.minimum((scores * BINS).astype(np.intp), BINS - 1)


def interval(found: list[tuple[NDArray[np.float64], NDArray[np.float64]]], one: int) -> tuple[float, float]:
    """The 95 % interval of a bin's mean answer, recordings drawn anew."""
    sums = np.array(
        [[answers[bins_of(scores) == one].sum(), (bins_of(scores) == one).sum()] for scores, answers in found]
    )
    drawn = np.random.default_rng(0).integers(0, len(found), (RESAMPLED, len(found)))
    total = sums[drawn].sum(axis=1)
    means = total[total[:, 1] > 0]
    low, high = np.percentile(means[:, 0] / means[:, 1], (2.5, 97.5))
    return float(low), float(high)


def tables(found: dict[str, list[tuple[NDArray[np.float64], NDArray[np.float64]]]]) -> list[Table]:
    """The bins over all recordings, and a line for each source."""
    every = [pair for pairs in found.values() for pair in pairs]
    scores, answers = (np.concatenate(column) for column in zip(*every, strict=True))
    number = bins_of(scores)
    detail = Table(
        "Reliability of seam_score on recordings not fitted to, splices between any bar lines",
        ["score", "splices", "mean score", "mean answer", "from", "to"],
    )
    for one in np.unique(number).tolist():
        some = number == one
        shown = f"{one / BINS:.1f} to {(one + 1) / BINS:.1f}"
        detail.add(
            shown, int(some.sum()), float(scores[some].mean()), float(answers[some].mean()), *interval(every, one)
        )
    by_source = Table(
        "seam_score by source", ["source", "recordings", "splices", "mean score", "mean answer", "error", "correlation"]
    )
    for name, pairs in {**found, "all": every}.items():
        some_scores, some_answers = (np.concatenate(column) for column in zip(*pairs, strict=True))
        by_source.add(
            name, len(pairs), some_scores.size, float(some_scores.mean()), float(some_answers.mean()),
            error(some_scores, some_answers), float(np.corrcoef(some_scores, some_answers)[0, 1]),
        )  # fmt: skip
    return [by_source, detail]


def error(scores: NDArray[np.float64], answers: NDArray[np.float64]) -> float:
    """Mean distance of score and answer over the bins, weighted by their splices."""
    number = bins_of(scores)
    parts = [
        (number == one).sum() * abs(scores[number == one].mean() - answers[number == one].mean())
        for one in np.unique(number)
    ]
    return float(np.sum(parts) / scores.size)


def main() -> None:
    """Measure a folder of recordings; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Reliability of seam_score on recordings by others.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"], default="test")
    arguments.add_argument("--most", type=int, help="recordings of a source at most")
    given = arguments.parse_args()
    by_source: dict[str, list[ElsewhereRecording]] = {}
    for one in recordings(given.folder, given.role, loops=True):
        by_source.setdefault(one.source.package, []).append(one)
    found: dict[str, list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = {}
    for name, one in ((name, one) for name, some in by_source.items() for one in some[: given.most]):
        scores, answers = scored(one)
        print(f"[elsewhere] {one.name}: {scores.size} splices", file=sys.stderr, flush=True)
        if scores.size:
            found.setdefault(name, []).append((scores, answers))
    for table in tables(found):
        print(table.markdown())


if __name__ == "__main__":
    main()
