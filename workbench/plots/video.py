"""The video's timeline: everything that was found in a video and done under it, in one picture on one clock.

From top to bottom, each lane named at its left and on the video's clock:

    frames      twelve pictures large enough to know the video by, each tied to its place
    shots       a strip in which every tile shows its own shot, and a stroke for every cut, flash and fade
    events     a row a kind, the taller the more salient
    sync points where each of the best placements puts the track, and the coincidences there
    levels      speech as blocks, the soundtrack as an area, the music as played as a line
    ducked      how far the music is pulled down; below it, where the video has music of its own
    music       parts of the track as they are played, with seams and ending

A lane without anything to show is left out. The picture is as wide for half an hour as for a minute, so nothing in it
grows with the video: curves are means of a thousand stretches, tiles take in neighbouring shots where these would be
slivers, names that would overlap are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.align.placements import CHANCE_SCORE, Placement
from workbench.features.levels import HOPS_PER_SECOND, to_lufs
from workbench.plans.plan import LoopPlan
from workbench.plots.align import EVENT_COLOURS
from workbench.plots.labels import LabelPlace, Labels
from workbench.plots.mix import draw_uncertain
from workbench.plots.palette import (
    BEAT,
    DUCK,
    ENDING,
    OWN_MUSIC,
    PLAYED,
    RULE,
    SEAM,
    SOFT_INK,
    VOICE,
    VOICE_INK,
    clock,
    new_figure,
    quiet,
    time_axis,
)
from workbench.plots.plan import draw_blocks, name_blocks, played_blocks
from workbench.recording import FloatArray, VideoSeconds, counted
from workbench.seams.profile import TrackSection
from workbench.video.analysis import VideoAnalysis
from workbench.video.events import Events

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_TILES = 84
"""tiles of the strip; more would be narrower than 12 pixels"""
LONG_TILES = 10
"""a shot that takes more than this part of the video is shown by several tiles"""
FRAMES = 12
"""large frames above the strip"""
_SHOWN_PLACEMENTS = 4
_EVENT_ROWS = (("cut",), ("flash",), ("title",), ("hit",), ("motion",), ("start", "end"))
_WIDTH_INCHES = 12.0
_LEFT, _RIGHT = 0.105, 0.925
"""where the lanes begin and end, shares of the width; names stand left of them, names of curves right"""
_STRETCHES = 1000
_LEAST_STRETCH_SECONDS = 0.4
"""a momentary loudness of BS.1771 is as long"""
_FLOOR_LUFS, _TOP_LUFS = -60.0, -5.0
_CROWD = 150
"""strokes in a row from which on they are drawn thin"""

_Lane: TypeAlias = "tuple[float, Callable[[Axes], None]]"


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A stretch of the strip and the picture that stands for it."""

    first_s: VideoSeconds
    last_s: VideoSeconds
    pixels: NDArray[np.uint8]
    """shape (height, width, 3), RGB"""


@dataclass(frozen=True, slots=True, eq=False)
class PlayedMusic:
    """A plan as it plays under the video."""

    plan: LoopPlan
    sections: tuple[TrackSection, ...]
    """of the track"""
    music_power: FloatArray
    """shape (n_hops,), K-weighted power of the music with all gains, a hundred hops a second"""
    soundtrack_power: FloatArray
    """shape (m_hops,), the same of the soundtrack; empty where it has none"""
    duck_points: tuple[tuple[VideoSeconds, float], ...] = ()
    """attenuation, dB, positive; linear in between"""
    own_music: tuple[tuple[VideoSeconds, VideoSeconds], ...] = ()
    """music that the video has of its own, for which this one gives way"""


@dataclass(frozen=True, slots=True, eq=False)
class VideoOverview:
    """Everything that the timeline of one video shows."""

    watched: VideoAnalysis
    events: Events
    frames: tuple[tuple[VideoSeconds, NDArray[np.uint8]], ...]
    """large pictures in order of time, at most `FRAMES`, evenly spread"""
    tiles: tuple[Tile, ...]
    """small ones, which together are the video"""
    music: PlayedMusic
    placements: tuple[Placement, ...] = ()
    """of the same track, best first"""
    track_span: tuple[float, float] = (0.0, 0.0)
    """first and last sound of the track, track seconds"""
    uncertain: tuple[tuple[VideoSeconds, VideoSeconds], ...] = ()
    """ranges that may hold speech beyond the detected utterances"""


