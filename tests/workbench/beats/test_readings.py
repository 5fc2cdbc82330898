"""Pulses, their evidence and levels, and the readings that give bars."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.workbench.beats.clicks import click_at
from workbench.beats._kernels import bar_pointer
from workbench.beats.candidates import FEWEST_BEATS, count_one_level, halves_of, propose
from workbench.beats.evidence import BEAT_CUES, FRACTIONS, LOW, Odds, describe_pulse
from workbench.beats.meter import (
    FEATURES,
    bar_positions_of,
    best_reading,
    local_scores,
    reading_chances,
    readings_of,
    share_near,
)
from workbench.beats.network import DIVISIONS, METRES, TEMPO_BINS, Activations
from workbench.beats.weights import weights_for
from workbench.params import BeatParams


@pytest.mark.parametrize("bpm", [80.0, 120.0])
def test_the_beats_of_a_click_are_among_the_pulses(bpm: float) -> None:
    beats = np.arange(0.5, 20.0, 60 / bpm)
    clicks = click_at(beats, np.arange(beats.size) % 4 == 0)
    params = BeatParams(activation="onsets")
    pulses, readings = propose(clicks.activation, clicks.evidence, params)
    found = [min(share_near(beats, pulse.times), share_near(pulse.times, beats)) for pulse in pulses]
    assert max(found) > 0.9
    assert set(np.unique(readings.pulse)) == set(range(len(pulses)))
    assert all(pulse.times.size >= FEWEST_BEATS for pulse in pulses)
    assert all(np.all(np.diff(pulse.times) > 0) for pulse in pulses)


def test_silence_proposes_nothing() -> None:
    clicks = click_at(np.arange(0.5, 4.0, 0.5))
    pulses, readings = propose(np.zeros(400, dtype=np.float32), clicks.evidence, BeatParams(activation="onsets"))
    assert pulses == []
    assert readings.pulse.size == 0


def test_the_last_beat_may_lie_a_whole_interval_before_the_end() -> None:
    evidence = np.zeros(60, dtype=np.float32)
    evidence[::10] = 1.0
    found = bar_pointer(evidence, 10, np.zeros(1, dtype=np.float32), 0.0, 1, 0.0)
    assert found.tolist() == [0, 10, 20, 30, 40, 50]


BEATS = np.arange(0.5, 16.5, 0.5)
ONES = np.arange(BEATS.size) % 4 == 0


def test_a_pulse_on_the_clicks_has_more_support_than_one_between_them() -> None:
    evidence = click_at(BEATS, ONES).evidence
    on, off = describe_pulse(BEATS, evidence), describe_pulse(BEATS[:-1] + 0.25, evidence)
    assert on.support > 5 * off.support
    assert on.strengths.shape == (7, BEATS.size, len(FRACTIONS))
    assert on.strengths[:5, :, 0].max(axis=0).mean() > on.strengths[:5, :, 3].max(axis=0).mean()
    assert on.network is None, "the network was not asked"


def test_a_kick_is_a_cue_for_its_beat() -> None:
    pulse = describe_pulse(BEATS, click_at(BEATS, ONES).evidence)
    low = pulse.cues[BEAT_CUES.index("low")]
    assert low[ONES].min() > low[~ONES].max()
    assert low[pulse.sounding].mean() == pytest.approx(0.0, abs=0.05)
    assert low[pulse.sounding].std() == pytest.approx(1.0, abs=0.2)
    assert pulse.strengths[LOW, ONES, 0].min() > pulse.strengths[LOW, ~ONES, 0].max()


def test_beats_a_bar_apart_are_alike() -> None:
    likeness = describe_pulse(BEATS, click_at(BEATS, ONES).evidence).likeness
    assert likeness[4] > max(likeness[3], likeness[5])
    assert likeness.max() <= 1.0 + 1e-6


def test_beats_before_the_first_and_after_the_last_sound_do_not_count() -> None:
    evidence = click_at(BEATS + 4.0, ONES).evidence
    assert evidence.begins == pytest.approx(4.43, abs=0.05)
    assert evidence.ends == pytest.approx(20.07, abs=0.05)
    pulse = describe_pulse(np.arange(0.5, 21.0, 0.5), evidence)
    assert pulse.times[pulse.sounding].tolist() == (BEATS + 4.0).tolist()


Times = NDArray[np.floating]


def played(*parts: tuple[float, int]) -> Times:
    """Beats of parts in a tempo: BPM and number of beats."""
    return 0.4 + np.concatenate(([0.0], np.cumsum(np.concatenate([np.full(n, 60.0 / bpm) for bpm, n in parts]))))


def odds_of(times: Times, seconds: float) -> Odds:
    """What a network detects that is sure of beats at these times, and of none between them."""
    curve = np.full(round(seconds * 50), -4.0, dtype=np.float32)
    curve[np.round(times * 50).astype(int)] = 3.0
    tempo, metre, division = (
        np.zeros((curve.size // 2, size), dtype=np.float32) for size in (TEMPO_BINS.size, len(METRES), len(DIVISIONS))
    )
    return Odds.of(Activations(curve, curve, tempo, metre, division, 50))


@pytest.mark.parametrize(
    ("first", "heard", "true"), [(160.0, 100.0, 200.0), (104.0, 65.0, 130.0), (150.0, 90.0, 180.0)]
)
def test_a_part_heard_at_half_its_tempo_is_counted_like_the_others(first: float, heard: float, true: float) -> None:
    counted = count_one_level(played((first, 40), (heard, 20), (first, 24)))
    assert counted == pytest.approx(played((first, 40), (true, 40), (first, 24)))


def test_a_part_heard_at_double_its_tempo_sets_the_level() -> None:
    counted = count_one_level(played((100.0, 32), (220.0, 64)))
    assert counted is not None
    assert counted == pytest.approx(played((200.0, 64), (220.0, 64)))
    halves = halves_of(counted, odds_of(counted, 60.0))
    assert halves[0] == pytest.approx(played((100.0, 32), (110.0, 32)))


@pytest.mark.parametrize(
    "parts",
    [
        ((120.0, 100),),
        ((92.0, 40), (138.0, 40)),
        ((138.0, 40), (92.0, 40), (138.0, 40)),
        ((120.0, 40), (60.0, 3), (120.0, 40)),
        ((40.0, 20), (80.0, 20), (160.0, 20), (320.0, 20)),
        ((100.0, 4),),
    ],
    ids=["steady", "three to two", "there and back", "missed beats", "too many levels", "few beats"],
)
def test_what_is_no_leap_implies_nothing(parts: tuple[tuple[float, int], ...]) -> None:
    assert count_one_level(played(*parts)) is None


def test_a_ramp_of_an_octave_is_no_leap() -> None:
    beats = 60.0 / np.geomspace(80.0, 190.0, 120)
    assert count_one_level(np.concatenate(([0.0], np.cumsum(beats)))) is None


def test_one_of_the_halves_goes_over_where_the_network_does() -> None:
    times = played((200.0, 160))
    heard = np.concatenate((times[0:80:2], times[81::2]))
    halves = halves_of(times, odds_of(heard, 60.0))
    assert halves[0] == pytest.approx(times[0::2])
    assert halves[1] == pytest.approx(times[1::2])
    assert share_near(heard, halves[2], 0.001) > 0.97
    assert share_near(halves[2], heard, 0.001) > 0.97


@given(st.lists(st.tuples(st.floats(45.0, 230.0), st.integers(2, 40)), min_size=1, max_size=5))
def test_all_beats_are_kept_and_in_order(parts: list[tuple[float, int]]) -> None:
    times = played(*parts)
    counted = count_one_level(times)
    if counted is None:
        return
    assert np.all(np.diff(counted) > 0)
    assert share_near(times, counted, 1e-6) == 1.0
    for half in halves_of(counted, odds_of(counted, float(counted[-1]) + 1.0)):
        assert np.all(np.diff(half) > 0)


PARAMS = BeatParams(activation="onsets")
MANY_BEATS = np.arange(0.5, 24.5, 0.5)


def test_every_metre_is_read_from_every_first_beat() -> None:
    pulse = describe_pulse(MANY_BEATS, click_at(MANY_BEATS).evidence)
    readings = readings_of([pulse, pulse], PARAMS)
    assert readings.features.shape == (2 * sum(METRES), len(FEATURES))
    of_first = readings.pulse == 0
    told = list(zip(readings.beats_per_bar[of_first], readings.first_position[of_first], strict=True))
    assert told == [(metre, first) for metre in METRES for first in range(1, metre + 1)]
    assert readings_of([], PARAMS).features.shape == (0, len(FEATURES))


@pytest.mark.parametrize("opens", [0, 1, 2, 3])
def test_kicks_say_which_beat_opens_the_bar(opens: int) -> None:
    evidence = click_at(MANY_BEATS, np.arange(MANY_BEATS.size) % 4 == opens).evidence
    pulse = describe_pulse(MANY_BEATS, evidence)
    readings = readings_of([pulse], PARAMS)
    chances = reading_chances(readings, weights_for("onsets"), PARAMS)
    assert chances.min() >= 0.0
    assert 0.0 < chances.sum() <= 1.0
    in_metre = np.flatnonzero(readings.beats_per_bar == 4)
    likeliest = in_metre[np.argmax(chances[in_metre])]
    assert (opens + readings.first_position[likeliest] - 1) % 4 == 0


def test_readings_with_the_same_downbeats_add_their_chances() -> None:
    pulse = describe_pulse(MANY_BEATS, click_at(MANY_BEATS).evidence)
    readings = readings_of([pulse, pulse], PARAMS)
    chances = np.zeros(readings.pulse.size)
    once = np.flatnonzero((readings.beats_per_bar == 3) & (readings.first_position == 1) & (readings.pulse == 0))
    twice = np.flatnonzero((readings.beats_per_bar == 4) & (readings.first_position == 2))
    chances[once], chances[twice] = 0.4, 0.3
    best, agreed = best_reading([pulse, pulse], readings, chances)
    assert best in twice
    assert agreed == pytest.approx(0.6)


def test_doubt_about_the_first_beat_of_a_bar_of_four_does_not_halve_the_bar() -> None:
    pulse = describe_pulse(MANY_BEATS, click_at(MANY_BEATS).evidence)
    readings = readings_of([pulse], PARAMS)
    chances = np.zeros(readings.pulse.size)
    for metre, first, chance in ((2, 1, 0.35), (4, 1, 0.2), (4, 3, 0.3)):
        chances[(readings.beats_per_bar == metre) & (readings.first_position == first)] = chance
    best, agreed = best_reading([pulse], readings, chances)
    assert (readings.beats_per_bar[best], readings.first_position[best]) == (4, 3)
    assert agreed == pytest.approx(0.3)


def test_beats_on_the_clicks_score_more_than_beats_between_them() -> None:
    evidence = click_at(MANY_BEATS).evidence
    on, off = (
        local_scores(describe_pulse(times, evidence), evidence, weights_for("onsets"), PARAMS)
        for times in (MANY_BEATS, MANY_BEATS[:-1] + 0.25)
    )
    assert on.shape == MANY_BEATS.shape
    assert on.mean() > off.mean()


def test_share_near_counts_times_that_have_another_within_reach() -> None:
    assert share_near(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.05, 2.5, 3.93])) == pytest.approx(0.5)
    assert share_near(np.array([4.0]), np.array([3.93]), 0.08) == 1.0
    assert share_near(np.array([]), np.array([1.0])) == share_near(np.array([1.0]), np.array([])) == 0.0


EARLY_BEATS = np.arange(0.5, 20.5, 0.5)


@pytest.mark.parametrize(("metre", "first"), [(2, 1), (3, 3), (4, 1), (4, 2), (5, 4), (7, 6)])
def test_alike_beats_are_counted_as_they_were_read(metre: int, first: int) -> None:
    pulse = describe_pulse(EARLY_BEATS, click_at(EARLY_BEATS).evidence)
    readings = readings_of([pulse], PARAMS)
    (best,) = np.flatnonzero((readings.beats_per_bar == metre) & (readings.first_position == first))
    positions = bar_positions_of(pulse, readings, int(best), weights_for("onsets"))
    np.testing.assert_array_equal(positions, (np.arange(EARLY_BEATS.size) + first - 1) % metre + 1)


def test_kicks_on_the_ones_keep_the_count() -> None:
    ones = np.arange(EARLY_BEATS.size) % 4 == 1
    pulse = describe_pulse(EARLY_BEATS, click_at(EARLY_BEATS, ones).evidence)
    readings = readings_of([pulse], PARAMS)
    (best,) = np.flatnonzero((readings.beats_per_bar == 4) & (readings.first_position == 4))
    positions = bar_positions_of(pulse, readings, int(best), weights_for("onsets"))
    np.testing.assert_array_equal(positions == 1, ones)
