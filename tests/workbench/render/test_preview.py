"""Previews: the part one remembers, marked so that it can be judged by and used for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.params import PreviewParams
from workbench.recording import Recording
from workbench.render.preview import MARK_EVERY_SECONDS, MARK_SECONDS, mark_times, preview_of

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
