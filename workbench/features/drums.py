"""Detecting drums by the traces that strikes leave in a spectrum.

A drum stroke begins suddenly in many bands at once and soon decays; a bass drum in the lowest range, a hi-hat in the
highest, where little else sounds. So the clues are how much of the spectrum rises together, how steep the rises are,
and how each of five ranges of frequency rises and decays. A struck piano or a plucked guitar shares some of them, a
brushed drum lacks some; a logistic model (`character.json`) weighs them.
"""

from __future__ import annotations

import numpy as np

from workbench.features.character_model import chance
from workbench.features.onsets import OnsetStrengths
from workbench.features.spectrum import Spectrum
from workbench.recording import FloatArray

_RANGES_HZ = ((0.0, 110.0), (110.0, 400.0), (400.0, 2000.0), (2000.0, 6000.0), (6000.0, 18_000.0))
_LEVELS = (0.8, 0.9, 0.95, 0.98, 0.99)  # quantiles of the rises
_LEAST_FRAMES = 16


def strike_clues(spectrum: Spectrum, onsets: OnsetStrengths) -> FloatArray | None:
    """The clues for drums, shape (37,), independent of gain; None for silence or fewer than 16 frames."""
    if spectrum.n_frames < _LEAST_FRAMES or not spectrum.power.any():
        return None
    clues: list[float] = []
    for rises in (onsets.noise.astype(np.float64), onsets.edge.astype(np.float64)):
        clues += [*np.quantile(rises, _LEVELS), rises.mean()]
    usual = float(np.sqrt(spectrum.power.sum(axis=0)).mean())
    for low, high in _RANGES_HZ:
        inside = (spectrum.band_hz >= low) & (spectrum.band_hz < high)
        level = np.sqrt(spectrum.power[inside].sum(axis=0)) / usual
        mean = float(level.mean())
        rise = np.quantile(np.maximum(level[2:] - level[:-2], 0.0), 0.97)
        fall = np.quantile(np.maximum(level[:-6] - level[6:], 0.0), 0.95)
        shapes = (np.quantile(level, 0.95), rise, fall, np.median(level))
        clues += [np.log(mean + 1e-4), *(float(shape) / (mean + 1e-6) for shape in shapes)]
    return np.array(clues)


def drum_chance(spectrum: Spectrum, onsets: OnsetStrengths) -> float:
    """Probability of drums; 0 for silence."""
    clues = strike_clues(spectrum, onsets)
    return 0.0 if clues is None else chance("drums", clues)
