"""Invent a piece in a style: notes, and the beats they were placed by.

Randomness comes from one generator that is given, so that a seed is a piece. Tempo, swing, form, chords, melody,
loudness, looseness, pick-ups, a change of tempo in the middle and a ritardando at the end are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from midi import DRUM_CHANNEL, Note
from numpy.typing import NDArray
from styles import DRUMS, QUIET, Style

CHORDS, BASS, MELODY = 0, 1, 2
FORMS = (
    ("intro", "A", "A2", "B", "A", "B", "outro"),
    ("A", "B", "A", "C", "B", "B"),
    ("intro", "A", "B", "br", "B", "outro"),
    ("A", "A2", "B", "C", "A", "outro"),
)
MAJOR, MINOR = (0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10)
FILL = (38, 48, 45, 41)
HALF_TIME = {"K": "x.........x.....", "S": "........x......."}
CRASH = 49


@dataclass(frozen=True)
class Piece:
    """Notes and truth; times in seconds."""

    notes: list[Note]
    programs: dict[int, int]
    """General MIDI programs by channel"""
    beats: list[float]
    positions: list[int]
    """of each beat in its bar, from 1"""
    beats_per_bar: int
    bpm: float


@dataclass(frozen=True)
class Bar:
    """One bar of the form."""

    section: str
    number_of_section: int
    place: int
    """in the section, from 0"""
    beats: NDArray[np.float64]
    """shape (beats_per_bar + 1,), to the next bar's first"""


@dataclass(frozen=True)
class Material:
    """What the sections of one piece are made of, by section."""

    chords: dict[str, list[int]]
    """degrees of the scale"""
    bars_per_chord: float
    rows: dict[str, dict[str, int]]
    """by part: which of the style's rows is played"""
    layers: dict[str, str]
    """c chords, d drums, b bass, m melody; sections without an entry have them all, A the melody every other time"""
    motifs: dict[str, list[tuple[int, int]]]
    """steps and degrees of the melody"""
    root: int
    scale: tuple[int, ...]


def compose(style: Style, rng: np.random.Generator) -> Piece:
    """A piece in the style."""
    bpm = rng.uniform(*style.bpm)
    if rng.random() < 0.6:
        bpm = round(bpm)
    changes, slows = rng.random() < 0.12, rng.random() < 0.15
    lead_in = float(rng.choice([0.0, 0.0, 0.05, 0.4, 1.3]))
    form, unit = _form(style, bpm, rng)
    looseness = float(rng.choice([0, 0, 0.003, 0.006]))
    late = 0.5 + (rng.uniform(*style.swing) if style.swing else 0.0)
    material = _material(style, form, rng)

    notes: list[Note] = []
    beats: list[float] = []
    positions: list[int] = []
    time = lead_in
    for position in _pickup(style, rng):
        beats.append(time)
        positions.append(position)
        notes += _pickup_notes(style, material, time, 30 / bpm, rng)
        time += 60 / bpm
    if style.upbeats and not beats:
        step = 60 / bpm * style.beats / style.steps
        length = int(rng.choice(style.upbeats))
        for place in range(0, length, 2):
            pitch = material.root + 60 + material.scale[int(rng.integers(7))]
            notes.append(Note(time + place * step, 1.8 * step, MELODY, pitch, 84))
        time += length * step
    bars, time = _bars(style, form, unit, bpm, time, changes, slows, rng)
    for bar in bars:
        beats += [float(beat) for beat in bar.beats[:-1]]
        positions += range(1, style.beats + 1)
        notes += _bar_notes(style, material, bar, unit, late, looseness, rng)
    beats.append(time)
    positions.append(1)
    notes += [Note(time, 2.5, CHORDS, material.root + octave, 80) for octave in (36, 48, 55, 60)]
    programs = dict(zip((CHORDS, BASS, MELODY), style.programs, strict=True))
    return Piece(notes, programs, beats, positions, style.beats, float(bpm))


