"""Reads melodies with chord symbols from text: the part of ABC notation that the files of `tunes` use.

A file holds tunes, each begun by `X:`; fields above the first hold for all that do not give their own: `T` title, `C`
composer or tradition, `Y` year of publication or `traditional`, `S` why it is in the public domain, `R` kind of tune
(reel, waltz, air), `M` metre, `L` length of a plain letter, `K` key with mode, and `Q`, the beat that is tapped and
its tempo (`3/8=112`). `Q` decides how the tune is counted: `M:4/4` with `Q:1/2=108` has two beats a bar. An odd metre
names its groups: `M:2+2+3/8`.

The body: notes `^f'3/2`, rests `z`, chord symbols `"Am7"`, ties `-`, tuplets `(3abc`, dotted pairs `a>b` and `a<b`,
bar lines with repeats and endings `|: :| :: |1 :|2 || |]`, changes within a line `[M:3/4] [K:D] [L:1/8]`, and `%`
comments. Slurs are read and dropped.

Repeats are written out before bars are counted, so that a bar split by a repeat (its end before the sign, its beginning
the pick-up after it) must add up across the split. Every other bar must be as long as its metre says; only the first
may be short (the pick-up), and the last, which the pick-up completes.

References
----------
The ABC music standard 2.1, abcnotation.com, sections 3 and 4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from data.recipes.engine.harmony import chord

_LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_SHARPS = "FCGDAEB"
_FIFTHS = {"F": -1, "C": 0, "G": 1, "D": 2, "A": 3, "E": 4, "B": 5}
_MODES = {
    "": 0, "maj": 0, "ion": 0, "mix": -1, "dor": -2, "m": -3, "min": -3, "aeo": -3, "phr": -4, "lyd": 1,
}  # fmt: skip
_DARK = {"dor", "m", "min", "aeo", "phr"}
_TUPLETS = {2: Fraction(3, 2), 3: Fraction(2, 3), 4: Fraction(3, 4), 6: Fraction(1, 3)}
_ACCIDENTALS = {"^": 1, "_": -1, "=": 0, "^^": 2, "__": -2}

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | "(?P<chord>[^"]*)"
  | (?P<field>\[[MKL]:[^\]]*\])
  | (?P<bar>::|:\|\]?|\|:|\|\]|\|\||\|)
  | (?P<ending>\[?[12](?=[\s"\^_=A-Ga-gz(]))
  | \((?P<tuplet>[2346])
  | (?P<slur>[()])
  | (?P<tie>-)
  | (?P<broken>[<>])
  | (?P<accidental>\^\^|__|\^|_|=)?(?P<letter>[A-Ga-gz])(?P<octave>[,']*)(?P<length>\d*(?:/\d*)*)
    """,
    re.VERBOSE,
)
_KEY = re.compile(r"([A-G])([#b]?)\s*(\w*)$")


class TuneError(ValueError):
    """A tune cannot be read; the message names the tune and the place."""


class AbcKey(NamedTuple):
    """A tonic with its scale; all pitch classes from 0 (C)."""

    tonic: int
    minor: bool
    classes: frozenset[int]


class TuneNote(NamedTuple):
    """A note of the melody, in beats from the first downbeat; pitch as MIDI number."""

    at: Fraction
    beats: Fraction
    pitch: int


class TuneChord(NamedTuple):
    """From beat `at` this chord sounds, until the next."""

    at: Fraction
    name: str


@dataclass(frozen=True)
class AbcTune:
    """A melody with chords, repeats written out, in beats."""

    title: str
    composer: str
    year: str
    public_domain: str
    """why nobody's permission is needed"""
    kind: str
    unit: Fraction
    """the beat, as a share of a whole note; 3/8 is a dotted quarter"""
    bpm: float
    key: AbcKey
    notes: tuple[TuneNote, ...]
    chords: tuple[TuneChord, ...]
    bars: tuple[int, ...]
    """beats of each bar"""
    groups: tuple[int, ...]
    """beats of the groups that an odd bar falls into, (2, 2, 3); empty otherwise"""
    sections: tuple[int, ...]
    """bars that open a part of the tune, 0 the first"""

    @property
    def division(self) -> int:
        """3 where the beat is a dotted note, 2 otherwise."""
        return 3 if self.unit.numerator == 3 else 2

    @property
    def pickup(self) -> Fraction:
        """Beats before the first downbeat."""
        return max(-self.notes[0].at, Fraction(0))


