"""Pictures of an alignment: which landmarks meet which events at a placement, and the score of every other offset.

A video's events are stems that go up, a track's landmarks stems that go down, on the video's clock; where both meet, a
line joins them. Heights are saliences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import CHANCE_SCORE, NO_CLEAR_POINT, Placement, offset_scores
from workbench.features.marks import Marks
from workbench.params import AlignParams
from workbench.plots.labels import LabelPlace, Labels, name_point
from workbench.plots.palette import (
    BEAT,
    DOWNBEAT,
    DUCK,
    ENDING,
    EXPECTED,
    ONSET,
    PLAYED,
    SEAM,
    VOICE,
    clock,
    new_figure,
    quiet,
    time_axis,
)
from workbench.video.events import EVENT_KINDS, Events

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LANDMARK_COLOURS = dict(zip(LANDMARK_KINDS, (PLAYED, ONSET, EXPECTED, VOICE, BEAT, ENDING, ENDING), strict=True))
EVENT_COLOURS = dict(zip(EVENT_KINDS, (SEAM, EXPECTED, VOICE, DUCK, ONSET, ENDING, ENDING), strict=True))

_NAME_ROWS = 3
_ROW_POINTS = 11.0
"""names of coincidences stand in rows above the picture, the strongest first"""


def align_figure(
    landmarks: Landmarks,
    events: Events,
    placements: Sequence[Placement],
    params: AlignParams | None = None,
    chosen: int = 0,
) -> Figure:
    """Why a placement wins: what meets at it, how far apart, and the score of every offset beside chance.

    Placements are best first; without any the offsets are drawn alone. Where nothing is clear at the `chosen` one, what
    meets there is not named.
    """
    figure = new_figure(12.0, 7.2)
    whole, near, offsets = figure.subplots(3, 1, height_ratios=(1.5, 0.8, 1.0))
    found = placements[chosen] if placements else None
    _draw_meeting(whole, landmarks, events, found)
    _name_colours(figure, events, landmarks)
    _draw_gaps(near, found)
    _draw_offsets(offsets, landmarks, events, placements, chosen, params or AlignParams())
    return figure


def _draw_meeting(axes: Axes, landmarks: Landmarks, events: Events, found: Placement | None) -> None:
    """Landmarks and events on the video's clock, and their coincidences."""
    offset = 0.0 if found is None else found.offset_seconds
    _draw_marks(axes, events.marks, 0.0, EVENT_COLOURS, 1)
    _draw_marks(axes, landmarks.marks, offset, LANDMARK_COLOURS, -1)
    begin, end = landmarks.first_sound + offset, landmarks.last_sound + offset
    axes.axvspan(max(begin, 0.0), min(end, events.video_seconds), ymax=0.5, color=PLAYED, alpha=0.08, linewidth=0)
    if found is not None:
        labels, room = Labels(axes), (0.0, events.video_seconds)
        for met in found.coincidences:
            axes.axvline(met.video_s, color=DOWNBEAT, linewidth=1.0, alpha=0.6, zorder=0)
            if not _is_clear(found):
                continue  # a name would claim what the title denies
            name = f"{met.landmark} · {met.event}"
            labels.place(
                [
                    LabelPlace(name, met.video_s, 1.05, side, "bottom", up=1.0 + _ROW_POINTS * row, room=room)
                    for row in range(_NAME_ROWS)
                    for side in ("center", "left", "right")
                ],
                fontsize=8,
            )
        axes.set_title(_title(found), fontsize=10, loc="left", fontweight="bold", pad=6.0 + _ROW_POINTS * _NAME_ROWS)
    axes.axhline(0.0, color=SEAM, linewidth=0.8)
    axes.set_xlim(0.0, events.video_seconds)
    axes.set_ylim(-1.05, 1.05)
    axes.set_yticks([-0.5, 0.5], ["track", "video"], fontsize=9)
    quiet(axes)
    time_axis(axes, events.video_seconds)


def _draw_marks(axes: Axes, marks: Marks, offset: float, colours: Mapping[str, str], side: int) -> None:
    """Stems from the middle up (side 1) or down (side -1)."""
    for kind, name in enumerate(marks.names):
        own = marks.kinds == kind
        axes.vlines(marks.times[own] + offset, 0.0, side * marks.salience[own], color=colours[name], linewidth=1.8)


