"""Plucked and struck strings alone or in small company, songs without drums."""

from __future__ import annotations

import numpy as np

from data.recipes.training.composition import Score, style
from data.recipes.training.textures import ComposedForm, cells, pick, tempo_between

_SONGS = {
    "major": (
        "I V vi IV I V IV I",
        "I IV I V I IV V I",
        "I I/3 IV IV I V I I",
        "vi IV I V vi IV V V",
        "I iii IV V I iii IV_V I",
        "IV I V vi IV I V V",
        "I bVII IV I I bVII IV V",
        "I_V/3 vi_V IV I ii IV V Vsus_V",
        "I II7 IV I I II7 IV V",
    ),
    "minor": (
        "i VII VI VII i VII VI V",
        "i iv VII III VI iv V i",
        "i VI III VII i VI VII i",
        "i v VI iv i v VI V",
        "VI VII i i VI VII III V",
        "i i/3 iv V i VI iv V7",
    ),
}


def _song(rng: np.random.Generator, bpm: float, bar: int, form: str = "IABABCB") -> ComposedForm:
    """Introduction, verses, choruses, a bridge; phrases sometimes a bar shorter or longer than eight."""
    mode = "minor" if rng.random() < 0.35 else "major"
    choices = _SONGS[mode]
    texts = {label: choices[int(rng.integers(len(choices)))].split() for label in "ABC"}
    odd = rng.random()
    if odd < 0.12:
        texts["A"] = texts["A"][:7]
    elif odd < 0.24:
        texts["A"] = [*texts["A"], texts["A"][-1]]
    texts["I"] = texts["A"][: pick(rng, [2, 4])]
    return ComposedForm(rng, bpm, bar, form, 8, mode, {label: " ".join(texts[label]) for label in dict.fromkeys(form)})


def _vocal(piece: ComposedForm, programs: tuple[int, ...], share: float = 0.25) -> None:
    """A voice-like melody: syncopated, with rests at the line ends, silent in the introduction."""
    rng, bar = piece.rng, piece.bar
    words = {
        4: "a121111 b222 31211 a11212 1121b1 62 a331 b1112", 3: "42 b22 11112 a122 6 222", 2: "31 22 a111 1111 4",
    }[bar]  # fmt: skip
    tune = piece.melodies(
        cells(words, 0.5, bar),
        60,
        79,
        closes=cells({4: "4d 2f 31d", 3: "2d 4b", 2: "2b"}[bar], 0.5, bar),
        tie=0.25,
        leap=0.2,
    )
    if rng.random() < share:
        piece.lead(tune, [0.5, 0.5] if rng.random() < 0.6 else [0.5])
    piece.player("voice", "melody", programs)
    piece.sing("voice", tune, 82, sections=[s for s in piece.sections if s.label != "I"] or piece.sections, accent=1)


@style("acoustic", 1.3)
def travis_picking(rng: np.random.Generator) -> Score:
    """Thumb in quarters between bass notes, fingers off the beat; with or without a voice."""
    piece = _song(rng, tempo_between(rng, 76, 138), 4)
    piece.player("guitar", "chords", [24, 25])
    texts = ["B.1F2B1F", "B2F1B2F.", "B..2F1.2", "B2F.B1F2", "BF21BF21", "B-F2B1F2"]
    chosen = [texts[int(rng.integers(len(texts)))] for _ in range(pick(rng, [1, 1, 2]))]
    piece.accompany(
        "guitar", chosen, 0.5, 72, middle=(52, 68), bass=(40, 52), legato=1.2, accent=float(rng.uniform(0, 6))
    )
    if rng.random() < 0.65:
        _vocal(piece, (53, 73, 22, 40, 52, 68, 85))
    if rng.random() < 0.35:
        piece.player("bass", "bass", [32])
        piece.accompany("bass", "B-F-", 1.0, 74, sections=piece.after(0.3), bass=(28, 40))
    return piece.finish("travis_picking", slow=0.5, rubato=(0, 0.03), swing=float(rng.choice([0.5, 0.5, 0.58])))


