"""Encoded sound: its packets come back as they were, and its peak is what a player hears."""

from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.params import RenderParams
from workbench.render.aac import encode
from workbench.render.sound_levels import measure_levels

RATE = 48_000


def bright(seconds: int) -> list[NDArray[np.float32]]:
    """Hard noise, of which a codec keeps no peak, in blocks of uneven length."""
    sound = 0.5 * np.sign(np.random.default_rng(3).standard_normal((2, seconds * RATE))).astype(np.float32)
    return np.split(sound, [7, 1000, 50_000], axis=1)


def test_the_peak_is_the_one_of_the_file_that_the_packets_make(tmp_path: Path) -> None:
    with encode(bright(3), RenderParams(), tmp_path, measured=True) as sound:
        with av.open(str(tmp_path / "sound.mp4"), "w") as container:
            stream = container.add_stream("aac", rate=RATE, layout="stereo")
            for packet in sound.packets():
                packet.stream = stream
                container.mux(packet)
        assert sound.true_peak_dbtp == pytest.approx(measure_levels(tmp_path / "sound.mp4").true_peak_dbtp, abs=0.01)
    assert sound.true_peak_dbtp > -6.0


def test_packets_may_be_read_again_and_follow_one_another(tmp_path: Path) -> None:
    with encode(bright(2), RenderParams(), tmp_path, measured=False) as sound:
        first, again = ([(bytes(packet), packet.pts, packet.duration) for packet in sound.packets()] for _ in range(2))
        assert [path.name for path in tmp_path.iterdir() if path.suffix != ".part"] == []
    assert first == again
    times = [(pts, duration) for _, pts, duration in first if pts is not None and duration is not None]
    assert len(times) == len(first)
    assert all(after - before == duration for (before, duration), (after, _) in pairwise(times))
    assert times[0][0] <= 0
    assert sum(times[-1]) == 2 * RATE
    assert list(tmp_path.iterdir()) == []


def test_silence_has_no_peak(tmp_path: Path) -> None:
    with encode([np.zeros((2, RATE), dtype=np.float32)], RenderParams(), tmp_path, measured=True) as sound:
        assert sound.true_peak_dbtp < -90.0
