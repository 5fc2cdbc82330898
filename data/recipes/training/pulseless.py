"""Pieces in which nothing can be tapped: the network must stay silent on them, and the tracker doubtful.

Notes at free times, textures, single long tones, accelerating and slowing gestures without a metre.
"""

from __future__ import annotations

import numpy as np

from data.recipes.training.composition import ComposedNote, ComposedPart, Score, Style

_SCALE = (0, 2, 3, 5, 7, 9, 10)


def free_notes(rng: np.random.Generator) -> Score:
    """Single notes and small chords at times that keep no measure."""
    notes: list[ComposedNote] = []
    at = 0.0
    root = int(rng.integers(40, 60))
    while at < 100:
        for _ in range(int(rng.integers(1, 4))):
            pitch = root + 12 * int(rng.integers(0, 3)) + int(rng.choice(_SCALE))
            notes.append(ComposedNote(at, float(rng.uniform(1, 8)), pitch, int(rng.integers(40, 100))))
        at += float(rng.lognormal(0.5, 0.7))
    return _score([ComposedPart("chords", int(rng.choice([0, 11, 46, 88, 98])), notes)], rng)


def drones(rng: np.random.Generator) -> Score:
    """Layers of long tones that come and go."""
    parts = []
    for program in rng.choice([48, 50, 52, 88, 89, 91, 92, 94, 95], int(rng.integers(2, 5)), replace=False):
        notes: list[ComposedNote] = []
        at = float(rng.uniform(0, 8))
        while at < 100:
            held = float(rng.uniform(6, 20))
            notes.append(ComposedNote(at, held, int(rng.integers(36, 76)), int(rng.integers(40, 90))))
            at += float(rng.uniform(3, 14))
        parts.append(ComposedPart("pad", int(program), notes))
    return _score(parts, rng)


def gestures(rng: np.random.Generator) -> Score:
    """Runs that speed up or slow down, with silence between, on percussion or a pitched instrument."""
    notes: list[ComposedNote] = []
    at = 0.0
    drums = rng.random() < 0.5
    while at < 100:
        gap, change = float(rng.uniform(0.08, 0.9)), float(rng.choice([0.8, 0.87, 1.12, 1.2]))
        pitch = int(rng.choice([38, 41, 45, 76, 77])) if drums else int(rng.integers(50, 80))
        for k in range(int(rng.integers(4, 16))):
            notes.append(ComposedNote(at, 0.3, pitch if drums else pitch + k % 5, int(rng.integers(50, 115))))
            at += gap
            gap = float(np.clip(gap * change, 0.06, 2.0))
        at += float(rng.uniform(0.5, 5))
    program = 0 if drums else int(rng.choice([0, 12, 45, 73]))
    return _score([ComposedPart("drums" if drums else "melody", program, notes)], rng)


def clatter(rng: np.random.Generator) -> Score:
    """Percussion struck at random, densely or not."""
    density = float(rng.uniform(0.5, 6))
    times = np.sort(rng.uniform(0, 100, round(100 * density)))
    drums = rng.choice(np.arange(35, 82), int(rng.integers(2, 9)), replace=False)
    notes = [ComposedNote(float(t), 0.2, int(rng.choice(drums)), int(rng.integers(30, 120))) for t in times]
    return _score([ComposedPart("drums", 0, notes)], rng)


def _score(parts: list[ComposedPart], rng: np.random.Generator) -> Score:
    """A score whose beats are the unit of writing only."""
    return Score("pulseless", float(rng.uniform(70, 140)), [4] * 25, 2, parts, rubato=0.1)


PULSELESS: dict[str, Style] = {piece.__name__: piece for piece in (free_notes, drones, gestures, clatter)}
"""Composing functions by name; their beats mean nothing."""
