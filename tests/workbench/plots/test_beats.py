import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.plots.beats import beats_figure, envelope
from workbench.plots.palette import png
from workbench.recording import Recording


def test_envelope_holds_the_extremes_of_each_stretch() -> None:
    low, high = envelope(np.array([0.0, 1.0, -1.0, 0.5, 0.2, 0.1]), columns=3)
    np.testing.assert_array_equal(low, [0.0, -1.0, 0.1])
    np.testing.assert_array_equal(high, [1.0, 0.5, 0.2])


def test_envelope_of_sound_shorter_than_its_columns_is_the_sound() -> None:
    low, high = envelope(np.array([0.25, -0.5]), columns=100)
    np.testing.assert_array_equal(low, high)
    np.testing.assert_array_equal(low, [0.25, -0.5])


def test_draws_a_grid_with_and_without_sound_and_one_without_beats() -> None:
    beats = np.arange(40) * 0.5
    grid = BeatGrid(beats, np.arange(40) % 4 + 1, 4, 0.9)
    attack = np.zeros(2000)
    attack[(beats * 100).astype(int)] = 1.0
    sound = Recording.from_samples(np.sin(np.arange(160_000) / 20.0), 8000)
    whole = beats_figure(grid, attack, 100, sound)
    near = beats_figure(grid, attack, 100, span=(4.0, 8.0))
    none = beats_figure(BeatGrid(np.zeros(0), np.zeros(0, dtype=int), 4), attack, 100)
    assert [len(figure.axes) for figure in (whole, near, none)] == [3, 2, 2]
    assert near.axes[0].get_xlim() == (4.0, 8.0)
    assert all(png(figure) for figure in (whole, near, none))
