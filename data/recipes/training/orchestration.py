"""Dresses a tune: the same melody and chords as a march, a waltz band, a string quartet, a reggae or a music box.

A tune keeps its metre and its beat, whatever it wears. What is tapped is written with the tune (`Q` in its file):
reels, breakdowns and fast cut-time music have two beats of a half note to the bar (a listener taps 95 to 120 a
minute, not 200), hornpipes and rags that are played at a walking pace four quarters or two, jigs two dotted quarters,
slip jigs three, waltzes three quarters however fast, slow 3/8 eighths.

An `Outfit` says who plays and in which rhythm. Rhythms are given by the beat, as rows of `writing`: a cell for the
strong beats of a bar (the first, the third of four, the first of each group of an odd bar), and one for the others,
for bars of two beats, of more, and for beats that divide into three. The form follows how tunes are used: an
introduction on the chords of the last phrase, the tune two to six times with players entering, resting and changing,
perhaps a chorus without melody, a new key for the last one, a tag or a held chord, a ritardando.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data.recipes.engine.harmony import bass_class, chord
from data.recipes.training.abc_notation import AbcTune
from data.recipes.training.composition import ComposedNote, ComposedPart, Role, Score, TempoChange
from data.recipes.training.writing import (
    DRUMS,
    STROKES,
    Bar,
    Chord,
    ChordSpan,
    Harmony,
    Rng,
    bass_notes,
    chance,
    drum_notes,
    fill_notes,
    melodic_steps,
    pick,
    vary_rows,
    voice,
)  # fmt: skip

Cells = tuple[str, str, str]
"""`strong weak` for bars of two beats, of more beats, and of beats in three"""

CHORDS: dict[str, Cells] = {
    "oompah": ("..x. ..x.", ".... x-..", "..x ..x"),
    "oompah two": (".... x-..", ".... x-x.", "... x.x"),
    "block": ("x--- x---", "x--- x---", "x-- x--"),
    "bars": ("x--- ----", "x--- ----", "x-- ---"),
    "offbeat": ("..x. ..x.", "..x. ..x.", "..x ..x"),
    "chop": ("..X. ..X.", ".... X...", "... X.."),
    "strum": ("x.xo x.xo", "x--- x-x-", "x-x x-x"),
    "strum full": ("xoXo xoXo", "x-o- X-oo", "xox Xox"),
    "quavers": ("x-x- x-x-", "x-x- x-x-", "xxx xxx"),
    "staccato": ("x.x. x.x.", "x.x. x.x.", "x.x x.x"),
    "push": ("x--x --x-", "x--- --x-", "x-x --x"),
    "jazz": ("x..x ....", "x-.. ..x.", "x.. ..x"),
    "jazz late": ("..x. ...x", "...x x-..", "..x ..x"),
    "clave": ("x..x ..x.", "x-.x ..x.", "x.x .x."),
    "stabs": ("X... ....", "X... ....", "X.. ..."),
}
FIGURES: dict[str, Cells] = {
    "alberti": ("0212 0212", "0-2- 1-2-", "012 012"),
    "rising": ("0123 0123", "0-1- 2-3-", "012 321"),
    "rolling": ("0123 2101", "0123 2101", "012 342"),
    "picking": ("0-2- 1-3-", "0-2- 1-3-", "0-2 1-3"),
    "picked fast": ("0213 0231", "0213 0231", "021 321"),
    "sequence": ("0312 4312", "0121 3121", "013 423"),
}
BASSES: dict[str, Cells] = {
    "roots": ("1--- 1---", "1--- 1---", "1-- 1--"),
    "downbeats": ("1--- ----", "1--- ----", "1-- ---"),
    "two": ("1--. 5--.", "1--- ....", "1-- 5--"),
    "alternating": ("1-.. 5-..", "1--- 5---", "1-. 5-."),
    "quavers": ("1-1- 1-1-", "1-1- 1-1-", "1-1 1-1"),
    "octaves": ("1-8- 1-8-", "1-8- 1-8-", "1-8 1-8"),
    "offbeat": (".-1- .-1-", "..1- ..1-", "..1 ..1"),
    "latin": ("1--5 5--1", "1--. --5-", "1-- -5-"),
    "reggae": ("1--. 1-5.", "1--1 ..5-", "1-. .5-"),
    "walking": ("1-3- 5-a-", "1--- 3---", "1-3 5-a"),
}
GROOVES: dict[str, dict[str, Cells]] = {
    "rock": {
        "kick": ("x... ....", "x... ....", "x.. ..."),
        "snare": (".... X...", ".... X...", "... X.."),
        "hat": ("x.x. x.x.", "x.x. x.x.", "xox xox"),
    },
    "rock busy": {
        "kick": ("x..x ..x.", "x.x. ..o.", "x.x ..o"),
        "snare": (".... X..g", "...g X..g", "... X.g"),
        "hat": ("xoxo xoxo", "xoxo xoxo", "xox xox"),
    },
    "train": {"kick": ("x... x...", "x... x...", "x.. x.."), "snare": ("g.Xg g.Xg", "goXo goXo", "g.X g.X")},
    "polka": {"kick": ("x... x...", "x... ....", "x.. x.."), "snare": ("..x. ..x.", ".... x...", "..x ..x")},
    "march": {
        "kick": ("x... x...", "x... x...", "x.. x.."),
        "snare": ("x.xx x.x.", "x.xx x.x.", "x.x x.x"),
        "crash": ("o... ....", "o... ....", "o.. ..."),
    },
    "field": {"kick2": ("x... ....", "x... ....", "x.. ..."), "snare": ("Xoxo xoxx", "X.oo x.x.", "Xox x.o")},
    "waltz": {"kick": ("x... ....", "x... ....", "x.. ..."), "hat": (".... x...", ".... x...", "... x..")},
    "brushes": {"snare": ("x.oo xooo", "o... x.o.", "o.. x.o"), "pedal": (".... x...", ".... x...", "... x..")},
    "swing": {
        "ride": ("x... x.o.", "x... x.x.", "x.. x.o"),
        "pedal": (".... x...", ".... x...", "... x.."),
        "kick": ("g... g...", "g... g...", "g.. g.."),
    },
    "house": {
        "kick": ("X... X...", "X... X...", "X.. X.."),
        "open": ("..x. ..x.", "..x. ..x.", "..x ..x"),
        "clap": (".... x...", ".... x...", "... x.."),
    },
    "disco": {
        "kick": ("x... x...", "x... x...", "x.. x.."),
        "snare": (".... X...", ".... X...", "... X.."),
        "hat": ("oxoo oxoo", "o.x. o.x.", "oox oox"),
    },
    "one drop": {
        "kick": (".... X...", ".... X...", "... X.."),
        "stick": (".... x...", ".... x...", "... x.."),
        "hat": ("x.x. x.xo", "x.x. x.xo", "xox xox"),
    },
    "ska": {
        "kick": ("x... x...", "x... ....", "x.. x.."),
        "snare": (".... x...", ".... X...", "... X.."),
        "hat": ("..x. ..x.", "..x. ..x.", "..x ..x"),
    },
    "bossa": {
        "kick": ("x..x x..x", "x..x x..x", "x.x x.x"),
        "stick": ("x..x ..x.", "x... ..x.", "x.. ..x"),
        "hat": ("xoxo xoxo", "x.x. x.x.", "xox xox"),
    },
    "lo-fi": {
        "kick": ("x... ...o", "x..o ....", "x.. ..."),
        "snare": (".... x...", ".... x...", "... x.."),
        "hat": ("x.xg x.x.", "x.xg x.x.", "x.o x.o"),
    },
    "bodhran": {"tumba": ("X.oo x.oo", "X.oo x.o.", "Xoo xoo")},
    "bodhran syncopated": {
        "tumba": ("X..o .ox.", "Xo.o x.o.", "X.o o.x"),
        "claves": ("..o. ..o.", "..o. ..o.", "..o ..o"),
    },
    "spoons": {"block1": ("x.ox x.ox", "x.ox x.ox", "xox xox")},
    "tambourine": {"tamb": ("xoXo xoXo", "x.o. X.o.", "xoo Xoo")},
    "shaker": {"cabasa": ("xoxo xoxo", "xoxo xoxo", "xox xox"), "kick": ("x... ....", "x... ....", "x.. ...")},
    "cajon": {"kick": ("x... ..o.", "x... ..o.", "x.. ..o"), "stick": ("..g. x...", "..g. x...", "..g x..")},
    "latin": {
        "conga": ("..o. .oxx", "..o. ..xx", "..o .xx"),
        "claves": ("x..x ..x.", "x... ..x.", "x.. .x."),
        "maracas": ("xoxo xoxo", "x.x. x.x.", "xox xox"),
    },
    "stomp": {"kick": ("X... ....", "X... ....", "X.. ..."), "clap": (".... X...", ".... X...", "... X..")},
    "break": {
        "kick": ("x.x. ....", "x.x. ..x.", "x.x ..x"),
        "snare": (".g.. X..g", ".... X.gg", "..g X.g"),
        "hat": ("x.x. x.x.", "x.x. x.x.", "xox xox"),
    },
    "concert": {"kick2": ("x... ....", "x... ....", "x.. ...")},
}

FIDDLES, FLUTES, REEDS, FREE_REEDS = (40, 40, 110), (73, 74, 75, 72), (68, 71, 64, 65), (21, 22, 23)
PIANOS, ORGANS, GUITARS, EPIANOS = (0, 0, 1, 2, 3), (16, 19, 19, 20), (24, 25, 25), (4, 5)
STRINGS, BRASS, SYNTHS = (48, 49, 48, 40), (56, 57, 60, 61), (80, 81, 82, 83, 84, 87)
EVERY = "2 3 4 t odd"


class Accompanist(NamedTuple):
    """One accompanist: `manner` is chords, figure, pad, counter, thirds, hymn, drone or timpani."""

    manner: str
    role: Role
    programs: Sequence[int]
    patterns: Sequence[str] = ()
    there: float = 1.0
    """share of pieces that have it"""
    low: int = 52
    high: int = 76


@dataclass(frozen=True)
class Outfit:
    """A band and its manner."""

    leads: Sequence[int]
    players: Sequence[Accompanist] = ()
    basses: Sequence[int] = ()
    bass: Sequence[str] = ()
    grooves: Sequence[str] = ()
    kits: Sequence[int] = (0,)
    drums_there: float = 1.0
    metres: str = EVERY
    tempo: tuple[float, float] = (0.9, 1.12)
    """range of the tempo relative to the tune's own"""
    swing: tuple[float, float] = (0.5, 0.5)
    rubato: tuple[float, float] = (0.0, 0.015)
    folk: bool = False
    """ornaments, drones; for dances"""
    limits: tuple[float, float] = (50.0, 200.0)
    """beats a minute between which the outfit makes sense"""
    level: int = 90
    extra: frozenset[str] = field(default_factory=frozenset)


