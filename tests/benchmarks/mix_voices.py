"""Sounds that fool speech detectors: singing, laughter, animals. Synthesised from a seed, mono at 24 kHz.

Singing is a glottal pulse with portamento and vibrato through the formants of vowels, with consonants between, as
`data/recipes/training/singing.py` makes it. Laughter is a row of voiced breaths at about five a second that fall in
pitch; barks are harsh, short, falling harmonics; birds whistle.

Functions: `singing`, `laughter`, `barks`, `birds`, `monkeys`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import soundfile
import soxr
from mix_clips import RATE, Sound, at_level
from scipy import signal

_TRAINING = Path(__file__).parents[2] / "data" / "recipes" / "training"
_VOWELS = ((800, 1150, 2900), (400, 1600, 2700), (300, 2200, 3000), (450, 800, 2830))


def singing(rng: np.random.Generator, size: int, over: Sound | None = None) -> Sound:
    """A sung line, its notes from what sounds in `over`, or from a scale of its own."""
    if str(_TRAINING) not in sys.path:
        sys.path.insert(0, str(_TRAINING))
    from singing import sung
    from voices import RATE as TRAINING_RATE

    under = _scale(size) if over is None else over
    stereo = np.repeat(soxr.resample(under, RATE, TRAINING_RATE)[:, None], 2, axis=1).astype(np.float32)
    line = soxr.resample(sung(stereo, rng), TRAINING_RATE, RATE)
    return np.pad(line, (0, max(0, size - line.size)))[:size].astype(np.float32)


def _scale(size: int) -> Sound:
    """Something in C major, for the notes to be taken from."""
    time = np.arange(size) / RATE
    return np.sum([np.sin(2 * np.pi * 261.6 * 2 ** (k / 12) * time) for k in (0, 2, 4, 5, 7, 9)], axis=0).astype(
        np.float32
    )


def _voiced(hz: np.ndarray, formants: tuple[int, ...], breath: float, rng: np.random.Generator) -> np.ndarray:
    """A buzz of varying pitch through three formants."""
    phase = np.cumsum(hz / RATE) % 1.0
    source = np.diff(np.where(phase < 0.6, phase**2 * (0.6 - phase), 0.0), prepend=0.0) * 40
    source = source + breath * rng.normal(size=hz.size)
    out = np.zeros(hz.size)
    for level, centre in zip((1.0, 0.7, 0.4), formants, strict=True):
        sos = signal.butter(1, (centre * 0.92, centre * 1.08), "bandpass", fs=RATE, output="sos")
        out += level * signal.sosfilt(sos, source)
    return out


def laughter(rng: np.random.Generator, size: int) -> Sound:
    """Bouts of ha-ha-ha of several people."""
    out = np.zeros(size)
    for _ in range(6):
        now, high = rng.uniform(0.5, size / RATE - 4), rng.uniform(180, 420)
        beats = int(rng.integers(5, 12))
        for k in range(beats):
            length = round(rng.uniform(0.09, 0.14) * RATE)
            glide = np.linspace(1.15, 0.85, length) * high * (1 - 0.03 * k)
            ha = _voiced(glide, _VOWELS[0], 0.5, rng) * np.hanning(length) * (0.9**k)
            first = round((now + 0.2 * k) * RATE)
            out[first : first + length] += ha
    return at_level(out.astype(np.float32), -24.0)


def barks(rng: np.random.Generator, size: int) -> Sound:
    """A dog, in twos and threes."""
    out, now = np.zeros(size), rng.uniform(0.5, 2.0)
    while now < size / RATE - 2:
        for k in range(int(rng.integers(2, 4))):
            length = round(rng.uniform(0.12, 0.2) * RATE)
            glide = np.interp(np.arange(length) / length, (0, 0.2, 1), (380, 620, 300)) * rng.uniform(0.9, 1.1)
            first = round((now + 0.35 * k) * RATE)
            out[first : first + length] += _voiced(glide, (700, 1400, 2600), 1.5, rng) * np.hanning(length) ** 0.5
        now += rng.uniform(1.5, 4.0)
    return at_level(out.astype(np.float32), -24.0)


def birds(rng: np.random.Generator, size: int) -> Sound:
    """Whistles that rise and fall between 2 and 6 kHz."""
    out, now = np.zeros(size), 0.3
    while now < size / RATE - 1:
        length = round(rng.uniform(0.05, 0.3) * RATE)
        glide = np.interp(np.linspace(0, 1, length), np.linspace(0, 1, 4), rng.uniform(2000, 6000, 4))
        out[round(now * RATE) : round(now * RATE) + length] += np.sin(2 * np.pi * np.cumsum(glide) / RATE) * np.hanning(
            length
        )
        now += rng.uniform(0.08, 0.9)
    return at_level(out.astype(np.float32), -24.0)


def monkeys(folder: Path, size: int) -> Sound | None:
    """Recorded ones, where the prompts are installed."""
    path = folder / "tt-monkeys.wav"
    if not path.exists():
        return None
    samples, rate = soundfile.read(path, dtype="float32")
    sound = np.asarray(soxr.resample(samples, rate, RATE), dtype=np.float32)
    return at_level(np.tile(sound, -(-size // sound.size))[:size], -24.0)
