"""Rooftop Relay: funk in E dorian with slap bass, clavinet and horns, stopped dead on its last hit."""

from __future__ import annotations

from data.recipes.engine.effects import (
    amplifier,
    bell,
    compress,
    echo,
    high_shelf,
    highpass,
    low_shelf,
    reverb,
    saturate,
    sweep,
    transient,
)
from data.recipes.engine.harmony import key, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Sampled, Song
from data.recipes.engine.patterns import rhythm
from data.recipes.engine.score import Form, ScoreSection

GROOVE = ["Em9", "Em9", "A13", "A13"]
CHORUS = ["Cmaj7", "Bm7", "Am9", "Bm7", "Cmaj7", "Bm7", "Am9", "B7#9"]

BEATS = [
    {"kick": "X..x......x..x..", "snare": "....X..g.g..X..g", "hat": "X.xoX.xoX.xoX.xg"},
    {"kick": "X..x..g...x.x...", "snare": "....X..g.gg.X.g.", "hat": "X.xoX.xoX.x.....", "open": "..............x."},
]
CHORUS_BEATS = [
    {"kick": "X..x..x...x..x.x", "snare": "....X..g.g..X..g", "ride": "X.x.X.x.X.x.X.x.", "tamb": "..x...x...x...x."},
    {"kick": "X..x..x..xx...x.", "snare": "....X..g.g..X.gg", "ride": "X.x.X.x.X.x.X.x.", "tamb": "..x...x...x...x."},
]
FILLS = [
    {"kick": "X..x............", "snare": "....X..ggxgxXgXX", "hat": "X.xoX.x........."},
    {"kick": "X..x....x.......", "snare": "....X.xx..f.....", "tom1": "............xx..", "tom5": "..............XX"},
    {"kick": "X.....X...X.....", "snare": "...X..X..X..XxXX", "crash": "......X........."},
]
BASS = [
    "E2:1.5 r:.5 E2:.5 r:.5 E3:.5' D3:.5 r:.5 E3:.5! r:.5 D3:.5 B2:1 D3:.5' D2:.5 |",
    "E2:1.5 r:.5 E2:.5 r:.5 E3:.5' G2:.5 r:.5 A2:.5! r:.5 B2:.5 D3:1 E3:.5' G#2:.5 |",
    "A2:1.5 r:.5 A2:.5 r:.5 A3:.5' G3:.5 r:.5 A3:.5! r:.5 G3:.5 E3:1 G2:.5' G#2:.5 |",
    "A2:1.5 r:.5 A2:.5 r:.5 A3:.5' C3:.5 r:.5 C#3:.5! r:.5 E3:.5 G3:1 A3:.5' D#2:.5 |",
]
HORNS_VERSE = [
    "r:8 |",
    "r:3 B4+D5+G5:1' r:1 B4+D5+F#5:1' r:2 |",
    "r:8 |",
    "r:2 C#5+E5+G5:.5' r:.5 C#5+E5+A5:1' r:1 C#5+E5+B5:2 r:1 |",
]
HORNS_CHORUS = """G5:1.5 E5:.5 G5:1 B5:2 A5:1 G5:1 E5:1 | D5:1.5 F#5:.5 A5:1 B5:3 r:2 |
C6:1.5 B5:.5 A5:1 G5:2 E5:1 G5:1 A5:1 | F#5:3 D5:1 r:2 F#5:1 A5:1 |
G5:1.5 E5:.5 G5:1 B5:2 A5:1 B5:1 D6:1 | B5:3 A5:1 F#5:2 D5:2 | E5:1.5 G5:.5 A5:1 C6:2 B5:1 A5:1 G5:1 |
F#5:2 r:1 D#5+A5:1' r:1 D#5+A5:1' F#5+C6:1' r:1 |"""
SOLO = """E5:1 G5:.5 A5:.5 Bb5:.5 A5:.5 G5:1 r:1 B5:1 D6:1' B5:1 |
A5:.5 G5:.5 E5:1 r:1 D5:.5 E5:.5 G5:1 E5:1' r:2 |
r:1 C#6:1 E6:1 C#6:.5 B5:.5 A5:1 G5:.5 A5:.5 C#6:1 A5:1' |
G5:.5 A5:.5 G5:.5 E5:.5 C#5:1 E5:1 A5:3 r:1 |
B5:.5 D6:.5 E6:1 D6:.5 B5:.5 A5:1 G5:.5 A5:.5 Bb5:.5 A5:.5 G5:1 E5:1 |
r:2 E5:.5 G5:.5 A5:.5 B5:.5 D6:1 B5:1' A5:1 G5:1 |
E6:2 C#6:.5 E6:.5 C#6:.5 A5:.5 G5:1 A5:1' C#6:1 E6:1 |
D6:.5 C#6:.5 A5:1 G5:1 E5:1 B4:.5 D5:.5 D#5:.5 E5:.5 r:2 |"""