def _chords(programs: Sequence[int], *patterns: str, there: float = 1.0, low: int = 52, high: int = 76) -> Accompanist:
    return Accompanist("chords", "chords", programs, patterns, there, low, high)


def _figure(programs: Sequence[int], *patterns: str, there: float = 1.0, low: int = 48, high: int = 76) -> Accompanist:
    return Accompanist("figure", "riff", programs, patterns, there, low, high)


def _pad(programs: Sequence[int], there: float = 1.0, low: int = 52, high: int = 74) -> Accompanist:
    return Accompanist("pad", "pad", programs, (), there, low, high)


def _line(manner: str, programs: Sequence[int], there: float = 0.5) -> Accompanist:
    return Accompanist(manner, "counter", programs, (), there)


OUTFITS: dict[str, Outfit] = {
    "piano": Outfit(
        PIANOS,
        (_chords((0,), "oompah", "block", "bars", "staccato", low=48, high=66),),
        (0,),
        ("downbeats", "two", "roots", "alternating"),
        rubato=(0.0, 0.08),
    ),
    "piano figures": Outfit(
        PIANOS,
        (_figure((0,), "alberti", "rising", "rolling", "sequence", low=43, high=67),),
        (0,),
        ("downbeats",),
        rubato=(0.01, 0.12),
        tempo=(0.8, 1.1),
    ),
    "stride": Outfit(
        (0, 1, 3),
        (_chords((0, 3), "oompah", low=50, high=67),),
        (0, 3),
        ("two", "alternating"),
        metres="2 4",
        swing=(0.5, 0.62),
    ),
    "hymn": Outfit(
        (0, 19, 19, 16, 20),
        (Accompanist("hymn", "chords", (19, 16, 0, 20, 52)),),
        (19, 16, 0),
        ("roots",),
        rubato=(0.0, 0.04),
        tempo=(0.85, 1.05),
    ),
    "choir": Outfit(
        (52, 53, 54),
        (Accompanist("hymn", "chords", (52, 53)), _pad((19, 52, 48), 0.4)),
        (52, 53, 43),
        ("roots", "downbeats"),
        rubato=(0.01, 0.06),
        tempo=(0.85, 1.05),
    ),
    "quartet": Outfit(
        (40,),
        (
            _chords((40, 41, 48), "block", "quavers", "staccato", "oompah", "bars"),
            _line("thirds", (40, 41), 0.5),
            _line("counter", (41, 42), 0.6),
        ),
        (42,),
        ("roots", "downbeats", "two"),
        rubato=(0.0, 0.05),
    ),
    "pizzicato": Outfit(
        (40, 73, 68, 71),
        (_chords((45,), "oompah", "offbeat", "staccato"), _figure((45, 46), "rising", "alberti", there=0.4)),
        (45, 43, 32),
        ("two", "alternating", "roots"),
    ),
    "orchestra": Outfit(
        (48, 40, 73, 68, 60, 56),
        (
            _pad((48, 49)),
            _chords((60, 61, 48), "stabs", "quavers", "oompah", there=0.7),
            _line("counter", (60, 42, 71)),
            _line("thirds", (68, 73, 71, 48)),
            Accompanist("timpani", "bass", (47,), (), 0.6),
        ),
        (43, 48),
        ("roots", "downbeats", "quavers"),
        ("concert", "march"),
        (48,),
        0.4,
        rubato=(0.0, 0.06),
    ),
    "wind band": Outfit(
        (56, 71, 73, 72, 68),
        (
            _chords((60, 61, 57), "oompah", "staccato", "offbeat"),
            _line("thirds", (71, 56)),
            _line("counter", (57, 64, 60), 0.6),
        ),
        (58,),
        ("two", "alternating", "roots"),
        ("march", "field", "polka"),
        (48, 0),
    ),
    "brass": Outfit(
        (56, 61, 60),
        (_chords((57, 60, 61), "block", "oompah", "staccato", "bars"), _line("thirds", (56, 57))),
        (58,),
        ("roots", "two", "downbeats"),
        ("field", "march"),
        (48,),
        0.3,
    ),
    "organ": Outfit(
        ORGANS,
        (_chords((19, 16, 17), "bars", "block", low=48, high=69), _line("counter", (19, 20))),
        (19, 16),
        ("roots", "downbeats"),
        rubato=(0.0, 0.04),
    ),
    "guitar and flute": Outfit(
        (73, 74, 40, 71),
        (_figure(GUITARS, "picking", "picked fast", "rising", "alberti"),),
        (24, 32),
        ("downbeats", "two"),
        rubato=(0.0, 0.05),
    ),
    "accordion": Outfit(
        (21, 23, 21, 22),
        (
            _chords((21, 23, 15), "oompah", "offbeat"),
            _line("thirds", (21, 71, 40)),
        ),
        (43, 32, 58, 21),
        ("two", "alternating"),
        ("polka", "waltz", "brushes"),
        (0, 40),
        0.5,
        folk=True,
    ),
    "folk band": Outfit(
        (*FIDDLES, 73, 75, 21, 105, 109),
        (
            _chords((25, 24, 105, 25), "strum", "strum full", "oompah"),
            _line("thirds", (40, 110, 21), 0.3),
            _pad((21, 20), 0.25),
        ),
        (32, 33, 43),
        ("roots", "two", "alternating"),
        ("bodhran", "bodhran syncopated", "spoons", "tambourine", "cajon"),
        (0, 8),
        0.7,
        folk=True,
    ),
    "session": Outfit(
        (*FIDDLES, *FLUTES, 21, 105),
        (_line("octave", (40, 73, 21, 105), 0.7), _chords((25, 105), "strum full", "strum", there=0.4)),
        (),
        (),
        ("bodhran", "bodhran syncopated", "spoons"),
        (0,),
        0.6,
        folk=True,
    ),
    "drone": Outfit(
        (109, 111, 110, 75, 68, 21),
        (Accompanist("drone", "pad", (109, 20, 42, 21)),),
        (),
        (),
        ("bodhran", "tambourine"),
        (0,),
        0.35,
        folk=True,
        rubato=(0.0, 0.04),
    ),
    "string band": Outfit(
        (40, 110, 105, 22),
        (_chords((25, 105), "chop", "strum"), _figure((105, 25), "picked fast", "rolling", there=0.6)),
        (32,),
        ("two", "alternating"),
        ("spoons", "train"),
        (40, 0),
        0.3,
        folk=True,
    ),
    "country": Outfit(
        (25, 26, 110, 22),
        (
            _chords((25, 25), "strum", "strum full", "chop"),
            _pad((49, 16), 0.3),
            _figure((25, 26), "picking", there=0.4),
        ),
        (33, 32),
        ("two", "alternating"),
        ("train", "rock", "brushes", "waltz"),
        (0, 40, 8),
    ),
    "jazz combo": Outfit(
        (56, 65, 66, 71, 11, 59),
        (_chords((0, 26, 0), "jazz", "jazz late", "push"),),
        (32,),
        ("walking", "two"),
        ("swing", "brushes"),
        (32, 40),
        swing=(0.58, 0.68),
        metres="2 3 4",
    ),
    "dixieland": Outfit(
        (56, 71),
        (_line("thirds", (71, 57), 0.8), _line("counter", (57, 71), 0.8), _chords((105, 0), "oompah", "block")),
        (58, 32),
        ("two", "alternating", "walking"),
        ("polka", "swing", "march"),
        (0, 32),
        swing=(0.54, 0.66),
        metres="2 3 4",
    ),
    "rock band": Outfit(
        (29, 30, 27, 80),
        (_chords((29, 30, 27), "quavers", "push", "block", low=45, high=64), _pad((16, 18), 0.3)),
        (33, 34),
        ("quavers", "roots", "two"),
        ("rock", "rock busy", "stomp", "break"),
        (16, 0, 8),
        tempo=(0.85, 1.2),
        limits=(70, 180),
    ),
    "pop": Outfit(
        (80, 81, 0, 4, 73),
        (
            _pad((88, 89, 90, 50)),
            _chords((0, 4, 81), "push", "quavers", "clave", there=0.7),
            _figure((81, 46, 98, 11), "rolling", "rising", "sequence", there=0.5),
        ),
        (38, 39, 33),
        ("quavers", "roots", "octaves", "latin"),
        ("rock", "house", "disco", "break"),
        (24, 25, 8),
        limits=(70, 150),
    ),
    "club": Outfit(
        SYNTHS,
        (
            _pad((89, 90, 95), 0.7),
            _chords((81, 90, 62), "offbeat", "push", "clave"),
            _figure((81, 84, 80), "rolling", "sequence", "picked fast", there=0.6),
        ),
        (38, 39, 87),
        ("offbeat", "octaves", "quavers"),
        ("house", "disco"),
        (24, 25),
        metres="2 4",
        limits=(85, 150),
        tempo=(0.9, 1.15),
    ),
    "reggae": Outfit(
        (26, 56, 66, 73, 22),
        (_chords((27, 16, 28), "offbeat"), _chords((16, 18), "offbeat", there=0.5)),
        (33, 35),
        ("reggae", "latin", "roots"),
        ("one drop", "house"),
        (0, 8),
        metres="2 4 t",
        limits=(60, 130),
        tempo=(0.75, 1.0),
    ),
    "ska": Outfit(
        (56, 57, 66, 65),
        (_chords((27, 0, 61), "offbeat"), _line("thirds", (57, 65))),
        (33, 34),
        ("walking", "quavers"),
        ("ska", "rock"),
        (0, 8),
        metres="2 4",
        limits=(80, 180),
    ),
    "bossa": Outfit(
        (73, 66, 11, 24, 52),
        (_chords((24, 24, 4), "clave", "push", "jazz"), _pad((48, 89), 0.3)),
        (32, 33),
        ("latin",),
        ("bossa", "shaker", "latin"),
        (40, 0),
        metres="2 4",
        limits=(60, 170),
        tempo=(0.8, 1.0),
    ),
    "latin": Outfit(
        (56, 73, 24, 12, 21),
        (_chords((0, 25, 21), "clave", "offbeat", "quavers"), _line("thirds", (56, 73))),
        (32, 33),
        ("latin", "two"),
        ("latin", "bossa"),
        (0,),
        limits=(60, 180),
    ),
    "waltz band": Outfit(
        (40, 21, 71, 48, 73),
        (_chords((21, 0, 48, 61), "oompah"), _line("thirds", (40, 71), 0.6), _pad((48, 49), 0.3)),
        (32, 43, 58),
        ("downbeats", "two"),
        ("waltz", "brushes"),
        (0, 40, 48),
        0.6,
        metres="3",
        rubato=(0.0, 0.04),
    ),
    "lo-fi": Outfit(
        (4, 5, 0, 11, 24),
        (_chords((4, 5, 26), "bars", "push", "jazz"), _pad((89, 49), 0.4)),
        (32, 33, 39),
        ("roots", "latin", "downbeats"),
        ("lo-fi", "break"),
        (8, 25, 40),
        swing=(0.5, 0.62),
        limits=(60, 110),
        tempo=(0.7, 1.0),
    ),
    "music box": Outfit(
        (10, 10, 8, 9, 14),
        (_figure((10, 46, 8, 11), "alberti", "rising", "rolling"),),
        (),
        (),
        rubato=(0.0, 0.05),
        tempo=(0.75, 1.05),
    ),
    "chiptune": Outfit(
        (80, 80, 81),
        (_figure((80, 81), "rolling", "picked fast", "alberti", "sequence"), _line("thirds", (80,), 0.4)),
        (80, 81, 38),
        ("octaves", "quavers", "two"),
        ("rock", "polka", "disco", "break"),
        (24, 25),
        0.8,
        limits=(70, 200),
        tempo=(0.95, 1.25),
    ),
    "alone": Outfit((*FIDDLES, 73, 75, 56, 0, 24, 53, 22, 79, 78), (), folk=True, rubato=(0.0, 0.04)),
    "harp and voice": Outfit(
        (52, 53, 68, 73),
        (_figure((46, 24, 6), "rising", "rolling", "alberti", "picking"),),
        (46, 43),
        ("downbeats",),
        rubato=(0.01, 0.08),
        tempo=(0.8, 1.05),
    ),
    "harpsichord": Outfit(
        (6, 73, 40, 68),
        (_chords((6,), "block", "quavers", "bars"), _line("counter", (6, 40), 0.5)),
        (42, 6, 70),
        ("roots", "quavers", "walking"),
        rubato=(0.0, 0.03),
    ),
    "barrel organ": Outfit(
        (82, 19, 16, 20),
        (_chords((16, 19, 20), "oompah", "offbeat"), _line("thirds", (16, 82), 0.7)),
        (58, 19),
        ("two", "alternating"),
        ("polka", "waltz", "march"),
        (0, 48),
        0.5,
    ),
    "stomp and clap": Outfit(
        (105, 25, 40, 52, 22),
        (_chords((25, 105), "strum", "quavers", "block"), _line("thirds", (52, 40), 0.5)),
        (32, 33),
        ("roots", "two"),
        ("stomp", "tambourine", "cajon"),
        (8, 0),
        limits=(60, 160),
    ),
}


