"""Rock and what surrounds it: straight and shuffled, punk to metal, ballads, odd metres."""

from __future__ import annotations

from typing import Literal

from data.recipes.training.arranging import (
    BASSES,
    BLUES,
    BLUES_MINOR,
    CLEANS,
    DRIVES,
    EPIANOS,
    KEYS,
    LOOP,
    ORGANS,
    POP,
    ROCK,
    ROCK_MINOR,
    SONG,
    STEELS,
    STRINGS,
    VOICES,
    bass,
    beat,
    figure,
    lead,
    pad,
    play,
    riff,
    strum,
)
from data.recipes.training.composition import Score, style
from data.recipes.training.writing import Rng, chance, draw_bpm, pick

HARMONY = {"major": ROCK, "mixolydian": ROCK, "minor": ROCK_MINOR}
VERSE = (
    {"kick": "X...x...", "snare": "..X...X.", "hat": "xoxoxoxo"},
    {"kick": "X..xx...", "snare": "..X...X.", "hat": "xoxoxoxo"},
    {"kick": "X....x..", "snare": "..X...X.", "hat": "xoxoxoxo"},
    {"kick": "X.. .x. x..", "snare": "..X...X.", "hat": "xoxoxoxo"},
    {"kick": "X...x..x|X..xx...", "snare": "..X...X.", "hat": "xxxxxxxx"},
    {"kick": "X.x.x...", "snare": "..X...X.", "hat": "x.x.x.x."},
    {"kick": "X......x x.x.....", "snare": "....X..g.g..X...", "hat": "x.o.x.o.x.o.x.o."},
    {"kick": "X...x...", "stick": "..X...X.", "hat": "xoxoxoxo"},
    {"kick": "X...x.x.", "tom3": "xoxoxoxo", "snare": "..X...X."},
)
CHORUS = (
    {"kick": "X..xx...", "snare": "..X...X.", "ride": "x.x.x.x."},
    {"kick": "X.xxx...", "snare": "..X...X.", "crash": "x.x.x.x."},
    {"kick": "X...xx..", "snare": "..X...X.", "open": "x.x.x.x."},
    {"kick": "X..xx.x.", "snare": "..X...X.", "bell": "xoxoxoxo"},
    {"kick": "X.x..x..", "snare": "..X...X.", "ride": "xoxoxoxo"},
    {"kick": "x.x.x.x.", "snare": "..X...X.", "crash2": "x.x.x.x."},
)
HALF = (
    {"kick": "X.....x.", "snare": "....X...", "hat": "x.x.x.x."},
    {"kick": "X..x..x.", "snare": "....X...", "ride": "x.x.x.x."},
    {"kick": "X.x....x", "snare": "....X...", "open": "x.x.x.x."},
)
DRUMS = {"verse": VERSE, "chorus": (*CHORUS, *VERSE[:3]), "bridge": (*HALF, *VERSE)}
EIGHTHS = ("11111111", "1---1---", "11.11.1a", "1-.11-1a", "1.1.5.1a", "11118811", "1-----1a", "1--1--1-")


@style("rock", 1.6)
def rock_straight(rng: Rng) -> Score:
    """Straight eighths with a backbeat."""
    layers = [
        beat(DRUMS, (0, 8, 16), 0.05),
        bass(EIGHTHS, BASSES),
        strum(
            "guitar",
            DRIVES,
            ("X---x-x-", "X-xxx-xx", "X.xX.xX.", "X-------", "X--X--X-", "xxxxxxxx"),
            40,
            shape="power",
        ),
        strum("second", CLEANS, ("x.xxx.xx", "..X...X.", "X--x--x-", "x-x-x-x-"), there=0.6, need=0.4),
        lead(VOICES),
        lead((29, 30, 27), "solo", 64, 88, (1.5, 2.5), name="solo"),
        strum("organ", ORGANS, ("X-------", "X---x---"), there=0.3),
    ]
    return play(rng, "rock_straight", draw_bpm(rng, 92, 168), HARMONY, layers)


