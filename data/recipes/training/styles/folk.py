"""Folk: dances of the British Isles, Scandinavia and the Balkans, songs, airs, plucked strings."""

from __future__ import annotations

import numpy as np

from data.recipes.training.composition import Score, TempoChange, style
from data.recipes.training.textures import ComposedForm, Tone, cells, pick, tempo_between

_FIDDLES = (40, 40, 110, 73, 72, 21, 22, 74, 75, 105, 78)
_MODAL = ("major", "major", "mixolydian", "dorian", "minor")
_MODAL_HARMONY = {
    "major": (
        "I I IV V I I IV_V I",
        "I IV I V I IV V I",
        "I V vi IV I IV V I",
        "I I V V I IV V I",
        "vi IV I V vi IV V I",
    ),
    "mixolydian": ("I I bVII bVII I I bVII_V I", "I bVII IV I I bVII v I", "I I IV bVII I IV bVII I"),
    "dorian": ("i i bVII bVII i i bVII_v i", "i bVII i IV i bVII v i", "i i IV IV bVII bVII v i"),
    "minor": (
        "i i bVII bVII i bVI bVII i",
        "i bVI bIII bVII i bVI v i",
        "i iv i v i iv v i",
        "i bVII bVI v i bVII v i",
    ),
}


def _texts(rng: np.random.Generator, mode: str, labels: str) -> dict[str, str]:
    """Eight-bar harmonies of a mode for every label."""
    choices = _MODAL_HARMONY[mode]
    return {label: choices[int(rng.integers(len(choices)))] for label in labels}


def _dance(rng: np.random.Generator, bpm: float, bar: int, form: str = "AABB") -> ComposedForm:
    """A dance in repeated parts of eight bars, some of them the parts of two tunes."""
    mode = _MODAL[int(rng.integers(len(_MODAL)))]
    form = form if rng.random() < 0.6 else form + "CCDD"
    return ComposedForm(rng, bpm, bar, form, 8, mode, _texts(rng, mode, "".join(dict.fromkeys(form))))


def _band(
    piece: ComposedForm,
    tune: dict[str, list[Tone]],
    strums: list[str],
    unit: float,
    basses: list[str],
    drum: dict[int, str] | None,
    lift: int = 0,
) -> None:
    """Fiddle or pipe with guitar, bass and hand drum, of which some keep silent or come in later."""
    rng = piece.rng
    piece.player("tune", "melody", _FIDDLES)
    ornaments = float(rng.uniform(0, 0.3))
    piece.sing("tune", tune, float(rng.uniform(78, 95)), ornaments=ornaments, shift=lift)
    if rng.random() < 0.4:
        piece.player("second", "counter", _FIDDLES)
        piece.sing("second", tune, 66, sections=piece.after(rng.uniform(0, 0.6)), shift=lift - pick(rng, [0, 12]))
    layers = rng.random(3) < (0.85, 0.5, 0.45)
    if not layers.any():
        layers[0] = True
    start = rng.uniform(0, 0.4) if rng.random() < 0.4 else 0.0
    if layers[0]:
        piece.player("strum", "chords", [24, 25, 25, 105, 0, 21, 15, 46])
        text = strums[int(rng.integers(len(strums)))]
        piece.accompany("strum", text, unit, float(rng.uniform(55, 76)), sections=piece.after(start), legato=0.7)
    if layers[1]:
        piece.player("bass", "bass", [32, 32, 33, 43, 42])
        text = basses[int(rng.integers(len(basses)))]
        piece.accompany("bass", text, unit, float(rng.uniform(68, 86)), sections=piece.after(start), bass=(31, 43))
    if layers[2] and drum:
        piece.sheet.player("drum", "drums", 0)
        begin = piece.after(start)[0].at
        piece.sheet.drums("drum", drum, unit, begin, piece.sheet.end, float(rng.uniform(55, 80)))


