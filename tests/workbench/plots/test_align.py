from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import CHANCE_SCORE, place
from workbench.features.marks import marks_of
from workbench.plots.align import EVENT_COLOURS, LANDMARK_COLOURS, align_figure
from workbench.plots.palette import png
from workbench.video.events import EVENT_KINDS, Events

TRACK = Landmarks(
    marks_of(
        LANDMARK_KINDS,
        [(12.0, "drop", 1.0, 0.03), (18.5, "stab", 0.7, 0.03), *((2.0 * k, "downbeat", 0.2, 0.04) for k in range(20))],
    ),
    42.0,
    0.0,
    41.0,
)
VIDEO = Events(
    marks_of(EVENT_KINDS, [(20.0, "cut", 0.7, 0.04), (26.5, "flash", 0.8, 0.04), (0.0, "start", 0.5, 0.04)]), 50.0
)


def test_every_kind_has_a_colour() -> None:
    assert tuple(LANDMARK_COLOURS) == LANDMARK_KINDS
    assert tuple(EVENT_COLOURS) == EVENT_KINDS


def test_draws_a_placement_and_says_what_meets() -> None:
    placements = place(TRACK, VIDEO)
    figure = align_figure(TRACK, VIDEO, placements)
    assert len(figure.axes) == 3
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "drop · cut" in texts
    assert placements[0].label in figure.axes[0].get_title(loc="left")
    told = [text.get_text() for text in figure.axes[2].texts]
    assert told == [f"{one.score:.2f}" for one in placements if one.score >= CHANCE_SCORE or one is placements[0]]
    assert len(told) < len(placements)
    assert png(figure).startswith(b"\x89PNG")


def test_draws_another_placement_and_none() -> None:
    placements = place(TRACK, VIDEO)
    second = replace(placements[1], score=0.4)
    drawn = align_figure(TRACK, VIDEO, (placements[0], second), chosen=1)
    assert second.label in drawn.axes[0].get_title(loc="left")
    unclear = align_figure(TRACK, VIDEO, (replace(placements[0], score=0.2),)).axes[0]
    chance = unclear.get_title(loc="left")
    assert chance.startswith("no clear sync point: the best scores 0.20, under 0.3")
    assert placements[0].label not in chance
    assert "lands" not in chance
    assert not unclear.texts, "what may be chance is not named"
    bare = Landmarks(marks_of(LANDMARK_KINDS, []), 30.0, 0.0, 0.0)
    assert png(align_figure(bare, VIDEO, ())).startswith(b"\x89PNG")
    assert np.isfinite(align_figure(bare, VIDEO, ()).axes[2].get_xlim()).all()
