"""Beat periods that a piece supports: the one of a click is among them, with what it is confused with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.beats.tempo import MOST_CANDIDATES, beat_activation, tempo_candidates
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.params import BeatParams

FRAMES = 100


@pytest.mark.parametrize("bpm", [72.0, 100.0, 120.0, 150.0])
def test_the_period_of_a_click_comes_first_and_its_double_and_half_are_tried(bpm: float) -> None:
    activation = np.zeros(30 * FRAMES, dtype=np.float32)
    activation[np.rint(np.arange(0.5, 29.5, 60 / bpm) * FRAMES).astype(int)] = 1.0
    periods = tempo_candidates(activation, FRAMES, BeatParams())
    period = 60 * FRAMES / bpm
    assert np.abs(np.log2(periods / period)).min() < 0.02
    assert abs(np.log2(periods[0] / period)) % 1 == pytest.approx(0.0, abs=0.02)
    for ratio in (2.0, 0.5):
        if BeatParams().min_bpm <= bpm / ratio <= BeatParams().max_bpm:
            assert np.abs(np.log2(periods / (ratio * period))).min() < 0.05
    assert periods.size <= MOST_CANDIDATES


def test_no_tempo_outside_the_range_is_tried() -> None:
    activation = np.zeros(30 * FRAMES, dtype=np.float32)
    activation[np.rint(np.arange(0.5, 29.5, 60 / 100) * FRAMES).astype(int)] = 1.0
    periods = tempo_candidates(activation, FRAMES, BeatParams(min_bpm=80.0, max_bpm=160.0))
    bpm = 60 * FRAMES / periods
    assert bpm[0] == pytest.approx(100.0, rel=0.01)
    assert bpm.min() >= 80.0
    assert bpm.max() <= 160.0


def test_silence_and_a_scrap_of_sound_support_no_tempo() -> None:
    assert tempo_candidates(np.zeros(3000, dtype=np.float32), FRAMES, BeatParams()).size == 0
    assert tempo_candidates(np.ones(50, dtype=np.float32), FRAMES, BeatParams()).size == 0


def test_activation_is_highest_where_something_strikes(clicked: Callable[..., Any]) -> None:
    times = np.arange(0.5, 8.0, 0.5)
    activation = clicked(times).activation
    assert activation.min() >= 0.0
    assert activation.max() <= 1.0
    on = activation[np.rint(times * FRAMES).astype(int)]
    between = activation[np.rint((times[:-1] + 0.25) * FRAMES).astype(int)]
    assert on.min() > 5 * between.max()


def test_no_sound_has_no_activation() -> None:
    onsets = detect_onsets(analyze_spectrum(np.zeros(0, dtype=np.float32), 44_100))
    assert beat_activation(onsets).size == 0
