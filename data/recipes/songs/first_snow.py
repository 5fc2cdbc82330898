"""First Snow: piano arpeggios, string quartet and celesta without any drums, in a long hall."""

from __future__ import annotations

import numpy as np

from data.recipes.engine.effects import bell, chorus, compress, high_shelf, highpass, low_shelf, lowpass, reverb, widen
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.score import SWELL, Form, ScoreSection
from data.recipes.engine.synths import soft_pad

VERSE = ["E", "B/D#", "C#m7", "Aadd9", "E/G#", "A", "F#m7", "Bsus4"]
CLIMAX = ["C#m7", "A", "E", "B/D#", "C#m7", "Amaj9", "F#m9", "B"]
TURN = ["A", "B/A", "G#m7", "C#m7", "F#m9", "E/G#", "Aadd9", "B7sus4"]

TUNE = """r:2 B5:4 G#5:2 | F#5:6 D#5:2 | E5:4 G#5:2 B5:2 | C#6:5 B5:3 | r:2 B5:2 E6:4 | C#6:4 A5:4 |
G#5:2 A5:2 C#6:2 E5:2 | F#5:8 |"""
TURN_TUNE = (
    """E5:6 C#5:2 | D#5:4 F#5:4 | B4:4 D#5:2 F#5:2 | E5:8 | A5:4 G#5:2 F#5:2 | G#5:4 E5:2 B4:2 | C#5:4 E5:4 | F#5:8 |"""
)
CLIMAX_TUNE = """G#5:4 B5:2 E6:2 | E6:4 C#6:2 A5:2 | B5:6 G#5:2 | F#5:4 B5:2 D#6:2 | E6:4 G#6:4 |
E6:3 C#6:1 B5:2 C#6:2 | A5:4 G#5:2 C#6:2 | B5:8 |"""
FIGURES = [
    (0, 2, 3, 2, 4, 3, 2, 3),
    (0, 1, 3, 2, 4, 2, 3, 1),
    (0, 2, 1, 3, 2, 4, 3, 2),
    (0, 3, 2, 4, 3, 5, 4, 2),
]