@style("rock", 1.0)
def punk(rng: Rng) -> Score:
    """Fast and straight, the snare on the beats or between."""
    rows = (
        {"kick": "X...x...", "snare": "..X...X.", "hat": "x.x.x.x."},
        {"kick": "X..xx..x", "snare": "..X...X.", "open": "x.x.x.x."},
        {"kick": "X.xxX.x.", "snare": "..X...X.", "crash": "x.x.x.x."},
        {"kick": "x.x.x.x.", "snare": ".x.x.x.x", "hat": "x.x.x.x."},
    )
    layers = [
        beat({"verse": rows, "chorus": rows[1:], "bridge": HALF}, (0, 16), 0.03),
        bass(("11111111", "1-1-1-1-", "1111111a", "11115555"), (34, 33)),
        strum("guitar", DRIVES, ("xxxxxxxx", "X-xxX-xx", "X-x-x-x-", "Xx.xXx.x"), 40, shape="power"),
        lead((52, 53, 81, 30), density=(1.0, 2.2)),
    ]
    return play(rng, "punk", draw_bpm(rng, 158, 205), HARMONY, layers, breaks=0.2)


@style("rock", 0.9)
def half_time_rock(rng: Rng) -> Score:
    """Heavy and slow, the snare on three, choruses sometimes at full speed."""
    rows = {"verse": HALF, "chorus": HALF if chance(rng, 0.5) else CHORUS, "bridge": VERSE}
    layers = [
        beat(rows, (0, 16), 0.05),
        bass(("1-----1a", "1-1--1--", "1-------", "1..1..1a"), (34, 33)),
        strum("guitar", DRIVES, ("X-------", "X--X--X-", "X-..X-..", "X-xX-xX-"), 40, shape="power"),
        figure("arp", CLEANS, ("01231231", "0-2-1-2-", "02132031"), there=0.7),
        lead(VOICES),
    ]
    return play(rng, "half_time_rock", draw_bpm(rng, 104, 158), HARMONY, layers, tags=("half_time",))


@style("rock", 1.0)
def shuffle_rock(rng: Rng) -> Score:
    """A shuffle: boogie guitars, backbeat."""
    rows = (
        {"kick": "X.. ... x.. ...", "snare": "... X.. ... X..", "hat": "x.o x.o x.o x.o"},
        {"kick": "X.. ..x x.. ...", "snare": "... X.. ... X..", "ride": "x.x x.x x.x x.x"},
        {"kick": "X.. x.. x.. x..", "snare": "..g X.g ..g X.g", "hat": "x.x x.x x.x x.x"},
        {"kick": "X.x ... x.x ...", "snare": "... X.. ... X..", "open": "x.. x.. x.. x.."},
    )
    layers = [
        beat(rows, (0, 8, 16), 0.03),
        bass(("1-- 1-- 1-- 1--", "1-1 3-3 5-5 6-5", "1-- 3-- 5-- 6--", "1-1 1-1 1-1 1-a"), BASSES),
        strum("guitar", (*DRIVES, *CLEANS), ("x-x x-x x-x x-x", "X-. ..x ... ...", "... X.. ... X.."), 45),
        strum("piano", KEYS, ("xxx xxx xxx xxx", "... x.. ... x..", "x-x ..x ..x ..x"), there=0.5),
        lead((*VOICES, 22, 29)),
    ]
    bank = {"major": (*ROCK, *BLUES), "mixolydian": (*BLUES, *ROCK)}
    return play(rng, "shuffle_rock", draw_bpm(rng, 96, 168), bank, layers, division=3, tags=("swing",))


