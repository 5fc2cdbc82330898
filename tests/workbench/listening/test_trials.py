"""The hidden order: fair, independent, the same for a seed."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.review.trials import abx_summary, draw_abx, draw_mushra, new_seed


def test_a_seed_gives_the_same_order_and_another_one_another() -> None:
    assert draw_abx("old", "new", 20, 7) == draw_abx("old", "new", 20, 7) != draw_abx("old", "new", 20, 8)
    assert (
        draw_mushra(8, ("r", "s", "a"), 7) == draw_mushra(8, ("r", "s", "a"), 7) != draw_mushra(8, ("r", "s", "a"), 8)
    )
    assert len({new_seed() for _ in range(50)}) == 50
    assert 0 <= new_seed() < 2**53


def test_x_is_a_fair_coin_that_nothing_else_tells() -> None:
    trials = [trial for seed in range(100) for trial in draw_abx("old", "new", 40, seed)]
    is_a = np.array([trial.right == "A" for trial in trials])
    old_is_a = np.array([trial.a == "old" for trial in trials])
    again = is_a[1:] == is_a[:-1]
    for coin in (is_a, old_is_a, is_a == old_is_a, again):
        assert abs(coin.mean() - 0.5) < 4 * 0.5 / np.sqrt(coin.size)  # four standard deviations
    assert all({trial.a, trial.b} == {"old", "new"} and trial.x in (trial.a, trial.b) for trial in trials)


def test_somebody_who_guesses_is_seldom_significant() -> None:
    dice = np.random.default_rng(1)
    found = [
        abx_summary(sum(trial.right == "AB"[dice.integers(2)] for trial in draw_abx("a", "b", 12, seed)), 12).p_value
        for seed in range(400)
    ]
    assert np.mean(np.array(found) < 0.05) < 0.05


def test_every_item_is_rated_once_under_every_condition_in_any_order() -> None:
    names = ("reference", "seam", "anchor")
    trials = draw_mushra(60, names, 3)
    assert sorted(trial.item for trial in trials) == list(range(60))
    assert [trial.item for trial in trials] != list(range(60))
    assert all(sorted(trial.hidden) == sorted(names) and trial.letters == "ABC" for trial in trials)
    first = [sum(trial.hidden[0] == name for trial in trials) for name in names]
    assert min(first) > 8


def test_what_cannot_be_compared_is_refused() -> None:
    for trials in (0, 101):
        with pytest.raises(ParameterError, match="1 to 100"):
            draw_abx("a", "b", trials, 0)
        with pytest.raises(ParameterError, match="1 to 100"):
            draw_mushra(trials, ("a", "b"), 0)
    with pytest.raises(ParameterError, match="twice"):
        draw_abx("a", "a", 5, 0)
    for conditions in (("a",), ("a", "b", "a"), tuple("abcdefghijklm")):
        with pytest.raises(ParameterError, match="2 to 12 different"):
            draw_mushra(5, conditions, 0)
