"""Videos whose pictures and sound are known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

RATE = 48_000


def _video(
    path: Path,
    *,
    pictures: int = 75,
    fps: int = 25,
    size: tuple[int, int] = (160, 90),
    sound_from: float = 0.0,
    sound_seconds: float | None = 3.0,
    title: str | None = None,
    aspect: Fraction | None = None,
) -> Path:
    """A video whose picture i has the brightness i, with a click 0.5 s into its sound."""
    with av.open(str(path), "w") as output:
        if title:
            output.metadata["title"] = title
        video = output.add_stream("libx264", rate=fps, options={"preset": "veryfast", "g": "25", "qp": "10"})
        assert isinstance(video, av.VideoStream)
        video.width, video.height = size
        video.pix_fmt = "yuv420p"
        if aspect is not None:
            video.codec_context.sample_aspect_ratio = aspect
        audio = None
        if sound_seconds is not None:
            audio = output.add_stream("aac", rate=RATE, layout="stereo")
            assert isinstance(audio, av.AudioStream)
        for number in range(pictures):
            gray = np.full((size[1], size[0], 3), 20 + number % 200, np.uint8)
            picture = av.VideoFrame.from_ndarray(gray, "rgb24")
            picture.pts, picture.time_base = number, Fraction(1, fps)
            output.mux(video.encode(picture))
        if audio is not None and sound_seconds is not None:
            sound = np.zeros((2, round(RATE * sound_seconds)), np.float32)
            sound[:, RATE // 2] = 0.9
            frame = av.AudioFrame.from_ndarray(sound, "fltp", "stereo")
            frame.sample_rate, frame.time_base, frame.pts = RATE, Fraction(1, RATE), round(sound_from * RATE)
            output.mux(audio.encode(frame))
            output.mux(audio.encode(None))
        output.mux(video.encode(None))
    return path


@pytest.fixture(scope="session")
def video() -> Callable[..., Path]:
    """`video(path, **what)` writes a video whose picture i has the brightness i, with a click 0.5 s into its sound."""
    return _video
