from __future__ import annotations

import numpy as np
import pytest

from workbench.features.loudness import FLOOR_LUFS, loudness_between, sounding_range, stretch_lufs


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