@style("rock", 1.0)
def slow_blues(rng: Rng) -> Score:
    """Twelve bars of 12/8, soloists that answer the voice."""
    rows = (
        {"kick": "X.. ... x.. ...", "snare": "... X.. ... X..", "hat": "xoo xoo xoo xoo"},
        {"kick": "X.. ..x x.. ...", "snare": "... X.. ... X..", "ride": "xox xox xox xox"},
        {"kick": "X.. ... x.x ..x", "stick": "... X.. ... X..", "hat": "x.x x.x x.x x.x"},
    )
    layers = [
        beat(rows, (0, 8, 40), 0.05, late_ms=8),
        bass(("1-- 1-- 3-- 5--", "1-- --1 3-- a--", "1-- 3-- 5-- a--", "1-- --- 5-- ---"), (33, 34, 32)),
        strum("organ", ORGANS, ("X-- --- --- ---", "... X.. ... X..", "..x x.. ..x x.."), there=0.6),
        strum("piano", KEYS, ("xxx xxx xxx xxx", "..x x.. ..x x.."), 58, 79, there=0.6),
        lead((27, 29, 22, 66, 53), "a b verse chorus solo", density=(1.0, 2.2), scale="blues"),
    ]
    forms = ("a12 a12 a12", "intro4 a12 b12 a12", "a12 b12")
    bpm = draw_bpm(rng, 46, 78)
    return play(
        rng,
        "slow_blues",
        bpm,
        {"mixolydian": BLUES, "minor": BLUES_MINOR},
        layers,
        forms,
        division=3,
        fills=0.8,
        rubato=float(rng.uniform(0, 0.03)),
        rings=0.8,
        ritard=0.3,
    )


@style("rock", 1.0)
def blues_shuffle(rng: Rng) -> Score:
    """Medium shuffle with a walking or boogie bass."""
    rows = (
        {"kick": "X.. x.. x.. x..", "snare": "... X.. ... X..", "ride": "x.x x.x x.x x.x"},
        {"kick": "X.. ... x.. ..x", "snare": "..g X.g ..g X.g", "hat": "x.o x.o x.o x.o"},
        {"pedal": "... x.. ... x..", "ride": "x.. x.x x.. x.x", "kick": "o.. o.. o.. o..", "stick": "... X.. ... X.."},
    )
    layers = [
        beat(rows, (0, 8, 32), 0.04),
        bass(("1-- 3-- 5-- 6--|8-- 6-- 5-- 3--", "1-- 3-- 5-- a--", "1-1 3-3 5-5 6-6", "1-- 1-- 5-- a--"), (32, 33)),
        strum("guitar", (26, 27), ("... X.. ... X..", "..X ... ..X ...", "X-- ..x ... ..."), 52, 74),
        strum("piano", KEYS, ("..x ..x ..x ..x", "X-. ..x --- ..."), 55, 77, there=0.7),
        lead((22, 27, 66, 65, 56, 29), "a b solo head", density=(0.9, 2.0), scale="blues"),
    ]
    forms = ("a12 b12 a12 b12 a12", "intro4 a12 a12 b12 a12", "intro2 a12 b12 a12 a12")
    bank = {"mixolydian": BLUES, "minor": BLUES_MINOR}
    return play(
        rng, "blues_shuffle", draw_bpm(rng, 84, 148), bank, layers, forms, division=3, tags=("swing",), rings=0.7
    )


@style("rock", 1.0)
def rock_ballad(rng: Rng) -> Score:
    """Quiet verses with broken chords, big choruses, strings."""
    rows = {
        "verse": (
            {"kick": "X.....x.", "stick": "..x...x.", "hat": "x.x.x.x."},
            {"kick": "X..x....", "snare": "....X...", "hat": "xoxoxoxo"},
        ),
        "chorus": (
            {"kick": "X..xx...", "snare": "..X...X.", "ride": "xoxoxoxo"},
            {"kick": "X..x.x..", "snare": "..X...X.", "crash": "x.x.x.x."},
        ),
    }
    layers = [
        beat(rows, (0, 8, 16), 0.06, need=0.5),
        bass(("1-------", "1-----1a", "1---5---", "1--1----"), (33, 35), need=0.45),
        figure("guitar", (24, 25, 26, 27), ("01232123", "0213", "0-121-2-", "02132132"), leaves=0.02),
        strum("piano", KEYS, ("X---x---", "x-x-x-x-", "X-------"), there=0.6),
        strum("power", DRIVES, ("X-------", "X--X----", "X-x-x-x-"), 40, shape="power", need=0.8),
        pad("strings", STRINGS, there=0.7, need=0.6),
        lead(VOICES, density=(0.6, 1.4)),
    ]
    return play(
        rng,
        "rock_ballad",
        draw_bpm(rng, 60, 96),
        {"major": POP, "minor": ROCK_MINOR},
        layers,
        rings=0.8,
        ritard=0.4,
        intros=("drumless", "alone"),
        lift=0.25,
    )


