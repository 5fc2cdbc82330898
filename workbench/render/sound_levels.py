"""Levels of a written file: loudness in all its measures, and true peak, on the decoded sound.

A lossy codec changes peaks: sound that went in under the ceiling may come out some tenths of a dB over it. So the
file is decoded and measured as a listener gets it, block by block, so it may be of any length.

References
----------
ITU-R BS.1770-5 (2023), annexes 1 and 2; EBU Tech 3341 and 3342 (2023) for momentary and short-term loudness and the
loudness range; EBU Tech 3344 on the headroom that codecs need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.features.levels import LevelCurve, LevelMeter
from workbench.features.loudness import INTERPOLATOR_TAPS, interpolator, raise_peaks
from workbench.media.audio import decode_blocks
from workbench.recording import FloatArray


@dataclass(frozen=True, slots=True)
class SoundLevels:
    """Levels of a sound."""

    loudness_lufs: float  # gated loudness of the whole; -inf for silence
    true_peak_dbtp: float  # -inf for silence
    max_momentary_lufs: float = float("-inf")  # of the loudest 400 ms; -inf for silence
    max_short_term_lufs: float = float("-inf")  # of the loudest 3 s; -inf for silence
    loudness_range_lu: float | None = None  # None for silence, and for sound of less than 3 s
    # of all sound during speech, not gated by level (BS.1770-1); None without speech
    dialogue_lufs: float | None = None
    dialogue_share: float = 0.0  # share of the time with speech, 0 to 1


class PeakMeter:
    """Measures true peak block by block; equal to `workbench.features.loudness.true_peak_db` of the whole."""

    def __init__(self) -> None:
        self._half = INTERPOLATOR_TAPS // 2
        self._taps = interpolator()
        self._top = 0.0
        self._waiting: FloatArray | None = None

    def add(self, block: FloatArray) -> None:
        """Take the next block, shape (channels, n), full scale 1.0."""
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
        # The interpolator needs `_half` samples on both sides; those whose right neighbours are still to come wait for
        # the next block. Values below the highest peak so far are skipped inside, which is why it is passed on.
        count = sound.shape[1] - 2 * self._half
        if count > 0 and self._top > 0.0:
            peaks = np.zeros(count, dtype=np.float32)
            raise_peaks(np.ascontiguousarray(sound), self._taps, np.float32(self._top), peaks)
            self._top = max(self._top, float(peaks.max()))
        self._waiting = sound[:, max(0, count) :].copy()


def measure_levels(path: Path, speech: Sequence[Sequence[float]] = ()) -> SoundLevels:
    """Measure the sound of a sound file or a video; `speech` lists disjoint pairs of seconds.

    Raises `MediaError` where there is no sound, or the file is torn.
    """
    rate = 0

    def blocks() -> Iterable[FloatArray]:
        nonlocal rate
        for block in decode_blocks(path):
            rate = block.sample_rate
            yield block.samples

    return _measure(blocks(), lambda: rate, speech)


def measure_blocks(blocks: Iterable[FloatArray], rate: int, speech: Sequence[Sequence[float]] = ()) -> SoundLevels:
    """Measure sound as it is made, in blocks of shape (channels, n); raises `ParameterError` for a rate under 4 kHz."""
    return _measure(blocks, lambda: rate, speech)


def _measure(blocks: Iterable[FloatArray], rate: Callable[[], int], speech: Sequence[Sequence[float]]) -> SoundLevels:
    """Measure blocks whose rate is known once there is one."""
    peak, channels, meter = PeakMeter(), 0, None
    for block in blocks:
        meter, channels = meter or LevelMeter(rate()), block.shape[0]
        meter.add(block)
        peak.add(block)
    if meter is None:
        return SoundLevels(float("-inf"), float("-inf"))
    curve = meter.curve()
    if channels == 1:  # a level curve counts mono twice, as on two loudspeakers; BS.1770 counts the channels of a file
        curve = LevelCurve(0.5 * curve.power, curve.peak)
    ranges = [(start, min(end, curve.duration)) for start, end in speech if start < curve.duration]
    spoken = curve.lufs_within(ranges)
    return SoundLevels(
        loudness_lufs=curve.integrated(),
        true_peak_dbtp=peak.peak_dbtp(),
        max_momentary_lufs=curve.max_momentary(),
        max_short_term_lufs=curve.max_short_term(),
        loudness_range_lu=curve.loudness_range(),
        dialogue_lufs=spoken if np.isfinite(spoken) else None,
        dialogue_share=sum(end - start for start, end in ranges) / curve.duration if curve.duration else 0.0,
    )
