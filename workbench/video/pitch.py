"""The pitch of a voice, fifty times a second, by which singing and talk differ.

A singer holds notes, a talker glides. Each step is measured on 64 ms, whose autocorrelation, divided by that of the
window, is highest where the sound repeats itself (Boersma). It is taken of the spectrum raised to 2/3 of its power, so
that the many partials of a voice outweigh the few strong ones of a bass or a chord below it (Tolonen and Karjalainen).
The height of the peak is how clearly the sound repeats itself: above a half for a vowel, near 0 for noise.

References
----------
P. Boersma, "Accurate short-term analysis of the fundamental frequency and the harmonics-to-noise ratio of a sampled
sound", IFA Proceedings 17 (1993).
T. Tolonen and M. Karjalainen, "A computationally efficient multipitch analysis model", IEEE Transactions on Speech and
Audio Processing 8 (2000).
"""

from __future__ import annotations

import numpy as np

from workbench.recording import FloatArray
from workbench.video.windows import RATE, MonoWindows

PITCHES_PER_SECOND = 50
"""steps in a second; step k is centred on k / 50 s"""
_STEP = RATE // PITCHES_PER_SECOND
_WINDOW = 1024
"""samples, 64 ms"""
_FFT = 2048
"""twice the window, so that the autocorrelation does not wrap around"""
_LOWEST_HZ, _HIGHEST_HZ = 65.0, 1000.0
"""range of pitches: C2 to about B5"""
_COMPRESSION = 2 / 3
"""exponent on the power spectrum"""
_OCTAVE_COST = 0.01
"""clarity that an octave further down costs: what repeats after one period does so after two"""
_BATCH = 512
"""frames transformed at a time, which bounds the memory"""


class PitchMeter:
    """Measures mono sound at 16 kHz block by block."""

    def __init__(self) -> None:
        self._window = np.hanning(_WINDOW).astype(np.float32)
        own = np.fft.irfft(np.abs(np.fft.rfft(self._window, _FFT)) ** 2)
        self._lags = np.arange(int(RATE / _HIGHEST_HZ) - 1, int(RATE / _LOWEST_HZ) + 2)
        self._own = (own / own[0])[self._lags].astype(np.float32) ** _COMPRESSION
        self._cost = (_OCTAVE_COST * np.log2(self._lags * _LOWEST_HZ / RATE)).astype(np.float32)
        self._windows = MonoWindows(_WINDOW, _STEP, _WINDOW // 2)
        self._found: list[FloatArray] = []

    def add(self, block: FloatArray) -> None:
        """Take the next block, mono at 16 kHz; raises `ParameterError` for more than one channel."""
        self._take(self._windows.add(block))

    def pitches(self) -> FloatArray:
        """MIDI number (69 is 440 Hz) and clarity, 0 to 1, of each step, shape (n_steps, 2); no block may follow."""
        self._take(self._windows.rest())
        return np.concatenate([np.zeros((0, 2), dtype=np.float32), *self._found])

    def _take(self, frames: FloatArray) -> None:
        self._found += [self._measure(frames[k : k + _BATCH]) for k in range(0, len(frames), _BATCH)]

    def _measure(self, frames: FloatArray) -> FloatArray:
        """Pitch and clarity of each frame, shape (n, 2)."""
        from scipy.fft import irfft, rfft

        spectrum = rfft((frames - frames.mean(axis=1, keepdims=True)) * self._window, _FFT, axis=1)
        correlation = irfft(np.abs(spectrum) ** (2 * _COMPRESSION), axis=1)
        # divided by the window's own autocorrelation (Boersma), or long lags would look less alike than short ones
        likeness = correlation[:, self._lags] / (self._own * np.maximum(correlation[:, :1], 1e-9))
        inner = likeness[:, 1:-1]
        peaks = (inner >= likeness[:, :-2]) & (inner >= likeness[:, 2:])
        best = np.where(peaks, inner - self._cost[1:-1], -1.0).argmax(axis=1) + 1
        rows = np.arange(len(frames))
        before, at, after = (likeness[rows, best + shift] for shift in (-1, 0, 1))
        # The top of the parabola through the peak and its neighbours.
        bend = np.minimum(before - 2 * at + after, -1e-9)
        lag = self._lags[best] + np.clip(0.5 * (before - after) / bend, -0.5, 0.5)
        midi = 69 + 12 * np.log2(RATE / lag / 440)
        clarity = np.where(peaks[rows, best - 1], np.clip(at, 0.0, 1.0), 0.0)
        return np.column_stack([midi, clarity]).astype(np.float32)