@dataclass
class _Bar:
    """What stands between two bar lines; lengths in whole notes."""

    length: Fraction
    metre: Fraction
    notes: list[tuple[Fraction, Fraction, int | None, bool]] = field(default_factory=list)
    """offset, length, pitch or None for a rest, tied to the next"""
    chords: list[tuple[Fraction, str]] = field(default_factory=list)
    ending: int = 0
    opens: bool = False
    """a repeat begins here"""
    closes: bool = False
    """a repeat ends here"""
    parts_after: bool = False
    """a double bar line follows"""
    number: int = 0


def read_tunes(path: Path) -> list[AbcTune]:
    """All tunes of a file.

    Raises
    ------
    TuneError : a field is missing or unknown, a sign is not understood, a bar does not add up, a chord is unknown
    """
    shared, *blocks = re.split(r"^X:.*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [read_tune(block, shared) for block in blocks]


def read_tune(text: str, shared: str = "") -> AbcTune:
    """One tune, from its first header field to the end of its body; raises as `read_tunes`.

    `shared` is the head of the file: fields for every tune that does not give its own.
    """
    header = {line[0]: line[2:].strip() for line in shared.splitlines() if re.match(r"[A-Z]:", line)}
    given: set[str] = set()
    body: list[str] = []
    for raw in text.splitlines():
        line = raw.split("%")[0].strip()
        if not line:
            continue
        if "K" not in given and re.match(r"[A-Z]:", line):
            header[line[0]] = line[2:].strip()
            given.add(line[0])
        else:
            body.append(line)
    title = header.get("T", "a tune without title")
    missing = [name for name in "TCYSRMLQK" if name not in header]
    if missing:
        raise TuneError(f"{title}: header fields {', '.join(missing)} are missing")
    unit_text, _, bpm = header["Q"].partition("=")
    try:
        unit, tempo = Fraction(unit_text), float(bpm)
    except ValueError as error:
        raise TuneError(f"{title}: Q:{header['Q']} is not a beat and a tempo such as 1/4=120") from error
    reader = _Reader(title, header)
    for line in body:
        reader.read(line)
    reader.close_bar("")
    return _tune(header, unit, tempo, _written_out(title, reader.bars))


def read_key(title: str, text: str) -> tuple[AbcKey, dict[str, int]]:
    """A key and the alteration of each letter under it: `Edor`, `F#m`, `Bb`."""
    match = _KEY.match(text.strip())
    mode = match[3][:3].lower() if match else ""
    if match is None or mode not in _MODES:
        raise TuneError(f"{title}: K:{text} is not a key such as G, F#m or Ador")
    alter = {"#": 1, "b": -1, "": 0}[match[2]]
    fifths = _FIFTHS[match[1]] + 7 * alter + _MODES[mode]
    if abs(fifths) > 7:
        raise TuneError(f"{title}: K:{text} needs more than seven signs")
    signs = dict.fromkeys("CDEFGAB", 0)
    for letter in _SHARPS[:fifths] if fifths > 0 else _SHARPS[::-1][:-fifths]:
        signs[letter] = 1 if fifths > 0 else -1
    classes = frozenset((_LETTERS[letter] + sign) % 12 for letter, sign in signs.items())
    return AbcKey((_LETTERS[match[1]] + alter) % 12, mode in _DARK, classes), signs


def read_metre(title: str, text: str) -> tuple[Fraction, list[int]]:
    """Length of a bar in whole notes, and the groups of a metre such as 2+2+3/8."""
    above, _, below = text.strip().partition("/")
    try:
        groups = [int(part) for part in above.split("+")]
        return Fraction(sum(groups), int(below)), groups if len(groups) > 1 else []
    except ValueError as error:
        raise TuneError(f"{title}: M:{text} is not a metre such as 6/8 or 2+2+3/8") from error


class _Reader:
    """Turns lines into bars; keeps what is in force: metre, key, plain length, accidentals of the bar."""

    def __init__(self, title: str, header: dict[str, str]) -> None:
        self.title = title
        self.bars: list[_Bar] = []
        self.metre, _ = read_metre(title, header["M"])
        self.plain = Fraction(header["L"])
        _, self.signs = read_key(title, header["K"])
        self.altered: dict[tuple[str, str], int] = {}
        self.tuplet: tuple[int, Fraction] = (0, Fraction(1))
        self.broken = Fraction(1)
        self.bar = _Bar(Fraction(0), self.metre, number=1)

    def fail(self, what: str) -> TuneError:
        return TuneError(f"{self.title}: bar {self.bar.number} as written: {what}")

    def read(self, line: str) -> None:
        place = 0
        while place < len(line):
            match = _TOKEN.match(line, place)
            if match is None:
                raise self.fail(f"cannot read {line[place : place + 12]!r}")
            place = match.end()
            if match["bar"]:
                self.close_bar(match["bar"])
            elif match["ending"]:
                self.bar.ending = int(match["ending"][-1])
            elif match["field"]:
                self.change(match["field"][1], match["field"][3:-1])
            elif match["chord"] is not None:
                self.add_chord(match["chord"])
            elif match["tuplet"]:
                self.tuplet = (int(match["tuplet"]), _TUPLETS[int(match["tuplet"])])
            elif match["tie"]:
                self.tie()
            elif match["broken"]:
                self.dot(match["broken"])
            elif match["letter"]:
                self.add_note(match)

    def change(self, name: str, value: str) -> None:
        if name == "M":
            self.metre, _ = read_metre(self.title, value)
            self.bar.metre = self.metre
        elif name == "K":
            _, self.signs = read_key(self.title, value)
        else:
            self.plain = Fraction(value)

    def add_chord(self, name: str) -> None:
        try:
            chord(name)
        except ValueError as error:
            raise self.fail(str(error)) from error
        self.bar.chords.append((self.bar.length, name))

    def add_note(self, match: re.Match[str]) -> None:
        length = self.plain * _length(match["length"]) * self.broken
        self.broken = Fraction(1)
        left, factor = self.tuplet
        if left:
            length *= factor
            self.tuplet = (left - 1, factor)
        pitch = None if match["letter"] == "z" else self.pitch(match["accidental"], match["letter"], match["octave"])
        self.bar.notes.append((self.bar.length, length, pitch, False))
        self.bar.length += length

    def pitch(self, accidental: str | None, letter: str, octave: str) -> int:
        place = (letter, octave)
        if accidental:
            self.altered[place] = _ACCIDENTALS[accidental]
        upper = letter.upper()
        alter = self.altered.get(place, self.signs[upper])
        return 60 + _LETTERS[upper] + alter + 12 * (letter.islower() + octave.count("'") - octave.count(","))

    def tie(self) -> None:
        if not self.bar.notes:
            raise self.fail("a tie follows no note")
        at, length, pitch, _ = self.bar.notes[-1]
        self.bar.notes[-1] = (at, length, pitch, True)

    def dot(self, sign: str) -> None:
        if not self.bar.notes:
            raise self.fail(f"{sign} follows no note")
        at, length, pitch, tied = self.bar.notes[-1]
        factor = Fraction(3, 2) if sign == ">" else Fraction(1, 2)
        self.bar.notes[-1] = (at, length * factor, pitch, tied)
        self.bar.length += length * (factor - 1)
        self.broken = 2 - factor

    def close_bar(self, sign: str) -> None:
        if self.bar.length:
            self.bar.closes = sign.startswith(":")
            self.bar.parts_after = sign in ("||", "|:", "::") or self.bar.closes
            self.bars.append(self.bar)
            self.bar = _Bar(Fraction(0), self.metre, number=self.bar.number + 1)
            self.altered = {}
        elif self.bar.chords:
            raise self.fail("a chord stands before a bar line")
        if sign in ("|:", "::"):
            self.bar.opens = True
            if self.bars:
                self.bars[-1].parts_after = True


def _length(text: str) -> Fraction:
    """`3` is three, `/` a half, `3/2` three halves, `//` a quarter."""
    above, slash, below = text.partition("/")
    value = Fraction(int(above) if above else 1)
    if slash:
        value /= int(below) if below.isdigit() else 2 ** (1 + below.count("/"))
    return value


def _written_out(title: str, bars: list[_Bar]) -> list[tuple[_Bar, bool]]:
    """Bars in the order played, each with whether a part of the tune begins there."""
    if not bars:
        raise TuneError(f"{title}: there are no notes")
    played: list[tuple[_Bar, bool]] = []
    start, place, second, fresh = 0, 0, False, True
    while place < len(bars):
        bar = bars[place]
        if bar.opens and not second:
            start = place
        if second and bar.ending == 1:
            while place < len(bars) and bars[place].ending != 2:
                place += 1
            if place == len(bars):
                raise TuneError(f"{title}: a first ending without a second")
            bar = bars[place]
        played.append((bar, fresh))
        fresh = bar.parts_after
        if bar.closes and not second:
            second, place = True, start
            continue
        opens_next = place + 1 < len(bars) and bars[place + 1].opens
        if second and (bar.closes or bar.ending == 2 or opens_next):
            second, start = False, place + 1
        place += 1
    return played


def _tune(header: dict[str, str], unit: Fraction, tempo: float, played: list[tuple[_Bar, bool]]) -> AbcTune:
    """Absolute positions, bars checked, ties joined."""
    title = header["T"]
    first = played[0][0]
    at = -first.length if first.length < first.metre else Fraction(0)
    lengths: list[Fraction] = []
    sections: list[int] = []
    open_bar = Fraction(0)
    notes: list[TuneNote] = []
    chords: list[TuneChord] = []
    tied = False
    for index, (bar, fresh) in enumerate(played):
        for offset, length, pitch, ties in bar.notes:
            begin = (at + offset) / unit
            if pitch is not None and tied and notes and notes[-1].pitch == pitch:
                notes[-1] = notes[-1]._replace(beats=notes[-1].beats + length / unit)
            elif pitch is not None:
                notes.append(TuneNote(begin, length / unit, pitch))
            tied = ties
        chords.extend(TuneChord((at + offset) / unit, name) for offset, name in bar.chords)
        if fresh and at >= 0:
            short = bar.length < bar.metre and index < len(played) - 1
            sections.append(len(lengths) + (1 if open_bar or short else 0))
        at += bar.length
        if index == 0 and bar.length < bar.metre:
            continue
        open_bar += bar.length
        if open_bar > bar.metre:
            raise TuneError(f"{title}: bar {bar.number} as written: {open_bar} is longer than {bar.metre}")
        if open_bar == bar.metre or index == len(played) - 1:
            lengths.append(bar.metre)
            open_bar = Fraction(0)
        elif not (bar.parts_after or bar.opens):
            raise TuneError(f"{title}: bar {bar.number} as written: {open_bar} is shorter than {bar.metre}")
    beats = [length / unit for length in lengths]
    if any(count.denominator != 1 for count in beats):
        raise TuneError(f"{title}: a bar is not a whole number of beats of {unit}")
    if not chords or chords[0].at > 0:
        raise TuneError(f"{title}: the first bar has no chord")
    _, groups = read_metre(title, header["M"])
    return AbcTune(
        title=title, composer=header["C"], year=header["Y"], public_domain=header["S"], kind=header["R"], unit=unit,
        bpm=tempo, key=read_key(title, header["K"])[0], notes=tuple(notes), chords=tuple(chords),
        bars=tuple(int(count) for count in beats), groups=tuple(groups),
        sections=tuple(sorted({0, *(s for s in sections if s < len(beats))})),
    )  # fmt: skip
