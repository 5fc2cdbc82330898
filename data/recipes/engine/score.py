"""A song as a score: form, tempo, parts and notes.

Places in a score are counted in quarter notes from the downbeat of the first full bar, whatever the metre; a pick-up
has negative places. `Form` knows where bars, beats and sections lie and when each place sounds; `Part` holds the notes
of one instrument as they are written. Swing is part of the writing (`Form.swing` bends places between beats), human
timing is not: it belongs to the performance (`performed`), so the truth beside the sound stays the written grid.

Melodies are written as text, a token a note: `E5:2` (length in units, an eighth unless said), `r` a rest, `C4+E4+G4` a
chord; a trailing `!` accents, `?` softens, `'` shortens, `~` holds to the full length. `|` asserts that a bar is full.
Drums are written as rows of steps: `X` accent, `x` hit, `o` soft, `g` ghost, `f` flam, `r` drag, anything else rest.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from data.recipes.engine.harmony import key

FloatArray = NDArray[np.float64]

GM_DRUMS = {
    "kick": 36, "kick2": 35, "snare": 38, "snare2": 40, "rim": 37, "clap": 39, "hat": 42, "pedal": 44, "open": 46,
    "tom1": 50, "tom2": 48, "tom3": 47, "tom4": 45, "tom5": 43, "tom6": 41, "crash": 49, "crash2": 57, "splash": 55,
    "china": 52, "ride": 51, "ride2": 59, "bell": 53, "tamb": 54, "cowbell": 56, "shaker": 70, "cabasa": 69,
    "bongo1": 60, "bongo2": 61, "conga1": 62, "conga2": 63, "conga3": 64, "timb1": 65, "timb2": 66, "claves": 75,
    "block1": 76, "block2": 77, "triangle": 81, "tri_mute": 80, "guiro": 73, "slap": 39, "sticks": 31,
}  # fmt: skip
STEP_VELOCITY = {"X": 118, "x": 100, "o": 78, "g": 44, "f": 106, "r": 88}


@dataclass(frozen=True, slots=True)
class Metre:
    """A time signature with the beat that a listener taps."""

    name: str
    quarters: float  # length of a bar in quarter notes
    beats: int  # tapped beats a bar; 6/8 has two dotted quarters
    unit: int  # the lower number of the signature

    @property
    def beat_quarters(self) -> float:
        """Length of a tapped beat in quarter notes."""
        return self.quarters / self.beats


METRES = {
    "4/4": Metre("4/4", 4.0, 4, 4), "3/4": Metre("3/4", 3.0, 3, 4), "2/4": Metre("2/4", 2.0, 2, 4),
    "6/8": Metre("6/8", 3.0, 2, 8), "12/8": Metre("12/8", 6.0, 4, 8), "5/4": Metre("5/4", 5.0, 5, 4),
    "7/8": Metre("7/8", 3.5, 7, 8),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoreSection:
    """A stretch of whole bars with one metre, and a tempo that holds or glides from `bpm` to `to_bpm`.

    `bpm` counts tapped beats a minute. `held` marks a section whose last bar is one held chord: only its downbeat
    is a beat that anybody taps.
    """

    name: str
    label: str
    start: float  # quarters
    bars: int
    metre: Metre
    bpm: float
    to_bpm: float
    first_bar: int  # bars before this section
    held: bool = False

    @property
    def end(self) -> float:
        """Where the section ends, in quarters."""
        return self.start + self.bars * self.metre.quarters

    def bar(self, number: int) -> float:
        """Where bar `number` of this section starts, counted from 0; negative numbers count from its end."""
        number = number + self.bars if number < 0 else number
        return self.start + number * self.metre.quarters


class Form:
    """The sections of a song in order, and the clock that turns places into seconds of song time."""

    def __init__(
        self,
        bpm: float,
        metre: str = "4/4",
        *,
        lead_in: float = 0.0,
        pickup: float = 0.0,
        tail: float = 3.0,
        swing: float = 0.5,
        swing_unit: float = 0.5,
    ) -> None:
        """`lead_in` and `tail` are seconds before the first and after the last bar, `pickup` quarters before bar 1.

        `swing` is the share of a pair of `swing_unit` notes that the first one takes: 0.5 straight, 0.667 triplets.
        """
        self.bpm, self.metre = bpm, METRES[metre]
        self.lead_in, self.pickup, self.tail = lead_in, pickup, tail
        self.swing, self.swing_unit = swing, swing_unit
        self.sections: list[ScoreSection] = []

    def section(
        self,
        name: str,
        bars: int,
        label: str = "",
        *,
        metre: str = "",
        bpm: float = 0.0,
        to_bpm: float = 0.0,
        held: bool = False,
    ) -> ScoreSection:
        """Append a section; what is not said carries on from the section before."""
        before = self.sections[-1] if self.sections else None
        metre_ = METRES[metre] if metre else (before.metre if before else self.metre)
        bpm = bpm or (before.to_bpm if before else self.bpm)
        section = ScoreSection(
            name,
            label or re.sub(r"[ _]?\d+$", "", name),
            before.end if before else 0.0,
            bars,
            metre_,
            bpm,
            to_bpm or bpm,
            before.first_bar + before.bars if before else 0,
            held,
        )
        self.sections.append(section)
        return section

    def __getitem__(self, name: str) -> ScoreSection:
        """The section called `name`."""
        return next(section for section in self.sections if section.name == name)

    @property
    def end(self) -> float:
        """Where the last bar ends, in quarters."""
        return self.sections[-1].end

    @property
    def seconds(self) -> float:
        """Length of the whole recording."""
        return float(self.time(self.end)) + self.tail

    def time(self, place: float | NDArray[np.floating]) -> FloatArray:
        """Seconds of song time at places in quarters; the tempo before bar 1 and after the end goes on as it was."""
        places = np.asarray(place, dtype=np.float64)
        first = self.sections[0]
        clock = self.lead_in + (places + self.pickup) * _seconds_per_quarter(first, first.bpm)
        at = self.lead_in + self.pickup * _seconds_per_quarter(first, first.bpm)
        for section in self.sections:
            inside = places >= section.start
            clock = np.where(inside, at + _glide(section, places - section.start), clock)
            length = section.end - section.start
            at_end = at + float(_glide(section, np.asarray(length)))
            after = at_end + (places - section.end) * _seconds_per_quarter(section, section.to_bpm)
            clock = np.where(places >= section.end, after, clock)
            at = at_end
        return clock

    def swung(self, place: float) -> float:
        """A written place moved by the swing; places on the beat stay."""
        if self.swing == 0.5:
            return place
        pair = 2 * self.swing_unit
        whole, inside = np.floor(place / pair + 1e-9), 0.0
        inside = place / pair - whole
        bent = inside * 2 * self.swing if inside < 0.5 else self.swing + (inside - 0.5) * 2 * (1 - self.swing)
        return float((whole + bent) * pair)

    def beats(self) -> Iterator[tuple[float, int, int, ScoreSection]]:
        """Every tapped beat as (place, bar from 1, position from 1, section); a pick-up belongs to bar 0."""
        first = self.sections[0]
        step = first.metre.beat_quarters
        for n in range(round(self.pickup / step), 0, -1):
            yield -n * step, 0, first.metre.beats - n + 1, first
        for section in self.sections:
            for bar in range(section.bars):
                held = section.held and bar == section.bars - 1
                for beat in range(1 if held else section.metre.beats):
                    place = section.bar(bar) + beat * section.metre.beat_quarters
                    yield place, section.first_bar + bar + 1, beat + 1, section

    def bars(self) -> list[tuple[float, float]]:
        """Start and end of every full bar, in quarters."""
        return [(s.bar(n), s.bar(n) + s.metre.quarters) for s in self.sections for n in range(s.bars)]


def _seconds_per_quarter(section: ScoreSection, bpm: float) -> float:
    return 60.0 / (bpm * section.metre.beat_quarters)


def _glide(section: ScoreSection, places: FloatArray) -> FloatArray:
    """Seconds from the start of a section, when the tempo moves evenly from `bpm` to `to_bpm` over its quarters."""
    per_quarter = section.metre.beat_quarters
    v0, v1 = section.bpm * per_quarter / 60.0, section.to_bpm * per_quarter / 60.0  # quarters a second
    length = section.end - section.start
    if v0 == v1:
        return places / v0
    slope = (v1 - v0) / length
    inside = np.clip(places, 0.0, length)
    return np.log1p(slope * inside / v0) / slope


@dataclass(frozen=True, slots=True)
class Note:
    """One written note: place and length in quarters."""

    start: float
    length: float
    pitch: int
    velocity: int


@dataclass(frozen=True, slots=True)
class Move:
    """A controller (1..127, or 128 for pitch bend in semitones) that moves evenly between two places."""

    start: float
    end: float
    controller: int
    from_value: float
    to_value: float


BEND, SWELL, VIBRATO, PEDAL = 128, 11, 1, 64


def bars_of(text: str, first: int, last: int | None = None) -> str:
    """Some bars of a melody's text, counted from 0, `last` left out."""
    return " | ".join(bar.strip() for bar in text.split("|")[first:last] if bar.strip()) + " |"


