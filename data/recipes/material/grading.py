"""How good a ranking is where every pair has a grade from 0 to 3, and how often tracks of a score are taken.

Functions: `best_first` ranks by score; `ndcg` says how near a ranking comes to the best one; `fit_calibration` makes
probabilities of scores.

References
----------
K. Järvelin and J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20 (2002).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.matching.lane import Calibration
from workbench.recording import FloatArray

GAIN = 2.0 ** np.arange(4) - 1.0
"""what a grade is worth"""


def best_first(scores: NDArray[np.floating]) -> NDArray[np.int64]:
    """Rows by score, the highest first; rows of one score stay in their order."""
    return np.argsort(-scores, kind="stable")


def ndcg(order: Sequence[int] | NDArray[np.int64], grades: NDArray[np.int64], count: int = 10) -> float:
    """Normalised discounted cumulative gain of the first `count`: gain 2^grade - 1, discount 1 / log2(1 + place).

    `order` has rows, best first. 1.0 is a ranking by grade; it is 1.0 too where every grade is 0.
    """
    first = np.asarray(order)[:count]
    best = np.sort(grades)[::-1][:count]
    worth = 1.0 / np.log2(np.arange(2, count + 2))
    ideal = float(GAIN[best] @ worth[: best.size])
    return float(GAIN[grades[first]] @ worth[: first.size]) / ideal if ideal else 1.0


def fit_calibration(raw: FloatArray, taken: FloatArray, steps: int = 50) -> Calibration:
    """Fit the curve to graded pairs, by Newton's method on the log-likelihood.

    `taken` is the probability that an editor takes the track, 0 to 1; the curve's mean equals its mean.
    """
    design = np.column_stack([np.ones(raw.size), np.asarray(raw, dtype=np.float64)])
    weights = np.zeros(2)  # the log-likelihood is concave, so any start will do
    # Without a weak ridge the slope is infinite where raw scores separate both kinds without error.
    ridge = np.diag([0.0, 1e-3])
    for _ in range(steps):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -60.0, 60.0)))
        slope = design.T @ (taken - chance) - ridge @ weights
        curvature = (design * (chance * (1.0 - chance))[:, None]).T @ design + ridge + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        weights += step
        if float(np.abs(step).max()) < 1e-10:
            break
    return Calibration(float(weights[0]), float(weights[1]))
