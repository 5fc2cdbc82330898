"""Tempo: one that stays, one that leaps, and beats laid straight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.workbench.beats.clicks import click_at
from workbench.beats.constant_tempo import MIN_STEADY_BEATS, joined_grid, slips_of, steady_beats, straight_grid
from workbench.beats.evidence import Odds, describe_pulse
from workbench.beats.meter import share_near
from workbench.beats.network import DIVISIONS, METRES, TEMPO_BINS, Activations
from workbench.beats.tempo import MOST_CANDIDATES, beat_activation, tempo_candidates
from workbench.beats.tempo_changes import follow_changes, tempo_stretches
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.params import BeatParams

FRAMES = 100


@pytest.mark.parametrize("bpm", [72.0, 100.0, 120.0, 150.0])
def test_the_period_of_a_click_comes_first_and_its_double_and_half_are_tried(bpm: float) -> None:
    activation = np.zeros(30 * FRAMES, dtype=np.float32)
    activation[np.rint(np.arange(0.5, 29.5, 60 / bpm) * FRAMES).astype(int)] = 1.0
    periods = tempo_candidates(activation, FRAMES, BeatParams())
    period = 60 * FRAMES / bpm
    assert np.abs(np.log2(periods / period)).min() < 0.02
    assert abs(np.log2(periods[0] / period)) % 1 == pytest.approx(0.0, abs=0.02)
    for ratio in (2.0, 0.5):
        if BeatParams().min_bpm <= bpm / ratio <= BeatParams().max_bpm:
            assert np.abs(np.log2(periods / (ratio * period))).min() < 0.05
    assert periods.size <= MOST_CANDIDATES


def test_no_tempo_outside_the_range_is_tried() -> None:
    activation = np.zeros(30 * FRAMES, dtype=np.float32)
    activation[np.rint(np.arange(0.5, 29.5, 60 / 100) * FRAMES).astype(int)] = 1.0
    periods = tempo_candidates(activation, FRAMES, BeatParams(min_bpm=80.0, max_bpm=160.0))
    bpm = 60 * FRAMES / periods
    assert bpm[0] == pytest.approx(100.0, rel=0.01)
    assert bpm.min() >= 80.0
    assert bpm.max() <= 160.0


def test_silence_and_a_scrap_of_sound_support_no_tempo() -> None:
    assert tempo_candidates(np.zeros(3000, dtype=np.float32), FRAMES, BeatParams()).size == 0
    assert tempo_candidates(np.ones(50, dtype=np.float32), FRAMES, BeatParams()).size == 0


def test_activation_is_highest_where_something_strikes() -> None:
    times = np.arange(0.5, 8.0, 0.5)
    activation = click_at(times).activation
    assert activation.min() >= 0.0
    assert activation.max() <= 1.0
    on = activation[np.rint(times * FRAMES).astype(int)]
    between = activation[np.rint((times[:-1] + 0.25) * FRAMES).astype(int)]
    assert on.min() > 5 * between.max()


def test_no_sound_has_no_activation() -> None:
    onsets = detect_onsets(analyze_spectrum(np.zeros(0, dtype=np.float32), 44_100))
    assert beat_activation(onsets).size == 0


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


SECONDS = 90.0
Times = NDArray[np.float64]


def odds_of(times: Times) -> Odds:
    """What a network detects that is sure of beats at these times."""
    curve = np.full(round(SECONDS * 50), -4.0, dtype=np.float32)
    curve[np.round(times * 50).astype(int)] = 3.0
    pairs = curve.size // 2
    tempo, metre, division = (
        np.zeros((pairs, size), dtype=np.float32) for size in (TEMPO_BINS.size, len(METRES), len(DIVISIONS))
    )
    return Odds.of(Activations(curve, curve, tempo, metre, division, 50))


def slipped(bpm: float, first: float, last: float) -> Times:
    """A steady path that is half a beat late between two times."""
    beat = 60.0 / bpm
    path = np.arange(0.4, SECONDS - 1.0, beat)
    late = path + 0.5 * beat
    return np.concatenate((path[path < first], late[(late >= first + beat) & (late < last)], path[path >= last]))


@pytest.mark.parametrize("bpm", [68.0, 97.3, 126.0, 171.0])
def test_a_slipped_path_implies_the_straight_grid(bpm: float) -> None:
    path = slipped(bpm, 20.0, 38.0)
    grid = straight_grid(path, odds_of(path))
    assert grid is not None
    wanted = np.arange(0.4, SECONDS - 1.0, 60.0 / bpm)
    assert share_near(wanted, grid, 0.02) == 1.0
    assert joined_grid(path, odds_of(path)) is None
    assert slips_of(path) == 2
    assert slips_of(grid) == 0


def test_a_step_of_tempo_gives_a_line_for_each_tempo_and_none_for_all() -> None:
    path = np.concatenate((np.arange(0.4, 40.0, 0.5), np.arange(40.4, SECONDS - 1.0, 0.42)))
    joined = joined_grid(path, odds_of(path))
    assert straight_grid(path, odds_of(path)) is None
    assert joined is not None
    assert share_near(path, joined, 0.02) > 0.97
    assert np.all(np.diff(joined) > 0.25)
    assert slips_of(path) == 0


def test_a_path_without_a_tempo_implies_nothing() -> None:
    path = np.cumsum(np.random.default_rng(3).uniform(0.3, 0.9, 100))
    path = path[path < SECONDS]
    for times in (path, path[:3]):
        assert straight_grid(times, odds_of(times)) is None
        assert joined_grid(times, odds_of(times)) is None


PARAMS = BeatParams(activation="onsets")
SLOW, FAST = 60 / 84, 60 / 126


@pytest.fixture(scope="module")
def leaping() -> tuple[np.ndarray, Any]:
    """24 beats at 84 BPM, then 40 at 126, with a kick on each one."""
    slow = 0.5 + SLOW * np.arange(24)
    fast = 0.5 + SLOW * 24 + FAST * np.arange(40)
    times = np.concatenate([slow, fast])
    return times, click_at(times, np.arange(times.size) % 4 == 0).evidence


def test_a_leap_is_found_where_it_is(leaping: tuple[np.ndarray, Any]) -> None:
    times, evidence = leaping
    starts = 0.5 + SLOW * 24
    pulses = [
        describe_pulse(np.arange(0.5, times[-1] + 0.1, SLOW), evidence),
        describe_pulse(np.arange(starts % FAST, times[-1] + 0.1, FAST), evidence),
    ]
    stretches = tempo_stretches(pulses, evidence, PARAMS)
    assert [index for _, _, index in stretches] == [0, 1]
    assert stretches[0][1] == stretches[1][0] == pytest.approx(starts, abs=3.0)
    changed = follow_changes(pulses, 0, evidence, PARAMS)
    assert changed is not None
    assert np.all(np.diff(changed.times) > 0)
    assert min(share_near(times, changed.times), share_near(changed.times, times)) > 0.9
    assert 0.0 < changed.confidence <= 1.0


def test_one_tempo_is_left_alone() -> None:
    beats = np.arange(0.5, 30.5, 0.5)
    evidence = click_at(beats, np.arange(beats.size) % 4 == 0).evidence
    pulses = [describe_pulse(beats, evidence), describe_pulse(np.arange(0.5, 30.5, 0.4), evidence)]
    assert follow_changes(pulses, 0, evidence, PARAMS) is None


def test_no_pulse_has_no_stretches(leaping: tuple[np.ndarray, Any]) -> None:
    assert tempo_stretches([], leaping[1], PARAMS) == []
