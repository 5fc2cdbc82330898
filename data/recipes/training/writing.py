"""How pieces are written: chords, sections, and what each player does in them.

Patterns are rows of text. Bars are parted by `|`, every bar is divided evenly by its characters (spaces count for
nothing), so that `X... x...` is a bar of eighths and `X..x..x. ....x...` one of sixteenths. A row shorter than its
section repeats; a bar shorter than usual takes the beginning of its row.

drums    X accent, x stroke, o light, g ghost note, anything else a rest
bass     1 root, 2 to 7 tones above it, 8 octave, g dead note, a approach to the next root, + the next root already now,
         - hold, . rest
chords   X accent, x stroke, o light, g short and dull, + the next chord already now, - hold, . rest
figures  0 to 9 the keys of a voicing from the lowest, beyond its size an octave up, - hold, . rest

Chords are Roman numerals counted in the major scale whatever the mode: a minor key goes `i bVI bIII bVII`. Bars are
parted by `|`, chords in a bar share its beats evenly, `.` carries on, `%` repeats the bar before. A secondary dominant
is `V7/ii`, a chord over another tone of its own `I/3`, `V/5`.

A `SongDraft` lays sections out and holds the players; its methods write one section of one player each.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from data.recipes.training.composition import ComposedNote, ComposedPart, Role, Score, TempoChange
from data.recipes.training.tonality import PieceKey, read_numeral

Rng = np.random.Generator
T = TypeVar("T")

DRUMS = {
    "kick": 36, "snare": 38, "stick": 37, "clap": 39, "hat": 42, "open": 46, "pedal": 44, "ride": 51, "bell": 53,
    "crash": 49, "crash2": 57, "china": 52, "splash": 55, "tom1": 50, "tom2": 47, "tom3": 43, "tamb": 54,
    "cowbell": 56, "maracas": 70, "cabasa": 69, "slap": 62, "conga": 63, "tumba": 64, "bongo1": 60, "bongo2": 61,
    "timbale1": 65, "timbale2": 66, "agogo1": 67, "agogo2": 68, "claves": 75, "block1": 76, "block2": 77,
    "guiro": 73, "guiro_long": 74, "cuica1": 78, "cuica2": 79, "triangle": 80, "triangle_open": 81, "surdo": 41,
    "kick2": 35, "snare2": 40,
}  # fmt: skip
"""General MIDI drums by the names used in rows"""

STROKES = {"X": 114, "x": 96, "o": 74, "g": 42, "+": 108}
"""velocities of the signs of drum and chord rows"""

_QUALITIES = {
    "": (0, 4, 7), "7": (0, 4, 7, 10), "maj7": (0, 4, 7, 11), "6": (0, 4, 7, 9), "9": (0, 4, 7, 10, 14),
    "maj9": (0, 4, 7, 11, 14), "add9": (0, 4, 7, 14), "69": (0, 4, 7, 9, 14), "13": (0, 4, 10, 14, 21),
    "sus4": (0, 5, 7), "sus2": (0, 2, 7), "7sus4": (0, 5, 7, 10), "9sus4": (0, 5, 7, 10, 14), "5": (0, 7),
    "aug": (0, 4, 8), "7b9": (0, 4, 7, 10, 13), "7#9": (0, 4, 7, 10, 15), "maj7#11": (0, 4, 7, 11, 18),
}  # fmt: skip
_MINOR_QUALITIES = {
    "": (0, 3, 7), "7": (0, 3, 7, 10), "6": (0, 3, 7, 9), "9": (0, 3, 7, 10, 14), "add9": (0, 3, 7, 14),
    "11": (0, 3, 7, 10, 17), "maj7": (0, 3, 7, 11), "o": (0, 3, 6), "o7": (0, 3, 6, 9), "7b5": (0, 3, 6, 10),
    "5": (0, 7),
}  # fmt: skip


# --- harmony ---------------------------------------------------------------------------------------------------------


class Chord(NamedTuple):
    """A chord; `root` and `bass` as pitch classes, `tones` as semitones above the root."""

    root: int
    tones: tuple[int, ...]
    bass: int

    @property
    def classes(self) -> tuple[int, ...]:
        """Pitch classes, from the root."""
        return tuple((self.root + tone) % 12 for tone in self.tones)

    @property
    def third(self) -> int:
        """Semitones of the third, or of what stands in for it."""
        return self.tones[1] if len(self.tones) > 2 else 7

    @property
    def seventh(self) -> int:
        """Semitones of the seventh; where the chord has none, the small one."""
        return next((tone for tone in self.tones if tone in (10, 11)), 10)


@cache
def numeral(text: str, tonic: int) -> Chord:
    """The chord of a Roman numeral over a tonic.

    Raises
    ------
    ValueError : the text is no numeral, or its quality is not known
    """
    read = read_numeral(text)
    root, under = tonic + read.root, read.under
    table = _MINOR_QUALITIES if read.minor else _QUALITIES
    if read.quality not in table:
        kind = "minor" if read.minor else "major"
        raise ValueError(f"{text!r}: {read.quality!r} is not a quality of a {kind} chord")
    tones = table[read.quality]
    if under and not under.isdigit():
        root = root + (numeral(under, tonic).root - tonic)
        under = ""
    bass = root
    if under:
        bass = root + {"3": tones[1], "5": 7, "7": tones[-1], "2": 2, "4": 5}[under]
    return Chord(root % 12, tones, bass % 12)


class ChordSpan(NamedTuple):
    """A chord and where it sounds, in beats."""

    at: float
    beats: float
    chord: Chord


class Harmony:
    """The chords of a piece in time."""

    def __init__(self, spans: Sequence[ChordSpan]) -> None:
        self.spans = list(spans)
        self._starts = [span.at for span in self.spans]

    def _index(self, beat: float) -> int:
        return max(bisect_right(self._starts, beat + 1e-6) - 1, 0)

    def at(self, beat: float) -> Chord:
        """The chord that sounds at a beat."""
        return self.spans[self._index(beat)].chord

    def after(self, beat: float) -> Chord:
        """The chord that follows the one sounding at a beat, the last one itself."""
        return self.spans[min(self._index(beat) + 1, len(self.spans) - 1)].chord


class Bar(NamedTuple):
    """A bar: its downbeat and its length, in beats."""

    at: float
    beats: int


def chord_spans(progression: str, bars: Sequence[Bar], tonic: int) -> list[ChordSpan]:
    """The chords of a progression over bars; a progression shorter than the bars repeats."""
    written = [bar.split() for bar in progression.split("|")]
    spans: list[ChordSpan] = []
    for number, bar in enumerate(bars):
        tokens = written[number % len(written)]
        back = number
        while tokens == ["%"] and back > 0:
            back -= 1
            tokens = written[back % len(written)]
        for place, token in enumerate(tokens):
            at = bar.at + round(bar.beats * place / len(tokens))
            until = bar.at + round(bar.beats * (place + 1) / len(tokens))
            if token == ".":
                spans[-1] = spans[-1]._replace(beats=spans[-1].beats + until - at)
            elif until > at:
                spans.append(ChordSpan(at, until - at, numeral(token, tonic)))
    return spans


_FUNCTIONS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "major": {
        "T": ("I", "I", "vi", "I/3"), "S": ("IV", "ii", "ii7", "IV", "ii/3"), "D": ("V", "V7", "V", "viio", "V7/3"),
        "X": ("V7/ii", "V7/vi", "V7/IV", "V7/V"),
    },
    "minor": {
        "T": ("i", "i", "bVI", "i/3"), "S": ("iv", "ii7b5", "iv/3", "iv7"), "D": ("V", "V7", "V7", "viio7"),
        "X": ("V7/iv", "V7/bVI", "bVII", "bIII"),
    },
}  # fmt: skip


def functional(
    rng: Rng, bars: int, minor: bool, cadence: Literal["full", "half", "deceptive"] = "full", chords_a_bar: float = 1.0
) -> str:
    """A progression of tonic, subdominant and dominant that ends in a cadence, for any number of bars from 2.

    `chords_a_bar` is the harmonic rhythm; it doubles at will before the cadence.
    """
    bank = _FUNCTIONS["minor" if minor else "major"]
    tonic = "i" if minor else "I"
    follows = {"T": "TSSXD", "S": "DDSTD", "D": "TTTT", "X": "TSTS"}
    now = "T"
    text: list[str] = [tonic]
    for _ in range(bars - 3):
        if rng.random() > chords_a_bar:
            text.append("%")
            continue
        chords = []
        for _ in range(2 if rng.random() < chords_a_bar - 0.75 else 1):
            now = pick(rng, tuple(follows[now]))
            chords.append(pick(rng, bank[now]))
        text.append(" ".join(chords))
    if bars > 2:
        text.append(pick(rng, bank["S"]))
    if cadence == "half":
        text[-1] = f"{pick(rng, (tonic, pick(rng, bank['S'])))}"
        text.append("V")
    else:
        if bars > 2:
            text[-1] = f"{pick(rng, bank['S'])} {pick(rng, ('V', 'V7'))}"
        text.append(tonic if cadence == "full" else ("bVI" if minor else "vi"))
    return " | ".join(text[-bars:])


def voice(chord: Chord, previous: Sequence[int], low: int, high: int, voices: int = 4) -> list[int]:
    """Keys of a chord between `low` and `high` that move least from the keys before; the bass is another player's."""
    tones = [tone % 12 for tone in chord.tones]
    if len(tones) > voices and 7 in tones:
        tones.remove(7)
    tones = tones[-voices:] if len(tones) > voices else tones
    classes = sorted({(chord.root + tone) % 12 for tone in tones})
    aim = sum(previous) / len(previous) if previous else (low + high) / 2
    best: tuple[float, list[int]] = (1e9, [])
    for first in classes:
        for base in range(low + (first - low) % 12, high + 1, 12):
            keys = [base]
            order = classes.index(first)
            while len(keys) < voices:
                order += 1
                pitch_class = classes[order % len(classes)]
                keys.append(keys[-1] + 1 + (pitch_class - keys[-1] - 1) % 12)
            while len(keys) > 2 and keys[-1] > high:
                keys.pop()
            cost = abs(sum(keys) / len(keys) - aim) + 3.0 * (voices - len(keys))
            if cost < best[0]:
                best = (cost, keys)
    return best[1]