def _form(style: Style, bpm: float, rng: np.random.Generator) -> tuple[list[str], int]:
    """Sections, and how many bars each has."""
    form = list(FORMS[rng.integers(len(FORMS))])
    unit = int(rng.choice([4, 8, 8])) if style.beats > 2 else 8
    most, least, fewest = (45.0, 30.0, 2) if style.short else (rng.uniform(50, 100) * 1.3, 45.0, 4)
    bar = 60 / bpm * style.beats
    while unit * len(form) * bar > most and unit > fewest:
        unit //= 2
    while unit * len(form) * bar < least and len(form) < 14:
        form = form + form[-3:]
    return form, unit


def _material(style: Style, form: list[str], rng: np.random.Generator) -> Material:
    root = int(rng.integers(0, 12))
    scale = MINOR if rng.random() < 0.5 else MAJOR
    sections = list(dict.fromkeys(form))
    bars_per_chord = float(rng.choice([0.5, 1, 1, 1, 2]))
    changes = max(2, int(4 / bars_per_chord)) if bars_per_chord <= 1 else 4
    chords = {
        section: [int(rng.choice([0, 0, 3, 4, 5] if k == 0 else [0, 1, 3, 4, 5, 5, 3])) for k in range(changes)]
        for section in sections
    }
    parts = {"drums": style.drums, "bass": style.bass, "chords": style.chords}
    rows = {part: {section: int(rng.integers(len(has))) for section in sections} for part, has in parts.items()}
    layers = {
        "intro": str(rng.choice(["c", "cb", "d", "cd"])),
        "br": str(rng.choice(["c", "cm", "bm", "cb"])),
        "outro": str(rng.choice(["cdb", "c", "cb"])),
    }
    motifs = {
        section: [
            (2 * k if style.quick else 2 * int(rng.integers(0, style.steps // 2)), int(rng.integers(0, 8)))
            for k in range(int(rng.integers(3, 7)))
        ]
        for section in sections
    }
    return Material(chords, bars_per_chord, rows, layers, motifs, root, scale)


def _pickup(style: Style, rng: np.random.Generator) -> range:
    """Positions of the beats before the first bar; none, mostly."""
    length = int(rng.integers(1, style.beats)) if rng.random() < style.pickup else 0
    return range(style.beats - length + 1, style.beats + 1)


def _pickup_notes(
    style: Style, material: Material, time: float, half_beat: float, rng: np.random.Generator
) -> Iterator[Note]:
    for half in range(2):
        if rng.random() < 0.75:
            if style.drums[0] and rng.random() < 0.5:
                channel, pitch = DRUM_CHANNEL, (38, 48, 42)[int(rng.integers(3))]
            else:
                channel, pitch = MELODY, material.root + 60 + material.scale[int(rng.integers(7))]
            yield Note(time + half * half_beat, 0.2, channel, pitch, 88)


def _bars(
    style: Style,
    form: list[str],
    unit: int,
    bpm: float,
    time: float,
    changes: bool,
    slows: bool,
    rng: np.random.Generator,
) -> tuple[list[Bar], float]:
    """The bars, and when the last of them ends."""
    bars = []
    n_bars = unit * len(form)
    for k in range(n_bars):
        if changes and k == len(form) // 2 * unit:
            bpm *= float(rng.choice([0.8, 0.9, 1.1, 1.2]))
        times = [time]
        for beat in range(style.beats):
            beats_slowed = beat + (k - (n_bars - 2)) * style.beats
            slowing = 1 - 0.12 * beats_slowed / style.beats if slows and beats_slowed >= 0 else 1.0
            time += 60 / (bpm * slowing)
            times.append(time)
        bars.append(Bar(form[k // unit], k // unit, k % unit, np.array(times)))
    return bars, time


def _bar_notes(
    style: Style,
    material: Material,
    bar: Bar,
    unit: int,
    late: float,
    looseness: float,
    rng: np.random.Generator,
) -> list[Note]:
    """Everything that is played in one bar."""
    notes: list[Note] = []
    steps, per_beat = style.steps, style.steps // style.beats
    step_seconds = float(bar.beats[-1] - bar.beats[0]) / steps
    section = bar.section
    degrees = material.chords[section]

    def at(step: int) -> float:
        beat, place = divmod(step, per_beat)
        inside = place / per_beat
        if per_beat == 4 and place % 2:
            inside = (place // 2 + late) / 2
        return float(bar.beats[beat] + inside * (bar.beats[beat + 1] - bar.beats[beat]) + rng.normal() * looseness)

    def degree(step: int) -> int:
        if material.bars_per_chord < 1:
            per_bar = round(1 / material.bars_per_chord)
            return degrees[(bar.place * per_bar + step * per_bar // steps) % len(degrees)]
        return degrees[int(bar.place // material.bars_per_chord) % len(degrees)]

    def pitch(scale_degree: int) -> int:
        octave, place = divmod(scale_degree, 7)
        return material.root + material.scale[place] + 12 * octave

    def strokes(row: str) -> list[tuple[int, float]]:
        """Where the row has a stroke, and seconds to the next or to the end of the bar."""
        on = [k for k, letter in enumerate(row) if letter != "."]
        return [(k, (until - k) * step_seconds) for k, until in zip(on, [*on[1:], steps], strict=True)]

    usual = "cdb" + ("m" if bar.number_of_section % 2 else "") if section == "A" else "cdbm"
    layers = material.layers.get(section, usual)
    drums = style.drums[material.rows["drums"][section]]
    if "d" in layers and drums:
        fills = bar.place == unit - 1 and rng.random() < 0.6
        for drum, usual_row in drums.items():
            row = HALF_TIME.get(drum, usual_row) if style.half_time and section == "B" else usual_row
            for k, letter in enumerate(row):
                if letter == "." or (fills and k >= steps - per_beat and drum != "K"):
                    continue
                velocity = 100 if k % per_beat == 0 else 82
                velocity -= 35 * (letter == "g") + 18 * (drum in QUIET)
                notes.append(Note(at(k), 0.1, DRUM_CHANNEL, DRUMS[drum], velocity + rng.normal() * 6))
        if fills:
            notes += [
                Note(at(steps - per_beat + k), 0.1, DRUM_CHANNEL, FILL[4 * k // per_beat], 100)
                for k in range(per_beat)
                if rng.random() < 0.8
            ]
        if bar.place == 0 and rng.random() < 0.7:
            notes.append(Note(at(0), 1.0, DRUM_CHANNEL, CRASH, 105))
    if "b" in layers or style.bass_always:
        for n, (k, seconds) in enumerate(strokes(style.bass[material.rows["bass"][section]])):
            low = pitch(degree(k)) % 12 + 36
            if n and rng.random() < 0.2:
                low += int(rng.choice([7, 12, -5]))
            if n and style.walks:
                low += int(rng.choice([2, 4, 5, 7]))
            notes.append(Note(at(k), 0.9 * seconds, BASS, low, 92 + rng.normal() * 6))
    if "c" in layers:
        played = strokes(style.chords[material.rows["chords"][section]])
        for n, (k, seconds) in enumerate(played):
            root = degree(k)
            if k >= steps - 2 and n == len(played) - 1 and rng.random() < 1.5 * style.anticipates:
                root = degrees[(int(bar.place // material.bars_per_chord) + 1) % len(degrees)]
            triad = [pitch(root + third) + (48 if pitch(root + third) >= 2 else 60) for third in (0, 2, 4)]
            accent = 8 if k == 0 else 0
            if len(played) >= 6 and not style.block:
                note = triad[(0, 1, 2, 1)[n % 4]] + (12 if n % 8 > 3 else 0)
                notes.append(Note(at(k), 1.5 * seconds, CHORDS, note, 76 + accent + rng.normal() * 6))
            else:
                notes += [Note(at(k), 0.95 * seconds, CHORDS, p, 74 + accent + rng.normal() * 5) for p in triad]
    if "m" in layers:
        motif = dict(material.motifs[section])
        row = "".join("x" if k in motif else "." for k in range(steps))
        for n, (k, seconds) in enumerate(strokes(row)):
            if bar.place % 4 == 3 and n > 1:
                break
            note = pitch(motif[k] + bar.place % 2) + 60
            notes.append(Note(at(k), 0.9 * seconds, MELODY, note, 84 + rng.normal() * 8))
    return notes
