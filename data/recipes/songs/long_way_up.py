"""Long Way Up: a cinematic climb that starts slowly, switches to half as fast again, and looks back at the top."""

from __future__ import annotations

from data.recipes.engine.effects import (
    bell,
    compress,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    mono_below,
    reverb,
    saturate,
    transient,
    widen,
)
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.patterns import arpeggio, rhythm
from data.recipes.engine.score import SWELL, Form, ScoreSection, bars_of
from data.recipes.engine.synths import faller, impact, riser, soft_pad, sub_bass

SLOW = ["Cm", "Abmaj7", "Eb", "Bb/D", "Cm", "Abmaj7", "Fm7", "Gsus4"]
FAST = ["Cm", "Cm", "Ab", "Ab", "Fm", "Fm", "Gsus4", "G"]
TOP = ["Cm", "Ab", "Eb", "Bb", "Cm", "Ab", "Fm", "G"]
HOME = ["Abmaj7", "Bb", "Cm", "Fm7"]

HORN = (
    """G4:6 Eb4:2 | C5:5 Bb4:1 Ab4:2 | G4:6 Bb4:2 | F4:8 | G4:4 C5:4 | Eb5:5 D5:1 C5:2 | Ab4:4 C5:2 F5:2 | D5:6 r:2 |"""
)
THEME = """C5:3 D5:1 Eb5:4 | C5:2 Ab4:2 Eb5:4 | G5:3 F5:1 Eb5:4 | D5:2 Bb4:2 F5:4 |
G5:3 Ab5:1 G5:4 | Eb5:2 C5:2 Ab5:4 | Ab5:3 G5:1 F5:2 C5:2 | D5:4 G5:4 |"""
COUNTER = """Eb4:8 | Eb4:4 C4:4 | G4:8 | F4:4 D4:4 | G4:4 Eb4:4 | C5:4 Eb5:4 | F4:4 Ab4:4 | B4:8 |"""
LAST = "C5:6 Eb5:2 | D5:4 F5:4 | G5:6 Eb5:2 | Ab5:4 G5:2 F5:2 |"
DRIVE = [(0, 2, 1, 2, 0, 2, 1, 2), (0, 1, 2, 1, 0, 1, 2, 3)]
TAIKO = [
    {"tom6": "X..x..x.X..x..x.", "tom5": "..o..o....o..o.o"},
    {"tom6": "X..x..x.X.x.x.xx", "tom5": "..o..o....o..o.o"},
]
TAIKO_FULL = [
    {"tom6": "X.xX..xxX.xX..xx", "tom5": "..o..oo...o.xoxo", "tom4": "....X.......X..."},
    {"tom6": "X.xX..xxX.x.XxXx", "tom5": "..o..oo...oxxoxx", "tom4": "....X.......X..."},
]


