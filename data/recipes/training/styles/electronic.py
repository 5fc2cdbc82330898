"""Dance and electronic music: sequenced, built in layers of eight bars, with breaks, builds and drops."""

from __future__ import annotations

from data.recipes.training.arranging import (
    CLUB,
    CLUB_MINOR,
    EPIANOS,
    JAZZY_MINOR,
    KEYS,
    LEADS,
    LOOP,
    PADS,
    POP,
    POP_MINOR,
    SONG,
    SYNTH_BASSES,
    PlayerLayer,
    Write,
    bass,
    beat,
    figure,
    lead,
    pad,
    play,
    riff,
    strum,
)
from data.recipes.training.composition import ComposedNote, Score, style
from data.recipes.training.writing import Rng, SongDraft, WrittenSection, chance, draw_bpm, drum_notes, pick, roll_notes

HARMONY = {"minor": CLUB_MINOR, "dorian": CLUB_MINOR, "major": POP}
FULL = "intro a b c verse drop outro solo"
"""the kinds of section with a kick; breaks and builds have their own drums"""


def _building(kind: str) -> Write:
    """A build: a snare roll that doubles, or claps, or a kick that comes quicker; the last beats may be empty."""

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        gap = float(pick(song.rng, (0, 0, 1, 2, section.metre)))
        length = section.beats - min(gap, section.beats / 2)
        half = length / 2 if chance(song.rng, 0.4) else 0.0
        if half:
            rows = {kind: "x...x...x...x..."}
            song.parts[player].notes += [
                note for note in drum_notes(rows, section.bars, section.metre) if note.at < section.at + half
            ]
        song.parts[player].notes += roll_notes(kind, section.at + half, length - half, int(pick(song.rng, (1, 2))), 4)

    return write


def build(rng: Rng) -> PlayerLayer:
    """The drums of builds."""
    return PlayerLayer(
        "drums",
        "drums",
        25,
        _building(pick(rng, ("snare", "snare", "clap", "kick", "tom3"))),
        kinds="build",
        leaves=0.0,
    )


