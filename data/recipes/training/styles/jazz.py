"""Jazz and its relatives: swing at every tempo, waltz, stride, ragtime, New Orleans, manouche, big band, bossa."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.recipes.training.composition import Role, Score, TempoChange, style
from data.recipes.training.textures import ComposedForm, FormSection, Tone, cells, chord_at, pick, tempo_between

_CHANGES = {
    "major": (
        "IM7 vi7 ii7 V7 iii7 VI7 ii7 V7",
        "IM9 VI7 ii9 V13 IM7_VI7 ii7_V7 IM7_vi7 ii7_V7",
        "ii7 V7 IM7 IM7 ii7 V7 IM7 IM7",
        "I6 II7 ii7 V7 I6_VI7 ii7_V7 I6 ii7_V7",
        "IM7 viih7_III7 vi7 v7_I7 IVM7 iv7 iii7_VI7 ii7_V7",
        "VI7 VI7 II7 II7 V7 V7 I6 I6",
        "IM7 IM7 iv7 bVII7 IM7 VI7 ii7 V7",
        "I7 I7 IV7 IV7 I7 VI7 ii7_V7 I7_V7",
    ),
    "minor": (
        "i7 iih7_V7 i7 i7 iv7 VII7 IIIM7 V7",
        "iih7 V7 i6 i6 iih7 V7 i6 i6",
        "iv7 VII7 IIIM7 VIM7 iih7 V7 i6 i6",
        "i7 VI7 iih7 V7 i7 VI7 iih7_V7 i6",
        "i6 i6 iv7 iv7 iih7 V7 i6 iih7_V7",
    ),
}
_BLUES = ("I7 IV7 I7 I7 IV7 IV7 I7 VI7 ii7 V7 I7_VI7 ii7_V7", "I7 I7 I7 I7 IV7 IV7 I7 I7 V7 IV7 I7 V7")
_HORNS = (65, 66, 56, 64, 71, 57, 59, 11, 26, 0)
_LINES = "11111111 a1111111 211112 a121a11 b11112 1112c 31b2 1111111a b2a1b d1111 a3b2 1121a2"
_HEADS = "a111a12 31c1 b1121a 11a111b a12a12 211d 3a3a 2a1a111"
_RIDE = ({51: "x.xxx.xx"}, {51: "x.x.x.xx"}, {51: "x.xxx.x."}, {51: "x.x.x.x."}, {51: "xoxxxoxx"}, {51: "x..xx..x"})


def _tune(rng: np.random.Generator, bpm: float, bar: int = 4, minor: float = 0.3, blues: float = 0.25) -> ComposedForm:
    """Thirty-two bars or a blues, taken in choruses."""
    mode = "minor" if rng.random() < minor else "major"
    if mode == "major" and rng.random() < blues:
        return ComposedForm(rng, bpm, bar, "A", 12, mode, {"A": str(rng.choice(_BLUES))})
    choices = _CHANGES[mode]
    texts = {label: choices[int(rng.integers(len(choices)))] for label in "AB"}
    return ComposedForm(rng, bpm, bar, ["AABA", "ABAB", "AAB"][int(rng.integers(3))], 8, mode, texts)


def walking(
    piece: ComposedForm, name: str, sections: Sequence[FormSection], velocity: float = 84, skips: float = 0.1
) -> None:
    """A bass in quarters: the root when the chord changes, steps and chord tones, a semitone into the next root."""
    rng = piece.rng
    place = 40
    for section in sections:
        harmony = piece.harmony[section.label]
        for number in range(section.bars * piece.bar):
            chord = chord_at(harmony, number)
            change = number == 0 or chord_at(harmony, number - 0.5) != chord
            following = chord_at(harmony, number + 1) if number + 1 < section.bars * piece.bar else harmony[0].chord
            classes = [(piece.key.tonic + tone) % 12 for tone in chord.tones]
            if change:
                near = [p for p in range(28, 53) if p % 12 == (piece.key.tonic + chord.bass) % 12]
                place = min(near, key=lambda p: abs(p - place) + 0.3 * abs(p - 38))
            elif following != chord or number % piece.bar == piece.bar - 1:
                near = [p for p in range(28, 53) if p % 12 == (piece.key.tonic + following.bass) % 12]
                target = min(near, key=lambda p: abs(p - place))
                place = target + int(rng.choice([-1, 1, 1, -2, 7]))
            else:
                near = [p for p in range(28, 53) if p % 12 in classes and p != place]
                place = min(near, key=lambda p: abs(p - place) + rng.uniform(0, 7))
            place = int(np.clip(place, 28, 54))
            at = section.at + number
            piece.sheet.write(name, [Tone(at, 0.9, place)], 0, velocity, float(rng.uniform(-2, 4)))
            if rng.random() < skips:
                piece.sheet.write(name, [Tone(at + 0.5, 0.35, place, -14)], 0, velocity, 0)


def _comping(piece: ComposedForm, name: str, sections: Sequence[FormSection], velocity: float = 66) -> None:
    """Chords on and off the beat, two bars seldom alike."""
    rng = piece.rng
    four = [
        "C..C....",
        "...C...C",
        ".C...C..",
        "C.....C.",
        "...C....",
        "....C..C",
        "C..C..C.",
        "..C...C.",
        "........",
        ".C.C....",
    ]
    words = four if piece.bar == 4 else ["C..C..", "..C..C", ".C.C..", "...C..", "C....C", "......"]
    chosen = [str(rng.choice(words)) for _ in range(pick(rng, [2, 4, 8]))]
    piece.accompany(
        name, chosen, 0.5, velocity, sections=sections, size=4, middle=(50, 70), legato=float(rng.uniform(0.5, 0.9))
    )


def _hats(piece: ComposedForm, ride: dict[int, str], begin: float, velocity: float, kick: float = 0.4) -> None:
    """Cymbal, pedal on two and four, soft bass drum, snare answers; fills into new sections."""
    rng = piece.rng
    sheet = piece.sheet
    end = sheet.end
    sheet.drums("drums", ride, 0.5, begin, end, velocity)
    if rng.random() < 0.85:
        sheet.drums("drums", {44: ".x" * (piece.bar // 2) if piece.bar != 3 else ".x."}, 1.0, begin, end, velocity - 12)
    if rng.random() < kick:
        sheet.drums("drums", {36: "o" * piece.bar}, 1.0, begin, end, velocity - 12)
    for section in piece.sections:
        if section.at < begin:
            continue
        for at in np.arange(section.at, section.at + section.bars * piece.bar, piece.bar):
            if rng.random() < 0.5:
                spot = float(rng.choice([0.5, 1.5, 2.5, piece.bar - 0.5]))
                sheet.write(
                    "drums",
                    [Tone(float(at) + spot, 0.3, pick(rng, [38, 38, 36]), float(rng.uniform(-25, 5)))],
                    0,
                    velocity,
                    0,
                )
        last = section.at + (section.bars - 1) * piece.bar
        if rng.random() < 0.4:
            for tick in range(piece.bar, 2 * piece.bar):
                if rng.random() < 0.75:
                    sheet.write(
                        "drums",
                        [Tone(last + tick / 2, 0.3, pick(rng, [38, 45, 48, 41]), float(rng.uniform(-10, 10)))],
                        0,
                        velocity,
                        0,
                    )
        if rng.random() < 0.25:
            sheet.write("drums", [Tone(section.at, 1, 49)], 0, velocity, 0)


def _swing(bpm: float, rng: np.random.Generator) -> float:
    """The quicker, the straighter."""
    return float(np.clip(0.7 - 0.0007 * (bpm - 90) + rng.normal(0, 0.025), 0.52, 0.72))


def _combo(rng: np.random.Generator, bpm: float, heads: str, kit: int = 32) -> ComposedForm:
    """Head, solos, head: horn, comping, walking bass, ride."""
    piece = _tune(rng, bpm)
    head = piece.melodies(cells(heads, 0.5, 4), 60, 81, closes=cells("2a1d 4d", 0.5, 4), leap=0.25, tie=0.2, every=1.0)
    solo = piece.melodies(cells(_LINES, 0.5, 4), 58, 84, ("abcdefgh", "abacdeaf"), leap=0.25, tie=0.15)
    piece.player("horn", "melody", _HORNS)
    for number, section in enumerate(piece.sections):
        out = number < 2 or section.last
        piece.sing("horn", head if out else solo, 88, sections=[section], accent=0)
    if rng.random() < 0.4:
        piece.player("second horn", "counter", (56, 57, 66, 11))
        piece.sing("second horn", head, 76, sections=piece.sections[:2], shift=pick(rng, [0, -12]), accent=0)
    piece.player("bass", "bass", [32, 32, 32, 33])
    start = piece.sections[0].at
    if rng.random() < 0.3 and len(piece.sections) > 1:
        piece.accompany(
            "bass", ["B-F-", "B-B-"][int(rng.integers(2))], 1.0, 82, sections=piece.sections[:1], bass=(28, 40)
        )
        walking(piece, "bass", piece.sections[1:], skips=float(rng.uniform(0, 0.2)))
    else:
        walking(piece, "bass", piece.sections, skips=float(rng.uniform(0, 0.2)))
    if rng.random() < 0.85:
        piece.player("comp", "chords", [0, 0, 26, 11, 16, 4])
        _comping(piece, "comp", piece.some(0.9))
    if rng.random() < 0.88:
        piece.sheet.player("drums", "drums", kit)
        if rng.random() < 0.25:
            start = piece.after(rng.uniform(0, 0.4))[0].at
        _hats(piece, _RIDE[int(rng.integers(len(_RIDE)))], start, float(rng.uniform(60, 84)))
    return piece


@style("jazz", 1.4)
def swing_combo(rng: np.random.Generator) -> Score:
    """Medium swing."""
    bpm = tempo_between(rng, 104, 188)
    return _combo(rng, bpm, _HEADS).finish("swing_combo", slow=0.3, swing=_swing(bpm, rng), rubato=(0, 0.02))


@style("jazz", 1.0)
def up_tempo_swing(rng: np.random.Generator) -> Score:
    """Fast swing; the tune may be long notes over a racing bass."""
    bpm = tempo_between(rng, 190, 240)
    heads = _HEADS if rng.random() < 0.5 else "8 44 62 a7 224"
    return _combo(rng, bpm, heads).finish("up_tempo_swing", slow=0.2, swing=_swing(bpm, rng), rubato=(0, 0.02))


@style("jazz", 0.8, held_out=True)
def bebop_head(rng: np.random.Generator) -> Score:
    """Two horns in unison on a line of eighths full of rests."""
    bpm = tempo_between(rng, 160, 240)
    piece = _combo(rng, bpm, "a1111111 11a11a11 a1a1111a b11112 1111a1a1 a112a11")
    return piece.finish("bebop_head", slow=0.1, swing=_swing(bpm, rng), rubato=(0, 0.015))


@style("jazz", 1.0)
def brush_ballad(rng: np.random.Generator) -> Score:
    """A slow tune with brushes, the bass in two."""
    bpm = tempo_between(rng, 54, 84)
    piece = _tune(rng, bpm, blues=0.1)
    tune = piece.melodies(
        cells("31211 a1114 62 8 b222 a12112", 0.5, 4), 60, 81, closes=cells("6b 4d", 0.5, 4), tie=0.25
    )
    piece.player("horn", "melody", [66, 65, 59, 0, 26, 71])
    piece.sing("horn", tune, 80, ornaments=0.1, accent=0)
    piece.player("piano", "chords", [0, 0, 26, 4, 11])
    piece.accompany(
        "piano",
        [["C---.C--"], ["C-----C-", "..C-C---"], ["C-------"]][int(rng.integers(3))],
        0.5,
        56,
        size=4,
        middle=(50, 70),
    )
    piece.player("bass", "bass", [32])
    if rng.random() < 0.6:
        piece.accompany("bass", ["B--LB-F-", "B---F--L"][: pick(rng, [1, 2])], 0.5, 76, bass=(28, 40))
    else:
        walking(piece, "bass", piece.sections, 76, 0.15)
    if rng.random() < 0.85:
        piece.sheet.player("drums", "drums", 40)
        row = [{38: "oxox", 44: ".x.x"}, {38: "o.oxo.ox"}, {51: "x.xx", 44: ".x.x"}][int(rng.integers(3))]
        for pitch, text in row.items():
            piece.sheet.drums("drums", {pitch: text}, 0.5 if len(text) == 8 else 1.0, 0, piece.sheet.end, 56)
    return piece.finish(
        "brush_ballad", slow=0.8, swing=float(rng.choice([0.5, 0.6, 0.66])), rubato=(0, 0.07), fermata=0.5
    )


@style("jazz", 1.0)
def jazz_waltz(rng: np.random.Generator) -> Score:
    """Three in swing; the bass often in one."""
    bpm = tempo_between(rng, 108, 200)
    piece = _tune(rng, bpm, 3, blues=0.2)
    tune = piece.melodies(
        cells("222 a111b 31b 33 6 a1211 111111 b22", 0.5, 3), 60, 82, closes=cells("6 2d", 0.5, 3), tie=0.2, leap=0.25
    )
    piece.player("lead", "melody", _HORNS)
    piece.sing("lead", tune, 86, accent=0)
    piece.player("comp", "chords", [0, 26, 4, 11])
    _comping(piece, "comp", piece.sections)
    piece.player("bass", "bass", [32, 32, 33])
    if rng.random() < 0.5:
        walking(piece, "bass", piece.sections, 82, 0.1)
    else:
        piece.accompany("bass", [["B--", "B-F"], ["B--"], ["B--", "BFL"]][int(rng.integers(3))], 1.0, 82, bass=(28, 40))
    if rng.random() < 0.9:
        piece.sheet.player("drums", "drums", pick(rng, [32, 40]))
        _hats(piece, [{51: "x.xxx."}, {51: "x.x.x."}, {51: "x..xx."}, {51: "x.xxxx"}][int(rng.integers(4))], 0, 70, 0.0)
        if rng.random() < 0.5:
            piece.sheet.drums("drums", {36: "x.."}, 1.0, 0, piece.sheet.end, 52)
    return piece.finish("jazz_waltz", slow=0.4, swing=_swing(bpm, rng), rubato=(0, 0.02))


@style("jazz", 0.9)
def two_feel(rng: np.random.Generator) -> Score:
    """Bass in half notes, guitar in four, a relaxed tune."""
    bpm = tempo_between(rng, 112, 184)
    piece = _tune(rng, bpm)
    tune = piece.melodies(cells(_HEADS + " 44 62 2222", 0.5, 4), 60, 82, closes=cells("4d 2f", 0.5, 4), tie=0.1)
    piece.player("lead", "melody", (71, 56, 64, 26, 11, 73))
    piece.sing("lead", tune, 86, accent=0)
    piece.player("bass", "bass", [32, 58, 32])
    piece.accompany(
        "bass", [["B-F-"], ["B-FL"], ["B-F-", "B-BL"]][int(rng.integers(3))], 1.0, 84, bass=(28, 40), legato=0.8
    )
    piece.player("guitar", "chords", [26, 24, 0])
    piece.accompany("guitar", ["CCCC", ".C.C", "C.C."][int(rng.integers(3))], 1.0, 62, legato=0.4, middle=(50, 67))
    if rng.random() < 0.7:
        piece.sheet.player("drums", "drums", pick(rng, [32, 40]))
        _hats(piece, [{42: "x.xxx.xx"}, {51: "x.xxx.xx"}, {38: "o.xoo.xo"}][int(rng.integers(3))], 0, 64)
    return piece.finish("two_feel", slow=0.3, swing=_swing(bpm, rng), rubato=(0, 0.02))


@style("jazz", 1.0)
def gypsy_jazz(rng: np.random.Generator) -> Score:
    """La pompe: dry guitars, two and four heavier, violin or guitar on top, no drums."""
    bpm = tempo_between(rng, 140, 240)
    piece = _tune(rng, bpm, minor=0.6, blues=0.0)
    tune = piece.melodies(
        cells(_LINES + " 2222 1111d", 0.5, 4), 60, 86, ("abac", "abcd"), closes=cells("4d 2f", 0.5, 4), leap=0.35
    )
    piece.player("lead", "melody", [40, 24, 25, 71, 21])
    piece.sing("lead", tune, 88, ornaments=0.1, accent=0)
    piece.player("pompe", "chords", [24, 25, 25])
    heavy = float(rng.uniform(-6, 16))
    piece.accompany("pompe", "C.C.", 1.0, 66, legato=0.45, middle=(48, 66), accent=0)
    piece.accompany("pompe", ".C.C", 1.0, 66 + heavy, legato=0.25, middle=(50, 68), accent=0)
    if rng.random() < 0.5:
        piece.accompany("pompe", "...C...C", 0.5, 48, legato=0.2, middle=(50, 68), accent=0)
    if rng.random() < 0.85:
        piece.player("bass", "bass", [32])
        if rng.random() < 0.7:
            piece.accompany("bass", "B.F.", 1.0, 84, bass=(28, 40), legato=0.9)
        else:
            walking(piece, "bass", piece.sections)
    return piece.finish("gypsy_jazz", slow=0.2, swing=_swing(bpm, rng), rubato=(0, 0.02))


@style("jazz", 0.9)
def stride_piano(rng: np.random.Generator) -> Score:
    """Solo piano: low note and chord in turn, a swung right hand."""
    bpm = tempo_between(rng, 100, 216)
    piece = _tune(rng, bpm, minor=0.15)
    tune = piece.melodies(
        cells("111111 a1a1111 211112 3311 2222 a111a1", 0.5, 4),
        65,
        90,
        closes=cells("4d 224", 0.5, 4),
        leap=0.35,
        tie=0.15,
    )
    piece.player("right", "melody", [0, 0, 1, 3])
    piece.sing("right", tune, 86, accent=2)
    piece.sheet.player("left", "bass", 0)
    texts = [["BCFC"], ["BCFC", "BCBC"], ["OCFC"], ["BCFC", "BCBL"]][int(rng.integers(4))]
    piece.accompany(
        "left", texts, 1.0, 70, bass=(28, 40), middle=(48, 64), legato=0.6, chord_weight=float(rng.uniform(-10, 10))
    )
    return piece.finish("stride_piano", slow=0.4, swing=_swing(bpm, rng), rubato=(0, 0.06))


@style("jazz", 1.0)
def ragtime(rng: np.random.Generator) -> Score:
    """Straight sixteenths with the accent between the beats, over an even left hand; strains of sixteen bars."""
    piece = ComposedForm(rng, tempo_between(rng, 68, 116), 2, "IAABBACC", {"I": 4, "A": 16, "B": 16, "C": 16}, "major")
    words = "12121 1211111 112112 1111112 a12112 12113 11114"
    tune = piece.melodies(cells(words, 0.25, 2), 65, 90, closes=cells("1212b 224", 0.25, 2), leap=0.4, tie=0.3)
    if rng.random() < 0.5:
        piece.lead(tune, [0.25, 0.25])
    solo = rng.random() < 0.65
    piece.player("right", "melody", [0, 3, 3] if solo else [71, 40, 56, 105, 72])
    piece.sing("right", tune, 86, accent=2)
    piece.player("left", "bass", [0, 3] if solo else [58, 0])
    piece.accompany(
        "left",
        [["BCFC"], ["BCBC"], ["BCFC", "BCFL"]][int(rng.integers(3))],
        0.5,
        70,
        bass=(31, 43),
        middle=(50, 66),
        legato=0.6,
    )
    return piece.finish("ragtime", slow=0.3, rubato=(0, 0.04), swing=float(rng.choice([0.5, 0.5, 0.56])), swung=4)


@style("jazz", 0.9, held_out=True)
def dixieland(rng: np.random.Generator) -> Score:
    """Three horns at once over banjo, tuba and a parade drummer."""
    bpm = tempo_between(rng, 132, 232)
    piece = _tune(rng, bpm, minor=0.1, blues=0.3)
    lead = piece.melodies(
        cells("2222 31211 a1112b 44 11114 a3112", 0.5, 4), 62, 79, closes=cells("4d 224", 0.5, 4), tie=0.15
    )
    high = piece.melodies(cells(_LINES, 0.5, 4), 70, 90, ("abcdefgh",), leap=0.4)
    low = piece.melodies(cells("44 8 422 b22b", 0.5, 4), 46, 62, tie=0.1)
    horns: tuple[tuple[str, Role, int, dict[str, list[Tone]], float], ...] = (
        ("trumpet", "melody", 56, lead, 90),
        ("clarinet", "counter", 71, high, 74),
        ("trombone", "counter", 57, low, 78),
    )
    for name, role, program, line, velocity in horns:
        piece.sheet.player(name, role, program, float(rng.normal(0, 8)))
        piece.sing(name, line, velocity, sections=piece.sections if name == "trumpet" else piece.some(0.75), accent=1)
    piece.player("tuba", "bass", [58, 32])
    piece.accompany("tuba", "B-F-", 1.0, 84, bass=(29, 41), legato=0.7)
    piece.player("banjo", "chords", [105, 0, 105])
    piece.accompany("banjo", ["CCCC", ".C.C"][int(rng.integers(2))], 1.0, 64, legato=0.35)
    if rng.random() < 0.75:
        piece.sheet.player("drums", "drums", 32)
        row = [
            {36: "x...x...", 38: "..x...xx"},
            {76: "x.xxx.xx", 36: "x...x..."},
            {38: "x.xxx.xx", 36: "x...x..."},
            {57: "..x...x.", 36: "x...x..."},
        ][int(rng.integers(4))]
        piece.sheet.drums("drums", row, 0.5, 0, piece.sheet.end, 66)
    return piece.finish("dixieland", slow=0.3, swing=_swing(bpm, rng), rubato=(0, 0.02))


@style("jazz", 1.0)
def big_band_shout(rng: np.random.Generator) -> Score:
    """Saxophones with the tune, brass stabs off the beat, drums that set them up."""
    bpm = tempo_between(rng, 112, 216)
    piece = _tune(rng, bpm, minor=0.2, blues=0.4)
    tune = piece.melodies(cells(_HEADS + " 44 62", 0.5, 4), 58, 77, closes=cells("2a1d 4d", 0.5, 4), tie=0.2)
    stabs = ["...C...C", "C..C....", ".......C", "...CC-.C", ".C.C..C.", "C.....C.", "...C-...", "..C..C.."]
    chosen = [str(rng.choice(stabs)) for _ in range(pick(rng, [2, 4]))]
    piece.player("saxes", "melody", [65, 66, 67])
    piece.sing("saxes", tune, 86, accent=0)
    piece.sing("saxes", tune, 72, shift=-12, accent=0, sections=piece.some(0.6))
    piece.player("brass", "chords", [61, 56, 57])
    shouting = piece.after(rng.uniform(0, 0.5))
    piece.accompany("brass", chosen, 0.5, 90, sections=shouting, size=4, middle=(55, 76), legato=0.5, accent=0)
    piece.player("bass", "bass", [32, 33])
    walking(piece, "bass", piece.sections, 84, 0.1)
    if rng.random() < 0.6:
        piece.player("guitar", "chords", [26])
        piece.accompany("guitar", "CCCC", 1.0, 50, legato=0.3)
    piece.sheet.player("drums", "drums", pick(rng, [32, 0]))
    _hats(piece, _RIDE[int(rng.integers(len(_RIDE)))], 0, 76, 0.6)
    for section in shouting:
        for bar in range(section.bars):
            for tick, sign in enumerate(chosen[bar % len(chosen)]):
                if sign == "C" and rng.random() < 0.6:
                    piece.sheet.write(
                        "drums", [Tone(section.at + bar * 4 + tick / 2, 0.3, pick(rng, [38, 36]))], 0, 88, 0
                    )
    return piece.finish("big_band_shout", slow=0.3, swing=_swing(bpm, rng))


@style("jazz", 1.0)
def bossa_jazz(rng: np.random.Generator) -> Score:
    """Straight eighths: guitar off the beat, bass on one and three."""
    bpm = tempo_between(rng, 104, 168)
    piece = _tune(rng, bpm, blues=0.0)
    tune = piece.melodies(
        cells("a3a3 31211 a11111 332 62 8 a1213", 0.5, 4), 60, 81, closes=cells("6b 8", 0.5, 4), tie=0.3
    )
    piece.player("lead", "melody", [66, 73, 24, 11, 65, 0, 52])
    piece.sing("lead", tune, 82, accent=0)
    piece.player("guitar", "chords", [24, 24, 0, 26])
    words = [["C..C..C.", "..C..C.C"], ["C.C..C..", "C..C.C.."], [".C.C.C.C"], ["..C.C..C", "C..C..C."]][
        int(rng.integers(4))
    ]
    piece.accompany("guitar", words, 0.5, 66, size=4, middle=(50, 68), legato=0.7, accent=0)
    piece.player("bass", "bass", [32, 32, 33])
    piece.accompany(
        "bass", ["B..FF..B", "B--FF--L", "B---F---"][int(rng.integers(3))], 0.5, 80, bass=(28, 40), legato=0.9
    )
    if rng.random() < 0.8:
        piece.sheet.player("drums", "drums", pick(rng, [0, 40, 32]))
        begin = piece.after(rng.uniform(0, 0.3))[0].at
        piece.sheet.drums(
            "drums",
            {42: "xxxxxxxx", 36: "x..xx..x" * 2, 37: ["x..x..x...x..x..", "..x..x..x..x..x."][int(rng.integers(2))]},
            0.5,
            begin,
            piece.sheet.end,
            float(rng.uniform(52, 74)),
        )
    return piece.finish("bossa_jazz", slow=0.3, rubato=(0, 0.02))


@style("jazz", 0.6)
def rubato_into_swing(rng: np.random.Generator) -> Score:
    """A solo piano verse in free time, then the band at twice the speed."""
    bpm = tempo_between(rng, 64, 88)
    factor = float(rng.uniform(1.6, 2.3))
    texts = {
        "V": "IM7_vi7 ii7_V7 iii7_VI7 ii7_V7",
        "A": "IM7 vi7 ii7 V7 iii7 VI7 ii7 V7",
        "B": "IVM7 iv7 iii7 VI7 II7 II7 ii7 V7",
    }
    piece = ComposedForm(rng, bpm, 4, "VAABAABA", 8, "major", texts, seconds=(95, 130))
    verse, band = piece.sections[:1], piece.sections[1:]
    head = piece.melodies(cells(_HEADS, 0.5, 4), 60, 82, closes=cells("4d", 0.5, 4), tie=0.2)
    piece.player("horn", "melody", _HORNS[:7])
    piece.sing("horn", head, 84, sections=band, accent=0)
    piece.player("piano", "chords", [0])
    piece.accompany("piano", ["B-C-1-2-", "B-1-C---"], 0.5, 62, sections=verse, legato=1.3)
    _comping(piece, "piano", band)
    piece.player("bass", "bass", [32])
    walking(piece, "bass", band)
    piece.sheet.player("drums", "drums", 32)
    _hats(piece, _RIDE[0], verse[0].bars * 4.0, 70)
    begin = verse[0].bars * 4.0
    return piece.finish(
        "rubato_into_swing", slow=0.4, swing=0.63, tempo=[TempoChange(begin, factor, 0.0)], tags=("swing",)
    )
