"""Gain laws, and the limiter measured by a meter of other make."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import soxr
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.mix.fades import (
    crossfade_in,
    crossfade_out,
    decibels_to_gain,
    duck_gain,
    end_fade,
    glide_gain,
    start_fade,
)
from workbench.mix.limiter import Limiter, limit, limit_blocks
from workbench.params import RenderParams

X = np.linspace(0.0, 1.0, 101)


def test_equal_power_keeps_power_and_linear_keeps_amplitude() -> None:
    assert crossfade_in(X, 0.5) ** 2 + crossfade_out(X, 0.5) ** 2 == pytest.approx(np.ones(101))
    assert crossfade_in(X, 1.0) + crossfade_out(X, 1.0) == pytest.approx(np.ones(101))


@given(st.floats(0.5, 1.0), st.floats(0.0, 1.0))
def test_crossfades_mirror_each_other(exponent: float, x: float) -> None:
    assert crossfade_in(np.array(x), exponent) == pytest.approx(x**exponent)
    assert crossfade_out(np.array(x), exponent) == pytest.approx((1 - x) ** exponent)


@pytest.mark.parametrize("law", [lambda x: crossfade_in(x, 0.7), start_fade])
def test_rising_laws_hold_their_ends(law: Callable[[NDArray[np.float64]], NDArray[np.floating]]) -> None:
    assert law(np.array([-5.0, 0.0, 1.0, 7.0])) == pytest.approx([0.0, 0.0, 1.0, 1.0])
    assert np.all(np.diff(law(X)) > 0)


@pytest.mark.parametrize("law", [lambda x: crossfade_out(x, 0.7), end_fade])
def test_falling_laws_hold_their_ends(law: Callable[[NDArray[np.float64]], NDArray[np.floating]]) -> None:
    assert law(np.array([-5.0, 0.0, 1.0, 7.0])) == pytest.approx([1.0, 1.0, 0.0, 0.0])
    assert np.all(np.diff(law(X)) < 0)


def test_end_fades_are_raised_cosines() -> None:
    assert start_fade(np.array([0.25, 0.5])) == pytest.approx([(1 - np.cos(np.pi / 4)) / 2, 0.5])
    assert start_fade(X) + end_fade(X) == pytest.approx(np.ones(101))


def test_glides_are_linear_in_decibels() -> None:
    gain = glide_gain(np.array([-1.0, 0.0, 0.25, 1.0, 2.0]), -8.0, 4.0)
    assert 20 * np.log10(gain) == pytest.approx([-8.0, -8.0, -5.0, 4.0, 4.0])
    assert decibels_to_gain(np.array([0.0, 20.0, -20.0])) == pytest.approx([1.0, 10.0, 0.1])


def test_ducking_interpolates_decibels_and_holds_its_ends() -> None:
    points = [(1.0, 0.0), (2.0, 12.0), (5.0, 6.0)]
    gain = duck_gain(points, np.array([0.0, 1.0, 1.5, 2.0, 3.5, 9.0]))
    assert -20 * np.log10(gain) == pytest.approx([0.0, 0.0, 6.0, 12.0, 9.0, 6.0], abs=1e-9)
    assert np.array_equal(duck_gain([], np.array([1.0, 2.0])), [1.0, 1.0])


def test_points_that_are_no_curve_are_refused() -> None:
    with pytest.raises(ParameterError, match="increase"):
        duck_gain([(1.0, 0.0), (1.0, 3.0)], np.array([0.0]))
    with pytest.raises(ParameterError, match="pairs"):
        duck_gain(np.array([1.0, 2.0]), np.array([0.0]))


RATE = 44_100
SECONDS = 2


def meter_db(samples: NDArray[np.floating], rate: int = RATE) -> float:
    """True peak: the highest sample after resampling to eight times the rate, dB."""
    padded = np.pad(samples, ((0, 0), (500, 500)))
    return float(20 * np.log10(np.max(np.abs(soxr.resample(padded.T, rate, 8 * rate, "VHQ")))))


def sine(frequency: float, amplitude: float, rate: int = RATE, phase: float = 0.3) -> NDArray[np.float64]:
    time = np.arange(SECONDS * rate) / rate
    return amplitude * np.sin(2 * np.pi * frequency * time + phase)[None]


def noise(amplitude: float, rate: int = RATE) -> NDArray[np.float64]:
    """Two channels of noise up to 18 kHz at 44.1 kHz: above that meters differ by their filters."""
    sound = np.random.default_rng(5).standard_normal((2, SECONDS * rate)) * amplitude
    dull: NDArray[np.float64] = soxr.resample(soxr.resample(sound.T, rate, 0.82 * rate), 0.82 * rate, rate).T
    return dull


def bursts() -> NDArray[np.float64]:
    """Drum hits far over the ceiling, from silence, the first at the first sample."""
    time = np.arange(SECONDS * RATE) / RATE
    return (4.0 * np.exp(-20 * (time % 0.37)) * np.cos(2 * np.pi * 180 * (time % 0.37)))[None]


LOUD: dict[str, Callable[[], NDArray[np.float64]]] = {
    "bass": lambda: sine(50.0, 2.0),
    "tone": lambda: sine(997.0, 1.5),
    "between samples": lambda: sine(RATE / 4, 1.2, phase=np.pi / 4),
    "treble": lambda: sine(15_003.0, 1.4),
    "square": lambda: np.sign(sine(441.0, 1.0)) * 0.95,
    "noise": lambda: noise(0.4),
    "bursts": bursts,
    "barely": lambda: sine(997.0, 10 ** (-0.9 / 20)),
}


@pytest.mark.parametrize("name", LOUD)
def test_nothing_passes_the_ceiling(name: str) -> None:
    held = limit(LOUD[name](), RATE)
    assert meter_db(held) <= -1.0 + 0.05
    assert meter_db(held) >= -2.0  # and no more is taken than need be


@pytest.mark.parametrize("rate", [22_050, 48_000, 96_000])
def test_at_any_rate(rate: int) -> None:
    assert meter_db(limit(noise(0.4, rate), rate), rate) <= -1.0 + 0.05


def test_what_stays_below_passes_bit_for_bit() -> None:
    quiet = (noise(0.1) * 0.9).astype(np.float32)
    assert meter_db(quiet) < -1.1
    assert np.array_equal(limit(quiet, RATE), quiet)


def test_before_the_lookahead_and_after_the_release_samples_pass_untouched() -> None:
    sound = noise(0.05).astype(np.float32)
    sound[:, RATE // 2] = 3.0
    held = limit(sound, RATE, RenderParams(limiter_release_seconds=0.05))
    until = RATE // 2 - round(0.006 * RATE)
    assert np.array_equal(held[:, :until], sound[:, :until])
    after = round(1.5 * RATE)
    assert np.array_equal(held[:, after:], sound[:, after:])


def test_all_channels_get_one_gain() -> None:
    sound = np.concatenate([bursts(), 0.05 * bursts()])
    held = limit(sound, RATE)
    left, right = held / np.where(np.abs(sound) > 1e-4, sound, np.nan)
    known = np.isfinite(left) & np.isfinite(right)
    assert left[known] == pytest.approx(right[known], abs=1e-3)
    assert np.min(left[known]) < 0.3


def test_the_gain_is_smooth() -> None:
    """A constant under a single peak: the gain falls within the look-ahead and never jumps."""
    sound = np.full((1, RATE), 0.25)
    sound[0, RATE // 2] = 1.8
    gain = limit(sound, RATE)[0] / sound[0]
    assert np.min(gain) < 0.5
    mean_slope = (1 - np.min(gain)) / (0.005 * RATE)
    assert np.max(np.abs(np.diff(gain))) < 2.1 * mean_slope  # a Hann window's steepest is twice its mean


@pytest.mark.parametrize("sizes", [[1], [64, 1, 17], [1000], [100_000]])
def test_blocks_of_any_size_make_the_same_sound(sizes: list[int]) -> None:
    sound = np.concatenate([bursts(), noise(0.5)[:1]])[:, : RATE // 4].astype(np.float32)

    def blocks() -> Iterator[NDArray[np.float32]]:
        at, k = 0, 0
        while at < sound.shape[1]:
            yield sound[:, at : at + sizes[k % len(sizes)]]
            at, k = at + sizes[k % len(sizes)], k + 1

    pieces = list(limit_blocks(blocks(), RATE))
    assert np.array_equal(np.concatenate(pieces, axis=1), limit(sound, RATE))


def test_short_and_empty_sound() -> None:
    assert limit(np.full((2, 3), 2.0), RATE) == pytest.approx(np.full((2, 3), 10 ** (-1 / 20)), rel=0.5)
    assert np.max(limit(np.full((2, 3), 2.0), RATE)) <= 10 ** (-1 / 20)
    assert limit(np.zeros((2, 0)), RATE).shape == (2, 0)
    assert list(limit_blocks([], RATE)) == []


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ParameterError, match="2 channels"):
        Limiter(2, RATE).push(np.zeros((1, 10)))
    with pytest.raises(ParameterError, match="at least one channel"):
        Limiter(0, RATE)
