"""Textures: how tonal music is laid out when no drummer says where the beat is.

A piece is a form (letters), each letter a harmony of a few bars, each harmony clothed in two ways. A *figure* spells an
accompaniment as text, one sign a tick: an oom-pah-pah is ``"BCC"``, an Alberti bass ``"0212"``, a slow arpeggio
``"B1353565"``. A *melody* is made of motifs, each a rhythm and a contour, that are taken up again on other chords:
notes on the beat become chord tones, those between move through the scale, so passing notes, neighbours and ties
across the bar come about as they do in written music. A `Sheet` collects what the players play and closes the piece.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypedDict, Unpack

import numpy as np

from data.recipes.training.composition import ComposedNote, ComposedPart, Role, Score, TempoChange
from data.recipes.training.tonality import PieceKey, read_numeral

_SUFFIX = {
    "": (), "7": (10,), "M7": (11,), "9": (10, 14), "M9": (11, 14), "6": (9,), "13": (10, 21), "b9": (10, 13),
    "69": (9, 14), "add9": (14,), "11": (10, 14, 17),
}  # fmt: skip
_WHOLE = {
    "o": (0, 3, 6),
    "o7": (0, 3, 6, 9),
    "h7": (0, 3, 6, 10),
    "+": (0, 4, 8),
    "sus": (0, 5, 7),
    "sus2": (0, 2, 7),
    "5": (0, 7),
}

RANGES: dict[int, tuple[int, int]] = {
    **dict.fromkeys(range(0, 8), (24, 103)), 8: (60, 108), 9: (72, 108), 10: (60, 96), 11: (53, 89), 12: (36, 96),
    13: (60, 96), 14: (60, 84), 15: (50, 86), **dict.fromkeys(range(16, 21), (36, 96)), 21: (53, 93), 22: (55, 96),
    23: (53, 93), **dict.fromkeys(range(24, 29), (40, 86)), **dict.fromkeys(range(29, 32), (40, 86)),
    **dict.fromkeys(range(32, 40), (28, 67)), 40: (55, 98), 41: (48, 86), 42: (36, 76), 43: (28, 62),
    44: (36, 91), 45: (36, 91), 46: (28, 98), 47: (38, 57), 48: (36, 93), 49: (36, 93), 50: (36, 93), 51: (36, 93),
    52: (43, 81), 53: (43, 81), 54: (43, 81), 55: (36, 84), 56: (54, 84), 57: (40, 72), 58: (26, 60), 59: (54, 82),
    60: (41, 77), 61: (40, 84), 62: (36, 84), 63: (36, 84), 64: (56, 87), 65: (49, 81), 66: (44, 76), 67: (36, 69),
    68: (58, 91), 69: (52, 81), 70: (34, 74), 71: (50, 91), 72: (74, 105), 73: (60, 96), 74: (60, 96), 75: (60, 96),
    76: (60, 84), 77: (60, 90), 78: (60, 96), 79: (60, 96), **dict.fromkeys(range(80, 104), (36, 96)),
    104: (48, 77), 105: (48, 86), 106: (50, 79), 107: (48, 84), 108: (48, 86), 109: (55, 81), 110: (55, 96),
    111: (58, 86), 112: (60, 96), 114: (52, 76), 116: (36, 60),
}  # fmt: skip
"""Keys that the instrument of a General MIDI program plays."""


class TonicChord(NamedTuple):
    """Semitones above the tonic."""

    tones: tuple[int, ...]
    bass: int


class SoundingChord(NamedTuple):
    """A chord that sounds from beat `at` for so many beats."""

    at: float
    beats: float
    chord: TonicChord


class Tone(NamedTuple):
    """A note of a texture before anybody plays it."""

    at: float
    beats: float
    pitch: int
    weight: float = 0.0
    """added to the velocity"""


class Motif(NamedTuple):
    """A rhythm in beats, negative for rests, and for each note the steps from the one before."""

    rhythm: tuple[float, ...]
    steps: tuple[int, ...]


class FormSection(NamedTuple):
    """A stretch of the form."""

    label: str
    at: float
    bars: int
    first: bool
    """the first time that this label is heard"""
    last: bool
    """the last section of the piece"""


def roman(name: str, minor: bool = False) -> TonicChord:
    """A chord by its numeral: `V7/3` is a dominant seventh over its third (the third tone's index from 1 is 3, 5, 7).

    Capitals are major, small letters minor; `o`, `o7`, `h7`, `+`, `sus`, `5` replace the triad. In minor, III, VI and
    VII stand on the steps of the natural scale.
    """
    read = read_numeral(name, "minor" if minor else "major")
    triad = (0, 3, 7) if read.minor else (0, 4, 7)
    shape = _WHOLE[read.quality] if read.quality in _WHOLE else triad + _SUFFIX[read.quality]
    tones = tuple(read.root + step for step in shape)
    return TonicChord(tones, tones[{"3": 1, "5": 2, "7": 3}[read.under]] if read.under else read.root)


def spans(text: str, beats: float, minor: bool = False) -> list[SoundingChord]:
    """Chords from text: bars between spaces, chords of a bar joined by `_`; a bar lasts `beats` beats.

    Chords of a bar share it equally; in three beats two of them take two and one.
    """
    found: list[SoundingChord] = []
    for number, bar in enumerate(text.split()):
        names = bar.split("_")
        lengths = [2.0, 1.0] if len(names) == 2 and beats == 3 else [beats / len(names)] * len(names)
        at = number * beats
        for name, length in zip(names, lengths, strict=True):
            found.append(SoundingChord(at, length, roman(name, minor)))
            at += length
    return found


def chord_at(harmony: Sequence[SoundingChord], at: float) -> TonicChord:
    """The chord that sounds at a beat; the nearest one outside."""
    for span in harmony:
        if at < span.at + span.beats - 1e-6:
            return span.chord
    return harmony[-1].chord


_PATHS: dict[bool, dict[str, tuple[str, ...]]] = {
    False: {
        "start": ("I", "I I", "I V7", "I IV", "I vi", "I I/3", "I_V7 I", "I V7/3", "I IV_V7"),
        "middle": (
            "IV I",
            "vi ii",
            "V7 I",
            "IV V",
            "I/3 IV",
            "II7 V",
            "vi IV",
            "iii vi",
            "VI7 ii",
            "I7 IV",
            "ii V7",
            "IV iv",
            "IV_I/3 ii",
        ),
        "half": ("I/5_II7 V", "ii V", "II7/3 V", "vi_II7 V", "IV V", "I V7"),
        "full": ("ii_V7 I", "IV_V7 I", "I/5_V7 I", "V7 I", "ii/3_V7 I", "V7_V7 I", "IV_I/5 V7_I"),
    },
    True: {
        "start": ("i", "i i", "i V7", "i iv", "i VI", "i i/3", "i_V7 i", "i V7/3", "i VII"),
        "middle": (
            "iv i",
            "VI iih7",
            "V7 i",
            "VII III",
            "i/3 iv",
            "VI III",
            "iv VII",
            "III VII",
            "I7 iv",
            "VI iv",
            "iv_i/3 iih7",
        ),
        "half": ("i/5_II7 V", "iih7 V", "VI_II7 V", "iv V", "i V7", "iv/3 V"),
        "full": ("iih7_V7 i", "iv_V7 i", "i/5_V7 i", "V7 i", "iih7/3_V7 i", "V7_V7 i", "iv_i/5 V7_i"),
    },
}


def functional(
    rng: np.random.Generator, bars: int, minor: bool = False, cadence: Literal["half", "full"] = "full"
) -> str:
    """A phrase of common-practice harmony as text for `spans`: tonic, excursion, cadence."""
    paths = _PATHS[minor]
    tail = str(rng.choice(paths[cadence])).split()
    body = str(rng.choice(paths["start"])).split()
    while len(body) + len(tail) < bars:
        body += str(rng.choice(paths["middle"])).split()
    return " ".join([*body[: max(bars - len(tail), 0)], *tail[-bars:]])


def period(rng: np.random.Generator, bars: int, minor: bool = False) -> str:
    """Two phrases, the first left open; the second mostly begins like it."""
    if bars < 6:
        return functional(rng, bars, minor)
    front = (bars + 1) // 2
    first = functional(rng, front, minor, "half").split()
    second = functional(rng, bars - front, minor).split()
    if rng.random() < 0.7:
        second[: (bars - front) // 2] = first[: (bars - front) // 2]
    return " ".join(first + second)


def cells(text: str, unit: float, bar: float) -> list[tuple[float, ...]]:
    """Rhythms of one bar from text: digits are notes of so many units, letters rests (`a` one unit, `b` two).

    What a rhythm leaves of the bar is added to its end, to the note or the rest there.

    Raises
    ------
    ValueError : a rhythm is longer than the bar
    """
    rhythms = []
    for word in text.split():
        values = [(int(c) if c.isdigit() else -(ord(c) - 96)) * unit for c in word]
        left = bar - sum(map(abs, values))
        if left < -1e-6:
            raise ValueError(f"{word} is {-left / unit:g} units longer than its bar")
        values[-1] += left if values[-1] > 0 else -left
        rhythms.append(tuple(values))
    return rhythms


def motif(rng: np.random.Generator, rhythm: Sequence[float], leap: float = 0.2, arpeggio: bool = False) -> Motif:
    """A contour for a rhythm: mostly steps that keep their direction for a while, leaps turned back."""
    direction = 1 if rng.random() < 0.5 else -1
    steps: list[int] = []
    for length in rhythm:
        if length < 0:
            continue
        draw = rng.random()
        if draw < leap or arpeggio:
            steps.append(direction * int(rng.integers(2, 5 if not arpeggio else 4)))
            direction = -direction if rng.random() < (0.3 if arpeggio else 0.7) else direction
        elif draw < leap + 0.12:
            steps.append(0)
        else:
            steps.append(direction)
            direction = -direction if rng.random() < 0.27 else direction
    return Motif(tuple(rhythm), tuple(steps))


@lru_cache(4096)
def ladder(key: PieceKey, chord: TonicChord, low: int, high: int) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Pitches of the scale as the chord bends it, and which of them belong to the chord."""
    classes = {(key.tonic + step) % 12 for step in key.scale}
    tones = {(key.tonic + tone) % 12 for tone in chord.tones}
    for foreign in tones - classes:
        classes -= {(foreign + 1) % 12, (foreign - 1) % 12} - tones
        classes.add(foreign)
    pitches = [pitch for pitch in range(low, high + 1) if pitch % 12 in classes]
    return tuple(pitches), tuple(pitch % 12 in tones for pitch in pitches)


def melody(
    rng: np.random.Generator,
    harmony: Sequence[SoundingChord],
    key: PieceKey,
    bar: float,
    rhythms: Sequence[tuple[float, ...]],
    low: int,
    high: int,
    *,
    plan: str = "abac",
    leap: float = 0.2,
    tie: float = 0.0,
    arpeggio: bool = False,
    closes: Sequence[tuple[float, ...]] = (),
    motifs: dict[str, Motif] | None = None,
    every: float = 1.0,
    start: int | None = None,
) -> list[Tone]:
    """A line over a harmony, from motifs of one bar.

    `plan` names the motif of each bar and is repeated; a motif that comes again starts where it first started, or a
    step lower in sequence. The last bar takes a rhythm of `closes` and ends on the tonic if the chord has it. Every
    `every` beats a note must belong to the chord. With probability `tie` the first note of a bar is tied over from
    the bar before.
    """
    motifs = {} if motifs is None else motifs
    length = harmony[-1].at + harmony[-1].beats
    n_bars = round(length / bar)
    starts: dict[str, int] = {}
    place = start if start is not None else (low + high) // 2 + int(rng.integers(-4, 5))
    line: list[Tone] = []
    for number in range(n_bars):
        letter = plan[number % len(plan)]
        closing = number == n_bars - 1 and bool(closes)
        if closing:
            current = motif(rng, closes[int(rng.integers(len(closes)))], 0.1)
        else:
            if letter not in motifs:
                motifs[letter] = motif(rng, rhythms[int(rng.integers(len(rhythms)))], leap, arpeggio)
            current = motifs[letter]
            if letter in starts:
                place = starts[letter] - (int(rng.integers(1, 3)) if rng.random() < 0.25 else 0)
            starts[letter] = place
        at = number * bar
        tied = number > 0 and bool(line) and rng.random() < tie
        steps = iter(current.steps)
        sounding = sum(duration > 0 for duration in current.rhythm)
        for duration in current.rhythm:
            if duration < 0:
                at -= duration
                continue
            step = next(steps)
            sounding -= 1
            pitches, belongs = ladder(key, chord_at(harmony, at), low, high)
            index = min(range(len(pitches)), key=lambda i: abs(pitches[i] - place)) + step
            if not 0 <= index < len(pitches):
                index = int(np.clip(index - 2 * step, 0, len(pitches) - 1))
            on_beat = abs(at / every - round(at / every)) < 1e-6
            if on_beat or abs(step) > 1:
                index = _nearest_true(belongs, index, step)
            if closing and sounding == 0 and belongs:
                home = [i for i, p in enumerate(pitches) if belongs[i] and p % 12 == key.tonic % 12]
                if home:
                    index = min(home, key=lambda i: abs(i - index))
            place = pitches[index]
            if tied and at == number * bar:
                before = line[-1]
                line[-1] = before._replace(beats=at + duration - before.at)
                place = before.pitch
            else:
                line.append(Tone(at, duration, place))
            at += duration
    return line


def _nearest_true(flags: Sequence[bool], index: int, direction: int) -> int:
    """The index of a true flag next to `index`, on the side of `direction` when two are equally near."""
    order = sorted(range(len(flags)), key=lambda i: (abs(i - index), -(i - index) * (1 if direction >= 0 else -1)))
    return next((i for i in order if flags[i]), index)


def close_voicing(key: PieceKey, chord: TonicChord, low: int, high: int, near: float, size: int = 3) -> list[int]:
    """A chord in close position around `near`, inside the range."""
    tones = list(dict.fromkeys((key.tonic + tone) % 12 for tone in chord.tones))
    if len(tones) > size:
        tones = [*tones[1:2], *tones[3:], *tones[2:3], tones[0]][:size]
    best: list[int] = []
    cost = np.inf
    for lowest in range(low, high - 3):
        if lowest % 12 not in tones:
            continue
        keys = sorted(lowest + (tone - lowest) % 12 for tone in tones)
        away = abs(sum(keys) / len(keys) - near)
        if away < cost and keys[-1] <= high:
            best, cost = keys, away
    return best or sorted(low + (tone - low) % 12 for tone in tones)


def figure(
    harmony: Sequence[SoundingChord],
    key: PieceKey,
    signs: str | Sequence[str],
    unit: float,
    *,
    bass: tuple[int, int] = (36, 52),
    middle: tuple[int, int] = (52, 74),
    size: int = 3,
    legato: float = 0.95,
    chord_weight: float = 0.0,
    bass_weight: float = 0.0,
    begin: float = 0.0,
    end: float | None = None,
) -> list[Tone]:
    """An accompaniment spelled in signs of `unit` beats each, repeated; several texts alternate bar by bar.

    ``B`` bass note, ``F`` fifth below or above it, ``O`` octave above it, ``L`` a semitone or step before the next bass
    note, ``C`` the chord, ``U`` its two upper notes, a digit one note of the chord counted from its lowest (on into the
    octaves above), ``-`` goes on, ``.`` rests.
    """
    texts = [signs.replace(" ", "")] if isinstance(signs, str) else [text.replace(" ", "") for text in signs]
    until = harmony[-1].at + harmony[-1].beats if end is None else end
    tones: list[Tone] = []
    near = sum(middle) / 2
    at, turn = begin, 0
    known: dict[TonicChord, list[int]] = {}
    while at < until - 1e-6:
        text = texts[turn % len(texts)]
        turn += 1
        tick = 0
        while tick < len(text) and at < until - 1e-6:
            held = 1
            while tick + held < len(text) and text[tick + held] == "-":
                held += 1
            chord = chord_at(harmony, at)
            if chord not in known:
                known[chord] = close_voicing(key, chord, *middle, near, size)
                near = 0.6 * sum(known[chord]) / len(known[chord]) + 0.4 * sum(middle) / 2
            sign = text[tick]
            length = min(held * unit, until - at) * legato
            low = bass[0] + (key.tonic + chord.bass - bass[0]) % 12
            weight = bass_weight if sign in "BFOL" else chord_weight
            pitches = _spelled(sign, known[chord], low, bass, chord, chord_at(harmony, at + held * unit), key)
            tones.extend(Tone(at, length, pitch, weight) for pitch in pitches)
            at += held * unit
            tick += held
    return tones


def _spelled(
    sign: str,
    keys: Sequence[int],
    low: int,
    bass: tuple[int, int],
    chord: TonicChord,
    following: TonicChord,
    key: PieceKey,
) -> list[int]:
    """Pitches of one sign of a figure."""
    match sign:
        case "." | "-":
            return []
        case "B":
            return [low]
        case "O":
            return [low + 12]
        case "F":
            fifth = (key.tonic + chord.tones[min(2, len(chord.tones) - 1)]) % 12
            return [bass[0] + (fifth - bass[0]) % 12]
        case "L":
            target = bass[0] + (key.tonic + following.bass - bass[0]) % 12
            return [target + (-1 if target > low else 1) * (1 if (target + low) % 2 else 2)]
        case "C":
            return list(keys)
        case "U":
            return list(keys[-2:])
    index = int(sign)
    return [keys[index % len(keys)] + 12 * (index // len(keys))]


def four_voices(
    rng: np.random.Generator, harmony: Sequence[SoundingChord], key: PieceKey, passing: float = 0.3
) -> list[list[Tone]]:
    """Soprano, alto, tenor and bass, each moving little; thirds filled with passing notes now and then."""
    ranges = ((60, 79), (55, 72), (48, 67), (40, 60))
    previous = [int(rng.integers(67, 74)), 64, 57, 48]
    voices: list[list[Tone]] = [[], [], [], []]
    for span in harmony:
        classes = [(key.tonic + tone) % 12 for tone in span.chord.tones]
        now = [0, 0, 0, ranges[3][0] + (key.tonic + span.chord.bass - ranges[3][0]) % 12]
        if now[3] + 12 <= ranges[3][1] and abs(now[3] + 12 - previous[3]) < abs(now[3] - previous[3]):
            now[3] += 12
        wanted = previous[0] + int(rng.choice([-2, -1, 0, 1, 2]))
        now[0] = _nearest_pitch(classes, wanted, *ranges[0])
        left = [c for c in classes if c not in (now[0] % 12, now[3] % 12)] or classes
        now[1] = _nearest_pitch(left, min(previous[1], now[0] - 3), ranges[1][0], min(ranges[1][1], now[0] - 1))
        left = [c for c in left if c != now[1] % 12] or classes
        now[2] = _nearest_pitch(left, min(previous[2], now[1] - 3), ranges[2][0], min(ranges[2][1], now[1] - 1))
        for voice, pitch in enumerate(now):
            line = voices[voice]
            if line and abs(pitch - line[-1].pitch) in (3, 4) and line[-1].beats >= 1 and rng.random() < passing:
                last = line[-1]
                between, _ = ladder(key, span.chord, min(pitch, last.pitch) + 1, max(pitch, last.pitch) - 1)
                if between:
                    line[-1] = last._replace(beats=last.beats - 0.5)
                    line.append(Tone(last.at + last.beats - 0.5, 0.5, between[0], -4.0))
            line.append(Tone(span.at, span.beats, pitch))
        previous = now
    return voices


def _nearest_pitch(classes: Sequence[int], wanted: int, low: int, high: int) -> int:
    """The pitch of one of the classes nearest to `wanted` inside a range."""
    return min(
        (pitch for pitch in range(low, max(high, low + 11) + 1) if pitch % 12 in classes), key=lambda p: abs(p - wanted)
    )


def lay_out(
    rng: np.random.Generator,
    form: str,
    lengths: dict[str, int] | int,
    bar: float,
    bpm: float,
    seconds: tuple[float, float] = (50, 88),
) -> list[FormSection]:
    """Sections of a form, taken round again until a drawn length is reached."""
    target = rng.uniform(*seconds) * bpm / 60.0
    sections: list[FormSection] = []
    seen: set[str] = set()
    at = 0.0
    for number in range(200):
        label = form[number % len(form)]
        bars = lengths if isinstance(lengths, int) else lengths[label]
        if at + 0.5 * bars * bar > target and at * 60.0 / bpm > seconds[0] - 3:
            break
        sections.append(FormSection(label, at, bars, label not in seen, False))
        seen.add(label)
        at += bars * bar
    while at * 60.0 / bpm > seconds[1] + 6 and len(sections) > 1:
        at -= sections.pop().bars * bar
    sections[-1] = sections[-1]._replace(last=True)
    return sections


def moved(tones: Iterable[Tone], beats: float, semitones: int = 0) -> list[Tone]:
    """Later or earlier, higher or lower."""
    return [tone._replace(at=tone.at + beats, pitch=tone.pitch + semitones) for tone in tones]


def ornamented(rng: np.random.Generator, tones: Sequence[Tone], share: float, key: PieceKey) -> list[Tone]:
    """Some notes of a beat or more get a mordent or an appoggiatura from the scale above."""
    result: list[Tone] = []
    for tone in tones:
        if tone.beats < 0.5 or rng.random() >= share:
            result.append(tone)
            continue
        above = next(
            p for p in range(tone.pitch + 1, tone.pitch + 4) if (p - key.tonic) % 12 in key.scale or p == tone.pitch + 3
        )
        short = min(tone.beats / 4, 0.125 if rng.random() < 0.6 else 0.25)
        if rng.random() < 0.5:
            result += [
                Tone(tone.at, short, above, tone.weight),
                tone._replace(at=tone.at + short, beats=tone.beats - short),
            ]
        else:
            result += [
                tone._replace(beats=short),
                Tone(tone.at + short, short, above, tone.weight - 5),
                tone._replace(at=tone.at + 2 * short, beats=tone.beats - 2 * short),
            ]
    return result


def draw_key(rng: np.random.Generator, mode: str) -> PieceKey:
    """Any tonic."""
    return PieceKey(int(rng.integers(12)), mode)


class Sheet:
    """What is written down while a piece is composed."""

    def __init__(self, rng: np.random.Generator, bpm: float, bars: Sequence[int]) -> None:
        self.rng = rng
        self.bpm = bpm
        self.bars = list(bars)
        self._parts: dict[str, ComposedPart] = {}
        self._count()

    def _count(self) -> None:
        """Where bars begin."""
        self._starts = [0, *itertools.accumulate(self.bars)]
        self._downbeats = frozenset(self._starts)

    def divide(self, pattern: Sequence[int]) -> None:
        """Make bars of these lengths, round and round, out of what was one long bar each."""
        self.bars = [*pattern] * len(self.bars)
        self._count()

    @property
    def end(self) -> float:
        """Beats of the piece."""
        return float(self._starts[-1])

    def player(self, name: str, role: Role, program: int, late_ms: float = 0.0) -> None:
        """Bring in a player."""
        self._parts[name] = ComposedPart(role, program, [], late_ms)

    def write(
        self,
        name: str,
        tones: Iterable[Tone],
        at: float = 0.0,
        velocity: float = 75.0,
        accent: float = 6.0,
        fold: bool = True,
    ) -> None:
        """Give a player notes, moved by `at` beats: the first of a bar gets `accent`, other beats half of it."""
        part = self._parts[name]
        low, high = (0, 127) if part.role == "drums" or not fold else RANGES[part.program]
        for tone in tones:
            begin = tone.at + at
            pitch = tone.pitch
            while pitch < low:
                pitch += 12
            while pitch > high:
                pitch -= 12
            loud = velocity + tone.weight + accent * self._stress(begin)
            part.notes.append(ComposedNote(begin, max(tone.beats, 0.04), int(pitch), min(max(round(loud), 8), 127)))

    def _stress(self, at: float) -> float:
        """1 on a downbeat, a half on other beats, 0 between."""
        if abs(at - round(at)) > 1e-3:
            return 0.0
        return 1.0 if round(at) in self._downbeats else 0.5

    def drums(
        self, name: str, rows: dict[int, str], unit: float, at: float, until: float, velocity: float = 80.0
    ) -> None:
        """Rows of hits by drum: `x` a hit, `X` an accent, `o` a soft one, `.` none; the rows are repeated."""
        for pitch, text in rows.items():
            row = text.replace(" ", "")
            for tick in range(round((until - at) / unit)):
                weight = {"x": 0.0, "X": 16.0, "o": -24.0}.get(row[tick % len(row)])
                if weight is not None:
                    self.write(name, [Tone(at + tick * unit, unit, pitch, weight)], 0.0, velocity, 0.0)

    def swell(self, factors: Sequence[tuple[float, float]]) -> None:
        """Dynamics of the whole piece: (beat, share of the velocity), joined by straight lines."""
        places, shares = zip(*factors, strict=True)
        for part in self._parts.values():
            factor = np.interp([note.at for note in part.notes], places, shares)
            part.notes = [
                note._replace(velocity=min(max(round(note.velocity * share), 8), 127))
                for note, share in zip(part.notes, factor.tolist(), strict=True)
            ]

    def close(self, key: PieceKey, tones: Sequence[int] = (0, 4, 7)) -> None:
        """End on a chord: nothing begins after the last downbeat, and what began there is held."""
        last = float(self._starts[-2])
        length = self.end - last
        for part in self._parts.values():
            before = [note for note in part.notes if note.at < last - 1e-6]
            final = [note for note in part.notes if abs(note.at - last) < 1e-3]
            if not before:
                continue
            if part.role != "drums":
                classes = [(key.tonic + tone) % 12 for tone in tones]
                if part.role in ("bass",):
                    classes = classes[:1]
                source = final or [before[-1]]
                final = []
                for note in source[:5]:
                    low, high = RANGES[part.program]
                    pitch = _nearest_pitch(classes, note.pitch, low, high)
                    if all(pitch != other.pitch for other in final):
                        final.append(ComposedNote(last, length * 0.9, pitch, note.velocity))
            part.notes = before + final

    def score(
        self, style: str, *, division: Literal[2, 3] = 2, swing: float = 0.5, swung: Literal[2, 4] = 2,
        pickup: int = 0, rubato: float = 0.0, tempo: Sequence[TempoChange] = (),
        pauses: Sequence[tuple[float, float]] = (), tags: Iterable[str] = (),
    ) -> Score:  # fmt: skip
        """The finished piece: notes in order, nothing that begins after the end, no player without notes."""
        parts = []
        for part in self._parts.values():
            notes = sorted(note for note in part.notes if -8.0 < note.at < self.end - 1e-6)
            if notes:
                parts.append(ComposedPart(part.role, part.program, _unclashed(notes), part.late_ms))
        return Score(
            style, float(self.bpm), self.bars, division, parts, pickup, float(swing), swung, sorted(tempo),
            sorted(pauses), float(rubato), set(tags),
        )  # fmt: skip


def _unclashed(notes: Sequence[ComposedNote]) -> list[ComposedNote]:
    """A note ends before its own pitch begins again; of two at one time the louder stays."""
    following: dict[int, float] = {}
    kept: list[ComposedNote] = []
    for note in sorted(notes, key=lambda n: (-n.at, -n.velocity)):
        after = following.get(note.pitch)
        if after is not None and after - note.at < 0.02:
            continue
        length = note.beats if after is None else min(note.beats, after - note.at)
        following[note.pitch] = note.at
        kept.append(note._replace(beats=length))
    return sorted(kept)


def ritardando(rng: np.random.Generator, end: float, bar: float, chance: float = 0.5) -> list[TempoChange]:
    """A slowing over the last bar or three, or none."""
    if rng.random() >= chance:
        return []
    over = bar * float(rng.choice([1, 1.5, 2, 3]))
    return [TempoChange(end - over, float(rng.uniform(0.55, 0.9)), over)]


def pick(rng: np.random.Generator, values: Sequence[int]) -> int:
    """One of several numbers."""
    return int(values[int(rng.integers(len(values)))])


def tempo_between(rng: np.random.Generator, low: float, high: float) -> float:
    """A tempo from a range, the middle a little likelier than the ends."""
    return float(np.exp(np.log(low) + (np.log(high) - np.log(low)) * rng.beta(1.3, 1.3)))


class LineShape(TypedDict, total=False):
    """How a melody moves; see `melody`."""

    leap: float
    tie: float
    arpeggio: bool
    closes: Sequence[tuple[float, ...]]
    every: float
    start: int | None


class HeldShape(TypedDict, total=False):
    """Where held chords lie and how heavy they are; see `figure`."""

    bass: tuple[int, int]
    middle: tuple[int, int]
    size: int
    chord_weight: float
    bass_weight: float
    end: float | None


class FigureShape(HeldShape, total=False):
    """Also how long its notes are held, and where it begins."""

    legato: float
    begin: float


class ComposedForm:
    """A form with its harmony, and the usual ways of filling it: tune, accompaniment, dynamics, end."""

    def __init__(
        self,
        rng: np.random.Generator,
        bpm: float,
        bar: int,
        form: str,
        bars: dict[str, int] | int,
        mode: str = "major",
        texts: dict[str, str] | None = None,
        seconds: tuple[float, float] = (50, 88),
    ) -> None:
        """`texts` gives the harmony of a label in numerals, other labels get periods of common-practice harmony; a
        text's own number of bars counts.
        """
        self.rng, self.bar, self.key = rng, bar, draw_key(rng, mode)
        self.minor = self.key.minor
        lengths = {
            label: bars if isinstance(bars, int) else bars[label] for label in form if not texts or label not in texts
        }
        texts = {label: period(rng, lengths[label], self.minor) for label in lengths} | (texts or {})
        self.harmony = {label: spans(text, bar, self.minor) for label, text in texts.items()}
        self.sections = lay_out(
            rng, form, {label: len(text.split()) for label, text in texts.items()}, bar, bpm, seconds
        )
        self.sheet = Sheet(rng, bpm, [bar] * sum(section.bars for section in self.sections))
        self.pickup = 0
        self.loud = np.clip(1.0 + np.cumsum(rng.normal(0, 0.07, len(self.sections))), 0.75, 1.15)

    def player(self, name: str, role: Role, programs: Sequence[int], spread_ms: float = 6.0) -> None:
        """A player with one of several instruments."""
        self.sheet.player(name, role, pick(self.rng, programs), float(self.rng.normal(0, spread_ms)))

    def some(self, chance: float) -> list[FormSection]:
        """Sections in which something plays: each label decides once, at least one agrees."""
        labels = dict.fromkeys(section.label for section in self.sections)
        agreed = {label for label in labels if self.rng.random() < chance} or {self.sections[-1].label}
        return [section for section in self.sections if section.label in agreed]

    def after(self, share: float) -> list[FormSection]:
        """Sections of the last part of the piece; the whole of a piece of one section."""
        return self.sections[min(int(share * len(self.sections)), len(self.sections) - 1) :]

    def melodies(
        self,
        rhythms: Sequence[tuple[float, ...]],
        low: int,
        high: int,
        plans: Sequence[str] = ("abac", "aaab", "abab", "aabc", "abcb"),
        **how: Unpack[LineShape],
    ) -> dict[str, list[Tone]]:
        """A melody for every label; labels share a motif now and then."""
        shared: dict[str, Motif] = {}
        lines: dict[str, list[Tone]] = {}
        for label, harmony in self.harmony.items():
            own = shared if self.rng.random() < 0.35 else {}
            plan = plans[int(self.rng.integers(len(plans)))]
            lines[label] = melody(
                self.rng, harmony, self.key, self.bar, rhythms, low, high, plan=plan, motifs=own, **how
            )
            shared = shared or own
        return lines

    def sing(
        self,
        name: str,
        lines: dict[str, list[Tone]],
        velocity: float = 82,
        *,
        sections: Sequence[FormSection] | None = None,
        shift: int = 0,
        ornaments: float = 0.0,
        accent: float = 5.0,
        vary: float = 0.0,
    ) -> None:
        """A player plays melodies, ornamented and varied when they come again."""
        for section in self.sections if sections is None else sections:
            tones = lines[section.label]
            if ornaments:
                tones = ornamented(self.rng, tones, ornaments * (1.0 if not section.first else 0.5), self.key)
            if vary and not section.first:
                tones = [tone for tone in tones if self.rng.random() > vary or tone.at % self.bar < 1e-6]
            self.sheet.write(name, moved(tones, 0, shift), section.at, velocity, accent)

    def lead(self, lines: dict[str, list[Tone]], rhythm: Sequence[float]) -> None:
        """Put an up-beat of this rhythm before the first note of every melody; the end before it makes room."""
        total = float(sum(abs(length) for length in rhythm))
        for label, tones in lines.items():
            pitches, _ = ladder(self.key, chord_at(self.harmony[label], 0), 30, 110)
            target = int(np.argmin([abs(pitch - tones[0].pitch) for pitch in pitches]))
            side = -1 if self.rng.random() < 0.7 else 1
            fourth = self.rng.random() < 0.3
            at, before = -total, []
            for number, length in enumerate(rhythm):
                steps = 3 if fourth else len(rhythm) - number
                if length > 0:
                    before.append(Tone(at, length, pitches[target + side * steps]))
                at += abs(length)
            end = self.harmony[label][-1].at + self.harmony[label][-1].beats - total
            kept = [tone._replace(beats=min(tone.beats, end - tone.at)) for tone in tones if tone.at < end - 1e-6]
            lines[label] = before + kept
        self.pickup = int(total + 1e-6)

    def accompany(
        self, name: str, signs: str | Sequence[str], unit: float, velocity: float = 64, *,
        sections: Sequence[FormSection] | None = None, accent: float = 5.0, **how: Unpack[FigureShape],
    ) -> None:  # fmt: skip
        """A player plays a figure through the harmony; it starts anew where it does not fit the bar."""
        texts = [self._filling(text.replace(" ", ""), unit) for text in ([signs] if isinstance(signs, str) else signs)]
        for section in self.sections if sections is None else sections:
            tones = figure(self.harmony[section.label], self.key, texts, unit, **how)
            self.sheet.write(name, tones, section.at, velocity, accent)

    def _filling(self, text: str, unit: float) -> str:
        """A figure that comes out even with the bar, cut or begun again at the bar line where it would not."""
        ticks = round(self.bar / unit)
        if ticks % len(text) == 0 or len(text) % ticks == 0:
            return text
        return (text * ticks)[: ticks * max(1, len(text) // ticks)]

    def hold(
        self,
        name: str,
        velocity: float = 55,
        *,
        sections: Sequence[FormSection] | None = None,
        **how: Unpack[HeldShape],
    ) -> None:
        """A player holds every chord as long as it lasts."""
        for section in self.sections if sections is None else sections:
            for span in self.harmony[section.label]:
                tones = figure([span], self.key, "C", span.beats, begin=span.at, legato=1.0, **how)
                self.sheet.write(name, tones, section.at, velocity, 4.0)

    def roots(
        self, name: str, velocity: float = 68, *, sections: Sequence[FormSection] | None = None, low: int = 36
    ) -> None:
        """A player holds the bass of every chord."""
        for section in self.sections if sections is None else sections:
            for span in self.harmony[section.label]:
                pitch = low + (self.key.tonic + span.chord.bass - low) % 12
                self.sheet.write(name, [Tone(span.at, span.beats * 0.97, pitch)], section.at, velocity, 4.0)

    def finish(
        self, style: str, *, slow: float = 0.5, closing: float = 0.8, rubato: tuple[float, float] = (0.0, 0.0),
        fermata: float = 0.25, tempo: Sequence[TempoChange] = (), pauses: Sequence[tuple[float, float]] = (),
        division: Literal[2, 3] = 2, swing: float = 0.5, swung: Literal[2, 4] = 2, tags: Iterable[str] = (),
    ) -> Score:  # fmt: skip
        """Dynamics, last chord, ritardando with probability `slow`, fermata on the last bar."""
        rng, sheet = self.rng, self.sheet
        sheet.swell([(section.at, share) for section, share in zip(self.sections, self.loud, strict=True)])
        if rng.random() < closing:
            last = self.harmony[self.sections[-1].label][-1].chord
            sheet.close(self.key, last.tones[:3])
        factor = max(tempo, default=TempoChange(0, 1.0, 0)).factor
        endings = [
            change._replace(factor=change.factor * factor) for change in ritardando(rng, sheet.end, self.bar, slow)
        ]
        held = (
            [(sheet.end - sheet.bars[-1], float(rng.uniform(0.4, 2.0)))] if endings and rng.random() < fermata else []
        )
        return sheet.score(
            style, division=division, swing=swing, swung=swung, pickup=self.pickup,
            rubato=0.0 if rubato[1] == 0 else float(rng.uniform(*rubato)), tempo=[*tempo, *endings],
            pauses=[*pauses, *held], tags=tags,
        )  # fmt: skip
