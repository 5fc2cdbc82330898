"""No Way Back: a journey for orchestra that never returns; key, metre, tempo and players change from stage to stage."""

from __future__ import annotations

from data.recipes.engine.effects import (
    bell,
    compress,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    reverb,
    saturate,
    transient,
    widen,
)
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Sampled, Song
from data.recipes.engine.patterns import arpeggio, rhythm
from data.recipes.engine.score import SWELL, Form, Part

STAGES = (  # name, bars, metre, tempo from and to, and a chord for each bar; no chord follows another twice
    ("dawn", 4, "4/4", 76, 92, "Em9 Cmaj7 F#m7b5 B7b9"),
    ("road", 5, "4/4", 100, 116, "G Em7 Am7 D/F# Bb"),
    ("river", 6, "6/8", 64, 56, "Bbmaj7 Gm9 Ebmaj7 Cm7 Abmaj7 Dbmaj7"),
    ("machines", 5, "5/4", 132, 150, "C#m A F#m D G#7"),
    ("crossing", 6, "3/4", 118, 92, "F# D#m7 Bmaj7 G Em7 A7sus4"),
    ("clearing", 4, "4/4", 72, 62, "Dmaj9 Fmaj7 Dbmaj7 A7b9"),
    ("storm", 7, "4/4", 124, 152, "Dm Bbm Ebm B Em Ab Fm"),
    ("arrival", 5, "4/4", 96, 58, "Fm9 Bb7sus4 Gbmaj7 Abm6 Eb"),
)
CHORDS = {name: chords.split() for name, *_, chords in STAGES}

DAWN = """r:2 B4:3 E5:1 F#5:2 | G5:3 F#5:1 E5:2 B4:2 | C5:1 E5:1 A5:4 G5:1 F#5:1 | D#5:5~ r:3 |"""
ROAD = """D5:1 G5:2 A5:1 B5:3 A5:1 | G5:1 E5:1 D5:3 r:1 B4:1 D5:1 | E5:2 C5:1 A4:1 E5:1 G5:1 C6:2 |
B5:1 A5:2 F#5:3 D5:1 E5:1 | F5:3 D5:1 Bb4:2 C5:1 D5:1 |"""
RIVER = """F5:3 D5:2 C5:1 | Bb4:1 A4:1 Bb4:1 D5:3 | G5:2 F5:1 Eb5:1 D5:1 C5:1 | Eb5:4 G4:2 |
Ab4:1 C5:1 Eb5:1 G5:2 F5:1 | F5:3 Ab5:3 |"""
MACHINES = """r:2 G#4:1 C#5:2 D#5:1 E5:2 D#5:1 C#5:1 | A4:3 C#5:1 E5:2 F#5:1 E5:1 C#5:2 |
r:1 F#5:2 A5:3! G#5:1 F#5:1 C#5:2 | D5:1 F#5:1 A5:2 D6:3! C#6:1 B5:1 A5:1 | G#5:6! F#5:1 D#5:1 C5:2 |"""
CROSSING = """C#5:2 A#4:2 F#4:2 | A#4:3 G#4:1 F#4:2 | D#4:2 F#4:2 A#4:2 | B4:4 A4:1 G4:1 | G4:3 B4:3 | D5:4 E5:2 |"""
CLEARING = """r:3 A5:3 F#5:1 E5:1 | C5:2 E5:1 G5:1 A5:4 | Ab5:3 F5:1 C5:2 Eb5:2 | C#5:2 Bb4:2 G4:1 A4:1 C#5:1 E5:1 |"""
STORM = """D4:2! F4:1 A4:1 D5:3! C5:1 | Db5:2 Bb4:1 F4:1 Gb4:2 F4:2 | Eb4:1' Eb4:1' Gb4:2 Bb4:1 Eb5:3! |
F#5:2! D#5:2 B4:1 C#5:1 D#5:2 | E5:1 G5:1 B5:4! A5:1 G5:1 | Ab5:3! Eb5:1 C5:1' Eb5:1' Ab5:1' C6:1' |
C6:2! Ab5:1 F5:1 G5:1 Ab5:1 Bb5:1 C6:1 |"""
ARRIVAL = """C6:3 Ab5:1 G5:2 Eb5:2 | F5:4 Ab5:2 Bb5:2 | Db6:5 Bb5:1 F5:2 | Eb5:3 F5:1 Cb6:2 Bb5:2 | Bb5:9~"""