@style("folk", 1.2)
def reel(rng: np.random.Generator) -> Score:
    """Running eighths in cut time: two half notes to the bar."""
    piece = _dance(rng, tempo_between(rng, 84, 122), 2)
    rhythms = cells("11111111 11111111 2111111 1121111 112112 311111 221111", 0.25, 2)
    tune = piece.melodies(rhythms, 62, 86, closes=cells("11114 211112 111122", 0.25, 2), leap=0.3)
    if rng.random() < 0.5:
        piece.lead(tune, [0.25, 0.25])
    strums = ["B.C.F.C.", "B..CF.C.", "C.CCC.CC", "BC.CFC.C", "..C...C."]
    drum = {
        [63, 41, 54][int(rng.integers(3))]: ["X.ox.oxoX.ox.oxo", "X..xx.x.X..xx.x.", "XooxXooxXooxXoox"][
            int(rng.integers(3))
        ]
    }
    _band(piece, tune, strums, 0.25, ["B---F---", "B-------", "B---F-L-"], drum)
    return piece.finish("reel", slow=0.3, rubato=(0, 0.03), swing=float(rng.choice([0.5, 0.5, 0.56])), swung=4)


@style("folk", 1.4)
def jig(rng: np.random.Generator) -> Score:
    """6/8 in two."""
    piece = _dance(rng, tempo_between(rng, 96, 144), 2)
    rhythms = cells("111111 111111 2121 11121 21111 3111 1113 11112 213", 1 / 3, 2)
    tune = piece.melodies(rhythms, 62, 86, closes=cells("1113 213 11121 33", 1 / 3, 2), leap=0.3)
    draw = rng.random()
    if draw < 0.35:
        piece.lead(tune, [1 / 3])
    elif draw < 0.55:
        piece.lead(tune, [1 / 3, 1 / 3])
    strums = ["B.CF.C", "B.CB.C", "C.CC.C", "C.CCCC", "B-CF-C", "BCCFCC", ".CC.CC"]
    drum = {[63, 41, 54][int(rng.integers(3))]: ["XoxXox", "X.xx.x", "X.oX.x", "XooXxo"][int(rng.integers(4))]}
    _band(piece, tune, strums, 1 / 3, ["B--F--", "B-----", "B-.F-L"], drum)
    return piece.finish("jig", slow=0.3, rubato=(0, 0.03), division=3)


@style("folk", 0.7, held_out=True)
def slip_jig(rng: np.random.Generator) -> Score:
    """9/8 in three."""
    piece = _dance(rng, tempo_between(rng, 100, 140), 3)
    rhythms = cells("21111111 2121111 212121 111111111 1112121 31113 2111121 21213", 1 / 3, 3)
    closes = cells("21213 11111121 333", 1 / 3, 3)
    tune = piece.melodies(rhythms, 62, 86, closes=closes, leap=0.3)
    if rng.random() < 0.3:
        piece.lead(tune, [1 / 3])
    _band(
        piece,
        tune,
        ["B.CC.CC.C", "B-CF-CF-C", "C.CC.CCCC"],
        1 / 3,
        ["B--------", "B--F--F--", "B-----F--"],
        {63: "XoxXoxXox"},
    )
    return piece.finish("slip_jig", slow=0.3, rubato=(0, 0.03), division=3)


@style("folk")
def hornpipe(rng: np.random.Generator) -> Score:
    """Dotted eighths in four, played as triplets or sharper."""
    piece = _dance(rng, tempo_between(rng, 120, 184), 4)
    rhythms = cells("11111111 2111111 1111211 211112 22112 111122", 0.5, 4)
    tune = piece.melodies(rhythms, 60, 84, closes=cells("11222 1111b2 2222", 0.5, 4), leap=0.35)
    if rng.random() < 0.6:
        piece.lead(tune, [0.5, 0.5])
    _band(
        piece,
        tune,
        ["B.C.F.C.", "B.C.B.C.", "BCFCBCFC"],
        0.5,
        ["B---F---", "B-F-B-F-", "B-------"],
        {63: "X.x.X.xx", 54: "..x...x."},
    )
    return piece.finish("hornpipe", slow=0.4, rubato=(0, 0.03), swing=float(rng.uniform(0.6, 0.72)))


@style("folk", 0.7)
def strathspey(rng: np.random.Generator) -> Score:
    """Four in a bar with Scotch snaps: the short note first as often as last."""
    piece = _dance(rng, tempo_between(rng, 96, 150), 4)
    rhythms = cells("31133113 13311331 31311331 4311331 13131313 3113134 13131111112", 0.25, 4)
    tune = piece.melodies(rhythms, 62, 84, closes=cells("13318 31318 1331d4", 0.25, 4), leap=0.35)
    if rng.random() < 0.5:
        piece.lead(tune, [0.25])
    _band(piece, tune, ["B.C.F.C.", "C.C.C.C.", "B.C.B.CC"], 0.5, ["B-F-B-F-", "B---F---"], {38: "Xoxoxoxo"})
    return piece.finish("strathspey", slow=0.4, rubato=(0, 0.03))


