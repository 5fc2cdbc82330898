"""Which reading wins: that with the kicks on its ones, with chances that add up to one with no pulse at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.beats.evidence import describe_pulse
from workbench.beats.meter import FEATURES, best_reading, local_scores, reading_chances, readings_of, share_near
from workbench.beats.network import METRES
from workbench.beats.weights import weights_for
from workbench.params import BeatParams

PARAMS = BeatParams(activation="onsets")
BEATS = np.arange(0.5, 24.5, 0.5)


def test_every_metre_is_read_from_every_first_beat(clicked: Callable[..., Any]) -> None:
    pulse = describe_pulse(BEATS, clicked(BEATS).evidence)
    readings = readings_of([pulse, pulse], PARAMS)
    assert readings.features.shape == (2 * sum(METRES), len(FEATURES))
    of_first = readings.pulse == 0
    told = list(zip(readings.beats_per_bar[of_first], readings.first_position[of_first], strict=True))
    assert told == [(metre, first) for metre in METRES for first in range(1, metre + 1)]
    assert readings_of([], PARAMS).features.shape == (0, len(FEATURES))


@pytest.mark.parametrize("opens", [0, 1, 2, 3])
def test_kicks_say_which_beat_opens_the_bar(opens: int, clicked: Callable[..., Any]) -> None:
    evidence = clicked(BEATS, np.arange(BEATS.size) % 4 == opens).evidence
    pulse = describe_pulse(BEATS, evidence)
    readings = readings_of([pulse], PARAMS)
    chances = reading_chances(readings, weights_for("onsets"), PARAMS)
    assert chances.min() >= 0.0
    assert 0.0 < chances.sum() <= 1.0
    in_metre = np.flatnonzero(readings.beats_per_bar == 4)
    likeliest = in_metre[np.argmax(chances[in_metre])]
    assert (opens + readings.first_position[likeliest] - 1) % 4 == 0


def test_readings_with_the_same_downbeats_add_their_chances(clicked: Callable[..., Any]) -> None:
    pulse = describe_pulse(BEATS, clicked(BEATS).evidence)
    readings = readings_of([pulse, pulse], PARAMS)
    chances = np.zeros(readings.pulse.size)
    once = np.flatnonzero((readings.beats_per_bar == 3) & (readings.first_position == 1) & (readings.pulse == 0))
    twice = np.flatnonzero((readings.beats_per_bar == 4) & (readings.first_position == 2))
    chances[once], chances[twice] = 0.4, 0.3
    best, agreed = best_reading([pulse, pulse], readings, chances)
    assert best in twice
    assert agreed == pytest.approx(0.6)


def test_doubt_about_the_first_beat_of_a_bar_of_four_does_not_halve_the_bar(clicked: Callable[..., Any]) -> None:
    pulse = describe_pulse(BEATS, clicked(BEATS).evidence)
    readings = readings_of([pulse], PARAMS)
    chances = np.zeros(readings.pulse.size)
    for metre, first, chance in ((2, 1, 0.35), (4, 1, 0.2), (4, 3, 0.3)):
        chances[(readings.beats_per_bar == metre) & (readings.first_position == first)] = chance
    best, agreed = best_reading([pulse], readings, chances)
    assert (readings.beats_per_bar[best], readings.first_position[best]) == (4, 3)
    assert agreed == pytest.approx(0.3)


def test_beats_on_the_clicks_score_more_than_beats_between_them(clicked: Callable[..., Any]) -> None:
    evidence = clicked(BEATS).evidence
    on, off = (
        local_scores(describe_pulse(times, evidence), evidence, weights_for("onsets"), PARAMS)
        for times in (BEATS, BEATS[:-1] + 0.25)
    )
    assert on.shape == BEATS.shape
    assert on.mean() > off.mean()


def test_share_near_counts_times_that_have_another_within_reach() -> None:
    assert share_near(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.05, 2.5, 3.93])) == pytest.approx(0.5)
    assert share_near(np.array([4.0]), np.array([3.93]), 0.08) == 1.0
    assert share_near(np.array([]), np.array([1.0])) == share_near(np.array([1.0]), np.array([])) == 0.0