def video_figure(timeline: VideoOverview) -> Figure:
    """Draw the timeline of a video."""
    from matplotlib.gridspec import GridSpec

    lanes = [lane for lane in _lanes(timeline) if lane is not None]
    heights = [height for height, _ in lanes]
    inches = sum(heights) + 0.13 * len(heights) + 0.55
    figure = new_figure(_WIDTH_INCHES, inches)
    figure.set_layout_engine("none")
    grid = GridSpec(
        len(lanes), 1, figure, left=_LEFT, right=_RIGHT, top=1 - 0.16 / inches, bottom=0.46 / inches,
        height_ratios=heights, hspace=0.13 * len(heights) / sum(heights),
    )  # fmt: skip
    seconds = timeline.watched.picture.duration
    last = None
    for place, (_, draw) in enumerate(lanes):
        axes = figure.add_subplot(grid[place])
        axes.set_xlim(0.0, seconds)
        quiet(axes)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(left=False, bottom=False, labelbottom=False)
        draw(axes)
        last = axes
    assert last is not None, "every video has shots"
    last.tick_params(bottom=True, labelbottom=True)
    time_axis(last, seconds)
    last.set_xlabel("time in the video", fontsize=10)
    return figure


def _lanes(timeline: VideoOverview) -> tuple[_Lane | None, ...]:
    """Height in inches and drawing of each lane; None where it has nothing to show."""
    music = timeline.music
    kinds = [kinds for kinds in _EVENT_ROWS if any(timeline.events.marks.of(kind).size for kind in kinds)]
    shown = _worth_showing(timeline.placements)
    return (
        (0.74, lambda axes: _draw_frames(axes, timeline)) if timeline.frames else None,
        (0.62, lambda axes: _draw_strip(axes, timeline)),
        (0.2 * len(kinds), lambda axes: _draw_events(axes, timeline.events, kinds)),
        (max(0.42, 0.3 * len(shown)), lambda axes: _draw_placements(axes, shown, timeline)) if shown else None,
        (1.6, lambda axes: _draw_levels(axes, timeline)),
        (0.62, lambda axes: _draw_duck(axes, music)) if music.duck_points else None,
        (0.72, lambda axes: _draw_music(axes, music)),
    )


def _worth_showing(placements: Sequence[Placement]) -> Sequence[Placement]:
    """The best few that score better than chance; where there are none, the best."""
    sure = [found for found in placements if found.score >= CHANCE_SCORE]
    return sure[:_SHOWN_PLACEMENTS] if sure else placements[:1]


def tile_spans(
    shots: Sequence[tuple[VideoSeconds, VideoSeconds]],
) -> list[tuple[VideoSeconds, VideoSeconds, VideoSeconds]]:
    """Cut a video into tiles, a shot each; slivers join until they make a tile, a long shot is shown several times.

    Slivers make `MOST_TILES` tiles, parts of long shots `LONG_TILES` more. A tile has its start, its end and the time
    of its picture: the middle of the longest shot in it.
    """
    least = shots[-1][1] / MOST_TILES if shots else 0.0
    spans: list[tuple[VideoSeconds, VideoSeconds, VideoSeconds]] = []
    waiting: list[tuple[VideoSeconds, VideoSeconds]] = []
    for number, shot in enumerate(shots):
        waiting.append(shot)
        rest = shots[-1][1] - shot[1]
        if (shot[1] - waiting[0][0] >= least and rest >= least) or number == len(shots) - 1:
            longest = max(waiting, key=lambda one: one[1] - one[0])
            parts = max(1, ceil((shot[1] - waiting[0][0]) / shots[-1][1] * LONG_TILES)) if len(waiting) == 1 else 1
            edges = np.linspace(waiting[0][0], shot[1], parts + 1).tolist()
            middle = 0.5 * (longest[0] + longest[1])
            spans += [(a, b, 0.5 * (a + b) if parts > 1 else middle) for a, b in pairwise(edges)]
            waiting = []
    return spans


def format_rate(count: int, seconds: float) -> str:
    """Format a rate as in "12 a minute", to a tenth where there are few."""
    rate = 60.0 * count / seconds
    return f"{rate:.0f} a minute" if rate >= 9.95 else f"{rate:.1f} a minute"