@style("acoustic", 1.1)
def guitar_strum(rng: np.random.Generator) -> Score:
    """One or two strummed guitars and a voice."""
    bar = pick(rng, [4, 4, 3, 2])
    compound = bar == 2
    piece = _song(rng, tempo_between(rng, 44, 76) if compound else tempo_between(rng, 70, 150), bar)
    texts = {
        4: ["C.CC.CCC", "B.CC.CC.", "C.C.CCCC", "C--C-CC.", ".C.C.C.C", "C.CC..CC"],
        3: ["B.C.CC", "B.CCCC", "C.C.C."],
        2: ["B.CCCC", "C.CC.C", "CCCCCC"],
    }[bar]
    unit = 1 / 3 if compound else 0.5
    piece.player("guitar", "chords", [25, 24, 27])
    piece.accompany(
        "guitar",
        [str(rng.choice(texts)) for _ in range(pick(rng, [1, 2]))],
        unit,
        70,
        size=4,
        middle=(48, 69),
        bass=(40, 52),
        legato=0.8,
    )
    _vocal(piece, (53, 73, 22, 40, 85, 71))
    if rng.random() < 0.4:
        piece.player("second", "riff", [24, 25, 105, 46])
        piece.accompany(
            "second",
            ["012", "0121"][int(rng.integers(2))] if compound else ["0123", "0212"][int(rng.integers(2))],
            unit,
            60,
            sections=piece.after(0.3),
            middle=(60, 76),
        )
    if rng.random() < 0.3:
        piece.player("bass", "bass", [32, 33])
        piece.roots("bass", 76, sections=piece.after(0.3), low=28)
    return piece.finish("guitar_strum", slow=0.4, rubato=(0, 0.03), division=3 if compound else 2)


@style("acoustic", 1.2)
def piano_ballad(rng: np.random.Generator) -> Score:
    """Pop ballad at the piano: chords or broken chords, syncopated tune, no drums."""
    bar = pick(rng, [4, 4, 4, 2])
    compound = bar == 2
    piece = _song(rng, tempo_between(rng, 42, 66) if compound else tempo_between(rng, 60, 104), bar)
    piece.player("piano", "chords", [0, 0, 1, 4, 5])
    unit = 1 / 3 if compound else pick(rng, [1, 2]) / 4
    texts = (
        ["012", "CCC", "B12321"]
        if compound
        else {
            0.5: ["CCCC", "B.C.", "01210121", "C.CC"],
            0.25: ["C...C...", "B1210121", "B...C..C..C.C...", "C..C..C."],
        }[unit]
    )
    quiet = [s for s in piece.sections if s.label in "IA"]
    full = [s for s in piece.sections if s.label not in "IA"]
    piece.accompany(
        "piano", str(rng.choice(texts)), unit, 60, sections=quiet, middle=(52, 70), bass=(40, 52), legato=1.2
    )
    if full:
        piece.accompany(
            "piano", str(rng.choice(texts)), unit, 70, sections=full, size=4, middle=(52, 72), bass=(40, 52)
        )
    piece.player("left", "bass", [0])
    if rng.random() < 0.6:
        piece.roots("left", 68, low=33)
    else:
        piece.accompany(
            "left", "B--BO-B-" if not compound else "B----F", 0.5 if not compound else 1 / 3, 68, bass=(33, 45)
        )
    if rng.random() < 0.75:
        _vocal(piece, (0, 53, 40, 73, 65, 85))
    if rng.random() < 0.5:
        piece.player("strings", "pad", [48, 49, 89])
        piece.hold("strings", 52, sections=piece.after(rng.uniform(0.3, 0.6)))
    return piece.finish("piano_ballad", slow=0.7, rubato=(0.0, 0.07), division=3 if compound else 2, fermata=0.4)


@style("acoustic", 1.0)
def piano_and_cello(rng: np.random.Generator) -> Score:
    """A cello melody over quiet piano figures."""
    bar = pick(rng, [4, 3, 4, 2])
    piece = _song(rng, tempo_between(rng, 56, 104), bar)
    piece.player("piano", "chords", [0, 0, 46])
    piece.accompany(
        "piano",
        ["B121", "B12321", "0121", "C.", "B2"][int(rng.integers(5))],
        0.5 if rng.random() < 0.6 else 0.25,
        60,
        middle=(52, 70),
        legato=1.3,
    )
    tune = piece.melodies(
        cells({4: "62 8 44 422 b6", 3: "6 42 222", 2: "4 31 22"}[bar], 0.5, bar), 48, 69, tie=0.2, leap=0.25
    )
    if rng.random() < 0.3:
        piece.lead(tune, [1.0])
    piece.player("cello", "melody", [42, 42, 41, 70, 40])
    piece.sing("cello", tune, 82, sections=[s for s in piece.sections if s.label != "I"] or piece.sections, accent=2)
    if rng.random() < 0.5:
        piece.player("low", "bass", [0, 43])
        piece.roots("low", 62, low=31)
    return piece.finish("piano_and_cello", slow=0.8, rubato=(0.01, 0.1))


