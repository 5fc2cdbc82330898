"""How loud a written file is: its gated loudness and true peak, measured on what comes out of a decoder.

A lossy codec does not keep peaks: what went in under the ceiling may come out a few tenths of a dB over it. So what
counts is measured on the file as a listener gets it, block by block, whatever its length.

Functions: `heard_levels`, which measures a file. Classes: `SoundLevels`, `PeakMeter`.

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
    """How loud a file is."""

    loudness_lufs: float
    """gated loudness of the whole; -inf for silence"""
    true_peak_dbtp: float
    """-inf for silence"""


class PeakMeter:
    """True peak of sound that comes in blocks; the same as of the whole, `workbench.features.loudness.true_peak_db`."""

    def __init__(self) -> None:
        self._half = INTERPOLATOR_TAPS // 2
        self._taps = interpolator()
        self._top = 0.0
        self._waiting: FloatArray | None = None

    def add(self, block: FloatArray) -> None:
        """Take a block, shape (channels, n)."""
        sound = block.astype(np.float32, copy=False)
        if not sound.shape[1]:
            return
        self._top = max(self._top, float(sound.max()), -float(sound.min()))
        before = np.zeros((sound.shape[0], self._half + 1), np.float32) if self._waiting is None else self._waiting
        self._look(np.concatenate([before, sound], axis=1))

    def peak_dbtp(self) -> float:
        """The highest so far when the sound ends here; -inf for silence. The meter is at its end."""
        if self._waiting is not None:
            self._look(np.pad(self._waiting, ((0, 0), (0, self._half))))
        return 20.0 * float(np.log10(self._top)) if self._top > 0.0 else float("-inf")

    def _look(self, sound: FloatArray) -> None:
        """Look between all samples that have their surroundings, and keep what the next ones need."""
        count = sound.shape[1] - 2 * self._half
        if count > 0 and self._top > 0.0:
            peaks = np.zeros(count, dtype=np.float32)
            interval_peaks(np.ascontiguousarray(sound), self._taps, np.float32(self._top), peaks)
            self._top = max(self._top, float(peaks.max()))
        self._waiting = sound[:, max(0, count) :].copy()


def heard_levels(path: Path) -> SoundLevels:
    """Measure the sound of a file, a video's as well as a sound file's.

    Raises
    ------
    MediaError : no such file, or no sound in it
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
