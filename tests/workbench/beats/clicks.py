"""Clicks at chosen times, as far as the tracker's first stages read them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.beats.evidence import Evidence, gather_evidence
from workbench.beats.tempo import beat_activation
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import Spectrum, analyze_spectrum
from workbench.recording import FloatArray

RATE = 44_100


@dataclass(frozen=True)
class Clicks:
    """Clicks, heard."""

    spectrum: Spectrum
    activation: FloatArray
    evidence: Evidence


def click_at(times: NDArray[np.float64], strong: NDArray[np.bool_] | None = None) -> Clicks:
    """A short drum at each time; where `strong`, a low one with it."""
    t = np.arange(round(0.08 * RATE)) / RATE
    noise = np.random.default_rng(7).normal(size=t.size)
    click = 0.2 * noise * np.exp(-t / 0.01)
    kick = 0.6 * np.sin(2 * np.pi * 60 * t) * np.exp(-t / 0.04)
    sound = np.zeros(round((times[-1] + 1.0) * RATE), dtype=np.float32)
    for k, at in enumerate(times):
        start = round(float(at) * RATE)
        sound[start : start + t.size] += (click + kick if strong is not None and strong[k] else click).astype(
            np.float32
        )
    spectrum = analyze_spectrum(sound, RATE)
    onsets = detect_onsets(spectrum)
    activation = beat_activation(onsets)
    return Clicks(spectrum, activation, gather_evidence(activation, onsets, spectrum))
