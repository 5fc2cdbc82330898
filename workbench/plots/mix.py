"""The picture of a mix: loudness of the video, utterances, and the attenuation of the music under them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.features.loudness import momentary
from workbench.plots.palette import DUCK, OWN_MUSIC, PLAYED, SOFT_INK, VOICE, clock, new_figure, quiet, time_axis
from workbench.recording import Recording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from workbench.video.soundtrack import Classification

_CLOSE_UP_SECONDS = 20.0
_QUIETEST_LUFS = -60.0
_MOST_NAMED = 6
_WITHOUT_VOICE_OVER: Mapping[Classification, str] = {
    "voice": "it has speech, but too little for a voice-over",
    "ambient": "it has no speech",
    "silent": "the video is silent",
    "none": "the video has no sound",
}


def mix_figure(
    envelope_points: Sequence[Sequence[float]],
    speech_ranges: Sequence[Sequence[float]],
    video: Recording,
    music: Recording | None = None,
    own_music: Sequence[Sequence[float]] = (),
    outside_points: Sequence[Sequence[float]] = (),
    uncertain: Sequence[Sequence[float]] = (),
) -> Figure:
    """Attenuation and loudness over the whole video, and a close-up of the first utterances.

    Points are video seconds and attenuation of the music, dB, positive, linear in between (`outside_points`: outside
    the band of speech, where it differs); ranges are video seconds. Without `music` its line is left out.
    """
    figure = new_figure(12.0, 5.6)
    whole, near = figure.subplots(2, 1)
    first_range = next((each[0][0] for each in (speech_ranges, own_music) if len(each)), 0.0)
    start = max(0.0, first_range - 4.0)
    loudness = momentary(video.samples, video.sample_rate)
    under = None if music is None else momentary(music.samples, music.sample_rate)
    spans = ((whole, 0.0, video.duration), (near, start, min(start + _CLOSE_UP_SECONDS, video.duration)))
    for axes, first, last in spans:
        _draw(axes, (envelope_points, outside_points), speech_ranges, loudness, under, first, last)
        for k, (begin, end) in enumerate(own_music):
            name = "" if k else "the video's own music"
            axes.axvspan(begin, end, color=OWN_MUSIC, alpha=0.25, linewidth=0, label=name)
        draw_uncertain(axes, uncertain, "perhaps speech")
        time_axis(axes, last - first)
    whole.legend(loc="lower right", fontsize=8, ncols=4, framealpha=0.9)
    near.set_title("close up", fontsize=10, loc="left", fontweight="bold")
    near.set_xlabel("time in the video", fontsize=9)
    return figure


def soundtrack_in_words(classification: Classification) -> str:
    """A description of the soundtrack of a video without voice-over, beginning in small letters."""
    return _WITHOUT_VOICE_OVER[classification]


def draw_uncertain(axes: Axes, ranges: Sequence[Sequence[float]], name: str = "") -> None:
    """Hatch ranges that may hold undetected speech; `name` is that of the first in a legend, empty for none."""
    for k, (begin, end) in enumerate(ranges):
        label = "" if k else name
        axes.axvspan(begin, end, facecolor="none", edgecolor=VOICE, hatch="////", linewidth=0, zorder=0, label=label)


def uncertain_in_words(ranges: Sequence[Sequence[float]]) -> str:
    """The first few ranges that may hold undetected speech, and how many more there are."""
    named = [(clock(begin), clock(end)) for begin, end in ranges[:_MOST_NAMED]]
    spans = ", ".join(f"{begin} to {end}" if begin != end else begin for begin, end in named)
    more = len(ranges) - _MOST_NAMED
    return f"{spans} and {more} more" if more > 0 else spans


def duck_figure(envelope_points: Sequence[Sequence[float]], speech_ranges: Sequence[Sequence[float]]) -> Figure:
    """A small picture of a mix alone: how far the music is lowered, dB, and where someone speaks."""
    figure = new_figure(7.0, 1.5)
    axes = figure.subplots()
    last = max([1.0, *(point[0] for point in envelope_points), *(end for _, end in speech_ranges)])
    for start, end in speech_ranges:
        axes.axvspan(start, end, color=VOICE, alpha=0.3, linewidth=0)
    if len(envelope_points):
        times, attenuation = np.asarray(envelope_points, dtype=np.float64).T
        axes.plot(np.append(times, last), -np.append(attenuation, attenuation[-1]), color=DUCK, linewidth=1.4)
    axes.set_ylabel("music, dB", fontsize=9)
    axes.set_xlim(0.0, last)
    quiet(axes)
    time_axis(axes, last)
    return figure


def _draw(
    axes: Axes,
    envelopes: tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]],
    speech_ranges: Sequence[Sequence[float]],
    loudness: np.ndarray,
    under: np.ndarray | None,
    first: float,
    last: float,
) -> None:
    for k, (begin, end) in enumerate(speech_ranges):
        axes.axvspan(begin, end, color=VOICE, alpha=0.3, linewidth=0, label="" if k else "speech")
    times = np.arange(loudness.size) * 0.1 + 0.2
    axes.plot(times, np.maximum(loudness, _QUIETEST_LUFS), color=PLAYED, linewidth=1.0, label="loudness of the video")
    if under is not None:
        at = np.arange(under.size) * 0.1 + 0.2
        axes.plot(at, np.maximum(under, _QUIETEST_LUFS), color=SOFT_INK, linewidth=1.0, label="of the music in it")
    axes.set_ylabel("loudness, LUFS", fontsize=9, color=PLAYED)
    axes.set_ylim(_QUIETEST_LUFS, 0.0)
    axes.set_xlim(first, last)
    quiet(axes)
    right = axes.twinx()
    names = ("attenuation of the music", "outside the band of speech")
    for points, name, dashes in zip(envelopes, names, ("-", "--"), strict=True):
        if len(points):
            at, attenuation = np.array(points, dtype=np.float64).T
            drawn = np.unique(np.concatenate([at, [first, last]]))
            right.plot(drawn, -np.interp(drawn, at, attenuation), color=DUCK, linewidth=1.8, linestyle=dashes)
        if len(points) or dashes == "-":
            # An empty line on the left axes, so that one legend names both.
            axes.plot([], [], color=DUCK, linewidth=1.8, linestyle=dashes, label=name)
    deepest = max((float(depth) for points in envelopes for _, depth in points), default=0.0)
    right.set_ylim(min(-30.0, -1.1 * deepest), 3.0)
    right.set_ylabel("attenuation, dB", fontsize=9, color=DUCK)
    right.spines[["top"]].set_visible(False)
    right.tick_params(labelsize=9)
