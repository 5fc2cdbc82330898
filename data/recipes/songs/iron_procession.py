"""Iron Procession: orchestral 3/4 on a string ostinato that repeats to the note, drums and brass on top, then a come-down."""

from __future__ import annotations

from data.recipes.engine.effects import bell, compress, high_shelf, highpass, low_shelf, reverb, saturate, widen
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.patterns import arpeggio
from data.recipes.engine.score import SWELL, Form
from data.recipes.engine.synths import faller, impact, riser

CHORDS = ["Cm", "Cm", "Ab", "Ab", "Fm", "Fm", "G", "Gsus4"]
LIFT = ["Cm", "Eb", "Bb", "Fm", "Ab", "Eb", "Fm", "G"]
THEME = "C4:4 D4:2 | Eb4:6 | C4:4 Eb4:2 | Ab4:6 | G4:4 F4:2 | F4:4 Ab4:2 | G4:6 | B3:6 |"
HIGH = "G5:4 C6:2 | Bb5:4 G5:2 | F5:4 D5:2 | C5:6 | Eb5:4 Ab5:2 | G5:4 Bb5:2 | C6:4 Ab5:2 | G5:6 |"


def compose() -> Song:
    """Write the song."""
    form = Form(138, "3/4", lead_in=0.0, tail=5.5)
    for name, bars in (
        ("intro", 8),
        ("verse 1", 16),
        ("chorus 1", 16),
        ("break", 8),
        ("build", 8),
        ("chorus 2", 16),
        ("outro", 8),
    ):
        form.section(name, bars)
    song = Song(
        "iron_procession",
        {
            "title": "Iron Procession", "artist_name": "Hartmann Film Orchestra",
            "description": "Orchestral trailer waltz: driving string ostinato, war drums, horns and choir, ending in quiet.",
            "tags": ["cinematic", "trailer", "epic", "orchestra"], "moods": ["tense", "heroic", "dark"],
            "genres": ["orchestral", "cinematic"], "instruments": ["strings", "horns", "choir", "taiko", "timpani", "harp"],
            "bpm": 138, "energy": 0.75, "explicit": False, "instrumental": True,
        },
        form, "C", "minor", batch=2, seed=61, lufs=-13.5,
        traits=("triple metre", "ostinato repeats exactly", "builds layer by layer", "come-down outro"),
    )  # fmt: skip
    song.spaces = {"stage": reverb(1.6, 18, 0.65, seed=61), "hall": reverb(3.2, 32, 0.6, seed=62)}
    song.groups = {"drums": Bus((compress(-8, 2, 25, 160, mix=0.6), saturate(1.0, 0.4)))}
    song.bus = (low_shelf(70, 1.5), high_shelf(8500, 1.0), compress(-4, 1.5, 35, 220))
    song.rides = [point for name, db in (("intro", -4.0), ("verse 1", -3.0), ("chorus 1", -0.5), ("break", -6.0), ("build", -3.0),
                                         ("chorus 2", 0.0), ("outro", -3.0))
                  for point in ((form[name].start, db), (form[name].end - 0.25, db))]  # fmt: skip
    write_strings(song)
    write_brass_and_choir(song)
    write_drums(song)
    return song


def bars_of(label: str) -> list[str]:
    """The chord of each bar of eight."""
    return LIFT if label == "chorus" else CHORDS


def write_strings(song: Song) -> None:
    """Low ostinato in eighths without any human slip, basses in long notes, violins high in the choruses."""
    form, exact = song.form, {"loose_ms": 0.0, "touch": 0.0}
    low = song.add(
        "cellos",
        Sampled(48),
        ChannelStrip(-20, 0.25, (highpass(60), bell(250, -2), bell(2500, 3)), {"stage": -9}),
        **exact,
    )
    short = song.add(
        "violas", Sampled(45), ChannelStrip(-22, -0.3, (highpass(150), bell(3000, 3)), {"stage": -9}), **exact
    )
    bass = song.add(
        "basses", Sampled(43, compensate=False), ChannelStrip(-20, 0.1, (low_shelf(90, 2),), {"stage": -13})
    )
    high = song.add(
        "violins", Sampled(48, compensate=False), ChannelStrip(-22, -0.3, (highpass(250), widen(1.2)), {"hall": -9})
    )
    harp = song.add("harp", Sampled(46), ChannelStrip(-24, 0.4, (highpass(120),), {"hall": -9}))
    for section in form.sections:
        chords = bars_of(section.label)
        for bar in range(section.bars):
            at, name = section.bar(bar), chords[bar % 8]
            root, keys = bass_line_root(name, 36), voicings([name], 3, 55, 67)[0]
            if section.label in ("break", "outro"):
                arpeggio(
                    harp,
                    at,
                    [k + 12 for k in keys],
                    [0, 1, 2, 3, 2, 1] if bar < section.bars - 1 else [0, 1, 2, 3, 4, 5],
                    velocity=70,
                    ring=1.6,
                )
                bass.play(at, 2.95, root - 12, 66)
                continue
            arpeggio(
                low,
                at,
                [root, root + 7, root + 12],
                [0, 2, 1, 0, 2, 1],
                velocity=92,
                ring=0.8,
                accents=(22, 0, 0, 10, 0, 0),
            )
            if section.name != "intro":
                arpeggio(short, at, keys, [0, 0, 1, 2, 1, 0], velocity=84, ring=0.6, accents=(18, 0, 6, 0, 6, 0))
                bass.play(at, 2.9, root - 12, 84)
    for name in ("chorus 1", "chorus 2"):
        for half in (0, 8):
            high.line(form[name].bar(half), HIGH, 92 if name == "chorus 1" else 102)


