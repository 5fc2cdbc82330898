"""Top of the Hour: a news sting of twenty seconds, over before anything could come round again."""

from __future__ import annotations

from data.recipes.engine.effects import (
    bell,
    compress,
    high_shelf,
    highpass,
    low_shelf,
    reverb,
    saturate,
    transient,
    widen,
)
from data.recipes.engine.harmony import bass_line_root, chord
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.score import Form
from data.recipes.engine.synths import impact, riser, sub_bass, supersaw

CHORDS = ["Dm", "Bb", "Gm7", "C7sus4", "Fm", "Db", "Eb", "D"]
OSTINATO = [  # sixteenths of the strings, each bar another figure: places in the chord, the octave goes on upwards
    (0, 0, 2, 0, 1, 0, 2, 0, 0, 0, 3, 0, 2, 0, 1, 0),
    (3, 2, 1, 2, 3, 2, 1, 2, 4, 2, 1, 2, 3, 2, 1, 0),
    (0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6),
    (6, 5, 4, 3, 5, 4, 3, 2, 4, 3, 2, 1, 3, 2, 1, 0),
    (0, 3, 0, 3, 1, 3, 1, 3, 2, 3, 2, 3, 1, 3, 0, 3),
    (3, 3, 4, 3, 5, 3, 4, 3, 3, 6, 5, 4, 3, 4, 5, 6),
    (0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 8, 9),
]
BRASS = """D4+A4+D5:3! D5:1 F5:3! E5:1 | D5+F5+Bb5:6~ Bb4:1 C5:1 | D5:2! F5:2 G5:3! A5:1 | G5+C6:5~ r:1 G5:1' G5:1' |
F5+Ab5+C6:3! Ab5:1 G5:2 F5:2 | Ab5+Db6:4! Eb5:2 F5:2 | G5+Bb5+Eb6:4! Bb5:2! Eb6:2! | F#5+A5+D6:12!~"""


def compose() -> Song:
    """Write the sting."""
    form = Form(122, lead_in=0.6, tail=3.65)
    form.section("sting", 8, held=True)
    song = Song(
        "top_of_the_hour",
        {
            "title": "Top of the Hour",
            "artist_name": "Studio Nine",
            "description": "A twenty-second news sting: brass over racing strings, a turn to far keys, one last chord.",
            "tags": ["news", "logo", "sting", "ident", "broadcast"],
            "moods": ["urgent", "serious", "grand"],
            "genres": ["broadcast", "orchestral"],
            "instruments": ["brass", "strings", "timpani", "synthesizer", "drums"],
            "bpm": 122,
            "energy": 0.85,
            "explicit": False,
            "instrumental": True,
            "expected_refusal": "no_viable_loop",
        },
        form,
        "D",
        "minor",
        kind="refusal",
        seed=21,
        lufs=-13.0,
        quality=0.3,
        traits=("too short to loop", "never repeats", "key change", "held last chord"),
    )
    song.spaces = {"room": reverb(0.8, 8, 0.8, seed=11), "hall": reverb(3.6, 22, 0.75, seed=12)}
    song.groups = {"drums": Bus((compress(-8, 2.5, 15, 120, mix=0.6), saturate(2.0, 0.5)))}
    song.bus = (low_shelf(90, 1.0), high_shelf(9000, 1.5), compress(-4, 1.6, 25, 180))
    write_orchestra(song)
    write_percussion(song)
    return song