@style("rock", 1.0)
def indie_strum(rng: Rng) -> Score:
    """A strummed guitar, often all alone at first; tambourine, floor toms."""
    rows = {
        "verse": (
            {"kick": "X...x...", "tamb": "..x...x."},
            {"tom3": "xoxoxoxo", "kick": "X...x..."},
            {"kick": "X...X...", "snare": "..x...x.", "maracas": "xoxoxoxo"},
        ),
        "chorus": CHORUS,
    }
    sixteenths = ("x.xx..xx .xx.x.xx", "x...x.x...x.x.x.", "X.x.X.xx.xx.X.xx", "x..x..x.x..x..x.")
    layers = [
        beat(rows, (0, 8), 0.08, need=pick(rng, (0.3, 0.6, 0.75))),
        bass(EIGHTHS, BASSES, need=0.5),
        strum("guitar", STEELS, (*sixteenths, "x-xx.xxx", "X-x-.xX-", "X-xx-xx-"), 48, 72, 5, leaves=0.0),
        lead((52, 53, 73, 22, 11)),
        pad("pad", (*STRINGS, 19), there=0.4, need=0.6),
        figure("glock", (9, 10, 12), ("0-.1-.2-", "3.2.1.0."), 72, 91, there=0.4, need=0.7),
    ]
    return play(
        rng,
        "indie_strum",
        draw_bpm(rng, 84, 150),
        {"major": POP, "mixolydian": ROCK, "minor": ROCK_MINOR},
        layers,
        SONG,
    )


@style("rock", 1.0)
def metal(rng: Rng) -> Score:
    """Double kick and riffs that start alone, off the beat as often as on it."""
    riffs = (
        "1.11.11.1.11.3.2",
        "1..1..1..1..1.2.",
        "1.1.5.4.1.1.3.2.",
        "11.11.11.11.4321",
        "1...11.1...11.54",
        ".11.11.1.11.6.5.",
        "1111.1111.1111.2|1111.1111.5543..",
        "1..3..1..4..1.5.",
        "1-------2-------|1-----..3---2---",
    )
    rows = {
        "verse": (
            {"kick": "X.xx.xx.X.xx.x..", "snare": "....X.......X...", "hat": "x...x...x...x..."},
            {"kick": "xxxxxxxxxxxxxxxx", "snare": "....X.......X...", "ride": "x...x...x...x..."},
            {"kick": "X..x..x..x..x.x.", "snare": "........X.......", "china": "x...x...x...x..."},
        ),
        "chorus": (
            {"kick": "x.xxx.xxx.xxx.xx", "snare": "....X.......X...", "crash": "x...x...x...x..."},
            {"kick": "xxxxxxxxxxxxxxxx", "snare": "........X.......", "crash2": "x...x...x...x..."},
        ),
        "bridge": (
            {"kick": "X.x.x.x.", "snare": ".x.x.x.x", "ride": "x.x.x.x."},
            {"kick": "X.....x.", "snare": "....X...", "china": "x.x.x.x."},
        ),
    }
    low = int(pick(rng, (33, 35, 38, 40)))
    layers = [
        beat(rows, (16, 0, 8), 0.0, need=0.35),
        riff("guitar", DRIVES, riffs, low, fifths=True, kinds="intro verse bridge break a c"),
        strum(
            "power",
            DRIVES,
            ("X-------", "X-x-X-x-", "xxxxxxxx", "X--X--X-"),
            low,
            shape="power",
            kinds="chorus solo outro b",
        ),
        bass(("1.11.11.1.11.1.1", "11111111", "1-------"), (34,)),
        lead((52, 30, 81), "chorus solo"),
        lead((30, 29), "solo", 64, 91, (2.5, 3.6), grid=4, name="solo"),
    ]
    bank = {"minor": ROCK_MINOR, "phrygian": ("i5 | % | bII5 | i5", "i5 | bVI5 | bVII5 | bII5")}
    return play(rng, "metal", draw_bpm(rng, 98, 196), bank, layers, intros=("alone", "bare", "full"), breaks=0.25)


