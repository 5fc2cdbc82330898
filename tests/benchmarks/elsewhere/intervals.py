"""How sure a mean over material from several sources is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_DRAWS = 2000


def interval(values: NDArray[np.float64], sources: Sequence[str]) -> tuple[float, float]:
    """The 90 % interval of a mean, by drawing sources with replacement: what comes from one source is alike.

    Parameters
    ----------
    values : shape (n,)
    sources : the source of each value
    """
    groups = [np.flatnonzero(np.array(sources) == one) for one in dict.fromkeys(sources)]
    dice = np.random.default_rng(11)
    drawn = (np.concatenate([groups[k] for k in dice.integers(0, len(groups), len(groups))]) for _ in range(_DRAWS))
    low, high = np.quantile([values[rows].mean() for rows in drawn], (0.05, 0.95))
    return float(low), float(high)
