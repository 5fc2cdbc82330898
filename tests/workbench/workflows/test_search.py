"""A search finds the best of many points in few, the same ones each time, and each once."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.lab.sweep_search import ROUND_POINTS, Axis, Point, search_points

pytest.importorskip("optuna", reason="the extra optuna is not installed")

AXES = (Axis("a", tuple(np.linspace(0.0, 1.0, 101).tolist())), Axis("b", tuple(range(50))), Axis("c", ("x", "y", "z")))


def _height(point: Point) -> float:
    """Highest at a = 0.3, b = 40, c = y."""
    return float(1.0 - (point["a"] - 0.3) ** 2 - ((point["b"] - 40) / 50) ** 2 - 0.3 * (point["c"] != "y"))


def test_it_comes_nearer_than_chance_and_repeats_itself() -> None:
    rounds: list[int] = []

    def measure(number: int, points: list[Point]) -> list[float]:
        rounds.append(len(points))
        assert number == len(rounds) - 1
        return [_height(point) for point in points]

    found = search_points(AXES, 60, 4, measure)
    assert rounds == [ROUND_POINTS] * 7 + [4]
    assert len({tuple(point.values()) for point in found}) == 60
    dice = np.random.default_rng(0)
    drawn = [{axis.name: axis.values[dice.integers(len(axis.values))] for axis in AXES} for _ in range(60 * 50)]
    by_chance = [max(map(_height, drawn[at : at + 60])) for at in range(0, len(drawn), 60)]
    assert max(map(_height, found)) > np.median(by_chance)
    assert np.mean([_height(point) for point in found[-20:]]) > np.mean([_height(point) for point in drawn]) + 0.1
    again: list[int] = rounds.copy()
    rounds.clear()
    assert search_points(AXES, 60, 4, measure) == found
    assert rounds == again
    rounds.clear()
    assert search_points(AXES, 8, 5, measure) != found[:8]


def test_a_small_space_is_emptied() -> None:
    axes = (Axis("a", (0.0, 1.0, 2.0)), Axis("b", (True, False)), Axis("c", (3, 1)))
    found = search_points(axes, 12, 0, lambda _, points: [1.0] * len(points))
    assert len({tuple(point.values()) for point in found}) == 12
