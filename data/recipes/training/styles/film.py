"""Film, trailer and library music: ostinati, pulses, tension, builds, comedy, minimalism, corporate optimism."""

from __future__ import annotations

import numpy as np

from data.recipes.training.composition import Score, TempoChange, style
from data.recipes.training.textures import ComposedForm, Tone, cells, pick, tempo_between

_DARK = (
    "i VI III VII",
    "i i VI VI",
    "i iv VI V",
    "i VII VI VII",
    "i v VI iv",
    "i bII i VII",
    "i VI iv V",
    "i III VII iv",
)
_BRIGHT = (
    "I V vi IV",
    "I IV vi V",
    "vi IV I V",
    "I iii IV V",
    "IV I V vi",
    "I I/3 IV V",
    "Iadd9 vi IV Vsus",
    "I V/3 vi IV",
)


def _cue(
    rng: np.random.Generator,
    bpm: float,
    bar: int,
    dark: bool,
    form: str = "ABCDBD",
    bars: int = 8,
    seconds: tuple[float, float] = (50, 88),
) -> ComposedForm:
    """Four chords that go round; every label its own four or the same."""
    choices = _DARK if dark else _BRIGHT
    common = choices[int(rng.integers(len(choices)))]
    held = rng.random() < 0.35
    texts = {}
    for label in dict.fromkeys(form):
        text = common if rng.random() < 0.6 else choices[int(rng.integers(len(choices)))]
        names = text.split() * 4
        if held:
            names = [name for name in text.split() for _ in range(2)] * 2
        texts[label] = " ".join(names[:bars])
    return ComposedForm(rng, bpm, bar, form, bars, "minor" if dark else "major", texts, seconds)


@style("film", 1.3)
def string_ostinato(rng: np.random.Generator) -> Score:
    """Pulsing strings that grow, low brass, drums late."""
    bar = pick(rng, [4, 4, 4, 3])
    piece = _cue(rng, tempo_between(rng, 76, 150), bar, True)
    texts = ["0101", "0120", "00100010", "0121", "02120212", "BB0BB0B0", "0.00", "0012"]
    piece.player("ostinato", "riff", [48, 45, 44, 42, 40])
    piece.accompany(
        "ostinato", texts[int(rng.integers(len(texts)))], pick(rng, [1, 2, 2]) / 4, 68, legato=0.6, middle=(52, 69)
    )
    piece.player("low", "bass", [43, 42, 48])
    piece.roots("low", 74, sections=piece.after(rng.uniform(0, 0.3)), low=31)
    piece.player("braam", "chords", [61, 58, 57, 62])
    piece.hold("braam", 84, sections=piece.after(rng.uniform(0.3, 0.7)), middle=(40, 60))
    if rng.random() < 0.6:
        piece.player("theme", "melody", [60, 48, 52, 40])
        piece.sing(
            "theme",
            piece.melodies(cells("8 62 44 422" if bar == 4 else "6 42", 0.5, bar), 57, 79, tie=0.2),
            82,
            sections=piece.after(0.4),
        )
    if rng.random() < 0.6:
        piece.sheet.player("drums", "drums", 48)
        row = (
            {41: "X..x..x.X..x..xx", 36: "X...............", 38: "..........o.o.oo"}
            if bar == 4
            else {41: "X..x..X.x.x.", 36: "X..........."}
        )
        piece.sheet.drums("drums", row, 0.25, piece.after(rng.uniform(0.3, 0.6))[0].at, piece.sheet.end, 84)
    return piece.finish("string_ostinato", slow=0.2, rubato=(0, 0.01))


