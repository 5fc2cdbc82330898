"""Slow Tide: dub reggae, one drop, chords on the off-beat and never on the beat; echoes carry the breaks."""

from __future__ import annotations

from data.recipes.engine.effects import (
    bell,
    chorus,
    compress,
    echo,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    reverb,
    saturate,
    tremolo,
)
from data.recipes.engine.harmony import voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Sampled, Song
from data.recipes.engine.patterns import rhythm
from data.recipes.engine.score import Form

VERSE = ["Am7", "Am7", "Dm7", "Em7"]
CHORUS = ["Fmaj7", "G", "Am7", "Am7", "Fmaj7", "G", "C", "E7"]
BASS_VERSE = (
    "A1:2 r:1 A1:1 C2:2 E2:2 | r:2 G2:1 E2:1 A1:2 r:2 | D2:2 r:1 D2:1 F2:2 A2:2 | E2:3 r:1 G2:1 E2:1 D2:1 B1:1 |",
    "A1:2 r:1 A1:1 C2:1 D2:1 E2:2 | r:2 A2:1 G2:1 E2:1 C2:1 A1:2 | D2:2 r:1 D2:1 A2:2 F2:2 | E2:3 r:1 B1:2 G#1:2 |",
)
BASS_CHORUS = """F1:3 F1:1 A1:2 C2:2 | G1:3 G1:1 B1:2 D2:2 | A1:3 E2:1 A2:2 G2:1 E2:1 | A1:2 r:2 C2:1 D2:1 E2:2 |
F1:3 F1:1 A1:2 C2:2 | G1:3 G1:1 B1:2 D2:2 | C2:3 C2:1 G2:2 E2:2 | E2:2 r:2 G#1:2 B1:2 |"""
TUNE = """r:2 E5:1 D5:1 C5:2 A4:2 | r:4 G4:1 A4:1 C5:2 | D5:3 C5:1 A4:2 F4:2 | E4:4 r:4 |
r:2 A5:1 G5:1 E5:2 D5:1 E5:1 | C5:4 r:2 A4:1 C5:1 | D5:2 F5:2 E5:1 D5:1 C5:2 | B4:5 r:3 |"""


def compose() -> Song:
    """Write the song."""
    form = Form(76, lead_in=0.2, pickup=1.0, tail=6.0, swing=0.56, swing_unit=0.25)
    for name, bars in (("intro", 2), ("verse 1", 8), ("chorus 1", 8), ("break", 4), ("verse 2", 8), ("chorus 2", 8)):
        form.section(name, bars)
    form.section("outro", 4, held=True)
    song = Song(
        "slow_tide",
        {
            "title": "Slow Tide", "artist_name": "Lagoon Street Sound",
            "description": "Warm dub reggae: deep bass, off-beat organ and guitar, melodica tune, tape echoes into the breaks.",
            "tags": ["reggae", "dub", "summer", "laid back"], "moods": ["relaxed", "warm", "sunny"],
            "genres": ["reggae", "dub"], "instruments": ["bass", "organ", "guitar", "melodica", "drums", "percussion"],
            "bpm": 76, "energy": 0.42, "explicit": False, "instrumental": True,
        },
        form, "A", "minor", batch=2, seed=41, lufs=-14.5,
        traits=("off-beat chords", "one drop", "pick-up", "sections vary", "ringing end"),
    )  # fmt: skip
    song.spaces = {
        "spring": reverb(1.4, 10, 0.6, seed=41), "hall": reverb(2.6, 20, 0.6, seed=42),
        "echo": echo(60 / 76 * 0.75, 0.55, 2600),
    }  # fmt: skip
    song.groups = {"drums": Bus((compress(-8, 2, 20, 140, mix=0.6), saturate(1.5, 0.4)))}
    song.bus = (low_shelf(70, 2.0), high_shelf(9000, 0.5), compress(-3, 1.5, 30, 220), saturate(0.8, 0.5))
    write_drums(song)
    write_riddim(song)
    write_tune(song)
    return song


def write_drums(song: Song) -> None:
    """One drop: kick and rim together on three; a roll of toms as pick-up; hats with a lilt."""
    form = song.form
    kit = song.kit(
        0,
        {
            "kick": ChannelStrip(-18, 0, (bell(58, 3), bell(400, -4)), {"spring": -24}, "drums"),
            "snare": ChannelStrip(-21, 0.05, (highpass(200),), {"spring": -10, "echo": -20}, "drums"),
            "hat": ChannelStrip(-27, 0.25, (highpass(500),), {"spring": -22}, "drums"),
            "toms": ChannelStrip(-21, -0.2, (bell(140, 2),), {"hall": -12, "echo": -16}, "drums"),
            "cymbals": ChannelStrip(-29, -0.2, (highpass(350),), {"hall": -16}, "drums"),
            "percussion": ChannelStrip(-30, -0.4, (highpass(300),), {"hall": -10, "echo": -14}),
        },
        touch=6,
        late_ms=4,
    )
    kit.pattern(-1.0, {"tom3": "x.x.", "tom5": ".x.x"})
    for section in form.sections:
        for bar in range(section.bars):
            at = section.bar(bar)
            if section.label == "outro" and bar == section.bars - 1:
                for name in ("kick", "crash", "rim"):
                    kit.hit(name, at, 110)
                continue
            if section.label == "break" and bar < 2:
                kit.pattern(at, {"hat": "o.x.o.x.o.x.o.x.", "claves": "x.....x.....x..."})
                continue
            steppers = section.label == "chorus"
            kit.pattern(at, {
                "kick": "x...x...X...x..." if steppers else "........X.......", "rim": "........X....g.." if bar % 2 else "........X.......",
                "hat": "x.o.x.oxx.o.x.o." if bar % 2 else "x.o.x.o.x.oxx.o.",
            })  # fmt: skip
            if bar == section.bars - 1:
                kit.pattern(at + 2, {"tom1": "..x.....", "tom3": "....xx..", "tom5": "......xX"})
            if bar % 4 == 3:
                kit.hit("timb1", at + 3.5, 88)
        if section.label in ("verse", "chorus"):
            kit.hit("crash", section.start, 92)


