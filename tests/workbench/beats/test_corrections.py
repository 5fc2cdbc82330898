"""What a person says to a grid: other bars, another metre, half and double the tempo."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.beats.corrections import double_tempo, halve_tempo, shift_bar, with_metre
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError


def grid_of(beats: int, per_bar: int = 4, pickup: int = 0, bpm: float = 120.0) -> BeatGrid:
    times = 0.25 + np.arange(beats) * 60.0 / bpm
    return BeatGrid(times, (np.arange(beats) - pickup) % per_bar + 1, per_bar, confidence=0.3)


def same(one: BeatGrid, other: BeatGrid) -> bool:
    return np.allclose(one.beats, other.beats) and list(one.positions) == list(other.positions)


def test_a_shift_moves_the_bars_and_no_beat() -> None:
    grid = grid_of(32)
    later = shift_bar(grid, 1)
    assert np.array_equal(later.beats, grid.beats)
    assert np.allclose(later.downbeats, grid.downbeats + 0.5)
    assert list(later.positions[:6]) == [4, 1, 2, 3, 4, 1]


@pytest.mark.parametrize("pickup", [0, 1, 3])
def test_there_and_back_is_the_same_grid(pickup: int) -> None:
    grid = grid_of(33, pickup=pickup)
    assert same(shift_bar(shift_bar(grid, 1), -1), grid)
    assert same(shift_bar(grid, 4), grid)
    assert same(shift_bar(grid, -3), shift_bar(grid, 1))


def test_bars_of_another_length_keep_it_when_they_move() -> None:
    positions = np.array([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 1, 2, 3, 4, 1, 2, 3, 4])
    grid = BeatGrid(np.arange(18) * 0.5, positions, 4)
    assert list(shift_bar(grid, 1).positions) == [4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 1, 2, 3, 4, 1, 2, 3]


def test_another_metre_counts_from_the_first_downbeat() -> None:
    threes = with_metre(grid_of(24, pickup=2), 3)
    assert threes.beats_per_bar == 3
    assert list(threes.positions[:6]) == [2, 3, 1, 2, 3, 1]


def test_double_and_half_undo_each_other() -> None:
    grid = grid_of(24, pickup=1)
    twice = double_tempo(grid)
    assert twice.tempo_bpm == pytest.approx(240.0)
    assert set(np.round(grid.downbeats, 6)) <= set(np.round(twice.downbeats, 6))
    assert same(halve_tempo(twice), grid)


def test_half_the_tempo_keeps_the_metre_and_the_first_downbeat() -> None:
    half = halve_tempo(grid_of(32, per_bar=3, pickup=1))
    assert half.tempo_bpm == pytest.approx(60.0)
    assert half.beats_per_bar == 3
    assert half.downbeats[0] == pytest.approx(0.75)


def test_a_grid_that_somebody_corrected_is_sure() -> None:
    grid = grid_of(16)
    for corrected in (shift_bar(grid), with_metre(grid, 3), halve_tempo(grid), double_tempo(grid)):
        assert corrected.confidence == 1.0
    assert grid.confidence == 0.3


def test_what_cannot_be_is_refused() -> None:
    nothing = BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4)
    for correct in (shift_bar, halve_tempo, double_tempo, lambda grid: with_metre(grid, 3)):
        with pytest.raises(GridError):
            correct(nothing)
    with pytest.raises(GridError, match="1 to 32"):
        with_metre(grid_of(16), 0)
    with pytest.raises(GridError, match="fastest"):
        double_tempo(grid_of(16, bpm=300.0))