def compose() -> Song:
    """Write the song."""
    form = Form(92, lead_in=1.0, tail=5.5)
    form.section("intro", 4)
    form.section("verse", 8)
    form.section("build", 8, bpm=138)
    form.section("chorus 1", 8)
    form.section("break", 4)
    form.section("chorus 2", 8)
    form.section("outro", 4, bpm=92)
    form.section("close", 1, "outro", held=True)
    song = Song(
        "long_way_up",
        {
            "title": "Long Way Up",
            "artist_name": "Greywether Philharmonic",
            "description": "Orchestral climb: a slow horn theme, then racing strings and big drums.",
            "tags": ["cinematic", "trailer", "adventure", "orchestra", "mountain"],
            "moods": ["epic", "determined", "triumphant"],
            "genres": ["cinematic", "orchestral"],
            "instruments": ["strings", "french horn", "brass", "choir", "taiko", "timpani", "piano", "harp"],
            "bpm": 138,
            "energy": 0.82,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "C",
        "minor",
        seed=10,
        lufs=-14.0,
        traits=("tempo change", "lead-in", "long ambient tail", "held last chord"),
    )
    song.spaces = {"stage": reverb(1.4, 14, 0.75, seed=30), "hall": reverb(3.4, 32, 0.72, seed=31)}
    song.groups = {
        "strings": Bus((compress(-5, 1.8, 25, 200), high_shelf(5000, 2))),
        "brass": Bus((compress(-5, 2, 20, 180),)),
        "drums": Bus((compress(-8, 2.2, 15, 150, mix=0.7), saturate(2, 0.4))),
    }
    song.bus = (
        mono_below(80),
        low_shelf(80, 1.5),
        high_shelf(5500, 4.5),
        compress(-4, 1.6, 30, 220),
        saturate(0.6, 0.4),
    )
    song.rides = [
        (0, -3),
        (form["verse"].start, -1),
        (form["build"].start, -3),
        (form["chorus 1"].start - 0.5, -1),
        (form["chorus 1"].start, 0),
        (form["break"].start, -2),
        (form["chorus 2"].start, 0.5),
        (form["outro"].start, -1),
        (form.end, -6),
    ]
    write_strings(song)
    write_brass(song)
    write_drums(song)
    return song


def chords_of(section: ScoreSection) -> list[str]:
    """The chord of each bar of a section."""
    table = {"intro": SLOW[:4], "verse": SLOW, "build": FAST, "break": ["Fm", "Fm", "Gsus4", "G"], "chorus": TOP}
    return ["C5"] if section.name == "close" else table.get(section.label, HOME)


def write_strings(song: Song) -> None:
    """Ostinati of short strings, a bed of long ones, basses, piano and harp in the slow parts."""
    form = song.form
    space = {"stage": -14.0, "hall": -14.0}
    drive = song.add(
        "short strings",
        Sampled(45, font="muse"),
        ChannelStrip(-20, 0.25, (highpass(160), transient(2), bell(2500, 3)), space, "strings"),
        loose_ms=5,
    )
    spiccato = song.add(
        "violins",
        Sampled(48, font="muse", compensate=False),
        ChannelStrip(-21, -0.3, (highpass(180), bell(3000, 2)), space, "strings"),
        loose_ms=5,
        late_ms=-22,
    )
    low = song.add(
        "low strings",
        Sampled(48, font="muse", compensate=False),
        ChannelStrip(-20, 0.3, (highpass(45), bell(180, 2)), space, "strings"),
        loose_ms=5,
        late_ms=-22,
    )
    bed = song.add(
        "long strings",
        Sampled(49, compensate=False),
        ChannelStrip(-22, 0, (highpass(150), widen(1.3)), {"hall": -9}, "strings"),
        loose_ms=10,
        late_ms=-50,
    )
    choir = song.add(
        "choir", Sampled(52, compensate=False), ChannelStrip(-24, 0, (highpass(200),), {"hall": -7}), late_ms=-60
    )
    piano = song.add(
        "piano", Sampled(0, font="muse"), ChannelStrip(-21.5, -0.1, (highpass(60),), {"hall": -11}), loose_ms=6
    )
    harp = song.add("harp", Sampled(46), ChannelStrip(-24, 0.4, (highpass(120),), {"hall": -9}), loose_ms=6)
    sub = song.add("sub", Made(sub_bass(1.4, 0.02, 0.3), "sub"), ChannelStrip(-23, 0, (lowpass(120),)), loose_ms=0)
    air = song.add("air", Made(soft_pad(1.8, 3.5, 1500), "air"), ChannelStrip(-27, 0, (highpass(300),), {"hall": -7}))
    for section in form.sections:
        chords = chords_of(section)
        keys, mids = voicings(chords, 4, 55, 75), voicings(chords, 3, 48, 64)
        for n, name in enumerate(chords):
            at, root = section.bar(n), bass_line_root(name, 31)
            if section.name == "close":
                for part, held in ((bed, [48, 55, 60, 67, 72]), (choir, [60, 67, 72]), (piano, [36, 48, 55, 60, 67])):
                    part.play(at, 5, held, 76)
                sub.play(at, 4, 36, 84)
                low.play(at, 5, [36, 43], 78)
                continue
            if section.label in ("intro", "verse", "outro"):
                air.play(at, 3.95, keys[n][:3], 86)
                arpeggio(piano, at, keys[n], (0, 2, 1, 3, 2, 1, 3, 2), ring=1.8, velocity=70, accents=(10, 0, 0, 0, 5))
                piano.play(at, 3.8, [root, root + 12], 74)
                if section.label != "intro":
                    arpeggio(harp, at, [k + 12 for k in keys[n]], (0, 1, 2, 3), step=1.0, velocity=72)
                    bed.play(at, 3.98, mids[n], 80)
                    bed.move(at, at + 2, SWELL, 82, 116)
                    low.play(at, 3.9, root, 78)
                    sub.play(at, 3.8, root if root > 33 else root + 12, 80)
                continue
            loud = {"build": -10 + 2 * n, "break": -6 + 5 * n}.get(section.label, 8)
            order = DRIVE[n % 2]
            arpeggio(
                drive,
                at,
                keys[n],
                [i for i in order for _ in range(2)],
                step=0.25,
                velocity=84 + loud,
                accents=(16, -8, 4, -8),
            )
            rhythm(spiccato, at, "x.xxx.xxx.xxx.xx", [keys[n][3], keys[n][1] + 12], scale=0.8 + loud / 120, gate=0.7)
            rhythm(low, at, "X.xxX.xxX.xxX.xx", [root + 12 if root < 34 else root], scale=0.8 + loud / 120, gate=0.75)
            low.play(at, 3.9, root, 84 + loud)
            sub.play(at, 3.8, root if root > 33 else root + 12, 92)
            if section.label != "build" or n >= 4:
                bed.play(at, 3.98, [k + 12 for k in mids[n]], 86)
            if section.label == "chorus":
                choir.play(at, 3.98, keys[n], 92)


def write_brass(song: Song) -> None:
    """A horn alone, horns with trumpets at the top, low brass underneath."""
    form = song.form
    space = {"stage": -13.0, "hall": -11.0}
    horn = song.add(
        "horn",
        Sampled(60, compensate=False),
        ChannelStrip(-19.5, -0.25, (highpass(90),), space, "brass"),
        loose_ms=9,
        late_ms=-25,
    )
    trumpet = song.add(
        "trumpets", Sampled(56), ChannelStrip(-22, 0.2, (highpass(180), bell(3000, -2)), space, "brass"), loose_ms=8
    )
    low = song.add(
        "low brass",
        Sampled(61, compensate=False),
        ChannelStrip(-21, 0.1, (highpass(60), bell(250, 2)), space, "brass"),
        loose_ms=7,
        late_ms=-12,
    )
    horn.line(form["verse"].start, HORN, 82, gate=1.0)
    horn.line(form["intro"].bar(2), "r:4 G4:4~ | F4:8~ |", 66)
    horn.line(form["build"].bar(4), "C4:4 Ab4:4 | F4:8 | G4:4 C5:4 | D5:8 |", 86, gate=1.0)
    for name in ("chorus 1", "chorus 2"):
        horn.line(form[name].start, THEME, 98, shift=-12, gate=0.98)
        horn.line(form[name].start, COUNTER, 86, gate=0.98)
        for n, chord in enumerate(TOP):
            root = bass_line_root(chord, 36)
            rhythm(low, form[name].bar(n), "X_______x_____x_", [root, root + 12], scale=0.9)
    trumpet.line(form["chorus 2"].start, THEME, 98, gate=0.95)
    trumpet.line(form["chorus 1"].bar(4), bars_of(THEME, 4), 90, gate=0.95)
    horn.line(form["outro"].start, LAST, 84, shift=-12, gate=1.0)
    horn.play(form["close"].start, 5, ["G3", "C4", "G4"], 78)


def write_drums(song: Song) -> None:
    """Taikos and toms, timpani, cymbals; a riser into every faster section and a blow on its first beat."""
    form = song.form
    kit = song.kit(
        48,
        {
            "toms": ChannelStrip(
                -18.5, 0, (bell(75, 4), bell(350, -3), transient(3)), {"stage": -10, "hall": -14}, "drums"
            ),
            "cymbals": ChannelStrip(-24, 0, (highpass(250),), {"hall": -11}, "drums"),
            "snare": ChannelStrip(-25, 0.1, (highpass(200),), {"stage": -8, "hall": -14}, "drums"),
            "kick": ChannelStrip(-20, 0, (bell(60, 3), lowpass(3000)), {"stage": -12}, "drums"),
        },
        loose_ms=4,
        touch=5,
    )
    taiko = song.add(
        "taiko",
        Sampled(116),
        ChannelStrip(-19, -0.1, (bell(80, 3), transient(2)), {"stage": -11, "hall": -13}, "drums"),
        loose_ms=5,
    )
    timpani = song.add(
        "timpani", Sampled(47), ChannelStrip(-21, 0.2, (), {"stage": -12, "hall": -12}, "drums"), loose_ms=4
    )
    machine = {"loose_ms": 0.0, "touch": 0.0}
    up = song.add("riser", Made(riser(180, 8000, 0.1), "riser"), ChannelStrip(-25, 0, (), {"hall": -11}), **machine)
    down = song.add("faller", Made(faller(3.2), "faller"), ChannelStrip(-27, 0, (), {"hall": -10}), **machine)
    boom = song.add("impact", Made(impact(36, 3.0), "impact"), ChannelStrip(-19, 0, (), {"hall": -13}), **machine)
    for n in range(4):
        taiko.play(form["verse"].bar(n * 2), 1, 48, 84)
        taiko.play(form["verse"].bar(n * 2) + 1.5, 1, 48, 64)
    for section in form.sections:
        for bar in range(section.bars):
            at, last = section.bar(bar), bar == section.bars - 1
            if section.label == "build" or section.label == "break":
                kit.pattern(at, TAIKO[bar % 2], scale=0.7 + 0.03 * bar)
                taiko.steps(at, "x.......x..x....", 45, scale=0.85)
                if last:
                    kit.pattern(at, {"snare": "ggooxxXXggooxxXX"}, scale=0.9)
                    timpani.steps(at, "xxxxxxxxxxxxxxxx", 43, scale=0.75)
            elif section.label == "chorus":
                kit.pattern(at, TAIKO_FULL[bar % 2], scale=0.95)
                kit.pattern(at, {"snare": "....x..g....x.gg", "kick": "X.....x.X......."})
                taiko.steps(at, "X..x..X.X..x..X.", 45)
                timpani.steps(at, "X.......x.....x.", bass_line_root(TOP[bar], 36))
                if last:
                    kit.pattern(at, {"snare": "........ooxxxxXX"})
        if section.label in ("chorus", "build"):
            up.play(section.start - 8, 7.9, 48, 100)
        if section.label == "chorus":
            kit.hit("crash", section.start, 118)
            kit.hit("crash2", section.bar(4), 100)
        if section.label in ("build", "chorus", "outro"):
            boom.play(section.start, 1, 30, 116)
            down.play(section.start, 1, 60, 100)
    kit.hit("crash", form["outro"].bar(0), 96)
    for n in range(4):
        taiko.play(form["outro"].bar(n), 1, 45, 84 - 6 * n)
    for n in range(12):
        timpani.play(form["close"].start - 1.5 + n / 8, 0.12, 36, 40 + 5 * n)
    timpani.play(form["close"].start, 2, 36, 96)
    kit.hit("crash", form["close"].start, 84)
