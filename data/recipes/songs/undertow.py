"""Undertow: drum and bass at 174 that drops to half time in the middle, and comes back."""

from __future__ import annotations

import numpy as np

from data.recipes.engine.effects import (
    bell,
    compress,
    echo,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    mono_below,
    reverb,
    saturate,
    sweep,
    transient,
)
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.patterns import arpeggio, rhythm
from data.recipes.engine.score import Form, ScoreSection
from data.recipes.engine.synths import (
    bell_tone,
    faller,
    hat,
    impact,
    kick_drum,
    pluck,
    reese,
    riser,
    snare_drum,
    soft_pad,
    sub_bass,
    supersaw,
)

CHORDS = ["Am9", "Fmaj9", "Dm9", "Em7"]
HALF = ["Fmaj9", "Am9", "Cmaj7", "G"]
TUNE = """E5:3 D5:1 C5:2 B4:2 | A4:6 C5:2 | D5:3 F5:1 E5:2 D5:2 | C5:4 r:2 G4:1 A4:1 |
E5:3 G5:1 E5:2 D5:2 | C5:4 A5:4 | G5:3 E5:1 D5:2 B5:2 | G5:2 E5:2 B4:4 |"""
HALF_TUNE = (
    """A5:6 G5:2 | E5:8 | r:2 G5:2 E5:2 D5:2 | D5:3 B4:5 | A5:4 C6:4 | B5:2 G5:2 E5:4 | r:2 E5:2 G5:2 B5:2 | A5:8 |"""
)
BREAKS = [
    {"kick": "X.........x.....", "snare": "....X..g.g..X..g", "hat": "x.oxx.oxx.oxx.ox"},
    {"kick": "X.....x...x.....", "snare": "....X..g.g.gX.g.", "hat": "x.oxx.oxx.oxx.o.", "open": "..............x."},
    {"kick": "X.........x...x.", "snare": "....X..g.g..X..g", "hat": "x.oxx.oxx.oxxoox"},
    {"kick": "X..x......x.....", "snare": "....X.g..ggoX.xx", "hat": "x.oxx.oxx.oxx.ox"},
]
ROLL = {"kick": "X.....x.........", "snare": "....X..xx.xxXxXX", "hat": "x.oxx.ox........"}
SLOW_BREAKS = [
    {"kick": "X.....x.....g...", "snare": "........X.......", "hat": "x.x.x.x.x.x.xgx."},
    {"kick": "X..x......x.....", "snare": "........X.....gg", "hat": "x.x.x.xgx.x.x.xx"},
]


