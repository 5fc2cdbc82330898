"""Styles of the practice pieces: what each instrument plays in a bar, as rows of steps.

A row has a letter or a dot for every step of the bar (a sixteenth, or a triplet eighth where a beat has three): `x` is
played, `g` is a ghost note, `o` is played too (an opened hi-hat is a row of its own). Several rows a part: every
section of a piece picks one.
"""

from __future__ import annotations

from dataclasses import dataclass

DRUMS = {
    "K": 36, "S": 38, "s": 37, "C": 39, "h": 42, "o": 46, "r": 51, "t": 45, "k": 54, "m": 70, "g": 38,
}  # fmt: skip
"""General MIDI notes: kick, snare, side stick, clap, closed and open hi-hat, ride, tom, tambourine, maracas, ghost"""

QUIET = "hrkm"
"""drums that keep time behind the others"""


@dataclass(frozen=True)
class Style:
    """What is played, and how, in one kind of music."""

    beats: int
    """in a bar; 2 for 6/8"""
    steps: int
    """in a bar"""
    bpm: tuple[float, float]
    """the range to draw from"""
    drums: tuple[dict[str, str], ...]
    """rows by drum; an empty set plays none"""
    bass: tuple[str, ...]
    chords: tuple[str, ...]
    """rows with six strokes or more are broken into single notes unless `block`"""
    programs: tuple[int, int, int]
    """General MIDI programs, from 0, of chords, bass and melody"""
    swing: tuple[float, float] | None = None
    """range of how much later than the middle every second sixteenth falls, in eighths"""
    quick: bool = False
    """the melody keeps the first steps of the bar in a row"""
    half_time: bool = False
    """the B section has its backbeat on the third beat"""
    anticipates: float = 0.0
    """how likely the last stroke of a bar already sounds the next bar's chord"""
    walks: bool = False
    """the bass goes through other notes of the scale after the bar's first"""
    block: bool = False
    """chords stay chords however quick"""
    bass_always: bool = False
    """the bass is the pianist's left hand"""
    pickup: float = 0.25
    """how likely whole beats are played before the first bar"""
    upbeats: tuple[int, ...] = ()
    """lengths, in steps, of what the melody may play before the first bar where no beat of a pick-up is"""
    short: bool = False
    """30 to 45 s instead of 50 to 100 s"""


