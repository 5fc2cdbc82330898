"""Whether intervals cover what they say, and how often one of two equal options is called better.

python -m tests.benchmarks.run intervals
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tests.benchmarks.table import Table
from workbench.lab.statistics import mean_interval

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

DRAWS = 4000
SIZES = (6, 8, 12)
KINDS: Mapping[str, tuple[Draw, float]] = {
    "normal": (lambda dice, n: dice.normal(0.0, 1.0, n), 0.0),
    "exponential": (lambda dice, n: dice.exponential(1.0, n), 1.0),
    "gamma": (lambda dice, n: dice.gamma(2.0, 1.0, n), 2.0),
    "beta": (lambda dice, n: dice.beta(0.5, 1.5, n), 0.25),
    "uniform": (lambda dice, n: dice.uniform(0.0, 1.0, n), 0.5),
    "scores apart": (lambda dice, n: dice.beta(5.0, 1.0, n) - dice.beta(5.0, 1.0, n), 0.0),
}
"""by name: how values are drawn, and their true mean"""


def run() -> list[Table]:
    """Coverage of nominal 90 %, beside Student's t alone."""
    table = Table("coverage of intervals", ("values", "n", "covered", "Student's t"))
    for name, (draw, mean) in KINDS.items():
        for size in SIZES:
            dice = np.random.default_rng(size)
            covered = student = 0
            for _ in range(DRAWS):
                values = draw(dice, size)
                low, high = mean_interval(values)
                covered += low <= mean <= high
                reach = stats.t.ppf(0.95, size - 1) * values.std(ddof=1) / np.sqrt(size)
                student += abs(values.mean() - mean) <= reach
            table.add(name, size, covered / DRAWS, student / DRAWS)
    table.notes.append(
        f"{DRAWS} draws of n values; nominal 0.9. What is not covered is also how often one of two equal options is "
        "called better, where their differences are such values less their mean."
    )
    return [table]