def power(chord: Chord, low: int = 40) -> list[int]:
    """Root, fifth and octave, as a distorted guitar plays a chord, the root in the octave from `low`."""
    root = low + (chord.root - low) % 12
    return [root, root + (6 if 6 in chord.tones and 7 not in chord.tones else 7), root + 12]


def spread(keys: Sequence[int]) -> list[int]:
    """A close voicing with its second voice from the top an octave lower."""
    if len(keys) < 3:
        return list(keys)
    return sorted([*keys[:-2], keys[-2] - 12, keys[-1]])


# --- choices ---------------------------------------------------------------------------------------------------------


def pick(rng: Rng, options: Sequence[T], weights: Sequence[float] | None = None) -> T:
    """One of the options."""
    if weights is None:
        return options[int(rng.integers(len(options)))]
    share = np.cumsum(weights)
    return options[min(int(np.searchsorted(share, rng.random() * share[-1], side="right")), len(options) - 1)]


def chance(rng: Rng, share: float) -> bool:
    """True in this share of the draws."""
    return bool(rng.random() < share)


def draw_key(rng: Rng, modes: Sequence[str] = ("major",), weights: Sequence[float] | None = None) -> PieceKey:
    """A key in one of the modes."""
    return PieceKey(int(rng.integers(12)), pick(rng, modes, weights))