STYLES: dict[str, Style] = {
    "rock8": Style(
        4,
        16,
        (88, 155),
        (
            {"K": "x.......x.x.....", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x.....x.x.......", "S": "....x.......x...", "r": "x.x.x.x.x.x.x.x."},
            {"K": "x.x.......x.....", "S": "....x.......x...", "h": "x...x...x...x..."},
        ),
        ("x.x.x.x.x.x.x.x.", "x.....x.x.....x."),
        ("x.......x.......", "x.x.x.x.x.x.x.x.", "x.....x.....x..."),
        (30, 33, 25),
        block=True,
    ),
    "ballad16": Style(
        4,
        16,
        (62, 88),
        (
            {"K": "x.......x.x.....", "S": "....x.......x...", "h": "xxxxxxxxxxxxxxxx"},
            {"K": "x......xx.......", "s": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
        ),
        ("x.......x.......", "x......xx......."),
        ("x...............", "x...x...x...x...", "x.x.x.x.x.x.x.x."),
        (0, 33, 49),
    ),
    "house": Style(
        4,
        16,
        (116, 130),
        (
            {"K": "x...x...x...x...", "C": "....x.......x...", "o": "..x...x...x...x."},
            {"K": "x...x...x...x...", "h": "xxxxxxxxxxxxxxxx", "C": "....x.......x..."},
            {"K": "x...x...x...x...", "o": "..x...x...x...x."},
        ),
        ("..x...x...x...x.", "x..x..x.x..x..x.", "x.xx..x.x.xx..x."),
        ("x..x..x...x.x...", "..x...x...x...x.", "x..............."),
        (81, 38, 90),
        block=True,
    ),
    "disco": Style(
        4,
        16,
        (108, 126),
        ({"K": "x...x...x...x...", "S": "....x.......x...", "o": "..x...x...x...x.", "h": "x.x.x.x.x.x.x.x."},),
        ("x.x.x.x.x.x.x.x.", "x.xx..x.x.xx..x."),
        ("..x...x...x...x.", "x..x..x...x.x..."),
        (28, 34, 48),
    ),
    "dnb": Style(
        4,
        16,
        (164, 176),
        (
            {"K": "x.........x.....", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x.........x..x..", "S": "....x..g.g..x...", "h": "x.x.x.x.x.x.x.x."},
        ),
        ("x.......x.......", "x...............", "x.....x...x....."),
        ("x...............", "x.......x......."),
        (89, 38, 81),
    ),
    "boombap": Style(
        4,
        16,
        (78, 100),
        (
            {"K": "x......x..x.....", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x.x.......x..x..", "S": "....x.......x..g", "h": "x.xxx.x.x.xxx.x."},
        ),
        ("x......x..x.....", "x.....x...x....."),
        ("x...............", "..x...x...x...x.", "x.......x......."),
        (4, 33, 11),
        swing=(0.06, 0.14),
    ),
    "funk": Style(
        4,
        16,
        (92, 118),
        (
            {"K": "x.x...x...x..x..", "S": "....x..g.g..x..g", "h": "xxxxxxxxxxxxxxxx"},
            {"K": "x..x......x..x..", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.o."},
        ),
        ("x..x..x...x.xx..", "x.x...xx..x..x.."),
        ("..x..x....x..x..", "....x.......x..."),
        (28, 36, 61),
        anticipates=0.3,
    ),
    "reggae": Style(
        4,
        16,
        (68, 86),
        (
            {"K": "........x.......", "s": "........x.......", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x.......x.......", "S": "........x.......", "h": "..x...x...x...x."},
        ),
        ("x..x..x.....x...", "x.....x.x......."),
        ("....x.......x...", "..x...x...x...x."),
        (16, 32, 28),
    ),
    "bossa": Style(
        4,
        16,
        (112, 140),
        ({"K": "x..xx..xx..xx..x", "s": "x..x..x...x..x..", "h": "x.x.x.x.x.x.x.x."},),
        ("x..xx..xx..xx..x", "x.....x.x.....x."),
        ("x..x..x...x..x..", "..x..x..x..x...."),
        (24, 32, 73),
    ),
    "swing": Style(
        4,
        12,
        (110, 190),
        ({"r": "x..x.xx..x.x", "h": "...x.....x.."}, {"r": "x..x.xx..x.x", "h": "...x.....x..", "K": "x..x..x..x.."}),
        ("x..x..x..x..",),
        ("x....x......", "..x......x..", "x..........."),
        (0, 32, 65),
        walks=True,
    ),
    "shuffle": Style(
        4,
        12,
        (70, 130),
        (
            {"K": "x.....x.....", "S": "...x.....x..", "h": "x.xx.xx.xx.x"},
            {"K": "x....xx.....", "S": "...x.....x..", "r": "x.xx.xx.xx.x"},
        ),
        ("x..x..x..x..", "x.xx.xx.xx.x"),
        ("x...........", "..x..x..x..x", "x.xx.xx.xx.x"),
        (29, 33, 22),
    ),
    "slow12": Style(
        4,
        12,
        (50, 72),
        ({"K": "x.....x.....", "S": "...x.....x..", "h": "xxxxxxxxxxxx"},),
        ("x....xx.....", "x.....x....."),
        ("xxxxxxxxxxxx", "x.....x....."),
        (1, 33, 49),
    ),
    "waltz": Style(
        3,
        12,
        (88, 185),
        ({"K": "x...........", "S": "....x...x..."}, {"K": "x...........", "h": "....x...x...", "r": "x...x...x..."}),
        ("x...........", "x.......x..."),
        ("....x...x...", "x.x.x.x.x.x."),
        (0, 43, 40),
    ),
    "folk3": Style(
        3,
        12,
        (84, 130),
        (
            {"K": "x.....x.....", "S": "........x...", "h": "x.x.x.x.x.x."},
            {"K": "x...........", "s": "....x...x...", "m": "x.x.x.x.x.x."},
        ),
        ("x...........", "x.....x.x..."),
        ("x.x.x.x.x.x.", "x...x.x.x.x."),
        (25, 33, 71),
    ),
    "nodrum3": Style(
        3, 12, (76, 150), ({},), ("x...........",), ("x.x.x.x.x.x.", "....x...x...", "x..........."), (46, 42, 73)
    ),
    "six8": Style(
        2,
        12,
        (48, 80),
        (
            {"K": "x.....x.....", "S": "......x.....", "h": "x.x.x.x.x.x."},
            {"K": "x...........", "S": "......x.....", "h": "x.x.x.x.x.x."},
        ),
        ("x...........", "x.....x....."),
        ("x.x.x.x.x.x.", "x...x.x...x."),
        (24, 33, 48),
    ),
    "jig": Style(
        2,
        12,
        (100, 132),
        ({"K": "x.....x.....", "k": "x.x.x.x.x.x."}, {"K": "x.....x.....", "S": "....x.....x.", "h": "x.x.x.x.x.x."}),
        ("x.....x.....",),
        ("x...x.x...x.", "x.x.x.x.x.x."),
        (25, 32, 73),
        quick=True,
    ),
    "nodrum6": Style(2, 12, (50, 76), ({},), ("x...........", "x.....x....."), ("x.x.x.x.x.x.",), (0, 42, 60)),
    "pianoarp": Style(
        4,
        16,
        (58, 96),
        ({},),
        ("x.......x.......", "x..............."),
        ("x.x.x.x.x.x.x.x.", "xxxxxxxxxxxxxxxx", "x...x...x...x..."),
        (0, 0, 49),
        bass_always=True,
    ),
    "strings": Style(
        4,
        16,
        (84, 150),
        ({}, {"t": "x..x..x.x..x..x."}),
        ("x...............", "x.......x......."),
        ("x.x.x.x.x.x.x.x.", "xxxxxxxxxxxxxxxx", "x..x..x.x..x..x."),
        (48, 43, 60),
        block=True,
    ),
    "picking": Style(
        4, 16, (72, 128), ({},), ("x.......x.......",), ("x.x.x.x.x.x.x.x.", "x..x.xx.x..x.x.."), (25, 25, 73)
    ),
    "ambientarp": Style(
        4,
        16,
        (66, 116),
        ({}, {"K": "x.......x......."}),
        ("x...............",),
        ("xxxxxxxxxxxxxxxx", "x.x.x.x.x.x.x.x.", "x..x..x..x..x.x."),
        (88, 38, 98),
    ),
    "march": Style(
        4,
        16,
        (96, 126),
        ({"K": "x.......x.......", "S": "x.xxx.x.x.xxx.x."}, {"K": "x...x...x...x...", "S": "..x...x...x...xx"}),
        ("x...x...x...x...", "x.......x......."),
        ("..x...x...x...x.", "x...x...x...x..."),
        (61, 58, 56),
    ),
    "halftime": Style(
        4,
        16,
        (128, 156),
        ({"K": "x.......x.x.....", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},),
        ("x.x.x.x.x.x.x.x.",),
        ("x...............", "x...x...x...x..."),
        (81, 38, 62),
        half_time=True,
    ),
    "popsync": Style(
        4,
        16,
        (96, 128),
        (
            {"K": "x..x..x.x.......", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x.....x...x.....", "C": "....x.......x...", "m": "xxxxxxxxxxxxxxxx"},
        ),
        ("x..x..x.x..x..x.", "x.....x...x....."),
        ("x..x..x...x..x..", "x..x..x.x..x..x."),
        (2, 33, 80),
        anticipates=0.5,
    ),
    "latin": Style(
        4,
        16,
        (90, 112),
        (
            {"K": "x..xx..xx..xx..x", "S": "...x..x....x..x.", "m": "x.x.x.x.x.x.x.x."},
            {"K": "x...x...x...x...", "s": "...x..x....x..x.", "h": "x.x.x.x.x.x.x.x."},
        ),
        ("x..x..x.x..x..x.",),
        ("x..x..x.x..x..x.", "..x.x.xx.x.x.xx."),
        (0, 33, 56),
        anticipates=0.3,
    ),
    # what the first 26 are too narrow for
    "onedrop": Style(
        4,
        16,
        (65, 90),
        (
            {"K": "........x.......", "s": "........x.......", "h": "x.x.x.x.x.x.x.x."},
            {"K": "........x.......", "S": "........x.....g.", "h": "x.xxx.x.x.xxx.x."},
            {"K": "........x.......", "s": "........x..g..g.", "o": "..x...x...x...x."},
        ),
        ("x..x..x.....x...", "..x.x.x.x.......", "x.....x.x..x...."),
        ("..x...x...x...x.", "..xx..xx..xx..xx"),
        (16, 32, 26),
        short=True,
    ),
    "steppers": Style(
        4,
        16,
        (65, 90),
        (
            {"K": "x...x...x...x...", "s": "........x.......", "h": "..x...x...x...x."},
            {"K": "x...x...x...x...", "S": "........x.......", "h": "x.x.x.x.x.x.x.x."},
        ),
        ("x..x..x.x.......", "x.x.x...x.x....."),
        ("..x...x...x...x.", "....x.......x..."),
        (28, 38, 56),
        short=True,
    ),
    "skank": Style(
        4,
        16,
        (66, 92),
        (
            {"K": "x.......x.......", "s": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x.....x.x.......", "S": "....x.......x...", "h": "..x...x...x...x."},
        ),
        ("x.....x.x.....x.", "x..x..x..x..x..."),
        ("..x...x...x...x.", "..x...xx..x...xx"),
        (27, 33, 65),
        short=True,
    ),
    "funk16": Style(
        4,
        16,
        (88, 118),
        (
            {"K": "x..x..x...x..x..", "S": "....x..g.g..x..g", "h": "xxxxxxxxxxxxxxxx"},
            {"K": "x.x....x..x.....", "S": "....x.gg.g..x.g.", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x......x.xx.....", "S": "....x..g.g..x..g", "h": "x.xxx.xxx.xxx.xx"},
        ),
        ("x..x..x..x..x.x.", "x.....xx..x..x..", "..xx..x.x..x..x."),
        ("..x..x.x..x..x.x", "...x..x....x..x.", ".xx..x...xx..x.."),
        (28, 36, 62),
        anticipates=0.3,
        short=True,
    ),
    "popghost": Style(
        4,
        16,
        (84, 120),
        (
            {"K": "x..x......xx....", "C": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x.....xx..x....x", "S": "....x..g....x.g.", "m": "xxxxxxxxxxxxxxxx"},
        ),
        ("x..x......xx....", "x.....xx..x....x"),
        ("..x..x...xx..x..", "x..x..x..x..x.x.", ".x.x..x..x.x..x."),
        (4, 38, 81),
        anticipates=0.5,
        short=True,
    ),
    "hemiola": Style(
        3,
        12,
        (96, 168),
        (
            {"K": "x...........", "S": "....x...x..."},
            {"K": "x.....x.....", "h": "x.x.x.x.x.x.", "s": "........x..."},
            {"K": "x...........", "r": "x...x...x...", "h": "....x...x..."},
        ),
        ("x...........", "x.....x....."),
        ("x.....x.....", "x..x..x..x..", "x.xx.xx.xx.x"),
        (48, 43, 11),
        short=True,
    ),
    "ostinato3": Style(
        3,
        12,
        (100, 160),
        ({}, {"t": "x..........."}),
        ("x...........", "x.......x..."),
        ("x.....x.....", "x.x.x.x.x.x.", "x...x.x...x."),
        (46, 43, 68),
        short=True,
    ),
    "twofeel": Style(
        4,
        12,
        (110, 190),
        ({"r": "x..x.xx..x.x", "h": "...x.....x.."}, {"r": "x..x..x..x.x", "h": "...x.....x..", "g": "..g........."}),
        ("x.....x.....",),
        ("x....x......", "..x......x..", "...x.....x.."),
        (0, 32, 66),
        walks=True,
        short=True,
    ),
    "walking": Style(
        4,
        12,
        (120, 200),
        (
            {"r": "x..x.xx..x.x", "h": "...x.....x.."},
            {"r": "x..x.xx..x.x", "h": "...x.....x..", "K": "x..x..x..x..", "g": ".....g.....g"},
        ),
        ("x..x..x..x..",),
        ("x....x......", ".....x.....x", "..x..x......"),
        (26, 32, 56),
        walks=True,
        short=True,
    ),
    "jigpickup": Style(
        2,
        12,
        (96, 132),
        ({}, {"K": "x.....x.....", "k": "x.x.x.x.x.x."}, {"K": "x.....x.....", "s": "....x.....x."}),
        ("x.....x.....", "x..........."),
        ("x...x.x...x.", "....x.....x.", "x.x.x.x.x.x."),
        (25, 43, 73),
        quick=True,
        pickup=0.2,
        upbeats=(2, 2, 4),
        short=True,
    ),
    "lateboombap": Style(
        4,
        16,
        (78, 98),
        (
            {"K": "x......x..x.....", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
            {"K": "x..x...x.xx.....", "S": "....x..g....x..g", "h": "x.xxx.xxx.xxx.xx"},
            {"K": "x.....xx..x....x", "S": "....x.......x...", "h": "x.x.x.x.x.x.x.x."},
        ),
        ("x......x..x.....", "...x..xx..x....."),
        ("..x...x...x..x..", "x......x........", "...x......x....."),
        (4, 33, 11),
        swing=(0.08, 0.17),
        short=True,
    ),
    "clave": Style(
        4,
        16,
        (88, 112),
        (
            {"s": "x..x..x...x.x...", "m": "x.x.x.x.x.x.x.x.", "K": "...x..x....x..x."},
            {"K": "x..x..x.x..x..x.", "S": "...x..x....x..x.", "h": "x...x...x...x..."},
        ),
        ("...x..x....x..x.", "x..x..x.x..x..x."),
        ("x.xx.x.xx.x.xx.x", "..x.x.xx.x.x.xx."),
        (0, 33, 57),
        anticipates=0.4,
        short=True,
    ),
}
"""by name, in the order that seeds are counted in: add new ones at the end"""
