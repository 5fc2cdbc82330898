"""Grooves from Africa, Asia, the Balkans and the American countryside, and drums on the march."""

from __future__ import annotations

from data.recipes.training.arranging import (
    BASSES,
    BRASS,
    CLEANS,
    FRETLESS,
    KEYS,
    LATIN_MINOR,
    LOOP,
    POP,
    ROCK,
    SONG,
    STEELS,
    VAMP,
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

COUNTRY = {
    "major": (
        "I | % | IV | I",
        "I | IV | V | I",
        "I | % | V | %",
        "IV | I | V | I",
        "I | vi | IV | V",
        "I | V | IV | I",
        *POP[:4],
    )
}
ORIENT = {
    "hijaz": ("I | % | bII | I", "I | bII", "I | iv | bII | I"),
    "harmonic": ("i | iv | V | i", "i | % | V7 | i"),
    "minor": ("i | bVII | bVI | V", "i"),
}


@style("world", 1.1)
def afrobeat(rng: Rng) -> Score:
    """Long vamps: interlocking guitars, a kick that leaves the one, horns in calls and answers."""
    rows = (
        {
            "kick": "X.....x.X.....x.",
            "snare": "....x..g..x.x..g",
            "hat": "x.x.x.x.x.x.x.x.",
            "maracas": "xoxoxoxoxoxoxoxo",
        },
        {"kick": "..x...x...x...x.", "stick": "...x..x....x.x..", "hat": "x.xxx.xxx.xxx.xx"},
        {
            "kick": "X..x....X.x.....",
            "snare": "....X.....x.X..x",
            "open": "..x...x...x...x.",
            "cowbell": "x..x..x...x.x...",
        },
        {"kick": "X.....xx....x...", "snare": "g..xg..gg..xg.x.", "conga": "..x..xx...x..xx."},
    )
    layers = [
        beat(rows, (0, 8), 0.07),
        bass(
            ("1..1..5...7.8...", "....1.1.3.5.....", "1.1...5.7.....5.", "1...3.5...5.3.1.", "..1.1.....5.7.8."),
            (33, 34),
        ),
        figure(
            "tenor",
            CLEANS,
            ("0.12.1.20.12.1.2", "0..1.2.1..0.2.1.", "2.1.0..12.1.0..1"),
            55,
            76,
            3,
            short=0.6,
            leaves=0.03,
        ),
        strum("rhythm", CLEANS, ("..x...x...x...x.", "x..x..x...x.x...", ".x.x.xx..x.x.xx."), 57, 77, 3, short=0.5),
        riff(
            "horns",
            BRASS,
            ("1...3...5.5.6.5.|3.1.............", "5..5..6.5..3....|................", "........1.3.5..."),
            58,
            kinds="intro chorus b theme solo",
            there=0.9,
        ),
        lead((53, 66, 16, 65), "verse a solo b head"),
        strum("organ", (16, 17), ("X-------", "..x..x....x..x.."), there=0.5),
    ]
    return play(
        rng,
        "afrobeat",
        draw_bpm(rng, 94, 130),
        {"dorian": VAMP, "minor": ("i7 | iv7", "i | %", "i | bVII")},
        layers,
        LOOP,
        fills=0.3,
        crashes=0.25,
        rings=0.25,
        tags=("syncopated",),
    )


@style("world", 1.0, held_out=True)
def highlife(rng: Rng) -> Score:
    """Bright guitars in thirds over a bell of five strokes; soukous when fast."""
    rows = (
        {"kick": "X...X...X...X...", "stick": "x..x..x...x.x...", "hat": "..x...x...x...x."},
        {"kick": "X...X...X...X...", "cowbell": "x..x..x...x.x...", "maracas": "xoxoxoxoxoxoxoxo"},
        {"kick": "X.....x.X.....x.", "snare": "...x..x....x.xx.", "hat": "x.x.x.x.x.x.x.x."},
    )
    layers = [
        beat(rows, (0, 8), 0.05),
        bass(("1...3.5...5.3...", "1..1..5.3...5...", "....1.3.5...3.5.", "1.3.5.....5.3.1."), (33, 32)),
        figure(
            "first",
            CLEANS,
            ("0.2.1.2.0.3.2.1.", "0123210132123210", "0..2..1.3..2..1."),
            64,
            86,
            3,
            short=0.7,
            leaves=0.03,
        ),
        figure("second", CLEANS, ("0.1.2.1.", "..0.1.2...2.1.0.", "0..1..2."), 52, 72, 3, short=0.7),
        lead((53, 56, 66, 52)),
        riff(
            "horns",
            BRASS,
            ("1..3..5.5.......|................", "5.5.6.5.3......."),
            60,
            there=0.5,
            kinds="chorus theme b",
        ),
    ]
    return play(
        rng,
        "highlife",
        draw_bpm(rng, 98, 142),
        {"major": ("I | IV | V | I", "I | IV | I | V", "I IV | I V", "I | IV | V | IV")},
        layers,
        (*LOOP, *SONG),
        tags=("syncopated",),
    )


@style("world", 1.1, held_out=True)
def train_beat(rng: Rng) -> Score:
    """Country: brushes run like a train, bass on one and three."""
    rows = (
        {"kick": "X.......X.......", "snare": "ggXgggXgggXgggXg"},
        {"kick": "X...X...", "snare": "goXogoXo", "hat": "..x...x."},
        {"kick": "X...X...", "snare": "oxoXoxoX"},
    )
    layers = [
        beat(rows, (40, 0, 8), 0.04),
        bass(("1---5---", "1-..5-.a", "1---5-a-", "1-1-5-5-"), FRETLESS),
        strum("guitar", STEELS, ("..x...x.", "x.xxx.xx", "..xx..xx", "X-x-X-xx"), 50, 72, leaves=0.03),
        figure("picking", (27, 105, 25), ("01230123", "0213021302130213", "0.2.1.3."), 55, 79, there=0.7),
        lead((53, 22, 40, 27, 110)),
        strum("piano", KEYS, ("..x...x.", "X---x---"), there=0.4),
        pad("steel", (48, 51, 26), there=0.3),
    ]
    return play(rng, "train_beat", draw_bpm(rng, 92, 138), COUNTRY, layers, lift=0.15, rings=0.7)


@style("world", 1.0)
def two_step(rng: Rng) -> Score:
    """Country two-step and polka: bass and chord by turns, two beats a bar."""
    rows = (
        {"kick": "X...", "snare": "..X.", "hat": "x.x."},
        {"kick": "X...", "stick": "..x.", "ride": "x.xx"},
        {"kick": "x...", "snare": "..xg", "tamb": "..x."},
        {"kick": "X.......", "snare": "..xg..xx"},
    )
    layers = [
        beat(rows, (0, 40, 8), 0.04, there=0.85),
        bass(("1---|5---", "1-..|5-..", "1-1-|5-a-", "1---|5-a-"), (32, 33, 58), short=0.7),
        strum("chop", (*STEELS, 21, 0), ("..x.", "..xx", ".x.x", "..X."), 54, 74, 3, short=0.6, leaves=0.03),
        lead((40, 21, 22, 53, 71, 105), density=(1.0, 2.2)),
        figure("picking", (105, 25, 27), ("0123", "0213", "01230213"), 55, 79, there=0.4),
    ]
    forms = (
        "intro8 a16 b16 a16 b16 a16 outro4",
        "a16 a16 b16 a16 b16",
        "intro4 verse16 chorus16 verse16 chorus16 solo16 chorus16",
    )
    return play(
        rng,
        "two_step",
        draw_bpm(rng, 84, 138),
        COUNTRY,
        layers,
        forms,
        2,
        fills=0.35,
        crashes=0.25,
        rings=0.7,
        short_bar=0,
    )


@style("world", 1.0)
def bluegrass(rng: Rng) -> Score:
    """No drums: bass on the beat, mandolin chops between, banjo rolls, fiddle."""
    layers = [
        bass(("1---|5---", "1-..|5-..", "1---|5-a-", "1-3-|5-a-"), FRETLESS, short=0.75, leaves=0.02),
        strum("mandolin", (25, 24, 105), ("..X.", "..X.", "..Xx"), 60, 78, 4, short=0.35, leaves=0.02),
        figure("banjo", (105, 25), ("01320132", "02130213", "01201320", "03120312"), 55, 79, 4, leaves=0.05),
        strum("guitar", STEELS, ("x.xx", "x.x.", "..xx", "x.xxx.xx"), 45, 69, there=0.7),
        lead((40, 110, 105, 22), "verse chorus a b solo head theme intro", density=(1.2, 3.2), grid=4, low=62, high=86),
    ]
    forms = ("intro4 a16 b16 a16 b16 a16 b16", "a16 a16 b16 b16", "intro8 verse16 chorus16 solo16 verse16 chorus16")
    return play(
        rng,
        "bluegrass",
        draw_bpm(rng, 88, 152),
        {**COUNTRY, "mixolydian": ("I | % | bVII | I", "I | bVII | IV | I")},
        layers,
        forms,
        2,
        rings=0.8,
        short_bar=0,
        tags=(),
    )


@style("world", 0.9)
def bhangra(rng: Rng) -> Score:
    """Dhol in a swung chaal, tumbi riffs, shouts."""
    rows = (
        {"kick": "X.. ..x ..x X..", "snare": "..x x.x x.x ..x", "maracas": "x.x x.x x.x x.x"},
        {"kick": "X.. ... X.. ..x", "stick": "..x x.. ..x x.x", "clap": "... X.. ... X.."},
        {"tom3": "X.. ..x ..x X..", "tom1": "..x x.x x.. ..x", "kick": "X.. X.. X.. X..", "tamb": "... X.. ... X.."},
    )
    layers = [
        beat(rows, (0, 8, 24), 0.04),
        bass(("1-. ..1 ..1 1--", "1-- --- 1-- --a", "1.. 1.. 1.. 1.a"), (38, 33, 39)),
        riff(
            "tumbi",
            (104, 105, 25, 104),
            ("1.1 3.1 4.3 1.1", "5.5 5.4 3.4 3.1", "1.. 1.3 ..3 1.1|5.5 4.3 1.. ..."),
            60,
            leaves=0.1,
        ),
        strum("keys", (20, 21, 48, 81), ("X-- --- X-- ---", "... x.. ... x..", "X.x ..x ..x X.."), there=0.6),
        lead((53, 52, 111, 20), density=(0.8, 1.8)),
    ]
    return play(
        rng,
        "bhangra",
        draw_bpm(rng, 82, 112),
        {"minor": ("i | bVII", "i", "i | bVI | bVII | i"), "mixolydian": ("I | bVII", "I | IV")},
        layers,
        (*SONG, *LOOP),
        division=3,
        fills=0.4,
        short_bar=0,
        tags=("swing",),
    )


@style("world", 1.0)
def film_song(rng: Rng) -> Score:
    """Indian film songs: keherwa of eight eighths, strings that answer the singer."""
    rows = (
        {"conga": "x.xx..x.", "tumba": "X...x..x", "tamb": "..x...x."},
        {"bongo1": "X.xxx.xx", "bongo2": "....x..x", "kick": "X...x..."},
        {"kick": "X..xx...", "snare": "..X...X.", "conga": "x.xx.xx.", "maracas": "xoxoxoxo"},
        {"tumba": "X..x..x.", "slap": "..x.xx.x", "claves": "x...x..."},
    )
    layers = [
        beat(rows, (0, 8, 24), 0.05),
        bass(("1---5---", "1..1..5.", "1-..1-5a", "1---1---"), (33, 32, 35)),
        riff(
            "strings",
            (48, 49, 40),
            ("1.2.3.4.|5-------", "5.4.3.2.|1.......", "8.7.6.5.4.3.2.1.|................", "1--3--5-|6-5-3-1-"),
            62,
            kinds="intro chorus b theme solo bridge",
            there=0.9,
        ),
        strum("harmonium", (20, 21, 24, 0), ("X-------", "x.xxx.xx", "..x...x."), leaves=0.08),
        figure("sitar", (104, 15, 107, 11), ("0.1.2.1.", "0..1..2.", "01230123"), 57, 81, there=0.5),
        lead((53, 73, 52, 40), density=(0.8, 2.0), grid=4),
    ]
    return play(
        rng,
        "film_song",
        draw_bpm(rng, 84, 138),
        {"minor": LATIN_MINOR, "major": ("I | vi | IV | V", "I | % | bVII | I", *POP[:5]), "hijaz": ORIENT["hijaz"]},
        layers,
        (*SONG, *LOOP),
    )


@style("world", 1.0)
def maqsum(rng: Rng) -> Score:
    """Arab and Turkish dance: darbuka rhythms, unison melodies of violins and reeds."""
    rows = (
        {"tumba": "X...X...", "slap": ".x.x..x.", "tamb": "xoxoxoxo"},
        {"tumba": "X..xX...", "slap": ".x....xx", "maracas": "x.xxx.xx"},
        {"kick": "X...X...", "tumba": "XX..X...", "slap": "...x..x.", "clap": "..x...x."},
        {"tumba": "X.......X.......", "slap": "..xgx.xg..xgx.xg", "tamb": "x.x.x.x.x.x.x.xx"},
    )
    layers = [
        beat(rows, (0, 24), 0.05),
        bass(("1-..1-..", "11..1.5.", "1.......", "1..11.5a"), (33, 35, 38), there=0.8),
        riff(
            "unison",
            (40, 48, 68, 71, 110),
            ("1.2.3.2.|4.3.2.1.", "5--4--3-|4.3.2.1.", "1-..2.3.|2-1-....", "..5.4.3.4.3.2.1."),
            60,
            leaves=0.15,
        ),
        strum("oud", (106, 107, 24, 15), ("x.xxx.xx", "x..x..x.", "X---x---"), there=0.7),
        lead((40, 68, 53, 72, 111), density=(1.0, 2.6), grid=4, low=58, high=79),
        pad("drone", (48, 89, 20), there=0.4),
    ]
    return play(rng, "maqsum", draw_bpm(rng, 86, 138), ORIENT, layers, (*LOOP, *SONG), fills=0.3, crashes=0.15)


@style("world", 0.8, held_out=True)
def balkan_seven(rng: Rng) -> Score:
    """Sevens as three and two and two (or the other way round), the eighths counted."""
    first = bool(rng.random() < 0.6)
    groups = "X..x.x." if first else "X.x.x.."
    off = ".xx.x.x" if first else ".x.x.xx"
    rows = (
        {"kick": groups, "snare": off.replace("x", "o"), "tamb": "xxxxxxx"},
        {"tumba": groups, "slap": off},
        {"kick": groups, "hat": off, "stick": "......x"},
    )
    wide = tuple({drum: ".".join(row) + "." for drum, row in pattern.items()} for pattern in rows)
    accents = groups.replace("X", "1").replace("x", "5")
    layers = [
        beat(wide, (0, 8), 0.04),
        bass((".".join(accents) + ".", ".".join(groups.replace("X", "1").replace("x", "1")) + "."), (58, 32, 33)),
        strum(
            "chops", (21, 24, 61, 25), (".".join(off) + ".", ".".join(groups) + "."), 55, 76, 3, short=0.6, leaves=0.03
        ),
        riff(
            "reeds",
            (71, 68, 21, 56, 40),
            (
                ".".join("1234321") + ".",
                ".".join("5.43.21" if first else "54.3.21") + ".",
                "1.2.3.5.4.3.2.|1.............",
                ".".join("5544321") + ".",
            ),
            60,
            leaves=0.1,
        ),
        lead((71, 21, 40, 56), density=(0.7, 1.3), grid=2),
    ]
    return play(rng, "balkan_seven", draw_bpm(rng, 150, 216), ORIENT, layers, LOOP, 7, short_bar=0, fills=0.3)


@style("world", 0.9)
def rumba_flamenca(rng: Rng) -> Score:
    """Strummed guitars with a golpe, palmas and cajón, the Andalusian cadence."""
    rows = (
        {"kick": "X.....x.X.......", "slap": "....x..x....x.x.", "clap": "..x...x...x...x."},
        {"clap": "x.xxx.xxx.xxx.xx", "stick": "....x.......x..."},
        {"kick": "X..x..x...x.....", "snare": "....x..g.g..x.g.", "clap": "....X.......X..."},
        {"conga": "..x..xx...x..xx.", "tumba": "X.......X...x...", "maracas": "xoxoxoxoxoxoxoxo"},
    )
    layers = [
        beat(rows, 0, 0.06, need=pick(rng, (0.3, 0.55))),
        bass(("1..1..5.1..1..5.", "1-----5-1---5---", "1..5..8.....5..."), FRETLESS, need=0.45),
        strum(
            "guitar",
            (24, 24, 25),
            ("x.xgx.gxx.xgx.gx", "X..x..x.X..x..x.", "xgxxgxxgxgxxgxxx", "X.xgX.xgX.xgX.xg"),
            45,
            72,
            5,
            leaves=0.0,
        ),
        lead((24, 53, 40, 73), "intro verse chorus a b c solo theme head bridge", density=(1.0, 2.6), grid=4),
        figure("second", (24, 25), ("0120120120120121", "0.2.1.3."), 55, 79, there=0.5),
    ]
    return play(
        rng,
        "rumba_flamenca",
        draw_bpm(rng, 92, 132),
        {"phrygian": ("iv | bIII | bII | I", "I | bII | I | bII"), "minor": ("i | bVII | bVI | V", "iv | i | V7 | i")},
        layers,
        rubato=float(rng.uniform(0, 0.02)),
        crashes=0.15,
    )


@style("world", 1.0)
def drumline(rng: Rng) -> Score:
    """Marching: bass drums and cymbals on the beats, snares in sixteenths and rolls, brass or none."""
    rows = (
        {"kick": "X...X...X...X...", "snare": "xgggxggxxgggxgxg", "crash": "....x.......x..."},
        {"kick": "X.......X.......", "snare": "x..xx.x.x.xxx.x.", "tom3": "....X.......X..."},
        {"kick": "X..x..x.X...X...", "snare": "xxgxxgxxgxxgxgxg", "tom1": "......x.......xx"},
        {"snare": "XggxggXgXggxggXg", "tom2": "x...x.x.....x.xx", "kick": "X...X...X.x.X..."},
        {"kick": "X...X...", "snare": "..x...xx"},
    )
    layers = [
        beat(rows, (48, 0), 0.06, leaves=0.02),
        bass(
            ("1---5---", "1-..5-..", "1.1.5.5.", "1---3-5-"),
            (58, 57),
            30,
            0.6,
            kinds="chorus verse b theme a outro",
            there=0.75,
        ),
        riff(
            "horns",
            (61, 56, 57, 60),
            ("1--35---|6-5-3-1-", "5.5.6.5.|3-1-....", "1..13..35...5..."),
            58,
            kinds="chorus b theme intro",
            there=0.7,
        ),
        lead((56, 72, 73, 61), density=(0.8, 1.8), syncopation=(0.0, 0.4), there=0.7),
        strum("peckhorns", (60, 57), (".x.x.x.x", "..x...x."), 55, 72, 3, short=0.5, there=0.6),
    ]
    return play(
        rng,
        "drumline",
        draw_bpm(rng, 92, 152),
        {"major": ("I | % | V | I", "I | IV | V7 | I", "I | V7/V | V7 | I", *ROCK[:2])},
        layers,
        (*LOOP, *SONG),
        swing=float(pick(rng, (0.5, 0.5, 0.56))),
        swung=4,
        fills=0.6,
        rubato=0.0,
    )


@style("world", 0.8)
def desert_blues(rng: Rng) -> Score:
    """West African guitar: a triplet lope with hand claps, one chord, a riff that answers the voice."""
    rows = (
        {"kick": "X.. ..x X.. ..x", "clap": "... X.. ... X..", "maracas": "x.x x.x x.x x.x"},
        {"tumba": "X.x ..x X.x ..x", "clap": "..x ..x ..x ..x"},
        {"kick": "X.. x.. X.. x..", "tom3": "..x x.. ..x x.x", "clap": "x.. x.. x.. x.."},
    )
    layers = [
        beat(rows, (0, 8), 0.05, need=pick(rng, (0.3, 0.6))),
        bass(("1-- --1 3-- 1--", "1.. 1.. 5.. 7.a", "1-1 ..5 --. ..."), BASSES),
        riff(
            "guitar",
            (26, 27, 24, 29),
            ("1.1 3.4 3.1 ..1", "1.3 1.. 5.4 3.1", "..1 3.. 1.. ...|1.1 3.4 5.4 3.1"),
            50,
            leaves=0.02,
        ),
        strum("rhythm", (25, 26), ("x.x x.x x.x x.x", "X.. ..x X.. ..x"), there=0.6),
        lead((53, 52, 107), density=(0.6, 1.4)),
        pad("drone", (48, 89, 50), there=0.15),
    ]
    return play(
        rng,
        "desert_blues",
        draw_bpm(rng, 84, 136),
        {"minor pentatonic": ("i", "i | % | bVII | i"), "dorian": ("i | IV", "i")},
        layers,
        LOOP,
        division=3,
        rings=0.4,
        fills=0.25,
        crashes=0.15,
        short_bar=0,
    )
