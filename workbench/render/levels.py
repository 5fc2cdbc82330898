"""Levels of a written file: gated loudness and true peak, measured on the decoded sound.

A lossy codec does not keep peaks: sound that went in under the ceiling may come out some tenths of a dB over it. So the
file is decoded and measured as a listener gets it, block by block, whatever its length.

Functions: `measure_levels`, which measures a file. Classes: `SoundLevels`, `PeakMeter`.

References
----------
ITU-R BS.1770-5 (2023), annexes 1 and 2; EBU Tech 3344 on the headroom that codecs need.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.features.loudness import INTERPOLATOR_TAPS, interpolator, interval_peaks
from workbench.media.audio import decode_blocks
from workbench.mix.levels import LevelCurve, LevelMeter
from workbench.recording import FloatArray


@dataclass(frozen=True, slots=True)
class SoundLevels:
    """Levels of a file."""

    loudness_lufs: float
    """gated loudness of the whole; -inf for silence"""
    true_peak_dbtp: float
    """-inf for silence"""


class PeakMeter:
    """Measures true peak block by block; equal to `workbench.features.loudness.true_peak_db` of the whole."""

    def __init__(self) -> None:
        self._half = INTERPOLATOR_TAPS // 2
        self._taps = interpolator()
        self._top = 0.0
        self._waiting: FloatArray | None = None

    def add(self, block: FloatArray) -> None:
        """Take the next block.

        Parameters
        ----------
        block : shape (channels, n), full scale 1.0
        """
        sound = block.astype(np.float32, copy=False)
        if not sound.shape[1]:
            return
        self._top = max(self._top, float(sound.max()), -float(sound.min()))
        before = np.zeros((sound.shape[0], self._half + 1), np.float32) if self._waiting is None else self._waiting
        self._look(np.concatenate([before, sound], axis=1))

    def peak_dbtp(self) -> float:
        """True peak of all blocks, dBTP; -inf for silence. No block may follow."""
        if self._waiting is not None:
            self._look(np.pad(self._waiting, ((0, 0), (0, self._half))))
        return 20.0 * float(np.log10(self._top)) if self._top > 0.0 else float("-inf")

    def _look(self, sound: FloatArray) -> None:
        """Measure between all samples whose neighbours are known, and keep what the next ones need."""
        count = sound.shape[1] - 2 * self._half
        if count > 0 and self._top > 0.0:
            peaks = np.zeros(count, dtype=np.float32)
            interval_peaks(np.ascontiguousarray(sound), self._taps, np.float32(self._top), peaks)
            self._top = max(self._top, float(peaks.max()))
        self._waiting = sound[:, max(0, count) :].copy()


def measure_levels(path: Path) -> SoundLevels:
    """Measure the sound of a file.

    Parameters
    ----------
    path : a sound file, or a video with sound

    Returns
    -------
    loudness and true peak; both -inf for silence

    Raises
    ------
    MediaError : no such file, no media, no sound in it, or a torn file
    """
    peak, channels, meter = PeakMeter(), 0, None
    for block in decode_blocks(path):
        meter, channels = meter or LevelMeter(block.sample_rate), block.samples.shape[0]
        meter.add(block.samples)
        peak.add(block.samples)
    if meter is None:
        return SoundLevels(float("-inf"), float("-inf"))
    curve = meter.curve()
    if channels == 1:  # a level curve counts mono twice, as on two loudspeakers; BS.1770 counts the channels of a file
        curve = LevelCurve(0.5 * curve.power, curve.peak)
    return SoundLevels(curve.integrated(), peak.peak_dbtp())
