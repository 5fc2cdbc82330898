"""Harmony on the beat: the power of every semitone at the beginning and at the end of each beat.

Long windows resolve semitones but smear time. Here a window stays within its beat where beats are long enough: one
starts with the beat (the notes struck), one ends with it (the notes still ringing), so that a note that rings over a
bar line is measured on both sides of it.
"""

from __future__ import annotations

import numpy as np

from workbench.features.timbre import LOUDNESS_EXPONENT, window_samples, windowed_power
from workbench.recording import FloatArray

LOWEST_MIDI, HIGHEST_MIDI = 33, 100
"""MIDI numbers of the semitones: A1, 55 Hz, to E7, 2.6 kHz"""
WINDOW_SECONDS = 8192 / 44_100
"""s, 186 ms: bins of 5.4 Hz"""
_AROUND = 6
"""semitones on each side that a tone is compared with"""


def beat_tones(samples: FloatArray, sample_rate: int, edges: FloatArray) -> tuple[FloatArray, float]:
    """Compressed power of semitones at both ends of each beat, and the tuning by which they are corrected.

    The edges are n_beats + 1 times. The power, `power ** 0.3`, has shape (n_beats, 2, n_tones): index 0 is the window
    that starts with the beat, 1 the one that ends with it. The tuning is in semitones from A4 = 440 Hz, -0.5 to 0.5.
    """
    # a window begins and one ends with the beat; in beats that are shorter both move towards its middle
    half = np.minimum(WINDOW_SECONDS, np.maximum(np.diff(edges), 0.5 * WINDOW_SECONDS)) / 2
    centres = np.stack((edges[:-1] + half, edges[1:] - half), axis=1).ravel()
    size = window_samples(sample_rate, WINDOW_SECONDS)
    n_bins = min(size // 2 + 1, int(np.ceil(3500.0 * size / sample_rate)) + 1)
    power = np.empty((centres.size, n_bins), dtype=np.float32)
    for rows, block in windowed_power(samples, sample_rate, centres, WINDOW_SECONDS):
        power[rows] = block[:, :n_bins]
    deviation = tuning(power, sample_rate / size)
    weights = semitone_bands(n_bins, sample_rate / size, deviation)
    tones = (power @ weights) ** np.float32(LOUDNESS_EXPONENT)
    return tones.reshape(edges.size - 1, 2, weights.shape[1]), deviation


def tuning(power: FloatArray, bin_hz: float) -> float:
    """How far pitches lie from A4 = 440 Hz, semitones: the circular mean deviation of spectral peaks; 0 without peaks.

    The power has shape (n_windows, n_bins).
    """
    low, high = int(np.ceil(200.0 / bin_hz)), min(int(2000.0 / bin_hz), power.shape[1] - 1)
    if high <= low or not power.size:
        return 0.0
    left, middle, right = power[:, low - 1 : high - 1], power[:, low:high], power[:, low + 1 : high + 1]
    strong = (middle > left) & (middle > right) & (middle > 0.05 * power[:, low:high].max(axis=1, keepdims=True))
    if not strong.any():
        return 0.0
    # a parabola through the logarithms of three bins: exact for a Gaussian window and close for a Hann window
    a, b, c = (np.log(np.maximum(side[strong], 1e-20)) for side in (left, middle, right))
    offset = 0.5 * (a - c) / np.minimum(a - 2 * b + c, -1e-9)
    hz = (low + np.nonzero(strong)[1] + np.clip(offset, -0.5, 0.5)) * bin_hz
    deviation = 12.0 * np.log2(hz / 440.0)
    mean = np.sum(np.sqrt(middle[strong]) * np.exp(2j * np.pi * deviation))
    return float(np.angle(mean) / (2 * np.pi))


def semitone_bands(n_bins: int, bin_hz: float, deviation: float) -> FloatArray:
    """Bands a semitone wide around each tone of a recording tuned `deviation` semitones from A4 = 440 Hz.

    A band is a raised cosine over two semitones, so that neighbours sum to one; where it is narrower than a bin, the
    two bins around the tone share it. Shape (n_bins, n_tones).
    """
    midi = np.arange(LOWEST_MIDI, HIGHEST_MIDI + 1) + deviation
    hz = 440.0 * 2.0 ** ((midi - 69) / 12)
    bins = np.maximum(np.arange(n_bins), 1e-3) * bin_hz
    width = np.maximum(hz * (2.0 ** (1 / 12) - 1.0), 1.2 * bin_hz)
    distance = np.abs(bins[:, None] - hz[None, :]) / width
    return np.where(distance < 1.0, 0.5 + 0.5 * np.cos(np.pi * distance), 0.0).astype(np.float32)


def stand_out(tones: FloatArray) -> FloatArray:
    """How far tones rise over their surroundings, so that notes count and drums do not: shape (..., 2 * n_tones).

    The rises over the mean of `_AROUND` semitones on each side come first; then a quarter of the tones themselves, so
    that unpitched sounds resemble each other.
    """
    n = tones.shape[-1]
    sums = np.concatenate((np.zeros_like(tones[..., :1]), np.cumsum(tones, axis=-1, dtype=np.float64)), axis=-1)
    low, high = np.maximum(np.arange(n) - _AROUND, 0), np.minimum(np.arange(n) + _AROUND + 1, n)
    around = (sums[..., high] - sums[..., low]) / (high - low)
    return np.concatenate((np.maximum(tones - around, 0.0), 0.25 * tones), axis=-1).astype(tones.dtype)


def fold_octaves(tones: FloatArray) -> FloatArray:
    """Pitch classes of semitones, C first: sums over octaves, shape (..., 12)."""
    classes = np.arange(LOWEST_MIDI, HIGHEST_MIDI + 1) % 12
    fold = (classes[:, None] == np.arange(12)[None, :]).astype(tones.dtype)
    return np.asarray(tones @ fold)
