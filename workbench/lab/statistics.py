"""How sure a mean over material from several sources is, and how well found times agree with true ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.recording import FloatArray

SAME_TIME_SECONDS = 0.07  # s within which a found and a true beat are the same, by the field's custom


def mean_interval(
    values: FloatArray, sources: Sequence[str] | None = None, *, coverage: float = 0.9
) -> tuple[float, float]:
    """The interval of a mean; values of one source are alike, and without `sources` each value is its own source.

    It is the interval of Student's t, or that of Hall (1992), which allows for skewness, whichever reaches farther on a
    side: alone, the first covers too little of skewed values, the second of symmetric ones. From six sources on both
    together cover what they say of normal, skewed and bounded values (`tests/benchmarks/intervals.py`); a bootstrap of
    percentiles covers 0.80 at six. NaN of fewer than two sources.
    """
    from scipy import stats  # takes 0.3 s, and few modules that import this compute an interval

    given = np.arange(values.size) if sources is None else np.unique(np.array(sources), return_inverse=True)[1]
    count, mean = int(given.max(initial=-1)) + 1, float(values.mean())
    if count < 2:
        return float("nan"), float("nan")
    # what each source moves the mean by, times their number
    moved = np.bincount(given, values - mean) * count / values.size
    spread = float(moved.std(ddof=1))
    if spread <= 1e-12 * max(1.0, abs(mean)):
        return mean, mean
    reach = float(stats.t.ppf((1.0 + coverage) / 2.0, count - 1)) / np.sqrt(count)
    skew = float(np.mean(moved**3)) / spread**3
    if count > 2:
        skew *= count**2 / ((count - 1) * (count - 2))  # without bias
    low, high = (_without_skew(side, skew, count) for side in (reach, -reach))
    return mean - spread * max(reach, low), mean - spread * min(-reach, high)


def _without_skew(t: float, skew: float, count: int) -> float:
    """The studentized mean that Hall's cubic transformation takes to `t`, both as shares of the deviation."""
    if abs(skew) < 1e-6:
        return t
    return float(3.0 / skew * (np.cbrt(1.0 + skew * (t - skew / (6.0 * count))) - 1.0))


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
