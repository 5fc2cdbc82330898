"""Harbour Lights: indie rock with a hook for guitar and glockenspiel, and a last chorus a whole tone up."""

from __future__ import annotations

from data.recipes.engine.effects import (
    amplifier,
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
    transient,
    widen,
)
from data.recipes.engine.harmony import bass_line_root, chord, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Sampled, Song
from data.recipes.engine.patterns import rhythm, strum
from data.recipes.engine.score import Form, ScoreSection

VERSE = ["G", "D/F#", "Em7", "Cadd9", "G", "D/F#", "Am7", "C"]
CHORUS = ["C", "G/B", "D", "Em7", "C", "G/B", "D", "D"]
BRIDGE = ["Am7", "Em7", "Cmaj7", "Dsus4"]
LIFT = 2  # the last chorus and the outro sound a whole tone higher

HOOK = """B5:2 A5:1 G5:1 D5:2 G5:1 A5:1 | B5:3 D6:1 B5:2 A5:2 | A5:2 F#5:1 A5:1 D6:3 A5:1 | B5:4 r:1 G5:1 A5:1 B5:1 |
C6:2 B5:1 G5:1 E5:2 G5:1 A5:1 | B5:3 D6:1 B5:2 G5:2 | A5:2 B5:1 A5:1 F#5:2 A5:2 | A5:6 r:2 |"""
VERSE_LINE_1 = """r:2 D5:1 E5:1 G5:2 E5:1 D5:1 | A4:3 r:5 | r:2 G4:1 A4:1 B4:2 D5:1 B4:1 | E5:2 D5:1 B4:1 G4:2 r:2 |
r:2 D5:1 E5:1 G5:2 A5:1 G5:1 | F#5:3 D5:1 r:4 | r:1 E5:1 G5:1 A5:1 C6:2 A5:1 G5:1 |
E5:3 r:1 D5:1 E5:1 G5:1 A5:1 |"""
VERSE_LINE_2 = """r:2 G5:1 E5:1 D5:2 E5:1 G5:1 | A5:2 F#5:1 D5:1 r:4 | r:2 B4:1 D5:1 E5:3 G5:1 |
G5:2 E5:1 D5:1 E5:2 r:2 | r:1 B5:1 A5:1 G5:1 D5:2 E5:1 G5:1 | A5:3 F#5:1 D5:2 r:2 |
r:1 C5:1 E5:1 G5:1 A5:2 G5:1 E5:1 | G5:3 r:1 E5:1 G5:1 A5:1 B5:1 |"""

VERSE_BEAT = {"kick": "X.....x.x.x.....", "snare": "....X..g.g..X..g", "hat": "X.o.x.o.X.o.x.og"}
CHORUS_BEAT = {
    "kick": "X..x..x.X.x...x.",
    "snare": "....X..g....X.g.",
    "open": "X...x...X...x...",
    "tamb": "..x...x...x...x.",
}
FILLS = [
    {"kick": "X.....x.x.......", "snare": "....X..g....xxXX", "hat": "X.o.x.o.X.o.....", "tom2": "..........xx...."},
    {
        "kick": "X.....x.........",
        "snare": "....X...f.f.....",
        "hat": "X.o.x.o.........",
        "tom1": "..........xx....",
        "tom5": "............XxXx",
    },
    {"kick": "X...X...X...X...", "snare": "x.xxx.xxX.xxXXXX", "tom5": "....x...x...x..."},
]