@style("folk")
def folk_polka(rng: np.random.Generator) -> Score:
    """Two in a bar; the after-beat of the accompaniment may be the louder one."""
    bpm = tempo_between(rng, 100, 142)
    piece = _dance(rng, bpm, 2)
    rhythms = cells("11111111 2111111 211112 22211 2222 112112 111122 11114", 0.25, 2)
    tune = piece.melodies(rhythms, 62, 86, closes=cells("2222 112d 224", 0.25, 2), leap=0.3)
    if rng.random() < 0.4:
        piece.lead(tune, [0.25, 0.25])
    piece.player("tune", "melody", [21, 22, 40, 71, 110, 73])
    piece.sing("tune", tune, 86, ornaments=float(rng.uniform(0, 0.2)))
    piece.player("oom", "bass", [58, 32, 43, 21, 33])
    piece.player("pah", "chords", [21, 22, 24, 25, 0, 61, 105])
    louder = float(rng.uniform(-12, 22))
    piece.accompany("oom", "B.F.", 0.5, 72, bass=(31, 43), legato=0.6)
    piece.accompany("pah", [".C.C", ".C.C", ".C.CC"[:4]], 0.5, 62 + louder, legato=0.5)
    if rng.random() < 0.5:
        piece.sheet.player("drum", "drums", 0)
        piece.sheet.drums(
            "drum", {36: "x.x.", 38: ".x.x"}, 0.5, piece.after(rng.uniform(0, 0.5))[0].at, piece.sheet.end, 66
        )
    tempo = []
    if rng.random() < 0.3:
        begin = piece.after(0.5)[0].at
        tempo = [TempoChange(begin, float(rng.uniform(1.1, 1.35)), float(rng.uniform(8, 24)))]
    return piece.finish("folk_polka", slow=0.3, tempo=tempo, rubato=(0, 0.02))


@style("folk")
def folk_waltz(rng: np.random.Generator) -> Score:
    """Three in a bar, from a slow waltz of the isles to a quick one of the Alps or the Auvergne."""
    piece = _dance(rng, tempo_between(rng, 100, 200), 3)
    rhythms = cells("42 24 222 3111 6 411 21111 2211 1122 51", 0.5, 3)
    tune = piece.melodies(rhythms, 60, 84, closes=cells("6 42 4b", 0.5, 3), tie=0.08)
    draw = rng.random()
    if draw < 0.45:
        piece.lead(tune, [1.0] if draw < 0.25 else [0.5, 0.5])
    _band(
        piece,
        tune,
        ["B.C.C.", "B.CCC.", "B---C.", "C...C.", "B.1213", "..C.C."],
        0.5,
        ["B-----", "B---F-", "B-F-F-"],
        None,
    )
    return piece.finish("folk_waltz", slow=0.6, rubato=(0, 0.05))


@style("folk", 0.9)
def slow_air(rng: np.random.Generator) -> Score:
    """A song without words over a drone or harp, with much rubato."""
    three = rng.random() < 0.5
    piece = ComposedForm(rng, tempo_between(rng, 54, 84), 3 if three else 4, "AABA", 8, *_air_harmony(rng))
    bar = piece.bar
    rhythms = cells("42 411 3111 231 21111 51" if three else "422 4211 3113 62 31211 521", 0.5, bar)
    tune = piece.melodies(rhythms, 60, 84, closes=cells("6 42" if three else "8 62", 0.5, bar), tie=0.1)
    if rng.random() < 0.6:
        piece.lead(tune, [0.5, 0.5] if rng.random() < 0.5 else [1.0])
    piece.player("air", "melody", [73, 74, 75, 77, 40, 42, 109, 68, 52, 110])
    piece.sing("air", tune, 84, ornaments=float(rng.uniform(0.05, 0.4)), accent=3)
    piece.player("under", "chords", [46, 24, 0, 48, 21, 19, 89, 25])
    if rng.random() < 0.6:
        piece.accompany(
            "under",
            ["B-1-2-3-4-3-"[: 4 * bar]] if rng.random() < 0.5 else ["B-0123456543"[: 2 * bar]],
            0.5,
            58,
            legato=1.4,
        )
    else:
        piece.hold("under", 56)
    if rng.random() < 0.5:
        piece.player("low", "bass", [42, 43, 48, 32])
        piece.roots("low", 60, sections=piece.after(0.3))
    return piece.finish("slow_air", slow=0.8, rubato=(0.03, 0.13), tags=("sparse",))


