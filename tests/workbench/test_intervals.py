"""Intervals of means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from workbench.lab.statistics import mean_interval


def test_an_interval_holds_the_mean_and_shrinks_with_more_values() -> None:
    dice = np.random.default_rng(3)
    few, many = dice.normal(1.0, 1.0, 20), dice.normal(1.0, 1.0, 500)
    low, high = mean_interval(few)
    assert low < few.mean() < high
    narrow = mean_interval(many)
    assert narrow[1] - narrow[0] < 0.5 * (high - low)
    assert mean_interval(np.full(5, 0.25)) == (0.25, 0.25)
    assert np.isnan(mean_interval(few[:1])).all()
    assert np.isnan(mean_interval(few, ["one"] * 20)).all()


def test_an_interval_is_students_where_nothing_is_skewed_and_reaches_farther_on_a_long_side() -> None:
    values = np.array([-3.0, -1.0, -1.0, 1.0, 1.0, 3.0])
    reach = stats.t.ppf(0.95, 5) * values.std(ddof=1) / np.sqrt(6)
    assert mean_interval(values) == pytest.approx((-reach, reach))
    skewed = np.array([0.0, 0.1, 0.1, 0.2, 0.3, 2.0])
    low, high = mean_interval(skewed)
    assert high - skewed.mean() > 1.3 * (skewed.mean() - low)
    mirrored = mean_interval(-skewed)
    assert mirrored == pytest.approx((-high, -low))


@pytest.mark.parametrize("size", [6, 12])
@pytest.mark.parametrize("kind", ["normal", "exponential", "beta"])
def test_nine_in_ten_intervals_of_a_few_values_hold_the_true_mean(kind: str, size: int) -> None:
    dice = np.random.default_rng(size)
    drawn = {
        "normal": dice.normal(0.0, 1.0, (1500, size)),
        "exponential": dice.exponential(1.0, (1500, size)),
        "beta": dice.beta(0.5, 1.5, (1500, size)),
    }
    mean = {"normal": 0.0, "exponential": 1.0, "beta": 0.25}[kind]
    intervals = [mean_interval(values) for values in drawn[kind]]
    assert np.mean([low <= mean <= high for low, high in intervals]) >= 0.88


def test_values_of_one_source_do_not_count_as_many() -> None:
    values = np.repeat([0.0, 1.0, 0.0, 1.0], 25)
    apart = mean_interval(values, [str(k) for k in range(100)])
    together = mean_interval(values, [str(k // 25) for k in range(100)])
    assert together[1] - together[0] > 2.0 * (apart[1] - apart[0])
