"""Beats on straight lines where the tempo is steady, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.beats.constant_tempo import MIN_STEADY_BEATS, steady_beats

JITTER = 0.003
"""s; deviation of the found beats from the played ones"""


def found(played: np.ndarray) -> np.ndarray:
    return played + np.random.default_rng(4).normal(0.0, JITTER, played.size)


def error(played: np.ndarray) -> float:
    """Median distance in s of the beats that are given from those that were played."""
    times = found(played)
    return float(np.median(np.abs(steady_beats(times, np.ones(times.size)) - played)))


def test_a_click_is_met_far_better_than_by_single_beats() -> None:
    assert error(1.0 + 0.5 * np.arange(120)) < 0.2 * JITTER


def test_a_change_of_tempo_stays_where_it_is() -> None:
    played = np.concatenate((0.5 * np.arange(60), 30.0 + 0.4 * np.arange(60)))
    assert error(played) < 0.3 * JITTER


@pytest.mark.parametrize("percent", [1.0, 2.0, 4.0])
def test_a_tempo_that_drifts_is_not_drawn_straight(percent: float) -> None:
    beats = np.arange(160)
    played = np.cumsum(0.5 * (1.0 + percent / 100.0 * np.sin(2 * np.pi * beats / 40.0)))
    assert error(played) < JITTER


def test_too_few_beats_keep_their_place() -> None:
    times = found(0.5 * np.arange(MIN_STEADY_BEATS - 1))
    assert np.array_equal(steady_beats(times, np.ones(times.size)), times)
