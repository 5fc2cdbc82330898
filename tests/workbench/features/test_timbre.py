from __future__ import annotations

import numpy as np
import pytest

from workbench.features.timbre import (
    LOUDNESS_EXPONENT,
    TICKS_PER_BEAT,
    WINDOW_SECONDS,
    beat_edges,
    ear_bands,
    rises,
    specific_loudness,
    window_samples,
    windowed_power,
)


def sine(hz: float, seconds: float, rate: int) -> np.ndarray:
    return np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate).astype(np.float32)


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
def test_a_full_scale_sine_has_power_one_at_its_bin_and_loudness_near_one_in_its_band(rate: int) -> None:
    size = window_samples(rate, WINDOW_SECONDS)
    hz = round(1000 * size / rate) * rate / size
    sound = sine(hz, 2.0, rate)
    _, power = next(windowed_power(sound, rate, np.array([1.0]), WINDOW_SECONDS))
    assert power.max() == pytest.approx(1.0, abs=0.01)
    loudness, band_hz = specific_loudness(sound, rate, np.array([0.5, 1.0, 1.5]), 32)
    band = int(np.argmax(loudness[0, 3]))
    assert abs(np.log2(band_hz[band] / hz)) < 0.2
    assert 0.4 < loudness[0, 3, band] <= 1.0


def test_bands_cover_the_ear_and_have_unit_sum() -> None:
    weights, centres = ear_bands(44_100, 2049, 32)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0, rtol=1e-5)
    assert np.all(np.diff(centres) > 0)
    assert centres[0] > 40
    assert centres[-1] < 15_000


def test_loudness_is_compressed_power() -> None:
    sound = sine(700.0, 2.0, 44_100)
    edges = np.array([0.5, 1.0, 1.5])
    loud, _ = specific_loudness(sound, 44_100, edges, 24)
    soft, _ = specific_loudness(0.1 * sound, 44_100, edges, 24)
    np.testing.assert_allclose(soft, loud * 0.01**LOUDNESS_EXPONENT, atol=1e-3)


def test_equal_bars_give_equal_numbers_wherever_they_start() -> None:
    rate, beat = 44_100, 0.4637
    bar = np.random.default_rng(1).standard_normal(round(4 * beat * rate)).astype(np.float32)
    sound = np.concatenate((bar, bar, bar))
    beats = np.arange(12) * bar.size / rate / 4
    loudness, _ = specific_loudness(sound, rate, beat_edges(beats, sound.size / rate), 32)
    np.testing.assert_allclose(loudness[4:8, 1:-1], loudness[8:12, 1:-1], rtol=0.05, atol=1e-4)


def test_channels_are_mixed_as_their_mean() -> None:
    left, right = np.random.default_rng(2).standard_normal((2, 44_100)).astype(np.float32)
    centres = np.array([0.02, 0.5, 0.99])
    stereo = next(windowed_power(np.stack((left, right)), 44_100, centres, 0.05))[1]
    mono = next(windowed_power((left + right) / 2, 44_100, centres, 0.05))[1]
    np.testing.assert_allclose(stereo, mono, rtol=1e-3, atol=1e-9)


def test_a_hit_rises_in_its_tick_only() -> None:
    loudness = np.full((2, TICKS_PER_BEAT, 8), 0.1, dtype=np.float32)
    loudness[1, 3:, 6:] = 0.5
    pattern = rises(loudness, 4)
    assert pattern.shape == (2, TICKS_PER_BEAT, 4)
    assert pattern[1, 3].tolist() == pytest.approx([0, 0, 0, 0.8], abs=1e-6)
    assert pattern[1, 4:].sum() == 0


def test_the_last_beat_ends_like_the_one_before_or_with_the_sound() -> None:
    assert beat_edges(np.array([0.0, 0.5, 1.0]), 9.0)[-1] == pytest.approx(1.5)
    assert beat_edges(np.array([0.0, 0.5, 1.0]), 1.2)[-1] == pytest.approx(1.2)
