"""The order of blind listening tests: what is hidden behind each letter of each trial, drawn from a seed.

ABX (Clark, "High-resolution subjective testing using a double-blind comparator", JAES 30(5), 1982): X is A or B by a
fair coin for each trial, independent of all others, so that guesses are right half of the time; which of both is
called A is another coin. In a test with several stimuli beside a hidden reference and an anchor (Recommendation ITU-R
BS.1534-3, MUSHRA) each trial has an order of its own, and so have the trials.

A seed gives the same order on every machine; it is stored with the test, not shown before its end.

Classes: `AbxTrial`, `MushraTrial`. Functions: `new_seed`, `draw_abx`, `draw_mushra`.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from workbench.errors import ParameterError

MAX_TRIALS = 100  # of one test; nobody listens well for longer
MAX_CONDITIONS = 12  # of one trial, as BS.1534-3 advises, reference and anchor included


@dataclass(frozen=True, slots=True)
class AbxTrial:
    """One question: is X the same as A or as B?"""

    a: str  # name of what A is
    b: str
    x: str  # one of both

    @property
    def right(self) -> str:
        """The letter that X is."""
        return "A" if self.x == self.a else "B"


@dataclass(frozen=True, slots=True)
class MushraTrial:
    """One item, rated under several conditions."""

    item: int  # from 0
    hidden: tuple[str, ...]  # name of the condition behind each letter, from A on

    @property
    def letters(self) -> str:
        """Its letters, in order."""
        return ascii_uppercase[: len(self.hidden)]


def new_seed() -> int:
    """A seed that nobody can guess: 48 bits, so that every reader of JSON holds it exactly."""
    return secrets.randbits(48)


def draw_abx(first: str, second: str, trials: int, seed: int) -> tuple[AbxTrial, ...]:
    """Draw 1 to `MAX_TRIALS` trials of an ABX test.

    Raises `ParameterError` if the names are equal, or for another number of trials.
    """
    _check_trials(trials)
    if first == second:
        raise ParameterError(f"an ABX test compares two different sounds, got {first!r} twice")
    coins = np.random.default_rng(seed).integers(0, 2, (trials, 2)).astype(bool)
    pairs = [(second, first) if swapped else (first, second) for swapped, _ in coins]
    return tuple(AbxTrial(a, b, b if other else a) for (a, b), (_, other) in zip(pairs, coins, strict=True))


def draw_mushra(items: int, conditions: Sequence[str], seed: int) -> tuple[MushraTrial, ...]:
    """Draw the order of 1 to `MAX_TRIALS` items with several stimuli, and of the conditions in each.

    Hidden reference and anchor are among the conditions. Raises `ParameterError` for too few or too many items or
    conditions, or two conditions of one name.
    """
    _check_trials(items)
    if not 2 <= len(conditions) <= MAX_CONDITIONS or len(set(conditions)) < len(conditions):
        raise ParameterError(f"a trial has 2 to {MAX_CONDITIONS} different conditions, got {', '.join(conditions)}")
    dice = np.random.default_rng(seed)
    order = dice.permutation(items)
    return tuple(
        MushraTrial(int(item), tuple(conditions[k] for k in dice.permutation(len(conditions)))) for item in order
    )


def _check_trials(count: int) -> None:
    if not 1 <= count <= MAX_TRIALS:
        raise ParameterError(f"a test has 1 to {MAX_TRIALS} trials, got {count}")