def frame_times(shots: Sequence[tuple[VideoSeconds, VideoSeconds]]) -> list[VideoSeconds]:
    """Choose pictures that represent a video: of each of some equal parts the middle of its longest shot."""
    if not shots:
        return []
    edges = np.linspace(0.0, shots[-1][1], FRAMES + 1)
    times = []
    for first, last in pairwise(edges.tolist()):
        parts = [(max(first, start), min(last, end)) for start, end in shots]
        start, end = max(parts, key=lambda part: part[1] - part[0])
        times.append(0.5 * (start + end))
    return times


def _name(axes: Axes, name: str, fact: str = "", colour: str = SEAM, height: float = 0.5) -> None:
    """Name a lane at its left, with a fact in smaller letters."""
    inches = _size(axes)[1]
    above = height + 0.075 / inches if fact else height
    axes.text(-0.008, above, name, transform=axes.transAxes, ha="right", va="center", fontsize=10.5, fontweight="bold",
              color=colour)  # fmt: skip
    if fact:
        axes.text(-0.008, height - 0.01 / inches, fact, transform=axes.transAxes, ha="right", va="top", fontsize=9,
                  linespacing=1.1, color=SOFT_INK)  # fmt: skip


def _size(axes: Axes) -> tuple[float, float]:
    """Width and height of an axes in inches."""
    figure, place = axes.get_figure(), axes.get_position()
    assert figure is not None, "axes belong to a figure"
    return float(place.width * figure.bbox.width / figure.dpi), float(place.height * figure.bbox.height / figure.dpi)


def _draw_frames(axes: Axes, timeline: VideoOverview) -> None:
    """Large frames side by side, each with its time and a line to its place in the strip below."""
    seconds = timeline.watched.picture.duration
    slot = seconds / len(timeline.frames)
    width, height = _size(axes)
    foot = 0.24
    for number, (time, pixels) in enumerate(timeline.frames):
        shape = pixels.shape[1] / pixels.shape[0]
        wide = min((1.0 - foot) * height * shape, 0.96 * width / len(timeline.frames))
        centre, half = (number + 0.5) * slot, 0.5 * wide / width * seconds
        high = wide / shape / height
        axes.imshow(pixels, extent=(centre - half, centre + half, foot, foot + high), aspect="auto",
                    interpolation="lanczos")  # fmt: skip
        axes.plot([centre, time, time], [foot, 0.06, -0.3], color=BEAT, linewidth=0.9, clip_on=False)
        axes.text(centre - half, foot - 0.02, clock(time), fontsize=9, ha="left", va="top", color=SOFT_INK,
                  bbox={"facecolor": "white", "linewidth": 0, "pad": 0.6})  # fmt: skip
    axes.set_xlim(0.0, seconds)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])
    _name(axes, "video", clock(seconds), height=0.6)


def _draw_strip(axes: Axes, timeline: VideoOverview) -> None:
    """The tiles, and under them a stroke for every border: black for cuts, wide and grey for dissolves and fades."""
    picture = timeline.watched.picture
    seconds = picture.duration
    width, height = _size(axes)
    for tile in timeline.tiles:
        cut = _middle(tile.pixels, (tile.last_s - tile.first_s) / seconds * width / (0.8 * height))
        axes.imshow(cut, extent=(tile.first_s, tile.last_s, 0.2, 1.0), aspect="auto", interpolation="antialiased")
    edges = np.array([tile.first_s for tile in timeline.tiles])
    parted = edges[np.isin(edges.round(6), picture.cuts.round(6))]
    axes.vlines(parted, 0.2, 1.0, color="white", linewidth=1.0)
    for border in picture.edits:
        if border.end > border.start:
            axes.axvspan(border.start, border.end, ymax=0.14, color=BEAT, alpha=0.6, linewidth=0)
    axes.vlines(picture.cuts, 0.0, 0.14, color=SEAM, linewidth=0.9)
    axes.set_xlim(0.0, seconds)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])
    _name(axes, "shots", f"{len(picture.shots)}, {format_rate(len(picture.shots), seconds)}", height=0.6)