@style("acoustic", 0.9)
def harp_arpeggios(rng: np.random.Generator) -> Score:
    """Harp, alone or with flute."""
    compound = rng.random() < 0.45
    bar = pick(rng, [2, 4]) if compound else pick(rng, [3, 4])
    piece = _song(rng, tempo_between(rng, 50, 92), bar)
    piece.sheet.player("harp", "chords", 46)
    per = 3 if compound else pick(rng, [2, 4])
    texts = {3: ["B12", "B12345", "012543"], 2: ["B123", "B1", "B12343"], 4: ["B1234543", "B123", "01234567"]}[per]
    piece.accompany(
        "harp", str(rng.choice(texts)), 1 / per, 64, legato=2.0, middle=(52, 69), bass_weight=float(rng.uniform(0, 12))
    )
    if rng.random() < 0.7:
        tune = piece.melodies(cells({4: "62 422 8 b6", 3: "6 42 222", 2: "4 31 22"}[bar], 0.5, bar), 67, 88, tie=0.15)
        piece.player("tune", "melody", [73, 46, 46, 68, 40, 9])
        piece.sing("tune", tune, 80, ornaments=0.1)
    return piece.finish("harp_arpeggios", slow=0.8, rubato=(0.0, 0.08), division=3 if compound else 2)


@style("acoustic", 0.9)
def banjo_roll(rng: np.random.Generator) -> Score:
    """Bluegrass, no drums: rolls in groups of three across the beat, bass on one and three, chop on two and four."""
    piece = _song(rng, tempo_between(rng, 84, 150), 2, "AABBAB")
    piece.player("banjo", "riff", [105, 105, 25])
    rolls = ["01201201", "21021021", "0212021B", "02102102", "B120B120"]
    piece.accompany(
        "banjo", [str(rng.choice(rolls)) for _ in range(2)], 0.25, 74, middle=(57, 74), bass=(48, 60), legato=0.9
    )
    tune = piece.melodies(
        cells("11111111 2111111 2222 211211 31112", 0.25, 2), 62, 84, closes=cells("44 224", 0.25, 2), leap=0.25
    )
    if rng.random() < 0.5:
        piece.lead(tune, [0.25, 0.25])
    piece.player("lead", "melody", [110, 40, 25, 22, 105])
    piece.sing("lead", tune, 84, sections=piece.some(0.8))
    piece.player("bass", "bass", [32])
    piece.accompany("bass", ["BF", "B-", "BFBL"][int(rng.integers(3))], 1.0, 84, bass=(28, 40), legato=0.6)
    if rng.random() < 0.7:
        piece.player("chop", "chords", [25, 105, 24])
        piece.accompany("chop", ".C", 0.5, 68 + float(rng.uniform(-6, 14)), legato=0.25, middle=(55, 72))
    return piece.finish("banjo_roll", slow=0.1, rubato=(0, 0.02))


@style("acoustic", 0.8)
def music_box(rng: np.random.Generator) -> Score:
    """Music box, kalimba or celesta, alone; it may run down at the end."""
    bar = pick(rng, [3, 4, 2])
    piece = _song(rng, tempo_between(rng, 60, 130), bar, "AABA")
    piece.player("tune", "melody", [10, 8, 9, 108, 12])
    tune = piece.melodies(
        cells({4: "2222 422 31211 44", 3: "222 42 1122 6", 2: "22 211 1111 4"}[bar], 0.5, bar),
        72,
        93,
        closes=cells({4: "8", 3: "6", 2: "4"}[bar], 0.5, bar),
        leap=0.3,
    )
    piece.sing("tune", tune, 80)
    piece.player("under", "chords", [10, 8, 108, 12, 46])
    piece.accompany(
        "under",
        {4: ["B.1.2.1.", "B121", "0...C..."], 3: ["B.1.2.", "B.C.C."], 2: ["B121", "B.C."]}[bar][int(rng.integers(2))],
        0.5,
        60,
        bass=(60, 72),
        middle=(64, 80),
    )
    if rng.random() < 0.3:
        piece.player("pad", "pad", [88, 89, 48])
        piece.hold("pad", 44, sections=piece.after(0.4))
    return piece.finish("music_box", slow=0.7, rubato=(0, 0.03))


