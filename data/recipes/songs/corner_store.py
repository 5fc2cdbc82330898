"""Corner Store: funk in D minor, sixteenths pushed around by bass, clavinet and ghost notes; horns answer; cut dry."""

from __future__ import annotations

from data.recipes.engine.effects import (
    amplifier,
    bell,
    compress,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    reverb,
    saturate,
    transient,
)
from data.recipes.engine.harmony import voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Sampled, Song
from data.recipes.engine.patterns import rhythm
from data.recipes.engine.score import Form

VAMP = ["Dm7", "Dm7", "G9", "Dm7"]
CHORUS = ["Bbmaj7", "C7", "Dm9", "Dm9", "Bbmaj7", "C7", "A7#9", "A7#9"]
BASS = (
    "D2:3 r:1 r:2 D3:1 C3:1 D3:1 r:2 A2:2 C3:1 r:1 C#3:1 |",
    "D2:2 r:1 D2:1 r:2 F2:1 G2:1 r:2 A2:1 C3:2 A2:1 G2:1 F2:1 |",
    "G2:3 r:1 r:2 G3:1 F3:1 G3:1 r:2 D3:2 F3:1 E3:1 D3:1 |",
    "D2:2 r:2 D3:1 r:1 C3:1 A2:1 r:1 G2:1 G#2:1 A2:1 C3:2 r:1 C#3:1 |",
)
GROOVES = (
    {"kick": "X..x..x...x..x..", "snare": "....X..g.g..X..g", "hat": "XoxoXoxoXoxoXoxo"},
    {"kick": "X..x......x..x..", "snare": "....X..g.gg.X.g.", "hat": "XoxoXoxoXoxoX.xo", "open": ".............x.."},
    {"kick": "X.x...x...x.....", "snare": "....X.gg.g..X..g", "hat": "XoxoX.xoXoxoXoxo", "open": ".....x.........."},
)
FILL = {"kick": "X..x..x.........", "snare": "....X..g.gxxX.xX", "hat": "XoxoXoxo........", "tom3": "..............xx"}
HORNS = "r:6 A4+C5+F5:1' A4+C5+F5:1' r:8 | r:3 G4+B4+F5:1' r:2 G4+B4+F5:4 r:6 |"
SHOUT = """D5+F5+A5:3 C5+E5+G5:1' r:2 D5+F5+A5:6 r:4 | E5+G5+Bb5:3 D5+F5+A5:1' r:2 C5+E5+G5:4 r:6 |
A4+D5+F5:2' A4+D5+F5:2' r:2 C5+E5+G5:2 A4+D5+F5:8 | r:8 A4+D5+F5:1' r:1 C5+E5+G5:1' r:1 D5+F5+A5:2' r:2 |"""


def compose() -> Song:
    """Write the song."""
    form = Form(104, lead_in=0.6, tail=0.5, swing=0.53, swing_unit=0.25)
    for name, bars in (
        ("intro", 4),
        ("verse 1", 8),
        ("chorus 1", 8),
        ("verse 2", 8),
        ("break", 4),
        ("chorus 2", 8),
        ("outro", 4),
    ):
        form.section(name, bars)
    song = Song(
        "corner_store",
        {
            "title": "Corner Store", "artist_name": "Third Street Rhythm Section",
            "description": "Tight funk: slapped bass, clavinet, chicken-scratch guitar and short horn answers, stopped dead.",
            "tags": ["funk", "groove", "city", "horns"], "moods": ["playful", "confident", "cool"],
            "genres": ["funk", "soul"], "instruments": ["bass", "clavinet", "electric guitar", "horns", "drums", "electric piano"],
            "bpm": 104, "energy": 0.68, "explicit": False, "instrumental": True,
        },
        form, "D", "minor", batch=2, seed=31, lufs=-13.0, traits=("syncopated sixteenths", "sections vary", "abrupt ending"),
    )  # fmt: skip
    song.cut_at = form.end - 4 + 1.5
    song.spaces = {"room": reverb(0.5, 4, 0.75, seed=31), "plate": reverb(1.2, 14, 0.8, seed=32)}
    song.groups = {
        "drums": Bus((compress(-9, 2.2, 15, 110, mix=0.6), saturate(1.5, 0.5))),
        "horns": Bus((compress(-6, 2, 10, 120),)),
    }
    song.bus = (low_shelf(80, 1.0), high_shelf(9000, 1.0), compress(-3, 1.6, 25, 160), saturate(0.6, 0.5))
    write_drums(song)
    write_rhythm_section(song)
    write_horns(song)
    return song


