"""A search in layers: of all ways to arrive at a bar line, the best of each kind is carried on.

The cut-down (`workbench.plans.cutdown`) and the plan that follows an edit (`workbench.plans.conform`) are searched like
this, by dynamic programming over the splices of a track (Wenner et al. 2013 search beat by beat). A layer is a table of
states, one way to arrive a row. `layers_from` advances a whole layer at once, by a seam or by a bar, at the caller's
own costs. Of the states that are reached the caller carries on the `best_of_each` key, and where these are too many,
some `from_each_in_turn`. A key names what decides how a way may go on, times in steps: ways with the same key have all
but the same ways before them, so the worse one can be dropped. A state knows its parent and the splice that led into
it; `way_to` follows these back to the start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from workbench.plans.splices import NO_SPLICE, rank_within
from workbench.recording import BoolArray, FloatArray, IntArray


class Layer(Protocol):
    """States that were advanced equally often, one a row; a caller adds the columns that its costs need."""

    @property
    def parent(self) -> IntArray:
        """Rows of the layer before; not read in the first layer."""

    @property
    def splice(self) -> IntArray:
        """Splices taken into the states, `NO_SPLICE` where they play on; not read in the first layer."""


AnyLayer = TypeVar("AnyLayer", bound=Layer)


def layers_from(first: AnyLayer, advance: Callable[[AnyLayer, int], AnyLayer], most: int) -> list[AnyLayer]:
    """The first layer and up to `most` more; `advance` makes the next one of a layer and its number, from 0.

    The search ends where nothing is left to advance.
    """
    layers = [first]
    for number in range(most):
        states = advance(layers[-1], number)
        if not states.parent.size:
            break
        layers.append(states)
    return layers


def way_to(layers: Sequence[Layer], number: int, row: int) -> tuple[int, list[int]]:
    """The row of the first layer from which a state of a layer was reached, and the splices taken on the way."""
    taken: list[int] = []
    for layer in layers[number:0:-1]:
        if layer.splice[row] != NO_SPLICE:
            taken.append(int(layer.splice[row]))
        row = int(layer.parent[row])
    return row, taken[::-1]


def best_of_each(key: Sequence[IntArray | BoolArray], score: FloatArray, tie: IntArray | None = None) -> IntArray:
    """The best-scored row of each key, best first; of equal ones the one with the least `tie`, then the first.

    `key` has a column for each of its parts.
    """
    ties = () if tie is None else (tie,)
    order = np.lexsort((*ties, -score, *key))
    best = order[_begins_group(key, order)]
    return np.asarray(best[np.lexsort((best, *(column[best] for column in ties), -score[best]))])


def from_each_in_turn(group: Sequence[IntArray | BoolArray], most: int) -> IntArray:
    """At most so many rows, in order: the first of every group, then the second of every group, and so on."""
    order = np.lexsort(tuple(group))
    number = np.empty(order.size, dtype=np.int64)
    number[order] = np.cumsum(_begins_group(group, order))
    return np.asarray(np.sort(np.argsort(rank_within(number), kind="stable")[:most]))


def _begins_group(key: Sequence[IntArray | BoolArray], order: IntArray) -> BoolArray:
    """Which of some rows, sorted by their key, differ from the one before."""
    begins = np.zeros(order.size, dtype=bool)
    begins[:1] = True
    for column in key:
        ordered = column[order]
        begins[1:] |= ordered[1:] != ordered[:-1]
    return begins
