"""A grid's rules, and that one made by hand is sure."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.beats.grid import BeatGrid
from workbench.errors import GridError
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.seams.build_profile import loop_profile

BEATS, PLACES = np.arange(8) * 0.5, np.tile([1, 2, 3, 4], 2)


def test_a_grid_made_by_hand_is_sure() -> None:
    assert BeatGrid(BEATS, PLACES, 4).confidence == 1.0


def test_a_plan_follows_from_a_grid_made_by_hand(band: Callable[..., Any]) -> None:
    """Beats and bars that a person typed: no word of low confidence."""
    played = band("AABA", tail=2.0)
    typed = BeatGrid(played.grid.beats, played.grid.positions, 4)
    answer = plan_loop(loop_profile(played.recording, typed), played.recording.duration + 60.0)
    assert isinstance(answer, LoopPlan)


@pytest.mark.parametrize(
    ("fault", "given"),
    [
        ("increase strictly", {"beats": np.array([0.0, 1.0, 1.0]), "positions": np.array([1, 2, 3])}),
        ("finite and not negative", {"beats": np.array([-0.1]), "positions": np.array([1])}),
        ("vectors of one length", {"positions": PLACES[:3]}),
        ("comes the next beat or a 1", {"positions": PLACES[::-1]}),
        ("at least 1", {"beats_per_bar": 0}),
        ("0 to 1", {"confidence": 1.5}),
    ],
)
def test_what_breaks_a_rule_is_named(fault: str, given: dict[str, Any]) -> None:
    with pytest.raises(GridError, match=fault):
        BeatGrid(**dict[str, Any](beats=BEATS, positions=PLACES, beats_per_bar=4) | given)


def test_a_grid_from_times_counts_bars_by_its_downbeats() -> None:
    beats = np.arange(14) * 0.5
    grid = BeatGrid.from_times(beats, beats[[2, 6, 10]])
    assert grid.positions.tolist() == [3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]
    assert grid.beats_per_bar == 4
    assert grid.confidence == 1.0
    waltz = BeatGrid.from_times(beats, beats[[0, 3, 6]] + 0.02)
    assert waltz.positions.tolist() == [1, 2, 3] * 4 + [1, 2]
    assert BeatGrid.from_times(list(beats), beats_per_bar=3).downbeats.tolist() == beats[::3].tolist()
    changing = BeatGrid.from_times(beats, beats[[0, 4, 8, 11]])
    assert np.diff(changing.downbeat_indices).tolist() == [4, 4, 3]


@pytest.mark.parametrize(
    ("beats", "downbeats", "complaint"),
    [
        ([], None, "needs the times"),
        ([0.0, 1.0], [], "at least one downbeat"),
        ([0.0, 1.0], [0.3], "no beat within 70 ms"),
        ([0.0, 1.0], [0.0, 0.05], "on one beat"),
        ([0.0, 1.0, 2.0], [1.0, 0.0], "go back"),
        ([1.0, 0.5], None, "increase strictly"),
    ],
)
def test_times_that_are_no_grid_are_refused(beats: list[float], downbeats: list[float] | None, complaint: str) -> None:
    with pytest.raises(GridError, match=complaint):
        BeatGrid.from_times(beats, downbeats)
