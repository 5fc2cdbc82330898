"""The timeline of a video: everything is named in the picture itself, and names never lie over one another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from tests.workbench.played import make_plan
from workbench.align.placements import Coincidence, Placement
from workbench.features.marks import marks_of
from workbench.plots.palette import png
from workbench.plots.video import (
    FRAMES,
    LONG_TILES,
    MOST_TILES,
    PlayedMusic,
    Tile,
    VideoOverview,
    format_rate,
    frame_times,
    tile_spans,
    video_figure,
)
from workbench.seams.profile import TrackSection
from workbench.video.analysis import VideoAnalysis
from workbench.video.events import EVENT_KINDS, Events
from workbench.video.picture import Border, Picture
from workbench.video.soundtrack import Soundtrack

SHOT, SPEECH_EVERY, BODY = 4.0, 60.0, 48.0


def timeline(seconds: float, *, ducked: bool = True, score: float = 0.6) -> VideoOverview:
    """A video with a cut every four seconds, a voice now and then, and a track of sixty seconds played on and on."""
    cuts = np.arange(SHOT, seconds, SHOT)
    times = np.arange(0.0, seconds, 0.5)
    flat = np.full(times.size, 0.2, dtype=np.float32)
    borders = tuple(Border("hard", float(cut), float(cut), float(cut), 0.5) for cut in cuts)
    picture = Picture(seconds, times, flat, flat, flat, flat, borders, black=(), still=())
    speech = tuple((float(at), float(at) + 8.0) for at in np.arange(10.0, seconds - 20.0, SPEECH_EVERY))
    power = np.full(round(100 * seconds), 1e-3)
    none = np.zeros(0)
    sound = Soundtrack(power, 0.5, 0.0 * power, none, none, none, 0.032, speech, "voice")
    watched = VideoAnalysis("0" * 64, "A video", seconds, 640, 360, 25.0, picture, sound)
    rows = [(float(cut), "cut", 0.6, 0.04) for cut in cuts] + [
        (0.0, "start", 0.5, 0.04), (seconds, "end", 0.5, 0.25), (5.0, "flash", 0.9, 0.04), (9.0, "title", 0.8, 0.1),
        (20.0, "hit", 0.7, 0.04), (22.0, "motion", 0.3, 0.1),
    ]  # fmt: skip
    events = Events(marks_of(EVENT_KINDS, rows), seconds)
    bodies = int((seconds - 6.0) // BODY)
    segments = [(6.0, 54.0, 0.0, 0.0)] * bodies + [(6.0, 6.0 + seconds - bodies * BODY, 0.0, 0.0)]
    plan = make_plan(segments, [0.05] * bodies, [0.7] * bodies, song_duration=62.0, end_fade=2.0)
    sections = (TrackSection(0, 8, 0.0, 30.0, "verse", 0), TrackSection(8, 16, 30.0, 62.0, "chorus", 1))
    points = tuple(p for a, b in speech for p in ((a - 0.4, 0.0), (a, 14.0), (b, 14.0), (b + 0.8, 0.0)))
    music = PlayedMusic(plan, sections, 0.5 * power, 0.2 * power, points if ducked else ())
    at = float(cuts[len(cuts) // 2])
    met = (Coincidence("drop", 10.0, "cut", at, 0.01, 0.8),)
    found = Placement(at - 10.0, score, f"drop on the cut at {at:.1f}", 0.9, 0.5, 0.0, met)
    pixels = np.random.default_rng(1).integers(0, 255, (72, 128, 3), dtype=np.uint8)
    return VideoOverview(
        watched,
        events,
        tuple((time, pixels) for time in frame_times(picture.shots)),
        tuple(Tile(first, last, pixels) for first, last, _ in tile_spans(picture.shots)),
        music,
        (found,),
        (0.0, 60.0),
    )


def test_own_music_that_this_one_gives_way_to_is_named(check_legible: Callable[[Figure], None]) -> None:
    overview = timeline(70.0)
    music = replace(overview.music, own_music=((20.0, 40.0),))
    figure = video_figure(replace(overview, music=music))
    assert "under speech\nand own music" in words(figure)
    assert "under speech\nand own music" not in words(video_figure(overview))
    check_legible(figure)


def words(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def shown(figure: Figure) -> list[Text]:
    """Every piece of text that is drawn: names and facts, axis labels, and the ticks in view."""
    FigureCanvasAgg(figure).draw()
    found: list[Text] = []
    for axes in figure.axes:
        found += [*axes.texts, axes.xaxis.label]
        found += [label for label in axes.get_xticklabels() if _within(label.get_position()[0], axes.get_xlim())]
        found += [label for label in axes.get_yticklabels() if _within(label.get_position()[1], axes.get_ylim())]
    return [text for text in found if text.get_visible() and text.get_text()]


def _within(at: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= at <= limits[1]


@pytest.mark.parametrize("seconds", [70.0, 300.0, 1800.0])
def test_no_name_lies_over_another_or_beside_the_paper(seconds: float, check_legible: Callable[[Figure], None]) -> None:
    check_legible(video_figure(timeline(seconds)))


def test_text_is_large_enough_to_read() -> None:
    figure = video_figure(timeline(300.0))
    assert figure.bbox.width == pytest.approx(1320)
    assert min(float(text.get_fontsize()) for text in shown(figure)) >= 8.0


def test_lanes_say_what_they_are() -> None:
    figure = video_figure(timeline(300.0))
    said = words(figure)
    for name in ("video", "shots", "cut", "flash", "title", "hit", "motion", "start, end", "sync points", "music",
                 "soundtrack", "speech", "ducked", "track"):  # fmt: skip
        assert name in said
    assert "75, 15 a minute" in said
    assert "-14.0 dB" in [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    assert any(text.startswith("1  drop on the cut") and text.endswith("score 0.60") for text in said)
    assert figure.legends == []
    assert png(figure).startswith(b"\x89PNG")


def test_what_is_not_there_takes_no_room() -> None:
    whole = video_figure(timeline(100.0))
    less = video_figure(timeline(100.0, ducked=False))
    assert "ducked" not in words(less)
    assert len(less.axes) == len(whole.axes) - 1
    assert less.bbox.height < whole.bbox.height


def test_where_somebody_may_speak_is_hatched_and_named(check_legible: Callable[[Figure], None]) -> None:
    overview = timeline(300.0)
    assert not any("hatched" in text for text in words(video_figure(overview)))
    figure = video_figure(replace(overview, uncertain=((30.0, 33.0), (80.0, 81.0))))
    check_legible(figure)
    assert any(text.endswith("% of the video\nhatched: unsure") for text in words(figure))
    hatched = [patch for axes in figure.axes for patch in axes.patches if patch.get_hatch() == "////"]
    assert sum(to_rgba(patch.get_facecolor())[3] == 0.0 for patch in hatched) >= 2


def test_a_placement_that_may_be_chance_says_so() -> None:
    assert any("no clear sync point" in text for text in words(video_figure(timeline(100.0, score=0.1))))


def test_tiles_are_the_video_and_never_too_many() -> None:
    generator = np.random.default_rng(4)
    for count in (1, 5, 60, 900):
        edges = np.concatenate([[0.0], np.cumsum(generator.uniform(0.2, 9.0, count))])
        shots = list(pairwise(edges))
        spans = tile_spans(shots)
        assert len(spans) <= MOST_TILES + LONG_TILES
        assert spans[0][0] == 0.0
        assert spans[-1][1] == edges[-1]
        assert all(before[1] == after[0] for before, after in pairwise(spans))
        assert all(first < at < last for first, last, at in spans)
        assert len(frame_times(shots)) == FRAMES
        assert frame_times(shots) == sorted(frame_times(shots))


def test_few_shots_have_a_tile_each_that_shows_its_middle() -> None:
    shots = [(5.0 * k, 5.0 * k + 5.0) for k in range(20)]
    assert tile_spans(shots) == [(first, last, first + 2.5) for first, last in shots]
    assert tile_spans([]) == []


def test_a_video_of_one_shot_is_shown_as_it_goes_on() -> None:
    spans = tile_spans([(0.0, 100.0)])
    assert [(first, last) for first, last, _ in spans] == [(10.0 * k, 10.0 * k + 10.0) for k in range(10)]
    assert [at for _, _, at in spans] == [10.0 * k + 5.0 for k in range(10)]


def test_few_things_are_counted_to_a_tenth() -> None:
    assert format_rate(1, 150.0) == "0.4 a minute"
    assert format_rate(70, 300.0) == "14 a minute"
