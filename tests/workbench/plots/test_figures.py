"""Figures of tracks and plans: what they show, and that their names are legible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from tests.workbench.plans.fitted import Fit
from tests.workbench.played import make_plan
from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import CHANCE_SCORE, place
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.edits.difference import EditChange, EditDifference, SharedSpan
from workbench.features.descriptors import CONTOUR_PARTS
from workbench.features.marks import marks_of
from workbench.files import bundled_path
from workbench.matching.columns import Columns, empty_columns
from workbench.matching.video_facts import Scene, VideoFacts
from workbench.matching.video_reference import MatchReference
from workbench.params import MATCH_PARTS, MatchParams
from workbench.plans.conform import conform_plan, unsure_seams
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LOOP_ALONE
from workbench.plots import match
from workbench.plots.align import EVENT_COLOURS, LANDMARK_COLOURS, align_figure
from workbench.plots.beats import beats_figure, envelope
from workbench.plots.conform import conform_figure
from workbench.plots.labels import LabelPlace, Labels, ink_on, name_point
from workbench.plots.match import calibration_figure, follow_figure, parts_figure
from workbench.plots.mix import mix_figure, uncertain_in_words
from workbench.plots.palette import ENDING, GROUPS, clock, group_colour, new_figure, png, time_axis
from workbench.plots.plan import plan_figure, section_colours
from workbench.plots.seams import SeamView, seam_figure
from workbench.plots.sweep import sweep_figure
from workbench.recording import Recording
from workbench.review import verdict_figure as review
from workbench.review.verdicts import Word
from workbench.seams.profile import SEAM_PARTS, LoopProfile, TrackSection
from workbench.store.home import Home
from workbench.video.events import EVENT_KINDS, Events
from workbench.workflows.plan import plan_track

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


def test_envelope_holds_the_extremes_of_each_stretch() -> None:
    low, high = envelope(np.array([0.0, 1.0, -1.0, 0.5, 0.2, 0.1]), columns=3)
    np.testing.assert_array_equal(low, [0.0, -1.0, 0.1])
    np.testing.assert_array_equal(high, [1.0, 0.5, 0.2])


def test_envelope_of_sound_shorter_than_its_columns_is_the_sound() -> None:
    low, high = envelope(np.array([0.25, -0.5]), columns=100)
    np.testing.assert_array_equal(low, high)
    np.testing.assert_array_equal(low, [0.25, -0.5])


def test_draws_a_grid_with_and_without_sound_and_one_without_beats() -> None:
    beats = np.arange(40) * 0.5
    grid = BeatGrid(beats, np.arange(40) % 4 + 1, 4, 0.9)
    attack = np.zeros(2000)
    attack[(beats * 100).astype(int)] = 1.0
    sound = Recording.from_samples(np.sin(np.arange(160_000) / 20.0), 8000)
    whole = beats_figure(grid, attack, 100, sound)
    near = beats_figure(grid, attack, 100, span=(4.0, 8.0))
    none = beats_figure(BeatGrid(np.zeros(0), np.zeros(0, dtype=int), 4), attack, 100)
    assert [len(figure.axes) for figure in (whole, near, none)] == [3, 2, 2]
    assert near.axes[0].get_xlim() == (4.0, 8.0)
    assert all(png(figure) for figure in (whole, near, none))


def test_both_cuts_and_what_stayed(style: str, home: Home, check_legible: Callable[[Figure], None]) -> None:
    track = Path(bundled_path("data", "bundled", "music", "hill_road.ogg"))
    loop = plan_track(Workspace(home), track, 300.0, LOOP_ALONE)
    assert loop.analysis is not None
    kept = (SharedSpan(0.0, 0.0, 90.0), SharedSpan(93.0, 90.0, 207.0))
    difference = EditDifference(300.0, 297.0, kept, (EditChange(90.0, 90.0, -3.0, "trim"),), 0.04)
    old = loop.plan.alone
    new = conform_plan(loop.analysis.profile, old, difference)
    assert isinstance(new, LoopPlan)
    figure = conform_figure(old, new, difference, loop.analysis.profile)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["old cut", "new cut"]
    assert any("trim -3.0 s" in text.get_text() for text in axes.texts)
    frame = replace(difference, changes=(EditChange(90.0, 90.0, -0.033, "trim"),))
    labels = [text.get_text() for text in conform_figure(old, new, frame, loop.analysis.profile).axes[0].texts]
    assert "trim -0.03 s" in labels
    ribbons = [patch for patch in axes.patches if isinstance(patch, Polygon)]
    green = [patch for patch in ribbons if patch.get_facecolor()[:3] == to_rgb(ENDING)]
    assert min(float(patch.get_xy()[:, 0].min()) for patch in green) == old.music_in
    assert not [text for text in axes.texts if text.get_text().strip().startswith("0.")]
    check_legible(figure)
    # The own ending asks for seams that are less sure than those of a loop: each is shown with its score.
    old = Fit(100.0).plan(loop.analysis.profile).alone
    kept = (SharedSpan(0.0, 0.0, 68.0), SharedSpan(70.0, 68.0, 30.0))
    difference = EditDifference(100.0, 98.0, kept, (EditChange(68.0, 68.0, -2.0, "trim"),), 0.04)
    new = conform_plan(loop.analysis.profile, old, difference)
    assert isinstance(new, LoopPlan)
    figure = conform_figure(old, new, difference, loop.analysis.profile)
    scores = [text.get_text().strip() for text in figure.axes[0].texts if text.get_text().strip().startswith("0.")]
    assert scores == [f"{seam.score:.2f}" for seam in unsure_seams(new, old, loop.analysis.profile)]
    assert scores
    check_legible(figure)


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
    usual = {name: MatchParams().usual_parts[name] for name in MATCH_PARTS}
    parts = [usual, usual | {"voice": 0.1, "level": 1.0}]
    figure = parts_figure(("As usual", "Sings"), (0.4, 0.2), parts, MatchParams())
    left = figure.axes[0]
    widths = [bar.get_width() for bar in left.patches if isinstance(bar, Rectangle)]
    assert min(widths) < -0.1
    assert {text.get_text() for text in left.get_yticklabels()} == {"As usual", "Sings"}
    assert png(figure).startswith(b"\x89PNG")


def test_calibration_shows_every_pair(video: VideoFacts) -> None:
    dice = np.random.default_rng(1)
    columns = empty_columns(np.array([str(k) for k in range(60)], dtype=object))
    columns = replace(columns, energy=dice.uniform(0, 1, 60).astype(np.float32))
    reference = MatchReference((video,), columns, dice.integers(0, 4, (1, 60)))
    figure = calibration_figure(reference, MatchParams())
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert len(dots) == 20
    assert png(figure).startswith(b"\x89PNG")


Check = Callable[[Figure], None]


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [8.0, 600.0])
def test_beats_and_mixes(seconds: float, check_legible: Check) -> None:
    rate = 8000
    sound = Recording.from_samples(0.2 * np.sin(np.arange(round(seconds * rate)) / 20.0), rate)
    beats = np.arange(int(seconds * 2)) * 0.5
    grid = BeatGrid(beats, np.arange(beats.size) % 4 + 1, 4, 0.9)
    check_legible(beats_figure(grid, np.ones(round(seconds * 100)), 100, sound))
    points = [(1.0, 0.0), (2.0, 14.0), (4.0, 14.0), (5.0, 0.0)]
    check_legible(mix_figure(points, [(2.0, 4.0)], sound, sound))
    half = [(time, depth / 2) for time, depth in points]
    check_legible(mix_figure(points, [(2.0, 4.0)], sound, sound, outside_points=half))
    doubtful = mix_figure(points, [(2.0, 4.0)], sound, sound, outside_points=half, uncertain=[(5.0, 6.0)])
    check_legible(doubtful)
    legend = doubtful.axes[0].get_legend()
    assert legend is not None
    assert "perhaps speech" in [text.get_text() for text in legend.get_texts()]


def test_the_first_few_uncertain_ranges_are_named_and_the_others_counted() -> None:
    ranges = [(60.0 * k + 5.2, 60.0 * k + 7.0) for k in range(9)]
    assert uncertain_in_words(ranges[:2]) == "0:05 to 0:07, 1:05 to 1:07"
    assert uncertain_in_words(ranges).endswith("4:05 to 4:07, 5:05 to 5:07 and 3 more")
    assert uncertain_in_words([(5.6, 6.4)]) == "0:06", "less than a second"


TRACKS = ("slow_ember", "hill_road", "glass_circuit")

SIZES = ((12.0, 6.2), (6.0, 4.2), (16.0, 6.0))


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [300.0, 3000.0])
@pytest.mark.parametrize("name", TRACKS)
def test_plans_of_bundled_tracks(name: str, seconds: float, style: str, home: Home, check_legible: Check) -> None:
    track = bundled_path("data", "bundled", "music", f"{name}.ogg")
    loop = plan_track(Workspace(home), Path(track), seconds, LOOP_ALONE)
    assert loop.analysis is not None
    speech = [(20.0, 40.0), (60.0, 62.0)]
    points = [(19.0, 0.0), (20.0, 14.0), (40.0, 14.0), (41.0, 0.0)]
    # Colours move no letters: one size says that the other palette is no exception.
    for size in SIZES if style == "default" else SIZES[:1]:
        figure = plan_figure(loop.plan, loop.analysis.profile, points, speech)
        figure.set_size_inches(*size)
        check_legible(figure)


@pytest.fixture(scope="module")
def profile(home: Home) -> LoopProfile:
    return analyze(Workspace(home), bundled_path("data", "bundled", "music", "slow_ember.ogg")).profile


@pytest.fixture(scope="module")
def short_bodies() -> LoopPlan:
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
    profile: LoopProfile, check_legible: Check, written: Callable[[Figure], list[Any]]
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


def test_a_seam(check_legible: Check) -> None:
    noise = Recording.from_samples(0.1 * np.random.default_rng(0).standard_normal((2, 8 * 22_050)), 22_050)
    parts = np.linspace(0.3, 1.0, len(SEAM_PARTS))
    beats = np.array([[0.5 * k, k % 4 == 0] for k in range(-7, 8)], dtype=float)
    view = SeamView(
        12, 3721.0, 95.0, 31.0, noise, noise, noise, 4.0, 0.05, beats, 0.87, parts, 0.3,
        np.random.default_rng(1).uniform(0.3, 1.0, (len(SEAM_PARTS), 30)),
    )  # fmt: skip
    check_legible(seam_figure(view))


def _table(index: pandas.Index) -> pandas.DataFrame:
    mean = np.linspace(0.4, 0.6, len(index))
    columns = {"mean": mean, "mean_low": mean - 0.1, "mean_high": mean + 0.1}
    columns |= {"difference": mean - mean.max(), "low": mean - 0.62, "high": mean - 0.58}
    return pandas.DataFrame(columns, index=index).assign(tracks=7)


def test_every_point_with_its_interval(style: str, check_legible: Callable[[Figure], None]) -> None:
    figure = sweep_figure(_table(pandas.Index([0.25, 0.5, 1.0], name="models.seams.pulse_weight")), "downbeat_f")
    above, below = figure.axes
    assert "mean of 7 recordings" in above.get_title(loc="left")
    assert [label.get_text() for label in below.get_xticklabels()] == ["0.25", "0.5", "1"]
    assert [len(axes.collections[0].get_paths()) for axes in (above, below)] == [3, 3]
    check_legible(figure)


def test_other_parameters_are_lines_as_long_as_one_can_tell_them_apart(check_legible: Callable[[Figure], None]) -> None:
    both = pandas.MultiIndex.from_product([["network", "onsets"], [2, 4, 8]], names=["beats.activation", "context"])
    figure = sweep_figure(_table(both))
    above, below = figure.axes
    legend = above.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["2", "4", "8"]
    assert [label.get_text() for label in below.get_xticklabels()] == ["network", "onsets"]
    check_legible(figure)
    many = pandas.MultiIndex.from_product([[1], range(9)], names=["a", "b"])
    with pytest.raises(ValueError, match="9 combinations of b"):
        sweep_figure(_table(many))


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (75, "1:15"), (3675, "1:01:15"), (-4.0, "-0:04")]
)
def test_clock_reads_like_a_player(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_sections_of_two_names_have_two_colours_and_those_of_one_kind_have_one() -> None:
    """A build and a verse may repeat each other."""
    intro, build, verse, again = (
        TrackSection(4 * k, 4 * k + 4, 8.0 * k, 8.0 * k + 8.0, name, group)
        for k, (name, group) in enumerate((("intro", 0), ("build", 1), ("verse", 1), ("verse", 1)))
    )
    colours = section_colours((intro, build, verse, again))
    assert len({colours[intro], colours[build], colours[verse], colours[None]}) == 4
    assert colours[verse] == colours[again]


def test_groups_keep_their_colours_and_repeat_only_after_all_are_used() -> None:
    assert len(set(GROUPS)) == len(GROUPS)
    assert group_colour(len(GROUPS)) == group_colour(0)


@pytest.mark.parametrize(("seconds", "step"), [(4.0, 0.5), (16.0, 2.0), (300.0, 30.0), (36_000.0, 3600.0)])
def test_time_is_marked_at_round_numbers(seconds: float, step: float) -> None:
    axes = new_figure(6.0, 2.0).subplots()
    axes.set_xlim(0.0, seconds)
    time_axis(axes, seconds)
    marks = axes.get_xticks()
    assert marks[1] - marks[0] == pytest.approx(step)


def test_png_is_a_picture_of_the_size_asked_for() -> None:
    picture = png(new_figure(4.0, 2.0))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") == 440
    assert int.from_bytes(picture[20:24], "big") == 220


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