def draw_bpm(rng: Rng, low: float, high: float) -> float:
    """A tempo of a range, log-uniform; often a whole number, as a session in a sequencer has."""
    bpm = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    return float(round(bpm)) if chance(rng, 0.6) else bpm


# --- form ------------------------------------------------------------------------------------------------------------


@dataclass
class WrittenSection:
    """A stretch of whole bars in which the players keep to what they do."""

    kind: str
    """verse, chorus, … or a style's own word"""
    bars: list[Bar]
    energy: float
    """0 hushed to 1 full"""
    turn: int
    """how many sections of this kind came before"""
    last: bool
    """whether nothing follows but, perhaps, a final chord"""
    metre: int
    """beats of the bar that rows are written for"""

    @property
    def at(self) -> float:
        """Its first downbeat."""
        return self.bars[0].at

    @property
    def end(self) -> float:
        """Where the next section begins."""
        return self.bars[-1].at + self.bars[-1].beats

    @property
    def beats(self) -> float:
        """Its length."""
        return self.end - self.at


ENERGY = {
    "intro": 0.4, "verse": 0.55, "pre": 0.65, "chorus": 0.9, "bridge": 0.6, "break": 0.25, "build": 0.6, "drop": 1.0,
    "solo": 0.8, "outro": 0.5, "end": 0.7, "a": 0.6, "b": 0.75, "c": 0.8, "theme": 0.8, "head": 0.7,
}  # fmt: skip


def form(rng: Rng, template: str, bar_seconds: float, low: float = 48.0, high: float = 92.0) -> list[tuple[str, int]]:
    """Sections and their bars from a template such as `intro4 verse8 chorus8 verse8 chorus8 bridge8 chorus8 outro4`.

    The form is cut where a drawn length between `low` and `high` seconds is reached, or carried on from its second
    section; an `outro` is kept. A section that would overshoot is cut to half.
    """
    written = [(match[1], int(match[2])) for match in re.finditer(r"([a-z]+)(\d+)", template)]
    outro = written.pop() if written[-1][0] == "outro" else None
    aim = rng.uniform(low, high) / bar_seconds - (outro[1] if outro else 0)
    room = high / bar_seconds - (outro[1] if outro else 0)
    drawn: list[tuple[str, int]] = []
    total, place = 0, 0
    while total < aim:
        kind, bars = written[place]
        while total + bars > room and bars > 1:
            bars //= 2
        drawn.append((kind, bars))
        total += bars
        place = place + 1 if place + 1 < len(written) else min(1, len(written) - 1)
    return [*drawn, outro] if outro else drawn


