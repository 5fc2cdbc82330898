"""What verdicts say about scores, on sets whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.plots.palette import png
from workbench.review.verdict_figure import (
    area_under_curve,
    brier_score,
    gather_reviews,
    parts_figure,
    reliability,
    reliability_figure,
    wilson,
)
from workbench.review.verdicts import Verdict, Word
from workbench.seams.profile import SEAM_PARTS


def verdict(number: int, word: Word, score: float, *, track: str = "track", **parts: float) -> Verdict:
    seam = {"leave": 10.0 + number, "enter": 2.0, "fade": 0.02, "exponent": 0.5, "score": score} | parts
    return Verdict(f"ver_{number:03d}", "0" * 64, track, seam, word, "a note, with a comma", "2026-01-01T00:00:00Z")


def drawn(count: int) -> list[Verdict]:
    """Scores from 0 to 1 and verdicts that are good as often as they promise; harmony knows, level does not."""
    dice = np.random.default_rng(5)
    made = []
    for number in range(count):
        score, level = dice.uniform(size=2)
        word: Word = "good" if dice.uniform() < score else "audible" if dice.uniform() < 0.7 else "wrong"
        parts = dict.fromkeys(SEAM_PARTS, 0.5) | {"harmony": score, "level": level}
        made.append(verdict(number, word, score, **parts))
    return made


def test_a_calibrated_score_lies_on_the_line() -> None:
    seams = gather_reviews(drawn(4000))
    bins = reliability(seams.scores, seams.good)
    assert [one.count > 300 for one in bins] == [True] * 10
    assert all(abs(one.good.value - one.score) < 0.07 for one in bins)
    assert sum(one.good.low <= one.score <= one.good.high for one in bins) >= 8
    assert brier_score(seams.scores, seams.good) == pytest.approx(1 / 6, abs=0.01)


def test_a_score_that_promises_too_much_lies_below_it() -> None:
    seams = gather_reviews(drawn(2000))
    bins = reliability(np.sqrt(seams.scores), seams.good)
    assert all(one.good.high < one.score for one in bins[2:8])


def test_the_interval_of_a_share_is_wilsons() -> None:
    """Newcombe, "Two-sided confidence intervals for the single proportion", Stat. Med. 1998, table I, method 3."""
    for hits, count, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        found = wilson(hits, count)
        assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert np.isnan(wilson(0, 0).value)


def test_order_is_how_often_a_good_one_is_higher() -> None:
    good, others = np.array([0.9, 0.8, 0.5, np.nan]), np.array([0.5, 0.1])
    found = area_under_curve(good, others)
    assert found.value == pytest.approx(5.5 / 6)
    assert found.low < found.value < found.high <= 1.0
    few, many = (area_under_curve(np.full(count, 0.9), np.full(count, 0.1)) for count in (3, 100))
    assert (few.value, few.high, many.high) == (1.0, 1.0, 1.0)
    assert few.low < 0.7
    assert 0.95 < many.low < 1.0
    assert np.isnan(area_under_curve(good, np.array([])).value)


def test_the_latest_verdict_of_a_seam_counts() -> None:
    seams = gather_reviews([verdict(1, "good", 0.9), verdict(2, "good", 0.8), verdict(1, "wrong", 0.9)])
    assert seams.words == ("wrong", "good")
    assert seams.places.tolist() == [[11.0, 2.0], [12.0, 2.0]]
    assert np.isnan(seams.parts).all()


def test_pictures_show_every_bin_and_every_part() -> None:
    seams = gather_reviews(drawn(200))
    above, below = reliability_figure(seams, bins=5).axes
    assert len([text for text in above.texts if text.get_text().isdigit()]) == 5
    assert sum(np.size(line.get_xdata()) for line in below.lines) == 200
    (axes,) = parts_figure(seams).axes
    harmony, level = (1 + SEAM_PARTS.index(part) for part in ("harmony", "level"))
    audible = np.asarray(axes.lines[0].get_xdata(), np.float64)
    assert audible[harmony] > 0.75
    assert abs(audible[level] - 0.5) < 0.12
    few = gather_reviews([verdict(1, "good", 0.9)])
    for figure in (reliability_figure(seams), parts_figure(seams), reliability_figure(few), parts_figure(few)):
        assert png(figure).startswith(b"\x89PNG")
