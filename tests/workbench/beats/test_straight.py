"""Straight grids: what a path with a slip implies, and how slips are counted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.beats.constant_tempo import joined_grid, slips_of, straight_grid
from workbench.beats.evidence import Odds
from workbench.beats.meter import share_near
from workbench.beats.network import DIVISIONS, METRES, TEMPO_BINS, Activations

SECONDS = 90.0
Times = NDArray[np.float64]


def odds_of(times: Times) -> Odds:
    """What a network detects that is sure of beats at these times."""
    curve = np.full(round(SECONDS * 50), -4.0, dtype=np.float32)
    curve[np.round(times * 50).astype(int)] = 3.0
    pairs = curve.size // 2
    tempo, metre, division = (
        np.zeros((pairs, size), dtype=np.float32) for size in (TEMPO_BINS.size, len(METRES), len(DIVISIONS))
    )
    return Odds.of(Activations(curve, curve, tempo, metre, division, 50))


def slipped(bpm: float, first: float, last: float) -> Times:
    """A steady path that is half a beat late between two times."""
    beat = 60.0 / bpm
    path = np.arange(0.4, SECONDS - 1.0, beat)
    late = path + 0.5 * beat
    return np.concatenate((path[path < first], late[(late >= first + beat) & (late < last)], path[path >= last]))


@pytest.mark.parametrize("bpm", [68.0, 97.3, 126.0, 171.0])
def test_a_slipped_path_implies_the_straight_grid(bpm: float) -> None:
    path = slipped(bpm, 20.0, 38.0)
    grid = straight_grid(path, odds_of(path))
    assert grid is not None
    wanted = np.arange(0.4, SECONDS - 1.0, 60.0 / bpm)
    assert share_near(wanted, grid, 0.02) == 1.0
    assert joined_grid(path, odds_of(path)) is None
    assert slips_of(path) == 2
    assert slips_of(grid) == 0


def test_a_step_of_tempo_gives_a_line_for_each_tempo_and_none_for_all() -> None:
    path = np.concatenate((np.arange(0.4, 40.0, 0.5), np.arange(40.4, SECONDS - 1.0, 0.42)))
    joined = joined_grid(path, odds_of(path))
    assert straight_grid(path, odds_of(path)) is None
    assert joined is not None
    assert share_near(path, joined, 0.02) > 0.97
    assert np.all(np.diff(joined) > 0.25)
    assert slips_of(path) == 0


def test_a_path_without_a_tempo_implies_nothing() -> None:
    path = np.cumsum(np.random.default_rng(3).uniform(0.3, 0.9, 100))
    path = path[path < SECONDS]
    for times in (path, path[:3]):
        assert straight_grid(times, odds_of(times)) is None
        assert joined_grid(times, odds_of(times)) is None
