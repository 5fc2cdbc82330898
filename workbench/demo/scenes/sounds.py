"""The soundtrack of the demo video: beds of ambience that change with the shots, and single sounds at known times.

Beds are noise with a given spectrum and a slowly varying level; single sounds are short, synthesised and placed by
hand. Everything is stereo, shape (2, n), at `RATE`, and much softer than a voice: beds have -40 to -28 LUFS.

Functions: `ambience`. Classes: `Bed`, `Cue`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import signal

from workbench.features.loudness import integrated_lufs
from workbench.recording import FloatArray

RATE = 48_000
BED_SAMPLES = 1 << 19  # 10.9 s; beds tile
CROSSFADE_SECONDS = 0.06


@dataclass(frozen=True, slots=True)
class Bed:
    """The ambience of a place."""

    kind: str  # a key of `BEDS`
    lufs: float


@dataclass(frozen=True, slots=True)
class Cue:
    """One sound at one time."""

    at: float  # seconds from the start of the shot in `Shot.cues`, from the start of the video elsewhere
    kind: str  # a key of `SOUNDS`
    gain_db: float = 0.0


def _shaped(seed: int, points: Sequence[tuple[float, float]]) -> FloatArray:
    """Noise that tiles, shape (2, BED_SAMPLES), its spectrum given as (Hz, dB) points; both sides differ."""
    generator = np.random.default_rng(seed)
    hertz = np.fft.rfftfreq(BED_SAMPLES, 1 / RATE)
    corners = np.array(points)
    level = np.interp(np.log(np.maximum(hertz, 5)), np.log(corners[:, 0]), corners[:, 1])
    common = np.exp(2j * np.pi * generator.random(hertz.size))
    sides = [0.55 * common + 0.83 * np.exp(2j * np.pi * generator.random(hertz.size)) for _ in "lr"]
    spectrum = np.stack(sides) * 10 ** (level / 20)
    spectrum[:, hertz < 25] = 0
    sound = np.fft.irfft(spectrum, BED_SAMPLES)
    return np.asarray(sound / sound.std(), dtype=np.float32)


def _life(seed: int, cycles: int, depth: float, sides: int = 2) -> FloatArray:
    """A slowly varying gain that tiles, shape (sides, BED_SAMPLES), about 1."""
    generator = np.random.default_rng(seed)
    t = np.arange(BED_SAMPLES, dtype=np.float32) * np.float32(2 * np.pi / BED_SAMPLES)
    gain = np.zeros((sides, BED_SAMPLES), dtype=np.float32)
    for k in range(1, cycles + 1):
        phase = generator.uniform(0, 2 * np.pi) + generator.uniform(-0.7, 0.7, (sides, 1))
        gain += (np.sin(k * t + phase) * (generator.uniform(0.4, 1) / np.sqrt(k))).astype(np.float32)
    return np.asarray(np.exp(depth * gain / gain.std()), dtype=np.float32)


def _night() -> FloatArray:
    air = _shaped(11, ((30, -8), (120, 0), (500, -14), (3000, -34), (12000, -50)))
    t = np.arange(BED_SAMPLES) / RATE
    crickets = np.zeros((2, BED_SAMPLES), dtype=np.float32)
    for side, (hertz, rate) in enumerate(((4310.0, 2.57), (4650.0, 2.11))):
        chirp = np.clip(np.sin(2 * np.pi * rate * t), 0.25, 1) - 0.25
        crickets[side] = np.sin(2 * np.pi * hertz * t) * chirp * np.abs(np.sin(2 * np.pi * 16 * t))
    return np.asarray(air * _life(12, 5, 0.25) + 0.10 * crickets + 0.04 * crickets[::-1])


def _wind() -> FloatArray:
    low = _shaped(21, ((30, -6), (160, 0), (420, -6), (1500, -30), (9000, -60)))
    high = _shaped(22, ((100, -40), (380, -6), (620, 0), (900, -8), (4000, -44), (9000, -70)))
    return low * _life(23, 6, 0.35) + 0.5 * high * _life(24, 9, 0.6)


def _forest() -> FloatArray:
    leaves = _shaped(31, ((80, -26), (700, -14), (2600, 0), (6500, -8), (14000, -30)))
    return leaves * _life(32, 8, 0.4) + 0.5 * _wind()


def _sea() -> FloatArray:
    t = np.arange(BED_SAMPLES, dtype=np.float32) / BED_SAMPLES
    body = _shaped(41, ((30, -10), (90, 0), (500, -9), (2500, -24), (12000, -48)))
    foam = _shaped(42, ((200, -34), (1200, -10), (4200, 0), (11000, -12)))
    swell = np.zeros((2, BED_SAMPLES), dtype=np.float32)
    for k, (start, strength) in enumerate(((0.02, 1.0), (0.36, 0.7), (0.69, 0.9))):
        for side in (0, 1):
            since = (t - start - 0.012 * (side if k % 2 else 1 - side)) % 1.0
            swell[side] += strength * (since / 0.09) * np.exp(1 - since / 0.09)
    return body * (0.45 + 0.6 * swell) + 0.75 * foam * swell**1.6


def _rain() -> FloatArray:
    wash = _shaped(51, ((60, -22), (400, -16), (1500, -8), (5000, 0), (12000, -4)))
    generator = np.random.default_rng(52)
    drops = np.zeros((2, BED_SAMPLES), dtype=np.float32)
    for side in (0, 1):
        drops[side, generator.integers(0, BED_SAMPLES, 1500)] = generator.exponential(1.0, 1500)
    drop = np.exp(-np.arange(700) / 130) * np.sin(2 * np.pi * 2300 / RATE * np.arange(700) ** 0.97)
    return wash * _life(53, 4, 0.12) + np.asarray(
        signal.oaconvolve(drops, drop[None, :], mode="same"), dtype=np.float32
    )


def _city() -> FloatArray:
    rumble = _shaped(61, ((28, -4), (70, 0), (250, -10), (1000, -20), (5000, -38), (12000, -60)))
    tyres = _shaped(62, ((100, -30), (600, -4), (1100, 0), (2600, -12), (9000, -40)))
    return rumble * _life(63, 5, 0.15) + 0.55 * tyres * _life(64, 7, 0.7)


def _hall() -> FloatArray:
    air = _shaped(71, ((30, -8), (140, 0), (420, -8), (1800, -24), (9000, -50)))
    return air * _life(72, 12, 0.2)


def _train() -> FloatArray:
    """Inside a carriage: rumble, air, and the joints of the rails in pairs."""
    sound = _shaped(81, ((28, -3), (60, 0), (180, -7), (700, -18), (3000, -34), (12000, -60))) * _life(82, 6, 0.15)
    joint = _thump(95.0, 0.05)
    for k in range(12):  # 12 pairs in a tile: one every 0.91 s
        for offset, gain in ((0.0, 1.0), (0.17, 0.75)):
            at = int((k / 12 + 0.01) * BED_SAMPLES + offset * RATE)
            sound[:, at : at + joint.size] += (gain * 2.4 * joint)[: BED_SAMPLES - at]
    return sound


def _tunnel() -> FloatArray:
    roar = _shaped(91, ((28, -6), (80, 0), (240, -1), (420, -6), (1300, -14), (6000, -36)))
    return roar * _life(92, 14, 0.2) + 0.5 * _train()


BEDS: dict[str, Callable[[], FloatArray]] = {
    "night": _night,
    "wind": _wind,
    "forest": _forest,
    "sea": _sea,
    "rain": _rain,
    "city": _city,
    "hall": _hall,
    "train": _train,
    "tunnel": _tunnel,
}


@lru_cache(maxsize=len(BEDS))
def _bed(kind: str) -> FloatArray:
    """A bed at -30 LUFS."""
    sound = np.asarray(BEDS[kind](), dtype=np.float32)
    return np.asarray(sound * 10 ** ((-30 - integrated_lufs(sound, RATE)) / 20), dtype=np.float32)


def _thump(hertz: float, seconds: float) -> FloatArray:
    """A low knock that falls in pitch, shape (n,), peak about 1."""
    t = np.arange(int(seconds * 6 * RATE)) / RATE
    pitch = hertz * (1 + 0.8 * np.exp(-t / 0.02))
    return np.asarray(np.sin(2 * np.pi * np.cumsum(pitch) / RATE) * np.exp(-t / seconds) * np.minimum(1, t / 0.002))


def _burst(seed: int, seconds: float, low: float, high: float) -> FloatArray:
    """A burst of band-limited noise, shape (n,), peak about 1."""
    t = np.arange(int(seconds * 6 * RATE)) / RATE
    raw = np.random.default_rng(seed).standard_normal(t.size) * np.exp(-t / seconds)
    band = signal.sosfilt(signal.butter(2, [low, high], "bandpass", fs=RATE, output="sos"), raw)
    return np.asarray(band / np.abs(band).max())


def _hit() -> FloatArray:
    knock = _thump(58, 0.16)
    knock[: int(0.18 * RATE)] += 0.35 * _burst(101, 0.03, 300, 2400)
    return 0.30 * knock


def _coupling() -> FloatArray:
    clank = 0.5 * _burst(111, 0.05, 600, 3500)
    for hertz, gain in ((410.0, 0.3), (1130.0, 0.16), (1710.0, 0.1)):
        t = np.arange(clank.size) / RATE
        clank += gain * np.sin(2 * np.pi * hertz * t) * np.exp(-t / 0.09)
    return 0.13 * clank


def _tick() -> FloatArray:
    return 0.05 * _burst(121, 0.004, 1500, 6000)


def _step() -> FloatArray:
    step = _thump(120, 0.02)
    step[: int(0.06 * RATE)] += 0.8 * _burst(131, 0.01, 700, 3000)
    return 0.05 * step


def _thunder() -> FloatArray:
    t = np.arange(int(4.5 * RATE)) / RATE
    generator = np.random.default_rng(141)
    raw = signal.sosfilt(signal.butter(2, 190, "lowpass", fs=RATE, output="sos"), generator.standard_normal(t.size))
    rolls = (
        np.interp(t, np.arange(0, 5, 0.18), generator.uniform(0.1, 1.0, 28))
        * np.exp(-t / 1.5)
        * np.minimum(1, t / 0.02)
    )
    return np.asarray(0.22 * raw / np.abs(raw).max() * rolls)


def _bell() -> FloatArray:
    t = np.arange(int(3.2 * RATE)) / RATE
    partials = ((262.0, 0.4, 1.6), (524.0, 1.0, 1.1), (628.0, 0.6, 0.9), (786.0, 0.5, 0.7), (1048.0, 0.5, 0.5))
    tone = sum(gain * np.sin(2 * np.pi * hertz * t) * np.exp(-t / decay) for hertz, gain, decay in partials)
    return np.asarray(0.035 * tone * np.minimum(1, t / 0.003))


def _pass() -> FloatArray:
    """A train that goes by: wind, then wheels, then nothing."""
    t = np.arange(int(5.0 * RATE)) / RATE
    air = np.random.default_rng(151).standard_normal(t.size)
    low = signal.sosfilt(signal.butter(1, [60, 700], "bandpass", fs=RATE, output="sos"), air)
    swell = np.exp(-(((t - 2.2) / 1.1) ** 2)) * (1 + 0.25 * signal.square(2 * np.pi * 3.1 * t))
    return np.asarray(0.06 * low / low.std() * swell * 0.5)


def _whoosh() -> FloatArray:
    t = np.arange(int(1.4 * RATE)) / RATE
    air = np.random.default_rng(161).standard_normal(t.size)
    band = signal.sosfilt(signal.butter(1, [300, 2600], "bandpass", fs=RATE, output="sos"), air)
    return np.asarray(
        0.07 * band / band.std() * np.where(t < 0.5, np.exp(-(0.5 - t) / 0.18), np.exp(-(t - 0.5) / 0.28))
    )


SOUNDS: dict[str, Callable[[], FloatArray]] = {
    "hit": _hit,
    "coupling": _coupling,
    "tick": _tick,
    "step": _step,
    "thunder": _thunder,
    "bell": _bell,
    "pass": _pass,
    "whoosh": _whoosh,
}


@lru_cache(maxsize=len(SOUNDS))
def _sound(kind: str) -> FloatArray:
    return np.asarray(SOUNDS[kind](), dtype=np.float32)


def ambience(stretches: Sequence[tuple[float, Bed | None]], cues: Sequence[Cue], seconds: float) -> FloatArray:
    """Lay beds end to end, crossfaded, and single sounds over them.

    Parameters
    ----------
    stretches : start in video seconds and bed of each, None for silence; in order of time
    cues : single sounds in video seconds; they are cut off at the end
    seconds : length of the sound

    Returns
    -------
    shape (2, round(seconds * RATE)), float32
    """
    n = round(seconds * RATE)
    total = np.zeros((2, n), dtype=np.float32)
    half = int(CROSSFADE_SECONDS * RATE / 2)
    ramp = np.sqrt(np.linspace(0, 1, 2 * half, dtype=np.float32))
    ends = [start for start, _ in stretches[1:]] + [seconds]
    for (start_s, bed), end_s in zip(stretches, ends, strict=True):
        start, end = max(0, round(start_s * RATE) - half), min(n, round(end_s * RATE) + half)
        if bed is None or end - start < 4 * half:
            continue
        gain = np.ones(end - start, dtype=np.float32)
        gain[: 2 * half] = ramp
        gain[-2 * half :] = ramp[::-1]
        gain *= np.float32(10 ** ((bed.lufs + 30) / 20))
        tile = np.take(_bed(bed.kind), np.arange(start, end) % BED_SAMPLES, axis=1)
        total[:, start:end] += tile * gain
    for cue in cues:
        sound, at = _sound(cue.kind), round(cue.at * RATE)
        if 0 <= at < n:
            end = min(n, at + sound.size)
            total[:, at:end] += sound[: end - at] * np.float32(10 ** (cue.gain_db / 20))
    return total
