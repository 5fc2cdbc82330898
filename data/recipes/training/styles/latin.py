"""Music of Latin America and the Caribbean: claves, tumbaos, montunos, and what came of them."""

from __future__ import annotations

from data.recipes.training.arranging import (
    BRASS,
    EPIANOS,
    FRETLESS,
    JAZZY,
    JAZZY_MINOR,
    KEYS,
    LATIN,
    LATIN_MINOR,
    LOOP,
    POP_MINOR,
    SONG,
    STRINGS,
    SYNTH_BASSES,
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

HARMONY = {"major": LATIN, "minor": LATIN_MINOR}
BRIGHT = (56, 57, 61, 66, 71, 53, 22, 21, 73)


@style("latin", 1.3)
def bossa_nova(rng: Rng) -> Score:
    """Guitar with its thumb on the beats and chords between them; side stick in a two-bar pattern."""
    rows = (
        {"kick": "X..xX..x", "stick": "x..x..x.|..x..x..", "hat": "xxxxxxxx"},
        {"kick": "X..xX..x", "stick": "..x..x..|x..x..x.", "ride": "xoxoxoxo"},
        {"kick": "o..oo..o", "maracas": "xoxoxoxo", "stick": "x..x....|..x.x..."},
        {"kick": "X..xX..x", "pedal": "..x...x.", "ride": "x.xxx.xx"},
    )
    layers = [
        beat(rows, (0, 40, 32), 0.03, need=pick(rng, (0.3, 0.5)), there=0.85),
        bass(("1--55--1", "1--15--5", "1---5---", "1--5----"), FRETLESS, 30),
        strum(
            "guitar",
            (24, 24, 26),
            ("x.xx.x.x|.x.xx.x.", "X..x..x.|.x.x..x.", "x..x..x+|-.x..x..", "..x..x.x|.x..x.x."),
            52,
            74,
            leaves=0.02,
        ),
        strum("keys", (*KEYS, *EPIANOS), ("X-------", "X--x----", "..x..x..|x---...."), there=0.5),
        pad("strings", STRINGS, there=0.3, need=0.6),
        lead((73, 66, 53, 26, 11, 24, 71), density=(0.6, 1.5), syncopation=(0.4, 0.9)),
    ]
    return play(
        rng,
        "bossa_nova",
        draw_bpm(rng, 100, 164),
        {"major": JAZZY, "minor": JAZZY_MINOR},
        layers,
        (*LOOP, *SONG),
        fills=0.25,
        crashes=0.2,
        rings=0.75,
        ritard=0.25,
        rubato=float(rng.uniform(0, 0.025)),
        tags=("syncopated",),
    )


@style("latin", 1.0)
def samba(rng: Rng) -> Score:
    """Two beats a bar, the surdo on the second, sixteenths in the shakers, tamborim across them."""
    rows = (
        {"surdo": "o...X...", "maracas": "xoox xoox", "agogo1": "x.x....x|.x......", "agogo2": "....x.x.|...x.xx."},
        {"kick": "x..xX..x", "stick": "x.x.xx.x|.x.x.xx.", "hat": "xoxoxoxo"},
        {"surdo": "....X...", "tamb": "xoox xoox", "snare": "gggxggxg", "cuica1": "x...x...|..x....."},
        {"surdo": "x...X..x", "block1": "x.x.x.xx|.x.x.x.x", "snare": "XggXggXg"},
    )
    layers = [
        beat(rows, (0, 48), 0.05),
        bass(("1..55..1", "1--.5--.", "1...5--a", "1..15..a"), (32, 33), 30),
        strum(
            "cavaquinho", (24, 25, 105), ("x.xx.xx.", "x.xxx.x.|.xx.x.xx", "xxgxxgxx", "x..x.x.x"), 60, 79, leaves=0.05
        ),
        strum("piano", (*KEYS, 24), ("X..x..x.", ".x..x.x.", "X-------"), 52, 72, there=0.5),
        lead((73, 53, 52, 66, 56), grid=4, density=(1.0, 2.6), syncopation=(0.3, 0.8)),
        riff("horns", BRASS, ("1.1..1.3|5.....5.", "5.3.1...|........"), 60, there=0.3, kinds="chorus b theme"),
    ]
    intro = "intro8 a16 b16 a16 b16 c16 a16 b16 outro8"
    return play(
        rng,
        "samba",
        draw_bpm(rng, 78, 128),
        {"major": (*JAZZY, *LATIN), "minor": JAZZY_MINOR},
        layers,
        (intro, "a16 a16 b16 a16 b16 b16", "intro8 theme16 verse16 theme16 solo16 theme16"),
        2,
        fills=0.3,
        crashes=0.25,
        short_bar=0,
        tags=("syncopated",),
    )


def clave(two_three: bool, rumba: bool = False) -> str:
    """Two bars of clave in eighths at the tempo of a bar of four."""
    three, two = ("x..x...x" if rumba else "x..x..x."), "..x.x..."
    return f"{two}|{three}" if two_three else f"{three}|{two}"


@style("latin", 1.5)
def salsa(rng: Rng) -> Score:
    """Son montuno: clave, a bass that anticipates the chord and leaves the one, a piano in syncopated octaves."""
    side = chance(rng, 0.6)
    cascara = "x.xx.x.x|x.x.xx.x" if side else "x.x.xx.x|x.xx.x.x"
    rows = {
        "verse": (
            {
                "claves": clave(side),
                "conga": "......xx",
                "slap": "..X.....",
                "bongo1": "xoxoxoxo",
                "maracas": "xoxoxoxo",
            },
            {"stick": clave(side), "timbale1": cascara, "conga": "......xx", "slap": "..X..o.."},
            {"timbale1": cascara, "tumba": "......xx|...x..xx", "slap": "..X.....", "guiro": "x.xxx.xx"},
        ),
        "chorus": (
            {"claves": clave(side), "cowbell": "X.x.X.x.", "conga": "......xx", "slap": "..X.....", "kick": "...x..x."},
            {
                "cowbell": "X.xxX.xx",
                "timbale2": "..x...x.",
                "conga": "......xx",
                "slap": "..X.....",
                "claves": clave(side),
            },
        ),
    }
    tumbao = ("...5--+-|---5--+-", "...5--+-", "...1--+-", "..3-5-+-|--.15-+-", "1--5--+-|---5--+-")
    montuno = ("0.23.23.|2.2.3.23" if side else "2.2.3.23|0.23.23.", "02.3.2.3|.2.3.2.3", "0213.213|.213.213")
    layers = [
        beat(rows, (0, 8), 0.03),
        bass(tumbao, FRETLESS, 30, 0.95, leaves=0.04),
        figure("montuno", (0, 1, 3), montuno, 60, 84, leaves=0.04),
        riff(
            "horns",
            BRASS,
            ("1..3..5.|..5.5...", "5..5..3.|........", "......5.|6.5.3.1.", ".5.5.6.5|..3.1..."),
            60,
            kinds="chorus intro b theme solo",
            there=0.85,
        ),
        lead((53, 52, 56, 73), "verse a solo head c", density=(0.8, 1.8), syncopation=(0.4, 0.9)),
        riff("coro", (52, 53), ("....5.5.|6.5.3...", "1..1..3.|1......."), 60, kinds="chorus b theme", there=0.5),
    ]
    return play(
        rng,
        "salsa",
        draw_bpm(rng, 150, 216),
        HARMONY,
        layers,
        (*SONG, *LOOP),
        fills=0.4,
        crashes=0.35,
        breaks=0.3,
        rings=0.4,
        tags=("syncopated",),
    )


@style("latin", 1.0)
def cha_cha(rng: Rng) -> Score:
    """Cowbell on the beats, güiro long on the beats and short after them, congas on four-and."""
    rows = (
        {"cowbell": "x.x.x.x.", "guiro_long": "x...x...", "guiro": "..xx..xx", "conga": "......xx", "slap": "..X....."},
        {"cowbell": "X.x.X.x.", "kick": "x.....x.", "conga": "......xx", "snare": "......x."},
        {"claves": clave(True), "cowbell": "x.x.x.x.", "conga": "......xx", "maracas": "xoxoxoxo"},
    )
    layers = [
        beat(rows, 0, 0.03),
        bass(("1--5--8-", "1--5-5-a", "1..1.5.a", "...5--+-|---5--+-", "1-..1.5."), FRETLESS, 30),
        strum("piano", (0, 3), (".x.x.x.x", "x..x..x.|.x.x.x.x", "..x..xx.", ".X.X.X.X"), 55, 78, leaves=0.04),
        riff("horns", (*BRASS, 73, 40), ("1.3.5.5.|........", "..5.5.6.|5.3.1...", "1.......|......5."), 62, there=0.8),
        lead((73, 53, 56, 40, 16), density=(0.7, 1.6)),
    ]
    return play(
        rng,
        "cha_cha",
        draw_bpm(rng, 104, 132),
        {"dorian": ("i7 | IV7", "i | iv | V7 | i"), "major": (*LATIN, "I IV | V IV")},
        layers,
        LOOP,
        fills=0.3,
        crashes=0.3,
        breaks=0.3,
    )


@style("latin", 1.0, held_out=True)
def merengue(rng: Rng) -> Score:
    """Fast two: tambora rolls, güira, bass on the beats, saxophones in sixteenths."""
    rows = (
        {"kick": "x...x...", "tom3": "X.xxX.xx", "guiro": "x.xxx.xx", "conga": "x..x..xx"},
        {"kick": "x.x.x.x.", "guiro": "xoxxxoxx", "slap": "......xx|x.x.x.xx"},
        {"kick": "X...X...", "cabasa": "xoxoxoxo", "conga": "..xx..xx", "stick": "x.xxx.xx"},
    )
    layers = [
        beat(rows, (0, 8), 0.04),
        bass(("1---5---", "1-1-5-5-", "1...5..a", "1-..5-..|1-.15-.a"), (33, 32), 30),
        strum("piano", (0, 3, 21), ("x.xx.xx.", ".x.x.xx.", "X..X..X.", "..x...x."), 57, 79, leaves=0.04),
        figure("saxes", (66, 65, 61), ("0123.123|2.1.0...", "01.01.01", "3.2.1.0.|.0.1.2.3"), 60, 82, there=0.8),
        lead((53, 21, 52), density=(0.8, 1.6)),
    ]
    return play(rng, "merengue", draw_bpm(rng, 124, 168), HARMONY, layers, SONG, fills=0.3, crashes=0.3, breaks=0.3)


@style("latin", 1.1)
def cumbia(rng: Rng) -> Score:
    """Bass one, three, four; off-beat accordion or organ; the güiro's gallop."""
    rows = (
        {"kick": "X...X...", "guiro": "x.xxx.xx", "conga": "..x...x."},
        {"kick": "X...X...", "snare": "...x...x", "cowbell": "x.x.x.x.", "guiro": "x.xxx.xx"},
        {"kick": "X.x.X.x.", "stick": "..x...x.", "maracas": "x.xxx.xx", "tumba": "...x..xx"},
        {"kick": "X...X...X...X...", "cabasa": "x.oxx.oxx.oxx.ox", "timbale1": "......x.......xx"},
    )
    layers = [
        beat(rows, (0, 8, 24), 0.04),
        bass(("1---3-5-", "1---5-5-", "1-..3.5.", "1---1-5a"), (33, 32, 38), 30),
        strum(
            "offbeats",
            (21, 24, 16, 26, 0),
            (".x.x.x.x", "..X...X.", "..x...x.", ".X.X.X.X"),
            57,
            77,
            3,
            short=0.6,
            leaves=0.04,
        ),
        riff(
            "melody",
            (21, 71, 73, 66, 75),
            ("5.5.3.1.|2.2.1...", "1.3.5.3.|........", "..5.6.5.|3.2.1..."),
            62,
            kinds="intro chorus b theme",
            there=0.8,
        ),
        lead((53, 21, 22, 73)),
    ]
    return play(
        rng,
        "cumbia",
        draw_bpm(rng, 82, 112),
        {"minor": (*LATIN_MINOR, "i | V7", "i | bIII | V7 | i"), "major": LATIN},
        layers,
        (*SONG, *LOOP),
        fills=0.3,
        crashes=0.3,
    )


@style("latin", 1.4)
def reggaeton(rng: Rng) -> Score:
    """Dembow: kick on the beats, snare in threes across them."""
    dembow = "...x..x....x..x."
    rows = (
        {"kick": "X...X...X...X...", "snare": dembow},
        {"kick": "X...X...X...X...", "snare": dembow, "hat": "..x...x...x...x."},
        {"kick": "X.......X.......", "stick": dembow, "maracas": "xoxoxoxoxoxoxoxo"},
        {"kick": "X...X...X...X...", "clap": "...x..x....x..x.", "hat": "xoxoxoxoxoxoxoxo"},
        {"kick": "X..xX..xX..xX..x", "snare": "...x..x....x..x.", "timbale1": "...............x"},
    )
    layers = [
        beat(rows, (24, 25), 0.02),
        bass(
            ("1-----1-5---1---", "1..1..1.1..1..1.", "1---------1-----", "1...1...1..1..1.", "...1..1....1..1."),
            SYNTH_BASSES,
        ),
        strum(
            "stabs",
            (80, 81, 4, 24, 12, 0),
            ("X..X..X.X..X..X.", "..X...X...X...X.", "X-------", "X..X..X..X..X.X."),
            leaves=0.04,
        ),
        figure(
            "pluck", (12, 45, 46, 24, 11, 75), ("0..1..2.3..2..1.", "0.1.2.3.", "3..2..1.0......."), 60, 84, there=0.7
        ),
        pad("pad", (89, 90, 50), there=0.5),
        lead((53, 85, 54, 81), syncopation=(0.3, 0.9)),
    ]
    return play(
        rng,
        "reggaeton",
        draw_bpm(rng, 84, 106),
        {"minor": POP_MINOR, "harmonic": ("i | bVI | iv | V",)},
        layers,
        (*SONG, *LOOP),
        fills=0.25,
        rubato=0.0,
        ritard=0.0,
        breaks=0.3,
        tags=("syncopated",),
    )


@style("latin", 1.0, held_out=True)
def tango(rng: Rng) -> Score:
    """No drums, marcato in four or síncopa, phrases that slow and spring back."""
    layers = [
        bass(("1-1-1-1-", "1-5-1-5-", "1--1--5-", "1-.-5-.a", "1..11.5."), (32, 43), 30, 0.6),
        strum(
            "piano",
            (0, 1),
            ("X.X.X.X.", ".xX-x.X.", "X--X--X-", "X-x-X-x-", "x.xxX.x."),
            50,
            74,
            short=0.6,
            leaves=0.02,
        ),
        strum("bandoneon", (23, 21), ("X.x.X.x.", ".xX-..X.", "X-------", "..x...xx"), 57, 79, 3, short=0.7),
        lead(
            (40, 23, 21, 73), "verse chorus a b c bridge solo theme head", density=(0.8, 2.0), low=62, high=88, grid=4
        ),
        pad("strings", (48, 49), there=0.5, need=0.6),
        beat(({"snare": "........|......gx"},), 48, 0.0, there=0.1),
    ]
    return play(
        rng,
        "tango",
        draw_bpm(rng, 96, 136),
        {"harmonic": (*LATIN_MINOR, "i | % | V7 | % | V7 | % | i | V7"), "major": ("I | V7 | V7 | I",)},
        layers,
        (*LOOP, *SONG),
        rubato=float(rng.uniform(0.02, 0.08)),
        rings=0.9,
        ritard=0.4,
        crashes=0.0,
        drummed_pickup=0.0,
    )


@style("latin", 1.0)
def bolero(rng: Rng) -> Score:
    """Slow, romantic: bongos in eighths, bass in half and quarters, requinto guitar, trumpets."""
    rows = (
        {"bongo1": "xoxoxoxo", "maracas": "x.xxx.xx", "tumba": "......xx"},
        {"bongo1": "Xoxoxoxo", "bongo2": "......x.", "stick": "..x.x..."},
        {"maracas": "xoxoxoxo", "kick": "x.....x.", "conga": "......xx"},
    )
    layers = [
        beat(rows, 0, 0.05),
        bass(("1---5-8-", "1---3-5-", "1-..5-a-", "1---5-5-"), FRETLESS, 30),
        figure("guitar", (24, 24, 0), ("0.123.12", "02132132", "0-2-1-3-", "0.2.1.3."), 52, 76, leaves=0.02),
        strum("piano", (0, 3), ("..x.x.x.", "X--x-x--", "X-------"), there=0.5),
        pad("strings", STRINGS, there=0.5, need=0.6),
        lead((53, 56, 24, 40, 73, 66), density=(0.6, 1.5)),
    ]
    return play(
        rng,
        "bolero",
        draw_bpm(rng, 66, 108),
        {"major": (*JAZZY, *LATIN), "minor": (*LATIN_MINOR, *JAZZY_MINOR)},
        layers,
        (*SONG, *LOOP),
        fills=0.3,
        crashes=0.1,
        rubato=float(rng.uniform(0, 0.04)),
        rings=0.8,
        ritard=0.4,
    )


@style("latin", 1.0)
def bachata(rng: Rng) -> Score:
    """Guitar arpeggios in eighths, bongos with an accent on four, güira."""
    rows = (
        {"bongo1": "x.xoxoX.", "bongo2": "......X.", "guiro": "x.xxx.xx"},
        {"bongo1": "xoxoxoX.", "guiro": "xxxxxxxx", "kick": "x.....x."},
        {"cowbell": "x.x.x.x.", "guiro": "x.xxx.xx", "bongo2": "......Xx", "kick": "x...x..."},
    )
    layers = [
        beat(rows, (0, 8), 0.04),
        bass(("1---3-5-", "1-..1-5-", "1---1-5a", "1-.35-.a"), (33, 36), 30),
        figure("requinto", (24, 25, 27), ("01232123", "0.121.21", "02132132", "0123.321"), 57, 81, leaves=0.02),
        strum("rhythm", (24, 25), ("..x.x.xx", "X.xxX.xx", "x.x.x.xx"), there=0.7),
        lead((53, 52), density=(0.8, 1.7)),
        pad("strings", STRINGS, there=0.3),
    ]
    return play(
        rng,
        "bachata",
        draw_bpm(rng, 112, 142),
        {"minor": (*POP_MINOR, *LATIN_MINOR), "major": ("IV | V | iii | vi", "I | vi | IV | V")},
        layers,
        fills=0.35,
        crashes=0.1,
        rings=0.6,
    )


@style("latin", 0.9)
def afro_cuban_six(rng: Rng) -> Score:
    """The bell of seven strokes over four dotted beats; drums in twos and threes against it."""
    bell = pick(rng, ("x.x xx. x.x .x.", "x.x .xx .x. x.x", "x.x xx. x.x .x."))
    rows = (
        {"cowbell": bell, "kick": "X.. ... X.. ...", "conga": "..x x.. ..x x.."},
        {"bell": bell, "kick": "X.. ..x ... x..", "snare": "... ..X ... ..X", "tom3": "..x ... ..x ..."},
        {"agogo1": bell, "maracas": "x.. x.. x.. x..", "tumba": "x.x ..x x.x ..x", "slap": "... x.. ... x.."},
    )
    layers = [
        beat(rows, (0, 8), 0.04),
        bass(("1-. ..5 --. 8--", "1.. .1. 5.. ..a", "1-- --1 5-- --a", "..1 ... 5.. 8.."), (32, 33), 30),
        figure("piano", (0, 4, 12), ("0.1 2.1 0.2 1.3", "012 301 230 123", "0.2 .1. 3.2 .1."), 57, 81),
        strum("chords", (16, 24, 4, 61), ("X-- ..x -.x ...", "... x.. ... x..", "X.x .x. x.x .x."), there=0.6),
        lead((73, 53, 66, 56)),
    ]
    return play(
        rng,
        "afro_cuban_six",
        draw_bpm(rng, 84, 144),
        {"dorian": ("i7 | IV7", "i | bVII | i | %", "i7"), "minor": LATIN_MINOR},
        layers,
        LOOP,
        division=3,
        fills=0.4,
        crashes=0.3,
        short_bar=0,
        tags=("syncopated",),
    )


@style("latin", 0.8)
def soca(rng: Rng) -> Score:
    """Carnival: kick on the beats, snare after them, steel pans, horns."""
    rows = (
        {"kick": "X...X...X...X...", "snare": "...x..x....x..x.", "hat": "..x...x...x...x."},
        {"kick": "X..xX..xX..xX..x", "snare": "..X...X...X...X.", "cowbell": "x.xxx.xxx.xxx.xx"},
        {"kick": "X...X...X...X...", "snare": "..xx..x...xx..x.", "agogo1": "x.x..xx.x.x..xx."},
    )
    layers = [
        beat(rows, (0, 24, 8), 0.04),
        bass(("1..1..5.1..1..5.", "1...1.5.1...3.5.", "1.1...5.6...5.3."), (33, 38), 30),
        strum(
            "keys",
            (114, 16, 62, 26),
            ("..x...x...x...x.", "x..x..x.x..x..x.", "..xx..xx..xx..xx"),
            60,
            79,
            3,
            leaves=0.04,
        ),
        figure("pans", (114, 12, 11), ("0.1.2.3.2.1.0.1.", "0..2..1.3..2..1."), 62, 86, there=0.7),
        lead((53, 114, 56, 52)),
        riff("horns", BRASS, ("1.1..1..3.5.....", "5..5..6.5......."), 60, there=0.5, kinds="chorus b"),
    ]
    return play(rng, "soca", draw_bpm(rng, 106, 162), {"major": LATIN}, layers, fills=0.35)
