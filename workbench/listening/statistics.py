"""What blind listening tests show, with their uncertainty.

ABX: the chance of at least as many right trials by guessing, by the exact binomial distribution; and
the interval of the share of right answers by Clopper & Pearson, "The use of confidence or fiducial limits illustrated
in the case of the binomial", Biometrika 26, 1934. Not to hear a difference in a few trials does not show that there is
none: `smallest_detected` says which share of detection the test could have missed.

Ratings, 0 to 100: mean with Student's interval, median and quartiles, for each condition (Recommendation ITU-R
BS.1534-3 describes both kinds). As that asks for, a listener who rates the hidden reference below 90 in more than 15 %
of the trials, or the anchor above 90, is screened out.

Functions: `abx_summary`, `smallest_detected`, `rating_summary`, `is_screened_out`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
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
class RatingSummary:
    """Ratings of one condition."""

    count: int
    mean: float  # NaN without ratings, as all that follow
    low: float  # of Student's 95 % interval of the mean, within 0 to 100; NaN of one rating
    high: float
    median: float
    lower_quartile: float
    upper_quartile: float


def abx_summary(right: int, trials: int) -> AbxSummary:
    """Sum up an ABX test by the trials in which X was recognized, and those that were answered."""
    if trials == 0:
        return AbxSummary(0, 0, 1.0, 0.0, 1.0)
    from scipy.stats import binomtest

    test = binomtest(right, trials, 0.5, alternative="greater")
    interval = binomtest(right, trials).proportion_ci(CONFIDENCE, method="exact")
    return AbxSummary(right, trials, float(test.pvalue), float(interval.low), float(interval.high))


def smallest_detected(right: int, trials: int) -> float:
    """The largest share of trials in which the difference may have been audible, given the answers, with `CONFIDENCE`.

    A listener who hears it in a share d of the trials, and guesses in the others, is right in d + (1 - d) / 2 of them.
    """
    return max(0.0, 2.0 * abx_summary(right, trials).high - 1.0)


def rating_summary(ratings: Sequence[float]) -> RatingSummary:
    """Sum up the ratings of one condition, 0 to 100 each, independent of each other: one a listener and item."""
    given = np.asarray(ratings, dtype=np.float64)
    if given.size == 0:
        return RatingSummary(0, *(float("nan"),) * 6)
    mean, low, high = float(given.mean()), float("nan"), float("nan")
    if given.size > 1:
        from scipy.stats import t

        reach = float(t.ppf(0.5 + CONFIDENCE / 2, given.size - 1) * given.std(ddof=1) / np.sqrt(given.size))
        low, high = max(0.0, mean - reach), min(100.0, mean + reach)
    lower, median, upper = (float(value) for value in np.quantile(given, (0.25, 0.5, 0.75)))
    return RatingSummary(int(given.size), mean, low, high, median, lower, upper)


def is_screened_out(reference: Sequence[float], anchor: Sequence[float]) -> bool:
    """Whether a listener's ratings are left out of a result, by those of hidden reference and anchor, one a trial."""
    missed = sum(rating < REFERENCE_AT_LEAST for rating in reference)
    praised = sum(rating > ANCHOR_AT_MOST for rating in anchor)
    return missed > MISSED_SHARE * len(reference) or praised > MISSED_SHARE * len(anchor)