@style("acoustic", 0.8, held_out=True)
def kalimba_groove(rng: np.random.Generator) -> Score:
    """Kalimba or marimba cells that sit across the beat, bass below, shaker perhaps."""
    compound = rng.random() < 0.45
    piece = _song(rng, tempo_between(rng, 84, 132), 4, "AABACB")
    unit = 1 / 3 if compound else 0.25
    piece.player("kalimba", "riff", [108, 12, 13, 11])
    texts = ["01.2.1", "0.12.1", "012.21"] if compound else ["0..1..2.", "0.1.2.10", "0..2..1.0.1.2.1.", "01.20.1."]
    piece.accompany("kalimba", str(rng.choice(texts)), unit, 76, middle=(60, 79), legato=1.0)
    piece.player("bass", "bass", [32, 33, 12])
    piece.accompany(
        "bass",
        ["B--F--", "B-----"][int(rng.integers(2))]
        if compound
        else ["B--B--F-", "B-------", "B-----B-"][int(rng.integers(3))],
        unit,
        80,
        bass=(33, 45),
    )
    _vocal(piece, (73, 75, 53, 12, 11), 0.1)
    if rng.random() < 0.4:
        piece.sheet.player("shaker", "drums", 0)
        piece.sheet.drums(
            "shaker", {70: "Xox" if compound else "Xoxo"}, unit, piece.after(0.3)[0].at, piece.sheet.end, 50
        )
    return piece.finish("kalimba_groove", slow=0.2, division=3 if compound else 2)


@style("acoustic", 0.8)
def vibraphone_and_bass(rng: np.random.Generator) -> Score:
    """Two players: chords and tune on the vibraphone, a bass that keeps time."""
    bar = pick(rng, [4, 3, 4])
    bpm = tempo_between(rng, 72, 160)
    texts = {"A": "ii7 V7 IM7 vi7 ii7 V7 IM7 IM7", "B": "IVM7 iii7 ii7 IM7 iii7 VI7 ii7 V7"}
    piece = ComposedForm(rng, bpm, bar, "AABA", 8, "major", texts)
    piece.player("vibes", "melody", [11, 11, 4, 26])
    tune = piece.melodies(
        cells("a1211b 3311 62 b222 1111d" if bar == 4 else "222 31b a1211 6", 0.5, bar), 65, 84, tie=0.2
    )
    piece.sing("vibes", tune, 80)
    if rng.random() < 0.7:
        piece.player("chords", "chords", [11, 11, 26])
        piece.accompany(
            "chords",
            [
                "C--C----" if bar == 4 else "C--C--",
                "C-------" if bar == 4 else "C-----",
                "..C-" if bar == 4 else "..C-..",
            ][int(rng.integers(3))],
            0.5,
            58,
            middle=(53, 69),
        )
    piece.player("bass", "bass", [32, 32, 35])
    piece.accompany(
        "bass",
        ["B-FL", "BFBL", "B---"][int(rng.integers(3))] if bar == 4 else ["B--", "BFL", "B-F"][int(rng.integers(3))],
        1.0,
        84,
        bass=(28, 40),
    )
    return piece.finish("vibraphone_and_bass", slow=0.4, rubato=(0, 0.03), swing=float(rng.choice([0.5, 0.6, 0.65])))


