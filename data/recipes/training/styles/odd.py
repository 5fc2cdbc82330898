"""Fives and sevens, nines that limp, bars that change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.recipes.training.composition import Score, style
from data.recipes.training.textures import ComposedForm, cells, pick, tempo_between

_MINOR = ("i i bVII bVII", "i VI III VII", "i iv VII i", "i bVII VI V", "i i iv i", "i v VI iv")
_MAJOR = ("I I IV V", "I vi IV V", "I bVII IV I", "I IV I V", "I iii IV iv", "IM7 IM7 ii7 V7")


def _vamps(rng: np.random.Generator, labels: str, minor: bool, repeats: int = 2) -> dict[str, str]:
    """A harmony of four bars, played twice, for every label."""
    choices = _MINOR if minor else _MAJOR
    return {label: " ".join([choices[int(rng.integers(len(choices)))]] * repeats) for label in labels}


def _kit(
    piece: ComposedForm, rows: dict[int, str], unit: float, velocity: float, kit: Sequence[int] = (0, 8, 32)
) -> None:
    """Drums that may come in later."""
    piece.sheet.player("drums", "drums", pick(piece.rng, kit))
    begin = piece.after(0.0 if piece.rng.random() < 0.6 else piece.rng.uniform(0.1, 0.45))[0].at
    piece.sheet.drums("drums", rows, unit, begin, piece.sheet.end, velocity)


@style("odd", 1.2)
def five_four_jazz(rng: np.random.Generator) -> Score:
    """Five as three and two: a piano vamp, swung or straight."""
    bpm = tempo_between(rng, 112, 184)
    minor = rng.random() < 0.7
    piece = ComposedForm(rng, bpm, 5, "AABA", 8, "minor" if minor else "major", _vamps(rng, "AB", minor))
    tune = piece.melodies(
        cells("a1112211 31222 2112112 64 222a3 b111111", 0.5, 5), 62, 82, closes=cells("6d", 0.5, 5), tie=0.1
    )
    piece.player("horn", "melody", [65, 66, 0, 11, 73, 26])
    piece.sing("horn", tune, 86, sections=piece.after(0.15))
    piece.player("vamp", "chords", [0, 26, 4])
    piece.accompany(
        "vamp", ["B.CB.CB.C.", "C..C..C.C.", "B..CC.B.C.", "C.....C.C."][int(rng.integers(4))], 0.5, 68, legato=0.7
    )
    piece.player("bass", "bass", [32, 33])
    piece.accompany(
        "bass", ["B--F--B-F-", "B.....F.B.", "B---F-B-L-", "B..B..F.B."][int(rng.integers(4))], 0.5, 82, bass=(28, 40)
    )
    if rng.random() < 0.85:
        _kit(
            piece,
            [{51: "x.xxx.x.xx", 44: "..x..x..x."}, {51: "x.x.x.x.x.", 36: "x.....x...", 38: "...x....x."}][
                int(rng.integers(2))
            ],
            0.5,
            70,
        )
    return piece.finish("five_four_jazz", slow=0.3, swing=float(rng.choice([0.5, 0.6, 0.65])), rubato=(0, 0.02))


@style("odd")
def five_four_ostinato(rng: np.random.Generator) -> Score:
    """Orchestral action or mystery over a figure in five."""
    bpm = tempo_between(rng, 96, 176)
    piece = ComposedForm(rng, bpm, 5, "AABBCB", 4, "minor", _vamps(rng, "ABC", True, 1))
    piece.player("ostinato", "riff", [48, 45, 0, 42, 81])
    texts = ["B.BO..B.F.", "BBBFBBFFOF", "012012" + "0101", "B..B..B.F.", "0.12.02.1."]
    piece.accompany("ostinato", texts[int(rng.integers(len(texts)))], 0.5, 76, legato=0.6, middle=(50, 66))
    piece.player("brass", "melody", [61, 60, 57, 48, 52])
    tune = piece.melodies(cells("64 442 6211 b242 222b2", 0.5, 5), 55, 76, closes=cells("64 6d", 0.5, 5), tie=0.1)
    piece.sing("brass", tune, 88, sections=piece.after(rng.uniform(0.1, 0.4)))
    piece.player("low", "bass", [43, 58, 38])
    piece.accompany("low", ["B-----F---", "B---------", "B..B..B.B."][int(rng.integers(3))], 0.5, 80, bass=(31, 43))
    if rng.random() < 0.7:
        _kit(
            piece,
            [{41: "X..x..X.x.", 38: "...o.o..oo"}, {36: "X.....X...", 41: "..xx....xx"}, {36: "X..X..X.X."}][
                int(rng.integers(3))
            ],
            0.5,
            84,
            (48, 16, 0),
        )
    return piece.finish("five_four_ostinato", slow=0.3)


@style("odd")
def seven_four_groove(rng: np.random.Generator) -> Score:
    """Seven quarters to the bar in rock, folk-rock or fusion manner."""
    minor = rng.random() < 0.6
    piece = ComposedForm(
        rng,
        tempo_between(rng, 92, 168),
        7,
        "AABAAB",
        4,
        "minor" if minor else "mixolydian",
        _vamps(rng, "AB", minor, 1),
    )
    piece.player("riff", "riff", [25, 27, 30, 4, 0, 29])
    piece.accompany(
        "riff",
        ["B..FO.B.F.O.F.", "B.C.C.B.C.C.C.", "B.BF.BO.B.F.O.", "C...C...C...C."][int(rng.integers(4))],
        0.5,
        76,
        legato=0.8,
        bass=(40, 52),
    )
    piece.player("bass", "bass", [33, 34, 35])
    piece.accompany(
        "bass",
        ["B.......B.....", "B.B.F.B.B.F.L.", "B...F...B...L.", "BBBBBBBBBBBBBL"][int(rng.integers(4))],
        0.5,
        84,
        bass=(28, 40),
    )
    tune = piece.melodies(cells("44222 6242 3122222 82d a1211242", 0.5, 7), 60, 80, closes=cells("8f", 0.5, 7), tie=0.1)
    piece.player("lead", "melody", [81, 30, 65, 73, 85, 53])
    piece.sing("lead", tune, 84, sections=piece.after(rng.uniform(0, 0.4)))
    if rng.random() < 0.9:
        rows = [
            {42: "x" * 14, 36: "x.......x.....", 38: "....x.......x."},
            {51: "x." * 7, 36: "x..x....x..x..", 38: "....x.....x.x."},
            {42: "x.x.x.x.x.x.x.", 36: "x...x...x.....", 38: "..x...x...x.x."},
        ]
        _kit(piece, rows[int(rng.integers(3))], 0.5, 82)
    return piece.finish("seven_four_groove", slow=0.2)


@style("odd", 1.2)
def seven_eight_dance(rng: np.random.Generator) -> Score:
    """Balkan seven (3+2+2 or 2+2+3); the quavers are the beats."""
    bpm = tempo_between(rng, 190, 240)
    mode = str(rng.choice(["minor", "hijaz", "dorian", "mixolydian", "major"]))
    minor = mode in ("minor", "dorian")
    first = rng.random() < 0.5
    texts = _vamps(rng, "ABC", minor, 2)
    piece = ComposedForm(rng, bpm, 7, "AABBCC", 8, mode, texts)
    words = "322 2122 11122 31111 3211 112111 322" if first else "223 2221 22111 11113 2113 1111111"
    tune = piece.melodies(cells(words, 1.0, 7), 60, 84, closes=cells("34" if first else "43", 1.0, 7), leap=0.2)
    piece.player("tune", "melody", [71, 40, 21, 110, 105, 111, 75])
    piece.sing("tune", tune, 88, ornaments=0.15)
    piece.player("chords", "chords", [21, 25, 105, 24])
    piece.accompany(
        "chords",
        ["B.CB.B.", "B.CBCBC", "..C.C.C"][int(rng.integers(3))]
        if first
        else ["B.B.B.C", "BCBCB.C", ".C.C..C"][int(rng.integers(3))],
        1.0,
        68,
        legato=0.6,
    )
    piece.player("bass", "bass", [32, 33, 58, 43])
    piece.accompany("bass", "B--B-F-" if first else "B-F-B--", 1.0, 80, bass=(31, 43), legato=0.7)
    if rng.random() < 0.75:
        _kit(
            piece,
            ({36: "X......", 38: "...x.x.", 54: "..x.x.x"} if first else {36: "X......", 38: "..x.x..", 54: ".x.x.xx"}),
            1.0,
            72,
            (0, 8),
        )
    return piece.finish("seven_eight_dance", slow=0.1, rubato=(0, 0.015), tags=("odd",))


@style("odd", 0.8, held_out=True)
def nine_eight_dance(rng: np.random.Generator) -> Score:
    """Karsilama: two, two, two and three quavers; the quavers are the beats."""
    bpm = tempo_between(rng, 180, 240)
    mode = str(rng.choice(["minor", "hijaz", "mixolydian"]))
    piece = ComposedForm(rng, bpm, 9, "AABBCC", 4, mode, _vamps(rng, "ABC", mode == "minor", 1))
    tune = piece.melodies(
        cells("2223 211212 112221 2223 222111 11112111", 1.0, 9), 60, 84, closes=cells("2223 45", 1.0, 9), leap=0.2
    )
    piece.player("tune", "melody", [71, 40, 111, 105, 21, 68])
    piece.sing("tune", tune, 88, ornaments=0.2)
    piece.player("strum", "chords", [25, 105, 24, 21])
    piece.accompany("strum", ["B.C.B.C.C", "C.C.C.CC.", "BCBCBCB.C"][int(rng.integers(3))], 1.0, 68, legato=0.6)
    piece.player("bass", "bass", [32, 33, 58])
    piece.accompany("bass", ["B-F-B-F--", "B-B-B-B--"][int(rng.integers(2))], 1.0, 80, bass=(31, 43), legato=0.7)
    if rng.random() < 0.75:
        _kit(piece, {36: "X...x....", 38: "..x...x.x", 54: "xxxxxxxxx"}, 1.0, 70, (0, 8))
    return piece.finish("nine_eight_dance", slow=0.1, tags=("odd",))


@style("odd", 0.9)
def action_seven(rng: np.random.Generator) -> Score:
    """Strings and drums in seven quavers, cut by rests and braams."""
    bpm = tempo_between(rng, 176, 236)
    piece = ComposedForm(rng, bpm, 7, "ABABCB", 8, "minor", _vamps(rng, "ABC", True, 2))
    piece.player("strings", "riff", [48, 42, 45, 81])
    piece.accompany(
        "strings",
        ["BBOBBFB", "B0B01B1", "B.BFBBO", "0101012"][int(rng.integers(4))],
        1.0,
        78,
        legato=0.6,
        middle=(50, 66),
        bass=(40, 52),
        accent=12,
    )
    piece.player("brass", "chords", [61, 57, 62])
    piece.hold("brass", 80, sections=piece.after(rng.uniform(0.1, 0.5)), middle=(43, 62))
    piece.player("bass", "bass", [43, 38, 58])
    piece.accompany("bass", ["B------", "B--B-B-", "B-B-B--"][int(rng.integers(3))], 1.0, 84, bass=(29, 41))
    if rng.random() < 0.8:
        _kit(
            piece,
            [{41: "X..x.x.", 38: ".oo.o.o"}, {36: "X......", 41: "..x.xx.", 49: "x......" + "......." * 3}][
                int(rng.integers(2))
            ],
            1.0,
            88,
            (48, 16),
        )
    return piece.finish("action_seven", slow=0.1, tags=("odd",))


@style("odd", 0.7, held_out=True)
def five_four_folk(rng: np.random.Generator) -> Score:
    """A song in five with plucked strings."""
    mode = str(rng.choice(["dorian", "minor", "major"]))
    minor = mode != "major"
    piece = ComposedForm(rng, tempo_between(rng, 84, 144), 5, "AABA", 8, mode, _vamps(rng, "AB", minor))
    tune = piece.melodies(cells("22222 42211 31222 64 b2222", 0.5, 5), 60, 80, closes=cells("6d", 0.5, 5), tie=0.1)
    if rng.random() < 0.4:
        piece.lead(tune, [1.0])
    piece.player("voice", "melody", [73, 53, 40, 75, 68, 22])
    piece.sing("voice", tune, 82, ornaments=0.1)
    piece.player("guitar", "chords", [24, 25, 46, 105])
    piece.accompany("guitar", ["B102132102", "B-1-2-B-2-", "B.CC.CB.CC", "B1203B1320"][int(rng.integers(4))], 0.5, 66)
    if rng.random() < 0.5:
        piece.player("bass", "bass", [32, 43])
        piece.accompany("bass", ["B-----F---", "B---------"][int(rng.integers(2))], 0.5, 76, bass=(31, 43))
    return piece.finish("five_four_folk", slow=0.5, rubato=(0, 0.05))


@style("odd", 0.8)
def six_four(rng: np.random.Generator) -> Score:
    """Six quarters to the bar: broad, in film, folk-rock or piano manner."""
    minor = rng.random() < 0.5
    piece = ComposedForm(
        rng, tempo_between(rng, 84, 168), 6, "AABA", 8, "minor" if minor else "major", _vamps(rng, "AB", minor)
    )
    piece.player("keys", "chords", [0, 25, 48, 46, 4])
    piece.accompany(
        "keys", ["B.1.2.3.2.1.", "B...C...C...", "B.C.C.C.B.C.", "B.12.1F.12.1"][int(rng.integers(4))], 0.5, 66
    )
    piece.player("bass", "bass", [32, 33, 43])
    piece.accompany("bass", ["B-----", "B---F-", "B--B-L"][int(rng.integers(3))], 1.0, 78, bass=(29, 41))
    tune = piece.melodies(cells("84 444 62211 66 b42211 b46", 0.5, 6), 60, 80, closes=cells("8d", 0.5, 6), tie=0.15)
    piece.player("tune", "melody", [40, 73, 60, 52, 26, 68])
    piece.sing("tune", tune, 82, sections=piece.after(rng.uniform(0, 0.3)))
    if rng.random() < 0.5:
        _kit(
            piece,
            [
                {42: "x.x.x.x.x.x.", 36: "x.......x...", 38: "....x.....x."},
                {36: "x.....x.....", 38: "....x.....x.", 51: "x.x.x.x.x.x."},
            ][int(rng.integers(2))],
            0.5,
            76,
        )
    return piece.finish("six_four", slow=0.4, rubato=(0, 0.03))


@style("odd", 1.0)
def changing_bars(rng: np.random.Generator) -> Score:
    """Bars of three and four in turn, or a bar of two or five now and then."""
    minor = rng.random() < 0.5
    pattern = [[4, 3], [3, 4], [4, 4, 4, 2], [4, 4, 3, 4], [3, 3, 3, 4], [4, 4, 4, 5], [3, 3, 2]][int(rng.integers(7))]
    cycle = sum(pattern)
    harmony = _vamps(rng, "AB", minor, 1)
    bpm = tempo_between(rng, 84, 160)
    # a bar of the form is a whole cycle of bars
    piece = ComposedForm(rng, bpm, cycle, "AABA", 4, "minor" if minor else "major", harmony)
    piece.sheet.divide(pattern)
    words = {
        2: ("22", "4", "1111"),
        3: ("222", "42", "1122", "6"),
        4: ("2222", "422", "44", "11222"),
        5: ("22222", "442", "64"),
    }
    rhythms = cells(" ".join("".join(str(rng.choice(words[beats])) for beats in pattern) for _ in range(4)), 0.5, cycle)
    tune = piece.melodies(rhythms, 62, 82, plans=("aaab", "abab", "abac"), leap=0.25)
    piece.player("tune", "melody", [0, 73, 40, 25, 68, 11])
    piece.player("chords", "chords", [0, 25, 48, 24, 46])
    piece.player("bass", "bass", [32, 33, 43, 42])
    figures = {2: "BC", 3: "BCC", 4: ["BCFC", "BCCC"][int(rng.integers(2))], 5: "BCCFC"}
    if rng.random() < 0.4:
        figures = {2: "B121", 3: "B12121", 4: "B121B121", 5: "B121B12121"}
    unit = 1.0 if len(figures[2]) == 2 else 0.5
    piece.sing("tune", tune, 84)
    texts = "".join(figures[beats] for beats in pattern)
    piece.accompany("chords", texts.replace("B", "C" if unit == 1.0 else "0").replace("F", "C"), unit, 62, legato=0.8)
    piece.accompany(
        "bass",
        "".join("B" + "-" * (beats - 1) if rng.random() < 0.6 else "B" + "-" * (beats - 2) + "F" for beats in pattern),
        1.0,
        78,
        bass=(31, 43),
    )
    return piece.finish("changing_bars", slow=0.4, rubato=(0, 0.03), closing=0.6, tags=("odd",))
