"""Sung and spoken lines, synthesised from nothing but a buzz."""

from __future__ import annotations

import numpy as np

from workbench.video.pitch import PitchMeter

RATE = 16_000

SECONDS = 6.0


def buzz(midi: np.ndarray, sounding: np.ndarray) -> np.ndarray:
    """Thirty harmonics of a pitch that moves, shape as the pitch."""
    phase = 2 * np.pi * np.cumsum(440 * 2 ** ((midi - 69) / 12)) / RATE
    return (sum(np.sin(k * phase) / k for k in range(1, 31)) * sounding * 0.1).astype(np.float32)


def pitches_of(sound: np.ndarray, block: int = 4000) -> np.ndarray:
    """What the meter finds in a sound that it is given in blocks."""
    meter = PitchMeter()
    for first in range(0, sound.size, block):
        meter.add(sound[first : first + block])
    return meter.pitches()


def sung() -> np.ndarray:
    """Notes of 0.6 s with vibrato, a short breath after each."""
    time = np.arange(round(SECONDS * RATE)) / RATE
    note = np.array([57, 59, 60, 64, 62, 60, 57, 55, 57, 60])[(time / 0.6).astype(int) % 10]
    return buzz(note + 0.4 * np.sin(2 * np.pi * 5.5 * time), time % 0.6 < 0.54)


def talked() -> np.ndarray:
    """Syllables of 0.13 s at five a second, each sliding by a few semitones."""
    time = np.arange(round(SECONDS * RATE)) / RATE
    within = time % 0.2
    slides = np.random.default_rng(2).uniform(-5, 5, 40)[(time / 0.2).astype(int)]
    return buzz(54 + slides * within / 0.13 - 2 * (time % 2), within < 0.13)
