"""Glass Circuit: machine-made house in loops of four bars that repeat to the sample; a break, two drops, a come-down.

At 125 bpm a bar lasts 84,672 samples and a sixteenth 5,292: equal bars fall on equal samples and sound the same,
bit for bit, as soon as the tails of what came before have died.
"""

from __future__ import annotations

from data.recipes.engine.effects import (
    bell,
    compress,
    echo,
    high_shelf,
    highpass,
    low_shelf,
    mono_below,
    reverb,
    saturate,
    sweep,
)
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Song
from data.recipes.engine.patterns import arpeggio, rhythm
from data.recipes.engine.score import Form, ScoreSection
from data.recipes.engine.synths import clap, faller, hat, impact, kick_drum, pluck, riser, soft_pad, sub_bass, supersaw

CHORDS = ["Fm9", "Dbmaj7", "Ab", "Eb"]
STABS = "x..x..x...x..x.." * 4
HOOK = """C6:1.5 Ab5:1.5 F5:1 G5:1 Ab5:1.5 C5:1.5 | F5:1.5 Ab5:1.5 C6:1 Bb5:1 Ab5:1.5 F5:1.5 |
C6:1.5 Eb6:1.5 C6:1 Bb5:1 C6:1.5 Ab5:1.5 | G5:1.5 Bb5:1.5 Eb5:1 F5:1 G5:2 r:1 |"""


