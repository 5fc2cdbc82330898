"""Slow and sparse: pads, soft pulses, sequences without drums, pieces whose beat takes its time to appear."""

from __future__ import annotations

import numpy as np

from data.recipes.training.composition import Score, style
from data.recipes.training.textures import ComposedForm, FormSection, cells, pick, tempo_between

_SLOW = {
    "major": (
        "IM9 IM9 IVM7 IVM7",
        "vi9 IVM7 I V",
        "Iadd9 iii7 IVM7 IVM7",
        "IVM7 V vi7 I/3",
        "I Vsus IVM7 vi7",
        "ii9 IM7 ii9 IVM7",
    ),
    "minor": ("i9 i9 VI VI", "i VI III VII", "iv7 i VI VII", "i9 iv7 VI v7", "VI VII i i", "i bII i VII"),
}
_PADS = (88, 89, 90, 91, 92, 93, 94, 95, 48, 50, 52)


def _drift(rng: np.random.Generator, bpm: float, bar: int, form: str = "ABACBD") -> ComposedForm:
    """Four slow chords a label, sometimes held for two bars each."""
    mode = "major" if rng.random() < 0.55 else "minor"
    texts = {}
    for label in dict.fromkeys(form):
        names = str(rng.choice(_SLOW[mode])).split()
        texts[label] = " ".join(name for name in names for _ in range(2)) if bpm > 84 else " ".join(names)
    return ComposedForm(rng, bpm, bar, form, 8, mode, texts)


def _from(piece: ComposedForm, seconds: float) -> list[FormSection]:
    """Sections that begin so many seconds into the piece or later; at least the last."""
    return [s for s in piece.sections if s.at * 60 / piece.sheet.bpm >= seconds] or piece.sections[-1:]


@style("ambient", 1.0)
def pads_with_pulse(rng: np.random.Generator) -> Score:
    """Held chords with a soft repeated note."""
    piece = _drift(rng, tempo_between(rng, 60, 116), pick(rng, [4, 4, 3]))
    piece.player("pad", "pad", _PADS)
    piece.hold("pad", 64, size=4, middle=(52, 74))
    piece.player("pulse", "riff", [38, 81, 4, 11, 0, 45, 88])
    piece.accompany(
        "pulse",
        ["0", "0.", "00", "B"][int(rng.integers(4))],
        pick(rng, [1, 2]) / 2,
        58,
        sections=piece.after(rng.uniform(0, 0.2)),
        legato=0.5,
    )
    piece.player("low", "bass", [38, 39, 43, 89])
    piece.roots("low", 70, low=31)
    if rng.random() < 0.5:
        piece.player("far", "melody", [11, 0, 73, 98, 26, 52])
        piece.sing(
            "far",
            piece.melodies(cells("8 b6 62 d4" if piece.bar == 4 else "6 42 b4", 0.5, piece.bar), 67, 86, tie=0.2),
            66,
            sections=piece.after(0.3),
        )
    return piece.finish("pads_with_pulse", slow=0.3, tags=("sparse",))


@style("ambient", 1.0)
def late_pulse(rng: np.random.Generator) -> Score:
    """Chords change on downbeats and nothing else tells the beat for fifteen seconds or more; then it does."""
    piece = _drift(rng, tempo_between(rng, 66, 124), 4)
    piece.player("pad", "pad", _PADS)
    piece.hold("pad", 66, size=4, middle=(50, 74))
    late = _from(piece, float(rng.uniform(14, 28)))
    piece.player("sequence", "riff", [81, 80, 4, 11, 0, 88, 46])
    piece.accompany(
        "sequence",
        ["0123", "0120", "0.1.2.1.", "0121"][int(rng.integers(4))],
        pick(rng, [1, 2]) / 4,
        62,
        sections=late,
        legato=0.7,
    )
    piece.player("low", "bass", [38, 39, 43])
    piece.accompany("low", ["B---", "B-B-", "BBBB"][int(rng.integers(3))], 1.0, 74, sections=late, bass=(31, 43))
    if rng.random() < 0.5:
        piece.sheet.player("drums", "drums", pick(rng, [24, 25, 0]))
        begin = _from(piece, float(rng.uniform(24, 36)))[0].at
        piece.sheet.drums(
            "drums",
            [{36: "x...x...", 42: "..x...x."}, {36: "x.......", 37: "....x..."}, {42: "xoxo"}][int(rng.integers(3))],
            0.5,
            begin,
            piece.sheet.end,
            64,
        )
    return piece.finish("late_pulse", slow=0.2, closing=0.5, tags=("sparse",))


