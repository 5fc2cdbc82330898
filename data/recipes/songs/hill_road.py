"""Hill Road: a set of two jigs in 6/8 for fiddle, whistle, accordion and guitar, played twice through and slowed to rest."""

from __future__ import annotations

from data.recipes.engine.effects import bell, compress, high_shelf, highpass, lowpass, reverb
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import ChannelStrip, Sampled, Song
from data.recipes.engine.patterns import strum
from data.recipes.engine.score import Form

CHORDS = {
    "A": ["D", "D", "G", "A", "D", "D", "G", "D"], "B": ["Bm", "Bm", "A", "A", "G", "D", "A", "D"],
    "C": ["Em", "Em", "D", "D", "Em", "Em", "D", "Em"], "D": ["G", "D", "Em", "Bm", "C", "D", "Em", "Em"],
}  # fmt: skip
TUNES = {
    "A": """F#5:1 A5:1 F#5:1 D5:2 A4:1 | D5:1 F#5:1 A5:1 D6:2 A5:1 | B5:1 G5:1 B5:1 A5:1 G5:1 F#5:1 | E5:1 C#5:1 E5:1 A4:2 E5:1 |
F#5:1 A5:1 F#5:1 D5:2 A4:1 | D5:1 F#5:1 A5:1 D6:2 C#6:1 | B5:1 A5:1 G5:1 F#5:1 E5:1 C#5:1 | D5:3 D5:2 r:1 |""",
    "B": """D6:1 C#6:1 B5:1 F#5:2 B5:1 | D6:1 B5:1 D6:1 F#6:2 D6:1 | C#6:1 A5:1 C#6:1 E6:1 C#6:1 A5:1 | E5:1 A5:1 C#6:1 E6:3 |
D6:1 B5:1 G5:1 B5:1 A5:1 G5:1 | F#5:1 A5:1 D6:1 F#6:2 D6:1 | C#6:1 B5:1 A5:1 E5:1 A5:1 C#6:1 | D6:3 D6:2 r:1 |""",
    "C": """E5:1 B5:1 B5:1 E6:2 B5:1 | G5:1 B5:1 G5:1 E5:2 F#5:1 | D5:1 F#5:1 A5:1 D6:1 A5:1 F#5:1 | D5:1 F#5:1 A5:1 F#5:3 |
E5:1 B5:1 B5:1 E6:2 D6:1 | B5:1 G5:1 B5:1 E6:2 G6:1 | F#6:1 D6:1 A5:1 F#5:1 A5:1 F#5:1 | E5:3 E5:2 r:1 |""",
    "D": """G5:1 B5:1 D6:1 G6:2 D6:1 | F#6:1 D6:1 A5:1 F#5:2 A5:1 | G5:1 E5:1 G5:1 B5:1 E6:1 B5:1 | D6:1 B5:1 F#5:1 B5:3 |
C6:1 E6:1 G6:1 E6:1 C6:1 G5:1 | A5:1 D6:1 F#6:1 D6:1 A5:1 F#5:1 | G5:1 B5:1 E6:1 D6:1 B5:1 G5:1 | E5:3 E5:2 r:1 |""",
}  # fmt: skip
ORDER = (("verse 1", "A"), ("verse 2", "A"), ("chorus 1", "B"), ("chorus 2", "B"), ("bridge 1", "C"), ("bridge 2", "C"),
         ("chorus 3", "D"), ("chorus 4", "D"), ("verse 3", "A"), ("verse 4", "A"))  # fmt: skip


def compose() -> Song:
    """Write the song."""
    form = Form(112, "6/8", lead_in=0.8, pickup=0.5, tail=3.0)
    form.section("intro", 4)
    for name, _ in ORDER:
        form.section(name, 8)
    form.section("outro", 6, to_bpm=62, held=True)
    song = Song(
        "hill_road",
        {
            "title": "Hill Road", "artist_name": "The Dunmore Four",
            "description": "Two lively jigs in the old style, fiddle and whistle over guitar and bodhran, slowing to a last chord.",
            "tags": ["folk", "jig", "travel", "dance"], "moods": ["cheerful", "rustic", "lively"],
            "genres": ["folk", "celtic"], "instruments": ["fiddle", "whistle", "accordion", "guitar", "bodhran", "double bass"],
            "bpm": 112, "energy": 0.6, "explicit": False, "instrumental": True,
        },
        form, "D", "major", batch=2, seed=51, lufs=-15.0,
        traits=("compound metre", "repeats played anew", "pick-up", "ritardando ending", "light percussion"),
    )  # fmt: skip
    song.spaces = {"room": reverb(0.9, 10, 0.7, seed=51), "hall": reverb(1.9, 22, 0.65, seed=52)}
    song.bus = (high_shelf(9000, 1.0), compress(-4, 1.5, 30, 200))
    write_players(song)
    return song