@style("film", 1.1)
def trailer_build(rng: np.random.Generator) -> Score:
    """Drums in 3-3-2 against the strings; layers enter, a stop, everything at once."""
    piece = _cue(rng, tempo_between(rng, 72, 152), 4, True, "ABCD", 8)
    n = len(piece.sections)
    piece.player("pulse", "riff", [48, 81, 38, 45])
    piece.accompany(
        "pulse",
        ["0000", "0010", "BBBB", "0.0."][int(rng.integers(4))],
        pick(rng, [1, 2]) / 4,
        66,
        legato=0.5,
        middle=(48, 66),
    )
    piece.player("brass", "chords", [61, 57, 62])
    piece.accompany(
        "brass",
        ["C--C--C-", "C-------", "C-----C-"][int(rng.integers(3))],
        0.5,
        86,
        sections=piece.sections[n // 3 :],
        middle=(43, 62),
    )
    piece.player("choir", "pad", [52, 53, 48])
    piece.hold("choir", 70, sections=piece.sections[n // 2 :], middle=(55, 74))
    piece.player("bass", "bass", [43, 38, 58])
    piece.accompany(
        "bass",
        ["B--B--B-", "B-------", "BBBBBBBB"][int(rng.integers(3))],
        0.5,
        82,
        sections=piece.sections[n // 4 :],
        bass=(29, 41),
    )
    piece.sheet.player("taiko", "drums", 48)
    rows = [
        {41: "X..x..x.", 36: "X......."},
        {41: "X.xX.xX.", 43: "....x..x"},
        {36: "X..X..X.", 41: "..x..x.x"},
        {36: "X.......", 41: "....x.xx"},
    ]
    for number, section in enumerate(piece.sections[n // 4 :]):
        row = rows[min(number, 1)] if rng.random() < 0.5 else rows[int(rng.integers(4))]
        stop = rng.random() < 0.3
        until = section.at + section.bars * 4 - (4 if stop else 0)
        piece.sheet.drums("taiko", row, 0.5 if rng.random() < 0.7 else 0.25, section.at, until, 88)
        piece.sheet.write("taiko", [Tone(section.at, 1, 49)], 0, 90)
    piece.loud = np.linspace(rng.uniform(0.55, 0.75), 1.15, n)
    return piece.finish("trailer_build", slow=0.1)


@style("film", 1.1)
def minimal_piano(rng: np.random.Generator) -> Score:
    """Broken piano chords, a few long notes, pads."""
    bar = pick(rng, [4, 4, 3, 2])
    compound = bar == 2
    piece = _cue(
        rng, tempo_between(rng, 56, 120) if not compound else tempo_between(rng, 50, 84), bar, rng.random() < 0.5
    )
    per = 3 if compound else pick(rng, [2, 4])
    texts = {
        3: ["012", "021", "012321", "B12"],
        2: ["B1", "01", "B121", "B2", "01232101"],
        4: ["B121", "0121", "0123", "B102"],
    }[per]
    piece.player("piano", "chords", [0, 0, 1, 4, 46])
    piece.accompany(
        "piano",
        texts[int(rng.integers(len(texts)))],
        1 / per,
        62,
        legato=1.6,
        middle=(52, 69),
        accent=float(rng.uniform(2, 10)),
    )
    piece.player("melody", "melody", [0, 42, 40, 11, 88])
    words = {4: "8 62 44 b6", 3: "6 42 b4", 2: "4 22 b2"}[bar]
    piece.sing(
        "melody",
        piece.melodies(cells(words, 0.5, bar), 67, 88, tie=0.15),
        74,
        sections=piece.after(rng.uniform(0.1, 0.5)),
    )
    if rng.random() < 0.7:
        piece.player("pad", "pad", [48, 89, 88, 91, 94, 52])
        piece.hold("pad", 50, sections=piece.after(rng.uniform(0, 0.5)))
    if rng.random() < 0.6:
        piece.player("low", "bass", [0, 42, 43])
        piece.roots("low", 64, sections=piece.after(0.2))
    return piece.finish("minimal_piano", slow=0.6, rubato=(0.0, 0.07), division=3 if compound else 2)


@style("film", 1.0)
def tension(rng: np.random.Generator) -> Score:
    """Held strings, a ticking pulse, sparse hits on downbeats and just before them."""
    piece = _cue(rng, tempo_between(rng, 60, 132), 4, True)
    piece.player("tick", "riff", [45, 13, 0, 81, 12])
    text = ["0.0.0.0.", "0...0...", "0.0.0.01", "0000"][int(rng.integers(4))]
    piece.accompany("tick", text, 0.5, 58, legato=0.4, middle=(60, 76))
    piece.player("bed", "pad", [44, 48, 92, 95])
    piece.hold("bed", 50, middle=(48, 66))
    piece.player("hits", "bass", [43, 0, 58, 47])
    piece.accompany(
        "hits",
        [["B-------", "........"], ["B-----B-", "B-------"], ["B--B----"]][int(rng.integers(3))],
        0.5,
        84,
        sections=piece.after(rng.uniform(0, 0.3)),
        bass=(31, 43),
    )
    if rng.random() < 0.6:
        piece.sheet.player("drums", "drums", 48)
        piece.sheet.drums(
            "drums",
            {36: "X......." + "........", 41: "......oo" + "......xx"},
            0.5,
            piece.after(rng.uniform(0, 0.5))[0].at,
            piece.sheet.end,
            80,
        )
    return piece.finish("tension", slow=0.2, tags=("sparse",))


@style("film", 0.9)
def pizzicato_comedy(rng: np.random.Generator) -> Score:
    """Plucked strings on tiptoe, bassoon or clarinet, rests where one expects notes."""
    bar = pick(rng, [4, 2, 3])
    piece = ComposedForm(
        rng,
        tempo_between(rng, 92, 152),
        bar,
        "AABAC",
        {"A": 8, "B": pick(rng, [4, 6, 8]), "C": 4},
        "minor" if rng.random() < 0.5 else "major",
    )
    words = {4: "1a1a112 a1a11111 2b2b 11112b 1112c", 2: "1a11 112 a1a1 2b", 3: "1a1a11 a11a2 22b 2d"}[bar]
    tune = piece.melodies(
        cells(words, 0.5, bar), 60, 81, closes=cells({4: "1a1a1c", 2: "1c", 3: "1a1c"}[bar], 0.5, bar), leap=0.3
    )
    if rng.random() < 0.4:
        piece.lead(tune, [0.5, 0.5])
    piece.player("tune", "melody", [70, 71, 45, 13, 73, 12])
    piece.sing("tune", tune, 80)
    piece.player("pluck", "chords", [45])
    piece.accompany(
        "pluck", [".C" * bar, "..C." * bar, ".C.." * bar][int(rng.integers(3))][: 2 * bar], 0.5, 68, legato=0.4
    )
    piece.player("bass", "bass", [45, 43, 32])
    piece.accompany(
        "bass", ["B.F." * bar, "B..." * bar][int(rng.integers(2))][: 2 * bar], 0.5, 78, bass=(36, 48), legato=0.4
    )
    if rng.random() < 0.35:
        piece.sheet.player("toys", "drums", 0)
        piece.sheet.drums("toys", {[76, 81, 37][int(rng.integers(3))]: ".x" * bar}, 0.5, 0, piece.sheet.end, 56)
    return piece.finish("pizzicato_comedy", slow=0.2, rubato=(0, 0.02))


@style("film", 0.8, held_out=True)
def glockenspiel_innocence(rng: np.random.Generator) -> Score:
    """Bells, music box, ukulele-like plucks: bright and simple."""
    bar = pick(rng, [4, 4, 3])
    piece = _cue(rng, tempo_between(rng, 84, 140), bar, False)
    words = "2222 422 31211 44 b222" if bar == 4 else "222 42 1122 6"
    tune = piece.melodies(cells(words, 0.5, bar), 72, 93, closes=cells("8" if bar == 4 else "6", 0.5, bar), leap=0.3)
    piece.player("bells", "melody", [9, 10, 8, 14, 11, 98])
    piece.sing("bells", tune, 78)
    piece.player("pluck", "chords", [24, 45, 0, 25, 46])
    piece.accompany(
        "pluck", ["B.C." if bar == 4 else "B.C.C.", "0123", ".C", "B121"][int(rng.integers(4))], 0.5, 62, legato=0.8
    )
    if rng.random() < 0.6:
        piece.player("bass", "bass", [32, 33, 45])
        piece.accompany("bass", "B-F-" if bar == 4 else "B--", 1.0, 74, sections=piece.after(0.2), bass=(31, 43))
    if rng.random() < 0.4:
        piece.sheet.player("claps", "drums", 0)
        piece.sheet.drums(
            "claps", {39: ".x.x"[:bar], 36: "x.x."[:bar]}, 1.0, piece.after(0.4)[0].at, piece.sheet.end, 62
        )
    return piece.finish("glockenspiel_innocence", slow=0.4, rubato=(0, 0.02))


@style("film", 1.0, held_out=True)
def pattern_minimalism(rng: np.random.Generator) -> Score:
    """Interlocking cells of mallets and pianos; accents that group against the beat."""
    bar, per = [(4, 3), (4, 2), (5, 2), (3, 4), (2, 3), (6, 2)][int(rng.integers(6))]
    piece = _cue(rng, tempo_between(rng, 88, 152), bar, rng.random() < 0.4)
    total = bar * per
    groups = {12: "012012340102", 8: "01201201", 10: "0120120101", 6: "010212"}[total]
    piece.player("one", "riff", [12, 11, 0, 12, 13])
    piece.accompany("one", groups, 1 / per, 72, legato=0.8, middle=(55, 72), accent=float(rng.uniform(3, 10)))
    piece.player("two", "riff", [12, 0, 4, 11, 73])
    turn = int(rng.integers(1, total))
    piece.accompany(
        "two",
        groups[turn:] + groups[:turn],
        1 / per,
        62,
        sections=piece.after(rng.uniform(0.1, 0.4)),
        legato=0.8,
        middle=(62, 80),
    )
    piece.player("held", "pad", [48, 52, 71, 89])
    piece.hold("held", 54, sections=piece.after(rng.uniform(0.2, 0.6)))
    piece.player("bass", "bass", [32, 0, 70, 43])
    piece.roots("bass", 70, sections=piece.after(rng.uniform(0, 0.3)), low=33)
    return piece.finish("pattern_minimalism", slow=0.1, closing=0.5, division=3 if per == 3 else 2)


@style("film", 1.0)
def corporate_piano(rng: np.random.Generator) -> Score:
    """Piano eighths, muted guitar, strings that rise, light percussion."""
    piece = _cue(rng, tempo_between(rng, 96, 132), 4, False)
    piece.player("piano", "chords", [0, 0, 4])
    piece.accompany(
        "piano", ["CCCCCCCC", "C..C..C.", "0101", "B121", "C.CC.CC."][int(rng.integers(5))], 0.5, 66, legato=0.9
    )
    piece.player("muted", "riff", [28, 45, 25, 12])
    piece.accompany(
        "muted",
        ["0000", "0102", "0.00"][int(rng.integers(3))],
        0.5,
        60,
        sections=piece.after(rng.uniform(0, 0.4)),
        legato=0.4,
    )
    piece.player("strings", "pad", [48, 49, 89])
    piece.hold("strings", 58, sections=piece.after(rng.uniform(0.2, 0.5)), middle=(57, 76))
    piece.player("bass", "bass", [33, 32, 43])
    piece.accompany(
        "bass",
        ["BBBBBBBB", "B-------", "B--B--B-"][int(rng.integers(3))],
        0.5,
        78,
        sections=piece.after(rng.uniform(0, 0.4)),
        bass=(29, 41),
    )
    if rng.random() < 0.6:
        piece.player("lead", "melody", [9, 40, 11, 0, 25])
        piece.sing(
            "lead", piece.melodies(cells("8 44 62 b222 332", 0.5, 4), 69, 88, tie=0.15), 72, sections=piece.after(0.4)
        )
    if rng.random() < 0.6:
        piece.sheet.player("drums", "drums", 0)
        row = [{36: "x...x...", 39: "..x...x."}, {36: "xxxx", 42: ".x.x"}, {54: "x.x.x.x.", 36: "x......."}][
            int(rng.integers(3))
        ]
        piece.sheet.drums("drums", row, 0.5, piece.after(rng.uniform(0.2, 0.6))[0].at, piece.sheet.end, 66)
    return piece.finish("corporate_piano", slow=0.2)


@style("film", 0.9)
def soft_theme(rng: np.random.Generator) -> Score:
    """A broad theme for strings and horn over harp or piano: love, landscape, farewell."""
    bar = pick(rng, [4, 3, 4])
    piece = _cue(rng, tempo_between(rng, 54, 96), bar, rng.random() < 0.4)
    words = "62 422 8 44 3122" if bar == 4 else "42 6 222 51"
    tune = piece.melodies(
        cells(words, 0.5, bar), 62, 84, closes=cells("8" if bar == 4 else "6", 0.5, bar), leap=0.3, tie=0.15
    )
    if rng.random() < 0.4:
        piece.lead(tune, [0.5, 0.5] if rng.random() < 0.5 else [1.0])
    piece.player("theme", "melody", [48, 40, 60, 68, 73, 42])
    piece.sing("theme", tune, 82)
    piece.player("broken", "chords", [46, 0, 24])
    piece.accompany(
        "broken",
        ["B12321", "B1234321", "B121", "0123"][int(rng.integers(4))],
        0.5 if rng.random() < 0.7 else 0.25,
        56,
        legato=1.4,
    )
    piece.player("strings", "pad", [48, 49, 52])
    piece.hold("strings", 56, sections=piece.after(rng.uniform(0, 0.4)))
    piece.player("bass", "bass", [43, 42])
    piece.roots("bass", 66, low=31)
    return piece.finish("soft_theme", slow=0.8, rubato=(0.01, 0.08), fermata=0.4)


@style("film", 0.8)
def adventure_gallop(rng: np.random.Generator) -> Score:
    """Brass theme over galloping strings, in 12/8, 6/8 or four."""
    compound = rng.random() < 0.55
    bar = pick(rng, [4, 2]) if compound else 4
    piece = _cue(rng, tempo_between(rng, 104, 152), bar, rng.random() < 0.4)
    piece.player("gallop", "riff", [48, 40, 45])
    unit = 1 / 3 if compound else 0.25
    piece.accompany(
        "gallop",
        ["C.C", "CCC", "0.0"][int(rng.integers(3))] if compound else ["C.CC", "CCC.", "0.00"][int(rng.integers(3))],
        unit,
        66,
        legato=0.5,
    )
    piece.player("brass", "melody", [56, 60, 61, 57])
    words = ("633 93 333111 6321" if bar == 4 else "33 42 6 321") if compound else "44 31211 62 422 3311"
    tune = piece.melodies(cells(words, unit if compound else 0.5, bar), 57, 79, leap=0.35, tie=0.1)
    if rng.random() < 0.4:
        piece.lead(tune, [1 / 3] if compound else [0.5])
    piece.sing("brass", tune, 90, sections=piece.after(rng.uniform(0, 0.3)))
    piece.player("bass", "bass", [43, 58])
    piece.accompany("bass", ["B-", "B-F-", "BB"][int(rng.integers(3))], 1.0, 80, bass=(29, 41), legato=0.7)
    if rng.random() < 0.7:
        piece.sheet.player("drums", "drums", 48)
        row = {36: "X..x..", 38: "..o.oo"} if compound else {36: "X...x...", 38: "..oo..ox"}
        piece.sheet.drums("drums", row, unit, piece.after(rng.uniform(0, 0.4))[0].at, piece.sheet.end, 80)
    return piece.finish("adventure_gallop", slow=0.2, division=3 if compound else 2)


@style("film", 0.6)
def tempo_scenes(rng: np.random.Generator) -> Score:
    """A cue in scenes: slow, then quick, then slow again, with the tempo led over or switched."""
    piece = _cue(rng, tempo_between(rng, 62, 88), 4, rng.random() < 0.6, "ABCDA", 4, seconds=(70, 100))
    piece.player("strings", "chords", [48, 49])
    piece.player("bass", "bass", [43, 42])
    piece.player("theme", "melody", [60, 40, 68, 0])
    tune = piece.melodies(cells("62 44 422 8", 0.5, 4), 60, 81, tie=0.1)
    changes = []
    for number, section in enumerate(piece.sections):
        quick = number % 3 != 0
        changes.append(
            TempoChange(section.at, float(rng.uniform(1.35, 1.8)) if quick else 1.0, float(rng.choice([0, 0, 4])))
        )
        piece.accompany(
            "strings", "C.CC" if quick else "C---", 0.5 if quick else 1.0, 68, sections=[section], legato=0.8
        )
        piece.accompany("bass", "BBFB" if quick else "B---", 1.0, 76, sections=[section], bass=(31, 43))
    piece.sing("theme", tune, 84)
    return piece.finish("tempo_scenes", slow=0.0, tempo=changes[1:], rubato=(0, 0.03))