def compose() -> Song:
    """Write the journey."""
    form = Form(76, lead_in=0.5, tail=5.0)
    for name, bars, metre, bpm, to_bpm, chords in STAGES:
        if len(chords.split()) != bars:
            raise ValueError(f"{name} has {bars} bars")
        form.section(name, bars, metre=metre, bpm=bpm, to_bpm=to_bpm, held=name == "arrival")
    song = Song(
        "no_way_back",
        {
            "title": "No Way Back",
            "artist_name": "Meridian Ensemble",
            "description": "A through-composed journey for orchestra: eight stages, none of which is ever heard again.",
            "tags": ["orchestral", "journey", "through-composed", "film score"],
            "moods": ["adventurous", "changing", "dramatic"],
            "genres": ["orchestral", "cinematic"],
            "instruments": ["orchestra", "harp", "marimba", "choir", "piano", "brass", "percussion"],
            "bpm": 100,
            "energy": 0.55,
            "explicit": False,
            "instrumental": True,
            "expected_refusal": "no_viable_loop",
        },
        form,
        "E",
        "minor",
        kind="refusal",
        seed=51,
        lufs=-15.0,
        quality=0.2,
        traits=("never repeats", "key changes", "tempo changes", "metre changes", "held last chord"),
    )
    song.spaces = {"stage": reverb(1.2, 14, 0.78, seed=51), "hall": reverb(2.8, 26, 0.72, seed=52)}
    song.groups = {"drums": Bus((compress(-8, 2.2, 18, 150, mix=0.6), saturate(1.5, 0.4)))}
    song.bus = (low_shelf(90, 1.0), high_shelf(9000, 1.5), compress(-4, 1.5, 30, 220))
    levels = {"dawn": -7, "road": -4, "river": -5, "machines": -1, "crossing": -3, "clearing": -6.5, "storm": 0}
    song.rides = [
        point
        for section in form.sections
        for db in (levels.get(section.name, -2.5),)
        for point in ((section.start, db), (section.end - 0.5, db))
    ]
    write_quiet_stages(song)
    write_loud_stages(song)
    write_arrival(song)
    write_percussion(song)
    return song


def swelling(part: Part, at: float, length: float, keys: list[int], low: int, high: int, velocity: int = 84) -> None:
    """A held chord with a swell from one level to another."""
    part.play(at, length, keys, velocity)
    part.move(at, at + length * 0.9, SWELL, low, high)