def compose() -> Song:
    """Write the song."""
    form = Form(84, lead_in=0.5, tail=7.5)
    form.section("intro", 4)
    form.section("verse 1", 8)
    form.section("verse 2", 8)
    form.section("chorus", 8)
    form.section("outro", 3, to_bpm=66)
    form.section("close", 1, "outro", held=True)
    song = Song(
        "first_snow",
        {
            "title": "First Snow",
            "artist_name": "Mirre Halvorsen",
            "description": "Flowing piano, string quartet and celesta in a wide hall; no drums, a long tail.",
            "tags": ["piano", "winter", "family", "minimal", "drama"],
            "moods": ["tender", "dreamy", "hopeful"],
            "genres": ["neoclassical", "cinematic"],
            "instruments": ["piano", "violin", "viola", "cello", "celesta"],
            "bpm": 84,
            "energy": 0.25,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "E",
        "major",
        seed=7,
        lufs=-16.0,
        traits=("no drums", "long ambient tail", "ritardando ending", "sections vary"),
    )
    song.spaces = {"room": reverb(0.9, 8, 0.8, seed=21), "hall": reverb(4.6, 34, 0.74, seed=22)}
    song.groups = {"strings": Bus((compress(-5, 1.8, 25, 250), high_shelf(6000, 2)))}
    song.bus = (low_shelf(120, 1.5), high_shelf(5000, 3.5), compress(-3, 1.5, 40, 300))
    song.rides = [
        (0, -4),
        (form["verse 1"].start, -3),
        (form["verse 2"].start, -1.5),
        (form["chorus"].start, 0),
        (form["outro"].start, -2),
        (form.end, -4),
    ]
    write_piano(song)
    write_strings(song)
    return song


def chords_of(section: ScoreSection) -> list[str]:
    """The chord of each bar of a section."""
    table = {
        "intro": VERSE[:4],
        "verse 1": VERSE,
        "verse 2": TURN,
        "chorus": CLIMAX,
        "outro": ["Aadd9", "E/G#", "F#m9"],
    }
    return table.get(section.name, ["Eadd9"])


def write_piano(song: Song) -> None:
    """Eighths that never stop, their figure drawn anew for every bar; octaves in the left hand; the tune on top."""
    form, rng = song.form, np.random.default_rng(song.seed)
    piano = song.add(
        "piano",
        Sampled(0, font="muse"),
        ChannelStrip(
            -18.5, 0, (highpass(45), bell(280, -2), high_shelf(4500, 2), widen(0.9)), {"room": -18, "hall": -13}
        ),
        loose_ms=6,
        touch=5,
    )
    tune = song.add(
        "piano tune",
        Sampled(0, font="muse"),
        ChannelStrip(-20, 0.05, (highpass(200), high_shelf(4000, 2), widen(0.7)), {"hall": -10}),
        loose_ms=8,
        late_ms=5,
    )
    celesta = song.add(
        "celesta", Sampled(8), ChannelStrip(-28, 0.3, (highpass(400), chorus(0.5, 1.5, 0.3)), {"hall": -6}), loose_ms=6
    )
    for section in form.sections:
        chords = chords_of(section)
        keys = voicings(chords, 4, 56, 76)
        strength = {"intro": -10, "verse 1": -4, "verse 2": 0, "chorus": 10, "outro": -6}.get(section.name, -14)
        for n, name in enumerate(chords):
            at, root = section.bar(n), bass_line_root(name, 33)
            piano.pedal(at, at + 4)
            if section.name == "close":
                piano.play(at, 4, [28, 40, 52, 59, 64, 66, 71], 62)
                celesta.play(at, 2, ["E6", "B6"], 60)
                continue
            piano.play(at, 3.8, root, 80 + strength)
            if section.name in ("verse 2", "chorus"):
                piano.play(at, 3.8, root + 12, 72 + strength)
                piano.play(at + 2, 1.8, root + 12, 66 + strength)
            figure = FIGURES[int(rng.integers(0, len(FIGURES)))]
            for step, index in enumerate(figure):
                lift, inside = divmod(index, 4)
                loud = 66 + strength + (8 if step == 0 else 4 if step == 4 else 0) + int(rng.integers(-3, 4))
                piano.play(at + step * 0.5, 0.7, keys[n][inside] + 12 * lift, loud)
                if section.name == "chorus":
                    piano.play(at + step * 0.5 + 0.25, 0.5, keys[n][(inside + 2) % 4] + 12 * lift, loud - 12)
            if n % 2 == 1 and section.label != "outro":
                celesta.play(at + 1, 1, keys[n][3] + 12, 64)
                celesta.play(at + 2.5, 1, keys[n][2] + 12, 58)
    tune.line(form["verse 1"].start, TUNE, 82, gate=1.0)
    tune.line(form["chorus"].start, CLIMAX_TUNE, 96, gate=1.0)
    tune.line(form["chorus"].start, CLIMAX_TUNE, 82, gate=1.0, shift=-12)
    tune.line(form["outro"].start, "C#6:4 B5:2 E5:2 | G#5:4 B5:4 | A5:4 G#5:2 F#5:2 |", 72, gate=1.0)
    for section in form.sections:
        for bar in range(section.bars):
            tune.pedal(section.bar(bar), section.bar(bar) + 4)


def write_strings(song: Song) -> None:
    """Violin sings the second verse; the quartet thickens to the climax and stays behind when the piano stops."""
    form = song.form
    strip = {"hall": -9.0, "room": -18.0}
    violin = song.add(
        "violin",
        Sampled(40, font="muse", compensate=False),
        ChannelStrip(-21, -0.25, (highpass(190), bell(3000, -2)), strip, "strings"),
        loose_ms=10,
        late_ms=-30,
    )
    viola = song.add(
        "viola",
        Sampled(41, font="muse", compensate=False),
        ChannelStrip(-24, 0.25, (highpass(130),), strip, "strings"),
        loose_ms=10,
        late_ms=-30,
    )
    cello = song.add(
        "cello",
        Sampled(42, font="muse", compensate=False),
        ChannelStrip(-22.5, 0.1, (highpass(55),), strip, "strings"),
        loose_ms=10,
        late_ms=-30,
    )
    double_bass = song.add(
        "double bass",
        Sampled(43, font="muse", compensate=False),
        ChannelStrip(-24, 0, (highpass(32), lowpass(2500)), {"hall": -14}, "strings"),
        loose_ms=10,
        late_ms=-30,
    )
    ensemble = song.add(
        "strings",
        Sampled(48, compensate=False),
        ChannelStrip(-25, 0, (highpass(160), widen(1.4)), {"hall": -8}, "strings"),
        loose_ms=12,
        late_ms=-40,
    )
    air = song.add("air", Made(soft_pad(2.0, 4.5, 1800), "air"), ChannelStrip(-31, 0, (highpass(350),), {"hall": -5}))
    for section in form.sections:
        chords = chords_of(section)
        for n, keys in enumerate(voicings(chords, 3, 55, 72)):
            at, length = section.bar(n), 4.0 if section.name != "close" else 5.0
            air.play(at, length, [key + 12 for key in keys[:2]], 80)
            if section.name in ("verse 1", "intro"):
                if n >= 4:
                    cello.play(at, length, bass_line_root(chords[n], 40), 66)
                continue
            cello.play(at, length, bass_line_root(chords[n], 40), 84)
            viola.play(at, length, keys[0], 74)
            double_bass.play(at, length, bass_line_root(chords[n], 28), 84 if section.name == "chorus" else 74)
            for part, top in ((cello, 116), (viola, 108)):
                part.move(at, at + 2.0, SWELL, 78, top)
                part.move(at + 2.0, at + 4.0, SWELL, top, 84)
            if section.label in ("chorus", "outro"):
                ensemble.play(at, length, keys, 84)
                ensemble.move(at, at + 2.5, SWELL, 70, 118)
    violin.line(form["verse 2"].start, TURN_TUNE, 84, gate=1.0)
    violin.line(form["chorus"].start, CLIMAX_TUNE, 90, gate=1.0)
    for bar in range(8):
        violin.move(form["verse 2"].bar(bar), form["verse 2"].bar(bar) + 2, SWELL, 84, 120)
    violin.line(form["close"].start, "B5:8 |", 66, gate=1.2)
