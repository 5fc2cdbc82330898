"""The soundtrack of a video over time, on the clock of its picture.

Loudness and onset strength are curves of a hundred hops a second; onsets are the instants at which something is struck,
slams or begins. Who speaks when, and the class of the whole, are decided by
`workbench.video.utterances`.

Onset strength is the mean rise of level over 24 bands, each against the loudest of its neighbours three hops before, so
that a gliding voice does not count (SuperFlux). An onset is a peak of it; its strength is the rise of the level in dB
over the 100 ms before.

References
----------
Böck & Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray
from workbench.video.picture import Stretches, check_stretches

Classification: TypeAlias = Literal["voice", "ambient", "silent", "none"]
CLASSIFICATIONS: tuple[Classification, ...] = ("voice", "ambient", "silent", "none")
"""someone speaks in the foreground; any other sound; a stream that never exceeds -60 dBFS; no stream"""
HOPS_PER_SECOND = 100
"""hops of the curves in a second; hop k begins at k / 100 s"""
_WINDOW = 512  # samples at 16 kHz, 32 ms
_BANDS = 24  # of equal width on a logarithmic axis
_LOWEST_HZ = 60.0  # lower edge of the bands
_LAG = 3  # hops that a rise is measured over: just under the window
_FLOOR = 1e-7  # power of a band, -70 dBFS
_LEAST_RISE = 3.0  # dB, mean over the bands, under which there is no onset
_LEAST_YARDSTICK = 6.0  # dB, least rise that counts as onset strength 1
_LEAST_STRENGTH_DB = 3.0  # rise of the level under which a peak is no onset
_APART_HOPS = 9  # a peak is the largest within 40 ms to each side


@dataclass(frozen=True, slots=True, eq=False)
class Soundtrack:
    """The sound of one video, measured; times are video seconds, all arrays are read-only."""

    power: FloatArray
    """shape (n_hops,), K-weighted mean power of each hop, mono counted twice; float64"""
    peak: float
    """highest absolute sample, full scale 1.0"""
    attack: FloatArray
    """shape (n_hops,), onset strength, 1 is a typical strong onset of this video; float32"""
    onsets: FloatArray
    """shape (n_onsets,), seconds at which a sound begins, strictly increasing; float64"""
    onset_strengths: FloatArray
    """shape (n_onsets,), dB by which each rises over the sound before it; float32"""
    speech: FloatArray
    """shape (n_frames,), probability of speech, 0 to 1; float32"""
    frame_seconds: float
    """length of a frame of `speech`"""
    speech_ranges: Stretches
    """first and last sound of each utterance spoken in the foreground"""
    classification: Classification
    """`voice` foreground speech, `ambient` any other sound, `silent` never over -60 dBFS, `none` no audio stream"""

    def __post_init__(self) -> None:
        types = {"power": np.float64, "attack": np.float32, "onsets": np.float64, "onset_strengths": np.float32,
                 "speech": np.float32}  # fmt: skip
        for name, dtype in types.items():
            array = np.array(getattr(self, name), dtype=dtype)
            if array.ndim != 1 or not np.all(np.isfinite(array)) or np.any(array < 0):
                raise ParameterError(f"{name} must be a row of finite numbers of 0 or more, got shape {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if self.attack.shape != self.power.shape:
            raise ParameterError(f"power and attack share their hops, got {self.power.size} and {self.attack.size}")
        if self.onsets.shape != self.onset_strengths.shape or np.any(np.diff(self.onsets) <= 0):
            raise ParameterError("onsets must increase, and each must have a strength")
        if not 0 <= self.peak < float("inf") or not self.frame_seconds > 0:
            raise ParameterError(f"impossible peak {self.peak} or frame of {self.frame_seconds} s")
        check_stretches("speech_ranges", self.speech_ranges)

    @classmethod
    def none(cls) -> Soundtrack:
        """The soundtrack of a video without an audio stream."""
        empty = np.zeros(0)
        return cls(empty, 0.0, empty, empty, empty, empty, 1.0, (), "none")

    @property
    def loudness(self) -> FloatArray:
        """Momentary loudness: LUFS of the 400 ms around each hop, shape (n_hops,), not below -80."""
        if not self.power.size:
            return np.zeros(0)
        from scipy.ndimage import uniform_filter1d

        mean = uniform_filter1d(self.power, min(self.power.size, 2 * HOPS_PER_SECOND // 5), mode="constant")
        lufs: FloatArray = np.maximum(10 * np.log10(np.maximum(mean, 1e-12)) - 0.691, -80.0)
        return lufs

    @property
    def speech_share(self) -> float:
        """Share of the video with speech, 0 to 1."""
        seconds = self.power.size / HOPS_PER_SECOND
        return sum(end - start for start, end in self.speech_ranges) / seconds if seconds else 0.0


class OnsetMeter:
    """Finds onsets in mono sound, block by block."""

    def __init__(self, sample_rate: int) -> None:
        self._hop = sample_rate // HOPS_PER_SECOND
        self._weights = _bands(sample_rate)
        self._window = np.hanning(_WINDOW).astype(np.float32)
        self._waiting = np.zeros(_WINDOW // 2, dtype=np.float32)
        self._levels = np.zeros((0, _BANDS), dtype=np.float32)
        self._rises: list[FloatArray] = []
        self._loud: list[FloatArray] = []

    def add(self, sound: FloatArray) -> None:
        """Take the next block, full scale 1.0."""
        from scipy.fft import rfft

        waiting = np.concatenate([self._waiting, sound.astype(np.float32, copy=False)])
        n_frames = (waiting.size - _WINDOW) // self._hop + 1
        if n_frames > 0:
            frames = np.lib.stride_tricks.sliding_window_view(waiting, _WINDOW)[: n_frames * self._hop : self._hop]
            power = np.square(np.abs(rfft(frames * self._window, axis=1))) @ self._weights
            self._measure(10 * np.log10(power + _FLOOR).astype(np.float32))
            waiting = waiting[n_frames * self._hop :]
        self._waiting = waiting

    def onsets(self, n_hops: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Onset strength and onsets of all blocks; no block may follow.

        The curve of strength, in which 1 is a typical strong onset, is cut off or filled up to `n_hops`. Each onset has
        its time, s, and its strength, the rise over the sound before in dB.
        """
        from scipy.ndimage import maximum_filter1d, uniform_filter1d

        self.add(np.zeros(_WINDOW, dtype=np.float32))
        rise, loud = (_fit_length(np.concatenate([np.zeros(0, np.float32), *rows]), n_hops) for rows in
                      (self._rises, self._loud))  # fmt: skip
        strong = rise[rise > _LEAST_RISE]
        yardstick = max(float(np.quantile(strong, 0.9)) if strong.size else 0.0, _LEAST_YARDSTICK)
        attack = rise / np.float32(yardstick)
        if not n_hops:
            return attack, np.zeros(0), np.zeros(0)
        usual = uniform_filter1d(rise, 2 * HOPS_PER_SECOND)
        peaks = np.flatnonzero((rise == maximum_filter1d(rise, _APART_HOPS)) & (rise > _LEAST_RISE + usual))
        peaks = peaks[np.diff(peaks, prepend=-_APART_HOPS) >= _APART_HOPS // 2]
        # the 100 ms up to 20 ms before the peak, in which the window does not see the onset yet
        before = np.array([10 * np.log10(np.mean(10 ** (loud[max(0, k - 12) : max(1, k - 2)] / 10))) for k in peaks])
        after = np.array([loud[k : k + 6].max() for k in peaks])
        strengths = np.maximum(after - before, 0.0) if peaks.size else np.zeros(0)
        enough = strengths > _LEAST_STRENGTH_DB
        return attack, peaks[enough] / HOPS_PER_SECOND, strengths[enough].astype(np.float32)

    def _measure(self, levels: FloatArray) -> None:
        from scipy.ndimage import maximum_filter1d

        known = np.concatenate([self._levels, levels]) if self._levels.size else np.concatenate(
            [np.repeat(levels[:1], _LAG, axis=0), levels])  # fmt: skip
        loudest = maximum_filter1d(known[:-_LAG], 3, axis=1)
        self._rises.append(np.maximum(known[_LAG:] - loudest, 0.0).mean(axis=1))
        self._loud.append(10 * np.log10(np.power(10.0, levels / 10).sum(axis=1)).astype(np.float32))
        self._levels = known[-_LAG:]


def _fit_length(values: FloatArray, length: int) -> FloatArray:
    """The first values, or filled up with their last one."""
    return np.pad(values[:length], (0, max(0, length - values.size)), mode="edge" if values.size else "constant")


def _bands(sample_rate: int) -> FloatArray:
    """Weights of bins in bands of equal width on a logarithmic axis, shape (n_bins, n_bands), float32."""
    edges = np.geomspace(_LOWEST_HZ, 0.47 * sample_rate, _BANDS + 1)
    bins = np.fft.rfftfreq(_WINDOW, 1 / sample_rate)
    place = np.searchsorted(edges, bins, side="right") - 1
    weights = np.zeros((bins.size, _BANDS), dtype=np.float32)
    for band in range(_BANDS):
        inside = place == band
        if not inside.any():
            inside[np.argmin(np.abs(bins - np.sqrt(edges[band] * edges[band + 1])))] = True
        weights[inside, band] = (2.0 / _WINDOW) ** 2
    return weights