def write_drums(song: Song) -> None:
    """Three grooves by turns, ghost notes throughout, a fill before each new section; congas from the second verse on."""
    form = song.form
    kit = song.kit(
        8,
        {
            "kick": ChannelStrip(
                -19, 0, (bell(65, 3), bell(380, -4), bell(3500, 3), transient(2)), {"room": -22}, "drums"
            ),
            "snare": ChannelStrip(
                -19.5, 0.02, (highpass(120), bell(220, 2), bell(6000, 3)), {"room": -10, "plate": -20}, "drums"
            ),
            "hat": ChannelStrip(-27.5, 0.3, (highpass(500),), {"room": -18}, "drums"),
            "toms": ChannelStrip(-22, -0.1, (bell(120, 2),), {"room": -12}, "drums"),
            "cymbals": ChannelStrip(-28, -0.2, (highpass(350),), {"room": -16}, "drums"),
            "percussion": ChannelStrip(-28, -0.45, (highpass(180),), {"room": -12}),
        },
        touch=6,
        late_ms=2,
    )
    for section in form.sections:
        for bar in range(section.bars):
            at = section.bar(bar)
            if section.label == "break" and bar < 3:
                kit.pattern(at, {"kick": "X.......x.......", "hat": "X...X...X...X...", "rim": "...x..x...x..x.."})
            elif bar == section.bars - 1 and section.label != "outro":
                kit.pattern(at, FILL)
            else:
                kit.pattern(at, GROOVES[(bar + len(section.name)) % 3])
            if section.name in ("verse 2", "break", "chorus 2", "outro"):
                kit.pattern(
                    at,
                    {"conga1": "..x..x....x..x..", "conga2": "x......x.x......", "conga3": "....o.......o.x."},
                    scale=0.8,
                )
        if section.label in ("verse", "chorus"):
            kit.hit("crash", section.start, 100)


def write_rhythm_section(song: Song) -> None:
    """Bass line in four bars that varies, clavinet, scratched guitar, electric piano under the chorus."""
    form = song.form
    bass = song.add(
        "bass",
        Sampled(36),
        ChannelStrip(-17.5, 0, (highpass(38), bell(90, 2), bell(1500, 2), compress(-8, 4, 8, 110))),
        loose_ms=4,
        late_ms=3,
    )
    clav = song.add(
        "clavinet",
        Sampled(7),
        ChannelStrip(-24, -0.5, (highpass(180), lowpass(6500), saturate(3, 0.5)), {"room": -15}),
        loose_ms=5,
    )
    guitar = song.add(
        "guitar", Sampled(28), ChannelStrip(-26, 0.6, (amplifier(4), highpass(300)), {"room": -13}), loose_ms=5
    )
    keys = song.add("electric piano", Sampled(4), ChannelStrip(-24, 0.2, (highpass(150),), {"plate": -14}), loose_ms=6)
    vamp, chorus = voicings(VAMP, 3, 55, 74, True), voicings(CHORUS, 4, 55, 76, True)
    roots = {"B": 34, "C": 36, "D": 38, "A": 33}
    for section in form.sections:
        for bar in range(section.bars):
            at = section.bar(bar)
            if section.label == "chorus":
                root, chord = roots[CHORUS[bar][0]], chorus[bar]
                rhythm(bass, at, "X_.x..x_.xx_..x_" if bar % 2 else "X_.x..x_X_..x.x_", [root])
                bass.play(at + 3.5, 0.2, root + 12, 96)
                rhythm(keys, at, "x__x__x_____x___", chord, scale=0.75)
                rhythm(guitar, at, "g.x.g.xxg.x.gxx.", chord[-3:], scale=0.75, gate=0.4)
                continue
            if section.label == "break" and bar < 2:
                rhythm(keys, at, "x_______________", vamp[bar], scale=0.7)
                bass.line(at, BASS[1].replace("|", ""), 88, unit=0.25, gate=0.7)
                continue
            bass.line(at, BASS[bar % 4].replace("|", ""), 98, unit=0.25, gate=0.8)
            rhythm(clav, at, ("x..gx.gx..x.g.x.", "..x.xg.x.gx..x.g")[bar % 2], vamp[bar % 4], scale=0.85, gate=0.5)
            if section.label != "intro":
                rhythm(guitar, at, "..x...x...x...xx", vamp[bar % 4], scale=0.8, gate=0.35)
            if section.name == "verse 2":
                rhythm(keys, at, "..........x__x__", vamp[bar % 4], scale=0.7)


def write_horns(song: Song) -> None:
    """Short answers in the verses, shouts in the choruses, a trumpet tune in the second verse."""
    form = song.form
    brass = song.add(
        "brass",
        Sampled(61, compensate=False),
        ChannelStrip(-21, 0.1, (highpass(180), bell(2500, 2)), {"plate": -13}, "horns"),
        loose_ms=6,
    )
    sax = song.add(
        "saxophone",
        Sampled(66, compensate=False),
        ChannelStrip(-24, -0.2, (highpass(150),), {"plate": -13}, "horns"),
        loose_ms=7,
    )
    trumpet = song.add(
        "trumpet",
        Sampled(59, compensate=False),
        ChannelStrip(-22, -0.1, (highpass(250),), {"plate": -11}),
        loose_ms=8,
        late_ms=6,
    )
    for name in ("verse 1", "verse 2"):
        for half in (4,) if name == "verse 1" else (2, 6):
            for part in (brass, sax):
                part.line(form[name].bar(half), HORNS, 100, unit=0.25)
    for name in ("chorus 1", "chorus 2"):
        for half in (0, 4):
            for part in (brass, sax):
                part.line(form[name].bar(half), SHOUT, 108, unit=0.25)
    trumpet.line(
        form["verse 2"].start,
        "r:3 A4:1 C5:2 D5:2 | F5:3 D5:1 C5:1 A4:3 | r:1 B4:1 D5:1 F5:1 G5:2 F5:1 D5:1 | C5:1 A4:1 G4:2 A4:4 |",
        90,
    )
    brass.line(form["outro"].start, "r:8 | r:8 | r:8 | D5+F5+A5:1'! r:1 D5+F5+A5:1'! r:5 |", 112)