def write_players(song: Song) -> None:
    """Everybody: who plays changes from part to part, the tune does not."""
    form = song.form
    fiddle = song.add(
        "fiddle",
        Sampled(40, compensate=False),
        ChannelStrip(-20, -0.25, (highpass(180), bell(3000, -2)), {"room": -12, "hall": -18}),
        loose_ms=9,
        touch=8,
    )
    whistle = song.add(
        "whistle",
        Sampled(78, compensate=False),
        ChannelStrip(-25, 0.3, (highpass(400),), {"hall": -13}),
        loose_ms=9,
        touch=7,
    )
    accordion = song.add(
        "accordion",
        Sampled(21, compensate=False),
        ChannelStrip(-26, 0.45, (highpass(180), lowpass(7000)), {"room": -12}),
        loose_ms=8,
    )
    guitar = song.add(
        "guitar",
        Sampled(25),
        ChannelStrip(-21.5, 0.15, (highpass(100), high_shelf(6000, 2)), {"room": -14}),
        loose_ms=6,
        touch=7,
    )
    bass = song.add(
        "double bass",
        Sampled(32),
        ChannelStrip(-20, 0, (bell(90, 2), compress(-8, 2.5, 15, 120)), {"room": -20}),
        loose_ms=6,
    )
    kit = song.kit(
        0,
        {
            "toms": ChannelStrip(-22, -0.1, (lowpass(3500), bell(110, 4)), {"room": -10}),
            "percussion": ChannelStrip(-31, -0.5, (highpass(2500),), {"room": -12}),
        },
        touch=9,
        loose_ms=5,
    )
    first = form.sections[0]
    fiddle.line(-0.5, "A5:1", 80)
    for bar in range(4):
        strum(guitar, first.bar(bar), "D___d_U___d_", [50, 57, 62, 66], step=0.25)
        if bar >= 2:
            kit.pattern(first.bar(bar), {"tom5": "X.o.x.X.o.x."})
    for n, (name, tune) in enumerate(ORDER):
        section = form[name]
        fiddle.line(section.start, TUNES[tune], 84 + (n % 2) * 5)
        if n in (1, 3, 6, 7, 8, 9):
            whistle.line(section.start, TUNES[tune], 84)
        chords = CHORDS[tune]
        shapes, pads = voicings(chords, 4, 50, 67), voicings(chords, 3, 55, 72)
        for bar, chord in enumerate(chords):
            at, root = section.bar(bar), bass_line_root(chord)
            strum(guitar, at, ("D___d_U_d_d_", "D___d_D___du")[bar % 2], shapes[bar], step=0.25)
            if n >= 1:
                bass.play(at, 1.2, root, 92)
                bass.play(at + 1.5, 1.2, root + (7 if bar % 2 else 0), 84)
                kit.pattern(at, {"tom5": "X.o.x.X.ogxg" if bar % 4 == 3 else "X.o.x.X.o.x."}, scale=0.9)
            if n in (2, 3, 5, 6, 7, 9):
                accordion.play(at, 2.8, pads[bar], 72)
            if n >= 6:
                kit.pattern(at, {"tamb": "o...x.o...x."})
    outro = form["outro"]
    fiddle.line(
        outro.start,
        "F#5:1 A5:1 F#5:1 D5:2 A4:1 | D5:1 F#5:1 A5:1 D6:2 A5:1 | B5:2 A5:1 G5:2 F#5:1 | E5:3 C#5:3 | D5:3 E5:2 C#5:1 | D5:6 |",
        82,
    )
    for bar, chord in enumerate(["D", "D", "G", "A", "D", "D"]):
        at, last = outro.bar(bar), bar == 5
        keys = voicings([chord], 4, 50, 67)[0]
        strum(guitar, at, "D___________" if last else "D___d_U___d_", keys, step=0.25, scale=0.7)
        accordion.play(at, 3.6 if last else 2.8, voicings([chord], 3, 55, 72)[0], 64)
        bass.play(at, 3.4 if last else 1.3, bass_line_root(chord), 84)
