from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.workbench.played import band
from workbench.params import SeamParams
from workbench.seams.splice_fit import REACH_SECONDS, fit_splices, line_sounds

RATE = 44_100


def fit(sound: np.ndarray, lines: np.ndarray, leave: int, enter: int) -> Any:
    return fit_splices(line_sounds(sound.astype(np.float32), RATE, lines), lines, np.array([leave]), np.array([enter]))


@pytest.mark.parametrize("shift_ms", [-7.0, -2.5, 0.0, 0.4, 6.0])
def test_a_planted_shift_is_found_to_a_tenth_of_a_millisecond(shift_ms: float) -> None:
    bar = np.random.default_rng(1).standard_normal(2 * RATE) * 0.1
    lines = np.array([1.0, 4.0])
    sound = np.zeros(6 * RATE)
    sound[: 2 * RATE] = bar
    second = round((3.0 + shift_ms / 1000) * RATE)
    sound[second : second + 2 * RATE] = bar
    fitted = fit(sound, lines, 1, 0)
    lag_ms = 1000 * ((fitted.song_from[0] - lines[0]) - (fitted.song_to[0] - lines[1]))
    assert lag_ms == pytest.approx(-shift_ms, abs=0.1)
    assert fitted.correlation[0] > 0.97
    assert fitted.exponent[0] > 0.98
    assert abs(fitted.song_to[0] - lines[1]) <= 0.01
    assert abs(fitted.song_from[0] - lines[0]) <= 0.01


def test_the_gain_law_follows_the_correlation() -> None:
    rng = np.random.default_rng(2)
    common, own_a, own_b = rng.standard_normal((3, 2 * RATE))
    lines = np.array([1.0, 3.0])
    for share in (0.0, 0.5, 1.0):
        a, b = (np.sqrt(share) * common + np.sqrt(1 - share) * own for own in (own_a, own_b))
        fitted = fit(0.1 * np.concatenate((a, b)), lines, 1, 0)
        r = max(fitted.correlation[0], 0.0)
        assert r == pytest.approx(share, abs=0.06)
        halfway = 0.5 ** fitted.exponent[0]
        assert 2 * halfway**2 * (1 + r) == pytest.approx(1.0, abs=1e-6)


def drums(onsets: list[float], seconds: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    sound = 1e-4 * rng.standard_normal(round(seconds * RATE))
    for onset in onsets:
        at = round(onset * RATE)
        hit = rng.standard_normal(4000) * np.exp(-np.arange(4000) / 900)
        sound[at : at + 4000] += 0.2 * hit[: sound.size - at]
    return sound


def test_unlike_drums_cross_over_before_the_attack_so_that_one_attack_is_heard() -> None:
    sound = drums([0.5, 1.0, 1.125, 1.25, 2.5, 3.0, 3.125, 3.25], 4.0, 5)
    lines = np.array([1.0, 3.0])
    fitted = fit(sound, lines, 1, 0)
    end_of_fade = fitted.song_to[0] - lines[1] + fitted.fade_seconds[0] / 2
    assert -0.01 <= end_of_fade <= 0.002
    assert 0.005 <= fitted.fade_seconds[0] <= 0.02
    assert fitted.exponent[0] < 0.7
    lag = (fitted.song_from[0] - lines[0]) - (fitted.song_to[0] - lines[1])
    assert abs(lag) <= 0.002  # both attacks are on the line


def test_a_fade_without_attacks_is_slow_but_stops_at_the_next_onset() -> None:
    rng = np.random.default_rng(6)
    smooth = np.convolve(rng.standard_normal(4 * RATE), np.hanning(300), "same") * 0.01
    lines = np.array([1.0, 3.0])
    alone = fit(smooth, lines, 1, 0)
    assert alone.fade_seconds[0] > 0.1
    struck = smooth.copy()
    at = round(3.06 * RATE)
    struck[at : at + 2000] += 0.3 * rng.standard_normal(2000)
    fitted = fit(struck, lines, 1, 0)
    assert fitted.song_to[0] - lines[1] + fitted.fade_seconds[0] / 2 <= 0.062


def test_every_fit_keeps_the_rules_of_the_grid() -> None:
    track = band("ABAC", human_seconds=0.012, seed=8)
    lines = track.grid.downbeats
    sounds = line_sounds(track.recording.mono(), track.recording.sample_rate, lines)
    leave, enter = (np.ravel(side) for side in np.meshgrid(np.arange(1, 16), np.arange(16)))
    fitted = fit_splices(sounds, lines, leave, enter)
    out, into = fitted.song_to - lines[leave], fitted.song_from - lines[enter]
    assert np.abs(out).max() < 0.01
    assert np.abs(into).max() < 0.01
    assert np.abs(into - out).max() < 0.01  # the beat across the splice is as long as written
    assert fitted.fade_seconds.min() >= 0.005
    assert fitted.fade_seconds.max() <= min(SeamParams().unlike_fade_seconds, 2 * REACH_SECONDS)
    assert fitted.exponent.min() >= 0.5
    assert fitted.exponent.max() <= 1.0


def test_an_exact_repeat_played_by_its_fit_nulls_against_the_track() -> None:
    track = band("ABAB")
    rate, mono = track.recording.sample_rate, track.recording.mono().astype(np.float64)
    lines = track.grid.downbeats
    fitted = fit_splices(line_sounds(track.recording.mono(), rate, lines), lines, np.array([10]), np.array([2]))
    n, fade, p = round(0.5 * rate), fitted.fade_seconds[0], fitted.exponent[0]
    out_at, in_at = round(fitted.song_to[0] * rate), round(fitted.song_from[0] * rate)
    left, right = mono[out_at - n : out_at + n], mono[in_at - n : in_at + n]
    x = np.clip((np.arange(-n, n) / rate + fade / 2) / fade, 0, 1)
    heard = left * (1 - x) ** p + right * x**p
    assert np.mean((heard - left) ** 2) < 1e-6 * np.mean(left**2)
