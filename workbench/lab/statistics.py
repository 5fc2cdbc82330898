"""How sure a mean over material from several sources is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.recording import FloatArray


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