def compose() -> Song:
    """Write the song."""
    form = Form(104, lead_in=0.12, tail=-1.5, swing=0.54, swing_unit=0.25)
    for name, bars in (("intro", 4), ("verse 1", 8), ("chorus 1", 8), ("verse 2", 8), ("break", 4), ("chorus 2", 8)):
        form.section(name, bars)
    form.section("outro", 3, held=True)
    song = Song(
        "rooftop_relay",
        {
            "title": "Rooftop Relay",
            "artist_name": "The Ladder Company",
            "description": "Tight funk with slap bass, clavinet and three horns; it stops dead on the last hit.",
            "tags": ["funk", "groove", "city", "chase", "comedy"],
            "moods": ["playful", "confident", "energetic"],
            "genres": ["funk", "soul"],
            "instruments": [
                "slap bass",
                "clavinet",
                "electric guitar",
                "trumpet",
                "saxophone",
                "trombone",
                "drums",
                "organ",
            ],
            "bpm": 104,
            "energy": 0.75,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "E",
        "minor",
        seed=5,
        lufs=-13.0,
        traits=("abrupt ending", "ghost notes", "sixteenth swing", "sections vary"),
    )
    song.spaces = {
        "room": reverb(0.6, 5, 0.8, seed=15),
        "plate": reverb(1.3, 14, 0.78, seed=16),
        "echo": echo(60 / 104 * 0.75, 0.3),
    }
    song.groups = {"drums": Bus((compress(-8, 2.5, 14, 110, mix=0.7),)), "horns": Bus((compress(-5, 2.5, 8, 120),))}
    song.bus = (low_shelf(80, 1.0), high_shelf(8000, 2.0), compress(-3, 1.6, 25, 160), saturate(0.8, 0.5))
    song.cut_at = form["outro"].bar(2) + 0.42
    song.rides = [
        (0, -3),
        (form["verse 1"].start, -2.2),
        (form["verse 1"].end - 0.2, -2.2),
        (form["chorus 1"].start, 0),
        (form["chorus 1"].end - 0.2, 0),
        (form["verse 2"].start, -1.6),
        (form["break"].end - 0.2, -1.6),
        (form["chorus 2"].start, 0.4),
    ]
    write_drums(song)
    write_band(song)
    write_horns(song)
    return song


def write_drums(song: Song) -> None:
    """A dry kit with many ghost notes, congas behind it."""
    form = song.form
    kit = song.kit(
        8,
        {
            "kick": ChannelStrip(
                -19, 0, (bell(65, 3), bell(400, -5), bell(3800, 4), transient(2)), {"room": -22}, "drums"
            ),
            "snare": ChannelStrip(
                -19, 0.03, (highpass(130), bell(230, 2), bell(5000, 4), transient(2)), {"room": -12}, "drums"
            ),
            "hat": ChannelStrip(-26, 0.3, (highpass(500), high_shelf(9000, 3)), {"room": -18}, "drums"),
            "toms": ChannelStrip(-22, -0.15, (bell(120, 3),), {"room": -12}, "drums"),
            "cymbals": ChannelStrip(-27, -0.25, (highpass(350), high_shelf(9000, 2)), {"plate": -18}, "drums"),
            "percussion": ChannelStrip(-28, -0.45, (highpass(200),), {"room": -10, "plate": -20}),
        },
        touch=5,
        loose_ms=3,
    )
    for section in form.sections:
        for bar in range(section.bars):
            at, last = section.bar(bar), bar == section.bars - 1
            if section.label == "outro" and last:
                for name in ("kick", "snare", "crash"):
                    kit.hit(name, at, 124)
                continue
            if section.label == "break" and bar < 3:
                kit.pattern(
                    at,
                    {
                        "kick": "X...............",
                        "conga2": "x.xg..x.x.xg.x.x",
                        "conga3": "....x..x....x...",
                        "hat": "x...x...x...x...",
                    },
                )
                continue
            if last or (section.label == "chorus" and bar == 3):
                fill = 2 if section.label == "break" else (section.first_bar + bar) % 2
                kit.pattern(at, FILLS[fill])
            else:
                kit.pattern(at, (CHORUS_BEATS if section.label in ("chorus", "outro") else BEATS)[bar % 2])
            if section.label in ("verse", "chorus"):
                kit.pattern(at, {"conga1": "..g...x...g.x...", "conga2": "....x.....x...xx"}, scale=0.8)
        if section.label in ("chorus", "verse", "outro"):
            kit.hit("crash", section.start, 104)


def chords_of(section: ScoreSection) -> list[str]:
    """The chord of each bar of a section."""
    return CHORUS if section.label == "chorus" else (GROOVE * 2)[: section.bars]


def write_band(song: Song) -> None:
    """Slap bass, clavinet, wah guitar, organ."""
    form = song.form
    bass = song.add(
        "bass",
        Sampled(36),
        ChannelStrip(-17.5, 0, (highpass(36), bell(85, 3), bell(300, -2), compress(-8, 4, 10, 110))),
        loose_ms=3,
    )
    clav = song.add(
        "clavinet",
        Sampled(7),
        ChannelStrip(-22.5, -0.5, (highpass(180), saturate(4, 0.5), bell(1600, 3)), {"room": -14}),
        loose_ms=4,
    )
    wah = song.add(
        "guitar",
        Sampled(28),
        ChannelStrip(-23.5, 0.55, (amplifier(5, 5200), highpass(250), bell(1400, 4)), {"room": -14, "echo": -22}),
        loose_ms=4,
    )
    moving = sweep([(t * 0.5769, 700 if t % 2 else 5500) for t in range(0, 200)])
    organ = song.add(
        "organ", Sampled(17), ChannelStrip(-26.5, 0.2, (highpass(180), moving), {"plate": -14}), loose_ms=6
    )
    keys_ = song.add(
        "electric piano",
        Sampled(4),
        ChannelStrip(-25, 0.25, (highpass(150), bell(2500, 2)), {"plate": -16}),
        loose_ms=5,
    )
    for section in form.sections:
        chords = chords_of(section)
        middle = voicings(chords, 4, 55, 74, rootless=True)
        for n, name in enumerate(chords):
            at = section.bar(n)
            if section.label == "outro" and n == section.bars - 1:
                bass.play(at, 0.4, 28, 120)
                for part in (clav, wah, organ, keys_):
                    part.play(at, 0.4, [64, 67, 71, 74], 112)
                continue
            if section.label == "chorus":
                root = {"Cmaj7": 36, "Bm7": 35, "Am9": 33, "B7#9": 35}[name]
                rhythm(bass, at, "X__.x.X_..x.X_x_", [root], scale=0.95)
                bass.play(at + 0.75, 0.2, root + 12, 96)
                bass.play(at + 2.25, 0.2, root + 12, 88)
                rhythm(keys_, at, "X_____x_..x_..x_", middle[n], scale=0.8)
                rhythm(organ, at, "x_______________", [k + 12 for k in middle[n][1:]], scale=0.75)
                rhythm(wah, at, "..x...x...x.g.xg", middle[n][-3:], scale=0.8, gate=0.5)
            else:
                if section.label != "break":
                    bass.line(at, BASS[n % 4], 98)
                rhythm(clav, at, ("X..x.gx..xg.x.gx", "X..x.gx..xgx..xx")[n % 2], middle[n], scale=0.85, gate=0.55)
                rhythm(
                    wah,
                    at,
                    ("....x.g.....x.gg", "....x.g...g.x.x.")[n % 2],
                    middle[n][-3:],
                    scale=0.8,
                    gate=0.4,
                )
                if section.name == "verse 2":
                    rhythm(keys_, at, "......x_......x_", [k + 12 for k in middle[n]], scale=0.7)
            if section.label == "chorus":
                rhythm(clav, at, "..x...x...x...x.", middle[n], scale=0.7, gate=0.5)


def write_horns(song: Song) -> None:
    """Trumpet, tenor saxophone and trombone: stabs in verses, the tune in choruses, a saxophone solo over verse 2."""
    form = song.form
    parts = [
        song.add(
            name,
            Sampled(program, compensate=True),
            ChannelStrip(level, pan, (highpass(160), bell(2500, 2)), {"plate": -13, "room": -16}, "horns"),
            loose_ms=6,
        )
        for name, program, level, pan in (
            ("trumpet", 56, -22, 0.2),
            ("saxophone", 66, -22.5, -0.2),
            ("trombone", 57, -24, 0.0),
        )
    ]
    trumpet, saxophone, trombone = parts
    solo = song.add(
        "solo saxophone",
        Sampled(65),
        ChannelStrip(-20, -0.08, (highpass(200), bell(3000, 2)), {"plate": -11, "echo": -16}),
        loose_ms=8,
    )
    for name in ("chorus 1", "chorus 2"):
        trumpet.line(form[name].start, HORNS_CHORUS, 98)
        saxophone.line(form[name].start, HORNS_CHORUS, 94, shift=-12)
        for n, keys in enumerate(voicings(CHORUS, 3, 52, 68)):
            rhythm(trombone, form[name].bar(n), "x_____x_........", [keys[0]], scale=0.9)
    for section in (form["verse 1"], form["break"], form["outro"]):
        for n in range(section.bars - (section.label == "outro")):
            trumpet.line(section.bar(n), HORNS_VERSE[n % 4], 96, shift=0)
            trombone.line(section.bar(n), HORNS_VERSE[n % 4], 88, shift=-12)
    solo.line(form["verse 2"].start, SOLO, 96, shift=-12)
    last = form["outro"].bar(2)
    for part, name in zip((trumpet, saxophone, trombone), ("B5", "G4", "E3"), strict=True):
        part.play(last, 0.4, key(name), 118)