# --- rows ------------------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A sign of a row with its place and length, in beats."""

    at: float
    beats: float
    sign: str


def steps(row: str, bars: Sequence[Bar], metre: int) -> Iterator[Step]:
    """The signs of a row over bars without rests; a held sign has its whole length.

    `metre` is the number of beats for which each bar of the row is written.
    """
    written = ["".join(bar.split()) for bar in row.split("|")]
    pending: Step | None = None
    for number, bar in enumerate(bars):
        text = written[number % len(written)]
        step = metre / len(text)
        for place in range(round(bar.beats / step)):
            sign = text[place % len(text)]
            if sign == "-":
                if pending is not None:
                    pending = pending._replace(beats=pending.beats + step)
                continue
            if pending is not None:
                yield pending
            pending = None if sign == "." else Step(bar.at + place * step, step, sign)
    if pending is not None:
        yield pending


def drum_notes(rows: Mapping[str, str], bars: Sequence[Bar], metre: int, level: float = 1.0) -> list[ComposedNote]:
    """A pattern of several drums over bars; `level` scales the velocities."""
    notes = []
    for drum, row in rows.items():
        for step in steps(row, bars, metre):
            if step.sign in STROKES:
                velocity = int(np.clip(STROKES[step.sign] * level, 12, 127))
                notes.append(ComposedNote(step.at, min(step.beats, 0.25), DRUMS[drum], velocity))
    return notes


def vary_rows(rng: Rng, rows: Mapping[str, str], drums: Sequence[str], share: float) -> dict[str, str]:
    """Rows in which the weak strokes of some drums come and go: each step but those on beats changes with `share`.

    Only rests become ghost or light strokes and only plain strokes fall away, so that the pattern stays itself.
    """
    varied = dict(rows)
    for drum in drums:
        if drum not in rows:
            continue
        text = list("".join(rows[drum].split()))
        place = -1
        for index, sign in enumerate(text):
            place = -1 if sign == "|" else place + 1
            if place % 4 == 0 or rng.random() >= share:
                continue
            if sign == ".":
                text[index] = pick(rng, "go" if drum != "kick" else "oo")
            elif sign in "og":
                text[index] = "."
        varied[drum] = "".join(text)
    return varied


FILLS_2 = (
    {"snare": "xxxx"}, {"snare": "x.xx", "tom1": ".x.."}, {"tom1": "xx..", "tom2": "..x.", "tom3": "...x"},
    {"snare": "x...", "tom2": "..x."}, {"snare": "gxgX"}, {"tom1": "x...", "tom3": ".xxx"},
    {"snare": "x..x", "kick": ".xx."},
    {"snare": ".xxX"}, {"snare": "xx", "tom1": ".x"}, {"snare": "..X."}, {"kick": "x...", "snare": "..xx"},
)  # fmt: skip
"""fills of a beat in sixteenths; longer fills are strung together"""
FILLS_3 = (
    {"snare": "xxx"}, {"snare": "x.x"}, {"tom1": "x..", "tom2": ".x.", "tom3": "..x"}, {"snare": "x..", "tom3": ".xx"},
    {"snare": "gxX"}, {"kick": ".x.", "snare": "x.x"}, {"snare": "..X"}, {"tom1": "xx.", "tom3": "..x"},
)  # fmt: skip
"""fills of a beat in triplets"""


def fill_notes(rng: Rng, at: float, beats: float, division: int, level: float = 1.0) -> list[ComposedNote]:
    """A drum fill of whole beats that grows."""
    notes: list[ComposedNote] = []
    whole = max(round(beats), 1)
    words = FILLS_3 if division == 3 else FILLS_2
    word = pick(rng, words)
    for number in range(whole):
        if chance(rng, 0.6):
            word = pick(rng, words)
        grown = level * (0.85 + 0.2 * (number + 1) / whole)
        notes += drum_notes(word, [Bar(at + number, 1)], 1, grown)
    return notes


def roll_notes(drum: str, at: float, beats: float, first: int = 1, last: int = 4) -> list[ComposedNote]:
    """A build: strokes that double from `first` to `last` a beat and grow louder."""
    notes = []
    place, rate = 0.0, float(first)
    while place < beats - 1e-6:
        share = place / beats
        rate = first * 2.0 ** int(share * (np.log2(last / first) + 1))
        notes.append(ComposedNote(at + place, 1 / rate, DRUMS[drum], int(55 + 60 * share)))
        place += 1 / rate
    return notes


