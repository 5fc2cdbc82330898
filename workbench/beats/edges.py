"""Bar lines at both ends of a file that is made to repeat.

Loops of sample libraries, of games and of many catalogs are cut so that the end of the file goes on in its beginning:
the first sample is a downbeat, and the file ends where the next downbeat would be. A tracker hears neither: nothing
comes before the one, nothing after the other. Where the bars say that both ends of a file are bar lines, to within
`EDGE_SECONDS`, and the music sounds up to them, they are added to the grid.

Whether the music may be played on across the two is judged elsewhere (`workbench.loops.bodies`).

Functions: `with_edge_lines`; `sounds_throughout`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.recording import FloatArray, Recording

EDGE_SECONDS = 0.01
"""s by which a bar line may miss an end of the file; splices keep to bar lines as closely"""
LINE_BEFORE_END_SECONDS = 0.003
"""s before the end of the file at which its last bar line is put, for a beat lies inside of its recording"""
_LEAST_BARS = 8  # fewer may fit a file by chance
_NEAR_BARS = 8  # bars that say how long the next one would be
_EDGE_SOUND_SECONDS = 0.1
_QUIET_DB = 20.0  # dB under the mean of the file: what ends so has died away, what begins so fades in


def with_edge_lines(grid: BeatGrid, recording: Recording) -> BeatGrid:
    """The grid with bar lines at both ends of the file, where the file is made to repeat.

    Parameters
    ----------
    grid : of the recording
    recording : the whole file

    Returns
    -------
    BeatGrid : as it was where one of both ends is no bar line, or the music does not sound up to it. Otherwise its
        first bar line is at 0 and its last one at the end, and beats that are added are even
    """
    lines, end = grid.downbeats, recording.duration
    if lines.size <= _LEAST_BARS:
        return grid
    lengths = np.diff(lines)
    before = _count_bars(float(lines[0]), float(np.median(lengths[:_NEAR_BARS])))
    after = _count_bars(end - float(lines[-1]), float(np.median(lengths[-_NEAR_BARS:])))
    if before is None or after is None or not sounds_throughout(recording):
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
    last = end - LINE_BEFORE_END_SECONDS
    if after:
        tail = lines[-1] + (last - lines[-1]) * np.arange(1, grid.beats_per_bar + 1) / grid.beats_per_bar
        beats = np.concatenate((beats, tail))
        positions = np.concatenate((positions, np.arange(2, tail.size + 1), [1]))
    else:
        beats[-1] = last
    return replace(grid, beats=beats, positions=positions)


def sounds_throughout(recording: Recording) -> bool:
    """Whether the music sounds from the first sample of a file to its last: it neither fades in nor dies away.

    Parameters
    ----------
    recording : the whole file
    """
    edge = round(_EDGE_SOUND_SECONDS * recording.sample_rate)
    samples = recording.samples
    if samples.shape[1] <= 2 * edge:
        return False
    least = _power(samples) * 10 ** (-_QUIET_DB / 10)
    return min(_power(samples[:, :edge]), _power(samples[:, -edge:])) > least


def _count_bars(seconds: float, bar_seconds: float) -> int | None:
    """How many bars a stretch at an end of the file is: none, one, or None where it is neither."""
    for bars in (0, 1):
        if abs(seconds - bars * bar_seconds) <= EDGE_SECONDS:
            return bars
    return None


def _power(samples: FloatArray) -> float:
    flat = samples.ravel()  # of a whole recording no copy, and none of its squares
    return float(np.vdot(flat, flat)) / flat.size