# --- the form ------------------------------------------------------------------------------------------------------


class Stretch(NamedTuple):
    """Bars of the tune laid out in the piece: from bar `first`, `bars` of them, begun at beat `at`."""

    at: float
    first: int
    bars: int
    lift: int
    sung: bool
    turn: int
    kind: str


class Sung(NamedTuple):
    """A note of the melody in the piece, with the pass it belongs to."""

    at: float
    beats: float
    pitch: int
    turn: int


@dataclass
class TuneSheet:
    """A tune laid out over a whole piece: bars, chords, melody."""

    tune: AbcTune
    stretches: list[Stretch]
    bars: list[Bar]
    starts: list[int]
    """bars in which a stretch or a part of the tune begins"""
    turns: list[int]
    """of each bar the pass of the tune, -1 in the introduction"""
    harmony: Harmony
    melody: list[Sung]
    tonic: int

    @property
    def end(self) -> float:
        """The last beat's end."""
        return self.bars[-1].at + self.bars[-1].beats


def metre_class(tune: AbcTune) -> str:
    """2, 3, 4 (also 6), t for beats that divide into three, odd for the rest."""
    common = max(set(tune.bars), key=tune.bars.count)
    if tune.division == 3:
        return "t"
    return {1: "2", 2: "2", 3: "3", 4: "4", 6: "3"}.get(common, "odd")


