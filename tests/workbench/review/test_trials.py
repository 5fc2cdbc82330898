"""Listening tests: trials, stimuli and statistics."""

from __future__ import annotations

from dataclasses import replace
from math import comb, isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.played import band, make_plan
from workbench.errors import ParameterError
from workbench.features.loudness import integrated_lufs
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.review.stimuli import EXCERPT_SECONDS, anchor_of, match_loudness, plan_excerpt, reference_of
from workbench.review.trials import (
    abx_summary,
    draw_abx,
    draw_mushra,
    draw_preference,
    is_screened_out,
    new_seed,
    preference_summary,
    rating_summary,
    smallest_detected,
)


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


SEAM_S = 20.25


@pytest.fixture(scope="module")
def piece() -> Any:
    """Five parts of four bars at 120 BPM: a bar is 2 s."""
    return band("AABAO")


@pytest.fixture(scope="module")
def plan(piece: Any) -> LoopPlan:
    """Leaves after ten bars, enters at the second bar."""
    rows = [(0.0, SEAM_S, 0.0, 0.0), (2.25, 30.0, 0.0, 0.0)]
    return make_plan(rows, [0.02], [0.5], song_duration=piece.recording.duration)


def is_track(recording: Recording, sound: Any, at_s: float) -> bool:
    """Whether sound is that of the track from a time on, to the sample next to it."""
    at = round(at_s * recording.sample_rate)
    near = [recording.samples[:, first : first + sound.shape[1]] for first in (at - 1, at, at + 1)]
    return any(np.abs(one - sound).max() < 1e-6 for one in near)


def test_the_sounds_of_a_seam_are_alike_before_it_and_differ_after_it(piece: Any, plan: LoopPlan) -> None:
    recording = piece.recording
    seam = plan_excerpt(plan, recording, plan.seam_times[0])
    reference = reference_of(plan, recording, 0)
    anchor = anchor_of(plan, recording, piece.grid, 0)
    rate = recording.sample_rate
    assert seam.samples.shape == reference.samples.shape == anchor.samples.shape == (1, round(EXCERPT_SECONDS * rate))
    middle = round(EXCERPT_SECONDS / 2 * rate)
    before, after = slice(0, middle - 441), slice(middle + 441, middle + 42_000)
    np.testing.assert_allclose(seam.samples[:, before], reference.samples[:, before], atol=1e-6)
    np.testing.assert_allclose(anchor.samples[:, before], reference.samples[:, before], atol=1e-6)
    assert is_track(recording, reference.samples[:, after], SEAM_S + 0.02)
    assert is_track(recording, anchor.samples[:, after], 2.25 + 0.5 + 0.02)  # a beat of half a second late
    assert np.abs(seam.samples[:, after] - anchor.samples[:, after]).max() > 0.05


def test_sounds_rise_and_fall_at_their_ends(piece: Any, plan: LoopPlan) -> None:
    sound = plan_excerpt(plan, piece.recording, 10.0, 3.0).samples
    assert np.abs(sound[:, :5]).max() < 1e-3
    assert np.abs(sound[:, -5:]).max() < 1e-3
    assert plan_excerpt(plan, piece.recording, 0.5, 3.0).duration == pytest.approx(2.0)
    with pytest.raises(ParameterError, match="not at 99"):
        plan_excerpt(plan, piece.recording, 99.0)


def test_all_are_as_loud_as_the_quietest(piece: Any, plan: LoopPlan) -> None:
    loud = plan_excerpt(plan, piece.recording, 10.0, 4.0)
    quiet = replace(loud, samples=loud.samples * np.float32(0.25))
    matched, gains = match_loudness({"loud": loud, "quiet": quiet})
    assert gains == pytest.approx({"loud": -12.04, "quiet": 0.0}, abs=0.01)
    levels = [integrated_lufs(sound.samples, sound.sample_rate) for sound in matched.values()]
    assert levels[0] == pytest.approx(levels[1], abs=0.05)
    silence = Recording.from_samples(np.zeros((1, 48_000), dtype=np.float32), 24_000)
    assert match_loudness({"loud": loud, "silence": silence})[1] == {"loud": 0.0, "silence": 0.0}


def test_a_step_of_level_at_the_splice_is_left_to_be_heard(piece: Any, plan: LoopPlan) -> None:
    reference = reference_of(plan, piece.recording, 0)
    stepped = reference.samples.copy()
    stepped[:, stepped.shape[1] // 2 :] *= np.float32(0.3)
    sounds = {"reference": reference, "stepped": replace(reference, samples=stepped)}
    assert match_loudness(sounds, until_s=EXCERPT_SECONDS / 2)[1] == pytest.approx(
        {"reference": 0.0, "stepped": 0.0}, abs=1e-6
    )


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
    assert (found.count, found.mean) == (4, 75.0)
    # t(0.975, 3) = 3.1824, s = 12.910, /2
    assert (found.low, found.high) == pytest.approx((75.0 - 20.543, 75.0 + 20.543), abs=1e-2)
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


@given(st.lists(st.integers(-3, 3), max_size=40))
def test_a_preference_is_a_sign_test_of_the_trials_that_decide(steps: list[int]) -> None:
    found, mirrored = preference_summary(steps), preference_summary([-step for step in steps])
    more = max(found.preferred, found.decided - found.preferred)
    tail = sum(comb(found.decided, k) for k in range(more, found.decided + 1)) / 2**found.decided
    assert found.p_value == pytest.approx(min(1.0, 2.0 * tail))
    assert (found.low, found.high) == pytest.approx((1.0 - mirrored.high, 1.0 - mirrored.low))
    assert found.decided == 0 or found.low <= found.preferred / found.decided <= found.high
    assert found.has_enough or found.p_value > 0.05, "what is too few shows nothing"


def test_six_that_prefer_one_are_the_fewest_that_show_it() -> None:
    assert not preference_summary([1] * 5 + [0] * 9).has_enough
    six = preference_summary([3, 1, 2, 1, 1, 1, 0])
    assert (six.has_enough, six.p_value, six.preferred, six.decided, six.trials) == (True, 1 / 32, 6, 6, 7)
    assert six.mean_step == pytest.approx(9 / 7)
    assert (six.low, six.high) == pytest.approx((0.025 ** (1 / 6), 1.0))  # Clopper & Pearson, all of six
    assert isnan(preference_summary([]).mean_step)


def test_each_place_is_compared_once_and_a_coin_says_which_is_a() -> None:
    trials = draw_preference("one", "two", 100, 7)
    assert sorted(trial.item for trial in trials) == list(range(100))
    assert [trial.item for trial in trials] != list(range(100))
    assert {(trial.a, trial.b) for trial in trials} == {("one", "two"), ("two", "one")}
    assert 30 <= sum(trial.a == "one" for trial in trials) <= 70
    assert trials == draw_preference("one", "two", 100, 7) != draw_preference("one", "two", 100, 8)
    with pytest.raises(ParameterError, match="twice"):
        draw_preference("one", "one", 3, 7)
    with pytest.raises(ParameterError, match="1 to 100 trials"):
        draw_preference("one", "two", 101, 7)
