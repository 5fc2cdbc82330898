"""Sung and spoken lines, synthesised from nothing but a buzz."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from workbench.video.pitch import PitchMeter

RATE = 16_000

SECONDS = 6.0


def _buzz(midi: np.ndarray, sounding: np.ndarray) -> np.ndarray:
    """Thirty harmonics of a pitch that moves, shape as the pitch."""
    phase = 2 * np.pi * np.cumsum(440 * 2 ** ((midi - 69) / 12)) / RATE
    return (sum(np.sin(k * phase) / k for k in range(1, 31)) * sounding * 0.1).astype(np.float32)


def _pitches_of(sound: np.ndarray, block: int = 4000) -> np.ndarray:
    meter = PitchMeter()
    for first in range(0, sound.size, block):
        meter.add(sound[first : first + block])
    return meter.pitches()


def _sung() -> np.ndarray:
    """Notes of 0.6 s with vibrato, a short breath after each."""
    time = np.arange(round(SECONDS * RATE)) / RATE
    note = np.array([57, 59, 60, 64, 62, 60, 57, 55, 57, 60])[(time / 0.6).astype(int) % 10]
    return _buzz(note + 0.4 * np.sin(2 * np.pi * 5.5 * time), time % 0.6 < 0.54)


def _talked() -> np.ndarray:
    """Syllables of 0.13 s at five a second, each sliding by a few semitones."""
    time = np.arange(round(SECONDS * RATE)) / RATE
    within = time % 0.2
    slides = np.random.default_rng(2).uniform(-5, 5, 40)[(time / 0.2).astype(int)]
    return _buzz(54 + slides * within / 0.13 - 2 * (time % 2), within < 0.13)


@pytest.fixture(scope="session")
def buzz() -> Callable[..., np.ndarray]:
    """`buzz(midi, sounding)`: thirty harmonics of a pitch that moves, 16,000 samples a second."""
    return _buzz


@pytest.fixture(scope="session")
def pitches_of() -> Callable[..., np.ndarray]:
    """`pitches_of(sound, block)` hands a sound to the meter in blocks and returns what it found."""
    return _pitches_of


@pytest.fixture(scope="session")
def sung() -> Callable[[], np.ndarray]:
    """Makes notes of 0.6 s with vibrato."""
    return _sung


@pytest.fixture(scope="session")
def talked() -> Callable[[], np.ndarray]:
    """Makes syllables that slide."""
    return _talked
