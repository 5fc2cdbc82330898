"""Whether `seam_score` is the chance that it claims to be, on recordings that nobody here made and no fit used.

    python -m tests.benchmarks.elsewhere.reliability FOLDER [--most N]

FOLDER as in `tests.benchmarks.elsewhere.loops`. Of every recording some 150 splices between its bar lines, half of them
between bars that are much alike, are scored and judged. The judgement becomes an answer as in the fit: 0 at a
naturalness of 0.5, 1 at 0.9. The error is the mean distance of score and answer over the bins, weighted by splices.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.seams import Examples, examples_of
from tests.benchmarks.elsewhere.loops import recordings_of_arguments
from tests.benchmarks.table import Table
from workbench.params.loops import SeamModel
from workbench.seams.profile import SEAM_PARTS

BINS = 10


def scores_of(examples: Examples) -> NDArray[np.float64]:
    """The scores of judged splices as the planner scores them, shape (n,)."""
    model = SeamModel()
    weights = np.array([getattr(model, f"{part}_weight") for part in SEAM_PARTS])
    loss = 2.0 * np.log1p(examples.breaks) @ weights
    return np.asarray(1.0 / (1.0 + np.exp(loss - model.unbroken_log_odds)))


def table_of(scores: NDArray[np.float64], answers: NDArray[np.float64], recordings: int) -> Table:
    """A row a bin."""
    table = Table(
        "Reliability of seam_score on recordings not fitted to, splices between any bar lines",
        ["score", "splices", "mean score", "mean answer"],
    )
    number, error = np.minimum((scores * BINS).astype(np.intp), BINS - 1), 0.0
    for one in np.unique(number).tolist():
        some = number == one
        score, answer = float(scores[some].mean()), float(answers[some].mean())
        table.add(f"{one / BINS:.1f} to {(one + 1) / BINS:.1f}", int(some.sum()), score, answer)
        error += some.mean() * abs(score - answer)
    table.notes.append(
        f"{scores.size} splices of {recordings} recordings: correlation with the answer "
        f"{np.corrcoef(scores, answers)[0, 1]:.3f}, distance {error:.3f}."
    )
    return table


def main() -> None:
    """Measure a folder of recordings; see the head of the module."""
    found = []
    for one in recordings_of_arguments("Reliability of seam_score on recordings by others."):
        examples = examples_of(one)
        print(f"[elsewhere] {one.name}: {examples.answers.size} splices", file=sys.stderr, flush=True)
        if examples.answers.size:
            found.append((scores_of(examples), examples.answers))
    scores, answers = (np.concatenate(column) for column in zip(*found, strict=True))
    print(table_of(scores, answers, len(found)).markdown())


if __name__ == "__main__":
    main()