def write_quiet_stages(song: Song) -> None:
    """Dawn for harp and flute, the road for oboe over plucked strings, the river for clarinet and marimba, a rest."""
    form = song.form
    dawn, road, river, clearing = (form[name] for name in ("dawn", "road", "river", "clearing"))
    wind = (highpass(200), high_shelf(6000, 2))

    harp = song.add("harp", Sampled(46), ChannelStrip(-22, -0.35, (highpass(90),), {"hall": -11}), loose_ms=6)
    flute = song.add("flute", Sampled(73, compensate=False), ChannelStrip(-22, 0.15, wind, {"hall": -9}), loose_ms=10)
    vibes = song.add("vibraphone", Sampled(11), ChannelStrip(-28, 0.4, (highpass(200),), {"hall": -8}), loose_ms=6)
    wide = voicings(CHORDS["dawn"], 5, 48, 76)
    orders = [
        (0, 1, 2, 3, 4, 3, 2, 1),
        (0, 2, 4, 5, 3, 1, -99, 2),
        (4, 2, 3, 1, 2, 0, 1, 3),
        (0, 1, 2, 3, 4, 5, 6, 7),
    ]
    for n, keys in enumerate(wide):
        harp.play(dawn.bar(n), 3.0, bass_line_root(CHORDS["dawn"][n], 36), 82)
        arpeggio(harp, dawn.bar(n), keys, orders[n], ring=2.5, velocity=66 + 5 * n, accents=(6, 0, -3))
        vibes.play(dawn.bar(n) + (1.5, 3.0, 0.5, 2.0)[n], 2.0, keys[(4, 3, 2, 4)[n]] + 12, 70)
    flute.line(dawn.start, DAWN, 80, gate=0.98)

    oboe = song.add("oboe", Sampled(68, compensate=False), ChannelStrip(-22, -0.12, wind, {"hall": -11}), loose_ms=9)
    plucked = song.add(
        "plucked strings", Sampled(45), ChannelStrip(-20, 0.25, (highpass(80),), {"hall": -11}), loose_ms=7
    )
    bassoon = song.add("bassoon", Sampled(70, compensate=False), ChannelStrip(-24, 0.2, (), {"hall": -12}), loose_ms=9)
    oboe.line(road.start, ROAD, 86, gate=0.96)
    plucks = ["x.oox.o.x.oox.oo", "x..x..x.o.x.x...", "x.x.o.x.xoo.x.o.", "xoxo..xoxo..xoxo", "x...x...x.x.xxxx"]
    walks = ["G2 B2 D3 G2", "E2 G2 B2 D3", "A2 G2 E2 A1", "F#2 A2 D3 C3", "Bb2 F2 D2 Bb1"]
    for n, keys in enumerate(voicings(CHORDS["road"], 3, 55, 72)):
        rhythm(plucked, road.bar(n), plucks[n], keys, scale=0.8, gate=0.7)
        bassoon.line(road.bar(n), " ".join(f"{name}:2'" for name in walks[n].split()), 84)

    clarinet = song.add(
        "clarinet", Sampled(71, compensate=False), ChannelStrip(-22, 0.1, wind, {"hall": -9}), loose_ms=10
    )
    marimba = song.add("marimba", Sampled(12), ChannelStrip(-23, -0.3, (highpass(120),), {"hall": -11}), loose_ms=5)
    cello = song.add("cello", Sampled(42, compensate=False), ChannelStrip(-23, -0.15, (), {"hall": -9}), loose_ms=10)
    celesta = song.add("celesta", Sampled(8), ChannelStrip(-29, 0.45, (highpass(400),), {"hall": -7}), loose_ms=6)
    clarinet.line(river.start, RIVER, 80, gate=0.99)
    waves = [(0, 1, 2, 3, 2, 1), (2, 0, 3, 1, 2, -99), (0, 2, 1, 3, 4, 3), (3, 2, 1, 0, -99, 1), (4, 3, 5, 2, 4, 1)]
    for n, keys in enumerate(voicings(CHORDS["river"], 4, 53, 74)):
        arpeggio(
            marimba, river.bar(n), keys, [*waves, (0, 1, 2, 4, 5, 7)][n], ring=0.9, velocity=78, accents=(8, -4, 0)
        )
        swelling(cello, river.bar(n), 2.95, [bass_line_root(CHORDS["river"][n], 36)], 70 + 6 * n, 116 - 7 * n)
        celesta.play(river.bar(n) + (2.5, 1.0, 2.0, 0.5, 1.5, 2.5)[n], 1.5, keys[n % 4] + 24, 68)

    piano = song.add(
        "piano",
        Sampled(0),
        ChannelStrip(-20, -0.05, (highpass(40), high_shelf(5000, 2)), {"stage": -15, "hall": -13}),
        touch=6,
    )
    violin = song.add(
        "violin", Sampled(40, compensate=False), ChannelStrip(-22, 0.2, (highpass(180), bell(3000, -2)), {"hall": -8})
    )
    violin.line(clearing.start, CLEARING, 82, gate=1.0)
    falls = [
        (0, 2, 1, 3, 2, 4, 3, 5),
        (5, 3, 4, 2, 3, 1, 2, 0),
        (0, 3, -99, 4, 2, 5, -99, 3),
        (0, 1, 3, 2, 4, 3, 5, 6),
    ]
    for n, keys in enumerate(voicings(CHORDS["clearing"], 4, 52, 72)):
        piano.play(clearing.bar(n), 3.6, bass_line_root(CHORDS["clearing"][n], 29), 72)
        arpeggio(piano, clearing.bar(n), keys, falls[n], ring=2.0, velocity=62, accents=(8, -2, 2))
        piano.pedal(clearing.bar(n), clearing.bar(n) + 4)


