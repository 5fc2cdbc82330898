"""Pictures of plans: what they name, and that it can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.plans.plan import LoopPlan
from workbench.plots.plan import plan_figure
from workbench.seams.profile import LoopProfile, TrackSection
from workbench.store.home import Home
from workbench.workflows.plan import loop_track

TRACKS = ("slow_ember", "hill_road", "glass_circuit")

SIZES = ((12.0, 6.2), (6.0, 4.2), (16.0, 6.0))

Check = Callable[[Figure], None]


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [300.0, 3000.0])
@pytest.mark.parametrize("name", TRACKS)
def test_plans_of_bundled_tracks(name: str, seconds: float, style: str, home: Home, check_legible: Check) -> None:
    track = bundled_path("data", "bundled", "music", f"{name}.ogg")
    loop = loop_track(Workspace(home), Path(track), seconds)
    assert isinstance(loop.answer, LoopPlan)
    assert loop.analysis is not None
    speech = [(20.0, 40.0), (60.0, 62.0)]
    points = [(19.0, 0.0), (20.0, 14.0), (40.0, 14.0), (41.0, 0.0)]
    # Colours move no letters: one size says that the other palette is no exception.
    for size in SIZES if style == "default" else SIZES[:1]:
        figure = plan_figure(loop.answer, loop.analysis.profile, points, speech)
        figure.set_size_inches(*size)
        check_legible(figure)


@pytest.fixture(scope="module")
def profile(home: Home) -> LoopProfile:
    return analyze(Workspace(home), bundled_path("data", "bundled", "music", "slow_ember.ogg")).profile


@pytest.fixture(scope="module")
def short_bodies(make_plan: Callable[..., LoopPlan]) -> LoopPlan:
    """The last second of one section and the first of the next, sixty times."""
    rows = [(10.0, 21.0, 0.0, 0.0)] + [(19.0, 21.0, 0.0, 0.0)] * 60
    return make_plan(rows, [0.01] * 60, [0.5] * 60, song_duration=80.0)


def sections(*names: tuple[str, float]) -> tuple[TrackSection, ...]:
    edges = [0.0, *(end for _, end in names)]
    return tuple(
        TrackSection(4 * k, 4 * k + 4, start, end, name, k % 3)
        for k, ((name, end), start) in enumerate(zip(names, edges, strict=False))
    )


def test_short_sections_are_not_named_and_neighbours_of_one_name_are_named_once(
    profile: LoopProfile,
    make_plan: Callable[..., LoopPlan],
    check_legible: Check,
    written: Callable[[Figure], list[Any]],
) -> None:
    """Three choruses in a row, each too narrow for its name, together wide enough; a bridge of one second."""
    parts = (
        TrackSection(0, 4, 0.0, 4.0, "chorus", 0), TrackSection(4, 8, 4.0, 8.0, "chorus", 0),
        TrackSection(8, 12, 8.0, 12.0, "chorus", 0), TrackSection(12, 13, 12.0, 13.0, "bridge", 1),
        TrackSection(13, 40, 13.0, 70.0, "verse", 2),
    )  # fmt: skip
    plan = make_plan([(0.0, 60.0, 0.0, 0.0), (20.0, 60.0, 0.0, 0.0)], [0.01], [0.5], song_duration=70.0)
    figure = plan_figure(plan, replace(profile, sections=parts))
    check_legible(figure)
    texts = [text.text for text in written(figure)]
    # Once in each lane and once in the names of colours; the two verses of the video are neighbours.
    assert texts.count("chorus") == 3
    assert texts.count("verse") == 3
    assert texts.count("bridge") == 1


def test_many_short_bodies(profile: LoopProfile, short_bodies: LoopPlan, check_legible: Check) -> None:
    figure = plan_figure(short_bodies, replace(profile, sections=sections(("chorus", 20.0), ("bridge", 80.0))))
    check_legible(figure)
