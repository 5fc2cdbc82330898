"""Practice pieces without a style: bare clicks, drum loops with chords, and sound that has no pulse.

Each function yields what `generate.write` writes: name, kind, samples, beats, positions, beats in a bar, tempo.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from midi import FONTS, RATE, Note, play
from numpy.typing import NDArray

Sound = NDArray[np.float64]
Plain = tuple[str, str, Sound, list[float], list[int], int, float]

LOOPS: dict[int, tuple[tuple[float, float], int, tuple[dict[str, tuple[float, ...]], ...]]] = {
    4: (
        (68, 172),
        2,
        (
            {"kick": (0, 2), "snare": (1, 3), "hat": (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5)},
            {"kick": (0, 1.5, 2.5), "snare": (1, 3), "hat": (0, 1, 2, 3)},
            {"kick": (0, 1, 2, 3), "hat": (0.5, 1.5, 2.5, 3.5)},
            {"kick": (0,), "snare": (2,), "hat": (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5)},
            {"hat": (0, 1, 2, 3)},
            {"kick": (0, 0.75, 2.5), "snare": (1, 3), "hat": tuple(k / 4 for k in range(16))},
            {"kick": (0, 2), "snare": (1, 3), "hat": (0, 2 / 3, 1, 5 / 3, 2, 8 / 3, 3, 11 / 3)},
        ),
    ),
    3: (
        (85, 180),
        2,
        (
            {"kick": (0,), "hat": (1, 2)},
            {"kick": (0,), "snare": (2,), "hat": (0, 0.5, 1, 1.5, 2, 2.5)},
            {"kick": (0,), "snare": (1, 2)},
            {"hat": (0, 1, 2)},
        ),
    ),
    2: (
        (48, 84),
        3,
        (
            {"kick": (0,), "snare": (1,), "hat": tuple(k / 3 for k in range(6))},
            {"kick": (0,), "hat": tuple(k / 3 for k in range(6))},
            {"kick": (0, 5 / 3), "snare": (1,), "hat": (0, 2 / 3, 1, 5 / 3)},
        ),
    ),
}
"""by beats in a bar: range of tempo, pieces a loop, and the loops, as places in beats from the bar's first"""

ROOTS = (45, 41, 48, 43)
"""MIDI numbers of the roots that the loops go round"""
PADS = (48, 49, 50, 52, 88, 89, 91, 92, 94, 95, 16, 19)
"""General MIDI programs that hold a note"""


def clicks() -> Iterator[Plain]:
    """One drum a beat; nothing tells the bar, so every beat is its own."""
    rng = np.random.default_rng(77)
    for k in range(14):
        bpm = float(rng.uniform(62, 185))
        beats = np.arange(rng.uniform(0, 1), 35, 60 / bpm)
        sound = 1e-4 * rng.normal(size=37 * RATE) * (k % 2)
        for beat in beats:
            _put(sound, beat, _drum(("kick", "snare", "hat")[k % 3]))
        yield f"click{k}", "click", sound, beats.tolist(), [1] * beats.size, 4, bpm


def bands() -> Iterator[Plain]:
    """A drum loop, a bass and a chord a bar; some begin inside a bar, some change their tempo halfway."""
    rng = np.random.default_rng(78)
    for metre, (tempi, repeats, loops) in LOOPS.items():
        for k, loop in enumerate(loops * repeats):
            bpm = float(rng.uniform(*tempi))
            first = int(rng.integers(1, metre + 1)) if rng.random() < 0.3 else 1
            beats = rng.uniform(0, 1.5) + np.arange(0, rng.uniform(30, 50), 60 / bpm)
            if rng.random() < 0.25:
                half = beats.size // 2
                period = 60 / bpm * float(rng.choice([0.85, 1.1, 1.15]))
                beats = np.concatenate((beats[:half], beats[half] + np.arange(beats.size - half) * period))
            positions = (np.arange(beats.size) + first - 1) % metre + 1
            yield (
                f"band{metre}_{k}",
                "band",
                _band(beats, positions, loop),
                beats.tolist(),
                positions.tolist(),
                metre,
                bpm,
            )


