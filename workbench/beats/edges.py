"""Bar lines at both ends of a file that is made to repeat.

Loops of sample libraries, of games and of many catalogs are cut so that the end of the file goes on in its beginning:
the first sample is a downbeat, and the file ends where the next downbeat would be. A tracker detects neither: nothing
comes before the one, nothing after the other. If the bars say that both ends of a file are bar lines, to within
`EDGE_SECONDS`, and the music plays on up to them, they are added to the grid.

Whether the music may be played on across the two is judged elsewhere (`workbench.seams.build_profile`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.recording import FloatArray, IntArray, Recording

EDGE_SECONDS = 0.01
"""s by which a bar line may miss an end of the file; splices keep to bar lines as closely"""
LINE_BEFORE_END_SECONDS = 0.003
"""s before the end of the file at which its last bar line is put, for a beat must be inside of its recording"""
_LEAST_LINES = 3
"""two bars tell how long a bar is; that both ends of some other file miss a bar line by so little is rare"""
_NEAR_BARS = 8  # bars that say how long the next one would be
_QUIET_DB = 10.0
"""dB under the same beat of the other bars: a last beat as quiet has died away, a first one fades in"""


def with_edge_lines(grid: BeatGrid, recording: Recording) -> BeatGrid:
    """The grid with bar lines at both ends of the file, where the file is made to repeat.

    It stays as it is where one of both ends is no bar line, or the music does not sound up to it. Otherwise its first
    bar line is at 0 and its last one at the end, and beats that are added are even.
    """
    lines, end = grid.downbeats, recording.duration
    if lines.size < _LEAST_LINES:
        return grid
    lengths = np.diff(lines)
    # both ends are judged together: with bars of 2 s, one alone is within 10 ms of a line by chance in 1 file of 100
    before = _count_bars(float(lines[0]), float(np.median(lengths[:_NEAR_BARS])))
    after = _count_bars(end - float(lines[-1]), float(np.median(lengths[-_NEAR_BARS:])))
    if before is None or after is None:
        return grid
    beats, positions = grid.beats, grid.positions
    inner = (beats >= lines[0]) & (beats <= lines[-1])
    beats, positions = beats[inner].copy(), positions[inner].copy()
    if not before:
        beats[0] = 0.0
    else:
        head = lines[0] * np.arange(grid.beats_per_bar) / grid.beats_per_bar
        beats = np.concatenate((head, beats))
        positions = np.concatenate((np.arange(1, head.size + 1), positions))
    edged = replace(grid, beats=beats, positions=positions)
    last = end - LINE_BEFORE_END_SECONDS
    edged = _with_bar_to(edged, last) if after else replace(edged, beats=np.append(beats[:-1], last))
    return edged if plays_throughout(recording, edged.beats, edged.positions) else grid


def with_loop_end(grid: BeatGrid, recording: Recording, loop_end: float) -> BeatGrid:
    """The grid with the bar line at which the loop of a file ends, if that is one bar after the last line detected."""
    lines = grid.downbeats
    if lines.size < _LEAST_LINES or loop_end > recording.duration + EDGE_SECONDS:
        return grid
    if _count_bars(loop_end - float(lines[-1]), float(np.median(np.diff(lines)[-_NEAR_BARS:]))) != 1:
        return grid
    until = grid.beats <= lines[-1]
    shorter = replace(grid, beats=grid.beats[until], positions=grid.positions[until])
    return _with_bar_to(shorter, min(loop_end, recording.duration - LINE_BEFORE_END_SECONDS))


def _with_bar_to(grid: BeatGrid, line: float) -> BeatGrid:
    """A grid that ends on a bar line, with one more bar, whose beats are even, up to another line."""
    last, count = float(grid.beats[-1]), grid.beats_per_bar
    tail = last + (line - last) * np.arange(1, count + 1) / count
    beats = np.concatenate((grid.beats, tail))
    return replace(grid, beats=beats, positions=np.concatenate((grid.positions, np.arange(2, count + 1), [1])))


def plays_throughout(recording: Recording, beats: FloatArray, positions: IntArray) -> bool:
    """Whether the first and the last beat of a file are about as loud as the same beats of its other bars.

    So the music neither fades in nor dies away; a drum loop that is silent between two hits goes on hitting.
    """
    edges = np.round(np.append(beats[:-1], recording.duration) * recording.sample_rate).astype(np.int64)
    power = np.array([_power(recording.samples[:, first:last]) for first, last in pairwise(edges.tolist())])
    least = [np.median(power[positions[:-1] == positions[at]]) * 10 ** (-_QUIET_DB / 10) for at in (0, -2)]
    return bool(power[0] > least[0] and power[-1] > least[1])


def _count_bars(seconds: float, bar_seconds: float) -> int | None:
    """How many bars a stretch at an end of the file is: none, one, or None where it is neither."""
    for bars in (0, 1):
        if abs(seconds - bars * bar_seconds) <= EDGE_SECONDS:
            return bars
    return None


def _power(samples: FloatArray) -> float:
    return float(np.mean(np.square(samples, dtype=np.float64))) if samples.size else 0.0