@style("rock", 0.7, held_out=True)
def surf(rng: Rng) -> Score:
    """Tremolo guitars, the surf beat with two eighths on the back."""
    rows = (
        {"kick": "X...x...", "snare": "..xx..x.", "ride": "x.x.x.x."},
        {"kick": "X..xx...", "snare": "..xx..x.", "hat": "xxxxxxxx"},
        {"tom3": "xxxxxxxx", "snare": "..X...X.", "kick": "x.x.x.x."},
    )
    layers = [
        beat(rows, (0, 8), 0.05),
        bass(("1-1-5-5-", "1-1-1-1a", "1-5-1-5-", "1.11.11a"), (34, 33)),
        strum("guitar", (26, 27), ("x.xxx.xx", "..x...x.", "X-x-x-xx"), 50),
        lead((27, 26, 28), "verse theme chorus a b solo intro", 52, 76, (1.2, 3.0), grid=4),
        strum("organ", (16, 17, 18), ("X-------", "x.x.x.x."), there=0.4),
    ]
    bank = {
        "minor": ("i | % | bVII | bVI V", "i | iv | i | V7", "i | bVII | bVI | V7"),
        "major": ("I | IV | V | I", "I | vi | IV | V"),
    }
    return play(rng, "surf", draw_bpm(rng, 138, 178), bank, layers, LOOP)


@style("rock", 0.8)
def five_four(rng: Rng) -> Score:
    """Five beats a bar, three and two or two and three."""
    if chance(rng, 0.65):
        rows: tuple[dict[str, str], ...] = (
            {"kick": "X..x..x...", "snare": "...x....x.", "ride": "x.xxx.x.x."},
            {"kick": "X.....x...", "snare": "..X.....X.", "hat": "xoxoxoxoxo"},
            {"kick": "X...x.x...", "snare": "..X...X.X.", "hat": "x.x.x.x.x."},
            {"kick": "X..x.x....", "snare": "....X...X.", "ride": "xoxoxoxoxo"},
        )
        lines: tuple[str, ...] = ("1--3-.5-1-", "1-----5---", "1-.11-5-3-", "11.11.115a")
        comps: tuple[str, ...] = ("X--x--x-x-", "X-----X---", "x.xx.xx.x.", "0--1--2-3-")
        division: Literal[2, 3] = 2
    else:
        rows = (
            {
                "ride": "x.. x.x x.. x.. x.x",
                "pedal": "... x.. ... x.. ...",
                "snare": "... ..g ... X.. ..g",
                "kick": "X.. ... ..x ... ...",
            },
            {"ride": "x.x x.x x.. x.x x..", "pedal": "... x.. ... ... x..", "kick": "X.. ..o ... X.. ..."},
        )
        lines = ("1-- --5 1-- 5-- 1--", "1-- 3-- 5-- 8-- a--")
        comps = ("X-. ..X --- X-- X--", "X-- --- ..x --- ...")
        division = 3
    layers = [
        beat(rows, (0, 8, 32), 0.05),
        bass(lines, (32, 33, 34)),
        strum("comp", (*KEYS, *EPIANOS, *CLEANS), tuple(row for row in comps if "0" not in row), leaves=0.02),
        lead((65, 66, 56, 11, 27, 73, 81)),
        pad("pad", STRINGS, there=0.3),
    ]
    bank = {
        "minor": ("i | v7", "i | bVII", "i7 | % | iv7 | %", "i | bVI | bVII | i"),
        "major": ("I | IV", "I | bVII | IV | I"),
    }
    return play(rng, "five_four", draw_bpm(rng, 92, 178), bank, layers, LOOP, 5, division, short_bar=0)


