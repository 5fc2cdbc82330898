"""Compile the analysis kernels now, so that the first track and the first video do not wait for it.

The compiled code is cached on disk beside its source; later processes load it in milliseconds. The set-up calls
`python -m workbench.analysis.warm_up`.
"""

from __future__ import annotations

import sys
import time

import av
import numpy as np

from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import place
from workbench.beats import track
from workbench.features.loudness import integrated_lufs, momentary, true_peak_db
from workbench.features.marks import Marks
from workbench.media.video_reader import CHROMA_SHAPE, LUMA_SHAPE, shrink_picture
from workbench.mix.limiter import limit
from workbench.seams._kernels import add_products
from workbench.video.events import EVENT_KINDS, Events
from workbench.video.picture_meter import PictureMeter

# of one byte a value, of two, and with both colour differences in one plane
_PIXEL_FORMATS = ("yuv420p", "yuv420p10le", "nv12")


def warm_up() -> float:
    """Compile every kernel that analysis, videos, placing and rendering use; returns the seconds that it took."""
    started = time.perf_counter()
    track.warm_up()
    _warm_up_seams()
    rate = 44_100
    loud = np.sin(np.arange(4 * rate, dtype=np.float32))[np.newaxis].repeat(2, axis=0)
    limit(loud, rate)
    for meter in (integrated_lufs, momentary):
        meter(loud, rate)
    true_peak_db(loud)
    _warm_up_pictures()
    _warm_up_align()
    return time.perf_counter() - started


def _warm_up_seams() -> None:
    """Compare one pair of beats, as those of a long recording are compared."""
    nowhere = np.zeros(1, dtype=np.int64)
    add_products(np.ones((1, 1), dtype=np.float32), nowhere, nowhere, 1, np.zeros(1, dtype=np.float32))


def _warm_up_pictures() -> None:
    """Shrink a picture of each kind, and find the dissolve and the cut of a video of three views."""
    for pixel_format in _PIXEL_FORMATS:
        luma, chroma = np.empty(LUMA_SHAPE, dtype=np.float32), np.empty((2, *CHROMA_SHAPE), dtype=np.float32)
        shrink_picture(av.VideoFrame(128, 72, pixel_format), luma, chroma)
    y, x = np.mgrid[: LUMA_SHAPE[0], : LUMA_SHAPE[1]]
    one, other, last = (0.5 + 0.4 * np.sin(a * x + b * y) for a, b in ((0.3, 0.1), (0.1, 0.4), (0.5, 0.3)))
    shares = np.clip((np.arange(75) - 30) / 15, 0.0, 1.0)[:, np.newaxis, np.newaxis]
    luma = np.concatenate([one * (1 - shares) + other * shares, np.repeat(last[np.newaxis], 25, axis=0)])
    video = PictureMeter()
    video.add(np.arange(100) / 25, luma.astype(np.float32), np.zeros((100, 2, *CHROMA_SHAPE), dtype=np.float32))
    video.picture(4.0)


def _warm_up_align() -> None:
    """Place a track of two landmarks in a video of two events."""
    times, kinds, full = np.array([2.0, 5.0]), np.zeros(2, dtype=np.int32), np.ones(2)
    track, video = (Marks(names, times, kinds, full, 0.03 * full) for names in (LANDMARK_KINDS, EVENT_KINDS))
    place(Landmarks(track, 8.0, 0.0, 8.0), Events(video, 8.0))


if __name__ == "__main__":
    print(f"[set-up] kernels compiled in {warm_up():.0f} s", file=sys.stderr)
