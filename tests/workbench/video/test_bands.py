"""Bands, pitches and windows of a soundtrack."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.workbench.video.lines import buzz, pitches_of, sung
from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND
from workbench.video.bands import BAND_EDGES_HZ, BandMeter
from workbench.video.pitch import PITCHES_PER_SECOND
from workbench.video.windows import MonoWindows

RATE = 16_000


def tone(hertz: float, seconds: float = 1.0) -> NDArray[np.float32]:
    return np.asarray(0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE), dtype=np.float32)


def powers_of(sound: NDArray[np.float32], block: int = 4000) -> NDArray[np.floating]:
    meter = BandMeter()
    for first in range(0, sound.size, block):
        meter.add(sound[first : first + block])
    return meter.powers()


@pytest.mark.parametrize(("hertz", "band"), [(150, 0), (360, 1), (700, 2), (1300, 3), (2100, 4), (3200, 5), (6000, 6)])
def test_a_tone_has_its_power_in_its_own_band(hertz: float, band: int) -> None:
    powers = powers_of(tone(hertz))
    assert powers.shape == (HOPS_PER_SECOND, len(BAND_EDGES_HZ) - 1)
    inner = powers[5:-5].mean(axis=0)
    assert inner.argmax() == band
    assert inner[band] == pytest.approx(0.5**2 / 2, rel=0.1)


def test_sound_is_where_it_is_in_time() -> None:
    sound = np.concatenate([np.zeros(RATE, dtype=np.float32), tone(1000.0), np.zeros(RATE, dtype=np.float32)])
    heard = np.flatnonzero(powers_of(sound)[:, 2:4].sum(axis=1) > 0.01)
    assert (heard[0], heard[-1]) == pytest.approx((HOPS_PER_SECOND, 2 * HOPS_PER_SECOND), abs=2)


def test_blocks_of_any_length_give_the_same_powers() -> None:
    sound = tone(440.0, 1.234)
    np.testing.assert_allclose(powers_of(sound, 997), powers_of(sound, sound.size), rtol=1e-5, atol=1e-9)
    assert powers_of(np.zeros(0, dtype=np.float32)).shape == (0, len(BAND_EDGES_HZ) - 1)


def test_stereo_is_refused() -> None:
    with pytest.raises(ParameterError, match="mono sound"):
        BandMeter().add(np.zeros((2, 100), dtype=np.float32))


def test_a_steady_tone_has_its_pitch_and_is_clear() -> None:
    found = pitches_of(buzz(np.full(RATE, 57.3), np.ones(RATE)))
    assert len(found) == PITCHES_PER_SECOND
    assert found[3:-3, 0] == pytest.approx(57.3, abs=0.1)
    assert found[3:-3, 1].min() > 0.7


def test_noise_and_silence_have_no_clear_pitch() -> None:
    hiss = np.random.default_rng(1).normal(0, 0.1, RATE).astype(np.float32)
    assert np.quantile(pitches_of(hiss)[:, 1], 0.95) < 0.45
    assert pitches_of(np.zeros(RATE, dtype=np.float32))[:, 1].max() == 0.0
    assert pitches_of(np.zeros(0, dtype=np.float32)).shape == (0, 2)


def test_blocks_of_any_length_give_the_same_pitches() -> None:
    line = sung()[: 2 * RATE + 77]
    assert np.array_equal(pitches_of(line, 997), pitches_of(line, line.size))


WINDOW, HOP, BEFORE = 12, 4, 5


@given(samples=st.integers(0, 60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_blocks_change_nothing_and_each_hop_has_its_window(samples: int, cuts: list[int]) -> None:
    sound = np.arange(1, samples + 1, dtype=np.float32)
    windows = MonoWindows(WINDOW, HOP, BEFORE)
    blocks = np.split(sound, sorted(min(cut, samples) for cut in cuts))
    found = np.concatenate([*(windows.add(block) for block in blocks), windows.rest()])
    silent = np.concatenate([np.zeros(BEFORE), sound, np.zeros(WINDOW)])
    hops = -(-samples // HOP)
    expected = [silent[k * HOP : k * HOP + WINDOW] for k in range(hops)]
    assert found.shape == (hops, WINDOW)
    np.testing.assert_array_equal(found, np.reshape(expected, (hops, WINDOW)))


def test_two_channels_are_refused() -> None:
    with pytest.raises(ParameterError, match="mono sound"):
        MonoWindows(WINDOW, HOP, BEFORE).add(np.zeros((2, 8), dtype=np.float32))
