"""The picture of a plan: the track below, the video above, and which part of the track plays where in the video.

Both run on the same scale. A ribbon goes from each range of the track up to the place in the video where it is played;
its colour is that of the track's section, and a line above names the colours. Sections that repeat each other under one
name share a colour. Neighbours of one name are named once;
names, seam numbers and the ending are written where there is room for them. Under it the levels: the gain of each
segment with its glide, the fades, and the attenuation under speech.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from workbench.mix.fades import end_fade, start_fade
from workbench.plans.plan import LoopPlan
from workbench.plots.labels import LabelPlace, Labels
from workbench.plots.palette import DUCK, ENDING, PLAYED, SEAM, VOICE, group_colour, new_figure, quiet, time_axis
from workbench.recording import FloatArray
from workbench.seams.profile import LoopProfile, TrackSection

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_VIDEO, _TRACK, _THICK = 1.0, 0.0, 0.16
"""heights of the two lanes, and of each"""
_UNNAMED = "#DDDDDD"
"""colour of music outside all sections"""
_END_LETTERS = 28
"""of a line of the ending's name, where one line is too long"""
_INCHES_A_COLOUR = 1.5
"""width of an entry in the legend of colours"""
_FLOOR_DB = -36.0


def plan_figure(
    plan: LoopPlan,
    profile: LoopProfile,
    duck_points: Sequence[tuple[float, float]] = (),
    speech_ranges: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Draw a plan.

    Parameters
    ----------
    plan : what is played
    profile : of the track, for its sections
    duck_points : video time, s, and attenuation, dB, positive; linear in between
    speech_ranges : video time, s, from and to
    """
    figure = new_figure(12.0, 6.2)
    lanes, levels = figure.subplots(2, 1, sharex=True, height_ratios=(2.2, 1.0))
    span = max(plan.window_end, plan.song_duration)
    _draw_lanes(lanes, plan, profile.sections)
    _draw_levels(levels, plan, duck_points, speech_ranges)
    _name_colours(figure, profile.sections)
    lanes.set_xlim(-0.002 * span, 1.002 * span)
    time_axis(levels, span)
    levels.set_xlabel("time in the video, and in the track below it", fontsize=9)
    return figure


def _draw_lanes(axes: Axes, plan: LoopPlan, sections: Sequence[TrackSection]) -> None:
    labels = Labels(axes)
    colours = section_colours(sections)
    track = [SectionBlock(part.song_from, part.song_to, part, colours[part]) for part in sections]
    video = played_blocks(plan, sections)
    draw_blocks(axes, track, _TRACK - _THICK, _THICK)
    draw_blocks(axes, video, _VIDEO, _THICK)
    _draw_ribbons(axes, plan, sections)
    _draw_ends(axes, plan, labels)
    for blocks, middle in ((track, _TRACK - _THICK / 2), (video, _VIDEO + _THICK / 2)):
        name_blocks(labels, blocks, middle)
    axes.set_ylim(_TRACK - _THICK - 0.03, _VIDEO + _THICK + 0.18)
    axes.set_yticks([_TRACK - _THICK / 2, _VIDEO + _THICK / 2], ["track", "video"], fontsize=11)
    axes.tick_params(left=False, labelbottom=False)
    axes.spines[["top", "right", "left", "bottom"]].set_visible(False)


@dataclass(frozen=True, slots=True)
class SectionBlock:
    """A stretch of a lane that shows one section."""

    first: float
    """s on the clock of its lane"""
    last: float
    section: TrackSection | None
    """None outside all sections"""
    colour: str


def section_colours(sections: Sequence[TrackSection]) -> dict[TrackSection | None, str]:
    """The colour of each section, and outside of all; sections of one group and name share it."""
    kinds = list(dict.fromkeys((one.group, one.label) for one in sections))
    return {None: _UNNAMED, **{one: group_colour(kinds.index((one.group, one.label))) for one in sections}}


def played_blocks(plan: LoopPlan, sections: Sequence[TrackSection]) -> list[SectionBlock]:
    """The music of a plan, cut at section borders and seams, in video time."""
    colours = section_colours(sections)
    return [
        SectionBlock(first + start - segment.song_from, last + start - segment.song_from, section, colours[section])
        for start, segment in zip(plan.segment_starts.tolist(), plan.segments, strict=False)
        for first, last, section in track_pieces(segment.song_from, segment.song_to, sections)
    ]


def draw_blocks(axes: Axes, blocks: Sequence[SectionBlock], foot: float, height: float) -> None:
    """Draw a lane of blocks, each in its colour."""
    from matplotlib.patches import Rectangle

    for block in blocks:
        axes.add_patch(
            Rectangle(
                (block.first, foot), block.last - block.first, height, facecolor=block.colour, edgecolor="white",
                linewidth=0.6,
            )
        )  # fmt: skip


def name_blocks(labels: Labels, blocks: Sequence[SectionBlock], middle: float) -> None:
    """Name the blocks of a lane that have room for it, neighbours of one name and colour once."""
    for _, group in groupby(blocks, lambda block: block.section and (block.section.label, block.section.group)):
        run = list(group)
        if run[0].section is not None:
            spans = [(block.first, block.last) for block in run]
            labels.block(run[0].section.label, spans, middle, run[0].colour)


def _draw_ribbons(axes: Axes, plan: LoopPlan, sections: Sequence[TrackSection]) -> None:
    from matplotlib.patches import Polygon

    colours = section_colours(sections)
    for start, segment in zip(plan.segment_starts.tolist(), plan.segments, strict=False):
        shift = start - segment.song_from
        for first, last, played in track_pieces(segment.song_from, segment.song_to, sections):
            corners = [(first, _TRACK), (last, _TRACK), (last + shift, _VIDEO), (first + shift, _VIDEO)]
            axes.add_patch(Polygon(corners, facecolor=colours[played], alpha=0.22, linewidth=0))


def _draw_ends(axes: Axes, plan: LoopPlan, labels: Labels) -> None:
    """Seams with their numbers, the tail, and how the music ends."""
    from matplotlib.patches import Rectangle

    for number, time in enumerate(plan.seam_times, start=1):
        axes.plot([time, time], [_VIDEO - 0.02, _VIDEO + _THICK + 0.05], color=SEAM, linewidth=1.6)
        labels.place(
            [LabelPlace(str(number), time, _VIDEO + _THICK + 0.06, va="bottom")], fontsize=9, fontweight="bold"
        )
    if plan.tail_seconds > 0:
        axes.add_patch(
            Rectangle(
                (plan.music_end, _VIDEO), plan.tail_seconds, _THICK, facecolor="none", edgecolor=ENDING, hatch="////"
            )
        )
    axes.plot([plan.music_end] * 2, [_VIDEO - 0.02, _VIDEO + _THICK + 0.05], color=ENDING, linewidth=2.2)
    forms = (plan.ending.in_words, fill(plan.ending.in_words, _END_LETTERS))
    labels.place(
        [LabelPlace(form, plan.music_end, _VIDEO - 0.03, "right", "top", right=-4.0) for form in forms],
        fontsize=9, color=ENDING, fontweight="bold",
        bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 1.5},
    )  # fmt: skip


def _name_colours(figure: Figure, sections: Sequence[TrackSection]) -> None:
    """One entry a colour, with the names of the sections that have it."""
    from matplotlib.patches import Patch

    names: dict[str, list[str]] = {}
    for section, colour in section_colours(sections).items():
        known = names.setdefault(colour, [])
        if section is not None and section.label not in known:
            known.append(section.label)
    del names[_UNNAMED]
    if names:
        handles = [Patch(color=colour, label=", ".join(known)) for colour, known in names.items()]
        columns = max(1, int(figure.get_figwidth() / _INCHES_A_COLOUR))
        figure.legend(
            handles=handles, loc="outside upper left", ncols=min(columns, len(handles)), fontsize=9, frameon=False
        )


def track_pieces(
    first: float, last: float, sections: Sequence[TrackSection]
) -> list[tuple[float, float, TrackSection | None]]:
    """Cut a range of a track at section borders; a piece before the first section or after the last has none."""
    pieces: list[tuple[float, float, TrackSection | None]] = []
    at = first
    for section in sections:
        begin, end = max(section.song_from, at), min(section.song_to, last)
        if end <= begin:
            continue
        if begin > at:
            pieces.append((at, begin, None))
        pieces.append((begin, end, section))
        at = end
    if last > at:
        pieces.append((at, last, sections[-1] if sections and at >= sections[-1].song_to else None))
    return pieces


def gain_curve(plan: LoopPlan, times: FloatArray) -> FloatArray:
    """Gain of the music over time: gains of the segments, their glides, and the fades at both ends of the plan.

    In dB, no less than 120 dB under the gain of the segment; crossfades are not drawn.
    """
    starts = plan.segment_starts
    at = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(plan.segments) - 1)
    into = np.maximum(times - starts[at], 0.0)
    gain_in = np.array([segment.gain_in_db for segment in plan.segments])[at]
    gain = np.array([segment.gain_db for segment in plan.segments])[at]
    glide = np.clip(into / plan.gain_glide_seconds, 0.0, 1.0) if plan.gain_glide_seconds > 0 else np.ones(times.shape)
    factor = np.ones(times.shape)
    if plan.start_fade_seconds > 0:
        factor *= start_fade(np.clip((times - plan.music_in) / plan.start_fade_seconds, 0.0, 1.0))
    if plan.end_fade_seconds > 0:
        begins = plan.window_end - plan.end_fade_seconds
        factor *= end_fade(np.clip((times - begins) / plan.end_fade_seconds, 0.0, 1.0))
    curve: FloatArray = gain_in + (gain - gain_in) * glide + 20.0 * np.log10(np.maximum(factor, 1e-6))
    return curve


def _draw_levels(
    axes: Axes,
    plan: LoopPlan,
    duck_points: Sequence[tuple[float, float]],
    speech_ranges: Sequence[tuple[float, float]],
) -> None:
    times = np.linspace(plan.music_in, plan.window_end, 6000)
    gain = gain_curve(plan, times)
    for k, (first, last) in enumerate(speech_ranges):
        axes.axvspan(first, last, color=VOICE, alpha=0.3, linewidth=0, label="" if k else "speech")
    lowest = min(min(segment.gain_db, segment.gain_in_db) for segment in plan.segments)
    if duck_points:
        at, attenuation = np.array(duck_points, dtype=np.float64).T
        ducked = gain - np.interp(times, at, attenuation)
        axes.plot(times, np.maximum(ducked, _FLOOR_DB), color=DUCK, linewidth=1.4, label="music gain with ducking")
        lowest -= float(attenuation.max())
    axes.plot(times, np.maximum(gain, _FLOOR_DB), color=PLAYED, linewidth=1.6, label="music gain")
    for time in plan.seam_times:
        axes.axvline(time, color=SEAM, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.axvline(plan.music_end, color=ENDING, linewidth=1.6, label="music resolves")
    axes.set_ylim(max(_FLOOR_DB, lowest - 8.0), max(3.0, float(gain.max()) + 2.0))
    axes.set_ylabel("gain, dB", fontsize=9)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.legend(loc="lower left", fontsize=8, ncols=4, framealpha=0.9)
    quiet(axes)