def compose() -> Song:
    """Write the song."""
    form = Form(174, lead_in=4 * 60 / 174, tail=4.0)
    for name, bars in (("intro", 8), ("build 1", 8), ("drop 1", 16), ("half time", 16), ("build 2", 4), ("drop 2", 16)):
        form.section(name, bars)
    form.section("outro", 4, held=True)
    song = Song(
        "undertow",
        {
            "title": "Undertow",
            "artist_name": "Meridian 9",
            "description": "Liquid drum and bass with a growling bass; the middle drops to half time and opens up.",
            "tags": ["drum and bass", "sport", "speed", "night drive", "gaming"],
            "moods": ["intense", "driving", "euphoric"],
            "genres": ["drum and bass", "electronic"],
            "instruments": ["synthesizer", "drums", "sub bass", "piano", "strings"],
            "bpm": 174,
            "energy": 0.92,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "A",
        "minor",
        seed=9,
        lufs=-11.5,
        pump="kick",
        traits=("half-time drop", "lead-in", "fast", "held last chord"),
    )
    song.spaces = {
        "room": reverb(0.5, 4, 0.8, seed=27),
        "hall": reverb(2.6, 24, 0.7, seed=28),
        "echo": echo(60 / 174 * 1.5, 0.45, 3800),
    }
    song.groups = {
        "drums": Bus((compress(-7, 2.5, 12, 90, mix=0.7), saturate(2.0, 0.5))),
        "music": Bus((compress(-6, 1.8, 20, 140),)),
    }
    song.bus = (
        mono_below(110),
        low_shelf(70, 1.0),
        high_shelf(8500, 1.0),
        compress(-3, 1.5, 25, 120),
        saturate(1.0, 0.5),
    )
    write_drums(song)
    write_music(song)
    return song


def write_drums(song: Song) -> None:
    """Two-step with ghost notes; half as fast in the middle; a roll before each drop."""
    form = song.form
    kit = song.kit(
        16,
        {
            "kick": ChannelStrip(-18.5, 0, (bell(58, 2), bell(280, -3)), {}, "drums"),
            "snare": ChannelStrip(-18.0, 0, (highpass(130),), {"room": -12, "hall": -20}, "drums"),
            "hat": ChannelStrip(-26, 0.15, (highpass(600), high_shelf(9000, 2)), {"room": -18}, "drums"),
            "cymbals": ChannelStrip(-25, -0.2, (highpass(350),), {"hall": -16}, "drums"),
        },
        loose_ms=0.8,
        touch=2,
        made={
            "kick": Made(kick_drum(52, 4.0, 0.2, 0.7), "kick"),
            "snare": Made(snare_drum(205, 1.0, 0.16, 10500), "snare"),
        },
    )
    layer = song.add(
        "snare layer",
        Sampled(16, 128),
        ChannelStrip(-22, 0, (highpass(220), transient(3)), {"room": -10}, "drums"),
        loose_ms=0.8,
    )
    top = song.add(
        "tops", Made(hat(0.03, 0.9), "tops"), ChannelStrip(-31, -0.3, (), {"room": -18}, "drums"), loose_ms=0, touch=0
    )
    for section in form.sections:
        for bar in range(section.bars):
            at, last = section.bar(bar), bar == section.bars - 1
            if section.label == "drop":
                kit.pattern(at, ROLL if last or bar == 7 else BREAKS[bar % 4])
                layer.steps(at, "....x.......x...", 40)
                top.steps(at, "xgxgxgxgxgxgxgxg", 42)
            elif section.label == "half time":
                kit.pattern(at, ROLL if last else SLOW_BREAKS[bar % 2])
                layer.steps(at, "........X.......", 40)
            elif section.label == "build":
                if section.bars == 8 and bar < 6:
                    kit.pattern(at, {"kick": "x...............", "hat": "x.oxx.oxx.oxx.ox"}, scale=0.8)
                else:
                    step = (
                        "x...x...x...x..."
                        if section.bars - bar > 2
                        else "x.x.x.x.x.x.x.x."
                        if not last
                        else "xxxxxxxxxxxx...."
                    )
                    kit.pattern(at, {"snare": step}, scale=0.7 + 0.06 * (4 - section.bars + bar))
            elif section.label == "intro" and bar >= 4:
                top.steps(at, "x.g.x.g.x.g.x.g.", 42)
        if section.label in ("drop", "half time"):
            kit.hit("crash", section.start, 112)
            kit.hit("crash2", section.bar(8), 96)
    kit.hit("kick", form["outro"].start, 118)
    kit.hit("crash", form["outro"].start, 112)
    machine = {"loose_ms": 0.0, "touch": 0.0}
    up = song.add("riser", Made(riser(200, 11000, 0.15), "riser"), ChannelStrip(-25, 0, (), {"hall": -12}), **machine)
    up.play(-4, 3.95, 45, 90)
    for name in ("build 1", "build 2"):
        up.play(form[name].end - 15, 14.8, 57, 112)
    up.play(form["half time"].end - 8, 7.9, 57, 96)
    down = song.add("faller", Made(faller(3.0), "faller"), ChannelStrip(-25, 0, (), {"hall": -10}), **machine)
    boom = song.add("impact", Made(impact(41), "impact"), ChannelStrip(-21, 0, (), {"hall": -14}), **machine)
    for section in form.sections:
        if section.label in ("drop", "half time", "outro"):
            boom.play(section.start, 1, 30, 112)
            down.play(section.start, 1, 60, 100)


def chords_of(section: ScoreSection) -> list[str]:
    """The chord of each bar; in half time a chord lasts two bars."""
    if section.label == "half time":
        return [name for name in HALF * 2 for _ in range(2)]
    if section.label == "outro":
        return ["Am9", "Fmaj9", "Am9", "Am9"]
    return [name for name in CHORDS * 2 for _ in range(2)][: section.bars]


def write_music(song: Song) -> None:
    """Reese and sub, pad, arpeggio, piano, strings and two leads."""
    form, rng = song.form, np.random.default_rng(song.seed)
    places = [
        ("intro", 700),
        ("build 1", 1500),
        ("drop 1", 9000),
        ("half time", 5000),
        ("build 2", 2000),
        ("drop 2", 11000),
    ]
    opening = sweep([(float(form.time(form[name].start)), hz) for name, hz in places])
    sub = song.add(
        "sub", Made(sub_bass(1.8), "sub"), ChannelStrip(-17.5, 0, (lowpass(180),), duck=(8, 0.13)), loose_ms=0, touch=0
    )
    growl = song.add(
        "reese",
        Made(reese(650, 0.725, 1.3), "reese"),
        ChannelStrip(-19, 0, (highpass(95), saturate(3, 0.5), bell(1800, 3)), {"room": -22}, "music", duck=(6, 0.12)),
        loose_ms=0,
        touch=2,
    )
    pad = song.add(
        "pad",
        Made(soft_pad(0.8, 1.6, 1800), "pad"),
        ChannelStrip(-24, 0, (highpass(220),), {"hall": -8}, "music", duck=(3, 0.12)),
    )
    arp = song.add(
        "arpeggio",
        Made(pluck(1100, 2.6, 0.16, 0.26), "arp"),
        ChannelStrip(-23, 0.2, (highpass(300), opening), {"echo": -9, "hall": -12}, "music", duck=(3, 0.12)),
        loose_ms=0,
        touch=4,
    )
    piano = song.add(
        "piano",
        Sampled(1),
        ChannelStrip(-22.5, -0.15, (highpass(200), bell(2500, 3)), {"hall": -12, "echo": -18}, "music"),
        loose_ms=3,
    )
    strings = song.add(
        "strings",
        Sampled(48, font="muse", compensate=False),
        ChannelStrip(-24, 0, (highpass(250),), {"hall": -9}, "music"),
        late_ms=-20,
    )
    lead = song.add(
        "lead",
        Made(supersaw(5, 0.1, 4200, 0.7, 0.01, 0.9, 0.6, 0.2), "lead"),
        ChannelStrip(-20.5, 0, (highpass(300),), {"echo": -11, "hall": -11}, "music", duck=(3, 0.12)),
        loose_ms=1,
        touch=3,
    )
    bells = song.add(
        "bells",
        Made(bell_tone(3.01, 1.6, 1.4), "bells"),
        ChannelStrip(-24.5, 0.2, (highpass(400),), {"hall": -7, "echo": -12}, "music"),
    )
    for section in form.sections:
        chords = chords_of(section)
        keys = voicings(chords, 4, 55, 76)
        for n, name in enumerate(chords):
            at, root, first = section.bar(n), bass_line_root(name, 28), n == 0 or chords[n - 1] != name
            if section.label == "outro":
                if n in (0, 1):
                    arpeggio(arp, at, [k + 12 for k in keys[n]], [0, 1, 2, 3, 4, 3, 2, 1], velocity=84 - 10 * n)
                if n == 0:
                    sub.play(at, 7, root + 12, 104)
                if n in (0, 1, 2):
                    pad.play(at, 3.9 if n < 2 else 7.5, keys[n], 90 - 8 * n)
                if n in (0, 2, 3):
                    piano.play(at, 3.8 if n < 3 else 6, keys[n], 84 - 9 * n)
                continue
            if section.label == "drop":
                figure = ("X__x__X_..x_X___", "X__x__X_..x_x_xx")[n % 2]
                rhythm(growl, at, figure, [root + 12], scale=0.95, gate=0.92)
                rhythm(sub, at, "X_____x___x_____", [root if root > 31 else root + 12], scale=1.0)
                rhythm(piano, at, ("x__x__x_________", "..x__x__x_______")[n % 2], keys[n], scale=0.8)
                strings.play(at, 3.9, [key + 12 for key in keys[n][-2:]], 82)
            if section.label == "half time":
                rhythm(growl, at, ("X_______________", "..x___x___X_x_x_")[n % 2], [root + 12], scale=0.95)
                sub.play(at, 3.8, root if root > 31 else root + 12, 108)
                rhythm(piano, at, "x_______x___x___" if n % 2 else "x_______________", keys[n], scale=0.75)
                strings.play(at, 3.95, [key + 12 for key in keys[n][-3:]], 90)
            if first and section.label != "drop":
                pad.play(at, 7.9, keys[n], 92)
            if section.label != "half time" or n % 2:
                order = [int(index) for index in rng.permutation([0, 1, 2, 3, 4, 5, 3, 2])]
                arpeggio(arp, at, [k + 12 for k in keys[n]], order, step=0.5, velocity=86, accents=(12, 0, 4, 0))
            if section.label in ("intro", "build") and first:
                bells.play(at, 2, keys[n][3] + 12, 88)
                bells.play(at + 5, 2, keys[n][2] + 12, 76)
    for name in ("drop 1", "drop 2"):
        for half in (0, 8):
            lead.line(form[name].bar(half), TUNE, 96 if half else 92, gate=0.9)
            if name == "drop 2":
                bells.line(form[name].bar(half), TUNE, 80, shift=12)
    for half in (0, 8):
        bells.line(form["half time"].bar(half), HALF_TUNE, 96)
        lead.line(form["half time"].bar(half), HALF_TUNE, 84 + half, shift=-12 if half == 0 else 0, gate=0.98)
