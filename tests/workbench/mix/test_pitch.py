"""The pitch of a voice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from workbench.video.pitch import PITCHES_PER_SECOND

RATE = 16_000


def test_a_steady_tone_has_its_pitch_and_is_clear(
    buzz: Callable[..., np.ndarray], pitches_of: Callable[..., np.ndarray]
) -> None:
    found = pitches_of(buzz(np.full(RATE, 57.3), np.ones(RATE)))
    assert len(found) == PITCHES_PER_SECOND
    assert found[3:-3, 0] == pytest.approx(57.3, abs=0.1)
    assert found[3:-3, 1].min() > 0.7


def test_noise_and_silence_have_no_clear_pitch(pitches_of: Callable[..., np.ndarray]) -> None:
    hiss = np.random.default_rng(1).normal(0, 0.1, RATE).astype(np.float32)
    assert np.quantile(pitches_of(hiss)[:, 1], 0.95) < 0.45
    assert pitches_of(np.zeros(RATE, dtype=np.float32))[:, 1].max() == 0.0
    assert pitches_of(np.zeros(0, dtype=np.float32)).shape == (0, 2)


def test_blocks_of_any_length_give_the_same_pitches(
    pitches_of: Callable[..., np.ndarray], sung: Callable[[], np.ndarray]
) -> None:
    line = sung()[: 2 * RATE + 77]
    assert np.array_equal(pitches_of(line, 997), pitches_of(line, line.size))