def without_pulse() -> Iterator[Plain]:
    """Drones, a pianist who follows no beat, and wind."""
    rng = np.random.default_rng(5)
    for k in range(6):
        notes = [note for voice in range(4) for note in _drone(voice, rng)]
        programs = {voice: int(rng.choice(PADS)) for voice in range(4)}
        yield _nothing(f"drone{k}", play(notes, programs, FONTS[0]))
    for k in range(8):
        notes = list(_rubato(rng))
        yield _nothing(f"rubato{k}", play(notes, {0: int(rng.choice([0, 0, 0, 46, 24, 73]))}, FONTS[0]))
    for k in range(3):
        from scipy.signal import lfilter

        noise = lfilter([1.0], [1.0, -0.97], rng.normal(size=60 * RATE))
        gusts = 1 + 0.6 * np.sin(2 * np.pi * np.arange(noise.size) / RATE / rng.uniform(5, 13))
        yield _nothing(f"wind{k}", noise * gusts)


def _nothing(name: str, sound: NDArray[np.floating]) -> Plain:
    return name, "no_pulse", np.asarray(sound, dtype=np.float64), [], [], 0, 0.0


def _drone(voice: int, rng: np.random.Generator) -> Iterator[Note]:
    time = float(rng.uniform(0, 3))
    while time < 70:
        seconds = float(rng.uniform(6, 16))
        pitch = int(rng.choice([36, 43, 48, 55, 60, 64, 67, 72]))
        yield Note(time, 1.1 * seconds, voice, pitch, float(rng.uniform(50, 80)))
        time += seconds * float(rng.uniform(0.7, 1))


def _rubato(rng: np.random.Generator) -> Iterator[Note]:
    """Notes whose distances swell, scatter and come to fermatas."""
    time, usual, root = 0.5, float(rng.uniform(0.5, 1.0)), int(rng.integers(0, 12))
    k = 0
    while time < 75:
        swell = np.exp(0.35 * np.sin(k * rng.uniform(0.3, 0.6)) + rng.normal() * 0.22)
        gap = usual * float(swell) * float(rng.choice([0.5, 0.5, 1, 1, 1.5, 2]))
        if rng.random() < 0.08:
            gap += float(rng.uniform(0.5, 2.0))
        for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
            pitch = root + int(rng.choice([36, 43, 48, 52, 55, 60, 62, 64, 67, 69, 72, 76]))
            yield Note(time + float(rng.uniform(0, 0.05)), 1.5 * gap, 0, pitch, float(rng.uniform(40, 95)))
        time += gap
        k += 1


def _band(beats: Sound, positions: NDArray[np.integer], loop: dict[str, tuple[float, ...]]) -> Sound:
    sound = 1e-4 * np.random.default_rng(3).normal(size=round((beats[-1] + 1.5) * RATE))
    places = np.arange(beats.size)
    for bar, k in enumerate(np.flatnonzero(positions == 1)):
        for name, offsets in loop.items():
            for offset in offsets:
                if k + offset <= places[-1]:
                    _put(sound, float(np.interp(k + offset, places, beats)), _drum(name))
        seconds = float(beats[min(k + positions.max(), beats.size - 1)] - beats[k]) or 1.0
        for interval in (-12, 0, 4 if bar % 4 else 3, 7):
            _put(sound, float(beats[k]), _tone(ROOTS[bar % 4] + interval, seconds))
    return sound


def _drum(name: str) -> Sound:
    t = np.arange(round(0.12 * RATE)) / RATE
    noise = np.random.default_rng(7).normal(size=t.size)
    if name == "kick":
        return 0.5 * np.sin(2 * np.pi * 60 * t) * np.exp(-t / 0.05)
    if name == "snare":
        return 0.3 * (0.5 * noise + np.sin(2 * np.pi * 190 * t)) * np.exp(-t / 0.04)
    return 0.075 * np.diff(noise, append=0.0) * np.exp(-t / 0.01)


def _tone(midi: int, seconds: float) -> Sound:
    t = np.arange(round(seconds * RATE)) / RATE
    partials = [np.sin(2 * np.pi * k * 440 * 2 ** ((midi - 69) / 12) * t) / k for k in range(1, 5)]
    return 0.12 * np.sum(partials, axis=0) * np.exp(-t / 0.6) * np.minimum(t / 0.003, 1.0)


def _put(sound: Sound, at: float, what: Sound) -> None:
    start = round(at * RATE)
    end = min(start + what.size, sound.size)
    if start < end:
        sound[start:end] += what[: end - start]