def bass_notes(
    row: str,
    bars: Sequence[Bar],
    metre: int,
    harmony: Harmony,
    low: int = 28,
    level: float = 1.0,
    short: float = 0.95,
    minor: bool = False,
) -> list[ComposedNote]:
    """A bass line; roots lie in the octave from `low`, notes last `short` of their written length."""
    notes = []
    for step in steps(row, bars, metre):
        chord = harmony.after(step.at) if step.sign == "+" else harmony.at(step.at)
        root = low + (chord.bass - low) % 12
        fifth = 6 if 6 in chord.tones and 7 not in chord.tones else 7
        above = {
            "1": 0, "+": 0, "g": 0, "3": chord.third, "4": 5, "5": fifth,
            "6": 9, "7": chord.seventh, "8": 12, "2": 2,
        }  # fmt: skip
        if step.sign == "a":
            aim = low + (harmony.after(step.at).bass - low) % 12
            pitch = aim + (-1 if aim > root or (aim == root and not minor) else (2 if minor else 1))
        else:
            pitch = root + above[step.sign]
            if pitch > low + 19:
                pitch -= 12
        strong = abs(step.at - bars[0].at) % metre < 1e-6
        velocity = 48 if step.sign == "g" else 100 if strong else 92
        length = step.beats * short if step.sign != "g" else min(step.beats, 0.2)
        notes.append(ComposedNote(step.at, length, max(pitch, 24), int(np.clip(velocity * level, 12, 127))))
    return notes


def melodic_steps(row: str, bars: Sequence[Bar], metre: int, harmony: Harmony) -> Iterator[tuple[Step, Chord]]:
    """The steps of a chord or figure row, each with the chord it sounds."""
    for step in steps(row, bars, metre):
        yield step, harmony.after(step.at) if step.sign == "+" else harmony.at(step.at)


# --- melody ----------------------------------------------------------------------------------------------------------


class Feel(NamedTuple):
    """The manner of a melody."""

    density: float = 1.2
    """notes a beat"""
    syncopation: float = 0.3
    """0 on the beats to 1 between them"""
    leap: float = 0.25
    """share of motions wider than a step"""
    grid: int = 2
    """finest notes a beat: 1, 2, 4, or 3 where beats divide by three"""


class MotifNote(NamedTuple):
    """A note of a motif: place and length in beats from the bar, scale steps from the motif's first note."""

    at: float
    beats: float
    steps: int


def draw_rhythm(rng: Rng, beats: int, feel: Feel, from_downbeat: float = 0.6) -> list[float]:
    """Places of notes in a bar, by metric weight: the stronger a place the likelier, less so with syncopation."""
    places = np.arange(beats * feel.grid) / feel.grid
    on_beat = np.isclose(places % 1, 0)
    half = np.isclose(places % 1, 0.5) | (feel.grid == 3) & np.isclose(places % 1, 2 / 3)
    weights = np.where(on_beat, 3.0 - 2.2 * feel.syncopation, np.where(half, 1.2 + 1.3 * feel.syncopation, 0.7))
    weights[0] *= 1.5
    count = int(np.clip(rng.poisson(feel.density * beats - 1) + 1, 1, len(places)))
    chosen = set(rng.choice(len(places), size=count, replace=False, p=weights / weights.sum()).tolist())
    if chance(rng, from_downbeat):
        chosen.add(0)
    return [float(places[index]) for index in sorted(chosen)]


def draw_motif(rng: Rng, beats: int, feel: Feel, from_downbeat: float = 0.6) -> list[MotifNote]:
    """A bar of melody: a rhythm and a contour that mostly steps and turns back after leaps."""
    places = draw_rhythm(rng, beats, feel, from_downbeat)
    motif = []
    height, trend = 0, pick(rng, (-1, 1))
    for number, place in enumerate(places):
        until = places[number + 1] if number + 1 < len(places) else beats
        length = min(until - place, pick(rng, (0.5, 1.0, 2.0, 4.0)) if until - place > 1 else until - place)
        motif.append(MotifNote(place, length, height))
        move = pick(rng, (0, 1, 1, 2)) if rng.random() >= feel.leap else pick(rng, (2, 3, 4, 5))
        height += trend * move
        if move > 2 or abs(height) > 4 or chance(rng, 0.3):
            trend = -trend
    return motif


