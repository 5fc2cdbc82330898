"""Power of a sound in the bands of speech, a hundred times a second, from which the edges of words are found.

A first consonant may be 30 dB under the vowel that follows, and a rumble or a bass drum may hide it in the loudness of
the whole. In seven bands from 80 Hz to 7.8 kHz, each against its own background, it stands out in some.
"""

from __future__ import annotations

import numpy as np

from workbench.features.levels import HOPS_PER_SECOND
from workbench.recording import FloatArray
from workbench.video.windows import RATE, MonoWindows

BAND_EDGES_HZ = (80, 250, 500, 1000, 1700, 2600, 4000, 7800)
"""borders of the bands; the first holds the voice's lowest partials, the last its hisses"""
_HOP = RATE // HOPS_PER_SECOND
_WINDOW = 2 * _HOP  # samples, 20 ms
_FFT = 512  # samples; the window is filled up with zeros


class BandMeter:
    """Measures mono sound at 16 kHz block by block; each hop is measured in a window of 20 ms around it."""

    def __init__(self) -> None:
        self._window = np.hanning(_WINDOW + 2)[1:-1].astype(np.float32)
        hertz = np.fft.rfftfreq(_FFT, 1 / RATE)
        self._first = np.searchsorted(hertz, BAND_EDGES_HZ)
        self._windows = MonoWindows(_WINDOW, _HOP, _HOP // 2)
        self._levels: list[FloatArray] = []

    def add(self, block: FloatArray) -> None:
        """Take the next block, mono at 16 kHz; raises `ParameterError` for more than one channel."""
        self._measure(self._windows.add(block))

    def powers(self) -> FloatArray:
        """Mean power of each hop in each band, shape (n_hops, n_bands), float32; no block may follow."""
        self._measure(self._windows.rest())
        return np.concatenate([np.zeros((0, len(BAND_EDGES_HZ) - 1), dtype=np.float32), *self._levels])

    def _measure(self, windows: FloatArray) -> None:
        if len(windows):
            power = np.abs(np.fft.rfft(windows * self._window, _FFT, axis=1)) ** 2
            # Parseval's theorem, for one side of the spectrum.
            scale = 2 / (_FFT * float(np.sum(self._window**2)))
            summed = np.add.reduceat(power, self._first, axis=1)[:, :-1] * scale
            self._levels.append(summed.astype(np.float32))
