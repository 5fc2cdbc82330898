"""The trials of blind listening tests, drawn from a seed, and what their answers show, with its uncertainty.

ABX (Clark, "High-resolution subjective testing using a double-blind comparator", JAES 30(5), 1982): X is A or B by a
fair coin for each trial, independent of all others, so that guesses are right half of the time; which of both is
called A is another coin. In a test with several stimuli beside a hidden reference and an anchor (Recommendation ITU-R
BS.1534-3, MUSHRA) each trial has an order of its own, and so have the trials. A preference is a comparison category
rating (Recommendation ITU-T P.800, annex E): which of two is better and by how much, on seven steps; a coin for each
trial says which of both is A.

A seed gives the same order on every machine; it is stored with the test, not shown before its end.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from workbench.errors import ParameterError

CONFIDENCE = 0.95
FEWEST_DECIDED = 6  # trials that can show a preference: as many heads or tails alone have a chance of 0.5 ** 5
REFERENCE_AT_LEAST = 90.0  # rating of the hidden reference that shows that it was recognized
ANCHOR_AT_MOST = 90.0
MISSED_SHARE = 0.15  # of the trials, in which a listener may do otherwise


@dataclass(frozen=True, slots=True)
class AbxSummary:
    """The outcome of an ABX test."""

    right: int
    trials: int
    p_value: float  # chance of as many right answers or more by guessing; 1 without trials
    low: float  # of the interval of the share of right answers
    high: float


@dataclass(frozen=True, slots=True)
class PreferenceSummary:
    """The outcome of a preference test of two conditions."""

    preferred: int  # trials in which the second one was better
    decided: int  # trials in which one of both was
    trials: int
    mean_step: float  # by how much the second one is better, -3 to 3; NaN without trials
    p_value: float  # chance of as clear an outcome of the decided trials if neither is better; 1 without
    low: float  # of the interval of the share of decided trials in which the second one was better
    high: float

    @property
    def has_enough(self) -> bool:
        """Whether as many decided trials could tell at all which one is better."""
        return self.decided >= FEWEST_DECIDED


@dataclass(frozen=True, slots=True)
class RatingSummary:
    """Ratings of one condition."""

    count: int
    mean: float  # NaN without ratings, as all that follow
    low: float  # of Student's 95 % interval of the mean, within 0 to 100; NaN of one rating
    high: float


def abx_summary(right: int, trials: int) -> AbxSummary:
    """Sum up an ABX test by the trials in which X was recognized, and those that were answered."""
    if trials == 0:
        return AbxSummary(0, 0, 1.0, 0.0, 1.0)
    from scipy.stats import binomtest

    test = binomtest(right, trials, 0.5, alternative="greater")
    interval = binomtest(right, trials).proportion_ci(CONFIDENCE, method="exact")
    return AbxSummary(right, trials, float(test.pvalue), float(interval.low), float(interval.high))


def preference_summary(steps: Sequence[int]) -> PreferenceSummary:
    """Sum up a preference test by the steps, one a trial, by which the second condition is better: an exact sign test.

    Trials in which both are equal count for the mean alone.
    """
    preferred, decided = sum(step > 0 for step in steps), sum(step != 0 for step in steps)
    mean = float(np.mean(steps)) if steps else float("nan")
    if not decided:
        return PreferenceSummary(0, 0, len(steps), mean, 1.0, 0.0, 1.0)
    from scipy.stats import binomtest

    test = binomtest(preferred, decided)
    interval = test.proportion_ci(CONFIDENCE, method="exact")
    return PreferenceSummary(
        preferred, decided, len(steps), mean, float(test.pvalue), float(interval.low), float(interval.high)
    )


def smallest_detected(right: int, trials: int) -> float:
    """The largest share of trials in which the difference may have been audible, given the answers, with `CONFIDENCE`.

    A listener who detects it in a share d of the trials, and guesses in the rest, is right in d + (1 - d) / 2 of them.
    """
    return max(0.0, 2.0 * abx_summary(right, trials).high - 1.0)


def rating_summary(ratings: Sequence[float]) -> RatingSummary:
    """Sum up the ratings of one condition, 0 to 100 each, independent of each other: one a listener and item."""
    given = np.asarray(ratings, dtype=np.float64)
    if given.size == 0:
        return RatingSummary(0, *(float("nan"),) * 3)
    mean, low, high = float(given.mean()), float("nan"), float("nan")
    if given.size > 1:
        from scipy.stats import t

        reach = float(t.ppf(0.5 + CONFIDENCE / 2, given.size - 1) * given.std(ddof=1) / np.sqrt(given.size))
        low, high = max(0.0, mean - reach), min(100.0, mean + reach)
    return RatingSummary(int(given.size), mean, low, high)


def is_screened_out(reference: Sequence[float], anchor: Sequence[float]) -> bool:
    """Whether a listener's ratings are left out of a result, by those of hidden reference and anchor, one a trial."""
    missed = sum(rating < REFERENCE_AT_LEAST for rating in reference)
    praised = sum(rating > ANCHOR_AT_MOST for rating in anchor)
    return missed > MISSED_SHARE * len(reference) or praised > MISSED_SHARE * len(anchor)


MAX_TRIALS = 100  # of one test; attention fades after more
MAX_STEP = 3  # of a preference: much better
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
class PreferenceTrial:
    """One question: which of two is better?"""

    item: int  # from 0: of the places where both are compared
    a: str  # name of what A is
    b: str


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
    """A seed that cannot be guessed: 48 bits, so that every reader of JSON holds it exactly."""
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


def draw_preference(first: str, second: str, items: int, seed: int) -> tuple[PreferenceTrial, ...]:
    """Draw the order of 1 to `MAX_TRIALS` items, and which of two conditions is A in each.

    Raises `ParameterError` if the names are equal, or for another number of items.
    """
    _check_trials(items)
    if first == second:
        raise ParameterError(f"a preference is between two different sounds, got {first!r} twice")
    dice = np.random.default_rng(seed)
    order, swapped = dice.permutation(items), dice.integers(0, 2, items).astype(bool)
    return tuple(
        PreferenceTrial(int(item), *((second, first) if swap else (first, second)))
        for item, swap in zip(order, swapped, strict=True)
    )


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
