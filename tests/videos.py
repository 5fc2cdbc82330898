"""Small videos that tests draw."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

_BLOCK = 1024  # samples, of AAC


def write_video(
    path: Path,
    pictures: Iterable[NDArray[np.uint8]],
    fps: int | Fraction,
    *,
    sound: NDArray[np.float32] | None = None,
    sample_rate: int = 48_000,
    title: str = "",
) -> Path:
    """Write a video in H.264, and its sound in AAC.

    Parameters
    ----------
    path : of the file; its suffix says which container
    pictures : of one shape, (height, width, 3), RGB
    fps : pictures a second
    sound : shape (1, n_samples) or (2, n_samples), full scale 1.0; None: a silent film, without a stream of sound
    sample_rate : of the sound, Hz
    title : kept in the container; empty for none
    """
    with av.open(str(path), "w") as container:
        if title:
            container.metadata["title"] = title
        seen = container.add_stream("libx264", rate=fps, options={"preset": "ultrafast"})
        heard = None
        if sound is not None:
            heard = container.add_stream("aac", rate=sample_rate, layout=_layout(sound))
        for number, picture in enumerate(pictures):
            if number == 0:
                (seen.height, seen.width), seen.pix_fmt = picture.shape[:2], "yuv420p"
            container.mux(seen.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(seen.encode(None))
        if heard is not None and sound is not None:
            for first in range(0, sound.shape[1], _BLOCK):
                block = np.ascontiguousarray(sound[:, first : first + _BLOCK], dtype=np.float32)
                frame = av.AudioFrame.from_ndarray(block, format="fltp", layout=_layout(sound))
                frame.sample_rate, frame.pts = sample_rate, first
                container.mux(heard.encode(frame))
            container.mux(heard.encode(None))
    return path


def grey(shade: int, width: int = 64, height: int = 48) -> NDArray[np.uint8]:
    """A plain picture.

    Parameters
    ----------
    shade : 0 to 255
    width, height : px, even numbers
    """
    return np.full((height, width, 3), shade, dtype=np.uint8)


def coloured_shots(count: int, seed: int = 2, width: int = 160) -> NDArray[np.uint8]:
    """Pictures of coarse coloured squares, shape (count, 9/16 width, width, 3), no two alike.

    Parameters
    ----------
    count : how many
    seed : of the colours
    width : px, a multiple of 16
    """
    cells = np.random.default_rng(seed).integers(20, 235, (count, 9, 16, 3))
    return cells.repeat(width // 16, axis=1).repeat(width // 16, axis=2).astype(np.uint8)


def _layout(sound: NDArray[np.float32]) -> str:
    return "mono" if sound.shape[0] == 1 else "stereo"