def _name_colours(figure: Figure, events: Events, landmarks: Landmarks) -> None:
    """A legend for the events and one for the landmarks, beside the pictures."""
    video = _handles(EVENT_COLOURS, events.marks)
    track = _handles(LANDMARK_COLOURS, landmarks.marks)
    figure.legend(handles=video, loc="outside right upper", title="video", fontsize=8, title_fontsize=9)
    figure.legend(handles=track, loc="outside right lower", title="track", fontsize=8, title_fontsize=9)


def _handles(colours: Mapping[str, str], marks: Marks) -> list[Line2D]:
    """A line for each kind that there is."""
    from matplotlib.lines import Line2D

    used = set(marks.kinds.tolist())
    return [
        Line2D([], [], color=colours[name], linewidth=3, label=name) for k, name in enumerate(marks.names) if k in used
    ]


def _draw_gaps(axes: Axes, found: Placement | None) -> None:
    """The gap of each coincidence, and how much it counts."""
    met = () if found is None else found.coincidences
    for name in LANDMARK_COLOURS:
        spoken = [one for one in met if one.landmark == name]
        axes.scatter(
            [1000 * one.gap_seconds for one in spoken],
            [one.worth for one in spoken],
            s=28,
            color=LANDMARK_COLOURS[name],
            edgecolor="white",
            linewidth=0.5,
        )
    reach = max([60.0, *(1000 * abs(one.gap_seconds) for one in met)])
    axes.set_xlim(-1.1 * reach, 1.1 * reach)
    axes.set_ylim(0.0, max([0.5, *(1.1 * one.worth for one in met)]))
    axes.axvline(0.0, color=SEAM, linewidth=0.8)
    axes.set_xlabel("the event comes later than the landmark by, ms", fontsize=9)
    axes.set_ylabel("worth", fontsize=9)
    quiet(axes)


def _draw_offsets(
    axes: Axes,
    landmarks: Landmarks,
    events: Events,
    placements: Sequence[Placement],
    chosen: int,
    params: AlignParams,
) -> None:
    """The evidence at every offset over that expected by chance, and the placements; those of chance have no score."""
    scores = offset_scores(landmarks, events, params)
    at, total = scores.offsets, scores.total
    axes.fill_between(
        at, scores.expected, scores.expected + 2 * scores.deviation, color=BEAT, alpha=0.35, linewidth=0, label="chance"
    )
    axes.plot(at, total, color=PLAYED, linewidth=0.6, label="evidence")
    dots = []
    heights = np.maximum(np.interp([placement.offset_seconds for placement in placements], at, total), 0.0)
    for number, (placement, height) in enumerate(zip(placements, heights, strict=True)):
        dots += axes.plot(placement.offset_seconds, height, "o", ms=4, color=DOWNBEAT if number == chosen else EXPECTED)
    axes.set_xlim(float(at[0]), float(at[-1]))
    axes.set_ylim(0.0, 1.2 * max(float(total.max(initial=0.0)), 0.1))
    axes.set_xlabel("offset: video time at which the track begins", fontsize=9)
    axes.set_ylabel("evidence", fontsize=9)
    legend = axes.legend(loc="upper right", fontsize=8, ncols=2, framealpha=0.9)
    quiet(axes)
    time_axis(axes, float(at[-1] - at[0]))
    labels = Labels(axes, [legend, *dots])
    named = [k for k, placement in enumerate(placements) if k == chosen or placement.score >= CHANCE_SCORE]
    for number in sorted(named, key=lambda number: number != chosen):
        placement = placements[number]
        name_point(labels, f"{placement.score:.2f}", placement.offset_seconds, float(heights[number]), above_first=True)


def _is_clear(found: Placement) -> bool:
    return found.in_words != NO_CLEAR_POINT


def _title(found: Placement) -> str:
    certainty = f"certainty {found.certainty:.2f}"
    if not _is_clear(found):
        return f"{NO_CLEAR_POINT}: the best scores {found.score:.2f}, under {CHANCE_SCORE:g}\n{certainty}"
    at = f"offset {clock(found.offset_seconds)} ({found.offset_seconds:.3f} s), score {found.score:.2f}"
    return f"{at}: {found.label}\n{certainty}, lands {100 * found.landed:.0f} %"
