"""Soul, funk, disco and reggae: music whose weight lies beside the beat."""

from __future__ import annotations

from data.recipes.training.arranging import (
    BASSES,
    BRASS,
    CLEANS,
    EPIANOS,
    JAZZY,
    JAZZY_MINOR,
    KEYS,
    LOOP,
    ORGANS,
    POP,
    POP_MINOR,
    SONG,
    SOUL,
    STRINGS,
    VAMP,
    VAMP_MAJOR,
    VOICES,
    PlayerLayer,
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

RIDDIM = {
    "minor": ("i | bVII", "i | iv", "i7 | % | iv7 | %", "i | bVI", "i", "i | v7"),
    "major": ("I | IV", "I | ii", "I | V | IV | I", "I IV", "I | vi | IV | V"),
}
SKANK = ("..X...X...X...X.", "..X...X...X...X.", "..Xx..X...Xx..X.", "..xx..xx..xx..xx", "..X...Xx..X...X.")
BUBBLE = ("..x...x...x...x.", ".oxo.oxo.oxo.oxo", "..xo..xo..xo..xo")
REGGAE_BASS = (
    "..1..1..3.5.....",
    "....1.1.3...5.1.",
    "1..1....3..5....",
    "..1.1.5.....1.3.",
    "....1...5.1.3...",
    "1.1.3.5.......8.",
    ".....1..1.5.3.1.|....1.1.........",
    "1.....5.1...3...",
    "..1...1...5...3.",
)


def reggae_layers(rows: tuple[dict[str, str], ...], skank: tuple[str, ...] = SKANK) -> list[PlayerLayer]:
    """Guitar or piano between the beats, bubbling organ, a bass that leads."""
    return [
        beat(rows, (0, 8), 0.03, late_ms=4),
        bass(REGGAE_BASS, (33, 32, 34), short=0.85, level=1.1, leaves=0.03),
        strum("skank", (*CLEANS, 0, 3, 16), skank, 58, 76, 3, short=0.45, leaves=0.03),
        strum("bubble", ORGANS, BUBBLE, 60, 78, 3, short=0.6, there=0.6, level=0.7),
        riff("guitar", (28, 27), ("1..1....3..5....", "1.1...3.5...3...", "..1..1..3.5....."), 45, there=0.4),
        riff(
            "horns",
            BRASS,
            ("5.5.6.5.........|................", "1..3..5...5.....|................", "........1.3.5..."),
            60,
            kinds="intro chorus b theme",
            there=0.6,
        ),
        lead((53, 52, 21, 22, 56, 73), syncopation=(0.2, 0.8)),
        pad("organ", ORGANS, there=0.25, level=0.6),
    ]


DROP = "....X.......X..."


@style("groove", 1.5)
def one_drop(rng: Rng) -> Score:
    """Kick and side stick together on two and four of a slow bar; the first beat belongs to the bass or to nobody."""
    rows = (
        {"kick": DROP, "stick": DROP, "hat": "x.x.x.x.x.x.x.x."},
        {"kick": DROP, "snare": DROP, "hat": "..x...x...x...x."},
        {"kick": DROP, "stick": "...xX.g...x.X...", "hat": "x.oxx.oxx.oxx.ox"},
        {"kick": DROP, "stick": "....X.......X...|....X..x..x.X...", "hat": "x.xxx.xxx.xxx.xx"},
    )
    return play(
        rng,
        "one_drop",
        draw_bpm(rng, 58, 82),
        RIDDIM,
        reggae_layers(rows),
        (*SONG, *LOOP),
        swing=float(pick(rng, (0.5, 0.56, 0.62))),
        swung=4,
        crashes=0.35,
        tags=("syncopated", "sparse"),
    )


@style("groove", 1.0)
def steppers(rng: Rng) -> Score:
    """Reggae with the kick on every beat."""
    rows = (
        {"kick": "X...X...X...X...", "stick": "....x.......x...", "hat": "..x...x...x...x."},
        {"kick": "X...X...X...X...", "stick": "...x..x....x..x.", "hat": "xoxoxoxoxoxoxoxo"},
        {"kick": "X...X...X...X...", "snare": "....X.......X...", "open": "..x...x...x...x."},
    )
    return play(
        rng,
        "steppers",
        draw_bpm(rng, 64, 84),
        RIDDIM,
        reggae_layers(rows),
        LOOP,
        swing=float(pick(rng, (0.5, 0.58))),
        swung=4,
        crashes=0.3,
    )


@style("groove", 1.0)
def rockers(rng: Rng) -> Score:
    """Reggae with a kick that pushes on the eighths and a backbeat."""
    rows = (
        {"kick": "X.x.....X.x.....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.....x.X.....x.", "stick": "....X.......X...", "hat": "x.ox.xoxx.ox.xox"},
        {"kick": "..x.X.....x.X...", "snare": "....X.......X...", "hat": "x.xxx.xxx.xxx.xx"},
    )
    return play(
        rng,
        "rockers",
        draw_bpm(rng, 64, 92),
        RIDDIM,
        reggae_layers(rows),
        SONG,
        swing=float(pick(rng, (0.5, 0.5, 0.57))),
        swung=4,
        crashes=0.35,
        tags=("syncopated",),
    )


@style("groove", 1.0)
def dub(rng: Rng) -> Score:
    """Reggae taken apart: players come and go, skanks that echo, bass and drums alone."""
    rows = (
        {"kick": DROP, "stick": DROP, "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.......X.......", "snare": DROP, "hat": "..x...x...x...x."},
        {"kick": DROP, "snare": "....X..g....X..."},
        {"kick": "X...X...X...X...", "stick": "....x..x....x...", "hat": "..x...x...x...x."},
    )
    echo = (
        "..X..x..o.....X.",
        "..X..x..o..g....|................",
        "......X..x..o..g|................",
        "..X...X...X...X.",
    )
    layers = [
        beat(rows, (0, 8), 0.08, leaves=0.08),
        bass(REGGAE_BASS, (33, 32, 38), short=0.9, level=1.1, leaves=0.02),
        strum("skank", (*CLEANS, 0), echo, 58, 76, 3, short=0.4, leaves=0.25),
        strum("organ", ORGANS, (*BUBBLE, *echo), 60, 78, 3, short=0.5, leaves=0.4),
        lead((21, 22, 56, 57, 53), density=(0.3, 1.0), leaves=0.4),
        riff(
            "bell",
            (11, 12, 80),
            ("5..3....|........|........|........", "1.3...5.|........"),
            64,
            there=0.5,
            leaves=0.4,
        ),
    ]
    return play(
        rng,
        "dub",
        draw_bpm(rng, 60, 82),
        RIDDIM,
        layers,
        LOOP,
        swing=float(pick(rng, (0.5, 0.56, 0.62))),
        swung=4,
        crashes=0.4,
        breaks=0.35,
        fills=0.5,
        tags=("sparse", "syncopated"),
    )


@style("groove", 1.1)
def ska(rng: Rng) -> Score:
    """Fast, up-strokes on every off-beat, walking bass, horns."""
    rows = (
        {"kick": "X...X...", "snare": "..X...X.", "hat": ".x.x.x.x"},
        {"kick": "..X...X.", "stick": "..X...X.", "hat": "x.x.x.x."},
        {"kick": "X.X.X.X.", "snare": "..X...X.", "open": ".x.x.x.x"},
        {"kick": "X..xX...", "snare": "..X...X.", "ride": "xoxoxoxo"},
    )
    layers = [
        beat(rows, (0, 8), 0.05),
        bass(("1-3-5-6-|8-6-5-3-", "1-3-5-a-", "1-5-3-5-", "1-1-5-a-", "1-135-3a"), BASSES, short=0.9),
        strum("upstrokes", CLEANS, (".X.X.X.X", ".x.x.x.x", ".X.X.X.X"), 58, 76, 3, short=0.5, leaves=0.03),
        strum("organ", ORGANS, (".x.x.x.x", "X-------"), 60, 78, 3, short=0.6, there=0.6, level=0.7),
        riff(
            "horns",
            BRASS,
            ("1.3.5.5.|6.5.3.1.", "5..5.6.5|........", "1-..3-..|5.5.3.1.", ".5.5.3.1"),
            58,
            kinds="intro chorus theme b",
            there=0.9,
        ),
        lead((53, 66, 57, 56)),
    ]
    return play(
        rng,
        "ska",
        draw_bpm(rng, 112, 178),
        {"major": (*SOUL, *POP, *RIDDIM["major"]), "minor": POP_MINOR},
        layers,
        swing=float(pick(rng, (0.5, 0.5, 0.58))),
        tags=("syncopated",),
    )


@style("groove", 1.5)
def funk(rng: Rng) -> Score:
    """Sixteenths: the one is strong, everything else around the beats."""
    rows = (
        {"kick": "X.x...x...x..x..", "snare": "....X..g.g..X..g", "hat": "xxxxxxxxxxxxxxxx"},
        {"kick": "X..x..x..gx.....", "snare": "....X..g.g.gX.g.", "hat": "x.x.x.x.x.x.x.x."},
        {
            "kick": "X.X.......x..x..",
            "snare": "....X..g.gg.X..g",
            "hat": "x.xxx.xxx.xxx.x.",
            "open": "..............x.",
        },
        {"kick": "X.....x.x..x....", "snare": "....X.gg.g..X.gg", "hat": "xoxoxoxoxoxoxoxo"},
        {
            "kick": "X.X.......xx....|..X.......xx....",
            "snare": "....X..x.x.xX..x|....X..x.x.x..X.",
            "ride": "x.x.x.x.x.x.x.x.",
        },
        {"kick": "X..x...x..x...x.", "snare": "...gX..g.g.xg.X.", "hat": "x.x.x.x.x.x.x.x."},
    )
    lines = (
        "1..g.1g8..1.g7.8",
        "1.....1.7.8..g1.",
        "1..1..g.1.g57.8.",
        "1.g1..8.g.7.5g.a",
        "1...........7.8.",
        "1.1...1.1...3.4.",
        "1..8..7..5..3.1.|1..............a",
        "1.g.g..1..g.1.5.",
    )
    scratch = (
        "..g.x.g...g.x.g.",
        "ggxgggxgggxgggxg",
        "g.xgg.xgg.xgg.xg",
        "..x..x....x..x..",
        "x...g.x.g...g.x.",
        ".xg..xg..xg..xg.",
        "..X...X...X...X.",
    )
    layers = [
        beat(rows, (0, 8), 0.06),
        bass(lines, (36, 33, 37, 34), 28, 0.7),
        strum("guitar", CLEANS, scratch, 57, 77, 3, short=0.5, leaves=0.04),
        strum(
            "clavinet",
            (7, 4, 16),
            ("x..x.x..x..x.xx.", "x.gx.gx.x.gx.gx.", "..x...x..x....x.", "X-------"),
            50,
            72,
            3,
            short=0.6,
            there=0.6,
        ),
        riff(
            "horns",
            BRASS,
            (
                "1..............5|................",
                "......1.3......1",
                "..1..1....3..1..|................",
                "............5.8.|1...............",
            ),
            60,
            short=0.5,
            kinds="chorus b theme solo intro",
            there=0.8,
        ),
        lead((53, 66, 65, 16), "verse b solo head", density=(0.8, 2.0), syncopation=(0.4, 0.9), grid=4, there=0.7),
    ]
    swing = float(pick(rng, (0.5, 0.5, 0.54, 0.58)))
    return play(
        rng,
        "funk",
        draw_bpm(rng, 88, 122),
        {"dorian": VAMP, "mixolydian": VAMP_MAJOR},
        layers,
        (*LOOP, *SONG),
        swing=swing,
        swung=4,
        breaks=0.35,
        tags=("syncopated",),
    )


@style("groove", 0.8)
def offbeat_funk(rng: Rng) -> Score:
    """Funk in which hardly anything but kick or bass says where the one is; loops that start between the beats."""
    rows = (
        {"kick": "X.........x.....", "snare": "......X......X..", "hat": "..x...x...x...x."},
        {"kick": "X..x......x..x..", "snare": "....X..x......X.", "open": "..x...x...x...x."},
        {"kick": "X.....x..x......", "stick": "..x..x....x..x..", "maracas": "..x...x...x...x."},
        {"kick": "X...............", "clap": "....X.......X...", "hat": "..xx..xx..xx..xx"},
    )
    layers = [
        beat(rows, (0, 8, 24), 0.04),
        bass(("1.....3..5.....8", "...1..1..5.7..8.", "1..........5.7..", "..1..1....7..8.."), (33, 36, 38), 28, 0.7),
        strum(
            "guitar",
            CLEANS,
            ("..X...X...X...X.", "..xx..xx..xx..xx", "...X..X....X..X."),
            57,
            77,
            3,
            short=0.5,
            leaves=0.02,
        ),
        strum(
            "keys",
            (4, 7, 16),
            (".X..X..X.X..X..X", "...x...x...x...x", "......X.......X."),
            52,
            74,
            short=0.6,
            there=0.7,
        ),
        riff("lick", (80, 27, 11, 61), (".5.3.1..|........", "..1.3..5..3.....", "...5..3..1......"), 60, there=0.6),
        lead((53, 66, 73), syncopation=(0.6, 1.0), there=0.5),
    ]
    return play(
        rng,
        "offbeat_funk",
        draw_bpm(rng, 90, 120),
        {"dorian": VAMP, "mixolydian": VAMP_MAJOR},
        layers,
        LOOP,
        intros=("alone", "full", "bare", "drumless"),
        tags=("syncopated", "sparse"),
    )


@style("groove", 1.3)
def disco(rng: Rng) -> Score:
    """Four on the floor, open hats off the beat, octaves in the bass, strings that answer."""
    rows = (
        {"kick": "X...X...X...X...", "snare": "....X.......X...", "open": "..x...x...x...x."},
        {
            "kick": "X...X...X...X...",
            "snare": "....X.......X...",
            "hat": "xox.xox.xox.xox.",
            "open": "..x...x...x...x.",
        },
        {"kick": "X...X...X...X...", "clap": "....X.......X...", "hat": "xoxoxoxoxoxoxoxo", "tamb": "x.oxx.oxx.oxx.ox"},
    )
    layers = [
        beat(rows, (0, 8, 24), 0.05),
        bass(
            ("1-8-1-8-1-8-1-8-", "1.8.1.8.1.8.5.a.", "1..1..8.1.1.5.8.", "1.1.8.1..1.15.7.", "1...1.8.1..1.8.a"),
            (33, 36, 38),
        ),
        strum(
            "guitar",
            CLEANS,
            ("..xgg.xgg.xgg.xg", "x.xgx.xgx.xgx.xg", "..x...x...x...x.", "x..x..x.x..x..x."),
            57,
            77,
            3,
            short=0.5,
        ),
        strum("piano", (*KEYS, *EPIANOS), ("X..X..X.X..X..X.", "X---x---", "..X...X...X...X."), there=0.7),
        pad("strings", STRINGS, 62, 86, there=0.7, need=0.5),
        riff(
            "answers",
            (48, 61, 62),
            ("........5-6-8-6-", "........|..8765..", "1...............|........3.2.1..."),
            62,
            there=0.6,
            kinds="chorus b theme solo",
        ),
        lead(VOICES, syncopation=(0.2, 0.7)),
    ]
    return play(
        rng,
        "disco",
        draw_bpm(rng, 104, 132),
        {"minor": (*JAZZY_MINOR, *POP_MINOR), "major": (*SOUL, *JAZZY)},
        layers,
        breaks=0.2,
    )


@style("groove", 1.1)
def motown(rng: Rng) -> Score:
    """The snare on every beat, tambourine, a bass that sings."""
    rows = {
        "verse": (
            {"kick": "X..xX..x", "snare": "X.X.X.X.", "tamb": "..X...X."},
            {"kick": "X...xx..", "snare": "X.X.X.X.", "hat": "xoxoxoxo"},
            {"kick": "X...xx..", "snare": "..X...X.", "tamb": "xoxoxoxo"},
        ),
        "chorus": (
            {"kick": "X..xX..x", "snare": "X.X.X.X.", "ride": "x.x.x.x."},
            {"kick": "X.x.x.x.", "snare": "X.X.X.X.", "tamb": "xoXoxoXo"},
        ),
    }
    layers = [
        beat(rows, (0, 8), 0.05),
        bass(("1--1-135", "1.11.35a", "1--15-6a", "1-.13-5a", "1...1.1..3.5.6.a"), (33, 32)),
        strum("guitar", CLEANS, ("..X...X.", "..x...x.", "x.xxx.xx"), 57, 77, 3, short=0.5),
        strum("piano", KEYS, ("xxxxxxxx", "x.x.x.x.", "X--x--x-"), there=0.7),
        pad("strings", STRINGS, there=0.5, need=0.6),
        riff("horns", BRASS, ("1...3.5.|........", "5.5.....|........"), 60, there=0.5, kinds="chorus intro b"),
        lead((53, 52, 66, 11)),
    ]
    return play(
        rng,
        "motown",
        draw_bpm(rng, 100, 140),
        {"major": (*SOUL, *POP)},
        layers,
        lift=0.2,
        swing=float(pick(rng, (0.5, 0.5, 0.6))),
    )


@style("groove", 1.0)
def soul_six_eight(rng: Rng) -> Score:
    """Slow soul in triplets: two dotted beats a bar, the snare on the second, or four with a backbeat."""
    four = chance(rng, 0.5)
    rows: tuple[dict[str, str], ...]
    lines: tuple[str, ...]
    keys: tuple[str, ...]
    picks: tuple[str, ...]
    if four:
        rows = (
            {"kick": "X.. ... X.. ..x", "snare": "... X.. ... X..", "hat": "xxx xxx xxx xxx"},
            {"kick": "X.. ..x X.. ...", "snare": "... X.. ... X..", "ride": "xxx xxx xxx xxx"},
        )
        lines, keys, picks, metre = (
            ("1-- --1 5-- --a", "1-- 3-- 5-- a--", "1-- ... 1-1 3-5"),
            ("xxx xxx xxx xxx", "X-- --- X-- ---"),
            ("012 321 012 321", "021 321 021 321"),
            4,
        )
    else:
        rows = (
            {"kick": "X.. ...", "snare": "... X..", "hat": "xxx xxx"},
            {"kick": "X.x ..x", "snare": "... X..", "ride": "xoo xoo"},
            {"kick": "X.. ..x", "stick": "... X..", "hat": "x.x x.x"},
        )
        lines, keys, picks, metre = (
            ("1-- --a", "1-- 5--", "1-1 5-a", "1-- ---"),
            ("xxx xxx", "X-- ---", "X-- x-x"),
            ("012 321", "021 210", "0-1 2-1"),
            2,
        )
    layers = [
        beat(rows, (0, 8), 0.04, late_ms=6),
        bass(lines, (33, 32, 35)),
        strum("piano", (*KEYS, *EPIANOS), keys, leaves=0.03),
        figure("guitar", CLEANS, picks, there=0.7),
        strum("organ", ORGANS, (keys[1],), there=0.5),
        riff(
            "horns",
            BRASS,
            ("5-- --3 1-- ---|... ... ... ...",) if four else ("5-- --3|1-- ---|... ...|... ...",),
            60,
            there=0.5,
            kinds="chorus b intro",
        ),
        lead((53, 66, 52, 65)),
    ]
    bpm = draw_bpm(rng, 50, 84)
    return play(
        rng,
        "soul_six_eight",
        bpm,
        {"major": SOUL, "minor": POP_MINOR},
        layers,
        metre=metre,
        division=3,
        rings=0.8,
        ritard=0.35,
        short_bar=0,
    )


@style("groove", 0.9)
def gospel_shuffle(rng: Rng) -> Score:
    """Hammond, claps on two and four, running piano, shouts; speeds up at times into double time."""
    rows = (
        {"kick": "X.. ..x X.. ...", "snare": "... X.. ... X..", "hat": "x.x x.x x.x x.x"},
        {"kick": "X.. x.. X.. x..", "clap": "... X.. ... X..", "tamb": "x.x X.x x.x X.x"},
        {"kick": "X.x ..x X.. ..x", "snare": "..g X.g ..g X.g", "ride": "x.x x.x x.x x.x"},
    )
    layers = [
        beat(rows, (0, 8), 0.05),
        bass(("1-- 3-- 5-- 6--", "1-1 3-- 5-5 a--", "1-- 5-- 1-1 a--", "1-- 1-3 5-- 5-a"), (33, 32)),
        strum("piano", KEYS, ("x.x ..x x.x ..x", "X-- ..x --x x--", "xxx x.x xxx x.x"), 50, 76, 5),
        strum("organ", (16, 17, 18), ("X-- --- --- ---", "... X.. ... X..", "X-- ..X --- ---"), leaves=0.03),
        strum("choir", (52, 53), ("X-- X-- X-- ---", "... ..X X-- ---", "X-x --x X-- ..."), 60, 81, 3, need=0.7),
        lead((53, 66), "verse a b solo"),
    ]
    return play(
        rng,
        "gospel_shuffle",
        draw_bpm(rng, 76, 150),
        {"major": (*SOUL, "I I7 | IV iv | I/5 VI7 | ii7 V7", "I | I7 | IV | #ivo7 | I/5 | VI7 | ii7 V7 | I")},
        layers,
        division=3,
        lift=0.3,
        rings=0.8,
        tags=("swing",),
    )


@style("groove", 1.0, held_out=True)
def new_orleans(rng: Rng) -> Score:
    """Second line: a parade snare between straight and swung, 3-2 accents, tuba or piano."""
    rows = (
        {"kick": "X..x..x.X..x..x.", "snare": "g.xg.gxg.gX.x.xg", "cowbell": "x.x.x.x.x.x.x.x."},
        {"kick": "X.....X.....X...", "snare": "x.gxg.xgg.xgx.xg"},
        {"kick": "X..X...X..X.X...", "snare": "..gxg.gxg.gxg.xx", "hat": "..x...x...x...x."},
        {"kick": "X..x....X..x..X.", "snare": "g.g.X.gxg.g.X.xg", "tamb": "..x...x...x...x."},
    )
    layers = [
        beat(rows, (0, 8), 0.08),
        bass(("1..1..5.1..1..5.", "1--1--5-1-3-5-a-", "1.....5...8.5...", "1..3..5.6.5.3..."), (58, 33, 32)),
        strum("piano", (0, 3), ("X..x..X.x..x..X.", "x.xx.xx.x.xx.xx.", "..X...X...X.X..."), 52, 76),
        riff(
            "horns",
            BRASS,
            ("1..3..5.....6.5.|................", "5.5..6..5.3.1...", "1-..1-..3.3.1..."),
            58,
            there=0.8,
            kinds="intro chorus theme b a",
        ),
        lead((56, 71, 57, 66, 53), grid=4, density=(0.8, 2.2)),
    ]
    return play(
        rng,
        "new_orleans",
        draw_bpm(rng, 84, 116),
        {
            "mixolydian": ("I7 | % | IV7 | I7", "I7 | IV7 | I7 | V7"),
            "major": ("I | % | V7 | % | V7 | % | I | %", "I I7 | IV iv | I V7 | I"),
        },
        layers,
        LOOP,
        swing=float(rng.uniform(0.53, 0.61)),
        swung=4,
        tags=("syncopated",),
    )


@style("groove", 0.9)
def neo_soul(rng: Rng) -> Score:
    """Drums that drag behind the bass, ninths, chords off the beat."""
    rows = (
        {"kick": "X..x...x..x.....", "snare": "....X.......X..g", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X......x.x......", "stick": "....X.......X...", "hat": "xoxoxoxoxoxoxoxo"},
        {"kick": "X.x....x..x..x..", "snare": "....X..g.g..X...", "hat": "x.xxx.x.x.xxx.x."},
    )
    layers = [
        beat(rows, (0, 8, 25), 0.06, late_ms=18),
        bass(("1--.1.5...1-.7.a", "1-....1.3.5.....", "1..1.....1.5..8.", "1------1--5-7---"), (33, 35, 36), 28, 0.85),
        strum(
            "keys",
            EPIANOS,
            ("X--X----..X-....", "...X-----.X-....", "X-------..x.x...", "X-----+-|------+-"),
            52,
            76,
            5,
            leaves=0.02,
        ),
        strum("guitar", CLEANS, ("..x...x...x..x..", "....x..g....x.g.", "...X-.....X-...."), 58, 77, 3, there=0.6),
        lead((53, 52, 56, 65), density=(0.6, 1.7), syncopation=(0.3, 0.9)),
        pad("pad", (89, 48, 17), there=0.3),
    ]
    return play(
        rng,
        "neo_soul",
        draw_bpm(rng, 68, 104),
        {"major": JAZZY, "minor": JAZZY_MINOR},
        layers,
        (*SONG, *LOOP),
        swing=float(rng.uniform(0.52, 0.62)),
        swung=4,
        fills=0.4,
        crashes=0.3,
    )