@style("ambient", 1.2)
def synth_arpeggio(rng: np.random.Generator) -> Score:
    """A sequencer without drums; its accents may group in threes against the beat."""
    piece = _drift(rng, tempo_between(rng, 84, 144), pick(rng, [4, 4, 3]))
    total = piece.bar * 4
    pattern = ["0123", "012", "01234", "0212", "0132", "021", "0.12"][int(rng.integers(7))]
    # a pattern of three or five starts anew with every bar or every second one
    text = (pattern * 20)[: total * pick(rng, [1, 2])]
    piece.player("sequence", "riff", [80, 81, 84, 87, 38, 62, 4])
    piece.accompany(
        "sequence",
        text,
        0.25,
        74,
        legato=float(rng.uniform(0.4, 0.9)),
        middle=(52, 70),
        accent=float(rng.uniform(0, 10)),
    )
    piece.player("bass", "bass", [38, 39, 87])
    starts = piece.after(rng.uniform(0, 0.35))
    if rng.random() < 0.6:
        piece.roots("bass", 76, sections=starts, low=33)
    else:
        piece.accompany(
            "bass",
            ["B.B.", "BB", "B..B..B."][int(rng.integers(3))],
            0.5,
            76,
            sections=starts,
            bass=(31, 43),
            legato=0.6,
        )
    piece.player("pad", "pad", _PADS)
    piece.hold("pad", 56, sections=piece.after(rng.uniform(0, 0.5)))
    if rng.random() < 0.5:
        piece.player("lead", "melody", [81, 82, 80, 85, 11])
        piece.sing(
            "lead",
            piece.melodies(cells("62 44 8 b6" if piece.bar == 4 else "6 42", 0.5, piece.bar), 67, 86, tie=0.2),
            72,
            sections=piece.after(0.4),
        )
    return piece.finish("synth_arpeggio", slow=0.0, closing=0.5)


@style("ambient", 0.8)
def sparse_piano(rng: np.random.Generator) -> Score:
    """Single chords and a few notes, with a pedal that rings."""
    piece = _drift(rng, tempo_between(rng, 54, 88), pick(rng, [4, 3]))
    piece.player("piano", "chords", [0, 0, 1, 4])
    piece.accompany(
        "piano",
        {4: ["C---....", "B-C-1-2-", "B---C---"], 3: ["B-C-C-", "B-1-2-", "C-----"]}[piece.bar][int(rng.integers(3))],
        0.5,
        58,
        legato=1.5,
    )
    piece.player("notes", "melody", [0, 0, 11, 46])
    piece.sing(
        "notes",
        piece.melodies(cells("b222 d22 62 f2" if piece.bar == 4 else "b22 42 d2", 0.5, piece.bar), 69, 90, tie=0.1),
        66,
    )
    if rng.random() < 0.5:
        piece.player("pad", "pad", _PADS)
        piece.hold("pad", 46, sections=piece.after(0.3))
    return piece.finish("sparse_piano", slow=0.7, rubato=(0.0, 0.08), tags=("sparse",))


@style("ambient", 0.7, held_out=True)
def breathing_strings(rng: np.random.Generator) -> Score:
    """Strings alone, a chord or two to the bar with suspensions, bass notes below."""
    bar = pick(rng, [4, 3])
    piece = _drift(rng, tempo_between(rng, 56, 92), bar)
    for name, low, high in (("first", 67, 84), ("second", 60, 74), ("viola", 52, 67)):
        piece.player(name, "melody" if name == "first" else "chords", [48, 49, 50])
        piece.sing(
            name,
            piece.melodies(cells("8 44 62" if bar == 4 else "6 42 24", 0.5, bar), low, high, tie=0.25, leap=0.05),
            68,
        )
    piece.player("bass", "bass", [43, 42, 48])
    piece.accompany("bass", ["B---", "B-B-"][int(rng.integers(2))] if bar == 4 else "B--", 1.0, 68, bass=(33, 45))
    return piece.finish("breathing_strings", slow=0.8, rubato=(0.0, 0.06), tags=("sparse",))
