"""Names are legible in every figure: none over another, none off the paper, none on its side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.style
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import place
from workbench.beats.grid import BeatGrid
from workbench.bundled import bundled_path
from workbench.catalog.columns import empty_columns
from workbench.character.descriptors import CONTOUR_PARTS
from workbench.features.marks import marks_of
from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.loops.profile import SEAM_PARTS, LoopProfile, TrackSection
from workbench.match.video_facts import Scene, VideoFacts
from workbench.params import MATCH_PARTS, MatchParams
from workbench.plots import match, review
from workbench.plots.align import align_figure
from workbench.plots.beats import beats_figure
from workbench.plots.labels import LabelPlace, Labels, ink_on, name_point
from workbench.plots.mix import mix_figure
from workbench.plots.palette import GROUPS, new_figure
from workbench.plots.plan import plan_figure
from workbench.plots.seams import SeamView, seam_figure
from workbench.recording import Recording
from workbench.store.verdicts import Word
from workbench.video.events import EVENT_KINDS, Events
from workbench.workflows.analyze import analyze
from workbench.workflows.loop import loop_track
from workbench.workspace import Workspace

Check = Callable[[Figure], None]
TRACKS = ("slow_ember", "hill_road", "glass_circuit")
SIZES = ((12.0, 6.2), (6.0, 4.2), (16.0, 6.0))


@pytest.fixture(params=["default", "dark_background"])
def style(request: pytest.FixtureRequest) -> Iterator[str]:
    """The light and the dark palette that a notebook may be set to."""
    with mpl.style.context(request.param):
        yield request.param


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home"))


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


@pytest.mark.parametrize("seconds", [8.0, 600.0])
def test_beats_and_mixes(seconds: float, check_legible: Check) -> None:
    rate = 8000
    sound = Recording.from_samples(0.2 * np.sin(np.arange(round(seconds * rate)) / 20.0), rate)
    beats = np.arange(int(seconds * 2)) * 0.5
    grid = BeatGrid(beats, np.arange(beats.size) % 4 + 1, 4, 0.9)
    check_legible(beats_figure(grid, np.ones(round(seconds * 100)), 100, sound))
    points = [(1.0, 0.0), (2.0, 14.0), (4.0, 14.0), (5.0, 0.0)]
    check_legible(mix_figure(points, [(2.0, 4.0)], sound, sound))


def test_a_seam(check_legible: Check) -> None:
    noise = Recording.from_samples(0.1 * np.random.default_rng(0).standard_normal((2, 8 * 22_050)), 22_050)
    parts = np.linspace(0.3, 1.0, len(SEAM_PARTS))
    beats = np.array([[0.5 * k, k % 4 == 0] for k in range(-7, 8)], dtype=float)
    view = SeamView(
        12, 3721.0, 95.0, 31.0, noise, noise, noise, 4.0, 0.05, beats, 0.87, parts, 0.3,
        np.random.default_rng(1).uniform(0.3, 1.0, (len(SEAM_PARTS), 30)),
    )  # fmt: skip
    check_legible(seam_figure(view))


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
