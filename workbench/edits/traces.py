"""A video as a row of small descriptors, one a frame of a regular grid: what two cuts are compared by.

**Picture.** Luma in 9 by 16 fields and both colour differences in 3 by 4, each less its mean and over its spread, so
that a grade or another exposure changes little; the distance of two descriptors is then about that of the pictures in
units of their own contrast: a hundredth or two for the same frame from two encoders, 1.4 for unrelated ones.

**Sound.** Level in dB in the seven bands of speech (`workbench.video.bands`), over the length of a frame.

**What a frame says.** Frames of a still picture are all alike, so that any of them would match any other. A frame
counts by how much it differs from the ones half a second before or after, from nothing for a picture that stands
still to 1; a black or blank one counts almost nothing. A still shot therefore counts where it begins and ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.edits.shots import find_usual_rate
from workbench.errors import MediaError
from workbench.features.levels import HOPS_PER_SECOND
from workbench.features.speech_probability import SAMPLE_RATE
from workbench.media.video_reader import PictureBlock, VideoLimits, open_video
from workbench.params import CutParams
from workbench.recording import BoolArray, FloatArray, IntArray, MonoMixer
from workbench.video.bands import BAND_EDGES_HZ, BandMeter
from workbench.video.picture_meter import PictureMeter

if TYPE_CHECKING:
    from workbench.media.audio import SoundBlock
    from workbench.video.bands import BandMeter

_SPREAD = 0.015  # of full luma or colour difference, added to spreads so that blank pictures have no pattern of noise
_COLOUR_SHARE = 0.5
_BLANK = 0.006  # of full luma: spread under which a picture does not show its shot
_SILENT_DB = -60.0
_SAME_RATE = 5e-4  # relative, by which the measured rate of a video may lie off a usual one


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One video on a grid of frames."""

    frame_rate: Fraction  # of the grid
    picture: FloatArray  # shape (n, 168), float32
    sound: FloatArray  # shape (n, 7), dB, float32; all silent where there is no sound
    blank: BoolArray  # shape (n,), frames that show nothing
    cuts: IntArray  # shape (n_cuts,), frames that open a shot, increasing, without the first

    @property
    def frames(self) -> int:
        """How many there are."""
        return int(self.picture.shape[0])


def trace_video(path: Path, frame_rate: Fraction | None = None) -> Trace:
    """Read a video once, every picture of it, and its sound, on a grid of `frame_rate`; None: the video's own.

    Raises `MediaError` where there is no file, no media or no moving picture, or the damage is beyond use.
    """
    params = CutParams()
    meter, ear = PictureMeter(params), _Ear()
    times: list[FloatArray] = []
    pictures: list[FloatArray] = []
    blank: list[BoolArray] = []
    with open_video(path, VideoLimits(params.max_video_seconds)) as reader:
        if not reader.has_picture:
            raise MediaError(f"{path}: has no moving picture; give a video")
        for block in reader.blocks():
            if isinstance(block, PictureBlock):
                meter.add(block.times, block.luma, block.chroma)
                times.append(block.times)
                pictures.append(_described(block))
                blank.append(block.luma.std(axis=(1, 2)) < _BLANK)
            else:
                ear.add(block)
        duration = reader.info().duration
    shown = np.concatenate(times)
    rate = frame_rate or _rate_of(shown, duration)
    count = max(1, round(duration * rate))
    # The picture on screen in the middle of each frame of the grid.
    middles = (np.arange(count) + 0.5) / float(rate)
    which = np.clip(np.searchsorted(shown, middles, side="right") - 1, 0, None)
    cuts = np.unique(np.rint(meter.picture(duration).cuts * float(rate)).astype(np.int64))
    return Trace(
        rate,
        np.concatenate(pictures)[which],
        ear.levels(middles, 1 / float(rate)),
        np.concatenate(blank)[which],
        cuts[(cuts > 0) & (cuts < count)],
    )


def _rate_of(times: FloatArray, duration: float) -> Fraction:
    """Mean frames a second, the usual rate where it is close to one."""
    rate = times.size / max(duration, 1e-3)
    return find_usual_rate(rate, _SAME_RATE) or Fraction(rate).limit_denominator(1000)


def _described(block: PictureBlock) -> FloatArray:
    count = block.times.size
    # 9 by 16 fields of 4 by 4 of the 36 by 64 that the reader gives; colour 3 by 4 of 18 by 32.
    luma = block.luma.reshape(count, 9, 4, 16, 4).mean(axis=(2, 4)).reshape(count, -1)
    colour = block.chroma.reshape(count, 2, 3, 6, 4, 8).mean(axis=(3, 5)).reshape(count, -1)
    return np.concatenate([_standard(luma), _COLOUR_SHARE * _standard(colour)], axis=1).astype(np.float32)


def _standard(values: FloatArray) -> FloatArray:
    centred = values - values.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.mean(centred**2, axis=1, keepdims=True)) + _SPREAD
    return np.asarray(centred / spread / np.sqrt(values.shape[1]))


class _Ear:
    """Levels of a soundtrack in bands, block by block."""

    def __init__(self) -> None:
        self._bands: BandMeter | None = None
        self._mono: Any = None
        self._mixer = MonoMixer()

    def add(self, block: SoundBlock) -> None:
        """Take the next block."""
        if self._bands is None:
            import soxr

            self._bands = BandMeter()
            self._mono = soxr.ResampleStream(block.sample_rate, SAMPLE_RATE, 1, dtype="float32")
        self._bands.add(self._mono.resample_chunk(self._mixer.mix(block.samples)))

    def levels(self, middles: FloatArray, seconds: float) -> FloatArray:
        """Level in each band around times, over so many seconds, shape (n, 7), dB."""
        if self._bands is None:
            return np.full((middles.size, len(BAND_EDGES_HZ) - 1), _SILENT_DB, dtype=np.float32)
        self._bands.add(self._mono.resample_chunk(np.zeros(0, dtype=np.float32), last=True))
        # Running sums give the mean over any window in one subtraction; float64, because an hour of float32 sums loses
        # the quiet parts.
        summed = np.cumsum(np.pad(self._bands.powers(), ((1, 0), (0, 0))), axis=0, dtype=np.float64)
        first, stop = (
            np.clip(np.rint((middles + side * seconds) * HOPS_PER_SECOND), 0, len(summed) - 1).astype(int)
            for side in (-0.5, 0.5)
        )
        power = (summed[stop] - summed[first]) / np.maximum(stop - first, 1)[:, None]
        return np.asarray(np.maximum(10 * np.log10(power + 1e-12), _SILENT_DB), dtype=np.float32)
