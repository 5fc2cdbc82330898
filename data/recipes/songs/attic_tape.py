"""Attic Tape: boom bap with late swung sixteenths over a dusty piano loop; the loop itself never changes, the rest does."""

from __future__ import annotations

from data.recipes.engine.effects import (
    bell,
    compress,
    echo,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    reverb,
    saturate,
    sweep,
)
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.patterns import rhythm
from data.recipes.engine.score import Form
from data.recipes.engine.synths import crackle, kick_drum, snare_drum

CHORDS = ["Ebmaj9", "Dm7", "Cm9", "F13"]
PIANO = ("x__x_____x_x____", "..x___x_____x___", "x__x_____x_x__x_", "..x___x_x___x_x_")
BEATS = (
    {"kick": "X......x..X.....", "snare": "....X.......X..g", "hat": "x.x.x.x.x.x.x.x."},
    {"kick": "X..x...x..X...x.", "snare": "....X..g....X...", "hat": "x.x.x.xox.x.x.x."},
    {"kick": "X......x.xX.....", "snare": "....X.......X.g.", "hat": "x.x.x.x.xox.x.xo"},
)
FILL = {"kick": "X......x........", "snare": "....X..g.x.xX.xX", "hat": "x.x.x.x........."}
FLUTE = """r:3 D5:1 F5:2 G5:2 | A5:3 F5:1 D5:4 | r:2 Eb5:1 D5:1 C5:2 G4:2 | A4:6 r:2 |"""
RHODES = """G5:1 F5:1 D5:2 r:4 | r:2 C5:1 D5:1 F5:3 r:1 | G5:2 Eb5:1 D5:1 C5:4 | r:4 A4:1 C5:1 D5:2 |"""


def compose() -> Song:
    """Write the song."""
    form = Form(86, lead_in=1.4, tail=2.5, swing=0.6, swing_unit=0.25)
    for name, bars in (
        ("intro", 4),
        ("verse 1", 8),
        ("chorus 1", 4),
        ("verse 2", 8),
        ("break", 4),
        ("chorus 2", 4),
        ("outro", 4),
    ):
        form.section(name, bars)
    song = Song(
        "attic_tape",
        {
            "title": "Attic Tape", "artist_name": "Mister Umber",
            "description": "Lo-fi boom bap: a muffled piano loop with vinyl dust, heavy late drums, flute and electric piano lines.",
            "tags": ["hip hop", "lo-fi", "study", "vinyl"], "moods": ["mellow", "nostalgic", "thoughtful"],
            "genres": ["hip hop", "lo-fi"], "instruments": ["piano", "bass", "drums", "flute", "electric piano", "vinyl"],
            "bpm": 86, "energy": 0.4, "explicit": False, "instrumental": True,
        },
        form, "Bb", "major", batch=2, seed=71, lufs=-14.0,
        traits=("swung sixteenths", "late drums", "constant noise", "loop repeats exactly", "lead-in noise"),
    )  # fmt: skip
    song.spaces = {
        "room": reverb(0.6, 6, 0.5, seed=71),
        "plate": reverb(1.5, 14, 0.55, seed=72),
        "echo": echo(60 / 86 * 0.75, 0.4, 2400),
    }
    song.groups = {
        "drums": Bus((compress(-9, 3, 12, 130, mix=0.7), saturate(3.5, 0.6))),
        "loop": Bus((saturate(3, 0.5), lowpass(5200))),
    }
    song.bus = (low_shelf(75, 1.5), high_shelf(9000, -1.0), compress(-4, 1.8, 20, 180), saturate(1.0, 0.5))
    write_loop(song)
    write_drums(song)
    write_lines(song)
    return song