def write_riddim(song: Song) -> None:
    """Bass below everything, guitar and piano on two and four's halves, organ bubbling between."""
    form = song.form
    bass = song.add(
        "bass",
        Sampled(33),
        ChannelStrip(-15.5, 0, (lowpass(900), bell(80, 3), compress(-8, 3, 20, 160))),
        loose_ms=5,
        late_ms=6,
    )
    skank = song.add(
        "guitar", Sampled(27), ChannelStrip(-23, 0.45, (highpass(350), lowpass(5500)), {"spring": -13}), loose_ms=5
    )
    piano = song.add(
        "piano", Sampled(0), ChannelStrip(-26, -0.35, (highpass(300), lowpass(4500)), {"spring": -14}), loose_ms=5
    )
    bubble = song.add(
        "organ",
        Sampled(16),
        ChannelStrip(-27, -0.1, (highpass(200), chorus(0.9, 2.0, 0.4), tremolo(5.5, 0.2)), {"hall": -16}),
        loose_ms=6,
    )
    verse, chorus_ = voicings(VERSE, 3, 57, 74, True), voicings(CHORUS, 3, 57, 74)
    for section in form.sections:
        for bar in range(section.bars):
            at = section.bar(bar)
            chords = chorus_ if section.label == "chorus" else verse
            keys = chords[bar % len(chords)]
            if section.label == "outro" and bar == section.bars - 1:
                bass.play(at, 4.5, "A1", 100)
                piano.play(at, 4.5, keys, 80)
                continue
            thin = section.label == "break" and bar < 2
            rhythm(skank, at, "..x...x...x...x." if not thin else "......x.........", keys, scale=0.85, gate=0.45)
            if not thin:
                rhythm(piano, at, "..x...x...x...x.", keys, scale=0.75, gate=0.5)
                rhythm(bubble, at, ".ox..ox..ox..ox.", [k - 12 for k in keys], scale=0.8, gate=0.5)
        if section.label == "chorus":
            bass.line(section.start, BASS_CHORUS, 98, gate=0.86)
        elif section.label == "verse":
            for half in (0, 4):
                bass.line(section.bar(half), BASS_VERSE[half // 4], 98, gate=0.86)
        elif section.label == "break":
            bass.line(section.start, BASS_VERSE[1], 100, gate=0.86)
        elif section.label == "intro":
            bass.line(section.start, "A1:2 r:1 A1:1 C2:2 E2:2 | r:2 G2:1 E2:1 A1:2 r:2 |", 96, gate=0.86)
        else:
            bass.line(
                section.start, "A1:2 r:1 A1:1 C2:2 E2:2 | r:2 G2:1 E2:1 A1:2 r:2 | D2:2 r:2 E2:2 G#1:2 |", 96, gate=0.86
            )


def write_tune(song: Song) -> None:
    """Melodica in the verses, brass in the choruses; single notes thrown into the echo in the break."""
    form = song.form
    melodica = song.add(
        "melodica",
        Sampled(21, compensate=False),
        ChannelStrip(-22, -0.15, (highpass(250),), {"echo": -12, "hall": -14}),
        loose_ms=10,
        late_ms=8,
    )
    brass = song.add(
        "trombones",
        Sampled(57, compensate=False),
        ChannelStrip(-24, 0.25, (highpass(150),), {"hall": -11, "echo": -18}),
        loose_ms=8,
    )
    for name in ("verse 1", "verse 2"):
        melodica.line(form[name].start, TUNE, 86 if name == "verse 1" else 92)
    melodica.line(form["break"].start, "r:3 E5:1 r:4 | r:8 | r:6 A5:1 G5:1 | E5:3 r:5 |", 90)
    for name in ("chorus 1", "chorus 2"):
        brass.line(
            form[name].start,
            """A3+C4+F4:3 r:1 G3+C4:2 A3+C4:2 | B3+D4+G4:3 r:5 | C4+E4+A4:3 r:1 E4:1 G4:1 A4:2 | r:8 |
A3+C4+F4:3 r:1 G3+C4:2 A3+C4:2 | B3+D4+G4:3 r:5 | C4+E4+G4:4 E4:2 G4:2 | G#3+B3+E4:6 r:2 |""",
            94,
        )
    melodica.line(form["outro"].start, "r:2 E5:1 D5:1 C5:2 A4:2 | r:4 G4:1 A4:1 C5:2 | D5:2 C5:2 B4:4 | A4:7 r:1 |", 82)