def _middle(pixels: NDArray[np.uint8], shape: float) -> NDArray[np.uint8]:
    """The middle of a picture, cut to a width of `shape` times its height; wider than the picture it stays whole."""
    height, width = pixels.shape[:2]
    if shape * height < width:
        wide = max(1, round(shape * height))
        first = (width - wide) // 2
        return pixels[:, first : first + wide]
    tall = max(1, round(width / shape))
    first = (height - tall) // 2
    return pixels[first : first + tall]


def _draw_events(axes: Axes, events: Events, rows: Sequence[Sequence[str]]) -> None:
    """Rows of kinds, the first on top; a stroke stands for an event, its height for the salience."""
    marks = events.marks
    for row, kinds in enumerate(rows):
        foot, colour = len(rows) - 1.0 - row, EVENT_COLOURS[kinds[0]]
        own = np.isin(marks.kinds, [marks.names.index(kind) for kind in kinds])
        axes.axhline(foot, color=RULE, linewidth=0.8, zorder=0)
        axes.vlines(marks.times[own], foot, foot + 0.92 * marks.salience[own], color=colour,
                    linewidth=2.0 if own.sum() < _CROWD else 1.0)  # fmt: skip
        axes.text(-0.008, (foot + 0.4) / len(rows), ", ".join(kinds), transform=axes.transAxes, ha="right", va="center",
                  fontsize=9.5, color=SEAM)  # fmt: skip
    axes.set_ylim(0.0, float(len(rows)))
    axes.set_yticks([])
    axes.text(1.006, 0.5, "events:\nthe taller,\nthe more\nsalient", transform=axes.transAxes, fontsize=9,
              color=SOFT_INK, va="center")  # fmt: skip


def _draw_placements(axes: Axes, placements: Sequence[Placement], timeline: VideoOverview) -> None:
    """Where the track would lie by each, what meets there, and the strongest of it in words."""
    labels = Labels(axes)
    seconds = timeline.watched.picture.duration
    for row, found in enumerate(placements):
        height = len(placements) - 1.0 - row
        first = max(0.0, found.offset_seconds + timeline.track_span[0])
        last = min(seconds, found.offset_seconds + timeline.track_span[1])
        axes.plot([first, last], [height + 0.2] * 2, color=PLAYED, linewidth=2.5, alpha=0.35, solid_capstyle="butt")
        met = [one.video_s for one in found.coincidences]
        axes.plot(met, [height + 0.2] * len(met), "|", color=PLAYED, markersize=7, markeredgewidth=1.1)
        if found.coincidences:
            at = found.coincidences[0].video_s
            axes.plot(at, height + 0.2, "o", color=EVENT_COLOURS[found.coincidences[0].event], markersize=7,
                      markeredgecolor="white")  # fmt: skip
            forms = (f"{row + 1}  {found.in_words}, score {found.score:.2f}", f"{row + 1}  {found.score:.2f}")
            sides = ("left", "right") if at < 0.6 * seconds else ("right", "left")
            labels.place(
                [
                    LabelPlace(form, at, height + 0.42, side, "bottom", room=(0.0, seconds))
                    for form in forms
                    for side in sides
                ],
                fontsize=9,
            )
    axes.set_ylim(0.0, float(len(placements)))
    axes.set_yticks([])
    _name(axes, "sync points", "if not looped", PLAYED)
    axes.text(1.006, 0.5, "track, and\nwhere it hits", transform=axes.transAxes, fontsize=9, color=SOFT_INK,
              va="center")  # fmt: skip


