"""Names are legible in every figure: none over another, none off the paper, none on its side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import place
from workbench.features.descriptors import CONTOUR_PARTS
from workbench.features.marks import marks_of
from workbench.matching.columns import empty_columns
from workbench.matching.video_facts import Scene, VideoFacts
from workbench.params import MATCH_PARTS, MatchParams
from workbench.plots import match
from workbench.plots.align import align_figure
from workbench.plots.labels import LabelPlace, Labels, ink_on, name_point
from workbench.plots.palette import GROUPS, new_figure
from workbench.review import verdict_figure as review
from workbench.review.verdict_records import Word
from workbench.seams.profile import SEAM_PARTS
from workbench.video.events import EVENT_KINDS, Events

Check = Callable[[Figure], None]
SIZES = ((12.0, 6.2), (6.0, 4.2), (16.0, 6.0))


def test_names_find_room_again_when_the_figure_grows(written: Callable[[Figure], list[Any]]) -> None:
    figure = new_figure(2.0, 1.0)
    axes = figure.subplots()
    axes.set_xlim(0.0, 13.0)
    Labels(axes).block("instrumental", [(0.0, 5.0)], 0.5, "#0072B2")

    def names() -> list[str]:
        return [text.text for text in written(figure) if text.text.startswith("inst")]

    (shortened,) = names()
    assert shortened.endswith("…")
    figure.set_size_inches(8.0, 1.0)
    assert names() == ["instrumental"]
    figure.set_size_inches(1.0, 1.0)
    assert names() == []


def test_names_keep_clear_of_each_other_and_of_what_they_are_told_to_avoid(
    check_legible: Check, written: Callable[[Figure], list[Any]]
) -> None:
    figure = new_figure(5.0, 3.0)
    axes = figure.subplots()
    axes.plot([0.0, 1.0], [0.0, 1.0], label="a curve")
    labels = Labels(axes, [axes.legend(loc="upper right")])
    for k in range(200):
        name_point(labels, f"{k}", *np.random.default_rng(k).uniform(0.0, 1.0, 2).tolist())
    labels.place([LabelPlace("far away", 30.0, 30.0)])
    check_legible(figure)
    texts = [text.text for text in written(figure)]
    assert "0" in texts
    assert "far away" not in texts


@pytest.mark.parametrize("colour", [*GROUPS, "white", "black"])
def test_ink_is_read_on_every_colour(colour: str) -> None:
    def luminance(name: str) -> float:
        parts = np.array(to_rgb(name))
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    bright, dark = sorted((luminance(colour), luminance(ink_on(colour))), reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 4.5


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [60.0, 600.0])
def test_alignments(seconds: float, style: str, check_legible: Check) -> None:
    dice = np.random.default_rng(2)
    at = np.sort(dice.uniform(0.0, seconds, 80))
    heard = [(float(t), LANDMARK_KINDS[k % 6], 0.5 + 0.4 * (k % 2), 0.03) for k, t in enumerate(at)]
    track = Landmarks(marks_of(LANDMARK_KINDS, heard), seconds, 0.0, seconds)
    video = Events(
        marks_of(EVENT_KINDS, [(float(t) + 0.02, EVENT_KINDS[k % 5], 0.8, 0.04) for k, t in enumerate(at)]), seconds
    )
    placements = place(track, video)
    for size in ((12.0, 7.2), (8.0, 7.0)) if style == "default" else ((12.0, 7.2),):
        figure = align_figure(track, video, placements)
        figure.set_size_inches(*size)
        check_legible(figure)


def test_matches(check_legible: Check) -> None:
    scenes = (Scene(0.0, 30.0, 4.0, 0.02, 0.4, 0.1, 0.2), Scene(30.0, 90.0, 30.0, 0.4, 0.4, 0.1, 0.8))
    cuts = np.array([10.0, 30.0, 50.0])
    video = VideoFacts(90.0, cuts, 0.2, 0.4, 0.1, 0.15, -30.0, 0.2, 4, "voice", scenes, 0.4, 0.5)
    titles = [f"Track number {k} with a long title" for k in range(12)]
    columns = empty_columns(np.array(titles, dtype=object))
    contour = np.linspace(0.1, 0.9, CONTOUR_PARTS)[None].repeat(12, axis=0).astype(np.float16)
    columns = replace(columns, contour=contour, duration=np.full(12, 40.0, dtype=np.float32))
    check_legible(match.follow_figure(video, columns, titles, ((3.0, 9.0),)))
    dice = np.random.default_rng(3)
    parts = [{name: float(dice.uniform(0.1, 1.0)) for name in MATCH_PARTS} for _ in titles]
    check_legible(match.parts_figure(titles, np.linspace(1.0, 0.1, 12).tolist(), parts, MatchParams()))


def test_reviews(check_legible: Check) -> None:
    dice = np.random.default_rng(4)
    count = 300
    scores = dice.uniform(0.0, 1.0, count)
    words: tuple[Word, ...] = tuple("good" if good else "audible" for good in scores > dice.uniform(0.0, 1.0, count))
    seams = review.Reviewed(
        ("a",) * count, words, scores, dice.uniform(0.0, 1.0, (count, len(SEAM_PARTS))), dice.uniform(0, 99, (count, 2))
    )
    for bins in (4, 10, 40):
        check_legible(review.reliability_figure(seams, bins))
    check_legible(review.parts_figure(seams))