class Tune:
    """A melody for sections that come again: a first phrase, an answer and a cadence from two motifs."""

    def __init__(self, rng: Rng, key: PieceKey, beats: int, feel: Feel, low: int, high: int) -> None:
        self.key, self.beats, self.feel, self.low, self.high = key, beats, feel, low, high
        self.first = draw_motif(rng, beats, feel, 0.7)
        self.second = draw_motif(rng, beats, feel, 0.4)
        self.third = draw_motif(rng, beats, feel, 0.4)
        self.plan = pick(rng, ("abac", "aabc", "abcc", "aaac", "abab", "a.bc", "a.a.", "ab.c"))
        self.start = int(rng.integers(-2, 4))
        self.pickup = chance(rng, 0.3)

    def notes(
        self, rng: Rng, bars: Sequence[Bar], harmony: Harmony, level: float = 1.0, vary: float = 0.15
    ) -> list[ComposedNote]:
        """The melody over bars; each note differs from the tune with a chance of `vary`."""
        scale = self.key.scale
        middle = (self.low + self.high) // 2
        centre = round((middle - self.key.tonic) / 12) * len(scale)
        notes: list[ComposedNote] = []
        for number, bar in enumerate(bars):
            letter = self.plan[number % 4]
            closing = number % 8 == 7 or number == len(bars) - 1
            if letter == "." and not closing:
                continue
            motif = {"a": self.first, "b": self.second, "c": self.third, ".": self.third}[letter]
            base = centre + self.start + (pick(rng, (0, 0, 1, -1, 2, -2)) if number >= 4 and chance(rng, vary) else 0)
            shift = {0: 0, 1: -1, 2: 1, 3: 0}[number % 4] if letter == "a" and number % 4 else 0
            if closing:
                notes += self._cadence(bar, motif, base, harmony, level)
                continue
            for note in motif:
                if note.at >= bar.beats or chance(rng, vary * 0.4):
                    continue
                step = base + note.steps + shift + (pick(rng, (-1, 1)) if chance(rng, vary * 0.5) else 0)
                strong = note.at % 1 < 1e-6 or note.beats >= 1
                pitch = self._pitch(step, harmony.at(bar.at + note.at), strong)
                velocity = int(np.clip((84 + 12 * (note.at % 1 < 1e-6) + rng.normal() * 4) * level, 20, 127))
                notes.append(ComposedNote(bar.at + note.at, note.beats * 0.93, pitch, velocity))
            if self.pickup and number % 4 == 3:
                notes += self._lead_in(bar, base, harmony, level)
        return notes

    def _cadence(
        self, bar: Bar, motif: Sequence[MotifNote], base: int, harmony: Harmony, level: float
    ) -> list[ComposedNote]:
        """The motif's first notes, a long chord tone and a rest to breathe."""
        kept = [note for note in motif if note.at < min(1.0, bar.beats / 3)]
        notes = []
        for note in kept:
            pitch = self._pitch(base + note.steps, harmony.at(bar.at + note.at), False)
            notes.append(ComposedNote(bar.at + note.at, min(note.beats, 1.0) * 0.9, pitch, int(84 * level)))
        at = bar.at + (1.0 if kept else 0.0)
        if at < bar.at + bar.beats - 0.5:
            notes = [note._replace(beats=min(note.beats, at - note.at)) for note in notes]
            notes.append(
                ComposedNote(at, max(bar.beats - 2.0, 0.5), self._pitch(base, harmony.at(at), True), int(90 * level))
            )
        return notes

    def _lead_in(self, bar: Bar, base: int, harmony: Harmony, level: float) -> list[ComposedNote]:
        """Notes into the next phrase."""
        grid = max(self.feel.grid if self.feel.grid != 4 else 2, 2)
        return [
            ComposedNote(bar.at + bar.beats - back / grid, 0.9 / grid,
                 self._pitch(base - back, harmony.at(bar.at + bar.beats - back / grid), False), int(80 * level))
            for back in (2, 1)
        ]  # fmt: skip

    def _pitch(self, step: int, chord: Chord, on_chord: bool) -> int:
        """The key of a scale step, moved to the nearest chord tone where the place is strong, within the range."""
        pitch = self.key.degree(step)
        if on_chord:
            pitch = min(range(pitch - 3, pitch + 4), key=lambda p: (p % 12 not in chord.classes, abs(p - pitch)))
        while pitch > self.high:
            pitch -= 12
        while pitch < self.low:
            pitch += 12
        return pitch


# --- the song --------------------------------------------------------------------------------------------------------


