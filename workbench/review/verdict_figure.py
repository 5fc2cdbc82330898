"""Reviewers' verdicts against scores: is the score calibrated, does it rank, and which of its parts do listeners hear?

A seam score is fitted to an automatic judge. Three questions test it on seams that people judged:

- Calibration: of the seams that score about 0.8, do about 80 % count as good? Scores are cut into bins of equal
  width; a bin's share of good seams stands over its mean score in the reliability diagram (Murphy & Winkler,
  "Reliability of subjective probability forecasts of precipitation and temperature", Applied Statistics 1977). The bar
  through it is Wilson's interval for a binomial share, whose coverage holds in small bins too (Brown, Cai &
  DasGupta, "Interval estimation for a binomial proportion", Statistical Science 2001).
- Worth: the Brier score is the mean squared distance between score and answer (1 good, 0 not); lower is better, and a
  constant score equal to the overall share of good ones gets share times (1 - share).
- Order: the area under the ROC curve is how often a good seam scores above one that is not, ties counting half; 0.5 is
  chance. Its interval holds every area within 1.96 standard deviations of the measured one, by Hanley &
  McNeil, "The meaning and use of the area under a receiver operating characteristic curve", Radiology 1982; so few
  seams that are all in order do not look certain. For one part of the score, it shows whether that part ranks seams.

All intervals are for 95 %, and take seams for independent. Seams of one track are not, so with few tracks the true
intervals are wider than those drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.plots.labels import Labels, name_point
from workbench.plots.palette import BEAT, DOWNBEAT, ENDING, EXPECTED, PLAYED, RULE, SOFT_INK, new_figure, quiet
from workbench.plots.seams import PART_WORDS
from workbench.recording import BoolArray, FloatArray
from workbench.review.verdicts import WORDS, Verdict, Word, latest
from workbench.seams.profile import SEAM_PARTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WORD_COLOURS = {"good": ENDING, "audible": EXPECTED, "wrong": DOWNBEAT}
WORD_MARKERS = {"good": "o", "audible": "s", "wrong": "D"}
_Z = 1.959964
"""standard deviations on either side that hold 95 in 100 of a normal distribution"""


@dataclass(frozen=True, slots=True, eq=False)
class Reviewed:
    """Judged seams, one a row: each reviewer's latest verdict about each seam and crossfade."""

    tracks: tuple[str, ...]
    words: tuple[Word, ...]
    scores: FloatArray
    """shape (n,), 0 to 1"""
    parts: FloatArray
    """shape (n, len(SEAM_PARTS)), 0 to 1; NaN where a verdict does not hold the part"""
    places: FloatArray
    """shape (n, 2), s of track time that are left and entered"""

    @property
    def good(self) -> BoolArray:
        """Shape (n,), where the seam was inaudible."""
        return self.judged("good")

    def judged(self, word: Word) -> BoolArray:
        """Which seams have a verdict, shape (n,)."""
        return np.array([one == word for one in self.words], dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its 95 % confidence interval."""

    value: float
    """NaN where there is nothing to estimate it from"""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """Seams of about one score."""

    count: int
    score: float
    """mean of their scores"""
    good: Estimate
    """share of them that counts as good"""


def gather_reviews(given: Iterable[Verdict]) -> Reviewed:
    """Gather each reviewer's latest verdict about every seam into arrays; `given` is oldest first.

    A row a reviewer and seam, in the order in which they first occurred; seams judged without a score are left out.
    """
    rows = [verdict for verdict in latest(given) if "score" in verdict.seam]
    parts = [[verdict.seam.get(part, np.nan) for part in SEAM_PARTS] for verdict in rows]
    places = [[verdict.seam["leave"], verdict.seam["enter"]] for verdict in rows]
    return Reviewed(
        tracks=tuple(verdict.track for verdict in rows),
        words=tuple(verdict.verdict for verdict in rows),
        scores=np.array([verdict.seam["score"] for verdict in rows], dtype=np.float64),
        parts=np.array(parts, dtype=np.float64).reshape(-1, len(SEAM_PARTS)),
        places=np.array(places, dtype=np.float64).reshape(-1, 2),
    )


def reliability(scores: FloatArray, good: BoolArray, bins: int = 10) -> tuple[ScoreBin, ...]:
    """Cut seams into bins of score, lowest first; a bin that holds none is left out."""
    number = np.minimum((scores * bins).astype(np.int64), bins - 1)
    return tuple(
        ScoreBin(int(some.sum()), float(scores[some].mean()), wilson(int(good[some].sum()), int(some.sum())))
        for some in (number == one for one in np.unique(number))
    )


def wilson(hits: int, count: int) -> Estimate:
    """Share of `hits` in `count`, with Wilson's interval; NaN where `count` is 0."""
    if count == 0:
        return Estimate(np.nan, np.nan, np.nan)
    from scipy.stats import binomtest  # takes 0.3 s

    interval = binomtest(hits, count).proportion_ci(0.95, method="wilson")
    return Estimate(hits / count, float(interval.low), float(interval.high))


def brier_score(scores: FloatArray, good: BoolArray) -> float:
    """Mean squared distance between score and answer, 0 to 1; lower is better, NaN without seams."""
    return float(np.mean(np.square(scores - good))) if scores.size else float("nan")


def area_under_curve(good: FloatArray, others: FloatArray) -> Estimate:
    """How often a good seam has the higher number, ties counting half; numbers that are NaN do not count.

    The area under the ROC curve, 0 to 1, with its interval; NaN where a side has no number.
    """
    good, others = (side[np.isfinite(side)] for side in (good, others))
    n, m = good.size, others.size
    if not (n and m):
        return Estimate(np.nan, np.nan, np.nan)
    above = (good[:, None] > others[None, :]).mean() + 0.5 * (good[:, None] == others[None, :]).mean()
    area = float(above)
    could_be = np.linspace(0.0, 1.0, 2001)
    spread = _spread_of_area(could_be, n, m)
    inside = could_be[np.abs(could_be - area) <= _Z * spread]
    return Estimate(area, min(area, float(inside.min())), max(area, float(inside.max())))


def _spread_of_area(area: FloatArray, n: int, m: int) -> FloatArray:
    """Standard deviation, by Hanley & McNeil, of the area found among n and m where the true one is `area`."""
    two_good, two_others = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (n - 1) * (two_good - area**2) + (m - 1) * (two_others - area**2)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0) / (n * m)), dtype=np.float64)


