"""The search in layers: what is carried on, and the way back, checked by plain loops."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.plans.search import best_of_each, from_each_in_turn, layers_from, way_to
from workbench.plans.splices import NO_SPLICE
from workbench.recording import FloatArray, IntArray

ROWS = st.lists(st.tuples(st.integers(-2, 2), st.booleans(), st.integers(0, 4), st.integers(0, 2)), max_size=40)


def columns(rows: list[tuple[int, bool, int, int]]) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Two parts of a key, of few values so that many are equal; a score; a tie."""
    line, pinned, score, tie = (np.array([row[at] for row in rows], dtype=np.int64) for at in range(4))
    return line, pinned.astype(bool), score / 4.0, tie


@given(ROWS)
def test_of_each_key_the_best_stays_best_first(rows: list[tuple[int, bool, int, int]]) -> None:
    line, pinned, score, tie = columns(rows)
    best: dict[tuple[int, bool], tuple[float, int, int]] = {}
    for row, (at, is_pinned, _, _) in enumerate(rows):
        rank = (-float(score[row]), int(tie[row]), row)
        best[at, is_pinned] = min(best.get((at, is_pinned), rank), rank)
    found = best_of_each((line, pinned), score, tie)
    assert found.tolist() == [row for _, _, row in sorted(best.values())]
    first = best_of_each((line, pinned), score)
    assert first.tolist() == best_of_each((line, pinned), score, np.zeros_like(tie)).tolist()


@given(ROWS, st.integers(0, 45))
def test_every_group_comes_to_its_turn(rows: list[tuple[int, bool, int, int]], most: int) -> None:
    line, pinned, _, _ = columns(rows)
    turns: dict[tuple[int, bool], int] = {}
    turn = []
    for at, is_pinned, _, _ in rows:
        turns[at, is_pinned] = turns.get((at, is_pinned), -1) + 1
        turn.append(turns[at, is_pinned])
    taken = sorted(sorted(range(len(rows)), key=lambda row: turn[row])[:most])
    assert from_each_in_turn((line, pinned), most).tolist() == taken


class Sums(NamedTuple):
    """Ways to a sum of numbers, as a search keeps them."""

    total: IntArray
    parent: IntArray
    splice: IntArray


def test_the_best_sum_is_found_and_its_way_told() -> None:
    """With one of the numbers, or none, a layer: the way to the most that is divisible by seven."""
    numbers = np.array([NO_SPLICE, 5, 9, 11])

    def advance(sums: Sums, _: int) -> Sums:
        row, which = (grid.ravel() for grid in np.meshgrid(np.arange(sums.total.size), numbers, indexing="ij"))
        total = sums.total[row] + np.maximum(which, 0)
        best = best_of_each((total % 7,), total.astype(np.float64))
        return Sums(total[best], row[best], which[best])

    none = np.zeros(2, dtype=np.int64)
    layers = layers_from(Sums(np.array([1, 3]), none, none), advance, 4)
    last = layers[-1]
    row = int(np.flatnonzero(last.total % 7 == 0)[0])
    start, taken = way_to(layers, len(layers) - 1, row)
    every = (s + sum(way) for s in (1, 3) for way in product([0, 5, 9, 11], repeat=4))
    assert (1, 3)[start] + sum(taken) == last.total[row] == max(total for total in every if total % 7 == 0)
    assert NO_SPLICE not in taken


def test_a_search_ends_where_nothing_goes_on() -> None:
    def advance(sums: Sums, number: int) -> Sums:
        return Sums(*(column[: 2 - number] for column in sums))

    start = np.zeros(3, dtype=np.int64)
    assert [layer.total.size for layer in layers_from(Sums(start, start, start), advance, 9)] == [3, 2, 1]
