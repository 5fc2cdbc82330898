"""Where a sweep has too many points to measure: Optuna proposes the next ones from those that are measured.

A search is seeded, and asks for points in rounds of `ROUND_POINTS`, so that each recording is opened once a round. It
has no saved state: with the same results it asks for the same points, so a stopped search goes on when it is given the
points that are already measured. Values that are numbers in order are searched as such, all others as names.

The best point was chosen for these very recordings and looks better on them than it is: measure it on others.

It needs the extra `optuna`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.errors import require_extra

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

ROUND_POINTS = 8
_REPEATS = 40  # proposals of known points after which a point is drawn instead

Point = dict[str, Any]  # values by the names of parameters


class Axis(NamedTuple):
    """One parameter that is swept.

    Attributes
    ----------
    name : such as `seams.context_beats`
    values : in the order given
    """

    name: str
    values: tuple[Any, ...]


def search_points(
    axes: Sequence[Axis], count: int, seed: int, measure: Callable[[int, list[Point]], Sequence[float]]
) -> list[Point]:
    """Search the combinations of some parameters for those that score best, in the order in which they were proposed.

    `count` points, each once, no more than there are combinations. `measure` takes the number of a round, from 0, and
    its points, and gives the score of each; more is better. Raises `ExtraMissing` without Optuna.
    """
    require_extra("optuna", "a search over a sweep's parameters")
    study = _Study(axes, seed)
    points: list[Point] = []
    while len(points) < count:
        asked = study.ask(min(ROUND_POINTS, count - len(points)))
        scores = measure(len(points) // ROUND_POINTS, asked)
        study.tell(scores)
        points += asked
    return points


class _Study:
    """A study of Optuna over the places of values on their axes, which proposes no point twice."""

    def __init__(self, axes: Sequence[Axis], seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._axes = axes
        self._dice = np.random.default_rng(seed)
        self._study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        self._spaces = {axis.name: _space(axis) for axis in axes}
        self._scores: dict[tuple[int, ...], float] = {}
        self._asked: dict[tuple[int, ...], Trial] = {}

    def ask(self, count: int) -> list[Point]:
        """Points that were not measured, as many as `count`."""
        from optuna.trial import TrialState

        self._asked = {}
        repeats = 0
        while len(self._asked) < count:
            if repeats >= _REPEATS:
                self._study.enqueue_trial(dict(zip(self._spaces, self._drawn(), strict=True)))
            trial = self._study.ask(self._spaces)
            places = tuple(int(trial.params[name]) for name in self._spaces)
            if places in self._scores:
                self._study.tell(trial, self._scores[places])
                repeats += 1
            elif places in self._asked:
                self._study.tell(trial, state=TrialState.FAIL)
                repeats += 1
            else:
                self._asked[places] = trial
        return [
            {axis.name: axis.values[place] for axis, place in zip(self._axes, places, strict=True)}
            for places in self._asked
        ]

    def tell(self, scores: Sequence[float]) -> None:
        """The scores of the points that were asked for last."""
        for (places, trial), score in zip(self._asked.items(), scores, strict=True):
            self._study.tell(trial, score)
            self._scores[places] = score

    def _drawn(self) -> tuple[int, ...]:
        """The places of a point that is not known: a drawn one, or the next after it."""
        sizes = [len(axis.values) for axis in self._axes]
        places = [int(self._dice.integers(size)) for size in sizes]
        while tuple(places) in self._scores or tuple(places) in self._asked:
            for at in reversed(range(len(sizes))):  # the next one, as an odometer counts
                places[at] = (places[at] + 1) % sizes[at]
                if places[at]:
                    break
        return tuple(places)


def _space(axis: Axis) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, IntDistribution

    values = axis.values
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if numbers and all(before < after for before, after in pairwise(values)):
        return IntDistribution(0, len(values) - 1)
    return CategoricalDistribution(range(len(values)))