def write_loop(song: Song) -> None:
    """Piano chords as if sampled from a record: the same four bars to the sample, with a filter that opens once; dust."""
    form, exact = song.form, {"loose_ms": 0.0, "touch": 0.0}
    opening = [(form["intro"].start, 700), (form["intro"].end, 3800), (form["break"].start, 3800), (form["break"].bar(1), 900),
               (form["break"].end, 3800), (form["outro"].end, 800)]  # fmt: skip
    moving = sweep([(float(form.time(place)), hz) for place, hz in opening])
    piano = song.add("piano", Sampled(0), ChannelStrip(-20, 0, (highpass(160), moving), {"room": -12}, "loop"), **exact)
    dust = song.add("dust", Made(crackle(16), "dust"), ChannelStrip(-38, 0, (highpass(600),)), **exact)
    keys = voicings(CHORDS, 4, 55, 75, True)
    for section in form.sections:
        for bar in range(section.bars):
            rhythm(piano, section.bar(bar), PIANO[bar % 4], keys[bar % 4], scale=0.8, gate=0.9)
    dust.play(-form.lead_in * 86 / 60 + 0.1, form.end + 3.0, 60, 90)


def write_drums(song: Song) -> None:
    """Made kick and snare, hats from a kit; everything a little behind; bars change by turns."""
    form = song.form
    kit = song.kit(
        25,
        {
            "kick": ChannelStrip(-16.5, 0, (bell(60, 3), bell(300, -4)), {}, "drums"),
            "snare": ChannelStrip(-19, 0.02, (bell(200, 2),), {"room": -12}, "drums"),
            "hat": ChannelStrip(-27, 0.2, (highpass(500), lowpass(9000)), {"room": -18}, "drums"),
            "cymbals": ChannelStrip(-31, -0.2, (highpass(400), lowpass(8000)), {"plate": -14}, "drums"),
        },
        loose_ms=5,
        touch=7,
        late_ms=9,
        made={
            "kick": Made(kick_drum(52, 3.6, 0.28, 0.7), "kick"),
            "snare": Made(snare_drum(185, 1.1, 0.19, 6500), "snare"),
        },
    )
    for section in form.sections:
        for bar in range(section.bars):
            if section.label == "intro" and bar < 2:
                continue
            at = section.bar(bar)
            if section.label == "break" and bar < 2:
                kit.pattern(at, {"hat": "x...x...x...x..."})
            elif section.label == "outro" and bar == 3:
                kit.hit("kick", at, 110)
            else:
                kit.pattern(at, FILL if bar == section.bars - 1 else BEATS[(2 * bar + section.first_bar) % 3])
        if section.label in ("verse", "chorus"):
            kit.hit("crash", section.start, 84)


def write_lines(song: Song) -> None:
    """Bass that answers the kick, flute in the choruses, electric piano in the second verse."""
    form = song.form
    bass = song.add(
        "bass",
        Sampled(32),
        ChannelStrip(-17.5, 0, (lowpass(1200), bell(85, 3), compress(-8, 3, 15, 140))),
        loose_ms=6,
        late_ms=8,
    )
    flute = song.add(
        "flute",
        Sampled(73, compensate=False),
        ChannelStrip(-23, -0.25, (highpass(250), lowpass(7000)), {"plate": -10, "echo": -15}),
        loose_ms=12,
        late_ms=8,
    )
    rhodes = song.add(
        "electric piano",
        Sampled(4),
        ChannelStrip(-23, 0.3, (highpass(180), lowpass(6000)), {"plate": -12, "echo": -18}),
        loose_ms=10,
        late_ms=6,
    )
    for section in form.sections:
        for bar in range(section.bars):
            if section.label == "intro" or (section.label == "break" and bar < 2):
                continue
            at, root = section.bar(bar), bass_line_root(CHORDS[bar % 4], 30)
            if section.label == "outro" and bar == 3:
                bass.play(at, 3.5, root, 92)
                continue
            rhythm(bass, at, ("X__x___x__X___x_", "X______x__X_x___")[bar % 2], [root], scale=0.9)
            if bar % 4 == 3:
                bass.play(at + 3.5, 0.4, root + 7, 84)
    for name in ("chorus 1", "chorus 2"):
        flute.line(form[name].start, FLUTE, 88)
    for half in (0, 4):
        rhodes.line(form["verse 2"].bar(half), RHODES, 80 + half)
