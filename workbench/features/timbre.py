"""Timbre on the beat: the loudness of each auditory band, at the same places of every beat.

Windows follow the beats, not a fixed frame rate: a beat is divided into equal ticks (twelve, which include sixteenths
and triplets), each with its own window. So two passes of the same bar give the same numbers even when a bar is not a
whole number of frames, which comparing bars requires.

Power is compressed to `power ** 0.3`, roughly its perceived loudness (Zwicker & Fastl, "Psychoacoustics", 2007, ch. 8:
specific loudness grows with the 0.23rd power): then loud bands weigh most and the noise floor next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.recording import FloatArray, release_pages

TICKS_PER_BEAT = 12
"""windows a beat: divides into sixteenths and triplets"""
LOUDNESS_EXPONENT = 0.3
WINDOW_SECONDS = 4096 / 44_100
"""s, length of the Hann window of a tick; its effective half is the length of a tick at 110 BPM"""
_BLOCK = 256
"""windows transformed at a time"""


def beat_edges(beats: FloatArray, end: float) -> FloatArray:
    """Start times of all beats and the end of the last one, which is as long as the one before but ends by `end`.

    It needs two beats at least.
    """
    last = beats[-1] + (beats[-1] - beats[-2])
    return np.concatenate((beats, [max(min(last, end), beats[-1] + 1e-3)]))


def windowed_power(
    samples: FloatArray, sample_rate: int, centres: FloatArray, window_seconds: float
) -> Iterator[tuple[slice, FloatArray]]:
    """Power spectra of Hann windows centred at arbitrary times, in which a full-scale sine on a bin is 1.

    Yields slices of the windows with their power, shape (n_block, n_bins). Windows are rounded to a length that
    transforms fast, and mixed to mono one at a time, which saves a copy of the recording; silence precedes and follows
    it.
    """
    from scipy import fft

    size = window_samples(sample_rate, window_seconds)
    hann = np.hanning(size + 1)[:-1]
    sound = np.atleast_2d(np.asarray(samples, dtype=np.float32))
    channels, n = sound.shape
    shape = (hann * (2.0 / hann.sum() / channels)).astype(np.float32)
    starts = np.rint(np.asarray(centres, dtype=np.float64) * sample_rate).astype(np.int64) - size // 2
    # one buffer for all blocks; a row that is filled in part is cleared first: it holds a window of the block before
    rows = np.zeros((_BLOCK, size), dtype=np.float32)
    for first in range(0, starts.size, _BLOCK):
        part = starts[first : first + _BLOCK]
        for row, start in enumerate(part):
            low, high = max(0, int(start)), min(n, int(start) + size)
            if high - low < size:
                rows[row] = 0.0
            if high > low:
                part_of_row = rows[row, low - start : high - start]
                part_of_row[:] = sound[0, low:high]
                for channel in range(1, channels):
                    part_of_row += sound[channel, low:high]
        spectra = fft.rfft(rows[: part.size] * shape, axis=1)
        yield slice(first, first + part.size), np.square(spectra.real) + np.square(spectra.imag)
        release_pages(sound)


def window_samples(sample_rate: int, window_seconds: float) -> int:
    """An even number of samples that is fast to transform, `window_seconds` long at least."""
    from scipy import fft

    size = fft.next_fast_len(round(window_seconds * sample_rate), real=True)
    return int(size + size % 2)


def ear_bands(sample_rate: int, n_bins: int, n_bands: int) -> tuple[FloatArray, FloatArray]:
    """Triangular bands evenly spaced on the ear's scale of frequency (ERB rate) from 40 Hz to 15 kHz.

    Returns their weights, shape (n_bins, n_bands), each band of unit sum, and their centres in Hz. They end at 0.45 of
    a rate below 33.3 kHz. Glasberg & Moore, "Derivation of auditory filter shapes from notched-noise data", Hearing
    Research 47, 1990, eq. 4.
    """
    top = min(15_000.0, 0.45 * sample_rate)
    low, high = (21.4 * np.log10(1.0 + 0.00437 * hz) for hz in (40.0, top))
    corners = (10.0 ** (np.linspace(low, high, n_bands + 2) / 21.4) - 1.0) / 0.00437
    bins = np.arange(n_bins) * (sample_rate / 2 / (n_bins - 1))
    rise = (bins[:, None] - corners[None, :-2]) / (corners[1:-1] - corners[:-2])
    fall = (corners[None, 2:] - bins[:, None]) / (corners[2:] - corners[1:-1])
    weights = np.maximum(np.minimum(rise, fall), 0.0)
    # the lowest bands are narrower than a bin: each takes the nearest one
    nearest = np.argmin(np.abs(bins[:, None] - corners[None, 1:-1]), axis=0)
    empty = weights.sum(axis=0) < 0.2
    weights[nearest[empty], np.flatnonzero(empty)] = 1.0
    return (weights / weights.sum(axis=0)).astype(np.float32), corners[1:-1]


def specific_loudness(
    samples: FloatArray, sample_rate: int, edges: FloatArray, n_bands: int
) -> tuple[FloatArray, FloatArray]:
    """Specific loudness of every tick of every beat between the edges of `beat_edges`, and the bands' centres in Hz.

    The loudness has shape (n_beats, TICKS_PER_BEAT, n_bands), float32; a full-scale sine in a band has 1.0.
    """
    lengths = np.diff(edges)
    places = (np.arange(TICKS_PER_BEAT) + 0.5) / TICKS_PER_BEAT
    centres = (edges[:-1, None] + lengths[:, None] * places).ravel()
    n_bins = window_samples(sample_rate, WINDOW_SECONDS) // 2 + 1
    weights, band_hz = ear_bands(sample_rate, n_bins, n_bands)
    loudness = np.empty((centres.size, n_bands), dtype=np.float32)
    for rows, power in windowed_power(samples, sample_rate, centres, WINDOW_SECONDS):
        loudness[rows] = (power @ weights) ** np.float32(LOUDNESS_EXPONENT)
    return loudness.reshape(lengths.size, TICKS_PER_BEAT, n_bands), band_hz


def rises(loudness: FloatArray, groups: int) -> FloatArray:
    """Onset pattern: how much each tick is louder than the tick before, summed in groups of neighbouring bands.

    From shape (n_beats, ticks, n_bands) to (n_beats, ticks, groups); the very first tick is compared with silence.
    """
    n_beats, ticks, n_bands = loudness.shape
    flat = loudness.reshape(n_beats * ticks, n_bands)
    steps = np.maximum(np.diff(flat, axis=0, prepend=np.zeros((1, n_bands), dtype=flat.dtype)), 0.0)
    borders = np.linspace(0, n_bands, groups + 1).round().astype(np.int64)[:-1]
    return np.add.reduceat(steps, borders, axis=1).reshape(n_beats, ticks, groups)
