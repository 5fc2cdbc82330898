"""Grids against annotated beats: mir_eval's own numbers, and what they are in plain cases."""

from __future__ import annotations

import warnings

import mir_eval
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb

TIMES = st.lists(st.integers(0, 1000), max_size=30, unique=True).map(lambda ms: np.sort(np.array(ms)) / 50.0)
TRUTH = wb.BeatGrid.from_times(np.arange(0.5, 60.0, 0.5))


def of_times(beats: np.ndarray) -> dict[str, float]:
    return wb.evaluate(wb.BeatGrid.from_times(beats), TRUTH)


@given(TIMES, TIMES, st.sampled_from([0.0, 5.0]))
def test_the_measures_are_those_of_mir_eval(found: np.ndarray, true: np.ndarray, skip: float) -> None:
    grid, truth = wb.BeatGrid.from_times(found), wb.BeatGrid.from_times(true)
    ours = wb.evaluate(grid, truth, skip_seconds=skip)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mir_eval's, of too few beats
        beats, bars = (
            mir_eval.beat.evaluate(*(mir_eval.beat.trim_beats(times, skip) for times in pair), min_beat_time=0.0)
            for pair in ((true, found), (truth.downbeats, grid.downbeats))
        )
    theirs = {
        "beat_f": beats["F-measure"],
        "cmlc": beats["Correct Metric Level Continuous"],
        "cmlt": beats["Correct Metric Level Total"],
        "amlc": beats["Any Metric Level Continuous"],
        "amlt": beats["Any Metric Level Total"],
        "downbeat_f": bars["F-measure"],
    }
    if not (true >= skip).any():
        theirs = dict.fromkeys(theirs, np.nan)
    elif not (truth.downbeats >= skip).any():
        theirs["downbeat_f"] = np.nan
    assert ours == pytest.approx(theirs, nan_ok=True)


def test_what_the_measures_tell_apart() -> None:
    assert set(of_times(TRUTH.beats).values()) == {1.0}
    double = of_times(np.arange(0.5, 59.6, 0.25))
    assert double["beat_f"] == pytest.approx(2 / 3, abs=0.01)
    assert (double["cmlt"], double["amlc"], double["amlt"]) == (0.0, 1.0, 1.0)
    off_beat = of_times(TRUTH.beats + 0.25)
    assert (off_beat["beat_f"], off_beat["cmlt"]) == (0.0, 0.0)
    assert off_beat["amlt"] == pytest.approx(1.0, abs=0.02)
    beats = TRUTH.beats.copy()
    beats[60] += 0.2  # one beat in the middle is wrong: no run is longer than about half
    broken = of_times(beats)
    assert broken["cmlt"] > 0.97
    assert 0.45 < broken["cmlc"] < 0.6
    shifted = wb.BeatGrid(TRUTH.beats[1:], TRUTH.positions[:-1], 4)
    assert wb.evaluate(shifted, TRUTH)["downbeat_f"] == 0.0
    assert wb.evaluate(shifted, TRUTH)["beat_f"] == 1.0


def test_the_first_seconds_are_left_out_unless_told_otherwise() -> None:
    late = TRUTH.beats[TRUTH.beats >= 5.0]
    assert of_times(late)["beat_f"] == 1.0
    whole = wb.evaluate(wb.BeatGrid.from_times(late), TRUTH, skip_seconds=0.0)
    assert whole["beat_f"] == pytest.approx(2 * late.size / (late.size + TRUTH.beats.size))


def test_nothing_in_the_truth_is_no_number() -> None:
    found = wb.evaluate(TRUTH, np.array([1.0, 2.0, 3.0]))
    assert np.isnan(list(found.values())).all()
    times = wb.evaluate(TRUTH, TRUTH.beats)
    assert np.isnan(times.pop("downbeat_f"))
    assert set(times.values()) == {1.0}
    assert set(wb.evaluate(wb.BeatGrid.from_times([]), TRUTH).values()) == {0.0}
