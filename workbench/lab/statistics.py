"""How sure a mean over material from several sources is, and how well found times agree with true ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.recording import FloatArray

_DRAWS = 2000
_SEED = 11
SAME_TIME_SECONDS = 0.07  # s within which a found and a true beat are the same, by the field's custom


def bootstrap_interval(
    values: FloatArray, sources: Sequence[str] | None = None, *, coverage: float = 0.9
) -> tuple[float, float]:
    """The interval of a mean, by drawing sources with replacement: what comes from one source is alike.

    Of at least one value, each its own source without `sources`. The same low and high in every run.
    """
    # scipy.stats.bootstrap draws the same, but refuses a single value and needs a statistic over drawn sources, so it
    # saves no line.
    given = list(range(values.size)) if sources is None else list(sources)
    groups = [np.flatnonzero(np.array(given) == one) for one in dict.fromkeys(given)]
    dice = np.random.default_rng(_SEED)
    drawn = (np.concatenate([groups[k] for k in dice.integers(0, len(groups), len(groups))]) for _ in range(_DRAWS))
    out = (1.0 - coverage) / 2.0
    low, high = np.quantile([values[rows].mean() for rows in drawn], (out, 1.0 - out))
    return float(low), float(high)


def f_measure(true: FloatArray, found: FloatArray, tolerance: float = SAME_TIME_SECONDS) -> float:
    """Harmonic mean of the shares of true times that were found and of found times that are true, 0 to 1.

    Times are ascending, s, and each is matched once, within `tolerance` seconds. None is trimmed at the beginning. 1
    where both are empty.
    """
    # mir_eval counts the same, but is not installed with the core, and calls nothing found of nothing 0.
    if not true.size and not found.size:
        return 1.0
    at = hits = 0
    for time in true:  # in ascending order the earliest one free within reach is never worse than another
        while at < found.size and found[at] < time - tolerance:
            at += 1
        if at < found.size and found[at] <= time + tolerance:
            at, hits = at + 1, hits + 1
    return 2.0 * hits / (true.size + found.size)