@dataclass(slots=True)
class Part:
    """One instrument's notes, and how loosely it is played.

    `loose_ms` is the spread of human timing, `late_ms` a habit of playing behind (or, below 0, ahead of) the beat,
    `touch` the spread of velocities. All three are 0 for a machine.
    """

    name: str
    form: Form
    loose_ms: float = 4.0
    late_ms: float = 0.0
    touch: float = 5.0
    notes: list[Note] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    def play(self, start: float, length: float, pitch: int | str | Sequence[int | str], velocity: int = 90) -> None:
        """Write one note, or several at once."""
        pitches = [pitch] if isinstance(pitch, int | str) else pitch
        for one in pitches:
            number = key(one) if isinstance(one, str) else int(one)
            self.notes.append(Note(float(start), float(length), number, int(np.clip(velocity, 1, 127))))

    def line(
        self,
        start: float,
        text: str,
        velocity: int = 90,
        unit: float = 0.5,
        shift: int = 0,
        gate: float = 0.94,
    ) -> float:
        """Write a melody from its text; returns the place where it ends. `shift` transposes by semitones."""
        place = start
        bar_starts = {round(a, 6) for a, _ in self.form.bars()} | {round(self.form.end, 6)}
        for token in text.split():
            if token == "|":
                if round(place, 6) not in bar_starts:
                    raise ValueError(f"{self.name}: the line from {start} is at {place} where '|' says a bar begins")
                continue
            what, _, units = token.partition(":")
            marks = re.search(r"[!?'~]*$", token)
            marks_ = marks[0] if marks else ""
            length = float(units.rstrip("!?'~") or 1.0) * unit if units else unit
            what = what.rstrip("!?'~")
            if what != "r":
                loud = velocity + 14 * marks_.count("!") - 16 * marks_.count("?")
                held = 0.45 if "'" in marks_ else 1.0 if "~" in marks_ else gate
                self.play(place, length * held, [key(name) + shift for name in what.split("+")], loud)
            place += length
        return place

    def steps(
        self, start: float, text: str, pitch: int, step: float = 0.25, scale: float = 1.0, length: float = 0.2
    ) -> None:
        """Write one row of drum steps from `start`."""
        for n, mark in enumerate(text.replace("|", "").replace(" ", "")):
            if mark not in STEP_VELOCITY:
                continue
            place, velocity = start + n * step, min(127, round(STEP_VELOCITY[mark] * scale))
            if mark == "f":
                self.play(place - 0.06, length, pitch, round(velocity * 0.5))
            if mark == "r":
                self.play(place + step / 2, length, pitch, round(velocity * 0.8))
            self.play(place, length, pitch, velocity)

    def move(self, start: float, end: float, controller: int, from_value: float, to_value: float) -> None:
        """Write a controller that moves between two places, as a swell or a bend does."""
        self.moves.append(Move(start, end, controller, from_value, to_value))

    def pedal(self, start: float, end: float) -> None:
        """Hold the sustain pedal between two places, lifted just before the end so that harmonies do not mix."""
        self.moves.append(Move(start + 0.05, start + 0.05, PEDAL, 127, 127))
        self.moves.append(Move(end - 0.03, end - 0.03, PEDAL, 0, 0))

    def copy(self, source: ScoreSection | tuple[float, float], to: float, shift: int = 0, louder: int = 0) -> None:
        """Write the notes of one stretch again from another place, transposed or louder if asked."""
        begin, end = (source.start, source.end) if isinstance(source, ScoreSection) else source
        for note in [n for n in self.notes if begin - 1e-6 <= n.start < end - 1e-6]:
            velocity = int(np.clip(note.velocity + louder, 1, 127))
            self.notes.append(replace(note, start=note.start - begin + to, pitch=note.pitch + shift, velocity=velocity))
        for move in [m for m in self.moves if begin - 1e-6 <= m.start < end - 1e-6]:
            self.moves.append(replace(move, start=move.start - begin + to, end=move.end - begin + to))