@style("acoustic", 1.0)
def slow_twelve_eight(rng: np.random.Generator) -> Score:
    """Ballad in 12/8 without drums: piano triplets, organ, a sung line."""
    piece = _song(rng, tempo_between(rng, 50, 84), 4)
    piece.player("piano", "chords", [0, 0, 4, 26])
    piece.accompany("piano", ["CCC", "B12", "C.C", "012"][int(rng.integers(4))], 1 / 3, 62, middle=(52, 70), legato=0.8)
    piece.player("bass", "bass", [32, 33, 0])
    piece.accompany(
        "bass", ["B-----B--F-L", "B-----F-----", "B-----------"][int(rng.integers(3))], 1 / 3, 78, bass=(28, 40)
    )
    tune = piece.melodies(cells("336 a11213c c315 9c 21216 c1116", 1 / 3, 4), 60, 79, tie=0.2)
    piece.player("voice", "melody", [53, 65, 16, 26, 73])
    piece.sing("voice", tune, 82, sections=[s for s in piece.sections if s.label != "I"] or piece.sections)
    if rng.random() < 0.5:
        piece.player("organ", "pad", [16, 17, 48, 89])
        piece.hold("organ", 50, sections=piece.after(0.3))
    return piece.finish("slow_twelve_eight", slow=0.6, rubato=(0, 0.04), division=3)


@style("folk", 0.9, held_out=True)
def sea_shanty(rng: np.random.Generator) -> Score:
    """Call and response in four or six-eight, with up-beats, stamps on the beat."""
    compound = rng.random() < 0.45
    bar = 2 if compound else 4
    piece = _song(rng, tempo_between(rng, 84, 126) if compound else tempo_between(rng, 96, 160), bar, "AABAAB")
    unit = 1 / 3 if compound else 0.5
    words = "2121 33 11121 321" if compound else "2222 31211 422 11222 3122"
    tune = piece.melodies(
        cells(words, unit, bar), 57, 77, closes=cells("33 5a" if compound else "6b 44", unit, bar), leap=0.3
    )
    if rng.random() < 0.75:
        piece.lead(tune, [1 / 3] if compound else [1.0] if rng.random() < 0.5 else [0.5, 0.5])
    piece.player("call", "melody", [53, 21, 22, 57, 66])
    piece.sing("call", tune, 86)
    piece.player("answer", "chords", [52, 53, 21])
    for section in piece.sections:
        for span in piece.harmony[section.label]:
            if round(span.at / bar) % 4 >= 2:
                piece.accompany(
                    "answer", "C", 1.0, 64, sections=[section], begin=span.at, end=span.at + span.beats, middle=(50, 67)
                )
    piece.player("squeeze", "chords", [21, 25, 105])
    piece.accompany(
        "squeeze",
        ["B.CB.C", "C.CC.C"][int(rng.integers(2))] if compound else ["B.C.", "C.C."][int(rng.integers(2))],
        unit,
        62,
        legato=0.6,
    )
    if rng.random() < 0.5:
        piece.sheet.player("stamp", "drums", 0)
        piece.sheet.drums(
            "stamp",
            {36: "x" if bar == 2 else "x.x.", 39: "." if rng.random() < 0.5 else ".x"},
            1.0,
            0,
            piece.sheet.end,
            70,
        )
    return piece.finish("sea_shanty", slow=0.5, rubato=(0, 0.03), division=3 if compound else 2)


@style("folk", 0.9)
def lullaby(rng: np.random.Generator) -> Score:
    """6/8 or 3/4, rocking."""
    bar = pick(rng, [2, 2, 3])
    compound = bar == 2
    piece = _song(rng, tempo_between(rng, 38, 66) if compound else tempo_between(rng, 66, 108), bar, "AABA")
    unit = 1 / 3 if compound else 0.5
    tune = piece.melodies(
        cells("21 2121 33 321 5a" if compound else "42 6 222 411", unit, bar),
        62,
        81,
        closes=cells("6" if compound else "6 4b", unit, bar),
        leap=0.25,
    )
    if rng.random() < 0.5:
        piece.lead(tune, [unit])
    piece.player("voice", "melody", [52, 73, 10, 40, 75, 0, 68])
    piece.sing("voice", tune, 76)
    piece.player("rock", "chords", [24, 0, 46, 10, 48])
    piece.accompany(
        "rock",
        ["B.C", "B12", "C.C"][int(rng.integers(3))] if compound else ["B.C.C.", "B.1.2.", "B-C-"][int(rng.integers(2))],
        unit,
        58,
    )
    if rng.random() < 0.4:
        piece.player("low", "bass", [42, 32, 89])
        piece.roots("low", 56)
    return piece.finish("lullaby", slow=0.9, rubato=(0.0, 0.07), division=3 if compound else 2)
