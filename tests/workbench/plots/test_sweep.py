"""The picture of a sweep draws every point with its interval, and says what it is measured on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas
import pytest
from matplotlib.figure import Figure

from workbench.plots.sweep import sweep_figure


def _table(index: pandas.Index) -> pandas.DataFrame:
    mean = np.linspace(0.4, 0.6, len(index))
    columns = {"mean": mean, "mean_low": mean - 0.1, "mean_high": mean + 0.1}
    columns |= {"difference": mean - mean.max(), "low": mean - 0.62, "high": mean - 0.58}
    return pandas.DataFrame(columns, index=index).assign(tracks=7)


def test_every_point_with_its_interval(style: str, check_legible: Callable[[Figure], None]) -> None:
    figure = sweep_figure(_table(pandas.Index([0.25, 0.5, 1.0], name="models.seams.pulse_weight")), "downbeat_f")
    above, below = figure.axes
    assert "mean of 7 recordings" in above.get_title(loc="left")
    assert [label.get_text() for label in below.get_xticklabels()] == ["0.25", "0.5", "1"]
    assert [len(axes.collections[0].get_paths()) for axes in (above, below)] == [3, 3]
    check_legible(figure)


def test_other_parameters_are_lines_as_long_as_one_can_tell_them_apart(check_legible: Callable[[Figure], None]) -> None:
    both = pandas.MultiIndex.from_product([["network", "onsets"], [2, 4, 8]], names=["beats.activation", "context"])
    figure = sweep_figure(_table(both))
    above, below = figure.axes
    legend = above.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["2", "4", "8"]
    assert [label.get_text() for label in below.get_xticklabels()] == ["network", "onsets"]
    check_legible(figure)
    many = pandas.MultiIndex.from_product([[1], range(9)], names=["a", "b"])
    with pytest.raises(ValueError, match="9 combinations of b"):
        sweep_figure(_table(many))
