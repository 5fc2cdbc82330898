"""The limiter, measured by a meter of other make: eightfold resampling by soxr."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.mix.limiter import Limiter, limit, limit_blocks
from workbench.params import RenderParams

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
