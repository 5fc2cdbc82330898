"""Level: where a recording sounds, and how loud any stretch of it is.

Loudness follows BS.1770 (`workbench.features.loudness`) and is measured in one pass between all edges of the stretches,
so that thousands of overlapping stretches cost no more than one.

Functions: `sounding_range`, `loudness_between`.
"""

from __future__ import annotations

import numpy as np

from workbench.features.loudness import stretch_lufs
from workbench.recording import FloatArray

SILENCE_DBFS = -60.0
"""dBFS; sound starts and ends where a sample is above it"""
FLOOR_LUFS = -80.0
"""LUFS used for silence, so that differences of levels are finite"""
_SCAN_SECONDS = 1.0


def sounding_range(samples: FloatArray, sample_rate: int, floor_dbfs: float = SILENCE_DBFS) -> tuple[float, float]:
    """Start and end, s, of the sound whose samples exceed a floor; (0.0, 0.0) where none does."""
    # from both ends, a second at a time: most files sound at once, and the whole may be two hours on disk
    floor = 10.0 ** (floor_dbfs / 20.0)
    n = samples.shape[1]
    block = max(1, round(_SCAN_SECONDS * sample_rate))
    first = -1
    for at in range(0, n, block):
        loud = np.flatnonzero(np.abs(samples[:, at : at + block]).max(axis=0) > floor)
        if loud.size:
            first = at + int(loud[0])
            break
    if first < 0:
        return 0.0, 0.0
    last = first
    for end in range(n, first, -block):
        begin = max(first, end - block)
        loud = np.flatnonzero(np.abs(samples[:, begin:end]).max(axis=0) > floor)
        if loud.size:
            last = begin + int(loud[-1])
            break
    return first / sample_rate, (last + 1) / sample_rate


def loudness_between(samples: FloatArray, sample_rate: int, starts: FloatArray, ends: FloatArray) -> FloatArray:
    """Ungated loudness of many stretches, which may overlap: LUFS, not below `FLOOR_LUFS`.

    Parts of a stretch outside the recording are left out; an empty one has the floor.
    """
    duration = samples.shape[1] / sample_rate
    lows = np.clip(np.asarray(starts, dtype=np.float64), 0.0, duration)
    highs = np.clip(np.asarray(ends, dtype=np.float64), 0.0, duration)
    edges, places = np.unique(np.concatenate((lows, highs)), return_inverse=True)
    if edges.size < 2:
        return np.full(lows.shape, FLOOR_LUFS)
    levels = stretch_lufs(samples, sample_rate, edges)
    power = np.where(np.isfinite(levels), 10.0 ** (levels / 10.0), 0.0)
    energy = np.concatenate(([0.0], np.cumsum(power * np.diff(edges))))
    low, high = places[: lows.size], places[lows.size :]
    mean = (energy[high] - energy[low]) / np.maximum(highs - lows, 1e-9)
    return np.maximum(10.0 * np.log10(np.maximum(mean, 1e-12)), FLOOR_LUFS)
