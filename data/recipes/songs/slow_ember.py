"""Slow Ember: a drowsy beat with swung sixteenths, electric piano and flute, that burns down at the end."""

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
    sweep,
    transient,
    tremolo,
)
from data.recipes.engine.harmony import voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.patterns import rhythm
from data.recipes.engine.score import Form, ScoreSection
from data.recipes.engine.synths import crackle, soft_pad, sub_bass

A = ["Dm9", "G13", "Cmaj9", "Am9"]
B = ["Fmaj9", "Em7", "Dm9", "Bbmaj7"]
HOOK = """r:1 A5:1 C6:1 E6:2 D6:1 C6:1 A5:1 | B5:3 G5:1 E5:2 r:2 | r:1 G5:1 B5:1 D6:2 C6:1 B5:1 G5:1 | A5:4 r:4 |"""
HOOK_AGAIN = """r:1 A5:1 C6:1 E6:1 G6:2 E6:1 C6:1 | D6:2 B5:1 A5:1 G5:2 E5:2 |
r:1 D6:.5 E6:.5 D6:1 B5:1 G5:2 E5:1 G5:1 | A5:3 C6:1 B5:1 A5:3 |"""
GUITAR = """C5:2 A4:1 G4:1 A4:2 C5:2 | B4:3 D5:1 B4:2 G4:2 | A4:2 F4:1 A4:1 C5:2 E5:2 | D5:4 C5:2 A4:2 |"""
BEAT = [
    {"kick": "X......x..x.....", "snare": "....X.....g.X..g", "hat": "x.x.x.xgx.x.x.x."},
    {"kick": "X......x.xx.....", "snare": "....X..g....X.g.", "hat": "x.x.xgx.x.x.x..."},
]
FILL = {"kick": "X......x..x.....", "snare": "....X..g..x.x.xx", "hat": "x.x.x.x........."}
SPARSE = {"kick": "X.........x.....", "rim": "....o.......o...", "hat": "o.......o......."}


