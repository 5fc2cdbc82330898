"""Videos whose pictures and sound are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.videos import grey, write_video

RATE = 48_000


def _video(
    path: Path,
    *,
    pictures: int = 75,
    size: tuple[int, int] = (160, 90),
    sound_seconds: float | None = 3.0,
    **more: Any,
) -> Path:
    """A video whose picture i has the brightness i, with a click 0.5 s into its sound."""
    sound = None if sound_seconds is None else np.zeros((2, round(RATE * sound_seconds)), np.float32)
    if sound is not None:
        sound[:, RATE // 2] = 0.9
    shades = (grey(20 + number % 200, *size) for number in range(pictures))
    options = {"preset": "veryfast", "g": "25", "qp": "10"}
    return write_video(path, shades, 25, sound=sound, sample_rate=RATE, options=options, **more)


@pytest.fixture(scope="session")
def video() -> Callable[..., Path]:
    """`video(path, **what)` writes a video whose picture i has the brightness i, with a click 0.5 s into its sound."""
    return _video