def reliability_figure(seams: Reviewed, bins: int = 10) -> Figure:
    """Draw the reliability diagram over the scores of each verdict; beside a dot, how many seams it stands for."""
    figure = new_figure(7.6, 8.2)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3.6, 1.0))
    above.plot([0.0, 1.0], [0.0, 1.0], color=BEAT, linewidth=1.2, linestyle=(0, (4, 3)), label="calibrated")
    found = reliability(seams.scores, seams.good, bins)
    scores, shares = [one.score for one in found], [one.good.value for one in found]
    above.vlines(scores, [one.good.low for one in found], [one.good.high for one in found], color=PLAYED, linewidth=1.6)
    above.plot(scores, shares, "o", color=PLAYED, markersize=7, label="seams of about that score, 95 % interval")
    above.set_ylabel("share of them judged good", fontsize=9)
    above.set_ylim(-0.03, 1.03)
    legend = above.legend(loc="upper left", bbox_to_anchor=(0.02, 0.98), fontsize=8, frameon=False)
    labels = Labels(above, [legend])
    for one in found:
        name_point(labels, str(one.count), one.score, one.good.value, color=SOFT_INK)
    above.grid(color=RULE, linewidth=0.6)
    quiet(above)
    _draw_scores(below, seams)
    return figure


def _draw_scores(axes: Axes, seams: Reviewed) -> None:
    """A row for each verdict, a mark for each seam, moved up and down a little so that none hides another."""
    shaken = np.random.default_rng(0).uniform(-0.3, 0.3, seams.scores.size)
    for row, word in enumerate(reversed(WORDS)):
        some = seams.judged(word)
        axes.plot(
            seams.scores[some], row + shaken[some], WORD_MARKERS[word], color=WORD_COLOURS[word], markersize=3.5,
            alpha=0.6, linewidth=0,
        )  # fmt: skip
    axes.set_yticks(range(len(WORDS)), [f"{word}: {int(seams.judged(word).sum())}" for word in reversed(WORDS)])
    axes.set_ylim(-0.5, len(WORDS) - 0.5)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("seam score, fitted to an automatic judge", fontsize=9)
    axes.grid(axis="x", color=RULE, linewidth=0.6)
    quiet(axes)


def parts_figure(seams: Reviewed) -> Figure:
    """Draw how well each part alone, and the whole score, distinguish good seams from audible and from wrong ones."""
    figure = new_figure(8.6, 6.2)
    axes = figure.subplots()
    columns = [seams.scores, *seams.parts.T]
    names = ["the score", *(PART_WORDS[part] for part in SEAM_PARTS)]
    rows = np.arange(len(names))[::-1]
    compared: tuple[tuple[Word, float], ...] = (("audible", 0.14), ("wrong", -0.14))
    for word, shift in compared:
        some = seams.judged(word)
        areas = [area_under_curve(column[seams.good], column[some]) for column in columns]
        lows, highs = [area.low for area in areas], [area.high for area in areas]
        axes.hlines(rows + shift, lows, highs, color=WORD_COLOURS[word])
        axes.plot(
            [area.value for area in areas], rows + shift, WORD_MARKERS[word], color=WORD_COLOURS[word], markersize=6,
            label=f"from {word} ones ({int(some.sum())})",
        )  # fmt: skip
    axes.axvline(0.5, color=BEAT, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.axhline(rows[0] - 0.5, color=RULE, linewidth=1.0)
    axes.set_yticks(rows, names, fontsize=9)
    axes.set_ylim(rows[-1] - 0.6, rows[0] + 0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("how often it is higher at a good seam; 0.5 is chance, 1 always", fontsize=9)
    title = f"tells good seams ({int(seams.good.sum())})"
    axes.legend(loc="lower left", fontsize=8, framealpha=0.9, title=title, title_fontsize=8)
    axes.grid(axis="x", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    quiet(axes)
    return figure
