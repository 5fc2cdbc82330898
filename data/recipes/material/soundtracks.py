"""Soundtracks with a known voice: their truth, levels, and the noises that are put behind voices by others.

When somebody speaks is read from the dry voice alone, before anything is added: sound within 30 dB of the voice's own
level, in steps of 5 ms, pauses up to 0.3 s closed. Sound is mono at 24 kHz. Levels are K-weighted, as a mix measures
them. The crowd is eSpeak NG's.

Classes: `Video`. Functions: `loudness`, `at_level`, `sounding`, `trimmed`, `background`.
"""

from __future__ import annotations

import io
import subprocess
from dataclasses import dataclass
from functools import cache

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray
from scipy import signal

from workbench.features.levels import level_curve, to_lufs

RATE = 24_000
Sound = NDArray[np.float32]
Ranges = list[tuple[float, float]]

TALKERS = ("en-us", "en-gb-scotland", "de", "fr-fr", "es", "it", "pl", "sv", "hi", "nl", "pt-br", "tr")
TIMBRES = ("", "+m1", "+m3", "+m7", "+f1", "+f2", "+f5", "+croak")
SENTENCES = (
    "Fog lay on the pass when we set out.", "Hold the lid with one hand and turn it to the left.",
    "She paints only what she can see from her kitchen window.", "Save your work before you close the panel.",
    "Four thousand people live here in summer, and forty in winter.", "Stir.", "Nobody asked.", "Here it comes.",
    "How far is it to the lighthouse?", "Press the button twice, wait for the light, then let go.",
    "First came the rain, then the wind, and last of all the silence.", "That was the whole secret.",
    "Suppose you only had a spoon and an afternoon.", "Put the small screws into a cup so that none is lost.",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Video:
    """A soundtrack, and the truth about it."""

    name: str
    sound: Sound
    voice: Sound
    """the dry voice, as loud as it is in `sound`"""
    speech: Ranges
    """first to last sound, pauses up to 0.3 s closed"""


def loudness(sound: Sound) -> float:
    """Loudness of the whole, not gated, LUFS."""
    return to_lufs(float(level_curve(sound, RATE).power.mean()))


def at_level(sound: Sound, lufs: float) -> Sound:
    """The sound at another loudness."""
    return (sound * 10 ** ((lufs - loudness(sound)) / 20)).astype(np.float32)


def sounding(voice: Sound) -> Ranges:
    """First and last sound of what is said in a dry voice."""
    step = RATE // 200
    power = (voice[: voice.size // step * step].reshape(-1, step).astype(np.float64) ** 2).mean(axis=1)
    if not power.any():
        return []
    active = power[power > power.max() * 1e-4].mean()
    heard = np.flatnonzero(power > active * 1e-3)
    breaks = np.flatnonzero(np.diff(heard) > 60)
    starts, ends = np.append(heard[0], heard[breaks + 1]), np.append(heard[breaks], heard[-1]) + 1
    return [(a / 200, b / 200) for a, b in zip(starts, ends, strict=True)]


@cache
def _espeak(sentence: str, talker: str, pace: int, pitch: int) -> Sound:
    command = ["espeak-ng", "-v", talker, "-s", str(pace), "-p", str(pitch), "--stdout", sentence]
    spoken, rate = soundfile.read(
        io.BytesIO(subprocess.run(command, check=True, capture_output=True).stdout), dtype="float32"
    )
    return np.asarray(soxr.resample(spoken, rate, RATE), dtype=np.float32)


def trimmed(voice: Sound) -> Sound:
    """A dry voice from its first sound to its last."""
    ranges = sounding(voice)
    return voice[round(ranges[0][0] * RATE) : round(ranges[-1][1] * RATE)]


def _coloured(rng: np.random.Generator, slope: float, size: int) -> NDArray[np.float64]:
    """Noise whose power falls with frequency to the power of `slope`."""
    hz = np.maximum(np.fft.rfftfreq(size, 1 / RATE), 20.0)
    return np.fft.irfft(np.fft.rfft(rng.normal(size=size)) * hz ** (-slope / 2), size)


def _street(rng: np.random.Generator, size: int) -> Sound:
    """A rumble, and cars that pass, each brighter and louder while it is near."""
    time = np.arange(size) / RATE
    out = _coloured(rng, 1.6, size)
    out /= out.std()
    for _ in range(max(2, round(size / RATE / 6))):
        near, width = rng.uniform(0, size / RATE), rng.uniform(0.6, 1.5)
        tyres = signal.sosfilt(signal.butter(2, (300, 2500), "bandpass", fs=RATE, output="sos"), rng.normal(size=size))
        out += tyres / tyres.std() * rng.uniform(1.0, 2.5) / (1 + ((time - near) / width) ** 2)
    return out.astype(np.float32)


def _crowd(rng: np.random.Generator, size: int) -> Sound:
    """Two dozen people at once in a room; no word can be made out."""
    out = np.zeros(size)
    for _ in range(24):
        kind = f"{rng.choice(TALKERS)}{rng.choice(TIMBRES)}"
        said = np.concatenate(
            [_espeak(SENTENCES[k], kind, 165, int(rng.integers(20, 70))) for k in rng.integers(0, len(SENTENCES), 4)]
        )
        said = np.tile(said, -(-size // said.size) + 1)
        first = int(rng.integers(said.size - size))
        out += said[first : first + size] / (said.std() + 1e-9) * rng.uniform(0.5, 1.5)
    room = rng.normal(size=RATE // 2) * np.exp(-np.arange(RATE // 2) / (0.12 * RATE))
    heard: Sound = signal.oaconvolve(out, room)[:size].astype(np.float32)
    return heard


def background(name: str, rng: np.random.Generator, seconds: float) -> Sound:
    """A street or a crowd at -20 LUFS, or a quiet room at -55 LUFS."""
    size = round(seconds * RATE)
    if name == "room":
        return at_level(_coloured(rng, 1.0, size).astype(np.float32), -55.0)
    return at_level({"street": _street, "crowd": _crowd}[name](rng, size), -20.0)
