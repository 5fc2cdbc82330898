"""A beat grid as sound: the recording with a click on every beat, a higher one on the downbeats."""

from __future__ import annotations

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.recording import FloatArray, Recording

_CLICK_SECONDS = 0.04  # five time constants of its decay
_BEAT_HZ, _DOWNBEAT_HZ = 1000.0, 1600.0


def with_clicks(recording: Recording, grid: BeatGrid, level_db: float = -9.0) -> Recording:
    """Add clicks to a recording.

    Parameters
    ----------
    recording : is turned down by 6 dB, so that clicks stand out and nothing overshoots
    grid : its beats; each click begins on its beat, to the sample
    level_db : peak of a click, dBFS

    Returns
    -------
    Recording : as long as the one given
    """
    rate = recording.sample_rate
    samples = 0.5 * recording.samples
    for beat, position in zip(grid.beats, grid.positions, strict=True):
        first = round(float(beat) * rate)
        # Cut at the end of the recording: the last beat may lie closer to it than a click lasts.
        click = _click(_DOWNBEAT_HZ if position == 1 else _BEAT_HZ, rate, level_db)[: samples.shape[1] - first]
        samples[:, first : first + click.size] += click
    return Recording.from_samples(np.clip(samples, -1.0, 1.0), rate)


def _click(hertz: float, rate: int, level_db: float) -> FloatArray:
    """A cosine that begins at its peak and decays: its onset is its first sample."""
    time = np.arange(round(_CLICK_SECONDS * rate)) / rate
    click: FloatArray = 10.0 ** (level_db / 20.0) * np.cos(2.0 * np.pi * hertz * time) * np.exp(-time / 0.008)
    return click