def write_orchestra(song: Song) -> None:
    """Racing strings, brass in front, saws that glue the two, a sub under the roots."""
    sting = song.form.sections[0]
    quick = song.add(
        "quick strings",
        Sampled(48),
        ChannelStrip(-20, -0.3, (highpass(180), high_shelf(5000, 4), transient(3)), {"room": -14, "hall": -14}),
        loose_ms=5,
    )
    low = song.add(
        "low strings", Sampled(43), ChannelStrip(-22, 0.2, (highpass(45), bell(300, -3)), {"hall": -14}), loose_ms=6
    )
    brass = song.add(
        "brass",
        Sampled(61),
        ChannelStrip(-17.5, 0.1, (highpass(140), bell(2500, 3)), {"room": -16, "hall": -10}),
        loose_ms=6,
    )
    horns = song.add("horns", Sampled(60), ChannelStrip(-22, -0.15, (highpass(90),), {"hall": -8}), loose_ms=8)
    saws = song.add(
        "saws",
        Made(supersaw(7, 0.15, 3200, 0.8, 0.02, 1.5, 0.7, 0.6), "sting saws"),
        ChannelStrip(-24, 0, (highpass(150), widen(1.3)), {"hall": -12}),
        loose_ms=0,
        touch=0,
    )
    sub = song.add("sub", Made(sub_bass(1.8), "sting sub"), ChannelStrip(-21), loose_ms=0, touch=0)
    brass.line(sting.start, BRASS, 98, shift=-12)
    for n, name in enumerate(CHORDS):
        at, tones, root = sting.bar(n), chord(name)[:3], bass_line_root(name, 26)
        if n == 7:
            low.play(at, 6.2, [root + 12, root], 112)
            horns.play(at, 6.2, [50, 57, 62, 66], 108)
            quick.play(at, 6.2, [69, 74, 78, 81], 110)
            saws.play(at, 6.0, [50, 57, 62, 66, 69], 105)
            sub.play(at, 5.4, root, 110)
            continue
        for step, index in enumerate(OSTINATO[n]):
            lift, inside = divmod(index, 3)
            loud = 100 if step % 4 == 0 else 76 + 2 * n
            quick.play(at + 0.25 * step, 0.2, 60 + tones[inside] % 12 + 12 * lift - (12 if index > 6 else 0), loud)
        hits = [(0, 1.4), (1.5, 1.4), (3, 0.9)] if n % 2 == 0 else [(0, 0.9), (1, 1.9), (3, 0.4), (3.5, 0.4)]
        for place, length in hits if n != 6 else [(0, 0.9), (1, 0.9), (2, 0.9), (3, 0.45), (3.5, 0.45)]:
            low.play(at + place, length, root + 12, 96)
            sub.play(at + place, length * 0.9, root, 100)
        saws.play(at, 3.8, [48 + tone % 12 for tone in tones] + [60 + tones[n % 3] % 12], 84 + 3 * n)
        if n >= 2:
            horns.play(at, 3.8, [48 + tone % 12 for tone in tones], 76 + 4 * n)


def write_percussion(song: Song) -> None:
    """Timpani, an orchestral drum kit, a riser before the first beat and before the last, an impact on both."""
    sting = song.form.sections[0]
    kettle = song.add(
        "timpani", Sampled(47), ChannelStrip(-21, 0.1, (highpass(45), transient(2)), {"hall": -10}), loose_ms=3
    )
    kit = song.kit(
        48,
        {
            "kick": ChannelStrip(-21, 0, (bell(60, 3),), {"hall": -16}, "drums"),
            "snare": ChannelStrip(
                -23, 0.05, (highpass(120), bell(5000, 3), transient(2)), {"room": -10, "hall": -14}, "drums"
            ),
            "cymbals": ChannelStrip(-26, -0.1, (highpass(300), high_shelf(8000, 2)), {"hall": -12}, "drums"),
        },
        loose_ms=3,
    )
    rise = song.add(
        "riser", Made(riser(400, 8000, 0.1), "sting riser"), ChannelStrip(-27, 0, (), {"hall": -10}), loose_ms=0
    )
    boom = song.add(
        "impact", Made(impact(36, 2.6), "sting impact"), ChannelStrip(-19, 0, (), {"hall": -12}), loose_ms=0
    )
    rise.play(-1.15, 1.15, 50, 90)
    rise.play(sting.bar(6), 4.0, 50, 112)
    for place, loud in ((sting.start, 108), (sting.bar(4), 96), (sting.bar(7), 120)):
        boom.play(place, 2.6, 36, loud)
        kit.hit("crash", place, loud)
    kit.hit("crash2", sting.bar(2), 92)
    for n, (rows, root) in enumerate(zip(KIT, (38, 34, 43, 36, 41, 37, 39, 38), strict=True)):
        kit.pattern(sting.bar(n), {"kick": rows[0], "snare": rows[1]}, 0.25)
        kettle.steps(sting.bar(n), rows[2], root + 12 if root < 36 else root, 0.25, 0.95, 0.6)
    kettle.move(sting.bar(6), sting.bar(7), 11, 80, 127)


KIT = [
    ("X.....x.x.......", "............o.oo", "X.....x.....x..."),
    ("X...x.....x.x...", "....x.......x.gg", "X...X.......x.x."),
    ("X..x..x.X..x..x.", "....x..g....x.g.", "X..x..x........."),
    ("X.x...x...X.x.x.", "....x...g.x.xxxx", "X.......x.x.xxxx"),
    ("X.....X...x.....", "....X..g..g.X...", "X.....X.......x."),
    ("X..x....X..x.x..", "....X...g...X.xx", "X..x....X..x...."),
    ("X...X...X...X.X.", "ggggooooxxxxXXXX", "oooooooxxxxxxXXX"),
    ("X...............", "X...............", "X..............."),
]