def _air_harmony(rng: np.random.Generator) -> tuple[str, dict[str, str]]:
    """Mode and harmonies of a song in two parts."""
    mode = _MODAL[int(rng.integers(len(_MODAL)))]
    return mode, _texts(rng, mode, "AB")


@style("folk", 0.8)
def polska(rng: np.random.Generator) -> Score:
    """Scandinavian 3/4 with weight on one and three."""
    piece = _dance(rng, tempo_between(rng, 96, 132), 3)
    rhythms = cells("111111111111 211211211 42222 33222 211422 211211112 444 31121112", 0.25, 3)
    tune = piece.melodies(rhythms, 60, 86, closes=cells("2244 11114d", 0.25, 3), leap=0.3)
    piece.player("fiddle", "melody", [40, 40, 110, 71, 72])
    piece.sing("fiddle", tune, 88, ornaments=float(rng.uniform(0.05, 0.3)))
    if rng.random() < 0.7:
        piece.player("second", "counter", [40, 41, 110, 21])
        piece.accompany("second", ["U...U.", "U..UU.", "1212U."], 0.5, 68, legato=0.9)
    if rng.random() < 0.6:
        piece.player("bass", "bass", [42, 43, 32, 20])
        piece.accompany("bass", ["B---F-", "B...B."][int(rng.integers(2))], 0.5, 74, bass=(33, 45))
    if rng.random() < 0.4:
        piece.sheet.player("feet", "drums", 0)
        piece.sheet.drums("feet", {36: "X.x"}, 1.0, 0, piece.sheet.end, 62)
    return piece.finish("polska", slow=0.3, rubato=(0, 0.04))


@style("folk", 0.9)
def klezmer_freylekhs(rng: np.random.Generator) -> Score:
    """Clarinet over oom-pah in a mode with an augmented second, getting faster."""
    mode = str(rng.choice(["hijaz", "harmonic", "minor"]))
    if mode == "hijaz":
        choices = (
            "I I I I bvii bvii I I",
            "I I iv iv bII bII I I",
            "I I bII I I bII bvii I",
            "iv iv I I bvii bII bvii I",
        )
    else:
        choices = ("i i i V7 V7 V7 V7 i", "i i iv i iv i V7 i", "III III VII VII i iv V7 i", "i i iv iv i V7 i i")
    texts = {label: choices[int(rng.integers(len(choices)))] for label in "ABC"}
    bpm = tempo_between(rng, 92, 140)
    piece = ComposedForm(rng, bpm, 4 if rng.random() < 0.3 else 2, "AABBCC", 8, mode, texts)
    if piece.bar == 4:
        rhythms = cells("2222112211 4222222 22221111211 111122221111 11211222112 8422", 0.25, 4)
        closes = cells("22228 1111228", 0.25, 4)
    else:
        rhythms = cells("2222 21122 112112 11111111 31112 422 2411", 0.25, 2)
        closes = cells("224 112d 44", 0.25, 2)
    tune = piece.melodies(rhythms, 60, 86, closes=closes, leap=0.2)
    piece.player("lead", "melody", [71, 71, 40, 56, 21])
    piece.sing("lead", tune, 90, ornaments=float(rng.uniform(0.1, 0.4)), vary=0.05)
    piece.player("bass", "bass", [58, 32, 43, 57])
    piece.player("pah", "chords", [21, 24, 0, 61, 105])
    piece.accompany("bass", "B.F.", 0.5, 76, bass=(31, 43), legato=0.7)
    piece.accompany("pah", [".C.C", ".CCC"][: pick(rng, [1, 2])], 0.5, 66 + float(rng.uniform(-8, 16)), legato=0.5)
    if rng.random() < 0.6:
        piece.sheet.player("drum", "drums", 0)
        row = {36: "X..x..x.", 38: "..x..x.x"} if rng.random() < 0.5 else {36: "X...x...", 38: "..x...x."}
        piece.sheet.drums("drum", row, 0.25, 0, piece.sheet.end, 70)
    tempo = []
    if rng.random() < 0.65:
        begin = float(rng.uniform(0.1, 0.5)) * piece.sheet.end
        tempo = [TempoChange(begin, float(rng.uniform(1.15, 1.6)), piece.sheet.end * 0.92 - begin)]
    return piece.finish("klezmer_freylekhs", slow=0.0, tempo=tempo, rubato=(0, 0.02))
