"""Chords, scales and voice-leading: names of harmony to MIDI keys."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache

STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
ALTER = {"": 0, "#": 1, "b": -1}

QUALITIES = {
    "": (0, 4, 7), "m": (0, 3, 7), "5": (0, 7), "dim": (0, 3, 6), "aug": (0, 4, 8), "sus2": (0, 2, 7),
    "sus4": (0, 5, 7), "6": (0, 4, 7, 9), "m6": (0, 3, 7, 9), "7": (0, 4, 7, 10), "maj7": (0, 4, 7, 11),
    "m7": (0, 3, 7, 10), "m7b5": (0, 3, 6, 10), "dim7": (0, 3, 6, 9), "7sus4": (0, 5, 7, 10), "add9": (0, 4, 7, 14),
    "madd9": (0, 3, 7, 14), "9": (0, 4, 7, 10, 14), "maj9": (0, 4, 7, 11, 14), "m9": (0, 3, 7, 10, 14),
    "69": (0, 4, 7, 9, 14),
    "m69": (0, 3, 7, 9, 14), "9sus4": (0, 5, 7, 10, 14), "m11": (0, 3, 7, 10, 14, 17), "13": (0, 4, 10, 14, 21),
    "7b9": (0, 4, 7, 10, 13), "7#9": (0, 4, 7, 10, 15), "7alt": (0, 4, 10, 15, 20), "maj7#11": (0, 4, 7, 11, 18),
    "mmaj7": (0, 3, 7, 11),
}  # fmt: skip

SCALES = {
    "major": (0, 2, 4, 5, 7, 9, 11), "minor": (0, 2, 3, 5, 7, 8, 10), "dorian": (0, 2, 3, 5, 7, 9, 10),
    "mixolydian": (0, 2, 4, 5, 7, 9, 10), "lydian": (0, 2, 4, 6, 7, 9, 11), "harmonic": (0, 2, 3, 5, 7, 8, 11),
    "pentatonic": (0, 2, 4, 7, 9), "blues": (0, 3, 5, 6, 7, 10),
}  # fmt: skip

_CHORD = re.compile(r"([A-G])([#b]?)([^/]*)(?:/([A-G])([#b]?))?$")
_KEY = re.compile(r"([A-G])([#b]?)(-?\d)$")


@cache
def key(name: str) -> int:
    """The MIDI key of a note name: C4 is 60."""
    match = _KEY.match(name)
    if match is None:
        raise ValueError(f"{name!r} is not a note such as C4, F#3 or Bb5")
    letter, alter, octave = match.groups()
    return STEPS[letter] + ALTER[alter] + 12 * (int(octave) + 1)


@cache
def chord(name: str) -> tuple[int, ...]:
    """Semitones of a chord above C, from its root up: `chord("Am7")` is (9, 12, 16, 19)."""
    match = _CHORD.match(name)
    if match is None or match[3] not in QUALITIES:
        raise ValueError(f"{name!r} is not a chord this recipe knows")
    root = STEPS[match[1]] + ALTER[match[2]]
    return tuple(root + step for step in QUALITIES[match[3]])


@cache
def bass_class(name: str) -> int:
    """Pitch class of the lowest note of a chord: the root, or what follows the slash."""
    match = _CHORD.match(name)
    if match is None:
        raise ValueError(f"{name!r} is not a chord")
    letter, alter = (match[4], match[5]) if match[4] else (match[1], match[2])
    return (STEPS[letter] + ALTER[alter]) % 12


def near(pitch_class: int, centre: int) -> int:
    """The key of a pitch class that lies closest to `centre`, the lower of two equally close ones."""
    return centre - 6 + (pitch_class - (centre - 6)) % 12


def bass_line_root(name: str, low: int = 28) -> int:
    """The key of a chord's bass note in the octave that starts at `low` (28: the E of a bass guitar)."""
    return low + (bass_class(name) - low) % 12


def voicing(name: str, previous: Sequence[int], voices: int, low: int, high: int, rootless: bool = False) -> list[int]:
    """Keys for a chord that move least from the previous voicing, between `low` and `high`.

    Every chord tone is used before one is doubled; with fewer voices than tones the fifth goes first, then the root
    (the bass has it). Neighbours at the same place are refused, and so are gaps above a tenth.
    """
    tones = [step % 12 for step in chord(name)]
    if rootless and len(tones) > 3:
        tones = tones[1:]
    if len(tones) > voices:
        tones = [tone for tone in tones if (tone - chord(name)[0]) % 12 not in (7,)] or tones
    if len(tones) > voices:
        tones = tones[1:]
    tones = tones[-voices:] if len(tones) > voices else tones
    best: tuple[float, list[int]] | None = None
    third = (chord(name)[0] + (chord(name)[1] - chord(name)[0])) % 12
    doublings = itertools.combinations_with_replacement(tones, voices - len(tones))
    orders = {
        order: doubled.count(third) for doubled in doublings for order in itertools.permutations((*tones, *doubled))
    }
    for order, thirds in orders.items():
        for base in range(low, high + 1):
            if base % 12 != order[0]:
                continue
            keys = [base]
            for tone in order[1:]:
                keys.append(keys[-1] + 1 + (tone - keys[-1] - 1) % 12)
            if keys[-1] > high or any(b - a > 16 for a, b in itertools.pairwise(keys)):
                continue
            narrow = sum(2.0 for a, b in itertools.pairwise(keys) if b - a == 1)
            middle = abs(sum(keys) / voices - (low + high) / 2)
            moved = sum(abs(a - b) for a, b in zip(keys, previous, strict=True)) if len(previous) == voices else 0.0
            cost = moved + narrow + 2.5 * thirds + 0.35 * middle
            if best is None or (cost, keys) < best:
                best = (cost, keys)
    if best is None or (cost, keys) < best:
        best = (cost, keys)
    if best is None:
        raise ValueError(f"{name} with {voices} voices does not fit between {low} and {high}")
    return best[1]


def voicings(
    names: Sequence[str], voices: int = 4, low: int = 52, high: int = 76, rootless: bool = False
) -> list[list[int]]:
    """A voicing for each chord in turn, led with the least movement."""
    result: list[list[int]] = []
    for name in names:
        result.append(voicing(name, result[-1] if result else (), voices, low, high, rootless))
    return result


def scale_keys(tonic: str, mode: str, low: int, high: int) -> list[int]:
    """All keys of a scale between two keys, for runs and diatonic thirds."""
    root = STEPS[tonic[0]] + ALTER[tonic[1:]]
    classes = {(root + step) % 12 for step in SCALES[mode]}
    return [pitch for pitch in range(low, high + 1) if pitch % 12 in classes]
