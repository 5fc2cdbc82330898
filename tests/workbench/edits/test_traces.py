"""Frames of a video file on a regular grid, with what each of them says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from tests.videos import write_video
from workbench.edits.traces import trace_video
from workbench.errors import MediaError

RATE = 25


def drawn(path: Path) -> Path:
    """Two seconds of one pattern, one of black, two of another."""
    dice = np.random.default_rng(2)
    one, other = (dice.integers(0, 255, (9, 16, 3), dtype=np.uint8).repeat(20, axis=0).repeat(20, axis=1) for _ in "ab")
    return write_video(path, [*[one] * 50, *[np.zeros_like(one)] * 25, *[other] * 50], RATE)


def test_frames_cuts_and_black(tmp_path: Path) -> None:
    trace = trace_video(drawn(tmp_path / "video.mp4"))
    assert (float(trace.frame_rate), trace.frames) == (RATE, 125)
    assert np.flatnonzero(trace.blank).tolist() == list(range(50, 75))
    assert trace.cuts.size >= 1
    assert set(trace.cuts.tolist()) <= {50, 75}
    same, unlike = (np.linalg.norm(trace.picture[k] - trace.picture[0]) for k in (40, 100))
    assert same < 0.1
    assert unlike > 0.5
    assert np.ptp(trace.sound) == 0  # there is none


def test_the_grid_of_another_video(tmp_path: Path) -> None:
    trace = trace_video(drawn(tmp_path / "video.mp4"), Fraction(30_000, 1001))
    assert trace.frames == round(5 * 30_000 / 1001)
    assert np.flatnonzero(trace.blank)[0] == 60


def test_a_file_of_sound_alone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sound.m4a"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 16_000), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 16_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(MediaError, match=r"sound\.m4a: has no moving picture"):
        trace_video(path)
