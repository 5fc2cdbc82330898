"""Pictures of a match show what they are given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from workbench.features.descriptors import CONTOUR_PARTS
from workbench.matching.columns import Columns, empty_columns
from workbench.matching.video_facts import Scene, VideoFacts
from workbench.matching.video_reference import MatchReference
from workbench.params import MATCH_PARTS, MatchParams
from workbench.plots.match import calibration_figure, follow_figure, parts_figure
from workbench.plots.palette import png


@pytest.fixture
def video() -> VideoFacts:
    scenes = (Scene(0.0, 30.0, 4.0, 0.02, 0.4, 0.1, 0.2), Scene(30.0, 90.0, 30.0, 0.4, 0.4, 0.1, 0.8))
    return VideoFacts(90.0, np.array([10.0, 30.0, 50.0]), 0.2, 0.4, 0.1, 0.15, -30.0, 0.2, 4, "voice", scenes, 0.4, 0.5)


@pytest.fixture
def tracks() -> Columns:
    contour = np.linspace(0.1, 0.9, CONTOUR_PARTS)[None].repeat(3, axis=0).astype(np.float16)
    contour[2] = np.nan
    columns = empty_columns(np.array(["a", "b", "c"], dtype=object))
    return replace(columns, contour=contour, duration=np.array([120.0, 40.0, np.nan], dtype=np.float32))


def test_a_row_a_track_on_the_videos_clock(video: VideoFacts, tracks: Columns) -> None:
    figure = follow_figure(video, tracks, ("One", "Two", "Three"), ((3.0, 9.0),))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["One", "Two", "Three"]
    assert figure.axes[-1].get_xlim() == (0.0, 90.0)
    music = [len([line for line in axes.lines if line.get_label() == "music: energy"]) for axes in figure.axes]
    assert music == [1, 1, 0]
    assert png(figure).startswith(b"\x89PNG")


def test_parts_add_up_beside_the_score() -> None:
    usual = MatchParams().usual_parts
    parts = [dict(usual), dict(usual) | {"voice": 0.1, "level": 1.0}]
    figure = parts_figure(("As usual", "Sings"), (0.4, 0.2), parts, MatchParams())
    left = figure.axes[0]
    widths = [bar.get_width() for bar in left.patches if isinstance(bar, Rectangle)]
    assert min(widths) < -0.1
    assert {text.get_text() for text in left.get_yticklabels()} == {"As usual", "Sings"}
    assert set(parts[0]) == set(MATCH_PARTS)
    assert png(figure).startswith(b"\x89PNG")


def test_calibration_shows_every_pair(video: VideoFacts) -> None:
    dice = np.random.default_rng(1)
    columns = empty_columns(np.array([str(k) for k in range(60)], dtype=object))
    columns = replace(columns, energy=dice.uniform(0, 1, 60).astype(np.float32))
    reference = MatchReference((video,), columns, dice.integers(0, 4, (1, 60)))
    figure = calibration_figure(reference, MatchParams(), bins=6)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert len(dots) == 6
    assert png(figure).startswith(b"\x89PNG")
