"""Synthesised drum kits: every piece has its own drums, drawn drum by drum.

A drum is a few ringing modes (a skin, a shell, a plate), a burst of filtered noise (wires, beads, the beater) and their
decays. A kit of one character (acoustic, machine, dusty) draws these from ranges, then passes all drums through the
same saturation, bandwidth and room, as they would be in one recording. Every drum begins at its first sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from data.recipes.training.performing import Sounded
from data.recipes.training.voices import RATE, Samples, ringing

_VARIANTS = 3
"""recordings of the same drum, so that no two strokes in a row are equal"""
_CHOKED = {42: (46,), 44: (46,)}
"""what ends when a drum is struck: the foot or stick closes the hat"""


@dataclass
class Kit:
    """A kit and the drums that have been built so far."""

    character: str
    """acoustic, machine or dusty"""
    seed: int
    drive: float
    """saturation of every drum; 0: none"""
    top_hz: float
    """bandwidth"""
    bits: int
    """resolution; 16: clean"""
    room_seconds: float
    room_level: float
    length: float
    """factor on all decays: damped or open drums"""
    pitch: float
    """factor on all frequencies"""
    width: float
    """how far the drums are panned"""
    brushes: bool
    """the snare is stroked with brushes"""
    _built: dict[tuple[int, int], Samples] = field(default_factory=dict)

    def drum(self, key: int, variant: int) -> Samples:
        """One stroke, shape (n,), loudest near 1."""
        if (key, variant) not in self._built:
            make = _brushed if self.brushes and key in (38, 40) else _DRUMS.get(key, _shaker)
            shape = np.random.default_rng((self.seed, _SIBLINGS.get(key, key)))
            stroke = np.random.default_rng((self.seed, key, variant))
            self._built[key, variant] = self._finished(make(self, key, shape, stroke), stroke)
        return self._built[key, variant]

    def _finished(self, sound: Samples, rng: np.random.Generator) -> Samples:
        sound = sound / np.float32(np.abs(sound).max() + 1e-9)
        if self.drive > 0:
            sound = np.tanh(sound * np.float32(self.drive)) / np.float32(np.tanh(self.drive))
        if self.room_level > 0:
            size = round(self.room_seconds * RATE)
            tail = _band(rng.standard_normal(size) * np.exp(-6.9 * np.arange(size) / size), 150, 6000)
            tail[0 : round(0.002 * RATE)] = 0
            tail *= self.room_level / np.sqrt(np.sum(tail**2))
            sound = np.concatenate([sound, np.zeros(size, np.float32)])
            sound = sound + signal.oaconvolve(sound, tail)[: len(sound)].astype(np.float32)
        if self.top_hz < 16_000:
            sound = signal.lfilter(*signal.butter(2, self.top_hz / (RATE / 2)), sound).astype(np.float32)
        if self.bits < 16:
            steps = np.float32(2 ** (self.bits - 1))
            sound = (np.round(sound * steps) / steps).astype(np.float32, copy=False)
        return np.asarray(sound, dtype=np.float32)

    def place(self, key: int) -> float:
        """Where the drum stands, -1 to 1."""
        if key in (35, 36, 37, 38, 39, 40):
            return 0.0
        return float(np.random.default_rng((self.seed, key, 7)).uniform(-self.width, self.width))


def draw_kit(program: int, rng: np.random.Generator) -> Kit:
    """A kit in the manner of a General MIDI kit program."""
    if program in (24, 25, 26, 27, 30):
        weights = [0.1, 0.75, 0.15]
    elif program in (32, 40, 48):
        weights = [0.85, 0.0, 0.15]
    else:
        weights = [0.6, 0.25, 0.15]
    character = str(rng.choice(["acoustic", "machine", "dusty"], p=weights))
    dusty = character == "dusty"
    return Kit(
        character,
        seed=int(rng.integers(1 << 31)),
        drive=float(rng.uniform(0.5, 4)) if rng.random() < (0.8 if dusty else 0.4) else 0.0,
        top_hz=float(rng.uniform(3500, 9000)) if dusty or rng.random() < 0.15 else 20_000.0,
        bits=int(rng.integers(6, 10)) if dusty and rng.random() < 0.6 else 16,
        room_seconds=float(rng.uniform(0.1, 0.7)),
        room_level=float(rng.uniform(0.05, 0.6)) if rng.random() < (0.25 if character == "machine" else 0.8) else 0.0,
        length=float(2 ** rng.normal(0, 0.45)),
        pitch=float(2 ** rng.normal(0, 0.2)),
        width=float(rng.choice([0.0, rng.uniform(0.1, 0.7)])),
        brushes=program == 40,
    )


def play(kit: Kit, notes: Sequence[Sounded], size: int) -> NDArray[np.float32]:
    """The strokes as a stereo stem, shape (size, 2), each beginning at the sample nearest to its time."""
    out = np.zeros((size, 2), dtype=np.float32)
    ends: dict[int, list[float]] = {}
    for note in notes:
        for ended in _CHOKED.get(note.pitch, ()):
            ends.setdefault(ended, []).append(note.begin)
    for number, note in enumerate(notes):
        sound = kit.drum(note.pitch, number % _VARIANTS)
        begin = round(note.begin * RATE)
        later = [end for end in ends.get(note.pitch, ()) if end > note.begin + 0.01]
        if later:
            sound = _ended(sound, round((min(later) - note.begin) * RATE))
        level = _LEVELS.get(note.pitch, 0.5) * (note.velocity / 110) ** 1.7
        place = kit.place(note.pitch)
        room = out[begin : begin + len(sound)]
        room[:, 0] += np.float32(level * min(1.0, 1 - place)) * sound[: len(room)]
        room[:, 1] += np.float32(level * min(1.0, 1 + place)) * sound[: len(room)]
    return out


def _ended(sound: Samples, at: int) -> Samples:
    fade = RATE // 100
    if at >= len(sound) - fade:
        return sound
    sound = sound[: at + fade].copy()
    sound[at:] *= np.linspace(1, 0, len(sound) - at, dtype=np.float32)
    return sound


def _band(sound: NDArray[np.floating], low: float, high: float, order: int = 1) -> NDArray[np.float64]:
    """A band pass; corners are kept within the audible range."""
    low, high = max(low, 20.0), min(high, RATE * 0.47)
    sections = signal.butter(order, [min(low, 0.8 * high), high], "bandpass", fs=RATE, output="sos")
    passed: NDArray[np.float64] = signal.sosfilt(sections, sound)
    return passed


def _hiss(rng: np.random.Generator, decay: float, low: float, high: float, attack: float = 0.0) -> Samples:
    """Decaying filtered noise, peak 1; `decay` seconds to fall by 60 dB."""
    size = round(decay * RATE) + 64
    time = np.arange(size) / RATE
    noise = _band(rng.standard_normal(size + 64)[:size], low, high) * np.exp(-6.9 * time / decay)
    if attack > 0:
        noise *= np.clip(time / attack, 0, 1)
    hiss: Samples = (noise / np.abs(noise).max()).astype(np.float32)
    return hiss


def _modes(hz: NDArray[np.float64], decays: Sequence[float] | NDArray[np.float64], levels: Sequence[float]) -> Samples:
    """Ringing modes that start together, peak 1."""
    size = round(max(decays) * RATE) + 64
    sound = ringing(np.array(hz), np.array(decays), np.array(levels), np.zeros(len(hz)), size)
    return sound / np.float32(np.abs(sound).max())


def _sum(*layers: tuple[float, Samples]) -> Samples:
    """Layers with their levels, as long as the longest."""
    out = np.zeros(max(len(sound) for _, sound in layers), dtype=np.float32)
    for level, sound in layers:
        out[: len(sound)] += np.float32(level) * sound
    return out


def _swept(low_hz: float, rise: float, fall: float, decay: float, hold: float = 0.0) -> Samples:
    """A sine that falls from `low_hz * (1 + rise)`, with time constant `fall`; `hold` seconds before it decays."""
    time = np.arange(round((decay + hold) * RATE) + 64) / RATE
    phase = 2 * np.pi * low_hz * (time + rise * fall * (1 - np.exp(-time / fall)))
    return (np.sin(phase) * np.exp(-6.9 * np.maximum(time - hold, 0) / decay)).astype(np.float32)


def _kick(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    base = shape.uniform(42, 75) * kit.pitch
    if kit.character == "machine" and shape.random() < 0.45:
        # the 808: a long sine with little sweep
        body = _swept(shape.uniform(40, 58), shape.uniform(0.3, 3), shape.uniform(0.005, 0.03), shape.uniform(0.6, 2.2))
        return _sum((1, body), (shape.uniform(0, 0.4), _hiss(stroke, 0.012, 1000, 8000)))
    if kit.character == "machine":
        body = _swept(
            base, shape.uniform(2, 9), shape.uniform(0.008, 0.04), shape.uniform(0.15, 0.6), shape.uniform(0, 0.06)
        )
        body = np.tanh(body * np.float32(shape.uniform(1, 5)))
        return _sum((1, body), (shape.uniform(0.05, 0.8), _hiss(stroke, 0.015, shape.uniform(800, 3000), 12_000)))
    skin = _swept(base, shape.uniform(0.3, 2.5), shape.uniform(0.006, 0.025), shape.uniform(0.12, 0.5) * kit.length)
    shell = _modes(base * np.array([1.59, 2.14, 2.9]), [0.15, 0.1, 0.06], [1, 0.7, 0.5])
    beater = _hiss(stroke, shape.uniform(0.008, 0.04), shape.uniform(600, 2500), shape.uniform(4000, 9000))
    return _sum((1, skin), (shape.uniform(0.05, 0.4), shell), (shape.uniform(0.1, 0.9), beater))


def _snare(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    base = shape.uniform(150, 290) * kit.pitch
    tone_decay = shape.uniform(0.06, 0.3) * kit.length
    skin = _sum(
        (1, _swept(base, shape.uniform(0.05, 0.6), 0.01, tone_decay)),
        (
            shape.uniform(0.2, 0.9),
            _modes(base * np.array([1.6, 2.15, 2.6]), np.array([1, 0.7, 0.5]) * tone_decay, [1, 0.7, 0.4]),
        ),
    )
    low = shape.uniform(300, 2500)
    wires = _hiss(stroke, shape.uniform(0.1, 0.45) * kit.length, low, shape.uniform(6000, 15_000))
    stick = _hiss(stroke, 0.008, 2000, 14_000)
    return _sum((shape.uniform(0.2, 1), skin), (shape.uniform(0.4, 1.2), wires), (shape.uniform(0, 0.7), stick))


def _brushed(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    swish = _hiss(stroke, shape.uniform(0.15, 0.5), shape.uniform(800, 2500), shape.uniform(6000, 12_000), 0.004)
    return _sum((1, swish), (0.6, _hiss(stroke, 0.02, 500, 6000)))


def _rim(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    base = shape.uniform(380, 900) * kit.pitch
    wood = _modes(
        base * np.array([1, 2.1, 3.6, 5.2]),
        np.array([1, 0.8, 0.5, 0.3]) * shape.uniform(0.03, 0.12),
        [0.7, 1, 0.7, 0.4],
    )
    return _sum((1, wood), (shape.uniform(0.1, 0.7), _hiss(stroke, 0.012, 1500, 10_000)))


def _clap(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    """Hands that meet within a few hundredths of a second; the first is the loudest or nearly so."""
    low, high = shape.uniform(600, 1200), shape.uniform(2500, 6000)
    hands = int(shape.integers(1, 5))
    gap = shape.uniform(0.005, 0.011)
    tail = _hiss(stroke, shape.uniform(0.1, 0.5) * kit.length, low, high)
    out = np.zeros(round(hands * 0.012 * RATE) + len(tail), dtype=np.float32)
    for hand in range(hands):
        at = round(hand * gap * stroke.uniform(0.85, 1.15) * RATE)
        slap = _hiss(stroke, 0.02, low, high * 1.5)
        out[at : at + len(slap)] += slap
    begin = round((hands - 1) * gap * RATE)
    out[begin : begin + len(tail)] += np.float32(0.7) * tail
    return out


def _metal(
    shape: np.random.Generator, stroke: np.random.Generator, pitch: float, decay: float, low: float, noise: float
) -> Samples:
    """A plate: many inharmonic modes above a corner, the high ones gone first, and noise."""
    count = int(shape.integers(8, 40))
    hz = np.sort(10 ** shape.uniform(np.log10(low), np.log10(min(low * 6, 15_000)), count)) * pitch
    hz = hz[hz < 16_000] if (hz < 16_000).any() else hz[:1]
    decays = decay * shape.uniform(0.4, 1, len(hz)) * (hz[0] / hz) ** 0.4
    size = round(decay * RATE) + 64
    phases = stroke.uniform(0, 2 * np.pi, len(hz))
    plate = ringing(hz, decays, shape.uniform(0.3, 1, len(hz)), phases, size)
    plate /= np.float32(np.abs(plate).max())
    stick = _hiss(stroke, 0.006, 3000, 16_000)
    return _sum((1, plate), (noise, _hiss(stroke, decay * 0.9, low * 1.2, 17_000)), (0.6, stick))


def _closed_hat(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    decay = shape.uniform(0.03, 0.14) * kit.length * stroke.uniform(0.9, 1.15) * (1.2 if key == 44 else 1.0)
    return _metal(shape, stroke, kit.pitch, decay, shape.uniform(3000, 7000), shape.uniform(0.3, 3))


def _open_hat(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    shape.random()
    decay = shape.uniform(0.3, 1.0) * kit.length
    return _metal(shape, stroke, kit.pitch, decay, shape.uniform(3000, 7000), shape.uniform(0.3, 3))


def _ride(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    wash = _metal(shape, stroke, kit.pitch, shape.uniform(0.8, 2.2), shape.uniform(2000, 4500), shape.uniform(0, 0.6))
    base = shape.uniform(380, 900) * kit.pitch
    bell = _modes(base * np.array([1, 1.51, 2.32, 3.1]), [0.9, 0.7, 0.5, 0.4], [0.5, 0.8, 1, 0.7])
    ping = _hiss(stroke, 0.02, 2500, 14_000)
    return _sum((0.5, wash), (1.2 if key == 53 else shape.uniform(0, 0.3), bell), (shape.uniform(0.4, 1), ping))


def _crash(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    decay = shape.uniform(1.0, 2.6) * (0.4 if key == 55 else 1.0)
    wash = _hiss(stroke, decay, shape.uniform(800, 2500), shape.uniform(9000, 17_000))
    return _sum((1, wash), (0.7, _metal(shape, stroke, kit.pitch, decay, shape.uniform(600, 2000), 0.3)))


def _tom(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    step = {41: 0, 43: 2.5, 45: 5, 47: 7.5, 48: 10, 50: 12.5}.get(key, 6)
    base = shape.uniform(65, 95) * kit.pitch * 2 ** (step / 12 * shape.uniform(0.8, 1.2))
    decay = shape.uniform(0.2, 0.8) * kit.length
    skin = _swept(base, shape.uniform(0.1, 1.2), shape.uniform(0.01, 0.05), decay)
    shell = _modes(base * np.array([1.59, 2.14, 2.65]), np.array([0.6, 0.4, 0.3]) * decay, [1, 0.6, 0.5])
    stick = _hiss(stroke, 0.02, 1000, 9000)
    return _sum((1, skin), (shape.uniform(0.1, 0.5), shell), (shape.uniform(0.1, 0.6), stick))


def _hand_drum(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    """Congas, bongos, timbales and the like by pitch."""
    base = _HAND_HZ.get(key, 250.0) * kit.pitch * shape.uniform(0.85, 1.2)
    slapped = key in (62, 65)
    decay = shape.uniform(0.05, 0.12) if slapped else shape.uniform(0.12, 0.5)
    skin = _swept(base, shape.uniform(0.02, 0.3), 0.01, decay)
    modes = _modes(base * np.array([1.6, 2.3, 3.2]), np.array([0.6, 0.4, 0.3]) * decay, [1, 0.6, 0.5])
    hand = _hiss(stroke, 0.02, 800, 7000)
    return _sum((1, skin), (shape.uniform(0.1, 0.6), modes), (0.9 if slapped else shape.uniform(0.1, 0.5), hand))


def _taiko(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    base = shape.uniform(45, 75) * (1.35 if key == 86 else 1.0)
    decay = shape.uniform(0.15, 0.3) if key == 86 else shape.uniform(0.6, 1.4)
    skin = _swept(base, shape.uniform(0.2, 0.8), 0.02, decay)
    modes = _modes(base * np.array([1.59, 2.14, 2.3, 3.5]), np.array([0.7, 0.5, 0.4, 0.2]) * decay, [1, 0.8, 0.6, 0.5])
    return _sum((1, skin), (0.6, modes), (0.5, _hiss(stroke, 0.04, 500, 5000)))


def _wood(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    base = _WOOD_HZ.get(key, 1200.0) * kit.pitch * shape.uniform(0.85, 1.2)
    block = _modes(base * np.array([1, 2.6, 4.1]), np.array([1, 0.5, 0.3]) * shape.uniform(0.05, 0.15), [1, 0.4, 0.3])
    return _sum((1, block), (shape.uniform(0.05, 0.4), _hiss(stroke, 0.008, 1500, 12_000)))


def _bell(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    """Cowbell, agogo and triangle."""
    base = _BELL_HZ.get(key, 800.0) * kit.pitch * shape.uniform(0.9, 1.15)
    decay = {80: 0.12, 81: 1.6}.get(key, shape.uniform(0.12, 0.6))
    ratios = np.array([1, 1.48, 2.2, 3.05, 4.2])
    return _sum(
        (1, _modes(base * ratios, decay / ratios**0.5, [1, 0.9, 0.4, 0.3, 0.2])),
        (0.3, _hiss(stroke, 0.006, 2000, 14_000)),
    )


def _shaker(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    decay = shape.uniform(0.05, 0.16) * stroke.uniform(0.9, 1.1)
    return _hiss(stroke, decay, shape.uniform(2500, 6000), shape.uniform(9000, 16_000), shape.uniform(0.0005, 0.004))


def _tambourine(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    jingles = _metal(shape, stroke, kit.pitch, shape.uniform(0.1, 0.35), shape.uniform(4000, 7000), 0.5)
    return _sum((1, jingles), (shape.uniform(0.2, 0.8), _hiss(stroke, 0.03, 500, 5000)))


def _scraped(kit: Kit, key: int, shape: np.random.Generator, stroke: np.random.Generator) -> Samples:
    """A guiro: a train of clicks."""
    seconds = 0.08 if key == 73 else 0.3
    out = np.zeros(round((seconds + 0.05) * RATE), dtype=np.float32)
    for at in np.arange(0, seconds, shape.uniform(0.006, 0.014)):
        tooth = _hiss(stroke, 0.02, 2000, 7000)
        begin = round(at * RATE)
        out[begin : begin + len(tooth)] += tooth[: len(out) - begin]
    return out


_Make = Callable[[Kit, int, np.random.Generator, np.random.Generator], Samples]

_DRUMS: dict[int, _Make] = {
    **dict.fromkeys((35, 36), _kick),
    **dict.fromkeys((38, 40), _snare),
    **dict.fromkeys((37, 31), _rim),
    **dict.fromkeys((39, 28), _clap),
    **dict.fromkeys((41, 43, 45, 47, 48, 50), _tom),
    **dict.fromkeys((42, 44), _closed_hat),
    46: _open_hat,
    **dict.fromkeys((49, 52, 55, 57), _crash),
    **dict.fromkeys((51, 53, 59), _ride),
    **dict.fromkeys((54, 83), _tambourine),
    **dict.fromkeys((56, 67, 68, 80, 81), _bell),
    **dict.fromkeys((60, 61, 62, 63, 64, 65, 66, 78, 79), _hand_drum),
    **dict.fromkeys((69, 70, 82), _shaker),
    **dict.fromkeys((73, 74), _scraped),
    **dict.fromkeys((75, 76, 77, 85), _wood),
    **dict.fromkeys((86, 87), _taiko),
}
"""by General MIDI drum; the few others (whistles, the bell tree) are shaken instead"""

_SIBLINGS = {44: 42, 46: 42, 43: 41, 45: 41, 47: 41, 48: 41, 50: 41, 53: 51, 86: 87}
"""drums that are drawn alike because they are one instrument, or of one set"""
_HAND_HZ = {60: 420.0, 61: 300.0, 62: 260.0, 63: 240.0, 64: 180.0, 65: 380.0, 66: 260.0, 78: 500.0, 79: 380.0}
_WOOD_HZ = {75: 2400.0, 76: 1050.0, 77: 750.0, 85: 1700.0}
_BELL_HZ = {56: 560.0, 67: 900.0, 68: 640.0, 80: 3200.0, 81: 3200.0}
_LEVELS = {
    35: 1.0, 36: 1.0, 38: 0.8, 40: 0.8, 37: 0.5, 39: 0.7, 42: 0.3, 44: 0.25, 46: 0.35, 49: 0.5, 57: 0.5, 52: 0.5,
    55: 0.4, 51: 0.35, 59: 0.35, 53: 0.4, 54: 0.35, 69: 0.3, 70: 0.3, 82: 0.3, 86: 0.9, 87: 1.0,
    41: 0.8, 43: 0.8, 45: 0.8, 47: 0.75, 48: 0.75, 50: 0.75,
}  # fmt: skip
"""of a stroke at velocity 110; drums that are not named: 0.5"""
