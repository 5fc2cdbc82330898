"""Pop of several kinds: synthesisers, guitars, ballads, advertising, drops, voices with finger snaps."""

from __future__ import annotations

from data.recipes.training.arranging import (
    BASSES,
    CLEANS,
    CLUB,
    EPIANOS,
    KEYS,
    LEADS,
    LOOP,
    PADS,
    POP,
    POP_MINOR,
    SONG,
    STEELS,
    STRINGS,
    SYNTH_BASSES,
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

HARMONY = {"major": POP, "minor": POP_MINOR}
VERSE = (
    {"kick": "X.......x.x.....", "clap": "....X.......X...", "hat": "x.x.x.x.x.x.x.x."},
    {"kick": "X..x......x.....", "snare": "....X.......X...", "hat": "x.o.x.o.x.o.xoo."},
    {"kick": "X.....x...x.....", "clap": "....X.......X...", "cabasa": "ogogogogogogogog"},
    {"kick": "X...x...x...x...", "stick": "....x.......x...", "hat": "..x...x...x...x."},
    {"kick": "X.........x.....", "stick": "....x.......x..x"},
    {"kick": "X......x..x.....", "clap": "....X.......X...", "tamb": "x.o.x.o.x.o.x.o."},
)
CHORUS = (
    {"kick": "X...X...X...X...", "clap": "....X.......X...", "snare": "....X.......X...", "open": "..x...x...x...x."},
    {"kick": "X..x..x...x.....", "snare": "....X.......X...", "hat": "xoxoxoxoxoxoxoxo"},
    {"kick": "X.....x.X.x.....", "snare": "....X..g.g..X...", "ride": "x.o.x.o.x.o.x.o."},
    {"kick": "X..X......XX....", "clap": "....X.......X...", "hat": "x.xxx.x.x.xxx.xx"},
)
DRUMS = {
    "verse": VERSE,
    "chorus": CHORUS,
    "bridge": (*VERSE, {"kick": "X.......", "snare": "....X...", "ride": "x.x.x.x."}),
}
EARLY = ("X------+|-------+", "X--x--x+", "x.xx.x.+|-.xx.x.+", "X--X---+|---X---+", "X------+|---X---+")
"""rows whose chords come an eighth before the bar; the first bar of a section starts on it"""
EARLY_BASS = ("1--1---+|---1---+", "1------+|-------+", "1.11.1.+|-.11.1.+")


@style("pop", 1.5)
def synth_pop(rng: Rng) -> Score:
    """Sequenced basses and bright keys."""
    layers = [
        beat(DRUMS, (24, 25, 8), 0.04),
        bass(("1.1.1.1.", "11111111", "1-1.1-1a", ".1.1.1.1", "1.8.1.8.", "1-----5-"), SYNTH_BASSES),
        strum(
            "keys", (*KEYS, *EPIANOS, *PADS[:4]), ("X---x---", "X-------", "x.x.x.x.", "X--X--X-", "X..x..x..x..x.x.")
        ),
        figure("arp", (80, 81, 82, 12, 5), ("0123", "01230321", "0.2.1.3.", "0123432101234321"), 60, 84, need=0.45),
        pad("pad", PADS, there=0.7),
        lead((*VOICES, *LEADS)),
    ]
    return play(rng, "synth_pop", draw_bpm(rng, 92, 132), HARMONY, layers)


@style("pop", 1.6)
def anticipated_pop(rng: Rng) -> Score:
    """Chords that change on the four-and, claps on two and four, bass with them or not."""
    layers = [
        beat(DRUMS, (24, 0, 8, 25), 0.04),
        bass(EARLY_BASS if chance(rng, 0.65) else ("1---1---", "1--1--1a"), (*BASSES, *SYNTH_BASSES)),
        strum("piano", (*KEYS, *EPIANOS, *CLEANS), EARLY, leaves=0.02),
        pad("pad", PADS, there=0.4, need=0.6),
        strum("guitar", (*STEELS, *CLEANS), ("..x...x.", "x.xxx.xx", *EARLY), there=0.6),
        lead(VOICES, syncopation=(0.4, 0.9)),
    ]
    return play(rng, "anticipated_pop", draw_bpm(rng, 84, 132), HARMONY, layers, tags=("syncopated",))


@style("pop", 1.2)
def tresillo_pop(rng: Rng) -> Score:
    """Threes over four beats: 3-3-2 and 3-3-3-3-2-2 in chords, bass and drums."""
    long = "X--X--X--X--X-X-"
    rows = (
        {"kick": "X...X...X...X...", "clap": "....X.......X...", "hat": "x..x..x.x..x..x."},
        {"kick": "X..x..x.X..x..x.", "snare": "....X.......X...", "maracas": "xoxoxoxoxoxoxoxo"},
        {"kick": "X.....x...x.....", "stick": "x..x..x.x..x..x."},
        {"kick": "X.......X.......", "clap": "...x..x....x..x."},
    )
    layers = [
        beat(rows, (24, 25, 0), 0.03),
        bass(("1--1--1-", "1--1--5-", "1-----1-1-------", "1--1--1--1--1-1-"), (*SYNTH_BASSES, 33)),
        strum("keys", (*KEYS, 4, 12, 13, 81), ("X--X--X-", "X..X..X.", long), leaves=0.02),
        figure(
            "pluck", (12, 13, 45, 46, 24, 81), ("0--1--2-", "0--2--1-3--2--1-", "0--1--2--3--2-1-"), 60, 84, there=0.7
        ),
        pad("pad", PADS, there=0.4),
        lead(VOICES, syncopation=(0.3, 0.9)),
    ]
    return play(rng, "tresillo_pop", draw_bpm(rng, 88, 128), HARMONY, layers, tags=("syncopated",))


@style("pop", 1.2)
def advert_pop(rng: Rng) -> Score:
    """What advertising buys: ukulele, claps, glockenspiel, whistling."""
    rows = (
        {"kick": "X...X...", "clap": "..X...X."},
        {"kick": "X...X...", "clap": "..x..xx.", "maracas": "xoxoxoxo"},
        {"kick": "X.X.X.X.", "clap": "..X...X.", "tamb": "xoxoxoxo"},
        {"kick": "X..xX...", "snare": "..x...x.", "hat": "x.x.x.x."},
        {"stick": "..x...x.", "kick": "X...X..."},
    )
    layers = [
        beat(rows, (0, 8, 24), 0.04, need=pick(rng, (0.3, 0.5))),
        bass(("1---5---", "1-------", "1--1--5-", "1-.15-.a"), (32, 33, 35), need=0.5),
        strum("ukulele", (24, 24, 25), ("x.xx.xxx", "X-x-.xX-", "xxxx", "x.x.x.x.", "x-xx-xx-"), 60, 79, leaves=0.0),
        figure("bells", (9, 10, 11, 8, 12), ("0-.1.2..", "3.2.1.2.", "0.1.2...|3---...."), 72, 93, there=0.8, need=0.5),
        strum("piano", KEYS, ("x.x.x.x.", "X-------", "..x...x."), there=0.5, need=0.5),
        lead((78, 73, 11, 53, 72, 75, 22)),
        pad("strings", (45, 48, 49), there=0.3, need=0.7),
    ]
    swing = float(pick(rng, (0.5, 0.5, 0.6, 0.66)))
    return play(
        rng, "advert_pop", draw_bpm(rng, 88, 140), {"major": POP}, layers, (*SONG, *LOOP), swing=swing, rings=0.75
    )


@style("pop", 1.0)
def power_ballad(rng: Rng) -> Score:
    """Piano alone, then everything; a key change for the last chorus."""
    rows = {
        "verse": (
            {"kick": "X.......", "stick": "....x..."},
            {"kick": "X.....x.", "stick": "..x...x.", "hat": "xoxoxoxo"},
        ),
        "chorus": (
            {"kick": "X.....x.X.......", "snare": "....X.......X...", "ride": "x.o.x.o.x.o.x.o."},
            {"kick": "X..x....", "snare": "....X...", "crash": "x...x..."},
            {"kick": "X..xx...", "snare": "..X...X.", "hat": "xxxxxxxx"},
        ),
    }
    layers = [
        beat(rows, (0, 8, 16), 0.05, need=0.55),
        bass(("1-------", "1-----1a", "1---5-3-"), (33, 35), need=0.5),
        strum("piano", KEYS, ("X---x---", "x-x-x-x-", "X-------", "X-xxx-xx"), 50, 74, leaves=0.0),
        figure("broken", (0, 4, 5, 46), ("01232123", "0213", "02132132"), 55, 81, there=0.5),
        pad("strings", STRINGS, need=0.6),
        strum("guitar", (29, 30), ("X-------", "X---X---"), 40, shape="power", need=0.8, there=0.5),
        lead(VOICES, density=(0.6, 1.3)),
    ]
    return play(
        rng,
        "power_ballad",
        draw_bpm(rng, 58, 88),
        HARMONY,
        layers,
        intros=("drumless", "alone"),
        lift=0.4,
        rings=0.85,
        ritard=0.5,
        rubato=float(rng.uniform(0, 0.035)),
    )


@style("pop", 0.9)
def drop_pop(rng: Rng) -> Score:
    """Verses that grow into drops with chopped voices; verses and drops often in half and full time."""
    rows = {
        "verse": (
            {"kick": "X.......", "clap": "....X..."},
            {"kick": "X.....x.", "stick": "....X...", "hat": "x.x.x.x."},
            *VERSE[:2],
        ),
        "pre": ({"kick": "X.x.X.x.", "clap": "x.x.x.x."}, {"snare": "x.x.x.x.", "kick": "X...X..."}),
        "chorus": (
            {"kick": "X..X..X...X.....", "clap": "........X.......", "hat": "x.xxx.xxx.xxx.xx"},
            *CHORUS[:2],
            {"kick": "X.....X...X..X..", "snare": "....X.......X...", "open": "..x...x...x...x."},
        ),
    }
    layers = [
        beat(rows, (24, 25), 0.02),
        bass(("1--1--1-", "1.1..1.1", "1-------", "1..1..1...1.1..."), SYNTH_BASSES),
        strum(
            "stabs",
            (81, 90, 62, 63, 80),
            ("X..X..X.", "X..X..X...X.X...", "x.x..x.x", "..x...x."),
            kinds="chorus drop b outro",
        ),
        strum("keys", (*KEYS, *EPIANOS), ("X-------", "X--x--x-", *EARLY), kinds="verse pre intro bridge a c"),
        riff(
            "chop",
            (85, 54, 80, 53, 75),
            ("1.3.5..3|5.3.1...", "5..5..3.|5..6..3.", ".1.1.3.5|.3.3.1.."),
            64,
            kinds="chorus drop b",
        ),
        pad("pad", PADS, there=0.6),
        lead(VOICES, "verse pre bridge a c"),
    ]
    return play(rng, "drop_pop", draw_bpm(rng, 94, 134), HARMONY, layers, (*SONG, *CLUB), breaks=0.35)


@style("pop", 0.7, held_out=True)
def voices_and_snaps(rng: Rng) -> Score:
    """A voice, fingers that snap on two and four, a bass that hums; drums late or never."""
    rows = {
        "verse": ({"stick": "..x...x."}, {"clap": "..x...x."}, {"stick": "..x...x.", "kick": "X...x..."}),
        "chorus": (
            {"kick": "X...X...", "clap": "..X...X."},
            {"kick": "X..xX...", "clap": "..X...X.", "tamb": "xoxoxoxo"},
        ),
    }
    layers = [
        beat(rows, (24, 0), 0.0, need=0.3),
        bass(("1---5---", "1-1-5-5-", "1.3.5.3.", "1-------"), (32, 53, 33), 36),
        strum("choir", (52, 53, 54), ("X-------", "..x...x.", "X--X----", "x-.x-.x-"), need=0.5),
        lead((53, 54, 52, 85)),
        lead((54, 53), "chorus b", 67, 84, (0.5, 1.2), name="answer", there=0.6, role="counter"),
    ]
    swing = float(pick(rng, (0.5, 0.62, 0.67)))
    return play(
        rng,
        "voices_and_snaps",
        draw_bpm(rng, 76, 126),
        HARMONY,
        layers,
        swing=swing,
        intros=("full", "drums", "drumless"),
    )


@style("pop", 0.9)
def chiptune(rng: Rng) -> Score:
    """Video games: square waves, fast broken chords, noise for drums."""
    rows = (
        {"kick": "X...X...", "snare": "..X...X.", "hat": "xoxoxoxo"},
        {"kick": "X.x...x.", "snare": "..X...Xx", "hat": "xxxxxxxx"},
        {"kick": "X..x..x.", "snare": "..X...X."},
        {"hat": "x.xxx.xx", "snare": "..X...X.", "kick": "X...x..."},
    )
    layers = [
        beat(rows, (24, 25), 0.05, there=0.85),
        bass(("1.8.1.8.", "11181118", "1.1.5.5.", "1-8-5-8-"), (80, 38, 39, 87), 36, 0.6),
        figure("arp", (80, 81, 82), ("0120120120120121", "0123012301230123", "012012"), 60, 84, leaves=0.05),
        lead((80, 81, 82, 87, 13), "intro verse chorus bridge a b c theme head solo", density=(1.2, 2.6), grid=4),
        lead((80, 81), "chorus b theme", 55, 72, (0.8, 1.6), name="second", role="counter", there=0.6),
    ]
    bank = {"major": POP, "minor": POP_MINOR, "dorian": ("i | IV", "i | bVII | IV | i")}
    return play(rng, "chiptune", draw_bpm(rng, 104, 184), bank, layers, LOOP, rubato=0.0)


@style("pop", 0.9)
def acoustic_pop(rng: Rng) -> Score:
    """Fingerpicked guitar or piano with a cajón-like kit or none."""
    rows = (
        {"kick": "X..x..x.", "stick": "....x..."},
        {"kick": "X.....x...x.....", "slap": "....x..o....x.o."},
        {"kick": "X.....x.", "snare": "..o...o.", "maracas": "xoxoxoxo"},
    )
    layers = [
        beat(rows, (0, 40, 8), 0.1, need=pick(rng, (0.5, 0.8)), there=0.7),
        bass(("1-----1a", "1---5---", "1--1--5-"), (32, 33, 35), need=0.55),
        figure(
            "picking", (24, 25), ("0213", "02130213", "0123", "02312313", "0.21.3.2", "0-2-1-3-"), 45, 72, 5, leaves=0.0
        ),
        strum("strum", (24, 25), ("x.xx.xxx", "X-x-.xX-"), 50, 72, need=0.7, there=0.6),
        strum("piano", KEYS, ("X-------", "X---x---"), there=0.5, need=0.5),
        pad("strings", (48, 49, 42, 21), there=0.5, need=0.6),
        lead(VOICES, density=(0.7, 1.5)),
    ]
    return play(
        rng,
        "acoustic_pop",
        draw_bpm(rng, 66, 124),
        HARMONY,
        layers,
        rubato=float(rng.uniform(0, 0.05)),
        rings=0.75,
        ritard=0.35,
    )


@style("pop", 0.9)
def waltz_pop(rng: Rng) -> Score:
    """Pop in three: a backbeat on two, on two and three, or once in two bars."""
    rows = (
        {"kick": "X.....", "snare": "..X.X.", "hat": "xoxoxo"},
        {"kick": "X..x..", "snare": "....X.", "hat": "x.x.x."},
        {"kick": "X.....|......", "snare": "......|X.....", "ride": "x.x.x."},
        {"kick": "X.....", "stick": "..x.x.", "tamb": "x.o.o."},
        {"kick": "X....x|..x...", "snare": "..X...|..X...", "hat": "x.x.x."},
    )
    layers = [
        beat(rows, (0, 8, 16), 0.05),
        bass(("1-----", "1-5-5-", "1---5-", "1-1-1a", "1----a"), (32, 33, 38), need=0.4),
        strum("chords", (*KEYS, *STEELS, 16), ("X-x-x-", "..x.x.", "X-----", "xxxxxx", "X--x--"), leaves=0.02),
        figure("picking", (24, 25, 0, 46), ("012321", "021321"), there=0.6),
        pad("pad", (*STRINGS, 21, 89), there=0.5, need=0.6),
        lead(VOICES),
    ]
    return play(rng, "waltz_pop", draw_bpm(rng, 82, 176), HARMONY, layers, metre=3, short_bar=0)
