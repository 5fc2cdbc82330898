"""What a clip sounds like over time, on the clock of its picture.

Loudness and onset strength are curves of a hundred hops a second; onsets are the instants at which something is struck,
slams or begins. Who speaks when, and the class of the whole, are decided by `workbench.mix`.

Classes: `Soundtrack`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray
from workbench.video.picture import Stretches, check_stretches

SoundClass: TypeAlias = Literal["voice", "ambient", "silent", "none"]
HOPS_PER_SECOND = 100
"""hops of the curves in a second; hop k begins at k / 100 s"""


@dataclass(frozen=True, slots=True, eq=False)
class Soundtrack:
    """The sound of one clip, measured; times are video seconds, all arrays are read-only."""

    power: FloatArray
    """shape (n_hops,), K-weighted mean power of each hop, mono counted twice; float64"""
    peak: float
    """highest absolute sample, full scale 1.0"""
    attack: FloatArray
    """shape (n_hops,), onset strength, 1 is a typical strong onset of this clip; float32"""
    onsets: FloatArray
    """shape (n_onsets,), seconds at which a sound begins, strictly increasing; float64"""
    onset_strengths: FloatArray
    """shape (n_onsets,), dB by which each rises over what was heard before it; float32"""
    speech: FloatArray
    """shape (n_frames,), probability of speech, 0 to 1; float32"""
    frame_seconds: float
    """length of a frame of `speech`"""
    speech_ranges: Stretches
    """first and last sound of each phrase spoken in the foreground"""
    classification: SoundClass
    """`voice` someone speaks in the foreground, `ambient` any other sound, `silent` never over -60 dBFS, `none` no
    audio stream"""

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
        """Of a clip without an audio stream."""
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
        """Share of the clip in which somebody speaks, 0 to 1."""
        seconds = self.power.size / HOPS_PER_SECOND
        return sum(end - start for start, end in self.speech_ranges) / seconds if seconds else 0.0