def row(cells: Cells, beats: int, division: int, groups: Sequence[int] = ()) -> str:
    """The row of a bar: the strong cell on the beats that open a group, the weak one elsewhere."""
    strong, weak = cells[2 if division == 3 else 0 if beats <= 2 else 1].split()
    opens = {0, 2} if beats == 4 else {0, 3} if beats == 6 else {0}
    if groups:
        opens = {sum(groups[:place]) for place in range(len(groups))}
    return "".join(strong if beat in opens else weak for beat in range(beats))


def sung_chord(name: str, lift: int) -> Chord:
    """A chord symbol, transposed."""
    tones = chord(name)
    root = tones[0] + lift
    return Chord(root % 12, tuple(tone - tones[0] for tone in tones), (bass_class(name) + lift) % 12)


def _layout(rng: Rng, tune: AbcTune, bpm: float, lift: int) -> list[Stretch]:
    """Introduction, passes of the tune, tag and final bar, 45 to 100 s of them."""
    beat_s = 60.0 / bpm
    starts = np.concatenate(([0], np.cumsum(tune.bars)))
    whole = float(starts[-1]) * beat_s
    count = len(tune.bars)
    phrase = 4 if count % 4 == 0 else count if count < 8 else 2
    stretches: list[Stretch] = []
    at = 0.0

    def lay(first: int, bars: int, up: int, sung: bool, turn: int, kind: str) -> None:
        nonlocal at
        stretches.append(Stretch(at, first, bars, up, sung, turn, kind))
        at += float(starts[first + bars] - starts[first])

    aim = float(rng.uniform(46.0, 78.0))
    if chance(rng, 0.5) and count >= 4:
        bars = min(int(pick(rng, (2, 4, 4, 8))), count)
        lay(count - bars, bars, lift, chance(rng, 0.25), -1, "intro")
    raised = int(pick(rng, (1, 2, 2, 3, 5))) if chance(rng, 0.2) else 0
    silent = int(pick(rng, (1, 2))) if chance(rng, 0.2) else -1
    turn = 0
    while at * beat_s < aim:
        room = 97.0 - at * beat_s
        bars = count
        while bars > phrase and float(starts[bars]) * beat_s > room:
            bars -= phrase
        if turn and float(starts[bars]) * beat_s > room:
            break
        last = at * beat_s + whole >= aim
        lay(0, bars, lift + (raised if last and turn else 0), turn != silent, turn, "chorus")
        turn += 1
    up = stretches[-1].lift
    if chance(rng, 0.25) and at * beat_s < 80 and stretches[-1].bars == count:
        lay(count - min(phrase, 4), min(phrase, 4), up, True, turn - 1, "tag")
    if chance(rng, 0.6):
        lay(count - 1, 1, up, False, turn - 1, "end")
    return stretches