@style("rock", 0.7)
def seven_four(rng: Rng) -> Score:
    """Seven beats a bar, four and three."""
    rows = (
        {"kick": "X.......x.....", "snare": "..X...X...X...", "hat": "xoxoxoxoxoxoxo"},
        {"kick": "X..xx...x..x..", "snare": "..X...X.....X.", "ride": "x.x.x.x.x.x.x."},
        {"kick": "X...x...x.x...", "snare": "..x...x.....X.", "hat": "x.x.x.x.x.x.x."},
    )
    layers = [
        beat(rows, (0, 8, 16), 0.05),
        bass(("1--1-.5.1-3-5-", "1-------5-----", "11.11.115511.a"), BASSES),
        riff(
            "guitar",
            (27, 29, 30, 26),
            ("1-3-5-3-1-4-3-", "1..1..5-1.3.4.", "1-----5---4-3-"),
            40,
            kinds="intro verse a c theme",
        ),
        strum(
            "chords",
            (27, 29, 4, 16),
            ("X-------X-----", "X-x-x-x-X-x-x-", "X--x--x-x--x--"),
            kinds="chorus b bridge solo",
        ),
        lead((*VOICES, 29)),
    ]
    return play(rng, "seven_four", draw_bpm(rng, 96, 172), HARMONY, layers, (*LOOP, *SONG), 7, short_bar=0)


@style("rock", 0.6)
def prog_seven_eight(rng: Rng) -> Score:
    """Riffs in 7/8, the eighths counted."""
    rows = (
        {"kick": "X..x.x.", "snare": "..X.X..", "hat": "x.x.x.x"},
        {"kick": "X...X..", "snare": "..X..X.", "ride": "xoxoxoo"},
        {"kick": "X.x....", "snare": "....X..", "hat": "x.x.x.x"},
        {"kick": "X.x.x..", "snare": ".....X.", "crash": "x...x.."},
    )
    double = tuple({drum: row.replace("", ".")[1:] for drum, row in pattern.items()} for pattern in rows)
    layers = [
        beat(double, (0, 16), 0.04),
        bass(("1-.1-.1-.5-3-.", "1---1---1-----", "11111111111111"), (34, 33)),
        riff(
            "guitar",
            DRIVES,
            ("1.1.3.1.4.3.2.", "1-1-5-1-6-5-3-", "1-..1-..3-2-1-", "11.11.13.4.5.."),
            40,
            fifths=True,
            kinds="intro verse a c",
        ),
        figure("synth", (81, 80, 16, 5), ("0-1-2-3-2-1-2-", "01230123012340"), 60, 84, there=0.6),
        strum("power", DRIVES, ("X-------X-----", "X---X---X-----"), 40, shape="power", kinds="chorus b solo"),
        lead((81, 30, 52, 73)),
    ]
    return play(
        rng, "prog_seven_eight", draw_bpm(rng, 150, 218), {"minor": ROCK_MINOR}, layers, (*LOOP, *SONG), 7, short_bar=0
    )


@style("rock", 0.8, held_out=True)
def rock_and_roll(rng: Rng) -> Score:
    """Fifties rock and roll: between straight and shuffled, boogie, stops before the verses."""
    rows = (
        {"kick": "X...x...", "snare": "..X...X.", "ride": "x.xxx.xx"},
        {"kick": "X.x.x.x.", "snare": "..X..xX.", "hat": "xxxxxxxx"},
        {"kick": "X..xx...", "snare": "..X...X.", "ride": "xxxxxxxx"},
    )
    layers = [
        beat(rows, (0, 8, 32), 0.05),
        bass(("1-3-5-6-|8-6-5-3-", "1-3-5-3-", "1-5-6-5-"), (32, 33)),
        strum("guitar", (26, 27), ("xxxxxxxx", "..X...X.", "x-x-x-x-"), 45),
        strum("piano", KEYS, ("xxxxxxxx", "x.xx.xx."), 64, 84, 3, there=0.7),
        lead((65, 66, 27, 53, 22), density=(0.9, 2.0)),
    ]
    bank = {"mixolydian": BLUES, "major": ("I | vi | IV | V7", "I | % | IV | V7")}
    return play(
        rng,
        "rock_and_roll",
        draw_bpm(rng, 138, 200),
        bank,
        layers,
        ("a12 b12 a12 b12", "intro4 a12 a12 b12 a12 a12"),
        swing=float(rng.uniform(0.5, 0.64)),
        breaks=0.3,
        rings=0.8,
    )
