"""The picture of a seam: the sound as played, the track itself at the same place, and the parts of the score.

Left, from top to bottom, over the same seconds with the seam in the middle: the spectrogram of the sound as
played; the spectrogram of the track there, that is, the bars that lead to the entered place before the seam and the
bars that follow the left place after it; the onsets of both; the loudness of both. Where both spectrograms look alike,
the splice does not show.

Right: each part of the score as a bar beside the same part of the track's own bar lines, the yardstick of the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.features.loudness import momentary
from workbench.features.spectrum import FRAMES_PER_SECOND, log_bands, log_spectrogram
from workbench.plots.palette import BEAT, DOWNBEAT, EXPECTED, PLAYED, SEAM, clock, new_figure, quiet
from workbench.recording import FloatArray, NotebookValue, Recording, TrackSeconds, VideoSeconds
from workbench.seams.profile import SEAM_PARTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN_DB = 70.0
"""range of the spectrograms, down from the loudest point of both"""
LOWEST_HZ, HIGHEST_HZ, _ROWS = 50.0, 16_000.0, 200
PART_WORDS = {
    "expectation": "continuation after\nthe seam matches",
    "context": "context before\nthe seam matches",
    "ringing": "no note is cut off",
    "pulse": "the rhythm goes on",
    "harmony": "the harmony goes on",
    "level": "no step in level",
    "brightness": "no step in brightness",
    "repetition": "the same music on both\nsides, for long",
    "texture": "no step in texture\nat the join",
    "air": "no step above 8 kHz\nat the join",
}
"""what each part of a score stands for, in two short lines"""


@dataclass(frozen=True, slots=True, eq=False)
class SeamView(NotebookValue):
    """Everything that the picture of one seam shows.

    Attributes
    ----------
    number : from 1
    video_s : when it plays; NaN without a video
    leave_s : track time that is left
    enter_s : track time that is entered
    played : the sound around it, as played
    left : the track played on past the place it leaves, over the same samples
    entered : the track as it leads up to the place that is entered, over the same samples
    middle : s from the beginning of the excerpts to the seam
    fade_seconds : s of the crossfade
    beats : shape (n, 2): s from the seam, and 1.0 where the beat opens a bar
    score : seam score, 0 to 1, fitted to an automatic judge
    parts : shape (len(SEAM_PARTS) + len(others),), 0 to 1; by their names: `named_parts`
    level_step_db : LU by which the entered side is louder than the left side played on, gains included; NaN where
        unknown
    own_parts : shape (len(SEAM_PARTS) + len(others), n), the same parts as if one of the track's own bars were
        skipped
    others : name and description of each part that external measures add behind `SEAM_PARTS`
    """

    number: int
    video_s: VideoSeconds
    leave_s: TrackSeconds
    enter_s: TrackSeconds
    played: Recording
    left: Recording
    entered: Recording
    middle: float
    fade_seconds: float
    beats: FloatArray
    score: float
    parts: FloatArray
    level_step_db: float
    own_parts: FloatArray
    others: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"<seam {self.leave_s:.2f} s to {self.enter_s:.2f} s, score {self.score:.2f}>"

    @property
    def named_parts(self) -> dict[str, float]:
        """The parts by their names."""
        names = (*SEAM_PARTS, *(name for name, _ in self.others))
        return dict(zip(names, self.parts.tolist(), strict=True))


def seam_figure(view: SeamView) -> Figure:
    """Draw one seam.

    Parameters
    ----------
    view : sounds, beats and parts of the seam
    """
    figure = new_figure(12.0, 7.2)
    where = f"{clock(view.leave_s)} → {clock(view.enter_s)} of the track"
    when = f", played at {clock(view.video_s)}" if np.isfinite(view.video_s) else ""
    figure.suptitle(f"Seam {view.number}: {where}{when}. Score {view.score:.2f}", fontsize=13, fontweight="bold")
    halves: Any = figure.subfigures(1, 2, width_ratios=(2.5, 1.0))
    sounds, score = halves
    panels = sounds.subplots(4, 1, sharex=True, height_ratios=(2.0, 2.0, 1.0, 1.0))
    in_track = spliced(view)
    _draw_spectrograms(panels[0], panels[1], view, in_track)
    panels[0].set_title("played", fontsize=10, color=PLAYED, fontweight="bold", loc="left")
    panels[1].set_title(
        "in the track: ← leading to the place entered  |  following the place left →",
        fontsize=10, color="#9A6A00", fontweight="bold", loc="left",
    )  # fmt: skip
    _draw_onsets(panels[2], view, in_track)
    _draw_loudness(panels[3], view, in_track)
    for axes in panels:
        axes.axvline(0.0, color=SEAM if axes in panels[2:] else "white", linewidth=1.2)
        half = view.fade_seconds / 2
        axes.axvspan(-half, half, color=SEAM if axes in panels[2:] else "white", alpha=0.25, linewidth=0)
    panels[-1].set_xlim(-view.middle, view.played.duration - view.middle)
    panels[-1].set_xlabel("seconds from the seam", fontsize=9)
    _draw_score(score.subplots(), view)
    return figure


def spliced(view: SeamView) -> Recording:
    """What the track has on either side of a seam, end to end: what leads to the entered place, then what follows the
    left one.
    """
    at = round(view.middle * view.played.sample_rate)
    samples = np.concatenate([view.entered.samples[:, :at], view.left.samples[:, at:]], axis=1)
    return Recording.from_samples(samples, view.played.sample_rate)


def _draw_spectrograms(above: Axes, below: Axes, view: SeamView, in_track: Recording) -> None:
    pictures = [octave_spectrogram(sound) for sound in (view.played, in_track)]
    top = max(float(picture.max()) for picture in pictures)
    for axes, picture in zip((above, below), pictures, strict=True):
        half_frame = 0.5 / FRAMES_PER_SECOND
        extent = (-view.middle - half_frame, picture.shape[1] / FRAMES_PER_SECOND - view.middle - half_frame)
        axes.imshow(
            picture, origin="lower", aspect="auto", cmap="magma", interpolation="nearest",
            extent=(*extent, np.log2(LOWEST_HZ), np.log2(HIGHEST_HZ)), vmin=top - SHOWN_DB, vmax=top,
        )  # fmt: skip
        axes.set_yticks(np.log2([100, 300, 1000, 3000, 10_000]), ["100", "300", "1k", "3k", "10k"], fontsize=8)
        axes.set_ylabel("Hz", fontsize=9)


def octave_spectrogram(sound: Recording) -> FloatArray:
    """The spectrogram of an excerpt, with equally many rows for every octave from `LOWEST_HZ` to `HIGHEST_HZ`.

    Measured in mono; shape (n_rows, n_frames), dB, lowest row first.
    """
    return _even_octaves(log_spectrogram(sound.mono(), sound.sample_rate))


def _even_octaves(picture: FloatArray) -> FloatArray:
    """The spectrogram with as many rows to every octave, shape (_ROWS, n_frames); low bands are a bin wide or more."""
    _, _, hertz = log_bands()
    wanted = np.interp(
        np.linspace(np.log2(LOWEST_HZ), np.log2(HIGHEST_HZ), _ROWS), np.log2(hertz), np.arange(hertz.size)
    )
    below = np.minimum(wanted.astype(np.int64), hertz.size - 2)
    share = (wanted - below)[:, None]
    rows: FloatArray = (1.0 - share) * picture[below] + share * picture[below + 1]
    return rows


def _draw_onsets(axes: Axes, view: SeamView, in_track: Recording) -> None:
    for sound, colour, name in ((in_track, EXPECTED, "in the track"), (view.played, PLAYED, "played")):
        rises = onset_rises(sound)
        times = np.arange(rises.size) / FRAMES_PER_SECOND - view.middle
        # An onset at the splice of the two stretches of the track would be an artefact: it never plays.
        shown = np.where((np.abs(times) < 0.03) & (sound is in_track), np.nan, rises)
        if sound is in_track:
            axes.fill_between(times, shown, color=colour, alpha=0.55, linewidth=0, label=name)
        else:
            axes.plot(times, shown, color=colour, linewidth=1.2, label=name)
    for time, opens in view.beats:
        axes.axvline(time, color=DOWNBEAT if opens else BEAT, linewidth=1.4 if opens else 1.0, linestyle=(0, (3, 2)))
    axes.set_ylim(bottom=0.0)
    axes.set_yticks([])
    axes.set_ylabel("onsets", fontsize=9)
    axes.legend(loc="upper right", fontsize=8, ncols=2, framealpha=0.9)
    quiet(axes)


def onset_rises(sound: Recording) -> FloatArray:
    """Mean rise of the bands from frame to frame, in mono: shape (n_frames,), dB, not negative."""
    picture = np.maximum(log_spectrogram(sound.mono(), sound.sample_rate), -80.0)
    rises: FloatArray = np.maximum(np.diff(picture, axis=1, prepend=picture[:, :1]), 0.0).mean(axis=0)
    return rises


def _draw_loudness(axes: Axes, view: SeamView, in_track: Recording) -> None:
    for sound, colour, name in ((in_track, EXPECTED, "in the track"), (view.played, PLAYED, "played")):
        loudness = momentary(sound.samples, sound.sample_rate, 0.02)
        times = np.arange(loudness.size) * 0.02 + 0.2 - view.middle
        axes.plot(times, np.maximum(loudness, -70.0), color=colour, linewidth=1.8, label=name)
    axes.set_ylabel("loudness, LUFS", fontsize=9)
    low, high = axes.get_ylim()
    middle, reach = (low + high) / 2, max(6.0, (high - low) / 2)
    axes.set_ylim(middle - reach, middle + reach)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    quiet(axes)


def _draw_score(axes: Axes, view: SeamView) -> None:
    """Bars for the seam; box from quarter to quarter, and median, of the track's own bar lines."""
    rows = np.arange(len(view.parts))[::-1].astype(np.float64)
    named: list[Any] = [axes.barh(rows + 0.14, view.parts, height=0.34, color=PLAYED)]
    names = ["this seam"]
    if view.own_parts.shape[1]:
        low, middle, high = np.quantile(view.own_parts, (0.25, 0.5, 0.75), axis=1)
        named.append(axes.barh(rows - 0.22, high - low, left=low, height=0.2, color=BEAT, alpha=0.55, linewidth=0))
        named.append(axes.vlines(middle, rows - 0.34, rows - 0.1, color="black", linewidth=1.6))
        names += ["one of the track's own bars\nskipped: middle half of them,", "and median"]
    words = [*(PART_WORDS[part] for part in SEAM_PARTS), *(described for _, described in view.others)]
    axes.set_yticks(rows, words, fontsize=9)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("1: no break\n0.5: one that may be audible", fontsize=9)
    axes.set_title("why", fontsize=10, fontweight="bold", loc="left")
    axes.legend(named, names, loc="upper center", bbox_to_anchor=(0.3, -0.1), fontsize=8, frameon=False)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    quiet(axes)