def lay_out(rng: Rng, tune: AbcTune, bpm: float, lift: int) -> TuneSheet:
    """A tune over a whole piece, `lift` semitones from its written key."""
    stretches = _layout(rng, tune, bpm, lift)
    starts = np.concatenate(([0], np.cumsum(tune.bars)))
    bars: list[Bar] = []
    opens: list[int] = []
    turns: list[int] = []
    spans: list[ChordSpan] = []
    melody: list[Sung] = []
    for stretch in stretches:
        low, high = float(starts[stretch.first]), float(starts[stretch.first + stretch.bars])
        shift = stretch.at - low
        for number in range(stretch.first, stretch.first + stretch.bars):
            if number == stretch.first or number in tune.sections:
                opens.append(len(bars))
            bars.append(Bar(float(starts[number]) + shift, tune.bars[number]))
            turns.append(stretch.turn)
        if stretch.kind == "end":
            name = "m" if tune.key.minor else ""
            root = (tune.key.tonic + stretch.lift) % 12
            spans.append(ChordSpan(stretch.at, high - low, Chord(root, (0, 3, 7) if name else (0, 4, 7), root)))
            continue
        spans += _spans(tune, low, high, shift, stretch.lift)
        if stretch.sung:
            pickup = float(tune.pickup) if stretch.first == 0 else 0.0
            begin = stretch.at - pickup
            melody = [
                note._replace(beats=min(note.beats, begin - note.at)) for note in melody if note.at < begin - 1e-6
            ]
            melody += [
                Sung(float(note.at) + shift, min(float(note.beats), high - float(note.at)), note.pitch + stretch.lift,
                     stretch.turn)
                for note in tune.notes
                if low - pickup - 1e-6 <= note.at < high - 1e-6
            ]  # fmt: skip
    if stretches[-1].kind == "end" and melody:
        degree = min(range(-6, 6), key=lambda step: ((melody[-1].pitch + step - spans[-1].chord.root) % 12, abs(step)))
        melody.append(Sung(stretches[-1].at, float(bars[-1].beats), melody[-1].pitch + degree, stretches[-1].turn))
    return TuneSheet(tune, stretches, bars, opens, turns, Harmony(spans), melody, (tune.key.tonic + lift) % 12)