def write_loud_stages(song: Song) -> None:
    """Machines in five for short strings and trumpet, a crossing for horn and choir, a storm for everybody."""
    form = song.form
    machines, crossing, storm = (form[name] for name in ("machines", "crossing", "storm"))
    short = song.add(
        "short strings",
        Sampled(48),
        ChannelStrip(-20, -0.25, (highpass(120), high_shelf(5000, 4), transient(3)), {"stage": -13, "hall": -15}),
    )
    low = song.add("low strings", Sampled(43), ChannelStrip(-21, 0.3, (highpass(40), bell(300, -3)), {"hall": -13}))
    trumpet = song.add("trumpet", Sampled(56), ChannelStrip(-21, 0.1, (highpass(200),), {"stage": -14, "hall": -10}))
    trumpet.line(machines.start, MACHINES, 92)
    cogs = [
        "x.xox.xxo.x.xoxox.xo",
        "xxo.xxo.xo.xxo.xxox.",
        "x.x.xoxox..x..xoxxxx",
        "xoxxo.xoxxo.x.x.xoxx",
        "x...x..x..x.x.xxxxxx",
    ]
    steps = [
        "X.....x...X...x.....",
        "X...X...X.....X...x.",
        "X.x...X.......X.x...",
        "X..X..X..X..X..X..X.",
        "X.........X...X.X.X.",
    ]
    for n, keys in enumerate(voicings(CHORDS["machines"], 3, 59, 78)):
        rhythm(short, machines.bar(n), cogs[n], keys, scale=0.9, gate=0.6)
        rhythm(low, machines.bar(n), steps[n], [bass_line_root(CHORDS["machines"][n], 33)], scale=0.9, gate=1.6)

    horn = song.add("horn", Sampled(60), ChannelStrip(-20, -0.2, (highpass(80),), {"hall": -8}), loose_ms=9)
    choir = song.add(
        "choir",
        Sampled(52, font="muse", compensate=False),
        ChannelStrip(-25, 0, (highpass(150), lowpass(7000), widen(1.2)), {"hall": -7}),
    )
    horn.line(crossing.start, CROSSING, 88, gate=1.0)
    for n, keys in enumerate(voicings(CHORDS["crossing"], 4, 55, 76)):
        swelling(choir, crossing.bar(n), 2.95, keys, (50, 70, 84, 96, 110, 90)[n], (90, 96, 110, 122, 96, 60)[n])
        low.play(crossing.bar(n), (2.9, 1.4, 2.9, 1.9, 2.4, 2.9)[n], bass_line_root(CHORDS["crossing"][n], 31), 74)

    brass = song.add("low brass", Sampled(57), ChannelStrip(-19, 0.15, (highpass(60), bell(2000, 2)), {"hall": -11}))
    shaking = song.add(
        "shaking strings",
        Sampled(44, compensate=False),
        ChannelStrip(-21, -0.1, (highpass(160), widen(1.2)), {"hall": -10}),
    )
    deep = song.add("deep piano", Sampled(0), ChannelStrip(-24, 0, (lowpass(4000),), {"hall": -13}))
    brass.line(storm.start, STORM, 100, shift=-12)
    blows = [
        "X.....X...X.....",
        "X..X..X..X..X...",
        "X.X...X.X...X.X.",
        "X.......X..X..X.",
        "X.X.X...X.X.X...",
        "X..X..X.X..X..XX",
        "X.X.X.X.X.XXXXXX",
    ]
    for n, keys in enumerate(voicings(CHORDS["storm"], 4, 60, 84)):
        swelling(
            shaking, storm.bar(n), 3.95, keys, (60, 90, 70, 100, 84, 104, 110)[n], (112, 80, 118, 90, 124, 112, 127)[n]
        )
        root = bass_line_root(CHORDS["storm"][n], 26)
        rhythm(deep, storm.bar(n), blows[n], [root, root + 12], scale=0.9, gate=1.2)
        if n % 3:
            climb = [keys[(step * (n + 1)) % 4] + 12 * (step // 8) for step in range(16)]
            for step, pitch in enumerate(climb):
                short.play(storm.bar(n) + step / 4, 0.2, pitch, 78 + step + 2 * n)
        else:
            rhythm(low, storm.bar(n), blows[-1 - n], [root + 12], scale=0.95, gate=1.0)


def write_arrival(song: Song) -> None:
    """Somewhere else: long strings, bells and harp, slower and slower."""
    arrival = song.form["arrival"]
    strings = song.add(
        "long strings",
        Sampled(49, compensate=False),
        ChannelStrip(-19, 0.05, (highpass(60), high_shelf(6000, 2), widen(1.2)), {"hall": -9}),
        loose_ms=10,
    )
    tune = song.add(
        "high strings", Sampled(48, compensate=False), ChannelStrip(-20, -0.2, (highpass(200),), {"hall": -9})
    )
    bells = song.add("tubular bells", Sampled(14), ChannelStrip(-28, 0.35, (highpass(200),), {"hall": -8}))
    second = song.add("second harp", Sampled(46), ChannelStrip(-23, -0.3, (highpass(120),), {"hall": -9}), loose_ms=6)
    tune.line(arrival.start, ARRIVAL, 84, gate=1.0)
    for n, keys in enumerate(voicings(CHORDS["arrival"], 4, 52, 72)):
        root, length = bass_line_root(CHORDS["arrival"][n], 31), 3.95 if n < 4 else 5.5
        swelling(strings, arrival.bar(n), length, [root, root + 12, *keys], 100 - 6 * n, 112 - 12 * n)
        if n < 4:
            order = [(0, 1, 2, 3, 4, 5, 6, 7), (7, 5, 6, 4), (0, 2, 4, 6, 3, 5), (0, -99, 3, 5)][n]
            arpeggio(second, arrival.bar(n) + 0.5 * (n % 2), keys, order, ring=3.0, velocity=76 - 4 * n)
        else:
            for place, pitch in enumerate([51, 58, 63, 67, 70, 75, 79]):
                second.play(arrival.bar(4) + 0.06 * place, 5.0, pitch, 72)
        if n in (0, 2, 4):
            bells.play(arrival.bar(n), 3.5, (72, 73, 70)[n // 2], 84 - 6 * n)


def write_percussion(song: Song) -> None:
    """Timpani and an orchestral kit where it is loud, a shaker on the road, cymbals into new stages."""
    form = song.form
    machines, crossing, storm, road = (form[name] for name in ("machines", "crossing", "storm", "road"))
    kettle = song.add(
        "timpani", Sampled(47), ChannelStrip(-21, 0.1, (highpass(40), transient(2)), {"hall": -11}), loose_ms=4
    )
    kit = song.kit(
        48,
        {
            "kick": ChannelStrip(-22, 0, (bell(60, 3),), {"hall": -14}, "drums"),
            "snare": ChannelStrip(
                -25, 0.05, (highpass(120), high_shelf(6000, 2)), {"stage": -11, "hall": -14}, "drums"
            ),
            "toms": ChannelStrip(-22, -0.1, (bell(90, 3),), {"hall": -11}, "drums"),
            "cymbals": ChannelStrip(-28, -0.1, (highpass(300),), {"hall": -10}, "drums"),
            "percussion": ChannelStrip(-33, 0.4, (highpass(1500),), {"stage": -10}, "drums"),
        },
    )
    for n, row in enumerate(
        ("x.o.x.oox.o.x.o.", "xoo.xoo.xoo.xo.o", "x.oox.o.xoo.x.oo", "xo.oxo.oxo.oxooo", "x.x.x.x.xoxoxoxo")
    ):
        kit.pattern(road.bar(n), {"tamb" if n in (1, 4) else "shaker": row}, scale=0.7 + 0.05 * n)
    rows = (
        ("X.....x...X.........", "....x.....g.x...x.gg"),
        ("X...X.....X...x.....", "..x...x.g...x.g.x..."),
        ("X.x...X.......X.....", "....X..g..x...g.X.gx"),
        ("X..X..X..X..X..X..X.", ".x..x..x..x..x..x..x"),
        ("X.........X...X.X.X.", "ggggggooooooxxxxxXXX"),
    )
    for n, (kick, snare) in enumerate(rows):
        kit.pattern(machines.bar(n), {"kick": kick, "snare": snare})
        kettle.steps(machines.bar(n), kick, (37, 45, 42, 38, 44)[n], 0.25, 0.85, 0.4)
    kettle.steps(crossing.bar(3), "x.......o...", 43, 0.25, 0.7, 1.0)
    kettle.steps(crossing.bar(5), "oooooooxxxxx", 45, 0.25, 0.8, 0.4)
    storms = (
        ("X.....x.X...x...", "..x.x...x.x.xxx.", "38"),
        ("X..X..x.X..x..x.", "....xx....xx..xx", "34"),
        ("X.x...X.x...X...", "xx..xx..xx..xxxx", "39"),
        ("X.......X..X..x.", "..xxx.xxx.xxx.xx", "47"),
        ("X.X.X...X.X.X...", "......xx......xx", "40"),
        ("X..X..X.X..X..XX", "xxx.xxx.xx.xx.xx", "44"),
        ("X.X.X.X.X.XXXXXX", "xxxxxxxxxxxxxxxx", "41"),
    )
    for n, (kick, toms, key) in enumerate(storms):
        kit.pattern(storm.bar(n), {"kick": kick, ("tom5", "tom6", "tom3")[n % 3]: toms}, scale=0.95)
        kettle.steps(storm.bar(n), kick, int(key), 0.25, 0.9, 0.4)
        if n in (2, 4, 6):
            kit.pattern(
                storm.bar(n), {"snare": ("....x.......x.gg", "..x...x...x.x.xx", "ooooooxxxxxxXXXX")[n // 2 - 1]}
            )
    for place, name, loud in (
        (machines.start, "crash", 92),
        (crossing.bar(3), "crash2", 80),
        (storm.start, "crash", 112),
        (storm.bar(3), "crash2", 104),
        (storm.bar(5), "china", 84),
        (form["arrival"].start, "crash", 118),
    ):
        kit.hit(name, place, loud)
