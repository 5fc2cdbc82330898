"""The curve from raw scores to what they promise, on scores and grades that are known."""

from __future__ import annotations

import numpy as np
import pytest

from data.recipes.fitting.match_scores import left_out, promised_wrong
from workbench.files import read_numbers
from workbench.matching.video_ranking import scores_of
from workbench.params import MatchParams

DICE = np.random.default_rng(3)
RAW = DICE.uniform(0.2, 0.9, (30, 200))
TAKEN = 1.0 / (1.0 + np.exp(-(-6.0 + 9.0 * RAW)))
GROUPS = np.repeat(["a", "b", "c"], 10)


def test_what_is_a_curve_is_found_without_the_source_itself() -> None:
    np.testing.assert_allclose(left_out(RAW, TAKEN, GROUPS), TAKEN, atol=0.01)
    other = TAKEN.copy()
    other[GROUPS == "c"] = 1.0
    np.testing.assert_array_equal(left_out(RAW, other, GROUPS)[20:], left_out(RAW, TAKEN, GROUPS)[20:])


def test_promises_are_held_against_shares() -> None:
    assert promised_wrong(TAKEN, TAKEN) == 0.0
    assert promised_wrong(np.full(10, 0.9), np.full(10, 0.5)) == pytest.approx(0.4)
    # Within a tenth, what is too much here and too little there is right on the whole.
    assert promised_wrong(np.array([0.42, 0.48]), np.array([0.48, 0.42])) == pytest.approx(0.0)
    assert promised_wrong(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(1.0)


def test_the_curve_that_ships_rises_and_is_the_one_of_match() -> None:
    shipped, params = read_numbers("match_scores.json"), MatchParams()
    assert (params.model.calibration_offset, params.model.calibration_slope) == (shipped["offset"], shipped["slope"])
    assert np.all(np.diff(scores_of(np.linspace(0.0, 1.0, 11), params)) > 0.0)
