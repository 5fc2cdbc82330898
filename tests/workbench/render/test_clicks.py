import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.recording import Recording
from workbench.render.clicks import with_clicks


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