@dataclass(slots=True)
class DrumKit:
    """Drums, each group of pieces in a part of its own so that the mix can treat them apart."""

    parts: Mapping[str, Part]  # by group: kick, snare, hat, toms, cymbals, percussion
    groups: Mapping[str, str]  # by row name: the group that plays it

    def pattern(
        self, start: float, rows: Mapping[str, str], step: float = 0.25, times: int = 1, scale: float = 1.0
    ) -> None:
        """Write rows of steps from `start`, several times over."""
        length = max(len(row.replace("|", "").replace(" ", "")) for row in rows.values()) * step
        for name, row in rows.items():
            for n in range(times):
                self.parts[self.groups[name]].steps(start + n * length, row, GM_DRUMS[name], step, scale)

    def hit(self, name: str, place: float, velocity: int = 110) -> None:
        """Write a single hit."""
        self.parts[self.groups[name]].play(place, 0.2, GM_DRUMS[name], velocity)


@dataclass(frozen=True, slots=True)
class Performed:
    """One note as it is played: seconds of song time."""

    at: float
    until: float
    pitch: int
    velocity: int


def seed_of(*words: object) -> int:
    """A seed from words, the same on every machine."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, words)).encode()).digest()[:8], "little")


def performed(part: Part, seed: int) -> list[Performed]:
    """The notes of a part with swing and human timing, in order of time."""
    rng = np.random.default_rng(seed_of(seed, part.name))
    form, result = part.form, []
    for note in sorted(part.notes, key=lambda n: (n.start, n.pitch)):
        slip = np.clip(rng.normal(0.0, 1.0), -2.2, 2.2) * part.loose_ms / 1000 + part.late_ms / 1000
        touch = np.clip(rng.normal(0.0, 1.0), -2.2, 2.2) * part.touch
        at = float(form.time(form.swung(note.start))) + slip
        until = float(form.time(form.swung(note.start + note.length))) + slip
        velocity = int(np.clip(round(note.velocity + touch), 1, 127))
        result.append(Performed(max(0.0, at), max(until, at + 0.02), note.pitch, velocity))
    return result