def riser(there: float = 0.5) -> PlayerLayer:
    """A note that climbs through breaks and builds, in eighths or sixteenths."""

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        rate = pick(song.rng, (1, 2, 4))
        count = int(section.beats * rate)
        start = 55 + song.key.tonic % 12
        song.parts[player].notes += [
            ComposedNote(section.at + n / rate, 0.8 / rate, start + 12 * n // count, 45 + 55 * n // count)
            for n in range(count)
        ]

    return PlayerLayer("riser", "riff", (81, 90, 102, 98, 48), write, kinds="build", leaves=0.2, there=there)


@style("electronic", 1.4)
def house(rng: Rng) -> Score:
    """Four on the floor, open hats between, stabs off the beat."""
    rows = (
        {"kick": "X...X...X...X...", "clap": "....X.......X...", "open": "..x...x...x...x."},
        {"kick": "X...X...X...X...", "clap": "....X.......X...", "hat": "xoxoxoxoxoxoxoxo", "open": "..x...x...x...x."},
        {
            "kick": "X...X...X...X..x",
            "snare": "....X.......X..o",
            "maracas": "x.oxx.oxx.oxx.ox",
            "open": "..x...x...x...x.",
        },
        {"kick": "X...X...X...X...", "hat": "..x...x...x...x.", "tamb": "xoxoxoxoxoxoxoxo"},
        {
            "kick": "X...X...X...X...",
            "clap": "....X.......X...",
            "conga": "..x..x....x..x.x",
            "open": "..x...x...x...x.",
        },
    )
    layers = [
        beat(rows, (24, 25), 0.02, kinds=FULL),
        build(rng),
        riser(),
        beat(
            ({"open": "..x...x...x...x."}, {"hat": "x.x.x.x.x.x.x.x."}, {"clap": "....X.......X..."}),
            25,
            0.0,
            kinds="break",
            leaves=0.4,
        ),
        bass(
            ("..1...1...1...1.", "1..1..1...1.1.5.", "..1.1...1..1..8.", ".1.1.1.1", "1...1.8...1.5.8."),
            SYNTH_BASSES,
            short=0.8,
        ),
        strum(
            "stabs",
            (*KEYS, 16, 17, 62, 90),
            ("..X...X...X...X.", "X..X..X...X..X..", "X..x..x..x..x...", "..X..X....X..X..", "X--.X--.X--.X--."),
            need=0.2,
        ),
        pad("pad", PADS, there=0.6),
        lead((53, 54, 85, 65, 80), "a b drop break c", density=(0.5, 1.4), there=0.8),
    ]
    return play(
        rng, "house", draw_bpm(rng, 116, 132), HARMONY, layers, CLUB, fills=0.35, rubato=0.0, rings=0.2, ritard=0.0
    )


@style("electronic", 1.0)
def deep_house(rng: Rng) -> Score:
    """Softer, with sevenths and ninths off the beat and swung sixteenths."""
    rows = (
        {
            "kick": "X...X...X...X...",
            "clap": "....o.......o...",
            "hat": "..x...x...x...x.",
            "maracas": "oggoogg.oggoogg.",
        },
        {"kick": "X...X...X...X...", "stick": "...x..x....x..x.", "hat": "..x...x...x...x."},
        {
            "kick": "X...X...X...X...",
            "snare": "....x..g.g..x...",
            "open": "..x...x...x...x.",
            "hat": "o.o.o.o.o.o.o.o.",
        },
        {"kick": "X.....x.X.....x.", "clap": "....X.......X...", "hat": "x.ox.oxx.ox.oxx."},
    )
    layers = [
        beat(rows, (24, 25, 8), 0.03),
        bass(("1..1...1..1.....", "..1..1....1..1.8", "1......1..5...1.", "..1...1...1..18."), (38, 39, 33, 35)),
        strum(
            "keys",
            EPIANOS,
            ("...X..X....X..X.", "X..X....X..X....", "..X-..X-..X-..X-", "X-----.X--------"),
            leaves=0.03,
        ),
        pad("pad", PADS, there=0.7),
        figure("mallet", (11, 12, 13), ("0..1..2.0..1..3.", "..0...2...1...3."), 62, 84, there=0.4),
        lead((53, 65, 11, 85), density=(0.4, 1.2), there=0.7),
    ]
    return play(
        rng,
        "deep_house",
        draw_bpm(rng, 112, 125),
        {"minor": (*JAZZY_MINOR, *CLUB_MINOR), "dorian": JAZZY_MINOR},
        layers,
        (*CLUB, *LOOP),
        swing=float(rng.uniform(0.5, 0.6)),
        swung=4,
        fills=0.3,
        rubato=0.0,
        rings=0.2,
        ritard=0.0,
    )


@style("electronic", 1.3)
def techno(rng: Rng) -> Score:
    """Kick, off-beat hats, one figure that turns; the kick goes and only the off-beats remain."""
    rows = (
        {"kick": "X...X...X...X...", "open": "..x...x...x...x.", "clap": "....x.......x..."},
        {"kick": "X...X...X...X...", "hat": "xoxoxoxoxoxoxoxo", "stick": "...x..x..x......"},
        {"kick": "X...X...X...X...", "open": "..x...x...x...x.", "tom3": "...x..x....x.x.."},
        {"kick": "X...X...X...X..o", "ride": "..x...x...x...x.", "clap": "............X..."},
    )
    without = (
        {"open": "..x...x...x...x."},
        {"hat": "..x...x...x...x.", "stick": "...x..x..x......"},
        {"ride": "..x...x...x...x.", "tom3": "...x..x....x.x.."},
    )
    layers = [
        beat(rows, (24, 25), 0.01, kinds=FULL),
        beat(without, 25, 0.0, kinds="break"),
        build(rng),
        riser(0.4),
        bass(("..1...1...1...1.", ".111.111.111.111", "1..1..1..1..1.1.", "..11..11..11..11"), SYNTH_BASSES, short=0.7),
        riff(
            "sequence",
            (81, 80, 87, 38, 90),
            ("1..3..1..5..1.3.", "1.1.3.1.1.5.1.2.", "11.11.31.11.11.5", "..1..1.1..1..3.1", ".1...1...1...1.."),
            int(pick(rng, (40, 52, 60))),
            short=0.6,
            leaves=0.15,
        ),
        strum(
            "stab",
            (62, 81, 90, 51),
            ("...X............", "..X....X........", "X..X..X.........", "......X.......X."),
            there=0.6,
        ),
        pad("pad", PADS, there=0.6),
    ]
    bank = {
        "minor": ("i", "i | % | % | bVI", "i | bII", "i7"),
        "phrygian": ("i", "i | bII"),
        "dorian": ("i7", "i | IV"),
    }
    return play(
        rng,
        "techno",
        draw_bpm(rng, 122, 148),
        bank,
        layers,
        CLUB,
        fills=0.15,
        crashes=0.4,
        rubato=0.0,
        rings=0.1,
        ritard=0.0,
    )


@style("electronic", 1.1)
def trance(rng: Rng) -> Score:
    """Rolling off-beat bass, broken chords, long break and build."""
    rows = (
        {"kick": "X...X...X...X...", "open": "..x...x...x...x.", "clap": "....X.......X..."},
        {
            "kick": "X...X...X...X...",
            "open": "..X...X...X...X.",
            "hat": "xoxoxoxoxoxoxoxo",
            "snare": "....X.......X...",
        },
    )
    layers = [
        beat(rows, (24, 25), 0.0, kinds=FULL),
        build(rng),
        riser(0.7),
        bass((".111.111.111.111", "..1...1...1...1.", ".1.1.1.1"), SYNTH_BASSES, short=0.7, kinds=FULL),
        figure(
            "arp",
            LEADS,
            ("0120120120120120", "0123210123210123", "0102010301020104", "0..1..2..3..2.1."),
            60,
            84,
            leaves=0.05,
        ),
        strum(
            "plucks", (81, 90, 81), ("X..X..X..X..X.X.", "..X...X...X...X.", "X.X.X.X.X.X.X.XX"), kinds="drop b outro"
        ),
        pad("pad", PADS, need=0.0),
        lead((81, 80, 84), "drop break b", density=(0.6, 1.5)),
        strum("piano", KEYS, ("X---X---", "X--X--X-"), kinds="break", there=0.5),
    ]
    return play(
        rng,
        "trance",
        draw_bpm(rng, 128, 146),
        {"minor": POP_MINOR},
        layers,
        CLUB,
        fills=0.3,
        rubato=0.0,
        rings=0.3,
        ritard=0.0,
    )


@style("electronic", 1.2)
def drum_and_bass(rng: Rng) -> Score:
    """Breaks at 160 to 180, two-step or chopped, bass in long notes."""
    rows = (
        {"kick": "X.........x.....", "snare": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.x.......xx....", "snare": "....X..g.g..X..g", "hat": "x.x.x.x.x.x.x.x."},
        {
            "kick": "X.x.......x.....|X.x.......x.....",
            "snare": "....X..x.x..X...|....X..x.x....X.",
            "ride": "x.x.x.x.x.x.x.x.",
        },
        {
            "kick": "X.........x.....|..x.......x.....",
            "snare": "....X.......X...|....X..g.x..X..x",
            "hat": "xoxxxoxoxoxxxoxo",
        },
        {"kick": "X..x......x.....", "snare": "....X.......X..g", "open": "x...x...x...x..."},
    )
    layers = [
        beat(rows, (24, 8, 25, 0), 0.06, kinds=FULL),
        build(rng),
        riser(0.4),
        beat(({"hat": "x.x.x.x."}, {"ride": "x...x..."}, {"snare": "....x..."}), 24, 0.0, kinds="break", leaves=0.4),
        bass(
            (
                "1---------5-----",
                "1-------",
                "1-----1---.1--3-",
                "1--1--1---1--1--",
                "1..............8|--------5-------",
            ),
            SYNTH_BASSES,
        ),
        strum("keys", (*EPIANOS, *KEYS, 90), ("X-------|--------", "X--X----", "...X..X.|........"), there=0.7),
        pad("pad", PADS, there=0.8),
        riff(
            "reese",
            (81, 87, 38),
            ("1...1.3.1...5.4.", "1.1..1.3|........", "..1..1..3..1...."),
            40,
            kinds="drop b",
            there=0.6,
        ),
        lead((53, 85, 80, 73, 65), density=(0.3, 1.0), there=0.7),
    ]
    return play(
        rng,
        "drum_and_bass",
        draw_bpm(rng, 160, 180),
        {"minor": (*CLUB_MINOR, *JAZZY_MINOR)},
        layers,
        (*CLUB, *LOOP),
        fills=0.5,
        rubato=0.0,
        rings=0.15,
        ritard=0.0,
    )


@style("electronic", 1.0)
def dubstep(rng: Rng) -> Score:
    """At 140 with the snare on three, a bass that wobbles in threes and fours."""
    rows = (
        {"kick": "X...............", "snare": "........X.......", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.....x.........", "snare": "........X.......", "hat": "x..x..x..x..x.x."},
        {"kick": "X..x............|X.........x.....", "snare": "........X.......", "hat": "..x...x...x...xx"},
        {"kick": "X.........x..x..", "snare": "........X.......", "stick": "...x..x.....x..."},
    )
    layers = [
        beat(rows, (24, 25), 0.04, kinds=FULL),
        build(rng),
        riser(),
        bass(
            ("1-------", "1-----1-", "1--1--1-", "111111111111", "1.1.1.1.111111", "1-1-1-1-11111111"),
            (38, 87, 39, 81),
        ),
        riff(
            "wobble",
            (87, 81, 84),
            ("1-1-1-1-", "111 111 111 111", "1...3...1..11.5.", "1-----111111"),
            36,
            kinds="drop b",
            there=0.7,
        ),
        strum("stab", (62, 51, 81), ("......X.........", "X.........X.....", "..X............."), there=0.5),
        pad("pad", PADS, there=0.8),
        strum("skank", (16, 4), ("..x...x.", "....x..."), there=0.3),
        lead((53, 54, 85), "a c break verse", density=(0.3, 0.9)),
    ]
    return play(
        rng,
        "dubstep",
        draw_bpm(rng, 136, 146),
        {"minor": CLUB_MINOR, "phrygian": ("i", "i | bII")},
        layers,
        CLUB,
        fills=0.4,
        rubato=0.0,
        rings=0.15,
        ritard=0.0,
        tags=("half_time",),
    )


@style("electronic", 0.9)
def future_bass(rng: Rng) -> Score:
    """Chords that pump against the kick, the snare on three, bells and chopped voices."""
    rows = (
        {"kick": "X.....x...x.....", "snare": "........X.......", "hat": "x.x.x.xxx.x.xxxx"},
        {"kick": "X..X......X..X..", "clap": "........X.......", "hat": "x.x.x.x.x.x.x.x."},
        {"kick": "X.......x.x.....", "snare": "....X.......X...", "open": "..x...x...x...x."},
    )
    layers = [
        beat(rows, (25, 24), 0.05, kinds=FULL),
        build(rng),
        riser(),
        strum(
            "saws",
            (81, 90, 62),
            ("..x...x...x...x.", ".xxx.xxx.xxx.xxx", "X--X--X---X-X---", "X..XX..XX.X.X.X."),
            55,
            79,
            5,
            kinds="drop b outro",
        ),
        strum(
            "keys", (*EPIANOS, *KEYS, 12), ("X-------", "X--X--X-", "X--X---+|---X---+"), kinds="intro a verse break c"
        ),
        bass(("1-------", "1--1--1-", "1..1..1...1.1..."), SYNTH_BASSES, kinds=FULL),
        pad("pad", PADS, there=0.5),
        figure("bells", (9, 10, 11, 14), ("0.2.1.3.", "0..2..1...3..1.."), 67, 91, there=0.6),
        lead((85, 53, 54, 80), density=(0.5, 1.5)),
    ]
    return play(
        rng,
        "future_bass",
        draw_bpm(rng, 130, 160),
        {"major": ("IVmaj9 | V | vi7 | I/3", "IVmaj7 | iii7 | vi9 | I9", *POP)},
        layers,
        CLUB,
        rubato=0.0,
        ritard=0.0,
        tags=("half_time",),
    )


@style("electronic", 1.0)
def synthwave(rng: Rng) -> Score:
    """Sixteenths or eighths in the bass, gated snare, wide pads."""
    rows = (
        {"kick": "X...x...", "snare": "..X...X.", "hat": "xoxoxoxo"},
        {"kick": "X.x.X.x.", "snare": "..X...X.", "tom1": ".......x"},
        {"kick": "X.......X.......", "snare": "....X.......X...", "hat": "xoxoxoxoxoxoxoxo"},
        {"kick": "X...X...X...X...", "snare": "....X.......X...", "open": "..x...x...x...x."},
    )
    layers = [
        beat(rows, (16, 24), 0.02),
        bass(
            ("1111111111111111", "11111111", "1.11.11.1.11.11.", "1.8.1.8.", "..11..11..11..11"),
            SYNTH_BASSES,
            short=0.75,
        ),
        figure("arp", (80, 81, 90, 5), ("0123432101234321", "0120120120120120", "0.1.2.3."), 60, 84, there=0.8),
        pad("pad", (50, 51, 90, 91), need=0.0),
        lead((81, 80, 65, 29, 84), density=(0.5, 1.5)),
        strum("stabs", (62, 63, 5), ("X..X....", "X-----X-", "..X..X.."), there=0.4, need=0.6),
    ]
    return play(
        rng, "synthwave", draw_bpm(rng, 78, 122), {"minor": POP_MINOR, "major": POP}, layers, (*SONG, *LOOP), rubato=0.0
    )


@style("electronic", 0.9)
def electro(rng: Rng) -> Score:
    """Drum-machine funk: kicks that avoid the beat, cowbell, robot basses."""
    rows = (
        {"kick": "X.....x...x.....", "snare": "....X.......X...", "hat": "xxxxxxxxxxxxxxxx"},
        {"kick": "X..x..x...x..x..", "clap": "....X.......X...", "cowbell": "x.xx.x.xx.x.x.x."},
        {"kick": "X.....x..x......|X.....x..xx.....", "snare": "....X.......X...", "hat": "x.xxx.xxx.xxx.xx"},
        {"kick": "X.xx......x.x...", "snare": "....X.......X..x", "open": "..............x."},
    )
    layers = [
        beat(rows, (25, 24), 0.02),
        bass(("1..1..1.8..1.5..", "1.1..1.1..1.8...", "11.1..8.1.1...7.", "1..8..1..1.8.1.."), SYNTH_BASSES, short=0.7),
        strum("stabs", (62, 81, 50, 90), ("X..X............", "......X..X......", "X-------"), there=0.7),
        riff("lead", (80, 81, 87, 11), ("1..3.1..5.4.3...", "1.1.3.1.5...3...", "5..5..3..1......"), 60, there=0.8),
        pad("pad", PADS, there=0.4),
        lead((54, 85, 80), "verse b c", density=(0.8, 1.8), there=0.5),
    ]
    return play(
        rng,
        "electro",
        draw_bpm(rng, 98, 134),
        {"minor": ("i", "i | bVII", *CLUB_MINOR)},
        layers,
        LOOP,
        fills=0.4,
        rubato=0.0,
        ritard=0.0,
    )


@style("electronic", 1.0, held_out=True)
def garage(rng: Rng) -> Score:
    """Two-step: the kick leaves beats out, sixteenths swing hard."""
    rows = (
        {"kick": "X.........x.....", "snare": "....X.......X...", "hat": "..x...x.x.x...xx"},
        {
            "kick": "X......x..x.....",
            "clap": "....X.......X...",
            "hat": "x.xx.xx.x.xx.xx.",
            "stick": "...g..x..g.x...g",
        },
        {"kick": "X..x......x..x..", "snare": "....X..g....X..g", "open": "..x...x...x...x."},
        {"kick": "X...X...X...X...", "clap": "....X.......X...", "hat": "..xx..xx..xx..xx"},
    )
    layers = [
        beat(rows, (24, 25), 0.05),
        bass(("1.....1..1......", "1..1....5..1..8.", "..1..1....1..1..", "1-----..1-.3-.5-"), SYNTH_BASSES),
        strum("organ", (16, 17, *EPIANOS), ("..X..X....X..X..", "X..X..X...X.....", "...X..X....X.X.."), leaves=0.03),
        pad("pad", PADS, there=0.4),
        lead((53, 54, 85), density=(0.6, 1.6), syncopation=(0.4, 0.9)),
    ]
    return play(
        rng,
        "garage",
        draw_bpm(rng, 128, 138),
        {"minor": (*JAZZY_MINOR, *CLUB_MINOR)},
        layers,
        (*LOOP, *CLUB),
        swing=float(rng.uniform(0.55, 0.65)),
        swung=4,
        fills=0.4,
        rubato=0.0,
        ritard=0.0,
        tags=("syncopated",),
    )


@style("electronic", 1.0, held_out=True)
def breakbeat(rng: Rng) -> Score:
    """Sampled breaks: ghosted snares, kicks before and after the beat."""
    rows = (
        {"kick": "X.X.......XX....", "snare": "....X..g.g..X..g", "hat": "x.x.x.x.x.x.x.x."},
        {
            "kick": "X.X.......X.....|..XX......X.....",
            "snare": "....X..g.gX.X..g|....X..g.g....X.",
            "ride": "x.x.x.x.x.x.x.x.",
        },
        {"kick": "X..x..x...x.....", "snare": "....X.......X..x", "hat": "xoxoxoxoxoxoxoxo"},
        {"kick": "X.....xx..x..x..", "snare": "....X..g....X.g.", "open": "x.......x......."},
    )
    layers = [
        beat(rows, (8, 24, 0), 0.07, kinds=FULL),
        build(rng),
        riser(0.3),
        bass(("1.1...1...1.3...", "1..1..1..1..5.7.", "..1..1....1.1...", "1---..1-..5-----"), (38, 87, 33, 39)),
        riff(
            "acid", (87, 81, 80), ("11.3.1.5.1.3.1.8", "1.1..1.3..1.1.5.", "1..1..1..3..1.2."), 48, there=0.6, short=0.7
        ),
        strum("stabs", (62, 17, 90, 4), ("X.....X...X.....", "..X.....X.......", "X..X..X........."), there=0.7),
        pad("pad", PADS, there=0.5),
        lead((53, 85, 65), there=0.5),
    ]
    return play(
        rng,
        "breakbeat",
        draw_bpm(rng, 112, 148),
        {"minor": CLUB_MINOR, "dorian": ("i7 | IV7", "i | bVII")},
        layers,
        (*CLUB, *LOOP),
        rubato=0.0,
        ritard=0.0,
    )


@style("electronic", 0.8)
def pulsing_ambient(rng: Rng) -> Score:
    """Pads and a pulse: a soft figure, at times a heartbeat of a kick, hardly any drums."""
    rows = (
        {"kick": "o.......o......."},
        {"kick": "o...o...o...o..."},
        {"maracas": "o...g...o...g..."},
        {"kick": "o.........o.....", "stick": "........g......."},
    )
    layers = [
        beat(rows, (24, 25), 0.0, need=0.4, there=0.6, leaves=0.3),
        bass(("1-------", "1-------|--------", "1---1---"), (38, 39, 89), need=0.4),
        figure(
            "pulse",
            (88, 11, 12, 46, 5, 98, 14, 0),
            ("0.1.2.1.", "01020103", "0-1-", "0..1..2..1..0.2.", "0---2---", "00000000"),
            55,
            79,
            leaves=0.04,
        ),
        pad("pad", PADS, leaves=0.0),
        pad("high", (91, 92, 94, 52), 67, 88, 3, 0.5, there=0.5),
        lead((91, 73, 78, 0), density=(0.25, 0.6), there=0.6),
    ]
    bank = {
        "major": ("Imaj9 | % | IVmaj9 | %", "Iadd9 | % | vi9 | % | IVmaj7 | % | Vsus4 | %", "I | IV"),
        "minor": ("i9 | % | bVImaj7 | %", "i | bVII"),
        "lydian": ("Imaj7 | II",),
    }
    return play(
        rng,
        "pulsing_ambient",
        draw_bpm(rng, 62, 118),
        bank,
        layers,
        LOOP,
        fills=0.05,
        crashes=0.1,
        breaks=0.02,
        rubato=float(pick(rng, (0, 0, 0.02))),
        drummed_pickup=0,
        rings=0.6,
    )
