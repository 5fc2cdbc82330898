"""Written music from the Baroque to the salon: polyphony, dances, sonata textures, marches, hymns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.recipes.training.composition import Score, TempoChange, style
from data.recipes.training.textures import (
    ComposedForm,
    FormSection,
    Motif,
    SoundingChord,
    Tone,
    cells,
    figure,
    four_voices,
    melody,
    motif,
    pick,
    roman,
    tempo_between,
)

_KEYBOARDS = (6, 6, 0, 0, 19, 7)
_STRINGS = (48, 49, 40, 45)
_WINDS = (68, 73, 71, 74, 70, 60)


def _mode(rng: np.random.Generator, minor: float = 0.4) -> str:
    """Major or minor."""
    return "minor" if rng.random() < minor else "major"


def _polyphony(
    piece: ComposedForm,
    voices: Sequence[tuple[str, int, int]],
    subjects: Sequence[tuple[float, ...]],
    free: Sequence[tuple[float, ...]],
    velocity: float,
    sections: Sequence[FormSection] | None = None,
) -> None:
    """Voices (player, low, high) that hand a subject round; they enter one after the other at the beginning.

    The subject is one bar; while one voice has it the others have the counter-subject or go their own way.
    """
    rng = piece.rng
    motifs = {
        "a": motif(rng, subjects[int(rng.integers(len(subjects)))], 0.25),
        "b": motif(rng, free[int(rng.integers(len(free)))], 0.15),
        "c": motif(rng, free[int(rng.integers(len(free)))], 0.2),
        "d": motif(rng, subjects[int(rng.integers(len(subjects)))], 0.2),
    }
    names = "abcd"[: max(2, len(voices))]
    tie = float(rng.choice([0.0, 0.15, 0.35]))
    for turn, section in enumerate(piece.sections if sections is None else sections):
        order = rng.permutation(len(voices)) if turn else np.arange(len(voices))[:: 1 if rng.random() < 0.5 else -1]
        for rank, voice in enumerate(order):
            name, low, high = voices[voice]
            letters = "".join(names[(bar - rank) % len(names)] for bar in range(len(names)))
            known: dict[str, Motif] = dict(motifs)
            line = melody(
                rng, piece.harmony[section.label], piece.key, piece.bar, free, low, high, plan=letters, motifs=known,
                tie=tie, closes=[(float(piece.bar),)] if section.last else (),
            )  # fmt: skip
            if turn == 0:
                line = [tone for tone in line if tone.at >= rank * piece.bar - 1e-6]
            piece.sheet.write(name, line, section.at, velocity, float(rng.uniform(0, 6)))


@style("baroque", 1.2)
def invention(rng: np.random.Generator) -> Score:
    """Two or three voices in running sixteenths."""
    bar = pick(rng, [4, 4, 3])
    piece = ComposedForm(
        rng, tempo_between(rng, 60, 108), bar, "ABACDB", {"A": 4, "B": 4, "C": pick(rng, [3, 4, 5]), "D": 4}, _mode(rng)
    )
    subjects = cells("1111111111111111 a11111112222 a1111111211211 222211111111 a3111a311111", 0.25, 4)
    free = cells("22222222 4444 222211222 31313131 42222211 88", 0.25, 4)
    if bar == 3:
        subjects = cells("111111111111 a111111112 22111122 a221122", 0.25, 3)
        free = cells("222222 444 22211112 4422 84", 0.25, 3)
    programs = _KEYBOARDS if rng.random() < 0.65 else (*_WINDS, 40, 41, 42)
    piece.player("right", "melody", programs)
    piece.player("left", "counter", _KEYBOARDS if programs is _KEYBOARDS else (70, 42, 58))
    voices = [("right", 62, 84), ("left", 40, 60)]
    if rng.random() < 0.4:
        piece.player("middle", "counter", _KEYBOARDS)
        voices.insert(1, ("middle", 53, 70))
    _polyphony(piece, voices, subjects, free, float(rng.uniform(70, 88)))
    return piece.finish("invention", slow=0.7, rubato=(0, 0.03), fermata=0.4)


@style("baroque", 0.9, held_out=True)
def fugue(rng: np.random.Generator) -> Score:
    """Three or four voices for organ, strings or choir, entries one by one."""
    piece = ComposedForm(
        rng, tempo_between(rng, 58, 104), 4, "ABCADB", {"A": 4, "B": 4, "C": 5, "D": 3}, _mode(rng, 0.55)
    )
    subjects = cells("44224 a3444 624211 8422 2222221111 a12222222", 0.25, 4)
    free = cells("22222222 4444 111111112222 88 6262", 0.25, 4)
    family = [(19, 19, 20), (48, 48, 49), (40, 41, 42), (52, 52, 53), (68, 71, 70)][int(rng.integers(5))]
    voices = []
    for number, (low, high) in enumerate([(65, 84), (57, 74), (50, 67), (38, 57)][: pick(rng, [3, 4, 4])]):
        piece.player(f"voice {number}", "melody" if number == 0 else "counter", [family[min(number, 2)]])
        voices.append((f"voice {number}", low, high))
    _polyphony(piece, voices, subjects, free, float(rng.uniform(72, 86)))
    return piece.finish("fugue", slow=0.8, rubato=(0, 0.04), fermata=0.5)


def _chorale_phrase(rng: np.random.Generator, minor: bool, final: bool) -> list[SoundingChord]:
    """Two bars of four with a chord on every beat; the phrase ends on the third beat of the second."""
    usual = {
        "I": ("IV", "V", "vi", "I/3", "ii/3", "V7/3"), "I/3": ("IV", "ii/3", "V"), "IV": ("V", "I", "I/3", "ii/3"),
        "ii/3": ("V", "V7"), "V": ("I", "vi", "V7", "I/3"), "V7": ("I", "vi"), "vi": ("IV", "ii/3", "V", "iii"),
        "iii": ("IV", "vi"), "V7/3": ("I",),
    }  # fmt: skip
    grave = {
        "i": ("iv", "V", "VI", "i/3", "iih7/3", "V7/3"), "i/3": ("iv", "iih7/3", "V"), "iv": ("V", "i", "i/3"),
        "iih7/3": ("V", "V7"), "V": ("i", "VI", "V7", "i/3"), "V7": ("i", "VI"), "VI": ("iv", "III", "V"),
        "III": ("iv", "VI"), "V7/3": ("i",),
    }  # fmt: skip
    table, home = (grave, "i") if minor else (usual, "I")
    name, names = home, [home]
    for _ in range(4):
        name = str(rng.choice(table[name]))
        names.append(name)
    names += ["V7", home] if final or rng.random() < 0.4 else [str(rng.choice([home, home + "/3"])), "V"]
    result = [SoundingChord(float(n), 1.0, roman(name, minor)) for n, name in enumerate(names)]
    return [*result, SoundingChord(7.0, 1.0, roman(str(rng.choice([home, "V"])), minor))]


@style("sacred", 1.2)
def chorale(rng: np.random.Generator) -> Score:
    """Four parts, an up-beat to every phrase, fermatas at phrase ends."""
    piece = ComposedForm(rng, tempo_between(rng, 54, 92), 4, "AABC", 2, _mode(rng))
    labels = list(piece.harmony)
    phrases = {label: _chorale_phrase(rng, piece.minor, label == labels[-1]) for label in labels}
    programs = [(52,), (19, 16, 20), (48, 49), (61, 57, 60), (52, 53)][int(rng.integers(5))]
    names = ("soprano", "alto", "tenor", "bass")
    for name in names:
        piece.player(name, "melody" if name == "soprano" else "bass" if name == "bass" else "chords", programs)
    written = {
        label: four_voices(rng, phrase, piece.key, float(rng.uniform(0.1, 0.6))) for label, phrase in phrases.items()
    }
    pauses = []
    long = float(rng.uniform(0.3, 1.2)) if rng.random() < 0.75 else 0.0
    first = True
    for section in piece.sections:
        for name, line in zip(names, written[section.label], strict=True):
            piece.sheet.write(name, line, section.at, 76, 3)
            if first:
                piece.sheet.write(name, [Tone(-1.0, 1.0, line[0].pitch)], 0.0, 72, 0)
        first = False
        if long and not section.last:
            pauses.append((section.at + 6.0, long * float(rng.uniform(0.8, 1.3))))
    piece.pickup = 1
    return piece.finish("chorale", slow=0.7, rubato=(0.01, 0.05), pauses=pauses, fermata=0.6, closing=0.0)


@style("sacred", 1.0)
def hymn(rng: np.random.Generator) -> Score:
    """Congregation with organ: four or eight bars to the line, in three or four, mostly with an up-beat."""
    bar = pick(rng, [4, 4, 3])
    piece = ComposedForm(rng, tempo_between(rng, 76, 126), bar, "AABC", 4, "major")
    rhythms = cells("1111 211 31 22" if bar == 4 else "21 111 21 3", 1.0, bar)
    closes = cells("4 31 22" if bar == 4 else "3 21", 1.0, bar)
    tune = piece.melodies(rhythms, 62, 77, closes=closes, leap=0.15)
    if rng.random() < 0.65:
        piece.lead(tune, [1.0])
    piece.player("tune", "melody", [19, 52, 20, 61, 0, 48])
    piece.sing("tune", tune, 84)
    piece.player("organ", "chords", [19, 19, 16, 48, 52, 0])
    piece.player("pedal", "bass", [19, 19, 43, 58, 32])
    if rng.random() < 0.5:
        piece.accompany("organ", "C", 1.0, 66, size=4, middle=(50, 70))
        piece.accompany("pedal", ["B", "BF"[: pick(rng, [1, 2])]], 1.0, 70, bass=(36, 48))
    else:
        piece.hold("organ", 66, size=4, middle=(50, 70))
        piece.roots("pedal", 70)
    return piece.finish("hymn", slow=0.7, rubato=(0.0, 0.04), fermata=0.5)


@style("sacred", 0.8)
def choir_a_cappella(rng: np.random.Generator) -> Score:
    """Homophonic choir with suspensions, phrases that breathe."""
    bar = pick(rng, [4, 3, 4])
    piece = ComposedForm(
        rng, tempo_between(rng, 56, 92), bar, "ABAC", {"A": 4, "B": pick(rng, [4, 5, 6]), "C": 4}, _mode(rng)
    )
    text = cells("4 22 31 211 1111" if bar == 4 else "3 21 111 12", 1.0, bar)
    closes = cells("4 3a", 1.0, bar) if bar == 4 else cells("3 2a", 1.0, bar)
    ranges = (("soprano", 62, 79), ("alto", 55, 70), ("tenor", 50, 65), ("bass", 40, 57))
    shared = {letter: text[int(rng.integers(len(text)))] for letter in "abc"}
    for number, (name, low, high) in enumerate(ranges):
        piece.player(name, "melody" if number == 0 else "chords", [52, 53] if rng.random() < 0.7 else [52])
        own = {letter: motif(rng, rhythm, 0.1) for letter, rhythm in shared.items()}
        for label, harmony in piece.harmony.items():
            line = melody(
                rng,
                harmony,
                piece.key,
                bar,
                text,
                low,
                high,
                plan="abac",
                motifs=own,
                closes=closes,
                tie=0.15 if number else 0.05,
            )
            for section in piece.sections:
                if section.label == label:
                    piece.sheet.write(name, line, section.at, 74, 5)
    return piece.finish("choir_a_cappella", slow=0.8, rubato=(0.03, 0.1), fermata=0.6)


@style("sacred", 0.6)
def chorale_prelude(rng: np.random.Generator) -> Score:
    """Organ: a slow hymn tune over running figuration and a walking pedal."""
    piece = ComposedForm(rng, tempo_between(rng, 54, 84), 4, "ABAC", 4, _mode(rng))
    tune = piece.melodies(cells("22 1111 211 4", 1.0, 4), 65, 81, closes=cells("4 3a", 1.0, 4), leap=0.1)
    run = piece.melodies(
        cells("11111111 a1111111 1111112 a11a1111", 0.5, 4)
        if rng.random() < 0.5
        else cells("1111111111111111 a111111111111111", 0.25, 4),
        52,
        70,
        leap=0.15,
    )
    piece.player("run", "counter", [19, 20])
    piece.sing("run", run, 66, accent=2)
    piece.player("tune", "melody", [19, 68, 56, 16])
    piece.sing("tune", tune, 80, sections=piece.after(rng.uniform(0, 0.4)), ornaments=0.15)
    piece.player("pedal", "bass", [19])
    piece.accompany("pedal", ["BFBL", "B.F.", "B-F-"][: pick(rng, [1, 2, 3])], 1.0, 72, bass=(36, 48))
    return piece.finish("chorale_prelude", slow=0.8, rubato=(0, 0.03), fermata=0.5)


def _suite_dance(
    rng: np.random.Generator,
    bpm: float,
    bar: int,
    rhythms: Sequence[tuple[float, ...]],
    closes: Sequence[tuple[float, ...]],
    left: Sequence[str],
    unit: float,
    upbeat: Sequence[float] = (),
    ornaments: float = 0.2,
    tie: float = 0.0,
    lead: float = 1.0,
) -> ComposedForm:
    """A dance in two repeated parts: tune over a moving bass, now and then with chords between."""
    piece = ComposedForm(
        rng,
        bpm,
        bar,
        "AABB" if rng.random() < 0.7 else "AABBCCAB",
        {"A": 8, "B": pick(rng, [8, 8, 8, 12, 10]), "C": 8},
        _mode(rng),
    )
    tune = piece.melodies(rhythms, 62, 84, closes=closes, leap=0.25, tie=tie)
    if upbeat and rng.random() < lead:
        piece.lead(tune, upbeat)
    solo = rng.random() < 0.5
    piece.player("tune", "melody", _KEYBOARDS if solo else (40, 48, 73, 68, 74, 49))
    piece.sing("tune", tune, float(rng.uniform(76, 88)), ornaments=float(rng.uniform(0, 2 * ornaments)))
    texts = list(rng.permutation(np.array(left)))[: pick(rng, [1, 2])]
    piece.player("bass", "bass", _KEYBOARDS if solo else (42, 43, 70, 48))
    piece.accompany(
        "bass",
        [str(text) for text in texts],
        unit,
        float(rng.uniform(66, 78)),
        bass=(40, 52),
        middle=(50, 66),
        legato=float(rng.uniform(0.6, 0.95)),
    )
    if not solo and rng.random() < 0.7:
        piece.player("continuo", "chords", [6, 6, 46, 19, 24])
        if rng.random() < 0.5:
            piece.hold("continuo", 56)
        else:
            piece.accompany("continuo", "C", 1.0, 56, legato=0.7)
    if not solo and rng.random() < 0.4:
        piece.player("inner", "counter", [41, 71, 69, 48])
        piece.sing("inner", piece.melodies(closes, 55, 70, leap=0.1), 62)
    return piece


@style("baroque")
def minuet(rng: np.random.Generator) -> Score:
    """A stately three."""
    rhythms = cells("222 21111 111111 42 411 1122 24", 0.5, 3)
    piece = _suite_dance(
        rng,
        tempo_between(rng, 96, 150),
        3,
        rhythms,
        cells("6 42 4b", 0.5, 3),
        ["B12", "B.1", "B-F", "BFL", "B--"],
        1.0,
        [1.0],
        lead=0.2,
    )
    return piece.finish("minuet", slow=0.6, rubato=(0, 0.03))


@style("baroque")
def gavotte(rng: np.random.Generator) -> Score:
    """Begins in the middle of the bar."""
    rhythms = cells("2222 422 11111111 21122 11114 224 2114", 0.5, 4)
    closes = cells("44 422 8 4d", 0.5, 4)
    piece = _suite_dance(
        rng, tempo_between(rng, 120, 176), 4, rhythms, closes, ["B.F.", "BFB1", "B-1-", "BFBL"], 1.0, [1.0, 1.0]
    )
    return piece.finish("gavotte", slow=0.5, rubato=(0, 0.03))


@style("baroque", 0.8, held_out=True)
def bourree(rng: np.random.Generator) -> Score:
    """Quick, with an up-beat of one quarter."""
    rhythms = cells("21122 2222 11211 11111111 11114 4211 2411", 0.5, 4)
    piece = _suite_dance(
        rng,
        tempo_between(rng, 140, 196),
        4,
        rhythms,
        cells("422 44 6b", 0.5, 4),
        ["BFB1", "B.F.", "B1F1", "BFBL"],
        1.0,
        [0.5, 0.5] if rng.random() < 0.6 else [1.0],
    )
    return piece.finish("bourree", slow=0.5, rubato=(0, 0.02))


@style("baroque")
def gigue(rng: np.random.Generator) -> Score:
    """6/8 or 12/8, quick."""
    bar = pick(rng, [2, 2, 4])
    rhythms = cells(
        "111111 2121 11121 21111 33 321" if bar == 2 else "111111111111 212121111 21212121 33111111", 1 / 3, bar
    )
    closes = cells("6 33 2121" if bar == 2 else "336 2136 21216", 1 / 3, bar)
    left = ["B..F..", "B-1F-1", "B.1B.1", "B--F--"] if bar == 2 else ["B--F--B--F--", "B-1B-1F-1B-1"]
    piece = _suite_dance(rng, tempo_between(rng, 92, 150), bar, rhythms, closes, left, 1 / 3, [1 / 3], lead=0.7)
    return piece.finish("gigue", slow=0.4, rubato=(0, 0.02), division=3)


@style("baroque")
def sarabande(rng: np.random.Generator) -> Score:
    """Slow three that leans on the second beat."""
    rhythms = cells("24 231 2211 141 2112 111111 33", 0.5, 3)
    piece = ComposedForm(rng, tempo_between(rng, 46, 76), 3, "AABB", {"A": pick(rng, [4, 8]), "B": 8}, _mode(rng, 0.6))
    tune = piece.melodies(rhythms, 62, 81, closes=cells("24 6 4b", 0.5, 3), leap=0.15)
    tune = {
        label: [t._replace(weight=10.0) if abs(t.at % 3 - 1) < 1e-6 else t for t in line]
        for label, line in tune.items()
    }
    solo = rng.random() < 0.55
    piece.player("tune", "melody", _KEYBOARDS if solo else (40, 68, 73, 48, 42))
    piece.sing("tune", tune, 76, ornaments=float(rng.uniform(0.1, 0.4)), accent=2)
    piece.player("chords", "chords", _KEYBOARDS if solo else (6, 48, 24, 19))
    piece.accompany(
        "chords", [["CC-", "C--"], ["CC-"], ["CCC", "CC-"]][int(rng.integers(3))], 1.0, 60, chord_weight=4, accent=0
    )
    piece.player("bass", "bass", _KEYBOARDS if solo else (42, 43))
    piece.accompany("bass", [["B--"], ["BB-"], ["B-L"], ["B-F", "B--"]][int(rng.integers(4))], 1.0, 68)
    return piece.finish("sarabande", slow=0.8, rubato=(0.0, 0.08), fermata=0.5)


@style("baroque", 0.8)
def siciliano(rng: np.random.Generator) -> Score:
    """Slow 6/8 or 12/8 in dotted figures."""
    bar = pick(rng, [2, 4])
    one = ["312", "42", "312", "6"]
    draw = rng.permutation(4)
    words = ["".join(one[int(draw[(i + j) % 4])] for j in range(bar)) for i in range(4)]
    piece = ComposedForm(rng, tempo_between(rng, 38, 60), bar, "AABA", 4, _mode(rng, 0.6))
    tune = piece.melodies(
        cells(" ".join(words), 1 / 6, bar), 62, 81, closes=cells("312" * (bar - 1) + "6", 1 / 6, bar), leap=0.2
    )
    if rng.random() < 0.5:
        piece.lead(tune, [1 / 3])
    piece.player("tune", "melody", [73, 68, 40, 6, 0, 74, 42])
    piece.sing("tune", tune, 80, ornaments=0.15)
    piece.player("low", "chords", [48, 6, 45, 46, 0, 24])
    piece.accompany("low", [["B-C"], ["BCC"], ["B01"], ["B.C", "B--"]][int(rng.integers(4))], 1 / 3, 60)
    if rng.random() < 0.5:
        piece.player("bass", "bass", [42, 43, 70])
        piece.roots("bass", 64)
    return piece.finish("siciliano", slow=0.8, rubato=(0.01, 0.07), division=3, tags=("slow",))


@style("baroque", 0.7)
def french_overture(rng: np.random.Generator) -> Score:
    """Slow dotted rhythms, then an allegro with imitation."""
    bpm = tempo_between(rng, 46, 66)
    factor = float(rng.uniform(1.5, 2.1))
    piece = ComposedForm(
        rng, bpm, 4, "ABCBDBC", {"A": pick(rng, [6, 7, 8]), "B": 4, "C": 5, "D": 4}, _mode(rng), seconds=(92, 125)
    )
    slow, quick = piece.sections[:1], piece.sections[1:]
    dotted = piece.melodies(
        cells("313144 7171 44313 4431a111 6163", 0.25, 4), 62, 82, closes=cells("88 31318", 0.25, 4), leap=0.15
    )
    for name, programs in (("first", (40, 48, 6)), ("second", (48, 68, 6)), ("bass", (42, 43, 70))):
        piece.player(name, "melody" if name == "first" else "bass" if name == "bass" else "counter", programs)
    piece.sing("first", dotted, 84, sections=slow, ornaments=0.2)
    piece.accompany("second", ["C--CC--C", "C---C---"], 0.5, 70, sections=slow)
    piece.accompany("bass", ["B--BF--L", "B---F---"], 0.5, 76, sections=slow)
    subjects = cells("a222222 22221111 4222222 b222222 111122221111", 0.25, 4)
    _polyphony(
        piece,
        [("first", 65, 84), ("second", 57, 72), ("bass", 40, 57)],
        subjects,
        cells("22222222 4444 111111112222", 0.25, 4),
        78,
        quick,
    )
    begin = quick[0].at if quick else piece.sheet.end
    return piece.finish("french_overture", slow=0.8, tempo=[TempoChange(begin, factor, 0.0)])


@style("baroque")
def ritornello(rng: np.random.Generator) -> Score:
    """Concerto: driving strings of the whole band, lighter stretches for the soloists."""
    bar = pick(rng, [4, 4, 3])
    piece = ComposedForm(
        rng,
        tempo_between(rng, 84, 132),
        bar,
        "ABACDA",
        {"A": pick(rng, [4, 6, 8]), "B": 4, "C": pick(rng, [4, 5, 6]), "D": 4},
        _mode(rng),
    )
    tutti = [section for section in piece.sections if section.label == "A"]
    solos = [section for section in piece.sections if section.label != "A"]
    tune = piece.melodies(
        cells(
            "2222222 1111111111111111 21122112 42112" if bar == 4 else "222222 111111111111 211211211 4211", 0.25, bar
        ),
        62,
        86,
        closes=cells("4228" if bar == 4 else "228", 0.25, bar),
        leap=0.25,
    )
    piece.player("violins", "melody", [48, 48, 40])
    piece.sing("violins", tune, 88, sections=tutti)
    piece.player("inner", "chords", [48, 49, 41])
    piece.accompany(
        "inner", [["CCCC"], ["C.CC"], ["UUUU"]][int(rng.integers(3))], pick(rng, [1, 2]) / 4, 66, legato=0.7
    )
    piece.player("bass", "bass", [42, 43, 48])
    piece.accompany(
        "bass",
        [["BBBBBBFL"], ["B.B."], ["BBOBBBOL"], ["BFOFBFBL"]][int(rng.integers(4))],
        0.5,
        76,
        legato=0.8,
        bass=(36, 48),
    )
    if solos:
        piece.player("solo", "melody", [40, 73, 68, 42, 74, 6, 70])
        piece.sing("solo", tune, 84, sections=solos, ornaments=0.1)
    if rng.random() < 0.7:
        piece.player("harpsichord", "chords", [6, 6, 19])
        piece.accompany("harpsichord", ["C", "C1"][: pick(rng, [1, 2])], 1.0, 58)
    return piece.finish("ritornello", slow=0.7, rubato=(0, 0.02))


@style("baroque", 0.8)
def ground_bass(rng: np.random.Generator) -> Score:
    """A bass of four or eight bars that returns while the parts above it grow busier."""
    minor = rng.random() < 0.7
    grounds = (
        (
            "i V/3 bVII6/3 IV/3 iv_i/5 V",
            "i v/3 iv/3 V",
            "i VII VI V",
            "i V i VII III VII i_V i",
            "i iv VII III VI iih7 V V",
        )
        if minor
        else ("I V vi iii IV I IV V", "I V/3 vi I/5", "I I/3 IV V", "I V/3 vi iii/5 IV I/3 ii/3 V")
    )
    text = str(rng.choice(grounds[1:] if minor else grounds))
    bar = pick(rng, [3, 3, 4])
    piece = ComposedForm(rng, tempo_between(rng, 54, 96), bar, "A", 4, "minor" if minor else "major", {"A": text})
    busier = (
        ["6 24 42", "222 411 33", "111111 21111 2112", "111111"]
        if bar == 3
        else ["8 44 62", "2222 422 332", "11111111 211211", "1" * 8]
    )
    piece.player("bass", "bass", [42, 43, 48, 6, 32, 19])
    piece.roots("bass", 76)
    piece.player("above", "melody", [40, 48, 6, 0, 73, 68])
    shift = len(piece.sections) / len(busier)
    lines = [piece.melodies(cells(text, 0.5, bar), 62, 84, leap=0.2, tie=0.1) for text in busier]
    for number, section in enumerate(piece.sections):
        if number or rng.random() < 0.5:
            piece.sing("above", lines[min(int(number / shift), len(lines) - 1)], 74 + 2 * number, sections=[section])
    piece.player("chords", "chords", [6, 24, 48, 46, 19])
    piece.accompany(
        "chords",
        [["C" * bar], ["C--" if bar == 3 else "C-C-"], [".CC" if bar == 3 else ".C.C"]][int(rng.integers(3))],
        1.0,
        58,
        sections=piece.after(rng.uniform(0, 0.4)),
    )
    return piece.finish("ground_bass", slow=0.7, rubato=(0, 0.04))


_ALBERTI = {
    4: ("0212021202120212", "0121012101210121", "0201020102010201", "B212B212B212B212", "02120212"),
    3: ("021202120212", "012121", "B21212", "021212"),
    2: ("02120212", "01210121", "0212", "B212F212"),
}


@style("classical", 1.2)
def alberti_sonata(rng: np.random.Generator) -> Score:
    """A quick movement for keyboard: broken chords under a singing tune, scales at the cadences."""
    bar = pick(rng, [4, 4, 2, 3])
    unit = pick(rng, [1, 2]) / 4
    bpm = tempo_between(rng, 84, 168) if unit == 0.5 else tempo_between(rng, 72, 138)
    piece = ComposedForm(rng, bpm, bar, "AABCAB", {"A": 8, "B": pick(rng, [8, 8, 6, 10]), "C": 4}, _mode(rng, 0.25))
    words = {
        4: "44422 6244 111148 3131422 1111111111111111 84211 b222222",
        3: "444 6222 84 111111222 22224 4a111b",
        2: "44 62 3122 111122 422 a1111111",
    }[bar]
    tune = piece.melodies(
        cells(words, 0.25, bar), 65, 88, closes=cells({4: "84d 48d", 3: "48 44d", 2: "44 4d"}[bar], 0.25, bar), leap=0.3
    )
    if rng.random() < 0.3:
        piece.lead(tune, [0.5, 0.5] if rng.random() < 0.5 else [1.0])
    program = [0, 0, 1, 6, 3]
    piece.player("right", "melody", program)
    piece.sing("right", tune, 84, ornaments=float(rng.uniform(0, 0.2)))
    piece.sheet.player("left", "chords", 0)
    signs = _ALBERTI[bar][int(rng.integers(len(_ALBERTI[bar])))]
    changing = [section for section in piece.sections if section.label == "C"]
    others = [section for section in piece.sections if section.label != "C"]
    piece.accompany("left", signs, unit, 62, sections=others, middle=(48, 64), bass=(40, 52))
    piece.accompany(
        "left",
        ["B.CC" if bar == 4 else "BCC" if bar == 3 else "BC"],
        1.0,
        66,
        sections=changing,
        middle=(50, 66),
        legato=0.5,
    )
    return piece.finish("alberti_sonata", slow=0.4, rubato=(0, 0.05))


@style("classical", 1.2)
def string_quartet(rng: np.random.Generator) -> Score:
    """Tune in the first violin, off-beats or repeated quavers inside, cello in quarters."""
    bar = pick(rng, [4, 4, 2, 3])
    piece = ComposedForm(
        rng,
        tempo_between(rng, 72, 160),
        bar,
        "ABAC",
        {"A": 8, "B": pick(rng, [8, 6, 7]), "C": pick(rng, [4, 5, 8])},
        _mode(rng, 0.35),
    )
    words = {4: "4211 2222 31211 6a1 b222 1111211", 3: "42 2211 6 111111 b22", 2: "22 31 1111 4 a111"}[bar]
    tune = piece.melodies(
        cells(words, 0.5, bar), 65, 88, closes=cells({4: "4d 6b", 3: "4b", 2: "2b"}[bar], 0.5, bar), leap=0.25, tie=0.1
    )
    if rng.random() < 0.3:
        piece.lead(tune, [0.5])
    pizzicato = rng.random() < 0.2
    piece.player("first", "melody", [40])
    piece.sing("first", tune, 84)
    piece.player("second", "chords", [45] if pizzicato else [40, 48])
    piece.player("viola", "chords", [45] if pizzicato else [41, 48])
    piece.player("cello", "bass", [45] if pizzicato else [42])
    inner = [".C" * bar, "CC" * bar, "..CC" * bar, ".U" * bar, "C." * bar, ".CCC" * bar][int(rng.integers(6))][
        : 2 * bar
    ]
    low = ["B." * bar, "B..." * bar, "BB" * bar, "B-F-" * bar, "B---" * bar][int(rng.integers(5))][: 2 * bar]
    piece.accompany("second", inner, 0.5, 62, sections=piece.some(0.9), middle=(60, 76), legato=0.6, size=2)
    piece.accompany("viola", inner if rng.random() < 0.6 else "C-" * bar, 0.5, 60, middle=(50, 66), legato=0.7, size=2)
    piece.accompany("cello", low, 0.5, 72, bass=(36, 48), legato=0.7)
    return piece.finish("string_quartet", slow=0.5, rubato=(0.0, 0.05))


@style("classical", 0.8)
def minuet_and_trio(rng: np.random.Generator) -> Score:
    """A minuet for orchestra or quartet, a softer trio, the minuet again."""
    piece = ComposedForm(rng, tempo_between(rng, 108, 186), 3, "AABBCCDDAB", 8, "major")
    tune = piece.melodies(
        cells("42 222 21111 6 2211 24 411", 0.5, 3), 64, 86, closes=cells("6 4b", 0.5, 3), leap=0.3, tie=0.06
    )
    if rng.random() < 0.6:
        piece.lead(tune, [1.0] if rng.random() < 0.6 else [0.5, 0.5])
    main = [s for s in piece.sections if s.label in "AB"]
    trio = [s for s in piece.sections if s.label in "CD"]
    piece.player("violins", "melody", [48, 40, 0])
    piece.sing("violins", tune, 86, sections=main)
    piece.player("strings", "chords", [48, 49, 60, 0])
    piece.accompany(
        "strings", [["BCC"], ["CCC"], ["C--", "C-C"], [".CC"]][int(rng.integers(4))], 1.0, 66, sections=main, legato=0.7
    )
    if trio:
        piece.player("winds", "melody", [73, 68, 71, 40, 60])
        piece.sing("winds", tune, 74, sections=trio)
        piece.accompany("strings", [".C.C.C", "B12121", "B--C--"][int(rng.integers(3))], 0.5, 56, sections=trio)
    piece.player("bass", "bass", [42, 43, 70])
    piece.accompany("bass", ["BFB", "B--", "BBB", "B-L"][int(rng.integers(4))], 1.0, 74, bass=(36, 48), legato=0.7)
    return piece.finish("minuet_and_trio", slow=0.6, rubato=(0, 0.04))


@style("classical", 0.9)
def hunting_rondo(rng: np.random.Generator) -> Score:
    """A rondo in 6/8 with horn calls."""
    piece = ComposedForm(
        rng, tempo_between(rng, 80, 126), 2, "ABACAD", {"A": 8, "B": 8, "C": pick(rng, [8, 6, 7]), "D": 4}, "major"
    )
    tune = piece.melodies(
        cells("2121 111111 321 33 21111 312 2112", 1 / 3, 2), 64, 86, closes=cells("33 213 3c", 1 / 3, 2), leap=0.35
    )
    if rng.random() < 0.75:
        piece.lead(tune, [1 / 3])
    piece.player("tune", "melody", [60, 0, 40, 71, 73])
    piece.sing("tune", tune, 86)
    piece.player("chords", "chords", [0, 48, 60, 49])
    text = ["B.CB.C", "BCCBCC", "CCCCCC", ".CC.CC", "B12B12", "C.CC.C"][int(rng.integers(6))]
    piece.accompany("chords", text, 1 / 3, 64 + float(rng.uniform(-6, 8)), legato=0.7)
    piece.player("bass", "bass", [42, 43, 70])
    piece.accompany("bass", ["B--B--", "B-----", "B--F--"][int(rng.integers(3))], 1 / 3, 70, bass=(36, 48), legato=0.6)
    return piece.finish("hunting_rondo", slow=0.4, rubato=(0, 0.03), division=3)


@style("classical", 0.8)
def theme_and_variations(rng: np.random.Generator) -> Score:
    """One harmony in changing clothes and tempos."""
    bar = pick(rng, [2, 4, 3])
    piece = ComposedForm(rng, tempo_between(rng, 66, 108), bar, "A", 8, _mode(rng, 0.25))
    program = [0, 0, 6, 48]
    piece.player("right", "melody", program)
    piece.player("left", "chords", [0, 48, 42])
    dresses = [
        (f"{'2' * bar}", "BC" * bar, 0.5), ("1" * (2 * bar), "B-C-" * bar, 0.5), ("211" * bar, "0212" * bar, 0.25),
        ("31" * bar, "C-" * bar, 0.5), (("22" * bar), ".C" * bar, 0.5), ("1111" * bar, "B.CC" * bar, 0.25),
    ]  # fmt: skip
    lines = []
    for rhythm, signs, unit in dresses:
        fine = 0.25 if rhythm.startswith(("211", "31", "1111", "22")) and len(rhythm) > bar else 0.5
        lines.append(
            (piece.melodies(cells(rhythm, fine, bar), 64, 86, closes=cells("2", 1.0, bar), leap=0.2), signs, unit)
        )
    changes, factor = [], 1.0
    order = [0, *rng.permutation(np.arange(1, len(dresses)))]
    for number, section in enumerate(piece.sections):
        tune, signs, unit = lines[int(order[number % len(order)])]
        piece.sing("right", tune, 80, sections=[section], ornaments=0.1)
        piece.accompany("left", signs[: round(bar / unit)], unit, 62, sections=[section], middle=(48, 66))
        if number and rng.random() < 0.4:
            factor = float(rng.uniform(0.8, 1.3))
            changes.append(TempoChange(section.at, factor, 0.0))
    return piece.finish("theme_and_variations", slow=0.6 if not changes else 0.0, tempo=changes, rubato=(0, 0.04))


@style("romantic", 1.2)
def nocturne(rng: np.random.Generator) -> Score:
    """Wide broken chords in the left hand, a free melody above."""
    compound = rng.random() < 0.5
    bar = pick(rng, [4, 2, 4] if compound else [4, 3, 4])
    piece = ComposedForm(
        rng, tempo_between(rng, 50, 84), bar, "ABACAB", {"A": 4, "B": pick(rng, [4, 5]), "C": 4}, _mode(rng, 0.5)
    )
    words = {4: "62 422 3131 8 b222", 3: "42 6 321 b22", 2: "4 31 211 22"}[bar]
    tune = piece.melodies(
        cells(words, 0.5, bar), 67, 91, closes=cells({4: "8 6b", 3: "6", 2: "4"}[bar], 0.5, bar), leap=0.3, tie=0.2
    )
    if rng.random() < 0.5:
        piece.lead(tune, [0.5] if rng.random() < 0.5 else [1.0])
    piece.player("right", "melody", [0, 0, 1, 2])
    piece.sing("right", tune, 84, ornaments=float(rng.uniform(0.05, 0.35)), accent=2)
    piece.sheet.player("left", "chords", 0)
    per = 3 if compound else pick(rng, [2, 4])
    shapes = {
        3: ["B13", "B13531", "B24", "B1C"],
        2: ["B1353135", "B135", "B2C2", "B142"],
        4: ["B1353531", "B2464642", "B1357531"],
    }[per]
    text = shapes[int(rng.integers(len(shapes)))]
    piece.accompany(
        "left", text, 1 / per, 54, middle=(46, 64), bass=(33, 45), legato=1.5, bass_weight=float(rng.uniform(0, 12))
    )
    return piece.finish("nocturne", slow=0.9, rubato=(0.05, 0.15), division=3 if compound else 2, fermata=0.6)


@style("romantic", 1.2)
def piano_waltz(rng: np.random.Generator) -> Score:
    """Oom-pah-pah under a tune that now and then goes in two against it."""
    piece = ComposedForm(rng, tempo_between(rng, 120, 216), 3, "AABACCA", {"A": 16, "B": 16, "C": 8}, _mode(rng, 0.4))
    words = "6 42 222 24 111111 51 2211 b22 b4"
    tune = piece.melodies(cells(words, 0.5, 3), 65, 90, closes=cells("6 4b", 0.5, 3), leap=0.3, tie=0.15)
    if rng.random() < 0.4:
        hemiola = [Tone(2.0 * n, 1.9, 0) for n in range(3)]
        for label, line in tune.items():
            begin = 6.0 * int(rng.integers(1, max(2, len(piece.harmony[label]) // 3)))
            taken = [t for t in line if begin <= t.at < begin + 6]
            if taken:
                fresh = [
                    Tone(begin + h.at, h.beats, taken[min(n, len(taken) - 1)].pitch, 8.0) for n, h in enumerate(hemiola)
                ]
                tune[label] = sorted([t for t in line if t not in taken] + fresh)
    if rng.random() < 0.45:
        piece.lead(tune, [1.0] if rng.random() < 0.5 else [0.5, 0.5])
    piece.player("right", "melody", [0, 0, 0, 3, 21])
    piece.sing("right", tune, 84, ornaments=0.06)
    piece.sheet.player("left", "chords", 0)
    texts = [["BCC"], ["BCC", "FCC"], ["BC-", "BCC"], ["BCC", "BC."], ["B.C"]][int(rng.integers(5))]
    piece.accompany(
        "left", texts, 1.0, 62, middle=(50, 67), bass=(36, 48), legato=0.8, chord_weight=float(rng.uniform(-8, 8))
    )
    return piece.finish("piano_waltz", slow=0.6, rubato=(0.0, 0.12))


@style("romantic", 0.8)
def mazurka(rng: np.random.Generator) -> Score:
    """Dotted first beat, weight on the second or third."""
    piece = ComposedForm(rng, tempo_between(rng, 108, 168), 3, "AABBAC", 8, _mode(rng, 0.5))
    tune = piece.melodies(
        cells("3144 31224 444 1128 2244 318", 0.25, 3), 64, 86, closes=cells("3144 48 44d", 0.25, 3), leap=0.3
    )
    heavy = pick(rng, [1, 2])
    tune = {
        k: [t._replace(weight=12.0) if abs(t.at % 3 - heavy) < 1e-6 else t for t in line] for k, line in tune.items()
    }
    if rng.random() < 0.4:
        piece.lead(tune, [0.75, 0.25])
    piece.player("right", "melody", [0, 0, 40, 71])
    piece.sing("right", tune, 80, ornaments=0.1, accent=2)
    piece.player("left", "chords", [0, 0, 48])
    piece.accompany(
        "left",
        [["BCC"], ["BC-"], ["CCC"], ["B-C", "BCC"]][int(rng.integers(4))],
        1.0,
        62,
        middle=(50, 67),
        bass=(36, 48),
        legato=0.7,
        chord_weight=float(rng.uniform(-4, 12)),
    )
    return piece.finish("mazurka", slow=0.5, rubato=(0.02, 0.13))


@style("romantic", 0.7, held_out=True)
def polonaise(rng: np.random.Generator) -> Score:
    """Three with the figure of one quaver, two semiquavers and four quavers."""
    piece = ComposedForm(rng, tempo_between(rng, 76, 112), 3, "AABBA", 8, _mode(rng, 0.4))
    tune = piece.melodies(
        cells("211422 31224 222222 11112222 62112 81111", 0.25, 3),
        64,
        88,
        closes=cells("1111224 444", 0.25, 3),
        leap=0.3,
    )
    piece.player("tune", "melody", [0, 0, 48, 61])
    piece.sing("tune", tune, 90, ornaments=0.05)
    piece.player("chords", "chords", [0, 48, 61])
    piece.accompany(
        "chords",
        ["B-CCC-C-C-C-", "C-CCC-C-C-C-", "B-CCC-C-B-C-"][int(rng.integers(3))],
        0.25,
        68,
        legato=0.7,
        middle=(50, 67),
    )
    if rng.random() < 0.6:
        piece.player("bass", "bass", [43, 58, 0])
        piece.accompany("bass", ["B--", "B-F", "BBF"][int(rng.integers(3))], 1.0, 74, legato=0.6)
    return piece.finish("polonaise", slow=0.5, rubato=(0.0, 0.06))


@style("romantic")
def character_piece(rng: np.random.Generator) -> Score:
    """A short lyric piece: tune, middle voice in off-beat quavers or triplets, slow bass."""
    bar = pick(rng, [2, 3, 4])
    triplets = rng.random() < 0.35
    piece = ComposedForm(
        rng,
        tempo_between(rng, 60, 120),
        bar,
        "ABAC",
        {"A": pick(rng, [8, 6, 7]), "B": 8, "C": pick(rng, [4, 8])},
        _mode(rng, 0.45),
    )
    words = {4: "44 62 422 2222 b6", 3: "42 6 222 411", 2: "22 31 4 a3"}[bar]
    tune = piece.melodies(
        cells(words, 0.5, bar), 66, 86, closes=cells({4: "8", 3: "6", 2: "4"}[bar], 0.5, bar), leap=0.25, tie=0.15
    )
    if rng.random() < 0.5:
        piece.lead(tune, [1.0] if rng.random() < 0.5 else [0.5])
    piece.player("tune", "melody", [0, 0, 42, 40, 71])
    piece.sing("tune", tune, 82, accent=3)
    piece.sheet.player("inside", "chords", 0)
    per = 3 if triplets else 2
    text = [".CC", "012", ".12"][int(rng.integers(3))] if triplets else [".C", "01", ".C.U"][int(rng.integers(3))]
    piece.accompany("inside", text, 1 / per, 54 + float(rng.uniform(-4, 8)), middle=(52, 69))
    piece.player("bass", "bass", [0, 0, 43])
    if rng.random() < 0.5:
        piece.roots("bass", 64)
    else:
        piece.accompany("bass", "BFBL"[: max(bar, 2)], 1.0, 62, bass=(33, 45))
    return piece.finish("character_piece", slow=0.8, rubato=(0.03, 0.14), fermata=0.5, division=3 if triplets else 2)


@style("romantic")
def art_song(rng: np.random.Generator) -> Score:
    """A long melody, its words left out, over an even accompaniment that begins alone."""
    bar = pick(rng, [4, 3, 2, 4])
    piece = ComposedForm(
        rng,
        tempo_between(rng, 56, 116),
        bar,
        "IABACB",
        {"I": pick(rng, [2, 4]), "A": 8, "B": pick(rng, [8, 6, 5]), "C": 4},
        _mode(rng, 0.45),
    )
    words = {4: "62 422 3122 8 b42 b222", 3: "42 6 321 b22 51", 2: "22 31 4 b2"}[bar]
    tune = piece.melodies(
        cells(words, 0.5, bar), 62, 79, closes=cells({4: "6b", 3: "4b", 2: "4"}[bar], 0.5, bar), leap=0.2, tie=0.2
    )
    piece.player("voice", "melody", [52, 53, 68, 42, 71, 40, 85, 60])
    piece.sing("voice", tune, 84, sections=[s for s in piece.sections if s.label != "I"] or piece.sections, accent=2)
    piece.player("piano", "chords", [0, 0, 46, 24, 48])
    text, unit = [
        ("C", 0.5),
        ("B012", 0.25),
        ("B1", 0.5),
        ("012345", 1 / 6),
        ("BC", 0.5),
        ("02120212", 0.25),
        ("CCC", 1 / 3),
    ][int(rng.integers(7))]
    piece.accompany("piano", text, unit, 56, middle=(50, 67), bass=(36, 48))
    piece.player("low", "bass", [0, 43, 42])
    piece.roots("low", 60)
    return piece.finish("art_song", slow=0.8, rubato=(0.02, 0.12), division=3 if unit in (1 / 6, 1 / 3) else 2)


def _oom_pah(
    piece: ComposedForm,
    signs: str,
    off: str,
    unit: float,
    drum: dict[int, str] | None,
    louder: tuple[float, float] = (-12, 16),
) -> None:
    """Bass on the beat, chords off it, perhaps a drummer."""
    rng = piece.rng
    piece.player("oom", "bass", [58, 43, 58, 70, 57])
    piece.player("pah", "chords", [60, 61, 48, 69, 57])
    piece.accompany("oom", signs, unit, 78, bass=(33, 45), legato=0.6)
    piece.accompany("pah", off, unit, 66 + float(rng.uniform(*louder)), legato=0.45)
    if drum and rng.random() < 0.7:
        piece.sheet.player("drums", "drums", pick(rng, [0, 48, 48]))
        begin = piece.after(0.0 if rng.random() < 0.7 else 0.4)[0].at
        piece.sheet.drums("drums", drum, unit, begin, piece.sheet.end, float(rng.uniform(56, 84)))


@style("march", 1.2)
def march(rng: np.random.Generator) -> Score:
    """Band or orchestra, 2/4 or 4/4, with an introduction, strains and a softer trio."""
    bar = pick(rng, [2, 4, 4])
    piece = ComposedForm(
        rng, tempo_between(rng, 96, 136), bar, "IAABBCCB", {"I": 4, "A": 8, "B": 8, "C": 8}, _mode(rng, 0.15)
    )
    words = "4444 6244 8431 3131431 422422 88 224224" if bar == 4 else "44 314 422 2222 3131 62 224"
    tune = piece.melodies(
        cells(words, 0.25, bar), 62, 84, closes=cells("448 4d" if bar == 4 else "44 4d", 0.25, bar), leap=0.35
    )
    if rng.random() < 0.6:
        piece.lead(tune, [0.75, 0.25] if rng.random() < 0.4 else [1.0])
    piece.player("tune", "melody", [56, 61, 71, 72, 48, 60])
    piece.sing("tune", tune, 92)
    if rng.random() < 0.5:
        piece.player("descant", "counter", [72, 71, 73, 57])
        words = "8 44 2222" if bar == 4 else "1111 211 4"
        piece.sing("descant", piece.melodies(cells(words, 0.5, bar), 70, 92), 74, sections=piece.after(0.4))
    drum = [
        {38: "x.xxx.x.", 36: "x...x..."},
        {38: "X.oox.ooX.xxX.x.", 35: "x.......x......."},
        {36: "x...", 38: "..x."},
        {36: "x...", 38: "..xx", 49: "x..............."},
    ][int(rng.integers(4))]
    unit = 0.25 if len(drum[38]) >= 8 else 0.5
    off = [".C.C", ".C.C.CCC"][int(rng.integers(2))]
    _oom_pah(piece, "B.F.", off, 0.5, None)
    if rng.random() < 0.8:
        piece.sheet.player("drums", "drums", 0)
        piece.sheet.drums(
            "drums",
            drum,
            unit,
            0 if rng.random() < 0.6 else piece.after(0.2)[0].at,
            piece.sheet.end,
            float(rng.uniform(60, 88)),
        )
    return piece.finish("march", slow=0.25, rubato=(0, 0.02))


@style("march", 0.8)
def march_six_eight(rng: np.random.Generator) -> Score:
    """A quick march in 6/8."""
    piece = ComposedForm(rng, tempo_between(rng, 104, 132), 2, "IAABBCC", {"I": 4, "A": 8, "B": 8, "C": 8}, "major")
    tune = piece.melodies(
        cells("2121 33 111111 321 6 21111 312", 1 / 3, 2), 62, 84, closes=cells("33 213 3c", 1 / 3, 2), leap=0.35
    )
    if rng.random() < 0.6:
        piece.lead(tune, [1 / 3])
    piece.player("tune", "melody", [56, 61, 71, 72, 109])
    piece.sing("tune", tune, 92)
    _oom_pah(
        piece,
        "B..F..",
        ["..C..C", ".CC.CC", "..C.CC"][int(rng.integers(3))],
        1 / 3,
        {38: ["x.xx.x", "x.xxxx", "xooxoo"][int(rng.integers(3))], 36: "x....."},
    )
    return piece.finish("march_six_eight", slow=0.2, rubato=(0, 0.02), division=3)


@style("march", 0.8)
def galop(rng: np.random.Generator) -> Score:
    """Galop or can-can: two, very quick."""
    piece = ComposedForm(rng, tempo_between(rng, 132, 176), 2, "IAABBAC", {"I": 4, "A": 16, "B": 16, "C": 8}, "major")
    tune = piece.melodies(
        cells("2222 1111112 11112 44 211211 22112 8", 0.25, 2), 64, 88, closes=cells("44 4d", 0.25, 2), leap=0.3
    )
    if rng.random() < 0.3:
        piece.lead(tune, [0.25, 0.25])
    piece.player("tune", "melody", [48, 72, 56, 0, 61, 71])
    piece.sing("tune", tune, 92)
    _oom_pah(piece, "B.F." if rng.random() < 0.5 else "B.B.", ".C.C", 0.5, {36: "x.x.", 38: ".x.x"})
    tempo = [TempoChange(piece.sheet.end * 0.8, 1.2, piece.sheet.end * 0.15)] if rng.random() < 0.35 else []
    return piece.finish("galop", slow=0.0 if tempo else 0.2, tempo=tempo, rubato=(0, 0.02))


@style("classical", 0.8, held_out=True)
def tarantella(rng: np.random.Generator) -> Score:
    """6/8, very quick, the quavers never resting."""
    piece = ComposedForm(rng, tempo_between(rng, 126, 168), 2, "AABBCA", {"A": 8, "B": 16, "C": 8}, _mode(rng, 0.75))
    tune = piece.melodies(
        cells("111111 111111 21111 11121 2121 33", 1 / 3, 2), 64, 88, closes=cells("33 1113 3c", 1 / 3, 2), leap=0.2
    )
    piece.player("tune", "melody", [0, 40, 71, 105, 21, 48])
    piece.sing("tune", tune, 88)
    piece.player("chords", "chords", [0, 24, 48, 21])
    piece.accompany(
        "chords", ["B.CB.C", "BCCBCC", "B..C..", "..C..C", "B12B12"][int(rng.integers(5))], 1 / 3, 64, legato=0.6
    )
    if rng.random() < 0.5:
        piece.sheet.player("tambourine", "drums", 0)
        piece.sheet.drums(
            "tambourine",
            {54: ["XoxXox", "xooxoo", "X.xX.x"][int(rng.integers(3))]},
            1 / 3,
            piece.after(rng.uniform(0, 0.5))[0].at,
            piece.sheet.end,
            66,
        )
    tempo = [TempoChange(piece.sheet.end * 0.5, 1.18, piece.sheet.end * 0.4)] if rng.random() < 0.4 else []
    return piece.finish("tarantella", slow=0.0, division=3, tempo=tempo)


@style("dance", 1.2)
def viennese_waltz(rng: np.random.Generator) -> Score:
    """A quick waltz whose second beat comes early; a slow introduction now and then."""
    piece = ComposedForm(rng, tempo_between(rng, 150, 204), 3, "AABBAACC", 16, "major")
    tune = piece.melodies(
        cells("6 42 222 24 51 b22 33 111111", 0.5, 3), 65, 88, closes=cells("6 4b", 0.5, 3), leap=0.3, tie=0.15
    )
    if rng.random() < 0.5:
        piece.lead(tune, [1.0] if rng.random() < 0.5 else [0.5, 0.5])
    piece.player("tune", "melody", [48, 40, 73, 49, 21])
    piece.sing("tune", tune, 86)
    if rng.random() < 0.5:
        piece.player("counter", "counter", [42, 60, 71])
        piece.sing("counter", piece.melodies(cells("6 42 6", 0.5, 3), 52, 70, tie=0.2), 66, sections=piece.after(0.3))
    early = float(rng.choice([0.0, 0.0, 0.08, 0.15]))
    piece.player("bass", "bass", [43, 43, 58])
    piece.accompany("bass", ["B..", "F.."], 1.0, 76, bass=(31, 43), legato=0.6)
    piece.player("after", "chords", [48, 60, 41, 21])
    for section in piece.sections:
        tones = figure(piece.harmony[section.label], piece.key, ".CC", 1.0, legato=0.5)
        piece.sheet.write(
            "after",
            [t._replace(at=t.at - early) if t.at % 3 == 1 else t for t in tones],
            section.at,
            62 + float(rng.uniform(-4, 6)),
            0,
        )
    if rng.random() < 0.4:
        piece.sheet.player("drums", "drums", 48)
        piece.sheet.drums("drums", {36: "x..", 38: ".oo"}, 1.0, piece.after(0.3)[0].at, piece.sheet.end, 62)
    tempo = []
    if rng.random() < 0.4:
        length = 6.0 * pick(rng, [2, 4])
        piece.sheet.bpm *= 0.6
        tempo = [TempoChange(length, 1 / 0.6, 6.0)]
    return piece.finish("viennese_waltz", slow=0.5 if not tempo else 0.0, tempo=tempo, rubato=(0, 0.06))


@style("dance", 0.8)
def salon_tango(rng: np.random.Generator) -> Score:
    """Habanera or marcato in four, with the tune tied over the beats."""
    piece = ComposedForm(rng, tempo_between(rng, 100, 132), 4, "AABBAC", 8, _mode(rng, 0.75))
    tune = piece.melodies(
        cells("a111112 a111a111 31112 3311 422 a1114 11114", 0.5, 4),
        62,
        84,
        closes=cells("224 1124", 0.5, 4),
        leap=0.25,
        tie=0.15,
    )
    if rng.random() < 0.5:
        piece.lead(tune, [0.5, 0.5, 0.5])
    piece.player("tune", "melody", [40, 21, 23, 0, 71])
    piece.sing("tune", tune, 86)
    piece.player("rhythm", "chords", [0, 21, 23, 24])
    text = ["B..CF.C.", "C.C.C.C.", "B.C.B.CC", "C..CC.C."][int(rng.integers(4))]
    piece.accompany("rhythm", text, 0.5, 70, legato=0.5)
    piece.player("bass", "bass", [43, 32, 0])
    piece.accompany("bass", ["B..BF.B.", "B.F.B.F.", "B...B..L", "B..B.B.L"][int(rng.integers(4))], 0.5, 78, legato=0.6)
    return piece.finish("salon_tango", slow=0.5, rubato=(0, 0.05))


@style("march", 0.8, held_out=True)
def brass_band(rng: np.random.Generator) -> Score:
    """A chorale-like or lyrical piece for brass alone."""
    bar = pick(rng, [4, 3])
    piece = ComposedForm(rng, tempo_between(rng, 66, 116), bar, "ABAC", 8, _mode(rng, 0.2))
    words = "44 422 2222 62 8" if bar == 4 else "42 222 6 411"
    closes = cells("8 6b" if bar == 4 else "6 4b", 0.5, bar)
    tune = piece.melodies(cells(words, 0.5, bar), 62, 79, closes=closes, leap=0.2)
    if rng.random() < 0.5:
        piece.lead(tune, [1.0])
    piece.player("cornet", "melody", [56, 61])
    piece.sing("cornet", tune, 86)
    piece.player("horns", "chords", [60, 57, 61])
    if rng.random() < 0.5:
        piece.hold("horns", 66, middle=(48, 65))
    else:
        piece.accompany("horns", ["C-CC" if bar == 4 else "CCC"], 1.0, 66, middle=(48, 65), legato=0.85)
    piece.player("euphonium", "counter", [57, 58])
    piece.sing(
        "euphonium",
        piece.melodies(cells("8 44 2222" if bar == 4 else "6 42 222", 0.5, bar), 46, 62, tie=0.15),
        68,
        sections=piece.some(0.7),
    )
    piece.player("tuba", "bass", [58])
    piece.accompany("tuba", ["B-F-", "B---", "BFBL"][int(rng.integers(3))][:bar], 1.0, 72, bass=(29, 41))
    return piece.finish("brass_band", slow=0.7, rubato=(0, 0.05), fermata=0.5)
