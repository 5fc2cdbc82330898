"""Blue Corner: swing for a small band, a head in AABA, a vibraphone chorus that never repeats itself, head out."""

from __future__ import annotations

import numpy as np

from data.recipes.engine.effects import (
    bell,
    compress,
    high_shelf,
    highpass,
    low_shelf,
    reverb,
    saturate,
    transient,
    tremolo,
    widen,
)
from data.recipes.engine.harmony import voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Sampled, Song
from data.recipes.engine.patterns import improvised_line, rhythm, walking_bass
from data.recipes.engine.score import Form, ScoreSection

A = [
    ("Fm9", 4),
    ("Fm9", 4),
    ("Bbm7", 2),
    ("Eb9", 2),
    ("Abmaj7", 4),
    ("Gm7b5", 4),
    ("C7b9", 4),
    ("Fm9", 4),
    ("C7alt", 4),
]
B = [("Bbm9", 4), ("Eb13", 4), ("Abmaj9", 4), ("Fm9", 4), ("Bbm9", 4), ("Gm7b5", 4), ("Db9", 4), ("C7alt", 4)]
INTRO = [("Fm9", 4), ("Fm9", 4), ("Gm7b5", 4), ("C7alt", 4)]
TAG = [("Fm9", 4), ("Fm69", 4)]

HEAD_A = """r:1 C5:1 F5:1 Ab5:2' G5:1 F5:1 C5:1' | r:2 Eb5:1 F5:3' r:2 | Db5:1 F5:1 Ab5:2 G5:1 F5:1 Eb5:1 Db5:1 |
C5:3 Eb5:1' r:4 | r:1 Bb4:1 Db5:1 F5:2 E5:1 Db5:1 Bb4:1 | E5:1 G5:1 Bb5:2 Ab5:1 G5:1 E5:1 Db5:1' |"""
HEAD_A_ENDS = ["C5:1 Ab4:1 F4:1 C5:3' r:2 | r:4 G4:1 Ab4:1 B4:2' |", "C5:1 Ab4:1 F4:1 F5:3' r:2 | r:8 |"]
HEAD_B = """F5:4 Db5:2 Bb4:1 C5:1 | Db5:3 F5:1 G5:4 | C5:1 Eb5:1 G5:3 F5:1 Eb5:1 C5:1 | Ab4:3 C5:1' r:4 |
F5:4 Db5:1 F5:1 Ab5:2 | G5:1 F5:1 Db5:3 Bb4:1 G4:2 | F5:1 Eb5:1 B4:1 F5:3 Eb5:1 Db5:1 |
C5:2' r:1 C5:1 Db5:1 D5:1 E5:2' |"""
COMPING = ["..x_.x..", "x_..x_..", ".x....x_", "..x_..x.", "x..x_...", ".x_..x_."]


