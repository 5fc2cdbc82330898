"""Intervals of means, and the F-measure against the field's reference implementation."""

from __future__ import annotations

import mir_eval
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lab.statistics import bootstrap_interval, f_measure

TIMES = st.lists(st.integers(0, 2000), max_size=30, unique=True).map(lambda ms: np.sort(np.array(ms)) / 100.0)


def test_an_interval_holds_the_mean_and_shrinks_with_more_values() -> None:
    dice = np.random.default_rng(3)
    few, many = dice.normal(1.0, 1.0, 20), dice.normal(1.0, 1.0, 500)
    low, high = bootstrap_interval(few)
    assert low < few.mean() < high
    narrow = bootstrap_interval(many)
    assert narrow[1] - narrow[0] < 0.5 * (high - low)
    assert bootstrap_interval(few) == (low, high)
    assert bootstrap_interval(np.full(5, 0.25)) == (0.25, 0.25)


def test_values_of_one_source_do_not_count_as_many() -> None:
    values = np.repeat([0.0, 1.0, 0.0, 1.0], 25)
    apart = bootstrap_interval(values, [str(k) for k in range(100)])
    together = bootstrap_interval(values, [str(k // 25) for k in range(100)])
    assert together[1] - together[0] > 2.0 * (apart[1] - apart[0])


@given(TIMES, TIMES)
def test_f_measure_is_the_fields(true: np.ndarray, found: np.ndarray) -> None:
    if true.size and found.size:
        hits = len(mir_eval.util.match_events(true, found, 0.07))
        assert f_measure(true, found, 0.07) == pytest.approx(2.0 * hits / (true.size + found.size))
    else:
        assert f_measure(true, found) == float(true.size == found.size)