def _draw_levels(axes: Axes, timeline: VideoOverview) -> None:
    """Loudness of soundtrack and music as they play together, and the ranges of speech."""
    music, seconds = timeline.music, timeline.watched.picture.duration
    speech = timeline.watched.soundtrack.speech_ranges
    for first, last in speech:
        axes.axvspan(first, last, color=VOICE, alpha=0.3, linewidth=0, zorder=0)
    draw_uncertain(axes, timeline.uncertain)
    times, played = _loudness(music.music_power, seconds)
    if music.soundtrack_power.size:
        _, own = _loudness(music.soundtrack_power, seconds)
        axes.fill_between(times, _FLOOR_LUFS, own, color=BEAT, alpha=0.45, linewidth=0, step="mid")
    axes.plot(times, played, color=PLAYED, linewidth=1.5)
    for time in music.plan.seam_times:
        axes.axvline(time, color=SEAM, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.set_ylim(_FLOOR_LUFS, _TOP_LUFS)
    axes.set_yticks([-50, -40, -30, -20, -10])
    axes.yaxis.tick_right()
    axes.grid(axis="y", color=RULE, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", labelright=True, labelsize=9, length=0, colors=SOFT_INK)
    spoken = sum(last - first for first, last in speech)
    _name(axes, "loudness", "LUFS as played", height=0.86)
    _name(axes, "music", "with ducking" if music.duck_points else "not ducked", PLAYED, height=0.61)
    if music.soundtrack_power.size:
        _name(axes, "soundtrack", timeline.watched.soundtrack.classification, SOFT_INK, height=0.36)
    facts = [f"{100 * spoken / seconds:.0f} % of the video"] if speech else []
    if timeline.uncertain:
        facts.append("hatched: unsure")
    if facts:
        _name(axes, "speech", "\n".join(facts), VOICE_INK, height=0.11)


def _loudness(power: FloatArray, seconds: float) -> tuple[FloatArray, FloatArray]:
    """Mean loudness of equal stretches of the video: their middles, s, and LUFS; silence at the floor."""
    count = int(np.clip(seconds / _LEAST_STRETCH_SECONDS, 1, _STRETCHES))
    edges = np.linspace(0.0, seconds, count + 1)
    hops = np.rint(edges * HOPS_PER_SECOND).astype(np.int64)
    total = np.concatenate([[0.0], np.cumsum(power)])
    sums = np.diff(total[np.minimum(hops, power.size)])
    lufs = [max(_FLOOR_LUFS, to_lufs(value)) for value in sums / np.maximum(np.diff(hops), 1)]
    return 0.5 * (edges[:-1] + edges[1:]), np.array(lufs)


def _draw_duck(axes: Axes, music: PlayedMusic) -> None:
    """How far the music is pulled down, hanging from above."""
    at, attenuation = np.array(music.duck_points, dtype=np.float64).T
    end = music.plan.window_end
    times = np.concatenate([[0.0], at, [end]])
    curve = np.concatenate([attenuation[:1], attenuation, attenuation[-1:]])
    deepest = max(float(attenuation.max()), 1.0)
    axes.fill_between(times, 0.0, -curve, color=DUCK, alpha=0.45, linewidth=0)
    axes.plot(times, -curve, color=DUCK, linewidth=0.9)
    axes.set_ylim(-1.15 * deepest, 0.0)
    axes.yaxis.tick_right()
    axes.set_yticks([0.0, -deepest], ["0 dB", f"-{deepest:.1f} dB"], fontsize=9, color=SOFT_INK)
    axes.tick_params(axis="y", length=0)
    for first, last in music.own_music:
        axes.axvspan(first, last, ymin=0.0, ymax=0.12, color=OWN_MUSIC, linewidth=0)
    _name(axes, "ducked", "under speech\nand own music" if music.own_music else "under speech", DUCK)


def _draw_music(axes: Axes, music: PlayedMusic) -> None:
    """Parts of the track as they are played, seams with their numbers, and how it ends."""
    from matplotlib.patches import Rectangle

    plan = music.plan
    labels = Labels(axes)
    blocks = played_blocks(plan, music.sections)
    draw_blocks(axes, blocks, 0.0, 0.62)
    name_blocks(labels, blocks, 0.31)
    for number, time in enumerate(plan.seam_times, start=1):
        axes.plot([time] * 2, [0.0, 0.7], color=SEAM, linewidth=1.8)
        labels.place([LabelPlace(str(number), time, 0.7, va="bottom")], fontsize=9, fontweight="bold")
    if plan.tail_seconds > 0:
        axes.add_patch(Rectangle((plan.music_end, 0.0), plan.tail_seconds, 0.62, facecolor="none", edgecolor=ENDING,
                                 hatch="////"))  # fmt: skip
    axes.plot([plan.music_end] * 2, [0.0, 0.7], color=ENDING, linewidth=2.2, clip_on=False)
    axes.text(1.008, 0.36, fill(plan.ending.in_words, 12), transform=axes.transAxes, fontsize=9, color=ENDING,
              va="center")  # fmt: skip
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])
    _name(axes, "track", f"{counted(len(plan.seam_times), 'seam')}\nsame colour:\nsame music", height=0.62)
