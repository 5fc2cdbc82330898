"""Statistics of listening tests against values from theory and tables."""

from __future__ import annotations

from math import comb, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.review.trials import abx_summary, is_screened_out, rating_summary, smallest_detected


@given(trials=st.integers(1, 60), data=st.data())
def test_the_p_value_is_the_sum_of_the_binomial(trials: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, trials))
    found = abx_summary(right, trials)
    assert found.p_value == pytest.approx(sum(comb(trials, k) for k in range(right, trials + 1)) / 2**trials)
    assert found.low <= right / trials <= found.high


def test_known_tables_of_abx() -> None:
    assert abx_summary(12, 16).p_value == pytest.approx(0.0384, abs=1e-4)  # Clark 1982, 16 trials
    assert abx_summary(9, 10).p_value == pytest.approx(0.0107, abs=1e-4)
    found = abx_summary(8, 10)  # Clopper & Pearson, 95 %
    assert (found.low, found.high) == pytest.approx((0.4439, 0.9748), abs=1e-4)
    nothing = abx_summary(0, 0)
    assert (nothing.p_value, nothing.low, nothing.high) == (1.0, 0.0, 1.0)


def test_few_trials_leave_much_that_may_have_been_heard() -> None:
    assert smallest_detected(5, 10) > 0.6
    assert smallest_detected(50, 100) < 0.25
    assert smallest_detected(10, 10) == 1.0
    assert smallest_detected(0, 100) == 0.0


def test_ratings_have_students_interval() -> None:
    found = rating_summary([60.0, 70.0, 80.0, 90.0])
    assert (found.count, found.mean, found.median) == (4, 75.0, 75.0)
    # t(0.975, 3) = 3.1824, s = 12.910, /2
    assert (found.low, found.high) == pytest.approx((75.0 - 20.543, 75.0 + 20.543), abs=1e-2)
    assert (found.lower_quartile, found.upper_quartile) == (67.5, 82.5)
    assert rating_summary([100.0, 99.0, 100.0]).high == 100.0
    one = rating_summary([50.0])
    assert (one.mean, isnan(one.low)) == (50.0, True)
    assert isnan(rating_summary([]).mean)


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    dice = np.random.default_rng(0)
    drawn = [rating_summary(list(dice.normal(60.0, 8.0, 6))) for _ in range(1000)]
    assert np.mean([one.low <= 60.0 <= one.high for one in drawn]) == pytest.approx(0.95, abs=0.025)


def test_a_listener_who_misses_the_reference_is_screened_out() -> None:
    assert not is_screened_out([100.0] * 17 + [50.0] * 3, [10.0] * 20)
    assert is_screened_out([100.0] * 16 + [50.0] * 4, [10.0] * 20)
    assert is_screened_out([100.0] * 20, [10.0] * 16 + [95.0] * 4)
    assert not is_screened_out([], [])
