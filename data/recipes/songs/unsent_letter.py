"""Unsent Letter: a nocturne for piano in free time.

A quarter of this score lasts a second, and places are where the player puts his fingers down: `Hand` bends every
phrase on its own (a hesitant start, a rush to the middle, a broad end), lingers where the text says so, and leaves no
two steps alike. What is written below in beats is only how the notes relate before that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.recipes.engine.effects import bell, compress, high_shelf, highpass, low_shelf, reverb
from data.recipes.engine.harmony import key
from data.recipes.engine.mixdown import ChannelStrip, Sampled, Song
from data.recipes.engine.score import FloatArray, Form, Part, seed_of

LENGTH = 92


@dataclass(frozen=True, slots=True)
class LetterPhrase:
    """One thought: seconds a beat when nothing pulls, how far it bends, a pause after it, and what both hands play.

    `left` has rows of (place, beats, keys, notes): a broken chord of so many notes over so many beats, or with
    no notes at all a chord rolled at once. `right` is a melody, `C5:2` two beats long, `r` a rest, `*` a fermata.
    """

    pace: float
    bend: float
    pause: float
    loud: int
    left: tuple[tuple[float, float, str, int], ...]
    right: str


PHRASES = (
    # A few single notes, as if to find out whether the piano is still there.
    LetterPhrase(1.05, 0.5, 1.3, 50, ((3.0, 2.2, "Db3 Ab3 F4", 0),), "Ab4:1.3 F5:1.9* Eb5:0.4 Db5:0.5 Ab4:2.4*"),
    LetterPhrase(
        0.86,
        0.6,
        0.7,
        58,
        ((0.0, 2.4, "Db2 Ab2 F3 Ab3 Db4", 6), (2.4, 2.0, "C2 Gb2 Eb3 Ab3", 5), (4.4, 2.6, "Bb1 F2 Db3 F3 Bb3", 7)),
        "r:0.7 F5:1.5 Gb5:0.3 F5:0.3 Eb5:0.9 C5:0.7 Db5:1.1* Bb4:0.4 C5:0.4 Db5:2.0",
    ),
    LetterPhrase(
        0.68,
        0.7,
        0.35,
        66,
        ((0.0, 1.7, "Gb1 Db2 Bb2 Db3 F3", 7), (1.7, 1.5, "Ab1 Eb2 C3 Gb3", 4), (3.2, 3.3, "F1 C2 Ab2 Eb3 Ab3", 11)),
        "Bb5:1.2 Ab5:0.35 Gb5:0.35 F5:0.6 Eb5:0.5 Gb5:0.7* F5:0.25 Eb5:0.25 C5:0.25 Ab4:1.9",
    ),
    # It turns to minor and gets urgent.
    LetterPhrase(
        0.57,
        0.8,
        0.9,
        76,
        (
            (0.0, 2.0, "Bb1 F2 Db3 F3 Bb3 Db4", 9),
            (2.0, 1.6, "A1 F2 C3 Eb3 A3", 5),
            (3.6, 1.9, "Ab1 F2 Cb3 D3 Ab3", 8),
            (5.5, 2.6, "G1 D2 Bb2 Db3 G3", 0),
        ),
        "F5:0.9 Gb5:0.3 F5:0.4 Bb5:1.2 C6:0.3 Db6:1.0* C6:0.3 A5:0.3 F5:0.3 Eb5:0.8 D5:0.6 F5:0.5 E5:0.5 Db6:1.7*",
    ),
    # A cadenza: alone, down from the top and up again.
    LetterPhrase(
        0.2,
        1.5,
        1.6,
        64,
        (),
        "Eb6:3* Db6:1 Bb5:1 A5:1 Gb5:1.2 Eb5:1 Db5:0.9 Bb4:0.8 A4:0.8 Gb4:0.9 Eb4:1.2 F4:1 Gb4:1 A4:1 C5:1 Eb5:1.2 "
        "Gb5:1.6 F5:2 Eb5:5*",
    ),
    # Far away, in A major, without weight.
    LetterPhrase(
        1.0,
        0.55,
        1.1,
        48,
        ((0.3, 2.7, "A2 E3 B3 C#4 E4", 5), (3.0, 2.2, "F#2 C#3 A3 E4", 3), (5.2, 2.4, "D2 A2 F#3 C#4", 0)),
        "E5:1.6 C#5:0.6 B4:0.5 F#5:1.8* E5:0.4 D5:0.3 C#5:0.8 A5:2.3*",
    ),
    LetterPhrase(
        0.74,
        0.7,
        0.5,
        60,
        ((0.0, 1.9, "E2 B2 G#3 D4", 7), (1.9, 1.4, "Eb2 Bb2 G3 Db4", 3), (3.3, 2.4, "Ab1 Eb2 Gb3 C4", 6)),
        "G#5:1.1 F#5:0.3 E5:0.5 G5:0.9* F5:0.4 Eb5:0.3 C6:1.3 Bb5:0.3 Ab5:0.3 Gb5:0.9",
    ),
    # The climb, the widest chord, and what is left after it.
    LetterPhrase(
        0.5,
        0.9,
        1.2,
        88,
        (
            (0.0, 1.6, "Gb1 Db2 Gb2 Bb2 Db3 Gb3", 8),
            (1.6, 1.3, "G1 Db2 Bb2 E3 G3", 5),
            (2.9, 1.8, "Ab1 Eb2 Ab2 Db3 F3 Ab3", 10),
            (4.7, 3.6, "Ab1 Gb2 C3 Eb3 Bb3", 0),
        ),
        "Bb5:0.8 Db6:0.4 Eb6:0.4 E6:1.1 Db6:0.3 Bb5:0.3 F6:1.6* Eb6:0.3 Db6:0.3 Ab5:0.5 Gb5:0.4 Bb5:2.2*",
    ),
    LetterPhrase(
        0.93,
        0.6,
        0.9,
        54,
        ((0.0, 2.1, "Db2 Ab2 F3 Ab3", 4), (2.1, 2.9, "Gb1 Db2 Bb2 Eb3 Ab3", 6), (5.0, 1.6, "Gb1 Db2 Bbb2 Fb3", 0)),
        "r:0.5 Ab5:1.7 F5:0.5 Db5:0.4 Eb5:2.0* Db5:0.5 Bb4:1.2 Cb5:1.6*",
    ),
    LetterPhrase(
        1.2,
        0.4,
        3.0,
        44,
        ((0.0, 1.8, "Db2 Ab2 F3", 0), (2.3, 2.6, "Db1 Ab1 F2 C3 Eb3 Ab3", 0)),
        "Ab4:1.6 r:0.9 F5:1.1 C6:3.2*",
    ),
)


class Hand:
    """Turns beats of a phrase into places: the tempo bends over the phrase and is torn from step to step."""

    def __init__(self, phrase: LetterPhrase, start: float, beats: float, holds: list[float], number: int) -> None:
        rng = np.random.default_rng(seed_of("unsent letter", number))
        self.beats = np.linspace(-1.0, beats + 1.0, round((beats + 2.0) * 50) + 1)
        part = np.clip(self.beats / beats, 0, 1)
        peak = rng.uniform(0.4, 0.65)  # where in the phrase it hurries most
        hurry = np.exp(-(((part - peak) / 0.27) ** 2))
        torn = np.interp(self.beats, np.arange(-1.0, beats + 1.6, 0.45), rng.normal(0, 0.26, len(_steps(beats))))
        pace = phrase.pace * np.exp(phrase.bend * (0.55 - hurry) + torn)
        pace *= 1 + 0.9 * phrase.bend * np.clip((part - 0.82) / 0.18, 0, 1) ** 2
        for hold in holds:  # a fermata stretches the time around its note
            pace *= 1 + 1.1 * np.clip(1 - np.abs(self.beats - hold - 0.2) / 0.45, 0, 1)
        seconds = np.concatenate([[0.0], np.cumsum((pace[1:] + pace[:-1]) / 2 * np.diff(self.beats))])
        self.seconds = seconds - np.interp(0.0, self.beats, seconds) + start

    def at(self, beat: float) -> float:
        """Where a beat of the phrase lies."""
        return float(np.interp(beat, self.beats, self.seconds))


def _steps(beats: float) -> FloatArray:
    return np.arange(-1.0, beats + 1.6, 0.45)


def note(name: str) -> int:
    """The key of a note; a double flat is lowered twice."""
    return key(name.replace("bb", "b")) - 1 if "bb" in name else key(name)


def melody(text: str) -> tuple[list[tuple[float, float, int]], list[float], float]:
    """Notes as (beat, beats, key), where the fermatas are, and how long the text is."""
    notes, holds, at = [], [], 0.0
    for token in text.split():
        name, _, length = token.rstrip("*").partition(":")
        if token.endswith("*"):
            holds.append(at)
        if name != "r":
            notes.append((at, float(length), note(name)))
        at += float(length)
    return notes, holds, at


def compose() -> Song:
    """Write the letter."""
    form = Form(60, "2/4", tail=2.0)
    form.section("nocturne", LENGTH // 2)
    song = Song(
        "unsent_letter",
        {
            "title": "Unsent Letter",
            "artist_name": "Irma Valk",
            "description": "A nocturne for piano alone in free time: it hesitates, hurries, stops, and starts again.",
            "tags": ["piano", "nocturne", "rubato", "intimate"],
            "moods": ["tender", "melancholic", "intimate"],
            "genres": ["classical", "solo piano"],
            "instruments": ["piano"],
            "bpm": None,
            "energy": 0.22,
            "explicit": False,
            "instrumental": True,
            "expected_refusal": "low_confidence",
        },
        form,
        "Db",
        "major",
        kind="refusal",
        seed=41,
        lufs=-17.0,
        quality=0.2,
        has_pulse=False,
        traits=("rubato", "no steady pulse", "fermatas"),
    )
    song.spaces = {"room": reverb(1.1, 12, 0.75, seed=41), "hall": reverb(3.0, 28, 0.68, seed=42)}
    song.bus = (low_shelf(100, 1.0), compress(-4, 1.5, 30, 250))
    piano = song.add(
        "piano",
        Sampled(0),
        ChannelStrip(-18, 0, (highpass(32), bell(280, -2), high_shelf(4500, 2.5)), {"room": -15, "hall": -13}),
        loose_ms=0,
        touch=3,
    )
    start = 0.6
    for number, phrase in enumerate(PHRASES):
        start = write_phrase(piano, phrase, start, number) + phrase.pause
    if start > LENGTH:
        raise ValueError(f"the letter lasts {start:.1f} s")
    return song


def write_phrase(piano: Part, phrase: LetterPhrase, start: float, number: int) -> float:
    """Write both hands of a phrase; returns where it ends."""
    rng = np.random.default_rng(seed_of("unsent letter, touch", number))
    notes, holds, beats = melody(phrase.right)
    beats = max([beats, *(place + length for place, length, _, _ in phrase.left)])
    hand = Hand(phrase, start, beats, holds, number)
    highest = max(pitch for _, _, pitch in notes)
    for beat, length, pitch in notes:
        lag = rng.uniform(0.01, 0.09) if length > 0.45 else 0.0  # the tune comes after the bass
        at, until = hand.at(beat) + lag, hand.at(beat + length)
        loud = phrase.loud + 14 + (pitch - highest) // 2 + (6 if length > 1 else -4)
        piano.play(at, max(0.2, until - at + 0.08), pitch, loud + int(rng.integers(-5, 6)))
        if number in (7, 3) and length > 1:  # octaves where it is loudest
            piano.play(at + rng.uniform(0.0, 0.03), max(0.2, until - at), pitch - 12, loud - 14)
    first = min((place for place, *_ in phrase.left), default=beats)
    if first > 0:
        piano.pedal(start, hand.at(first) + (phrase.pause if first == beats else 0.0))
    for row, (place, length, names, count) in enumerate(phrase.left):
        keys = [note(name) for name in names.split()]
        at, until = hand.at(place), hand.at(place + length)
        following = phrase.left[row + 1][0] if row + 1 < len(phrase.left) else None
        piano.pedal(at, hand.at(beats) + phrase.pause if following is None else hand.at(following))
        if count == 0:
            for n, pitch in enumerate(keys):
                rolled = at + n * rng.uniform(0.05, 0.13)
                piano.play(rolled, until - rolled + 0.2, pitch, phrase.loud - 2 * (n % 2) + (4 if n == 0 else 0))
            continue
        shares = np.cumsum(np.concatenate([[0.0], rng.lognormal(0.0, 0.3, count)]))
        order = [0, *rng.permutation(np.arange(1, len(keys))).tolist()]
        for n in range(count):
            beat = place + length * shares[n] / shares[-1]
            index = n if n < len(keys) else order[1 + n % (len(keys) - 1)]
            shade = int(rng.integers(-6, 5)) - 8 * (n > 0)
            piano.play(hand.at(beat), max(0.3, until - hand.at(beat)), keys[index], phrase.loud + shade)
    return hand.at(beats)
