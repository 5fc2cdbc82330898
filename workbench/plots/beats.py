"""Pictures of a beat grid: beats over the onset strength and the waveform, and the tempo over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.plots.palette import BEAT, DOWNBEAT, ONSET, PLAYED, new_figure, quiet, time_axis
from workbench.recording import FloatArray, Recording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 2000
_MARKED_BEATS = 150
"""most beats of a span whose beats are drawn one by one; in longer ones only the bars are"""


def beats_figure(
    grid: BeatGrid,
    attack: FloatArray,
    frames_per_second: int,
    recording: Recording | None = None,
    span: tuple[float, float] | None = None,
) -> Figure:
    """Onset strength with beats and downbeats, above it the waveform, below it the tempo.

    Parameters
    ----------
    grid : beats and bar positions
    attack : shape (n_frames,), onset strength, frame i at i / frames_per_second s
    frames_per_second : of `attack`
    recording : its waveform is drawn too
    span : track seconds shown; None for all of it
    """
    first, last = span or (0.0, attack.size / frames_per_second)
    rows = 3 if recording is not None else 2
    figure = new_figure(11.0, 1.9 * rows)
    panels = figure.subplots(rows, 1, sharex=True, height_ratios=(1.0,) * (rows - 1) + (0.8,))
    if recording is not None:
        _draw_waveform(panels[0], recording, first, last)
        _draw_grid(panels[0], grid, first, last)
    _draw_onsets(panels[-2], attack, frames_per_second, first, last)
    _draw_grid(panels[-2], grid, first, last)
    panels[-2].legend(loc="upper right", fontsize=8, ncols=3, framealpha=0.9)
    _draw_tempo(panels[-1], grid)
    panels[0].set_xlim(first, last)
    time_axis(panels[-1], last - first)
    panels[-1].set_xlabel("track time")
    return figure


def recording_figure(recording: Recording) -> Figure:
    """A small picture of a recording: its waveform."""
    figure = new_figure(7.0, 1.5)
    axes = figure.subplots()
    _draw_waveform(axes, recording, 0.0, recording.duration)
    axes.set_xlim(0.0, max(recording.duration, 1e-3))
    time_axis(axes, recording.duration)
    return figure


def grid_figure(grid: BeatGrid) -> Figure:
    """A small picture of a grid alone: its tempo over the track."""
    figure = new_figure(7.0, 1.5)
    axes = figure.subplots()
    last = float(grid.beats[-1]) if grid.beats.size else 1.0
    _draw_tempo(axes, grid)
    axes.set_xlim(0.0, max(last, 1e-3))
    time_axis(axes, last)
    return figure


def envelope(mono: FloatArray, columns: int) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest sample of equal stretches, shape (columns,) each; short sound gives fewer, one a sample."""
    columns = max(1, min(columns, mono.size))
    edges = np.linspace(0, mono.size, columns + 1).astype(np.int64)[:-1]
    return np.minimum.reduceat(mono, edges), np.maximum.reduceat(mono, edges)


def _draw_waveform(axes: Axes, recording: Recording, first: float, last: float) -> None:
    rate = recording.sample_rate
    mono = recording.mono()[max(0, round(first * rate)) : round(last * rate)]
    low, high = envelope(mono, _COLUMNS)
    times = first + (np.arange(low.size) + 0.5) * mono.size / rate / low.size
    axes.fill_between(times, low, high, color=PLAYED, linewidth=0)
    peak = max(0.05, float(np.abs(mono).max(initial=0.0)))
    axes.set_ylim(-1.05 * peak, 1.05 * peak)
    axes.set_yticks([])
    axes.set_ylabel("waveform", fontsize=9)
    quiet(axes)


def _draw_onsets(axes: Axes, attack: FloatArray, frames_per_second: int, first: float, last: float) -> None:
    begin, end = max(0, int(first * frames_per_second)), int(np.ceil(last * frames_per_second)) + 1
    times = np.arange(begin, min(end, attack.size)) / frames_per_second
    axes.fill_between(times, attack[begin:end], color=ONSET, linewidth=0, label="onset strength")
    axes.set_ylim(0.0, 1.15 * max(0.5, float(np.quantile(attack, 0.999)) if attack.size else 0.5))
    axes.set_ylabel("onsets", fontsize=9)
    quiet(axes)


def _draw_grid(axes: Axes, grid: BeatGrid, first: float, last: float) -> None:
    """Beats as thin grey lines, downbeats as strong ones; many of them would hide the rest, so then only bars."""
    inside = (grid.beats >= first) & (grid.beats <= last)
    opens = grid.positions == 1
    few = np.count_nonzero(inside) <= _MARKED_BEATS
    if few:
        for k, beat in enumerate(grid.beats[inside & ~opens]):
            axes.axvline(beat, color=BEAT, linewidth=0.9, linestyle=(0, (3, 2)), label="" if k else "beat")
    for k, beat in enumerate(grid.beats[inside & opens]):
        axes.axvline(
            beat,
            color=DOWNBEAT,
            linewidth=1.4 if few else 0.5,
            alpha=1.0 if few else 0.6,
            label="" if k else "downbeat",
        )


def _draw_tempo(axes: Axes, grid: BeatGrid) -> None:
    """Tempo from beat to beat and its mean over each bar."""
    if grid.beats.size > 1:
        axes.step(
            grid.beats[:-1], 60.0 / np.diff(grid.beats), where="post", color=BEAT, linewidth=0.8, label="each beat"
        )
    lines = grid.downbeat_indices
    if lines.size > 1:
        lengths = np.diff(grid.beats[lines]) / np.diff(lines)
        axes.step(grid.beats[lines[:-1]], 60.0 / lengths, where="post", color=DOWNBEAT, linewidth=1.6, label="each bar")
    middle = grid.tempo_bpm
    shown = 60.0 / np.diff(grid.beats) if grid.beats.size > 1 else np.array([middle])
    reach = max(4.0, 1.3 * float(np.quantile(np.abs(shown - middle), 0.98)))
    axes.set_ylim(middle - reach, middle + reach)
    axes.set_ylabel("tempo, bpm", fontsize=9)
    if grid.beats.size > 1:
        axes.legend(loc="upper right", fontsize=8, ncols=2, framealpha=0.9)
    quiet(axes)
