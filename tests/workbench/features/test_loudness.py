"""Loudness by BS.1770, and energy."""

from __future__ import annotations

import numpy as np
import pyloudnorm
import pytest
import soxr
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.features.loudness import (
    FLOOR_LUFS,
    integrated_lufs,
    k_weighting,
    loudness_between,
    momentary,
    short_term,
    sounding_range,
    stretch_lufs,
    true_peak_db,
)


def sine(frequency: float, level_dbfs: float, seconds: float, rate: int = 48_000) -> NDArray[np.float64]:
    return 10 ** (level_dbfs / 20) * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


def stereo(*pieces: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.tile(np.concatenate(pieces), (2, 1))


def test_coefficients_are_those_of_the_standard_at_48_khz() -> None:
    """ITU-R BS.1770-5, tables 1 and 2; the gain of the high-pass is 1 there and here."""
    shelf, high_pass = k_weighting(48_000)
    assert shelf == pytest.approx(
        [1.53512485958697, -2.69169618940638, 1.19839281085285, 1.0, -1.69065929318241, 0.73248077421585], abs=1e-7
    )
    assert high_pass == pytest.approx([1.0, -2.0, 1.0, 1.0, -1.99004745483398, 0.99007225036621], abs=1e-7)


@pytest.mark.parametrize("rate", [22_050, 32_000, 44_100, 48_000, 96_000])
def test_a_full_scale_997_hz_sine_in_one_channel_reads_minus_3_01(rate: int) -> None:
    """The calibration of BS.1770-5, annex 1; the bilinear transform bends the curve a little off 48 kHz."""
    tolerance = 0.005 if rate == 48_000 else 0.035
    assert integrated_lufs(sine(997, 0.0, 5.0, rate)[None], rate) == pytest.approx(-3.01, abs=tolerance)


# EBU Tech 3341, minimum requirements 1 to 6: stereo 1 kHz sine of these levels (dBFS) and lengths (s), expected LUFS.
EBU_CASES = {
    "1": ([(-23.0, 20.0)], -23.0),
    "2": ([(-33.0, 20.0)], -33.0),
    "3": ([(-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0)], -23.0),
    "4": ([(-72.0, 10.0), (-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0), (-72.0, 10.0)], -23.0),
    "5": ([(-26.0, 20.0), (-20.0, 20.1), (-26.0, 20.0)], -23.0),
}


@pytest.mark.parametrize("case", EBU_CASES)
def test_ebu_gating_signals(case: str) -> None:
    tones, expected = EBU_CASES[case]
    sound = stereo(*(sine(1000, level, seconds) for level, seconds in tones))
    assert integrated_lufs(sound, 48_000) == pytest.approx(expected, abs=0.1)


def test_ebu_five_channel_signal() -> None:
    """Case 6: -28 dBFS in L and R, -24 in C, -30 in Ls and Rs; LFE, full scale here, counts nothing."""
    levels = [-28.0, -28.0, -24.0, 0.0, -30.0, -30.0]
    sound = np.stack([sine(1000, level, 20.0) for level in levels])
    assert integrated_lufs(sound, 48_000) == pytest.approx(-23.0, abs=0.1)


def test_ebu_short_term_and_momentary_signals() -> None:
    """Cases 9 and 12: bursts that fill any window alike read -23.0 throughout."""
    bursts = stereo(*[sine(1000, level, seconds) for level, seconds in [(-20.0, 1.34), (-30.0, 1.66)] * 5])
    assert short_term(bursts, 48_000) == pytest.approx(np.full(121, -23.0), abs=0.1)
    bursts = stereo(*[sine(1000, level, seconds) for level, seconds in [(-20.0, 0.18), (-30.0, 0.22)] * 25])
    assert momentary(bursts, 48_000) == pytest.approx(np.full(97, -23.0), abs=0.1)


@pytest.mark.parametrize("rate", [22_050, 44_100, 96_000])
def test_agrees_with_an_independent_meter(rate: int) -> None:
    rng = np.random.default_rng(3)
    sound = rng.standard_normal((2, 20 * rate)) * np.repeat(rng.uniform(0.001, 0.3, 40), rate // 2)
    theirs = pyloudnorm.Meter(rate, filter_class="DeMan").integrated_loudness(sound.T)
    assert integrated_lufs(sound, rate) == pytest.approx(theirs, abs=1e-6)


def test_windows_start_at_their_hop() -> None:
    """Sound begins at 2 s: the first momentary window that hears it starts after 1.6 s."""
    sound = np.concatenate([np.zeros(2 * 44_100), sine(997, -20.0, 3.0, 44_100)])[None]
    level = momentary(sound, 44_100, hop_seconds=0.05)
    assert level.size == 93  # (5 - 0.4) / 0.05 + 1
    assert np.flatnonzero(np.isfinite(level))[0] == 33
    assert np.all(np.diff(level[33:40]) > 0)
    assert short_term(sound, 44_100).size == 21
    assert momentary(sound[:, :1000], 44_100).size == 0


def test_stretches_between_edges() -> None:
    sound = np.concatenate([sine(997, -20.0, 1.0), sine(997, -30.0, 1.0), np.zeros(48_000)])[None]
    level = stretch_lufs(sound, 48_000, np.array([0.0, 1.0, 2.0, 2.5, 2.5, 9.0]))
    assert level[:2] == pytest.approx([-23.01, -33.01], abs=0.1)
    assert np.all(level[2:] < -60.0)
    assert stretch_lufs(sound, 48_000, np.array([1.0])).size == 0
    with pytest.raises(ParameterError, match="must not decrease"):
        stretch_lufs(sound, 48_000, np.array([1.0, 0.5]))


def test_silence_and_short_sound() -> None:
    assert integrated_lufs(np.zeros((2, 48_000)), 48_000) == -np.inf
    assert integrated_lufs(np.zeros((2, 0)), 48_000) == -np.inf
    assert np.all(momentary(np.zeros((1, 48_000)), 48_000) == -np.inf)
    assert integrated_lufs(sine(997, -20.0, 0.3)[None], 48_000) == pytest.approx(-23.0, abs=0.2)


def test_rates_without_room_for_the_filter_are_refused() -> None:
    with pytest.raises(ParameterError, match="4000"):
        integrated_lufs(np.zeros((1, 100)), 2000)
    with pytest.raises(ParameterError, match="hop"):
        momentary(np.zeros((1, 48_000)), 48_000, hop_seconds=0.0)


def test_k_weighting_lifts_treble_and_drops_bass() -> None:
    def gain_db(frequency: float) -> float:
        sound = sine(frequency, 0.0, 2.0)[None]
        lufs = float(stretch_lufs(sound, 48_000, np.array([1.0, 2.0]))[0])
        return lufs + 0.691 - 20 * float(np.log10(np.std(sound)))

    assert gain_db(10_000) == pytest.approx(4.0, abs=0.05)
    assert gain_db(997) == pytest.approx(0.691, abs=0.02)
    assert gain_db(20) < -10.0


@pytest.mark.parametrize("frequency", [100.0, 997.0, 12_000.0, 19_000.0])
@pytest.mark.parametrize("phase", [0.0, 0.4, 0.8])
def test_true_peak_of_sines(frequency: float, phase: float) -> None:
    """Whatever the samples hit, a sine's peak is its amplitude (EBU Tech 3341 allows +0.2 and -0.4 dB)."""
    time = np.arange(44_100) / 44_100
    ramp = np.minimum(1.0, np.minimum(time, time[::-1]) * 20)
    sound = 0.5 * np.sin(2 * np.pi * frequency * time + phase) * ramp
    assert true_peak_db(sound) == pytest.approx(-6.02, abs=0.04)


def test_true_peak_agrees_with_a_resampler() -> None:
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, (2, 44_100))
    noise = soxr.resample(soxr.resample(noise.T, 44_100, 36_000), 36_000, 44_100).T  # nothing above 18 kHz
    expected = 20 * np.log10(np.max(np.abs(soxr.resample(noise.T, 44_100, 16 * 44_100, "VHQ"))))
    assert true_peak_db(noise) == pytest.approx(expected, abs=0.05)
    assert true_peak_db(np.zeros((1, 100))) == -np.inf
    assert true_peak_db(np.zeros((1, 0))) == -np.inf
    click = np.zeros((1, 50))
    click[0, [0, 49]] = 0.25, -0.5
    assert true_peak_db(click) == pytest.approx(-6.02, abs=0.01)


def test_where_sound_starts_and_ends() -> None:
    rate = 44_100
    sound = np.zeros((2, 5 * rate), dtype=np.float32)
    sound[1, rate : 3 * rate] = 0.5
    sound[0, 4 * rate] = 10 ** (-61 / 20)  # under the floor
    assert sounding_range(sound, rate) == (1.0, 3.0)


def test_silence_sounds_nowhere() -> None:
    assert sounding_range(np.zeros((1, 1000), dtype=np.float32), 44_100) == (0.0, 0.0)
    assert sounding_range(np.zeros((1, 0), dtype=np.float32), 44_100) == (0.0, 0.0)


def test_stretches_may_overlap_and_agree_with_each_measured_alone() -> None:
    rate = 48_000
    sound = np.random.default_rng(5).standard_normal((2, 4 * rate)) * np.linspace(0.01, 0.3, 4 * rate)
    starts, ends = np.array([0.0, 0.5, 1.0, 3.5]), np.array([3.0, 1.5, 4.0, 9.0])
    found = loudness_between(sound, rate, starts, ends)
    for level, start, end in zip(found, starts, np.minimum(ends, 4.0), strict=True):
        assert level == pytest.approx(stretch_lufs(sound, rate, np.array([start, end]))[0], abs=1e-6)


def test_an_empty_or_silent_stretch_has_the_floor() -> None:
    silence = np.zeros((1, 48_000))
    assert loudness_between(silence, 48_000, np.array([0.0, 0.2]), np.array([1.0, 0.2])).tolist() == [FLOOR_LUFS] * 2
