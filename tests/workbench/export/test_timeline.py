"""Gain curves of exports: few keys, none of them on the line between its neighbours, and the same envelope."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.export.timeline import SAME_DB, TOLERANCE, GainPoint, decibel_keys, frame_keys, gain_keys

LAST = 48_000


def bent(values: list[float]) -> tuple[Callable[[int], float], list[int]]:
    """A curve of straight lines through values at even samples, and the samples of its corners."""
    at = np.linspace(0, LAST, len(values)).round().astype(int)
    return lambda sample: float(np.interp(sample, at, values)), at.tolist()


def drawn(keys: list[GainPoint]) -> np.ndarray:
    return np.interp(np.arange(LAST + 1), [key.sample for key in keys], [key.value for key in keys])


levels = st.lists(st.sampled_from([0.0, 0.0, -3.0, -14.0, -96.0, 2.5]), min_size=2, max_size=12)


@settings(max_examples=60, deadline=None)
@given(levels)
def test_lines_in_db_keep_the_envelope_with_the_fewest_keys(values: list[float]) -> None:
    curve, corners = bent(values)
    keys = decibel_keys(curve, corners)
    meant = np.array([curve(sample) for sample in range(0, LAST + 1, 16)])
    assert np.abs(drawn(keys)[::16] - meant).max() <= SAME_DB + 1e-9
    assert (keys[0].sample, keys[-1].sample) == (0, LAST)
    assert set(keys) <= {GainPoint(corner, curve(corner)) for corner in corners}
    none_on_a_line(keys, lambda _: SAME_DB)


@settings(max_examples=60, deadline=None)
@given(levels)
def test_lines_in_gain_keep_the_envelope(values: list[float]) -> None:
    """Gains that glide in dB are curves here: the lines meet them, and keys on a line are left out."""
    curve, corners = bent(values)
    keys = gain_keys(lambda sample: 10 ** (curve(sample) / 20), corners)
    meant = 10 ** (np.array([curve(sample) for sample in range(0, LAST + 1, 16)]) / 20)
    assert np.abs(drawn(keys)[::16] - meant).max() <= 2 * TOLERANCE
    none_on_a_line(keys, lambda value: 1e-6 * value)


def none_on_a_line(keys: list[GainPoint], tolerance: Callable[[float], float]) -> None:
    for before, key, after in zip(keys, keys[1:], keys[2:], strict=False):
        share = (key.sample - before.sample) / (after.sample - before.sample)
        line = before.value + share * (after.value - before.value)
        assert abs(line - key.value) > tolerance(key.value)


def test_silence_stays_silence() -> None:
    curve, corners = bent([0.0, 0.0, 1e-4, 0.0, 1.0])
    keys = gain_keys(curve, corners)
    assert [key.value for key in keys] == [0.0, 0.0, pytest.approx(1e-4), 0.0, 1.0]


def test_a_steady_level_has_two_keys_however_many_corners_it_has() -> None:
    assert gain_keys(lambda _: 0.5, range(0, LAST + 1, 100)) == [GainPoint(0, 0.5), GainPoint(LAST, 0.5)]


@settings(max_examples=60, deadline=None)
@given(levels, st.integers(1, 400))
def test_frames_have_one_key_at_most_and_the_level_of_the_curve(values: list[float], frames: int) -> None:
    """Corners anywhere, many of them within one frame."""
    at = np.sort(np.random.default_rng(frames).uniform(0, frames, len(values)))

    def curve(frame: int) -> float:
        return float(np.interp(frame, at, values))

    keys = frame_keys(curve, [Fraction(float(turn)) for turn in at], 0, frames)
    assert all(before.frame < after.frame for before, after in pairwise(keys))
    assert (keys[0].frame, keys[-1].frame) == (0, frames)
    lines = np.interp(np.arange(frames + 1), [key.frame for key in keys], [key.level_db for key in keys])
    meant = np.array([curve(frame) for frame in range(frames + 1)])
    assert np.abs(10 ** (lines / 20) - 10 ** (meant / 20)).max() <= 2 * TOLERANCE


def test_one_frame_has_one_key() -> None:
    assert [key.frame for key in frame_keys(lambda _: -3.0, [Fraction(1, 2)], 7, 7)] == [7]