def compose() -> Song:
    """Write the song."""
    form = Form(125, tail=5.0)
    for name, bars in (
        ("intro", 8),
        ("verse", 8),
        ("build 1", 4),
        ("drop 1", 8),
        ("break", 8),
        ("build 2", 4),
        ("drop 2", 8),
        ("outro", 8),
    ):
        form.section(name, bars)
    song = Song(
        "glass_circuit",
        {
            "title": "Glass Circuit",
            "artist_name": "Vitrine",
            "description": "Melodic house on four chords: pumping saws, a plucked arpeggio, two drops, a come-down.",
            "tags": ["house", "technology", "loop", "club"],
            "moods": ["confident", "sleek", "uplifting"],
            "genres": ["house", "electronic"],
            "instruments": ["synthesizer", "drum machine", "sub bass"],
            "bpm": 125,
            "energy": 0.8,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "F",
        "minor",
        seed=2,
        lufs=-11.0,
        pump="kick",
        traits=("exact repeats to the sample", "come-down outro", "no lead-in"),
    )
    song.spaces = {
        "plate": reverb(1.3, 12, 0.75, seed=5),
        "hall": reverb(3.0, 28, 0.68, seed=6),
        "echo": echo(60 / 125 * 0.75, 0.5, 4200),
    }
    song.groups = {"music": Bus((compress(-6, 1.8, 20, 140),))}
    song.bus = (
        mono_below(120),
        low_shelf(60, 1.0),
        high_shelf(8000, 1.5),
        compress(-3, 1.5, 25, 120),
        saturate(1.0, 0.5),
    )
    full = {"drop 1", "drop 2"}
    write_drums(song, full)
    for section in form.sections:
        write_bar_loops(song, section, full)
    return song


def write_drums(song: Song, full: set[str]) -> None:
    """Four on the floor, claps, off-beat hats; a roll through each build; noise into and out of the drops."""
    form, machine = song.form, {"loose_ms": 0.0, "touch": 0.0}
    kick = song.add(
        "kick", Made(kick_drum(47, 4.5, 0.3), "kick"), ChannelStrip(-17.0, 0, (bell(55, 2), bell(300, -3))), **machine
    )
    claps = song.add("clap", Made(clap(), "clap"), ChannelStrip(-21, 0, (highpass(250),), {"plate": -9}), **machine)
    closed = song.add(
        "hat", Made(hat(0.045), "hat"), ChannelStrip(-31, 0.2, (), {"plate": -20}, duck=(3, 0.2)), **machine
    )
    opened = song.add("open hat", Made(hat(0.16, 1.1), "open"), ChannelStrip(-26, -0.1, (), {"plate": -16}), **machine)
    shaker = song.add(
        "shaker", Made(hat(0.09, 0.6), "shaker"), ChannelStrip(-33, -0.45, (highpass(5000),), duck=(4, 0.2)), **machine
    )
    roll = song.add("roll", Made(clap(0.12), "roll"), ChannelStrip(-23, 0, (highpass(400),), {"hall": -10}), **machine)
    up = song.add("riser", Made(riser(250, 10000), "riser"), ChannelStrip(-24, 0, (), {"hall": -12}), **machine)
    down = song.add("faller", Made(faller(2.6), "faller"), ChannelStrip(-25, 0, (), {"hall": -10}), **machine)
    boom = song.add("impact", Made(impact(), "impact"), ChannelStrip(-21, 0, (), {"hall": -14}), **machine)
    for section in form.sections:
        for bar in range(section.bars):
            at, last = section.bar(bar), bar % 4 == 3
            if section.label in ("intro", "verse", "drop") or (section.label == "outro" and bar < 4):
                kick.steps(at, "X...X...X...X...", 36)
            if section.label in ("verse", "drop"):
                claps.steps(at, "....X.......X...", 39)
                opened.steps(at, "..x...x...x...x.", 46)
                shaker.steps(at, "ogxgogxgogxgogxo" if last else "ogxgogxgogxgogxg", 70)
            if section.label in ("intro", "verse", "drop"):
                closed.steps(at, "x.ogx.ogx.ogx.og", 42)
            if section.label == "build":
                kick.steps(
                    at, "X...X...X...X..." if bar < 2 else "X.X.X.X.X.X.X.X." if bar == 2 else "................", 36
                )
                roll.steps(
                    at,
                    ("x...x...x...x...", "x.x.x.x.x.x.x.x.", "xxxxxxxxxxxxxxxx", "xxxxxxxxXXXX....")[bar],
                    39,
                    scale=0.6 + 0.12 * bar,
                )
        if section.label == "build":
            up.play(section.start, 15.5, 53, 110)
        if section.name in full:
            boom.play(section.start, 1, 30, 110)
        if section.name in full | {"break", "verse", "outro"}:
            down.play(section.start, 1, 60, 100)


def write_bar_loops(song: Song, section: ScoreSection, full: set[str]) -> None:
    """Bass, chords, arpeggio and hook, the same four bars over and over, layer on layer."""
    parts = {stem.part.name: stem.part for stem in song.stems}
    if "bass" not in parts:
        machine = {"loose_ms": 0.0, "touch": 0.0}
        form = song.form
        opening = [
            (form["intro"].start, 500),
            (form["intro"].end, 4500),
            (form["verse"].end, 4500),
            (form["drop 1"].start, 9000),
            (form["drop 1"].end, 9000),
            (form["break"].start, 1800),
            (form["build 2"].start, 2500),
            (form["build 2"].end, 9000),
            (form["drop 2"].end, 9000),
            (form["outro"].end, 900),
        ]
        moving = sweep([(float(form.time(place)), hz) for place, hz in opening])
        for name, voice, strip in (
            ("bass", sub_bass(2.2), ChannelStrip(-17, 0, (bell(110, 2),), duck=(9, 0.26), group="music")),
            (
                "mid bass",
                supersaw(3, 0.08, 500, 1.5, 0.003, 0.25, 0.4, 0.06),
                ChannelStrip(-23, 0, (highpass(110), saturate(4, 0.6)), duck=(8, 0.24), group="music"),
            ),
            (
                "saws",
                supersaw(7, 0.2, 3800, 0.6, 0.004, 0.5, 0.6, 0.18),
                ChannelStrip(
                    -18, 0, (highpass(170), moving), {"hall": -15, "plate": -12}, duck=(9, 0.3), group="music"
                ),
            ),
            (
                "pad",
                soft_pad(0.9, 1.6, 1600),
                ChannelStrip(-24, 0, (highpass(180),), {"hall": -9}, duck=(5, 0.3), group="music"),
            ),
            (
                "pluck",
                pluck(1000, 2.6),
                ChannelStrip(
                    -21.5, 0.15, (highpass(250), moving), {"echo": -9, "hall": -14}, duck=(4, 0.25), group="music"
                ),
            ),
            (
                "lead",
                supersaw(5, 0.12, 4500, 0.5, 0.006, 0.8, 0.55, 0.2),
                ChannelStrip(
                    -19.5,
                    -0.05,
                    (highpass(300), bell(2500, 2)),
                    {"echo": -10, "hall": -11},
                    duck=(4, 0.25),
                    group="music",
                ),
            ),
        ):
            parts[name] = song.add(name, Made(voice, name), strip, **machine)
    chords = voicings(CHORDS, 4, 53, 74)
    for bar in range(section.bars):
        at, n = section.bar(bar), bar % 4
        name, keys = CHORDS[n], chords[n]
        root = bass_line_root(name, 29)
        if section.label in ("verse", "drop"):
            rhythm(
                parts["bass"],
                at,
                "..x_..x_..x_..x_" if section.label == "verse" else "x.x_..x_x.x_..xx",
                [root + 0],
                scale=1.0,
                gate=0.9,
            )
            rhythm(parts["mid bass"], at, "..x_..x_..x_..x_", [root + 12], scale=1.0, gate=0.8)
        if section.name in full:
            rhythm(parts["saws"], at, STABS[n * 16 : n * 16 + 16], keys, scale=1.0, gate=0.9)
        if section.label == "build":
            rhythm(
                parts["saws"],
                at,
                "x.x.x.x.x.x.x.x." if bar < 3 else "x.x.x.x.x.x.....",
                keys,
                scale=0.7 + 0.08 * bar,
                gate=0.7,
            )
        if section.label in ("break", "outro", "build") or section.name in full:
            parts["pad"].play(at, 3.9, keys, 90)
        if section.label not in ("break",) or bar >= 4:
            order = [0, 2, 1, 3, 2, 4, 3, 1, 0, 2, 1, 3, 2, 5, 4, 2]
            arpeggio(parts["pluck"], at, [k + 12 for k in keys], order, step=0.25, velocity=88, accents=(16, 0, 4, 0))
        if section.label == "break" and bar < 4:
            arpeggio(
                parts["pluck"], at, [k + 12 for k in keys], [0, 1, 2, 3, 4, 3, 2, 1], velocity=84, accents=(10, 0, 0, 0)
            )
    if section.name in full:
        for half in (0, 4):
            parts["lead"].line(section.bar(half), HOOK, 100, gate=0.85)