def _spans(tune: AbcTune, low: float, high: float, shift: float, lift: int) -> list[ChordSpan]:
    """The chords of a stretch of the tune, the one that sounds at its beginning included."""
    inside = [place for place in tune.chords if low < place.at < high]
    sounding = next((place.name for place in reversed(tune.chords) if place.at <= low), tune.chords[0].name)
    places = [(low, sounding), *((float(place.at), place.name) for place in inside)]
    ends = [*(at for at, _ in places[1:]), high]
    return [
        ChordSpan(at + shift, end - at, sung_chord(name, lift)) for (at, name), end in zip(places, ends, strict=True)
    ]


# --- what players do -------------------------------------------------------------------------------------------------


def arrange(rng: Rng, name: str, tune: AbcTune, outfit: Outfit) -> Score:
    """A tune in an outfit, drawn anew each time: tempo, key, form, who plays when."""
    tempo = tune.bpm * float(rng.uniform(*outfit.tempo)) * float(np.exp(rng.normal() * 0.04))
    bpm = float(np.clip(tempo, *outfit.limits)) if tune.bpm < 220 else tempo
    bpm = float(round(bpm)) if chance(rng, 0.5) else bpm
    sheet = lay_out(rng, tune, bpm, int(rng.integers(-5, 7)))
    parts = [*_melody_parts(rng, sheet, outfit)]
    parts += [_accompany(rng, sheet, outfit, player) for player in outfit.players if chance(rng, player.there)]
    if outfit.basses:
        parts.append(_bass(rng, sheet, outfit))
    if outfit.grooves and chance(rng, outfit.drums_there):
        parts.append(_drums(rng, sheet, outfit))
    swing = _swing(rng, tune, outfit)
    ritard = [TempoChange(sheet.end - length, float(rng.uniform(0.6, 0.88)), length)
              for length in ([float(pick(rng, (2, 4, 4, 8)))] if chance(rng, 0.35) else [])]  # fmt: skip
    rubato = float(rng.uniform(*outfit.rubato))
    if tune.kind == "air" and not outfit.grooves:
        rubato = max(rubato, float(rng.uniform(0.0, 0.1)))
    pickup = int(tune.pickup) if sheet.stretches[0].kind == "chorus" and sheet.stretches[0].sung else 0
    tags = {"tune"} | ({"ritardando"} if ritard else set()) | ({"sparse"} if len(parts) == 1 else set())
    return Score(
        style=name, bpm=bpm, bars=[bar.beats for bar in sheet.bars], division=3 if tune.division == 3 else 2,
        parts=[part for part in parts if part.notes], pickup=pickup, swing=swing,
        swung=4 if metre_class(tune) == "2" else 2, tempo=ritard, rubato=rubato, tags=tags,
    )  # fmt: skip


def _swing(rng: Rng, tune: AbcTune, outfit: Outfit) -> float:
    """The outfit's swing, where the tune is not written in dotted pairs or triplets already."""
    uneven = sum(1 for note in tune.notes if note.beats.denominator % 3 == 0 or note.beats.numerator == 3)
    dotted = uneven > 0.2 * len(tune.notes) and metre_class(tune) != "3"
    if dotted or tune.division == 3:
        return 0.5
    if tune.kind == "hornpipe" and outfit.swing == (0.5, 0.5) and outfit.folk:
        return float(rng.uniform(0.56, 0.66))
    return float(rng.uniform(*outfit.swing))


def _playing(rng: Rng, sheet: TuneSheet, shy: float) -> set[int]:
    """Bars in which a player plays: enters with some pass, rests now and then for a part of the tune."""
    enters = int(rng.integers(0, 3)) if chance(rng, shy) else -1
    if chance(rng, 0.3) and enters < 0:
        enters = 0
    bars: set[int] = set()
    borders = [*sheet.starts, len(sheet.bars)]
    last = max(sheet.turns)
    for first, end in itertools.pairwise(borders):
        turn = sheet.turns[first]
        if turn < min(enters, last) or (first and turn >= 0 and chance(rng, 0.25 * shy)):
            continue
        bars.update(range(first, end))
    return bars


def _runs(sheet: TuneSheet, playing: set[int]) -> list[list[Bar]]:
    """The bars of a player in stretches of one metre, never beyond the final chord."""
    last = len(sheet.bars) - (1 if sheet.stretches[-1].kind == "end" else 0)
    runs: list[list[Bar]] = []
    for number in sorted(playing):
        if number >= last:
            continue
        bar = sheet.bars[number]
        joined = runs and runs[-1][-1].at + runs[-1][-1].beats == bar.at and runs[-1][-1].beats == bar.beats
        if joined and number not in sheet.starts:
            runs[-1].append(bar)
        else:
            runs.append([bar])
    return runs


