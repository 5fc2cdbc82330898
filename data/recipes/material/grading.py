"""How good a ranking is where every pair has a grade from 0 to 3.

Functions: `best_first` ranks by score; `ndcg` says how near a ranking comes to the best one.

References
----------
K. Järvelin and J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20 (2002).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
