"""Gain laws: the shapes by which music fades, crosses over, glides in level and ducks.

All take a position, a time or a level, give a linear gain, and are vectorised. `x` runs 0 to 1 over a fade; outside it
holds the value at the nearer end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray


def decibels_to_gain(decibels: FloatArray) -> FloatArray:
    """Linear gain of a level."""
    return np.asarray(10.0 ** (np.asarray(decibels, dtype=np.float64) / 20.0))


def crossfade_in(x: FloatArray, exponent: float) -> FloatArray:
    """Gain of the music that enters, `x^p`.

    Exponent 0.5 holds the power where both sides are uncorrelated, 1.0 the amplitude where they are coherent.
    """
    return np.asarray(np.clip(x, 0.0, 1.0) ** exponent)


def crossfade_out(x: FloatArray, exponent: float) -> FloatArray:
    """Gain of the music that leaves, `(1-x)^p`: the mirror image of `crossfade_in`."""
    return np.asarray((1.0 - np.clip(x, 0.0, 1.0)) ** exponent)


def start_fade(x: FloatArray) -> FloatArray:
    """Gain that rises as a raised cosine, `(1 - cos πx)/2`."""
    return np.asarray(0.5 - 0.5 * np.cos(np.pi * np.clip(x, 0.0, 1.0)))


def end_fade(x: FloatArray) -> FloatArray:
    """Gain that falls as a raised cosine, `(1 + cos πx)/2`."""
    return np.asarray(0.5 + 0.5 * np.cos(np.pi * np.clip(x, 0.0, 1.0)))


def glide_gain(x: FloatArray, from_db: float, to_db: float) -> FloatArray:
    """Gain that moves from one signed level to another, linear in dB."""
    return decibels_to_gain(from_db + (to_db - from_db) * np.clip(x, 0.0, 1.0))


def duck_gain(points: Sequence[Sequence[float]] | FloatArray, times: FloatArray) -> FloatArray:
    """Gain of ducked music: the attenuation curve read at some times; 1.0 without points.

    The points, pairs of seconds and positive dB, are joined linearly in dB; before the first and after the last the
    curve holds their value. Raises `ParameterError` for points that are no pairs, or whose times do not increase.
    """
    curve = np.asarray(points, dtype=np.float64)
    if curve.size == 0:
        return np.ones(np.shape(times))
    if curve.ndim != 2 or curve.shape[1] != 2:
        raise ParameterError(f"envelope points are pairs of seconds and dB, got an array of shape {curve.shape}")
    if np.any(np.diff(curve[:, 0]) <= 0.0):
        raise ParameterError("the times of envelope points must increase strictly")
    return decibels_to_gain(-np.interp(times, curve[:, 0], curve[:, 1]))