def _row(sheet: TuneSheet, cells: Cells, beats: int) -> str:
    groups = sheet.tune.groups if sum(sheet.tune.groups) == beats else ()
    return row(cells, beats, sheet.tune.division, groups)


def _melody_parts(rng: Rng, sheet: TuneSheet, outfit: Outfit) -> list[ComposedPart]:
    """The tune: one leader throughout, or another from pass to pass; some notes ornamented."""
    leads = [int(pick(rng, outfit.leads)) for _ in range(2 if chance(rng, 0.4) else 1)]
    mean = float(np.mean([note.pitch for note in sheet.melody]))
    octave = 12 * round((float(rng.uniform(66, 77)) - mean) / 12)
    ornaments = float(rng.uniform(0.0, 0.25)) if outfit.folk else 0.0
    short = float(rng.uniform(0.75, 1.0))
    parts = [ComposedPart("melody", program, []) for program in dict.fromkeys(leads)]
    for note in sheet.melody:
        part = parts[max(note.turn, 0) % len(parts)]
        pitch = note.pitch + octave
        velocity = int(outfit.level + 8 * (abs(note.at - round(note.at)) < 1e-6) + rng.integers(-5, 6))
        if note.beats >= 0.4 and chance(rng, ornaments):
            part.notes.append(ComposedNote(note.at - 0.07, 0.07, pitch + 2, velocity - 15))
        part.notes.append(ComposedNote(note.at, max(note.beats * short, 0.05), pitch, velocity))
    if chance(rng, 0.15):
        parts.append(
            ComposedPart(
                "counter",
                pick(rng, outfit.leads),
                [
                    ComposedNote(
                        note.at,
                        note.beats * short,
                        note.pitch + octave + (12 if mean + octave < 72 else -12),
                        outfit.level - 15,
                    )
                    for note in sheet.melody
                    if note.turn > 0
                ],
            )
        )
    return parts


