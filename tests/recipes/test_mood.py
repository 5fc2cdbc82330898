"""The regression that says how driving and how cheerful a recording is, on clues and labels that are known."""

from __future__ import annotations

import numpy as np
import pytest

from data.recipes.fitting.mood import ENERGY_SIGNS, OWN, OWN_SHARE, VALENCE_SIGNS, fitted, left_out
from workbench.files import read_numbers
from workbench.params.matching import MatchModel

DICE = np.random.default_rng(5)
CLUES = DICE.normal(size=(300, 3))
GROUPS = np.repeat(["a", "b", "c"], (200, 80, 20))
LABELS = 0.5 + 0.2 * CLUES[:, 0] - 0.1 * CLUES[:, 1]


def test_what_is_linear_is_found_and_shrunk_a_little() -> None:
    usual, weights, means, spreads = fitted(CLUES, LABELS, GROUPS, (1.0, -1.0, 1.0))
    assert usual == pytest.approx(0.5, abs=0.05)
    assert 0.12 < weights[0] < 0.2
    assert -0.1 < weights[1] < -0.05
    assert weights[2] == pytest.approx(0.0, abs=0.02)
    np.testing.assert_allclose(means, CLUES.mean(axis=0))
    np.testing.assert_allclose(spreads, CLUES.std(axis=0))


def test_a_clue_never_says_the_opposite_of_what_it_may_say() -> None:
    _, weights, _, _ = fitted(CLUES, LABELS, GROUPS, (-1.0, -1.0, 1.0))
    assert weights[0] == pytest.approx(0.0, abs=1e-3)


def test_a_source_is_told_by_the_others_alone() -> None:
    said = left_out(CLUES, LABELS, GROUPS, (1.0, -1.0, 1.0))
    assert np.corrcoef(said, LABELS)[0, 1] > 0.95
    other = LABELS.copy()
    other[GROUPS == "c"] = 99.0
    np.testing.assert_array_equal(left_out(CLUES, other, GROUPS, (1.0, -1.0, 1.0))[-20:], said[-20:])


def test_the_bundled_songs_have_their_share_of_the_say() -> None:
    groups = np.array([OWN] * 10 + ["a"] * 40)
    clue = np.tile([-1.0, 1.0], 25)[:, None]
    usual, weights, _, _ = fitted(clue, np.where(groups == OWN, 0.9, 0.1), groups, (1.0,))
    assert usual == pytest.approx(0.1 + 0.8 * OWN_SHARE)
    assert weights[0] == pytest.approx(0.0, abs=1e-6)


def test_the_model_that_ships_has_the_clues_and_signs_of_the_fit() -> None:
    shipped = read_numbers("mood.json")
    clues = shipped["energy"]["clues"]
    assert list(clues) == list(ENERGY_SIGNS)
    assert all(clues[name]["weight"] * sign >= 0.0 for name, sign in ENERGY_SIGNS.items())
    middle, *weights = MatchModel().valence_of_key
    assert len(weights) == len(VALENCE_SIGNS)
    assert min(weights) >= 0.0
    assert [middle, *weights] == shipped["valence"]