@dataclass
class SongDraft:
    """Sections, harmony and players of a piece being written.

    `metre` is what rows are written for. `harmony` maps the kind of a section to its progression, or to several, used
    in turn; a kind without one takes that of `""`.
    """

    rng: Rng
    style: str
    bpm: float
    key: PieceKey
    plan: Sequence[tuple[str, int]]
    progressions: Mapping[str, str | Sequence[str]]
    metre: int = 4
    division: Literal[2, 3] = 2
    bar_beats: Mapping[int, int] = field(default_factory=dict)
    """bars, by number from 0, that are shorter or longer than `metre`"""
    lift: int = 0
    """semitones by which the last chorus goes up"""
    sections: list[WrittenSection] = field(init=False)
    harmony: Harmony = field(init=False)
    parts: dict[str, ComposedPart] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.sections, spans = [], []
        turns: dict[str, int] = {}
        at, number = 0.0, 0
        last = max(place for place, (kind, _) in enumerate(self.plan) if kind != "end")
        choruses = [place for place, (kind, _) in enumerate(self.plan) if kind in ("chorus", "drop")]
        for place, (kind, count) in enumerate(self.plan):
            bars = []
            for _ in range(count):
                beats = self.bar_beats.get(number, self.metre)
                bars.append(Bar(at, beats))
                at += beats
                number += 1
            turn = turns.get(kind, 0)
            turns[kind] = turn + 1
            self.sections.append(WrittenSection(kind, bars, ENERGY.get(kind, 0.6), turn, place == last, self.metre))
            progression = self.progressions.get(kind, self.progressions.get("", "I"))
            if not isinstance(progression, str):
                progression = progression[turn % len(progression)]
            lifted = self.lift if len(choruses) > 1 and place >= choruses[-1] else 0
            spans += chord_spans(progression, bars, (self.key.tonic + lifted) % 12)
        self.harmony = Harmony(spans)
        self._voicings: dict[tuple[str, float], list[int]] = {}
        self._tunes: dict[tuple[str, str], Tune] = {}

    @property
    def bars(self) -> list[Bar]:
        """All bars."""
        return [bar for section in self.sections for bar in section.bars]

    def part(self, name: str, role: Role, program: int, late_ms: float = 0.0) -> ComposedPart:
        """The player of that name, hired at the first call."""
        if name not in self.parts:
            self.parts[name] = ComposedPart(role, program, [], late_ms)
        return self.parts[name]

    def voicing(self, name: str, at: float, chord: Chord, low: int, high: int, voices: int) -> list[int]:
        """The keys of a player's chord, led from those it played last."""
        part_keys = self._voicings.get((name, -1.0), [])
        keys = voice(chord, part_keys, low, high, voices)
        self._voicings[(name, -1.0)] = keys
        return keys

    def drums(
        self, section: WrittenSection, rows: Mapping[str, str], level: float = 1.0, bars: slice = slice(None)
    ) -> None:
        """A pattern over a section, or some of its bars, for the player `drums`, who must have been hired."""
        self.parts["drums"].notes += drum_notes(rows, section.bars[bars], section.metre, level)

    def clear(self, name: str, at: float, end: float) -> None:
        """Take out what a player has from `at` up to `end`, and end what sounds there."""
        part = self.parts[name]
        part.notes = [
            note._replace(beats=min(note.beats, at - note.at)) if note.at < at else note
            for note in part.notes
            if not at - 1e-6 <= note.at < end - 1e-6
        ]

    def fill(self, section: WrittenSection, beats: float | None = None, level: float = 1.0) -> None:
        """A drum fill over the last beats of a section instead of the pattern."""
        beats = float(pick(self.rng, (1, 2, 2, section.metre))) if beats is None else beats
        at = section.end - min(beats, section.bars[-1].beats)
        keep = [note for note in self.parts["drums"].notes if note.at >= at - 1e-6 and note.pitch in (36, 44)]
        self.clear("drums", at, section.end)
        if chance(self.rng, 0.5):
            self.parts["drums"].notes += keep
        self.parts["drums"].notes += fill_notes(self.rng, at, section.end - at, self.division, level)

    def crash(self, at: float, level: float = 1.0) -> None:
        """A crash with the kick."""
        velocity = int(np.clip(108 * level, 20, 127))
        self.parts["drums"].notes.append(
            ComposedNote(at, 1.0, DRUMS[pick(self.rng, ("crash", "crash", "crash2"))], velocity)
        )
        self.parts["drums"].notes.append(ComposedNote(at, 0.25, DRUMS["kick"], velocity))

    def bass(self, section: WrittenSection, row: str, low: int = 28, level: float = 1.0, short: float = 0.95) -> None:
        """A bass line for the player `bass`, who must have been hired."""
        self.parts["bass"].notes += bass_notes(
            row, section.bars, section.metre, self.harmony, low, level, short, self.key.minor
        )

    def chords(
        self, name: str, section: WrittenSection, row: str, low: int = 52, high: int = 76, voices: int = 4,
        level: float = 1.0, short: float = 0.95, shape: Literal["close", "spread", "power"] = "close",
    ) -> None:  # fmt: skip
        """Chords in the rhythm of a row."""
        notes = self.parts[name].notes
        for step, chord in melodic_steps(row, section.bars, section.metre, self.harmony):
            keys = power(chord, low) if shape == "power" else self.voicing(name, step.at, chord, low, high, voices)
            if shape == "spread":
                keys = spread(keys)
            length = min(step.beats, 0.2) if step.sign == "g" else step.beats * short
            velocity = int(np.clip(STROKES[step.sign] * 0.85 * level, 12, 127))
            notes += [ComposedNote(step.at, length, key, velocity) for key in keys]

    def pad(
        self, name: str, section: WrittenSection, low: int = 52, high: int = 76, voices: int = 4, level: float = 0.8
    ) -> None:
        """Chords held as long as they last."""
        notes = self.parts[name].notes
        for span in self.harmony.spans:
            if section.at - 1e-6 <= span.at < section.end - 1e-6:
                keys = self.voicing(name, span.at, span.chord, low, high, voices)
                notes += [ComposedNote(span.at, span.beats * 0.99, key, int(80 * level)) for key in keys]

    def figure(
        self, name: str, section: WrittenSection, row: str, low: int = 55, high: int = 79, voices: int = 4,
        level: float = 1.0, short: float = 0.95,
    ) -> None:  # fmt: skip
        """An arpeggio: keys of each chord's voicing in the order of a row."""
        notes = self.parts[name].notes
        held: tuple[Chord | None, list[int]] = (None, [])
        for step, chord in melodic_steps(row, section.bars, section.metre, self.harmony):
            if chord != held[0]:
                held = (chord, self.voicing(name, step.at, chord, low, high, voices))
            octave, place = divmod(int(step.sign), len(held[1]))
            velocity = int(np.clip((92 if step.at % 1 < 1e-6 else 80) * level, 12, 127))
            notes.append(ComposedNote(step.at, step.beats * short, min(held[1][place] + 12 * octave, 108), velocity))

    def riff(self, name: str, section: WrittenSection, row: str, low: int = 40, level: float = 1.0, short: float = 0.9,
             degrees: Mapping[str, int] | None = None, fifths: bool = False) -> None:  # fmt: skip
        """A riff over the key, whatever the chords: signs are scale steps from 1, `0` the step below, `8`, `9` above.

        `fifths` doubles every note with its fifth, as distorted guitars do.
        """
        notes = self.parts[name].notes
        home = low + (self.key.tonic - low) % 12 - self.key.tonic
        for step in steps(row, section.bars, section.metre):
            pitch = home + self.key.degree(int(step.sign) - 1)
            velocity = int(np.clip((104 if step.at % 1 < 1e-6 else 94) * level, 12, 127))
            for key in (pitch, pitch + 7) if fifths else (pitch,):
                notes.append(ComposedNote(step.at, step.beats * short, key, velocity))

    def tune(
        self, name: str, section: WrittenSection, feel: Feel | None = None, low: int = 60, high: int = 81, level: float
        = 1.0, vary: float = 0.15, key: PieceKey | None = None, bars: slice = slice(None),
    ) -> None:  # fmt: skip
        """A melody; sections of one kind share their tune."""
        known = (name, section.kind)
        if known not in self._tunes:
            feel = feel or Feel(grid=3 if self.division == 3 else 2)
            self._tunes[known] = Tune(self.rng, key or self.key, self.metre, feel, low, high)
        tune = self._tunes[known]
        self.parts[name].notes += tune.notes(
            self.rng, section.bars[bars], self.harmony, level, vary if section.turn else 0.1
        )

    def stop(self, at: float, end: float, but: Sequence[str] = ()) -> None:
        """A break: nobody plays from `at` to `end` except those named."""
        for name in self.parts:
            if name not in but:
                self.clear(name, at, end)

    def finish(
        self, swing: float = 0.5, swung: Literal[2, 4] = 2, rubato: float = 0.0, pickup: int = 0,
        tempo: Sequence[TempoChange] = (), pauses: Sequence[tuple[float, float]] = (), tags: Sequence[str] = (),
    ) -> Score:  # fmt: skip
        """The score: notes in order, doubled strokes once, players without a note sent home."""
        parts = []
        for part in self.parts.values():
            loudest: dict[tuple[float, int], ComposedNote] = {}
            for note in part.notes:
                place = (round(note.at, 4), note.pitch)
                if note.beats > 0.01 and (place not in loudest or loudest[place].velocity < note.velocity):
                    loudest[place] = note._replace(at=float(note.at), beats=float(note.beats), pitch=int(note.pitch))
            if loudest:
                parts.append(ComposedPart(part.role, part.program, sorted(loudest.values()), part.late_ms))
        return Score(
            style=self.style, bpm=self.bpm, bars=[bar.beats for bar in self.bars], division=self.division, parts=parts,
            pickup=pickup, swing=swing, swung=swung, tempo=list(tempo), pauses=list(pauses), rubato=rubato,
            tags=set(tags),
        )  # fmt: skip