def write_brass_and_choir(song: Song) -> None:
    """The theme in the horns, first alone, then in octaves with trombones; choir holds the chorus."""
    form = song.form
    horns = song.add(
        "horns", Sampled(60, compensate=False), ChannelStrip(-20.5, -0.2, (highpass(90),), {"hall": -9}), loose_ms=8
    )
    trombones = song.add(
        "trombones", Sampled(57, compensate=False), ChannelStrip(-23, 0.3, (highpass(70),), {"hall": -11}), loose_ms=7
    )
    choir = song.add(
        "choir",
        Sampled(52, compensate=False),
        ChannelStrip(-24, 0, (highpass(200), widen(1.4)), {"hall": -7}),
        loose_ms=10,
    )
    horns.line(form["verse 1"].bar(8), THEME, 88)
    for name in ("chorus 1", "chorus 2"):
        for half in (0, 8):
            chords = voicings(LIFT, 3, 57, 74)
            for n, keys in enumerate(chords):
                choir.play(form[name].bar(half + n), 2.95, keys, 92)
                trombones.play(
                    form[name].bar(half + n), 2.6, [bass_line_root(LIFT[n], 40), bass_line_root(LIFT[n], 40) + 7], 88
                )
            if name == "chorus 2":
                horns.line(form[name].bar(half), HIGH, 96, shift=-12)
    horns.line(form["break"].start, THEME, 68)
    choir.move(form["build"].start, form["build"].end, SWELL, 50, 127)
    for n, keys in enumerate(voicings(CHORDS, 3, 57, 74)):
        choir.play(form["build"].bar(n), 2.95, keys, 86)
    horns.line(form["outro"].start, "C4:4 D4:2 | Eb4:6 | C4:4 Eb4:2 | Ab3:6 | F4:6 | Eb4:6 | D4:6 | C4:6 |", 58)


def write_drums(song: Song) -> None:
    """Taiko-like toms and timpani: two bars of pattern, denser in the choruses; cymbals and a riser into them."""
    form = song.form
    kit = song.kit(
        48,
        {
            "kick": ChannelStrip(-18.5, 0, (bell(60, 3),), {"hall": -12}, "drums"),
            "toms": ChannelStrip(-19, 0.1, (bell(90, 3), bell(500, -3)), {"stage": -8, "hall": -14}, "drums"),
            "cymbals": ChannelStrip(-27, -0.1, (highpass(300),), {"hall": -10}, "drums"),
            "snare": ChannelStrip(-24, -0.15, (highpass(150),), {"stage": -8}, "drums"),
        },
        touch=4,
        loose_ms=3,
    )
    timpani = song.add(
        "timpani", Sampled(47), ChannelStrip(-21, 0.2, (bell(80, 2),), {"hall": -10}, "drums"), loose_ms=3
    )
    up = song.add("riser", Made(riser(200, 7000, 0.4), "riser"), ChannelStrip(-27, 0, (), {"hall": -10}), loose_ms=0)
    boom = song.add("impact", Made(impact(34, 3.0), "impact"), ChannelStrip(-21, 0, (), {"hall": -12}), loose_ms=0)
    down = song.add("faller", Made(faller(3.0), "faller"), ChannelStrip(-29, 0, (), {"hall": -10}), loose_ms=0)
    for section in form.sections:
        for bar in range(section.bars):
            at, odd = section.bar(bar), bar % 2
            if section.label == "verse":
                kit.pattern(at, {"kick": "X.....", "tom6": ".....x" if odd else "...x.."}, step=0.5)
            elif section.label == "chorus":
                kit.pattern(
                    at,
                    {"kick": "X.....", "tom6": "..x.x." if odd else "...xx.", "tom4": "x...xx" if odd else "x....."},
                    step=0.5,
                )
                kit.pattern(at, {"snare": "....o.o.x.x." if bar % 8 == 7 else "........o..."}, step=0.25)
                timpani.play(at, 0.8, bass_line_root(LIFT[bar % 8], 36), 100)
            elif section.label == "build":
                kit.pattern(
                    at,
                    {
                        "tom6": "x.o.o." if bar < 4 else "x.x.xx",
                        "snare": "......" if bar < 4 else "o.o.o.",
                        "kick": "X.....",
                    },
                    step=0.5,
                    scale=0.7 + 0.05 * bar,
                )
        if section.label == "chorus":
            boom.play(section.start, 1, 30, 110)
            for half in (0, 8):
                kit.hit("crash", section.bar(half), 110)
        if section.label in ("break", "outro"):
            down.play(section.start, 1, 60, 90)
    up.play(form["build"].bar(2), 17.5, 48, 100)
