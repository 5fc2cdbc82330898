"""Previews, clicks and AAC."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.params import PreviewParams, RenderParams
from workbench.recording import Recording
from workbench.render.aac import encode
from workbench.render.clicks import with_clicks
from workbench.render.preview import MARK_EVERY_SECONDS, MARK_SECONDS, mark_times, preview_of
from workbench.render.sound_levels import measure_levels

RATE = 44_100


def noise(level_db: float, seconds: float = 40.0) -> Recording:
    samples = np.random.default_rng(3).standard_normal((2, round(seconds * RATE)))
    return Recording.from_samples((10.0 ** (level_db / 20.0) * samples).astype(np.float32), RATE)


def rms_db(samples: np.ndarray) -> float:
    return float(10.0 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-20))


@pytest.mark.parametrize(("level_db", "under_db"), [(-20.0, 6.0), (-30.0, 6.0), (-20.0, 3.0)])
def test_marks_keep_their_distance_under_loud_and_quiet_music(level_db: float, under_db: float) -> None:
    track = noise(level_db)
    marked = preview_of(track, 5.0, 35.0, PreviewParams(mark_under_db=under_db))
    added = marked.samples - track.samples[:, 5 * RATE : 35 * RATE]
    for begin in mark_times(30.0):
        mark = added[:, round(begin * RATE) : round((begin + MARK_SECONDS) * RATE)]
        assert rms_db(mark) - level_db == pytest.approx(-under_db, abs=0.5)


def test_no_clean_stretch_is_longer_than_the_distance_of_marks() -> None:
    for seconds in (3.0, 8.0, 17.3, 30.0):
        times = mark_times(seconds)
        gaps = np.diff(np.concatenate(([0.0], times, [seconds])))
        assert gaps.max() <= 1.5 * MARK_EVERY_SECONDS
        assert np.ptp(np.diff(times)) < 1e-9 if times.size > 2 else True


def test_silence_is_marked_too() -> None:
    marked = preview_of(Recording.from_samples(np.zeros((1, 20 * RATE), dtype=np.float32), RATE), 0.0, 20.0)
    assert rms_db(marked.samples[:, round(mark_times(20.0)[0] * RATE) :][:, : RATE // 2]) > -40.0


def test_an_excerpt_outside_the_track_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"no sound from 50\.000"):
        preview_of(noise(-20.0), 50.0, 60.0)


def test_clicks_begin_on_their_beats_to_the_sample() -> None:
    rate = 44_100
    silence = Recording.from_samples(np.zeros((2, 2 * rate)), rate)
    grid = BeatGrid(np.array([0.5, 1.0, 1.99]), np.array([1, 2, 3]), 4)
    clicked = with_clicks(silence, grid, level_db=-20.0)
    assert clicked.samples.shape == (2, 2 * rate)
    sounding = np.flatnonzero(clicked.samples[0])
    starts = sounding[np.flatnonzero(np.diff(sounding, prepend=-rate) > 1000)]
    np.testing.assert_array_equal(starts, np.round(grid.beats * rate))
    np.testing.assert_allclose(clicked.samples[:, starts], 0.1, rtol=1e-6)


def test_clicks_never_overshoot() -> None:
    loud = Recording.from_samples(np.ones(8000), 8000)
    clicked = with_clicks(loud, BeatGrid(np.array([0.25]), np.array([1]), 4), level_db=0.0)
    assert np.abs(clicked.samples).max() <= 1.0


AAC_RATE = 48_000


def bright(seconds: int) -> list[NDArray[np.float32]]:
    """Hard noise, of which a codec keeps no peak, in blocks of uneven length."""
    sound = 0.5 * np.sign(np.random.default_rng(3).standard_normal((2, seconds * AAC_RATE))).astype(np.float32)
    return np.split(sound, [7, 1000, 50_000], axis=1)


def test_the_peak_is_the_one_of_the_file_that_the_packets_make(tmp_path: Path) -> None:
    with encode(bright(3), RenderParams(), tmp_path, measured=True) as sound:
        with av.open(str(tmp_path / "sound.mp4"), "w") as container:
            stream = container.add_stream("aac", rate=AAC_RATE, layout="stereo")
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
    assert sum(times[-1]) == 2 * AAC_RATE
    assert list(tmp_path.iterdir()) == []


def test_silence_has_no_peak(tmp_path: Path) -> None:
    with encode([np.zeros((2, AAC_RATE), dtype=np.float32)], RenderParams(), tmp_path, measured=True) as sound:
        assert sound.true_peak_dbtp < -90.0
