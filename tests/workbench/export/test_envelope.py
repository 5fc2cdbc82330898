"""Envelopes of exports: the fewest keys with which the lines stay within 0.25 dB of the curve."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.export.envelope import TOLERANCE, TOLERANCE_DB, GainPoint, Lines, fit_frame_keys, fit_keys
from workbench.export.timeline import SILENT_DB, decibels

LAST = 48_000


def bent(values: list[float]) -> tuple[Callable[[int], float], list[int]]:
    """A curve of straight lines through values at even samples, and the samples of its corners."""
    at = np.linspace(0, LAST, len(values)).round().astype(int)
    return lambda sample: float(np.interp(sample, at, values)), at.tolist()


def drawn(keys: list[GainPoint], lines: Lines) -> np.ndarray:
    """Linear gain at every sixteenth sample, as a program draws it."""
    at, samples = np.arange(0, LAST + 1, 16), [key.sample for key in keys]
    if lines is Lines.GAIN:
        return np.interp(at, samples, [key.gain for key in keys])
    return 10 ** (np.interp(at, samples, [key.level_db for key in keys]) / 20)


def within(gain: np.ndarray, levels: np.ndarray) -> bool:
    """Whether gains are within 0.25 dB of levels, or near silence within 0.05 % of full gain."""
    meant = 10 ** (levels / 20)
    # Between two places for keys the curve itself is known to 2e-4 of full gain.
    room = np.maximum(meant * (10 ** (TOLERANCE_DB / 20) - 1), TOLERANCE) + 2.1e-4
    return bool(np.all(np.abs(gain - meant) <= room))


levels = st.lists(st.sampled_from([0.0, 0.0, -3.0, -14.0, -96.0, 2.5]), min_size=2, max_size=12)
DRAWN = {Lines.GAIN: (Lines.GAIN,), Lines.DECIBELS: (Lines.DECIBELS,), Lines.EITHER: (Lines.GAIN, Lines.DECIBELS)}


@settings(max_examples=60, deadline=None)
@given(levels, st.sampled_from(list(Lines)))
def test_lines_stay_within_a_quarter_of_a_decibel(values: list[float], lines: Lines) -> None:
    curve, corners = bent(values)
    keys = fit_keys(curve, corners, lines)
    meant = np.array([curve(sample) for sample in range(0, LAST + 1, 16)])
    assert (keys[0].sample, keys[-1].sample) == (0, LAST)
    assert all(key.level_db == curve(key.sample) for key in keys)
    for one in DRAWN[lines]:
        assert within(drawn(keys, one), meant)
        if lines is not Lines.EITHER:
            none_on_a_line(keys, one)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.0, -3.0, -14.0, -96.0, 6.0]), min_size=2, max_size=12))
def test_a_curve_of_straight_lines_keeps_its_corners(values: list[float]) -> None:
    """What is straight in dB is met to a thousandth where it is heard, and its corners are of more than 0.25 dB."""
    curve, corners = bent(values)
    keys = fit_keys(curve, corners, Lines.DECIBELS)
    meant = np.array([curve(sample) for sample in range(0, LAST + 1, 16)])
    off = np.abs(20 * np.log10(drawn(keys, Lines.DECIBELS)) - meant)
    assert off[meant > -30.0].max(initial=0.0) <= 1e-3


def none_on_a_line(keys: list[GainPoint], lines: Lines) -> None:
    for before, key, after in zip(keys, keys[1:], keys[2:], strict=False):
        share = (key.sample - before.sample) / (after.sample - before.sample)
        if lines is Lines.GAIN:
            assert abs(before.gain + share * (after.gain - before.gain) - key.gain) > 1e-6 * key.gain
        else:
            assert abs(before.level_db + share * (after.level_db - before.level_db) - key.level_db) > 0.001


@settings(max_examples=40, deadline=None)
@example([0.0, 0.0, 0.0, 0.625, 0.625])
@given(st.lists(st.floats(-20.0, 3.0), min_size=3, max_size=9))
def test_no_fewer_keys_would_do(values: list[float]) -> None:
    """Every choice of fewer of the curve's corners leaves it by more than the tolerance.

    The inside of a stretch that stays has no key, for such a stretch may be an hour long.
    """
    curve, corners = bent(values)
    keys = fit_keys(curve, corners, Lines.DECIBELS)
    meant = np.array([curve(sample) for sample in corners])
    turns = [at for k, at in enumerate(corners[1:-1], 1) if not values[k - 1] == values[k] == values[k + 1]]
    for count in range(len(keys) - 2):
        for inner in combinations(turns, count):
            at = [corners[0], *inner, corners[-1]]
            off = np.abs(np.interp(corners, at, [curve(sample) for sample in at]) - meant)
            assert off.max() > TOLERANCE_DB - 1e-6


@pytest.mark.parametrize(("lines", "most"), [(Lines.DECIBELS, 2), (Lines.GAIN, 3), (Lines.EITHER, 3)])
def test_a_duck_has_two_to_three_keys_a_turn(lines: Lines, most: int) -> None:
    """Down by 14 dB, held, and up again: four turns."""
    times, depths = [0.0, 9600.0, 28800.0, 48000.0], [0.0, -14.0, -14.0, 0.0]
    keys = fit_keys(lambda sample: float(np.interp(sample, times, depths)), [0, 9600, 28800, LAST], lines)
    assert len(keys) <= 4 * most
    assert {0, 9600, 28800, LAST} <= {key.sample for key in keys}


def test_a_raised_cosine_has_few_keys() -> None:
    def curve(sample: int) -> float:
        return decibels(0.5 - 0.5 * np.cos(np.pi * sample / LAST))

    meant = np.array([curve(sample) for sample in range(0, LAST + 1, 16)])
    for lines in Lines:
        keys = fit_keys(curve, [0, LAST], lines)
        assert len(keys) <= 16
        for one in DRAWN[lines]:
            assert within(drawn(keys, one), meant)


def test_silence_stays_silence() -> None:
    curve, corners = bent([SILENT_DB, SILENT_DB, -70.0, SILENT_DB, SILENT_DB])
    assert [key.gain for key in fit_keys(curve, corners, Lines.GAIN)] == [0.0, 0.0]
    curve, corners = bent([SILENT_DB, SILENT_DB, -40.0, SILENT_DB, SILENT_DB])
    keys = fit_keys(curve, corners, Lines.GAIN)
    assert max(key.gain for key in keys) == pytest.approx(0.01)
    assert [keys[0].gain, keys[-1].gain] == [0.0, 0.0]


def test_a_steady_level_has_two_keys_however_many_corners_it_has() -> None:
    for lines in Lines:
        keys = fit_keys(lambda _: -6.0, range(0, LAST + 1, 100), lines)
        assert keys == [GainPoint(0, -6.0), GainPoint(LAST, -6.0)]


@settings(max_examples=60, deadline=None)
@given(levels, st.integers(1, 400))
def test_frames_have_one_key_at_most_and_the_level_of_the_curve(values: list[float], frames: int) -> None:
    """Corners anywhere, many of them within one frame."""
    at = np.sort(np.random.default_rng(frames).uniform(0, frames, len(values)))

    def curve(frame: int) -> float:
        return float(np.interp(frame, at, values))

    keys = fit_frame_keys(curve, [Fraction(float(turn)) for turn in at], 0, frames, Lines.DECIBELS)
    assert all(before.frame < after.frame for before, after in pairwise(keys))
    assert (keys[0].frame, keys[-1].frame) == (0, frames)
    lines = np.interp(np.arange(frames + 1), [key.frame for key in keys], [key.level_db for key in keys])
    assert within(10 ** (lines / 20), np.array([curve(frame) for frame in range(frames + 1)]))


def test_one_frame_has_one_key() -> None:
    keys = fit_frame_keys(lambda _: -3.0, [Fraction(1, 2)], 7, 7, Lines.DECIBELS)
    assert [key.frame for key in keys] == [7]
