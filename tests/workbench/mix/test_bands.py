"""Levels in the bands of speech: a tone is in its own band, at its own power, at its own time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND
from workbench.video.bands import BAND_EDGES_HZ, BandMeter

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