def compose() -> Song:
    """Write the song."""
    form = Form(112, lead_in=0.35, pickup=1.0, tail=3.6)
    for name, bars in (
        ("intro", 4),
        ("verse 1", 8),
        ("chorus 1", 8),
        ("verse 2", 8),
        ("chorus 2", 8),
        ("bridge", 4),
        ("chorus 3", 8),
    ):
        form.section(name, bars)
    form.section("outro", 4, held=True)
    song = Song(
        "harbour_lights",
        {
            "title": "Harbour Lights",
            "artist_name": "The Lower Quay",
            "description": "Bright indie rock: a guitar and glockenspiel hook, a driving chorus, a late key change.",
            "tags": ["indie rock", "road trip", "hook", "band"],
            "moods": ["hopeful", "bright", "driving"],
            "genres": ["indie rock", "pop"],
            "instruments": ["electric guitar", "acoustic guitar", "bass", "drums", "organ", "glockenspiel"],
            "bpm": 112,
            "energy": 0.72,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "G",
        "major",
        seed=11,
        lufs=-12.5,
        traits=("pick-up", "key change", "sections vary", "held last chord"),
    )
    song.spaces = {
        "room": reverb(0.7, 6, 0.8, seed=3),
        "hall": reverb(2.2, 24, 0.7, seed=4),
        "echo": echo(60 / 112 * 0.75, 0.42, 3200),
    }
    song.groups = {
        "drums": Bus((compress(-9, 2.5, 18, 120, mix=0.7), saturate(2.0, 0.5))),
        "guitars": Bus((compress(-6, 2, 20, 150),)),
    }
    song.bus = (low_shelf(90, 1.0), high_shelf(9000, 1.0), compress(-3, 1.5, 30, 200), saturate(0.5, 0.5))
    song.rides = [
        point
        for name, db in (
            ("intro", -2.0),
            ("verse 1", -4.0),
            ("chorus 1", -0.8),
            ("verse 2", -3.0),
            ("chorus 2", -0.4),
            ("bridge", -3.0),
            ("chorus 3", 0.0),
            ("outro", 0.0),
        )
        for point in ((form[name].start, db), (form[name].end - 0.25, db))
    ]
    write_drums(song)
    write_harmony(song)
    write_lead(song)
    return song


def write_drums(song: Song) -> None:
    """Drums: tight hats in the verse, open ones in the chorus, toms in the bridge, a fill into each new section."""
    form = song.form
    kit = song.kit(
        16,
        {
            "kick": ChannelStrip(
                -19, 0, (bell(62, 3), bell(350, -5), bell(3500, 4), transient(2)), {"room": -22}, "drums"
            ),
            "snare": ChannelStrip(
                -19.5,
                0.03,
                (highpass(110), bell(200, 2), bell(5500, 4), transient(3)),
                {"room": -9, "hall": -20},
                "drums",
            ),
            "hat": ChannelStrip(-29, 0.25, (highpass(400), high_shelf(9000, 3)), {"room": -18}, "drums"),
            "toms": ChannelStrip(-20, -0.1, (bell(110, 3), bell(450, -5)), {"room": -10, "hall": -20}, "drums"),
            "cymbals": ChannelStrip(
                -27, -0.15, (highpass(300), high_shelf(8000, 2)), {"room": -15, "hall": -20}, "drums"
            ),
            "percussion": ChannelStrip(-31, -0.4, (highpass(800),), {"room": -12}, "drums"),
        },
        touch=5,
    )
    for beat in (-0.75, -0.5, -0.25):
        kit.hit("snare", beat, int(80 + 40 * (1 + beat)))
    kit.hit("crash", 0, 105)
    intro, bridge, outro = form["intro"], form["bridge"], form["outro"]
    kit.pattern(intro.start, VERSE_BEAT, times=3)
    kit.pattern(intro.bar(3), FILLS[0])
    for name, fill in (("verse 1", 1), ("verse 2", 0)):
        kit.pattern(form[name].start, VERSE_BEAT, times=7)
        kit.pattern(form[name].bar(7), FILLS[fill])
        kit.hit("crash", form[name].start, 92)
    for name, fill in (("chorus 1", 0), ("chorus 2", 1), ("chorus 3", 2)):
        kit.pattern(form[name].start, CHORUS_BEAT, times=7)
        kit.pattern(form[name].bar(7), FILLS[fill])
        kit.hit("crash", form[name].start, 118)
        kit.hit("crash2", form[name].bar(4), 100)
    for bar in range(3):
        kit.pattern(
            bridge.bar(bar), {"kick": "X...x...X...x.x.", "tom5": "x.oxo.x.x.oxo.xo", "pedal": "....x.......x..."}
        )
    kit.pattern(bridge.bar(3), FILLS[2])
    kit.pattern(outro.start, CHORUS_BEAT, times=2)
    kit.pattern(outro.bar(2), FILLS[1])
    for name in ("kick", "crash", "crash2"):
        kit.hit(name, outro.bar(3), 120)
    kit.hit("crash", outro.start, 115)


def chords_of(section: ScoreSection) -> tuple[list[str], int]:
    """The chord of each bar, and how far the section is transposed."""
    table = {
        "intro": VERSE[:4],
        "verse": VERSE,
        "chorus": CHORUS,
        "bridge": BRIDGE,
        "outro": ["G", "D/F#", "C", "Gadd9"],
    }
    return table[section.label], LIFT if section.name in ("chorus 3", "outro") else 0


def write_harmony(song: Song) -> None:
    """Bass, two amplified guitars left and right, acoustic guitar, organ, piano in choruses."""
    bass = song.add(
        "bass",
        Sampled(34),
        ChannelStrip(
            -18.5,
            0,
            (highpass(38), saturate(5, 0.6), bell(90, 2), bell(250, -3), bell(900, 3), compress(-8, 4, 15, 120)),
        ),
        loose_ms=3,
    )
    space, group = {"room": -16.0, "hall": -24.0}, "guitars"
    left = song.add(
        "guitar left",
        Sampled(27),
        ChannelStrip(-22, -0.8, (amplifier(15), highpass(110), bell(3000, 2)), space, group),
        loose_ms=6,
    )
    right = song.add(
        "guitar right",
        Sampled(27),
        ChannelStrip(-22, 0.8, (amplifier(13, 5400), highpass(110)), space, group),
        loose_ms=6,
    )
    chug = song.add(
        "muted guitar",
        Sampled(28),
        ChannelStrip(-25, 0.45, (amplifier(6), highpass(130)), {"room": -14, "echo": -20}),
        loose_ms=4,
    )
    steel = song.add(
        "acoustic guitar",
        Sampled(25),
        ChannelStrip(-26, -0.45, (highpass(160), high_shelf(7000, 4)), {"room": -14}),
        loose_ms=6,
    )
    organ = song.add(
        "organ",
        Sampled(16),
        ChannelStrip(-29, 0.2, (highpass(150), lowpass(5000), chorus(0.8, 2.5, 0.5)), {"hall": -14}),
    )
    piano = song.add(
        "piano", Sampled(0), ChannelStrip(-27, 0.15, (highpass(140), bell(3000, 3)), {"hall": -14}), loose_ms=5
    )
    for section in song.form.sections:
        chords, lift = chords_of(section)
        low, middle, high = voicings(chords, 3, 48, 64), voicings(chords, 4, 52, 71), voicings(chords, 4, 60, 79)
        for n, name in enumerate(chords):
            at, root, last = section.bar(n), bass_line_root(name) + lift, section.label == "outro" and n == 3
            power, wide, top = [k + lift for k in low[n]], [k + lift for k in middle[n]], [k + lift for k in high[n]]
            own = 40 + (chord(name)[0] - 40) % 12 + lift  # over a slash chord the guitar plays the chord, not its bass
            fifth = [own, own + 7, own + 12]
            if last:
                for part, keys in (
                    (bass, [root]),
                    (left, fifth),
                    (right, power),
                    (steel, wide),
                    (organ, top),
                    (piano, wide),
                ):
                    part.play(at, 4.4, keys, 100)
                continue
            turn = n % 4 == 3
            if section.label in ("intro", "verse", "bridge"):
                rhythm(bass, at, "X__x__x_X__x" + ("x_x_" if turn else "__x_"), [root], scale=0.9)
                if turn and section.label == "verse":
                    bass.play(at + 3.5, 0.45, root + 7, 88)
            else:
                rhythm(bass, at, "X_x_x_x_X_x_x_x_", [root], scale=0.92, gate=0.85)
                if turn:
                    bass.play(at + 3.75, 0.2, root + 2, 90)
            if section.label == "verse":
                rhythm(chug, at, "x.o.x.o.x.o.x.oo", fifth[:2], scale=0.8, gate=0.6)
                rhythm(right, at, "o_______________", power, scale=0.6)
            elif section.label == "bridge":
                rhythm(left, at, "x_______________", power, scale=0.8)
                rhythm(right, at, "x_______x_______", power, scale=0.7)
                rhythm(piano, at, "x_x_x_x_x_x_x_x_", top, scale=0.62 + 0.05 * n)
            else:
                rhythm(left, at, "X__x__x_x_x_x__x", fifth, scale=0.85)
                rhythm(right, at, "X__x__x_x_x_x__x", power, scale=0.85)
            strum(steel, at, "D_d_dUdU_UdUd_dU" if section.label == "chorus" else "D___d_u__ud_d_du", wide)
            if section.label in ("chorus", "bridge", "outro"):
                rhythm(organ, at, "x_______________", top, scale=0.75)
            if section.label in ("chorus", "outro"):
                rhythm(piano, at, "x___x___x___x_x_", top, scale=0.75)
    steel.play(-0.5, 0.45, ["D4", "G4"], 70)


def write_lead(song: Song) -> None:
    """The tune in the verses, the hook in choruses; the second verse has a tune of its own."""
    form = song.form
    lead = song.add(
        "lead guitar",
        Sampled(27),
        ChannelStrip(
            -20.5,
            -0.1,
            (amplifier(11, 6000), highpass(220), bell(1800, 3), compress(-8, 3, 8, 160)),
            {"hall": -15, "echo": -13},
        ),
        loose_ms=7,
        late_ms=4,
    )
    glock = song.add("glockenspiel", Sampled(9), ChannelStrip(-28, 0.3, (highpass(500),), {"hall": -10}), loose_ms=4)
    strings = song.add(
        "strings", Sampled(48, compensate=False), ChannelStrip(-26, 0, (highpass(200), widen(1.3)), {"hall": -10})
    )
    lead.line(form["intro"].start, "B4:3 A4:1 G4:2 D5:2 | A4:3 B4:1 A4:4 | G4:3 A4:1 B4:2 D5:2 | E5:5 r:3 |", 84)
    lead.line(form["verse 1"].start, VERSE_LINE_1, 86)
    lead.line(form["verse 2"].start, VERSE_LINE_2, 90)
    for name in ("chorus 1", "chorus 2", "chorus 3"):
        lift = LIFT if name == "chorus 3" else 0
        lead.line(form[name].start, HOOK, 98, shift=lift - 12)
        glock.line(form[name].start, HOOK, 84, shift=lift)
        if name != "chorus 1":
            for n, keys in enumerate(voicings(CHORUS, 3, 64, 86)):
                strings.play(form[name].bar(n), 3.95, [k + lift for k in keys], 84)
    lead.line(form["bridge"].start, "r:1 C5:1 E5:1 G5:1 A5:4 | G5:3 E5:1 B4:4 | r:1 B4:1 E5:1 G5:1 B5:4 | A5:8 |", 90)
    lead.line(
        form["outro"].start,
        "C#6:2 B5:1 A5:1 E5:2 A5:1 B5:1 | C#6:3 B5:1 G#5:4 | A5:2 F#5:2 D5:2 F#5:2 | A5:8 |",
        92,
        shift=-12,
    )
    glock.line(form["outro"].bar(3), "A5+E6:8", 80)
