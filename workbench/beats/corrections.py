"""Corrections by hand of a tracked grid.

Most errors of a tracker are of four kinds: it opens every bar a beat or two off, it counts threes where the music has
fours, or its beat is twice as fast or half as fast as people tap it. Each has one correction, which moves no beat; only
`double_tempo` adds beats, halfway between two.

A correction comes from a person, so the confidence of the corrected grid is 1. The given grid stays as it is; a new one
is returned. Where a correction is impossible, `GridError` says why.

Functions: `shift_bar`, `with_metre`, `halve_tempo`, `double_tempo`.
"""

from __future__ import annotations

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.errors import GridError
from workbench.recording import FloatArray, IntArray

MOST_BEATS_PER_BAR = 32
"""longest bar that a person may set"""
FASTEST_BPM = 480.0
"""faster beats are not felt as beats"""


def shift_bar(grid: BeatGrid, beats: int = 1) -> BeatGrid:
    """Let every bar open some beats later.

    Bars keep their lengths where the metre changes: it is the bar lines that move, each to another beat.

    Parameters
    ----------
    grid : with one downbeat at least
    beats : by how many; negative: earlier; whole bars of the prevailing metre do not count

    Returns
    -------
    BeatGrid : the same beats, in other bars

    Raises
    ------
    GridError : a grid without bars, or with too few beats to move them
    """
    per_bar, opening = grid.beats_per_bar, grid.downbeat_indices.astype(np.int64)
    if not opening.size:
        raise GridError("a grid without downbeats has no bars to move")
    moved = opening + int(np.fmod(beats, per_bar))
    moved = moved[(moved >= 0) & (moved < grid.beats.size)]
    if not moved.size:
        raise GridError(f"{grid.beats.size} beats are too few to move a bar by {beats}")
    # Bar lines that moved off either end leave beats without bars there: count whole bars on from those that are left.
    head = np.arange(int(moved[0]) % per_bar, int(moved[0]), per_bar)
    tail = np.arange(int(moved[-1]) + per_bar, grid.beats.size, per_bar)
    return _with_lines(grid.beats, np.concatenate([head, moved, tail]), per_bar)


def with_metre(grid: BeatGrid, beats_per_bar: int) -> BeatGrid:
    """Count bars of another length from the first downbeat on, and backwards before it.

    Parameters
    ----------
    grid : with one beat at least; without downbeats it is counted from its first beat
    beats_per_bar : 1 to `MOST_BEATS_PER_BAR`

    Returns
    -------
    BeatGrid : the same beats, in bars of one length

    Raises
    ------
    GridError : no such metre, or a grid without beats
    """
    if not 1 <= beats_per_bar <= MOST_BEATS_PER_BAR:
        raise GridError(f"a bar has 1 to {MOST_BEATS_PER_BAR} beats, not {beats_per_bar}")
    if not grid.beats.size:
        raise GridError("a grid without beats has nothing to correct")
    first = int(grid.downbeat_indices[0]) if grid.downbeat_indices.size else 0
    lines = np.arange(first % beats_per_bar, grid.beats.size, beats_per_bar)
    return _with_lines(grid.beats, lines, beats_per_bar)


def halve_tempo(grid: BeatGrid) -> BeatGrid:
    """Keep every other beat, the first downbeat among them: the tempo is half, a bar has as many beats as before.

    So two bars of the quick grid become one. Where the wrong one of them opens it, `shift_bar` by half a bar helps.

    Parameters
    ----------
    grid : with four beats at least

    Returns
    -------
    BeatGrid : half as many beats

    Raises
    ------
    GridError : fewer than four beats
    """
    if grid.beats.size < 4:
        raise GridError(f"{grid.beats.size} beats are too few to leave out every other one")
    first = int(grid.downbeat_indices[0]) if grid.downbeat_indices.size else 0
    kept = grid.beats[first % 2 :: 2]
    return _with_lines(
        kept, np.arange(first // 2 % grid.beats_per_bar, kept.size, grid.beats_per_bar), grid.beats_per_bar
    )


def double_tempo(grid: BeatGrid) -> BeatGrid:
    """Add a beat halfway between any two: the tempo is double, a bar has as many beats as before.

    So a bar of the slow grid becomes two, and its downbeats stay downbeats.

    Parameters
    ----------
    grid : with two beats at least, at half of `FASTEST_BPM` or slower

    Returns
    -------
    BeatGrid : with twice as many beats less one

    Raises
    ------
    GridError : fewer than two beats, or beats that would follow each other too quickly
    """
    if grid.beats.size < 2:
        raise GridError(f"{grid.beats.size} beats have no middle to put another one into")
    if 2.0 * grid.tempo_bpm > FASTEST_BPM:
        raise GridError(f"twice {grid.tempo_bpm:.0f} beats a minute are more than {FASTEST_BPM:.0f}, the fastest felt")
    middles = 0.5 * (grid.beats[1:] + grid.beats[:-1])
    beats = np.sort(np.concatenate([grid.beats, middles]))
    first = 2 * int(grid.downbeat_indices[0]) if grid.downbeat_indices.size else 0
    lines = np.arange(first % grid.beats_per_bar, beats.size, grid.beats_per_bar)
    return _with_lines(beats, lines, grid.beats_per_bar)


def _with_lines(beats: FloatArray, lines: IntArray, beats_per_bar: int) -> BeatGrid:
    """The grid whose bars open at these beats; beats before the first line are the end of a bar."""
    if not lines.size:
        raise GridError("no beat would be left to open a bar")
    index = np.arange(beats.size)
    line = np.searchsorted(lines, index, side="right") - 1
    positions = index - lines[np.maximum(line, 0)] + 1
    pickup = int(lines[0])
    positions[:pickup] = np.arange(beats_per_bar - pickup, beats_per_bar) + 1
    return BeatGrid(beats, positions.astype(np.int32), beats_per_bar)