def compose() -> Song:
    """Write the song."""
    form = Form(152, lead_in=0.6, tail=3.0, swing=0.645)
    form.section("intro", 4)
    for name, label in (("a 1", "verse"), ("a 2", "verse"), ("b 1", "chorus"), ("a 3", "verse"), ("solo 1", "solo")):
        form.section(name, 8, label)
    for name, label in (("solo 2", "solo"), ("b 2", "chorus"), ("a 4", "verse")):
        form.section(name, 8, label)
    form.section("tag", 2, "outro", held=True)
    song = Song(
        "blue_corner",
        {
            "title": "Blue Corner",
            "artist_name": "Nils Adamsen Five",
            "description": "Medium-up swing in F minor: muted trumpet and tenor play the head, vibes take a solo.",
            "tags": ["jazz", "swing", "night", "noir", "restaurant"],
            "moods": ["cool", "relaxed", "smoky"],
            "genres": ["jazz", "swing"],
            "instruments": ["muted trumpet", "tenor saxophone", "vibraphone", "piano", "double bass", "drums"],
            "bpm": 152,
            "energy": 0.5,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "F",
        "minor",
        seed=6,
        lufs=-15.0,
        traits=("swing", "sections vary", "lead-in", "held last chord"),
    )
    song.spaces = {"room": reverb(0.9, 9, 0.8, seed=18), "hall": reverb(1.7, 20, 0.75, seed=19)}
    song.groups = {"rhythm": Bus((compress(-5, 1.8, 20, 150),))}
    song.bus = (low_shelf(90, 1.0), high_shelf(7500, 3.0), compress(-3, 1.5, 30, 200), saturate(0.6, 0.4))
    song.rides = [
        (0, -2.5),
        (form["a 1"].start, -0.5),
        (form["b 1"].start, 0),
        (form["solo 1"].start, -1.5),
        (form["a 4"].start, 0),
    ]
    write_rhythm_section(song)
    write_front_line(song)
    return song


def changes_of(section: ScoreSection) -> list[tuple[str, float]]:
    """The chords of a section with their lengths."""
    table = {"intro": INTRO, "tag": TAG, "b 1": B, "b 2": B}
    changes = table.get(section.name, A)
    return [*changes[:-1], ("Fm69", 4)] if section.name in ("a 2", "solo 1") else list(changes)


def write_rhythm_section(song: Song) -> None:
    """Walking bass, ride cymbal, comping piano: written afresh for every bar, from one seed."""
    form, rng = song.form, np.random.default_rng(song.seed)
    bass = song.add(
        "bass",
        Sampled(32),
        ChannelStrip(
            -18, 0, (bell(80, 2), bell(220, -2), bell(900, 3), compress(-6, 3, 12, 120)), {"room": -18}, "rhythm"
        ),
        loose_ms=5,
        late_ms=-4,
    )
    piano = song.add(
        "piano",
        Sampled(0),
        ChannelStrip(-22.5, -0.3, (highpass(120), bell(2600, 2), widen(0.8)), {"room": -13}, "rhythm"),
        loose_ms=7,
    )
    kit = song.kit(
        32,
        {
            "kick": ChannelStrip(-29, 0, (bell(80, 3),), {"room": -16}, "rhythm"),
            "snare": ChannelStrip(-25, 0.12, (highpass(150), high_shelf(6000, 2)), {"room": -10}, "rhythm"),
            "hat": ChannelStrip(-31, 0.3, (highpass(600),), {"room": -12}, "rhythm"),
            "cymbals": ChannelStrip(-23, -0.3, (highpass(350), bell(3000, -2), transient(2)), {"room": -12}, "rhythm"),
            "toms": ChannelStrip(-25, 0.1, (bell(140, 2),), {"room": -10}, "rhythm"),
        },
        touch=6,
        loose_ms=4,
    )
    voicing_before = 0
    for section in form.sections:
        changes = changes_of(section)
        if section.label == "outro":
            bass.play(section.start, 1.8, 29, 90)
            bass.line(section.start + 2, "C3:1 Ab2:1 G2:1 E2:1 |", 88)
            bass.play(section.bar(1), 4, 29, 92)
            piano.play(section.start, 0.5, [56, 60, 63, 67], 84)
            piano.play(section.bar(1), 4, [56, 62, 67, 72], 82)
            kit.pattern(section.start, {"ride": "x.xxx.xx", "pedal": "..x...x."}, 0.5, scale=0.85)
            kit.pattern(section.bar(1) - 1, {"snare": "gxX", "kick": "...X"}, 1 / 3)
            kit.hit("crash", section.bar(1), 84)
            kit.hit("kick", section.bar(1), 84)
            continue
        walking_bass(bass, section.start, changes, rng, velocity=94)
        place = section.start
        chords = voicings([name for name, _ in changes], 4, 53, 72, rootless=True)
        for keys, (_, quarters) in zip(chords, changes, strict=True):
            figure = int(rng.integers(0, len(COMPING)))
            figure = figure + 1 if figure == voicing_before else figure
            voicing_before = figure
            text = COMPING[figure % len(COMPING)][: round(quarters * 2)]
            rhythm(piano, place, text, keys, step=0.5, scale=0.68 + 0.1 * rng.uniform(), gate=0.85)
            place += quarters
        for bar in range(section.bars):
            at, last = section.bar(bar), bar % 8 == 7
            ride = ("x.xxx.xx", "x.xxx.x.", "xxx.x.xx", "x.xxxxxx")[int(rng.choice(4, p=(0.6, 0.15, 0.15, 0.1)))]
            kit.pattern(at, {"ride": ride, "pedal": "..x...x."}, 0.5, scale=0.86)
            kit.pattern(at, {"kick": "gggg"}, 1.0)
            if last:
                fill = (
                    {"snare": "..gx.xXX", "tom2": "....x..."},
                    {"snare": "g.xgx.f.", "kick": "...x...x"},
                    {"tom1": "..xx....", "tom5": "....xx.x", "snare": "g.....X."},
                )
                kit.pattern(at, fill[int(rng.integers(0, 3))], 0.5, scale=0.85)
            elif section.label != "intro" or bar > 1:
                ghosts = "".join(rng.choice(list("...ggo"), p=(0.35, 0.2, 0.2, 0.1, 0.1, 0.05)) for _ in range(8))
                kit.pattern(at, {"snare": ghosts}, 0.5)
        if section.label in ("chorus", "solo"):
            kit.hit("crash", section.start, 78)


def write_front_line(song: Song) -> None:
    """The head in trumpet and tenor, the solo, and figures of the horns behind it."""
    form, rng = song.form, np.random.default_rng(song.seed + 1)
    trumpet = song.add(
        "muted trumpet",
        Sampled(59),
        ChannelStrip(-20.5, 0.15, (highpass(200), bell(2000, -2)), {"room": -14, "hall": -13}),
        loose_ms=8,
        late_ms=6,
    )
    tenor = song.add(
        "tenor saxophone",
        Sampled(66),
        ChannelStrip(-20, -0.15, (highpass(120), high_shelf(5000, 1)), {"room": -14, "hall": -14}),
        loose_ms=9,
        late_ms=8,
    )
    vibes = song.add(
        "vibraphone",
        Sampled(11),
        ChannelStrip(-20, 0.3, (highpass(180), tremolo(5.2, 0.25, True)), {"room": -15, "hall": -12}),
        loose_ms=8,
        late_ms=6,
    )
    for name, end in (("a 1", 0), ("a 2", 1), ("a 3", 1), ("a 4", 1)):
        tune = f"{HEAD_A} {HEAD_A_ENDS[end]}"
        trumpet.line(form[name].start, tune, 88)
        tenor.line(form[name].start, tune, 86, shift=-12)
    trumpet.line(form["b 1"].start, HEAD_B, 92)
    tenor.line(form["b 1"].start, "Db4:8 | G4:8 | G4:8 | Eb4:4 C4:4 | Db4:8 | F4:8 | Eb4:4 F4:4 | E4:4 r:4 |", 78)
    improvised_line(
        vibes,
        form["solo 1"].start,
        changes_of(form["solo 1"]) + changes_of(form["solo 2"]),
        rng,
        low=60,
        high=84,
        velocity=92,
    )
    for bar in (1, 3, 5):
        for part, keys in ((trumpet, ["Eb5", "G5"]), (tenor, ["Ab4", "C5"])):
            part.line(form["solo 2"].bar(bar), f"r:3 {'+'.join(keys)}:1' r:2 {'+'.join(keys)}:1.5 r:.5 |", 72)
    improvised_line(vibes, form["b 2"].start, changes_of(form["b 2"]), rng, low=65, high=86, velocity=84, density=0.6)
    tenor.line(form["b 2"].start, HEAD_B, 90, shift=-12)
    for part, key_, lift in ((trumpet, "C6", 0), (tenor, "G5", -12)):
        part.line(form["tag"].start, "C5:1 Ab4:1 F4:1 F5:3' r:2 |", 86, shift=lift)
        part.line(form["tag"].bar(1), f"{key_}:6 r:2 |", 84, shift=lift)
    vibes.play(form["tag"].bar(1), 4, ["Ab4", "D5", "G5", "C6"], 84)
