"""Pictures of a match: how tracks follow a video, and what moved their scores.

A video is drawn by its scenes, each as high as its drive; its cuts stand below as ticks. Music is drawn as its energy
over the video, from its beginning and again from there. A part that raised a score is drawn to the right, one that
lowered it to the left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.features.descriptors import CONTOUR_PARTS
from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts
from workbench.matching.video_ranking import quick_parts, raw_scores, scores_of, slow_parts, wanted_of
from workbench.matching.video_reasons import effects
from workbench.params import MATCH_PARTS, MatchParams
from workbench.plots.palette import BEAT, DOWNBEAT, GROUPS, PLAYED, SEAM, VOICE, new_figure, quiet, time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from workbench.matching.video_reference import MatchReference

PART_COLOURS = dict(zip(MATCH_PARTS, GROUPS, strict=True))
PART_NAMES = {
    "pulse": "pulse", "level": "energy", "mood": "mood", "voice": "voice", "length": "length", "bars": "cuts on bars",
    "arc": "energy by scene", "sync": "sync",
}  # fmt: skip
"""names of the parts in pictures"""
_DOTS = 20  # of the calibration, each of tracks of about one raw score


def follow_figure(
    video: VideoFacts, tracks: Columns, titles: Sequence[str], speech: Sequence[tuple[float, float]] = ()
) -> Figure:
    """Draw how the energy of tracks follows the drive of a video, a row a track."""
    figure = new_figure(11.0, 1.2 + 1.35 * len(tracks))
    rows = figure.subplots(len(tracks), 1, sharex=True, squeeze=False)[:, 0]
    for number, (axes, title) in enumerate(zip(rows, titles, strict=True)):
        _draw_video(axes, video, speech)
        _draw_music(axes, video, tracks, number)
        axes.set_title(title, fontsize=9.5, loc="left", fontweight="bold", pad=3)
        axes.set_ylim(-0.14, 1.05)
        axes.set_yticks([0.0, 0.5, 1.0])
        quiet(axes)
    rows[-1].set_xlim(0.0, video.duration)
    time_axis(rows[-1], video.duration)
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels), fontsize=8, frameon=False)
    return figure


def _draw_video(axes: Axes, video: VideoFacts, speech: Sequence[tuple[float, float]]) -> None:
    edges = [0.0, *(scene.end for scene in video.scenes)]
    axes.stairs([scene.drive for scene in video.scenes], edges, fill=True, color=BEAT, alpha=0.35, label="video: drive")
    axes.vlines(video.cuts, -0.06, 0.0, color=SEAM, linewidth=0.6, label="cuts")
    if speech:
        spoken = [(start, end - start) for start, end in speech]
        axes.broken_barh(spoken, (-0.13, 0.05), color=VOICE, linewidth=0, label="speech")


def _draw_music(axes: Axes, video: VideoFacts, tracks: Columns, row: int) -> None:
    duration, contour = float(tracks.duration[row]), np.asarray(tracks.contour[row], dtype=np.float64)
    if not duration > 0.0 or np.isnan(contour).any():
        return
    at = np.arange(0.0, video.duration, video.duration / 1000.0)
    energy = contour[np.minimum((at % duration / duration * CONTOUR_PARTS).astype(int), CONTOUR_PARTS - 1)]
    axes.plot(at, energy, color=PLAYED, linewidth=1.5, label="music: energy")
    for begins in np.arange(duration, video.duration, duration):
        axes.axvline(begins, color=PLAYED, linewidth=0.8, linestyle=":")


def lane_figure(titles: Sequence[str], scores: Sequence[float], unmet: Sequence[str]) -> Figure:
    """A small picture of a lane: how well each of its tracks fits, those with unmet rules under a line that says so."""
    heads = [number for number, rules in enumerate(unmet) if rules and (number == 0 or rules != unmet[number - 1])]
    figure = new_figure(7.0, 0.5 + 0.22 * max(1, len(titles) + len(heads)))
    axes = figure.subplots()
    rows = np.arange(len(titles)) + np.searchsorted(heads, np.arange(len(titles)), side="right")
    axes.barh(rows, list(scores), color=PLAYED, height=0.7)
    axes.set_yticks(rows, list(titles))
    for head in heads:
        axes.annotate(unmet[head], (0.0, rows[head] - 1), (4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("score", fontsize=9)
    quiet(axes)
    return figure


def parts_figure(
    titles: Sequence[str], scores: Sequence[float], parts: Sequence[Mapping[str, float]], params: MatchParams
) -> Figure:
    """Draw what moved the score of each track up and down, beside the score itself."""
    figure = new_figure(11.0, 1.3 + 0.42 * len(titles))
    axes, bars = figure.subplots(1, 2, width_ratios=(4.2, 1.0), sharey=True)
    places = np.arange(len(titles))
    moved = [effects(one, params) for one in parts]
    for_it, against = np.zeros(len(titles)), np.zeros(len(titles))
    for number, name in enumerate(params.weights):
        size = np.array([one.get(name, 0.0) for one in moved])
        left = np.where(size >= 0.0, for_it, against)
        if np.any(np.abs(size) > 1e-9):
            colour = PART_COLOURS.get(name, GROUPS[number % len(GROUPS)])
            hatch = None if name in PART_NAMES else "///"
            label = PART_NAMES.get(name, name)
            axes.barh(places, size, left=left, height=0.72, color=colour, hatch=hatch, label=label)
        for_it, against = for_it + np.maximum(size, 0.0), against + np.minimum(size, 0.0)
    axes.axvline(0.0, color=SEAM, linewidth=0.8)
    axes.set_yticks(places, titles, fontsize=9)
    axes.invert_yaxis()
    axes.set_xlabel("moves the logarithm of the raw score by", fontsize=9)
    bars.barh(places, scores, height=0.72, color=PLAYED)
    for place, score in zip(places, scores, strict=True):
        bars.annotate(f"{score:.2f}", (score, place), (3, 0), textcoords="offset points", va="center", fontsize=8)
    bars.set_xlim(0.0, 1.15)
    bars.set_xlabel("score", fontsize=9)
    for part in (axes, bars):
        quiet(part)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=8, fontsize=8, frameon=False)
    return figure


def calibration_figure(reference: MatchReference, params: MatchParams) -> Figure:
    """Draw how often tracks of about one raw score were taken, and the curve that makes scores of raw ones.

    The curve is fitted on external material, not on this set.
    """
    raw = np.concatenate(
        [
            raw_scores(quick_parts(video, wanted_of(video, params), reference.columns, params)
                       | slow_parts(video, reference.columns, params), params)
            for video in reference.videos
        ]
    )  # fmt: skip
    order = np.argsort(raw)
    figure = new_figure(6.4, 3.6)
    axes = figure.subplots()
    for stretch in np.array_split(order, _DOTS):
        axes.plot(raw[stretch].mean(), reference.taken.ravel()[stretch].mean(), "o", color=DOWNBEAT, ms=5)
    at = np.linspace(0.0, 1.0, 200)
    axes.plot(at, scores_of(at, params), color=PLAYED, linewidth=1.5)
    axes.set_xlabel("raw score", fontsize=9)
    axes.set_ylabel("score; dots: share taken", fontsize=9)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(-0.02, 1.02)
    quiet(axes)
    return figure
