"""Pictures of mixes: they can be read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.figure import Figure

from workbench.beats.grid import BeatGrid
from workbench.plots.beats import beats_figure
from workbench.plots.mix import mix_figure, uncertain_in_words
from workbench.recording import Recording

Check = Callable[[Figure], None]


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [8.0, 600.0])
def test_beats_and_mixes(seconds: float, check_legible: Check) -> None:
    rate = 8000
    sound = Recording.from_samples(0.2 * np.sin(np.arange(round(seconds * rate)) / 20.0), rate)
    beats = np.arange(int(seconds * 2)) * 0.5
    grid = BeatGrid(beats, np.arange(beats.size) % 4 + 1, 4, 0.9)
    check_legible(beats_figure(grid, np.ones(round(seconds * 100)), 100, sound))
    points = [(1.0, 0.0), (2.0, 14.0), (4.0, 14.0), (5.0, 0.0)]
    check_legible(mix_figure(points, [(2.0, 4.0)], sound, sound))
    half = [(time, depth / 2) for time, depth in points]
    check_legible(mix_figure(points, [(2.0, 4.0)], sound, sound, outside_points=half))
    doubtful = mix_figure(points, [(2.0, 4.0)], sound, sound, outside_points=half, uncertain=[(5.0, 6.0)])
    check_legible(doubtful)
    legend = doubtful.axes[0].get_legend()
    assert legend is not None
    assert "perhaps speech" in [text.get_text() for text in legend.get_texts()]


def test_the_first_few_uncertain_ranges_are_named_and_the_others_counted() -> None:
    ranges = [(60.0 * k + 5.2, 60.0 * k + 7.0) for k in range(9)]
    assert uncertain_in_words(ranges[:2]) == "0:05 to 0:07, 1:05 to 1:07"
    assert uncertain_in_words(ranges).endswith("4:05 to 4:07, 5:05 to 5:07 and 3 more")
    assert uncertain_in_words([(5.6, 6.4)]) == "0:06", "less than a second"
