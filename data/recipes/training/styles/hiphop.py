"""Hip hop and its relatives: loops, late snares, swung sixteenths, hi-hat rolls."""

from __future__ import annotations

from data.recipes.training.arranging import (
    CLUB_MINOR,
    EPIANOS,
    JAZZY,
    JAZZY_MINOR,
    KEYS,
    LOOP,
    PADS,
    POP_MINOR,
    SONG,
    STRINGS,
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
from data.recipes.training.writing import Rng, draw_bpm, pick

LOOPED = (*LOOP, *SONG[:2])


@style("hiphop", 1.3)
def lofi(rng: Rng) -> Score:
    """Slow, swung, the snare late, jazz chords from a dull piano."""
    rows = (
        {"kick": "X......x..x.....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.x.......x.....", "stick": "....X.......X...", "hat": "x.xox.x.x.xox.x."},
        {"kick": "X..x......xx....|X......x..x.....", "snare": "....X..g.g..X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.....x.........", "snare": "....X.......X..g", "ride": "x...x.x.x...x.x."},
        {"kick": "X.........x....x|..x.......x.....", "clap": "....X.......X...", "maracas": "x.o.x.o.x.o.x.o."},
    )
    layers = [
        beat(rows, (0, 8, 25, 40), 0.04, late_ms=14),
        bass(("1------.1-5---.a", "1-----1---5-----", "1..1......3.5...", "1-------5-----a-"), (32, 33, 35)),
        strum(
            "keys",
            (*EPIANOS, *KEYS, 26),
            ("X-------", "X--x----", "X-----x-|--------", "..X--...|........", "X.......x--.....", "X------+|-------+"),
            52,
            74,
            5,
            leaves=0.02,
        ),
        figure("guitar", (24, 26, 11), ("0..1.2..3..2.1..", "0-2-1-3-", "3..2..1.0......."), there=0.5),
        pad("pad", (*PADS, *STRINGS), there=0.4),
        lead((73, 66, 11, 26, 59), density=(0.4, 1.4), there=0.6),
    ]
    return play(
        rng,
        "lofi",
        draw_bpm(rng, 66, 94),
        {"major": JAZZY, "minor": JAZZY_MINOR},
        layers,
        LOOPED,
        swing=float(rng.uniform(0.53, 0.64)),
        swung=4,
        fills=0.3,
        crashes=0.15,
        rubato=float(pick(rng, (0, 0, 0.015))),
        ritard=0.05,
        tags=("sparse",) if rng.random() < 0.2 else (),
    )


@style("hiphop", 1.4)
def boom_bap(rng: Rng) -> Score:
    """Sampled drums at 80 to 100, kick off the beat, loops of two or four bars."""
    rows = (
        {"kick": "X.x.......xx....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X......x.xx.....", "snare": "....X.......X..g", "hat": "x.x.x.xxx.x.x.x."},
        {"kick": "X..x..x...x.....|X.....xx..x.....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.....x..x......", "snare": "....X..g....X...", "ride": "x...x...x...x..."},
        {"kick": "XX........x..x..", "snare": "....X.......X...", "hat": "xxx.xxx.xxx.xxx."},
        {"kick": "..X...X...X.....|X.X.......X.....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
    )
    layers = [
        beat(rows, (0, 8, 25), 0.02, late_ms=9),
        bass(("1.1.......1.5...", "1......1..1.3-..", "1--1--..1-..7-..", "1-------........"), (32, 33, 34, 38)),
        strum(
            "sample",
            (*KEYS, *EPIANOS, 48, 61, 11),
            ("X..X............", "X.....X...X.....", "X---....X--.....", "...X..X.........", "X-------"),
            leaves=0.1,
        ),
        figure(
            "loop",
            (0, 45, 46, 11, 73, 104),
            ("0.1.2.3.2.......", "0..1..2...1.....", "3...2...1...0..."),
            60,
            84,
            there=0.6,
        ),
        riff(
            "horns",
            (61, 56, 62),
            ("5..5....|........", "5...5.3.", "1..3..1.........|................"),
            60,
            there=0.4,
            kinds="b chorus theme",
        ),
        lead((53, 66, 75), "b chorus theme", density=(0.5, 1.5), there=0.5),
    ]
    return play(
        rng,
        "boom_bap",
        draw_bpm(rng, 78, 102),
        {"minor": (*JAZZY_MINOR, *POP_MINOR), "major": JAZZY},
        layers,
        LOOPED,
        swing=float(rng.uniform(0.5, 0.62)),
        swung=4,
        fills=0.25,
        crashes=0.25,
        breaks=0.3,
        rubato=0.0,
        ritard=0.0,
        rings=0.2,
    )


@style("hiphop", 1.3)
def trap(rng: Rng) -> Score:
    """Counted slow: a snare on two and four of 60 to 85, hi-hats in rolls and triplets, few kicks."""
    hats = (
        "x.x.x.x.x.x.x.x.",
        "xxxxxxxxxxxxxxxx",
        "x.x.x.x.x.x.xxxxx.x.x.x.x.x.x.x.",
        "x.x.x.xxxx.x.x.xx.x.x.x.xxxxxxxx",
        "x..x..x..x..x..x..x..x..",
        "x.x.x.x.|xxxxxxxxxxxx",
        "x...x...x...x.x.xxxxx...x...x.xx",
    )
    kicks = (
        "X.........x.....",
        "X.....x.........|X.........x..x..",
        "X..x......x.....",
        "X......x..x.....|....x.....x.....",
        "X.............x.|..x.......x.....",
    )
    rows = tuple(
        {"kick": kick, pick(rng, ("snare", "clap")): "....X.......X...", "hat": pick(rng, hats)} for kick in kicks
    )
    layers = [
        beat(rows, 25, 0.0),
        bass(
            ("1---------1-----", "1-----1-........", "1--1------1-----", "1------1--1-----|....1-----3-----"),
            (38, 39, 87),
            26,
            kinds="verse chorus a b solo theme outro drop",
        ),
        figure(
            "bells",
            (9, 10, 11, 14, 0, 45, 46, 98),
            ("0.1.2.3.", "0..1..2.", "0.2.1...3.2.1...", "0-1-2-1-", "3..2..1..0..1.2."),
            60,
            86,
            leaves=0.04,
        ),
        strum("keys", (0, 4, 48, 51, 90), ("X-------", "X-----X-", "X..X..X."), there=0.5),
        pad("pad", PADS, there=0.5),
        lead((53, 85, 81, 73), density=(0.8, 2.0), syncopation=(0.3, 0.9), grid=pick(rng, (2, 4, 3)), there=0.6),
    ]
    bank = {
        "minor": ("i | % | bVI | %", "i | bVI", "i | iv", "i | % | bVI | V"),
        "harmonic": ("i | bVI | V | i", "i | V"),
        "phrygian": ("i | bII",),
    }
    return play(
        rng,
        "trap",
        draw_bpm(rng, 60, 86),
        bank,
        layers,
        LOOPED,
        fills=0.1,
        crashes=0.35,
        breaks=0.35,
        rubato=0.0,
        ritard=0.0,
        rings=0.2,
        tags=("sparse",),
    )


@style("hiphop", 1.0)
def downtempo(rng: Rng) -> Score:
    """Trip hop: slow broken beats, dark pads, strings."""
    rows = (
        {"kick": "X......x..x.....", "snare": "....X.......X...", "hat": "x.o.x.o.x.o.x.o."},
        {"kick": "X.x.......x..x..", "snare": "....X..g.g..X.g.", "ride": "x...x.x.x...x.x."},
        {"kick": "X.........xx....|X..x......x.....", "snare": "....X.......X..g", "hat": "xxoxxxoxxxoxxxox"},
        {"kick": "X.....x.........", "stick": "....X.......X...", "maracas": "xoxoxoxoxoxoxoxo"},
    )
    layers = [
        beat(rows, (8, 24, 25, 0), 0.06, late_ms=6),
        bass(
            ("1-----..1-.5-...", "1..1....3..5....", "1-------", "1-..1-..........|1-..1-..7-..5-.."), (32, 33, 35, 38)
        ),
        strum("keys", EPIANOS, ("X-------|--------", "X--X----", "..X...X.", "....X---"), there=0.8),
        pad("strings", (*PADS, *STRINGS), leaves=0.05),
        figure("guitar", (26, 27, 11, 46, 107), ("0...1...2...1...", "0..1..2.........", "0.2.3.2."), there=0.6),
        lead((53, 54, 59, 56, 73), density=(0.4, 1.2)),
    ]
    return play(
        rng,
        "downtempo",
        draw_bpm(rng, 64, 104),
        {"minor": (*JAZZY_MINOR, *CLUB_MINOR)},
        layers,
        LOOPED,
        swing=float(pick(rng, (0.5, 0.5, 0.57))),
        swung=4,
        fills=0.3,
        crashes=0.3,
        rubato=0.0,
    )


@style("hiphop", 0.9)
def slow_jam(rng: Rng) -> Score:
    """Slow R&B: finger snaps, sixteenths in the hats, electric piano that comes early."""
    rows = (
        {"kick": "X......x..x.....", "clap": "....X.......X...", "hat": "x.xxx.x.x.xxx.xx"},
        {"kick": "X..x......x...x.", "stick": "....X.......X...", "hat": "xoxoxoxoxoxoxoxo"},
        {"kick": "X.....xx........", "snare": "....X.......X...", "triangle": "x...x...x...x..."},
        {"kick": "X..x..x..x..x.x.", "clap": "....X.......X...", "hat": "x.x.xxx.x.x.xxxx"},
    )
    layers = [
        beat(rows, (25, 24, 0), 0.04, late_ms=6),
        bass(("1-------..1-5-a-", "1--1--1---------", "1-----.11---5---", "1------+|-------+"), (38, 33, 35, 39)),
        strum(
            "keys",
            EPIANOS,
            ("X-------", "X--X----X--X----", "X-----------..X+|------------..X+", "x-.x-.X-"),
            53,
            76,
            5,
            leaves=0.02,
        ),
        figure("guitar", (24, 26, 46), ("..0.1.2.....3.2.", "0..1..2..3..2.1."), there=0.5),
        pad("pad", PADS, there=0.5),
        lead((53, 52, 65, 85), density=(0.6, 1.8), syncopation=(0.3, 0.9), grid=4),
    ]
    return play(
        rng,
        "slow_jam",
        draw_bpm(rng, 56, 84),
        {"major": JAZZY, "minor": JAZZY_MINOR},
        layers,
        SONG,
        swing=float(pick(rng, (0.5, 0.56, 0.62))),
        swung=4,
        fills=0.4,
        crashes=0.3,
        ritard=0.1,
    )


@style("hiphop", 0.7, held_out=True)
def west_coast(rng: Rng) -> Score:
    """Slow funk of drum machines: high whining lead, rolling bass, piano stabs."""
    rows = (
        {"kick": "X..x......x.....", "clap": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.....x.x.......", "snare": "....X.......X...", "tamb": "x.x.x.x.x.x.x.x."},
        {"kick": "X..x..x.X.......", "clap": "....X.......X..x", "hat": "xxxxxxxxxxxxxxxx"},
    )
    layers = [
        beat(rows, (25, 24), 0.02),
        bass(("1..1..1.8..7.5..", "1.1...1.3.5...a.", "1--.1-1-..8.7.5.", "1..1......5.8.a."), (38, 36, 39, 33)),
        strum(
            "piano",
            (0, 3, 4, 16),
            ("X.X.....X.......", "..X...X...X...X.", "X-------", "X..X..X........."),
            leaves=0.05,
        ),
        lead((80, 81, 84), density=(0.5, 1.3), low=72, high=93),
        strum("wah", (27, 28), ("..g.g.x...g.g.x.", "x.gxg.x."), there=0.5),
        pad("strings", (48, 50), there=0.4),
        riff("brass", (62, 63), ("1...3.1.........", "........5..3.1.."), 60, there=0.3),
    ]
    return play(
        rng,
        "west_coast",
        draw_bpm(rng, 84, 104),
        {"minor": ("i7 | % | iv7 | %", "i7 | bVII", *JAZZY_MINOR)},
        layers,
        LOOPED,
        swing=float(rng.uniform(0.5, 0.57)),
        swung=4,
        fills=0.25,
        rubato=0.0,
        ritard=0.0,
    )