def _accompany(rng: Rng, sheet: TuneSheet, outfit: Outfit, player: Accompanist) -> ComposedPart:
    """One accompanist's notes, in one pattern or in a second one for later passes."""
    part = ComposedPart(player.role, int(pick(rng, player.programs)), [])
    if player.manner in ("thirds", "octave", "counter", "hymn", "drone", "timpani"):
        part.notes = _LINES[player.manner](rng, sheet)
        return part
    playing = _playing(rng, sheet, 0.35 if len(outfit.players) > 1 else 0.1)
    names = [pick(rng, player.patterns) for _ in range(2)] if player.patterns else []
    if names and chance(rng, 0.5):
        names = names[:1]
    level, short = float(rng.uniform(0.75, 0.95)), float(rng.uniform(0.5, 1.0))
    keys: list[int] = []
    held: Chord | None = None
    for number, bars in enumerate(_runs(sheet, playing)):
        beats = bars[0].beats
        if player.manner == "pad":
            for span in sheet.harmony.spans:
                if bars[0].at <= span.at < bars[-1].at + beats:
                    keys = voice(span.chord, keys, player.low, player.high)
                    part.notes += [ComposedNote(span.at, span.beats * 0.98, key, int(78 * level)) for key in keys]
            continue
        table = FIGURES if player.manner == "figure" else CHORDS
        text = _row(sheet, table[names[(number // 2) % len(names)]], beats)
        for step, now in melodic_steps(text, bars, beats, sheet.harmony):
            if now != held:
                keys, held = voice(now, keys, player.low, player.high), now
            if player.manner == "figure":
                octave, place = divmod(int(step.sign), len(keys))
                strong = 90 if step.at % 1 < 1e-6 else 80
                part.notes.append(
                    ComposedNote(step.at, step.beats * 1.1, keys[place] + 12 * octave, int(strong * level))
                )
            else:
                velocity = int(STROKES[step.sign] * 0.85 * level)
                part.notes += [ComposedNote(step.at, step.beats * short, key, velocity) for key in keys]
    if sheet.stretches[-1].kind == "end":
        final = sheet.harmony.spans[-1]
        keys = voice(final.chord, keys, player.low, player.high)
        part.notes += [ComposedNote(final.at, final.beats * 0.95, key, int(88 * level)) for key in keys]
    return part


def _thirds(rng: Rng, sheet: TuneSheet) -> list[ComposedNote]:
    """A second voice under the tune: the third below where the scale has it, else the next tone of the chord."""
    above = chance(rng, 0.2)
    first = int(pick(rng, (0, 1, 1)))
    notes = []
    for note in sheet.melody:
        if note.turn < first:
            continue
        classes = sheet.harmony.at(note.at).classes
        scale = {(tone + sheet.tonic - sheet.tune.key.tonic) % 12 for tone in sheet.tune.key.classes}
        steps = (3, 4) if above else (-3, -4)
        tones = [s for s in steps if (note.pitch + s) % 12 in classes] or [
            s for s in (-5, -4, -3) if (note.pitch + s) % 12 in classes
        ]
        tones = tones or [s for s in steps if (note.pitch + s) % 12 in scale] or [steps[0]]
        notes.append(ComposedNote(note.at, note.beats * 0.95, note.pitch + tones[0], 76))
    return notes


def _octave(rng: Rng, sheet: TuneSheet) -> list[ComposedNote]:
    """The tune once more, at the same place or an octave apart."""
    shift, first = int(pick(rng, (0, 0, -12, 12))), int(pick(rng, (0, 1, 1)))
    return [ComposedNote(n.at, n.beats * 0.95, n.pitch + shift, 80) for n in sheet.melody if n.turn >= first]


def _counter(rng: Rng, sheet: TuneSheet) -> list[ComposedNote]:
    """A slow line that goes from chord to chord by the smallest step."""
    first = int(pick(rng, (0, 1)))
    now = int(rng.integers(57, 66))
    notes = []
    for span in sheet.harmony.spans:
        classes = span.chord.classes
        near = [key for key in range(now - 6, now + 7) if key % 12 in classes and 50 <= key <= 72]
        now = min(near, key=lambda key: (abs(key - now) + 1.5 * rng.random(), key)) if near else now
        if span.at >= (sheet.end / 3 if first else 0):
            notes.append(ComposedNote(span.at, span.beats * 0.97, now, 74))
    return notes


def _hymn(rng: Rng, sheet: TuneSheet) -> list[ComposedNote]:
    """Inner voices that move with the tune, where it moves by the beat, and with the chords."""
    keys: list[int] = []
    places = {round(note.at, 4) for note in sheet.melody if abs(note.at - round(note.at)) < 1e-6}
    places |= {round(span.at, 4) for span in sheet.harmony.spans}
    order = sorted(place for place in places if place >= 0)
    notes = []
    for at, until in zip(order, [*order[1:], sheet.end], strict=True):
        keys = voice(sheet.harmony.at(at), keys, 50, 69, 3)
        notes += [ComposedNote(at, (until - at) * 0.96, key, int(rng.integers(70, 80))) for key in keys]
    return notes


def _drone(rng: Rng, sheet: TuneSheet) -> list[ComposedNote]:
    """Tonic and fifth, sounded anew with each part of the tune."""
    root = 36 + sheet.tonic % 12 + (12 if sheet.tonic % 12 < 4 else 0)
    keys = (root, root + 7, root + 12) if chance(rng, 0.7) else (root, root + 12)
    ends = [*(sheet.bars[number].at for number in sheet.starts[1:]), sheet.end]
    return [
        ComposedNote(sheet.bars[number].at, end - sheet.bars[number].at, key, 70)
        for number, end in zip(sheet.starts, ends, strict=True)
        for key in keys
    ]


def _timpani(rng: Rng, sheet: TuneSheet) -> list[ComposedNote]:
    """Tonic and dominant on downbeats where the chord has them, a roll before parts begin."""
    home = 41 + (sheet.tonic - 41) % 12
    keys = (home, home - 5 if home > 45 else home + 7)
    notes = []
    share = float(rng.uniform(0.3, 1.0))
    for number, bar in enumerate(sheet.bars):
        fitting = [key for key in keys if key % 12 in sheet.harmony.at(bar.at).classes]
        if fitting and (number in sheet.starts or chance(rng, share)):
            notes.append(ComposedNote(bar.at, 0.8, fitting[0], int(rng.integers(84, 110))))
        if fitting and number + 1 in sheet.starts and chance(rng, 0.5):
            at = bar.at + bar.beats - 1
            notes += [ComposedNote(at + place / 8, 0.12, fitting[0], 60 + 5 * place) for place in range(8)]
    return notes


_LINES = {
    "thirds": _thirds,
    "octave": _octave,
    "counter": _counter,
    "hymn": _hymn,
    "drone": _drone,
    "timpani": _timpani,
}


def _bass(rng: Rng, sheet: TuneSheet, outfit: Outfit) -> ComposedPart:
    """The bass, in one pattern or in two by turns; long notes join a single player's hands."""
    part = ComposedPart("bass", int(pick(rng, outfit.basses)), [])
    low = int(pick(rng, (28, 31, 33))) if part.program in (32, 33, 34, 35, 38, 39, 43, 58, 87) else 36
    names = [pick(rng, outfit.bass) for _ in range(2 if chance(rng, 0.3) else 1)]
    level, short = float(rng.uniform(0.85, 1.0)), float(rng.uniform(0.7, 1.0))
    for number, bars in enumerate(_runs(sheet, _playing(rng, sheet, 0.2))):
        text = _row(sheet, BASSES[names[(number // 2) % len(names)]], bars[0].beats)
        part.notes += bass_notes(text, bars, bars[0].beats, sheet.harmony, low, level, short, sheet.tune.key.minor)
    if sheet.stretches[-1].kind == "end":
        final = sheet.harmony.spans[-1]
        part.notes.append(ComposedNote(final.at, final.beats * 0.95, low + (final.chord.bass - low) % 12, 96))
    return part


def _drums(rng: Rng, sheet: TuneSheet, outfit: Outfit) -> ComposedPart:
    """The drums: one groove, or another for every other part of the tune, with fills into parts and crashes on them."""
    part = ComposedPart("drums", int(pick(rng, outfit.kits)), [])
    names = [pick(rng, outfit.grooves) for _ in range(2 if chance(rng, 0.3) else 1)]
    level = float(rng.uniform(0.8, 1.0))
    quiet = outfit.folk or names[0] in ("concert", "waltz", "brushes", "bossa", "lo-fi", "field")
    fills, crashes = (0.1, 0.05) if quiet else (float(rng.uniform(0.2, 0.7)), float(rng.uniform(0.2, 0.8)))
    for number, bars in enumerate(_runs(sheet, _playing(rng, sheet, 0.3))):
        beats = bars[0].beats
        groove = GROOVES[names[number % len(names)]]
        rows = {drum: _row(sheet, cells, beats) for drum, cells in groove.items()}
        rows = vary_rows(rng, rows, [name for name in rows if name not in ("hat", "ride")], 0.05)
        notes = drum_notes(rows, bars, beats, level)
        end = bars[-1].at + beats
        if len(bars) >= 4 and chance(rng, fills):
            length = min(int(pick(rng, (1, 1, 2, beats))), beats)
            notes = [note for note in notes if note.at < end - length - 1e-6]
            notes += fill_notes(rng, end - length, length, sheet.tune.division, level)
        if chance(rng, crashes):
            notes.append(ComposedNote(bars[0].at, 1.0, DRUMS["crash"], int(104 * level)))
        part.notes += notes
    if sheet.stretches[-1].kind == "end" and not quiet:
        part.notes += [
            ComposedNote(sheet.bars[-1].at, 1.0, DRUMS[drum], int(106 * level)) for drum in ("crash", "kick")
        ]
    return part
