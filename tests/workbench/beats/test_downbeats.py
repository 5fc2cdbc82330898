"""Places in the bar follow the reading of the whole piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.beats.evidence import describe_pulse
from workbench.beats.meter import bar_positions_of, readings_of
from workbench.beats.weights import weights_for
from workbench.params import BeatParams

PARAMS = BeatParams(activation="onsets")
BEATS = np.arange(0.5, 20.5, 0.5)


@pytest.mark.parametrize(("metre", "first"), [(2, 1), (3, 3), (4, 1), (4, 2), (5, 4), (7, 6)])
def test_alike_beats_are_counted_as_they_were_read(metre: int, first: int, clicked: Callable[..., Any]) -> None:
    pulse = describe_pulse(BEATS, clicked(BEATS).evidence)
    readings = readings_of([pulse], PARAMS)
    (best,) = np.flatnonzero((readings.beats_per_bar == metre) & (readings.first_position == first))
    positions = bar_positions_of(pulse, readings, int(best), weights_for("onsets"))
    np.testing.assert_array_equal(positions, (np.arange(BEATS.size) + first - 1) % metre + 1)


def test_kicks_on_the_ones_keep_the_count(clicked: Callable[..., Any]) -> None:
    ones = np.arange(BEATS.size) % 4 == 1
    pulse = describe_pulse(BEATS, clicked(BEATS, ones).evidence)
    readings = readings_of([pulse], PARAMS)
    (best,) = np.flatnonzero((readings.beats_per_bar == 4) & (readings.first_position == 4))
    positions = bar_positions_of(pulse, readings, int(best), weights_for("onsets"))
    np.testing.assert_array_equal(positions == 1, ones)
