"""Bar lines at both ends of files that are made to repeat, and none where a file is not."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.beats.edges import (
    EDGE_SECONDS,
    LINE_BEFORE_END_SECONDS,
    plays_throughout,
    with_edge_lines,
    with_loop_end,
)
from workbench.beats.grid import BeatGrid
from workbench.plans.plan import GRID_TOLERANCE_SECONDS
from workbench.recording import Recording

RATE, SECONDS = 8_000, 24.0


def noise(seconds: float = SECONDS, quiet_from: float | None = None) -> Recording:
    sound = 0.1 * np.random.default_rng(1).standard_normal((1, round(seconds * RATE))).astype(np.float32)
    if quiet_from is not None:
        sound[:, round(quiet_from * RATE) :] *= 0.01
    return Recording.from_samples(sound, RATE)


def heard(first: float, last: float) -> BeatGrid:
    """Bars of four beats, 2 s long, from one downbeat to another, with the beats around them that a tracker hears."""
    beats = np.arange(first - 1.0, last + 1.0, 0.5)
    beats = beats[beats > 0.2]
    return BeatGrid(beats, np.round((beats - first) / 0.5).astype(int) % 4 + 1, 4, 0.9)


@pytest.mark.parametrize(("first", "last"), [(2.004, 22.0), (0.004, 22.0), (2.004, 23.998), (0.009, 23.991)])
def test_both_ends_become_bar_lines(first: float, last: float) -> None:
    given = heard(first, last) if first > 1 else BeatGrid.from_times(np.arange(first, last + 1.6, 0.5))
    grid = with_edge_lines(given, noise())
    assert grid.downbeats.size == 13
    assert grid.downbeats[0] == 0.0  # so that what both ends are off cannot add up to more than a splice may be
    assert grid.beats[-1] == SECONDS - LINE_BEFORE_END_SECONDS
    assert grid.positions.tolist() == [1, 2, 3, 4] * 12 + [1]
    assert np.diff(grid.beats) == pytest.approx(np.full(48, 0.5), abs=0.0125)
    assert (grid.beats_per_bar, grid.confidence) == (4, given.confidence)
    inner = given.beats[(given.beats >= max(0.1, given.downbeats[0])) & (given.beats < min(given.downbeats[-1], 23.9))]
    assert set(inner) <= set(grid.beats)


@pytest.mark.parametrize(
    ("grid", "recording"),
    [
        (heard(2.05, 22.05), noise()),  # the file begins 50 ms before its first bar line
        (heard(2.0, 22.0), noise(24.03)),  # and goes on after the last
        (heard(1.0, 21.0), noise()),  # half a bar is left on either side
        (heard(2.0, 22.0), noise(quiet_from=23.0)),  # its last hit has died away
        (heard(2.0, 4.0), noise(6.0)),  # one bar does not tell how long a bar is
        (BeatGrid(np.zeros(0), np.zeros(0, dtype=int), 4, 0.0), noise()),
    ],
)
def test_other_files_keep_their_grid(grid: BeatGrid, recording: Recording) -> None:
    assert with_edge_lines(grid, recording) is grid


def test_splices_keep_to_bar_lines_as_closely() -> None:
    assert EDGE_SECONDS == GRID_TOLERANCE_SECONDS


def test_a_loop_of_four_bars_has_both_lines() -> None:
    assert with_edge_lines(heard(2.0, 6.0), noise(8.0)).downbeats == pytest.approx([0.0, 2.0, 4.0, 6.0, 7.997])


def beats_of(sound: Recording) -> tuple[np.ndarray, np.ndarray]:
    beats = np.append(np.arange(0.0, sound.duration - 0.01, 0.5), sound.duration - LINE_BEFORE_END_SECONDS)
    return beats, np.arange(beats.size) % 4 + 1


def test_what_fades_in_or_dies_away_does_not_play_throughout() -> None:
    faded = noise(quiet_from=23.5)
    assert plays_throughout(noise(), *beats_of(noise()))
    assert not plays_throughout(faded, *beats_of(faded))
    assert not plays_throughout(Recording.from_samples(faded.samples[:, ::-1].copy(), RATE), *beats_of(faded))
    silence = Recording.from_samples(np.zeros((1, 8 * RATE), dtype=np.float32), RATE)
    assert not plays_throughout(silence, *beats_of(silence))


def test_hits_with_silence_between_them_play_throughout() -> None:
    hits = noise(8.0)
    sounding = np.arange(hits.samples.shape[1]) % (RATE // 2) < RATE // 10
    hits = Recording.from_samples(hits.samples * sounding.astype(np.float32), RATE)
    assert plays_throughout(hits, *beats_of(hits))


def test_the_end_of_a_loop_is_a_bar_line_only_a_bar_after_the_last() -> None:
    grid = heard(3.0, 19.0)
    assert with_loop_end(grid, noise(), 21.004).downbeats[-2:] == pytest.approx([19.0, 21.004])
    for other in (19.0, 20.5, 23.0, 40.0):
        assert with_loop_end(grid, noise(), other) is grid