def compose() -> Song:
    """Write the song."""
    form = Form(76, lead_in=0.2, tail=6.0, swing=0.58, swing_unit=0.25)
    form.section("intro", 4)
    form.section("verse 1", 8)
    form.section("chorus", 4)
    form.section("verse 2", 8)
    form.section("outro", 6, held=True)
    song = Song(
        "slow_ember",
        {
            "title": "Slow Ember",
            "artist_name": "Kettle & Moth",
            "description": "Drowsy lo-fi beat: swung drums, warm electric piano, a flute hook, a slow burn-down.",
            "tags": ["lo-fi", "study", "night", "vlog", "chill"],
            "moods": ["relaxed", "nostalgic", "warm"],
            "genres": ["lo-fi", "hip hop", "downtempo"],
            "instruments": ["electric piano", "flute", "guitar", "bass", "drums"],
            "bpm": 76,
            "energy": 0.3,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "D",
        "dorian",
        seed=8,
        lufs=-14.5,
        quality=0.1,
        pump="kick",
        traits=("come-down outro", "long ambient tail", "swung sixteenths", "held last chord"),
    )
    song.key_mode = "minor"
    song.spaces = {
        "room": reverb(0.6, 5, 0.7, seed=24),
        "hall": reverb(3.6, 30, 0.6, seed=25),
        "echo": echo(60 / 76 * 0.75, 0.45, 2200),
    }
    song.groups = {"drums": Bus((saturate(5, 0.6), compress(-8, 3, 20, 150), lowpass(11000, 1)))}
    song.bus = (low_shelf(80, 1.5), high_shelf(6500, 1.5), compress(-4, 1.8, 25, 220), saturate(1.5, 0.6))
    song.rides = [
        (0, -2),
        (form["verse 1"].start, 0),
        (form["outro"].start, -1),
        (form["outro"].bar(3), -6),
        (form.end, -13),
    ]
    write_beat(song)
    write_chords(song)
    return song


def chords_of(section: ScoreSection) -> list[str]:
    """The chord of each bar of a section."""
    if section.label == "outro":
        return ["Dm9", "Cmaj9", "Dm9", "Cmaj9", "Dm9", "Dm9"]
    return (B if section.label == "chorus" else A * 2)[: section.bars]


def write_beat(song: Song) -> None:
    """Soft drums behind the beat, and the dust of a record."""
    form = song.form
    kit = song.kit(
        0,
        {
            "kick": ChannelStrip(-18.5, 0, (lowpass(4000), bell(60, 4), bell(300, -3)), {"room": -18}, "drums"),
            "snare": ChannelStrip(
                -21,
                0.02,
                (highpass(120), bell(210, 3), lowpass(8000), transient(-1)),
                {"room": -11, "hall": -22},
                "drums",
            ),
            "hat": ChannelStrip(-30, 0.2, (highpass(500), lowpass(9500)), {"room": -16}, "drums"),
            "percussion": ChannelStrip(-32, -0.4, (highpass(700),), {"hall": -12}, "drums"),
        },
        loose_ms=4,
        late_ms=6,
        touch=7,
    )
    dust = song.add("dust", Made(crackle(), "crackle"), ChannelStrip(-36, 0, (), {}), loose_ms=0, touch=0)
    dust.play(0.0, form.end - 2, 60, 100)
    for section in form.sections:
        for bar in range(section.bars):
            at, last = section.bar(bar), bar % 4 == 3
            if section.label in ("verse", "chorus"):
                kit.pattern(at, FILL if last and bar == section.bars - 1 else BEAT[bar % 2], scale=0.88)
                if section.name != "verse 1":
                    kit.pattern(at, {"shaker": "..x...x...x...xg"}, scale=0.8)
            elif section.label == "intro" and bar >= 2:
                kit.pattern(at, SPARSE, scale=0.85)
            elif section.label == "outro" and bar < 3:
                kit.pattern(at, SPARSE, scale=0.8 - 0.1 * bar)


def write_chords(song: Song) -> None:
    """Electric piano, bass, guitar, pad and the flute's hook."""
    form = song.form
    opening = sweep(
        [
            (0, 900),
            (float(form.time(form["verse 1"].start)), 6500),
            (float(form.time(form["outro"].start)), 6500),
            (float(form.time(form.end)), 900),
        ]
    )
    rhodes = song.add(
        "electric piano",
        Sampled(4),
        ChannelStrip(
            -19,
            0,
            (highpass(90), bell(250, -2), tremolo(2.5, 0.25, True), chorus(0.4, 2, 0.3), opening),
            {"room": -16, "hall": -14},
            duck=(2.5, 0.25),
        ),
        loose_ms=8,
        late_ms=4,
    )
    bass = song.add(
        "bass",
        Sampled(33),
        ChannelStrip(-19, 0, (lowpass(1800), bell(80, 2), compress(-8, 3, 15, 140)), duck=(2, 0.2)),
        loose_ms=5,
        late_ms=4,
    )
    sub = song.add(
        "sub", Made(sub_bass(1.6), "sub"), ChannelStrip(-23, 0, (lowpass(140),), duck=(4, 0.2)), loose_ms=0, touch=0
    )
    guitar = song.add(
        "guitar",
        Sampled(26),
        ChannelStrip(
            -23.5, -0.4, (highpass(150), lowpass(5500), chorus(0.7, 1.5, 0.3)), {"room": -14, "echo": -14, "hall": -16}
        ),
        loose_ms=9,
        late_ms=8,
    )
    pad = song.add("pad", Made(soft_pad(1.6, 3.5, 900), "pad"), ChannelStrip(-28, 0, (highpass(220),), {"hall": -7}))
    flute = song.add(
        "flute",
        Sampled(73, compensate=False),
        ChannelStrip(-22, 0.15, (highpass(300), lowpass(7000)), {"echo": -12, "hall": -10}),
        loose_ms=10,
        late_ms=6,
    )
    for section in form.sections:
        chords = chords_of(section)
        keys = voicings(chords, 4, 55, 74, rootless=True)
        for n, name in enumerate(chords):
            at, root = (
                section.bar(n),
                {"Dm9": 38, "G13": 31, "Cmaj9": 36, "Am9": 33, "Fmaj9": 29, "Em7": 28, "Bbmaj7": 34}[name],
            )
            fade = 0.06 * n if section.label == "outro" else 0.0
            if section.label == "outro" and n == 5:
                rhodes.play(at, 6, [*keys[n], keys[n][-1] + 12], 58)
                sub.play(at, 4, 38, 80)
                pad.play(at, 5, keys[n], 70)
                continue
            figure = ("x______o___x____", "x__o___x______o_")[n % 2] if section.label != "outro" else "x_______________"
            rhythm(rhodes, at, figure, keys[n], scale=0.72 - fade)
            if section.label != "intro":
                rhythm(
                    bass,
                    at,
                    ("X_____x...x___o_", "X______x..x_x___")[n % 2] if section.label != "outro" else "x_______________",
                    [root],
                    scale=0.85 - fade,
                )
                sub.play(at, 3.4, root if root > 33 else root + 12, 90)
            if section.label in ("chorus", "outro") or section.name == "verse 2":
                pad.play(at, 3.95, keys[n], 80)
    guitar.line(form["intro"].start, GUITAR, 74, shift=0)
    flute.line(form["verse 1"].bar(4), HOOK, 78)
    guitar.line(form["chorus"].start, GUITAR, 84)
    flute.line(form["verse 2"].start, HOOK, 84)
    flute.line(form["verse 2"].bar(4), HOOK_AGAIN, 88)
    guitar.line(form["outro"].start, "C5:2 A4:2 E4:4 | D5:4 B4:4 | C5:2 A4:2 E5:4 | r:8 |", 66)
