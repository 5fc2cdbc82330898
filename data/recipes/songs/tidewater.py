"""Tidewater: a folk air in 6/8 over guitar arpeggios and a frame drum, that ebbs away at the end."""

from __future__ import annotations

from data.recipes.engine.effects import (
    bell,
    compress,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    reverb,
    transient,
    widen,
)
from data.recipes.engine.harmony import bass_line_root, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Made, Sampled, Song
from data.recipes.engine.patterns import arpeggio
from data.recipes.engine.score import Form, ScoreSection
from data.recipes.engine.synths import soft_pad

VERSE = ["D", "Bm7", "G", "A", "D", "Bm7", "Em7", "A"]
CHORUS = ["G", "D/F#", "Em7", "D", "G", "A", "Bm7", "A"]
BREAK = ["Bm7", "Gmaj7", "D", "A", "Bm7", "Gmaj7", "Em7", "A7sus4"]
OUTRO = ["D", "Gadd9", "D", "Gadd9", "D", "Gadd9", "D", "Dadd9"]

VERSE_TUNE = """D5:2 E5:1 F#5:3 | A5:2 F#5:1 E5:2 D5:1 | B4:3 D5:2 E5:1 | C#5:3 A4:3 |
D5:2 E5:1 F#5:3 | A5:2 B5:1 A5:2 F#5:1 | G5:2 F#5:1 E5:2 D5:1 | E5:6 |"""
VERSE_TUNE_2 = """D5:1 E5:1 F#5:1 A5:3 | B5:2 A5:1 F#5:2 E5:1 | D5:2 B4:1 D5:2 E5:1 | E5:1 D5:1 C#5:1 A4:3 |
F#5:2 E5:1 D5:1 F#5:1 A5:1 | B5:2 D6:1 B5:2 A5:1 | G5:1 A5:1 G5:1 F#5:1 E5:1 D5:1 | E5:4 F#5:1 G5:1 |"""
CHORUS_TUNE = """B5:3 A5:2 G5:1 | F#5:3 D5:3 | G5:2 F#5:1 E5:2 D5:1 | F#5:3 A5:3 |
B5:3 A5:2 B5:1 | C#6:3 A5:3 | D6:3 B5:2 A5:1 | A5:6 |"""
FIDDLE = """D5:3 B4:3 | A4:6 | B4:3 G4:3 | A4:6 | D5:3 B4:3 | E5:6 | F#5:3 D5:3 | C#5:4 E5:2 |"""
BREAK_TUNE = """r:3 F#5:2 D5:1 | B4:6 | r:3 A4:2 D5:1 | E5:6 | r:3 F#5:2 A5:1 | B5:4 A5:2 | G5:3 E5:3 | D5:3 E5:3 |"""
OUTRO_TUNE = "F#5:6 | D5:3 B4:3 | A4:6 | r:6 | F#4:6~ | G4:3 A4:3 | D5:6~ | r:6 |"

DRUM = {"tom5": "X..ogx|X.gogx", "tom6": "X.....|......"}
DRUM_FULL = {"tom5": "X.gxgx|X.gxgx", "tom6": "X..X..|X..X..", "shaker": "xgoxgo|xgoxgo"}


def compose() -> Song:
    """Write the song."""
    form = Form(70, "6/8", lead_in=0.25, pickup=0.5, tail=6.0)
    for name, bars in (("intro", 4), ("verse 1", 8), ("chorus 1", 8), ("verse 2", 8), ("chorus 2", 8), ("break", 8)):
        form.section(name, bars)
    form.section("outro", 8, held=True)
    song = Song(
        "tidewater",
        {
            "title": "Tidewater",
            "artist_name": "Sorrel & Fen",
            "description": "A gentle folk air in six-eight for whistle, fiddle and picked guitar; the end ebbs away.",
            "tags": ["folk", "nature", "coast", "documentary"],
            "moods": ["calm", "hopeful", "warm"],
            "genres": ["folk", "celtic"],
            "instruments": ["acoustic guitar", "whistle", "fiddle", "cello", "frame drum", "bass"],
            "bpm": 70,
            "energy": 0.36,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "D",
        "major",
        seed=4,
        lufs=-15.5,
        traits=("6/8", "come-down outro", "pick-up", "sections vary", "long tail"),
    )
    song.spaces = {"room": reverb(0.8, 8, 0.8, seed=12), "hall": reverb(3.2, 30, 0.7, seed=13)}
    song.groups = {"picked": Bus((compress(-6, 2, 15, 160),))}
    song.bus = (low_shelf(110, 1.5), high_shelf(6000, 3.5), compress(-4, 1.6, 30, 250))
    song.rides = [
        (0, -2.5),
        (form["verse 1"].end, -2.0),
        (form["chorus 1"].start, 0),
        (form["break"].start, -1.5),
        (form["outro"].start, -2),
        (form["outro"].bar(5), -7),
        (form.end, -11),
    ]
    write_ground(song)
    write_voices(song)
    return song


def chords_of(section: ScoreSection) -> list[str]:
    """The chord of each bar of a section."""
    return {"intro": VERSE[:4], "verse": VERSE, "chorus": CHORUS, "break": BREAK, "outro": OUTRO}[section.label]


def write_ground(song: Song) -> None:
    """Two guitars, bass, frame drum and a pad."""
    form = song.form
    one = song.add(
        "guitar",
        Sampled(25),
        ChannelStrip(
            -19, -0.35, (highpass(90), bell(220, -3), high_shelf(6000, 3)), {"room": -14, "hall": -18}, "picked"
        ),
        loose_ms=5,
    )
    two = song.add(
        "second guitar",
        Sampled(24),
        ChannelStrip(-22, 0.4, (highpass(120), high_shelf(5000, 3)), {"room": -14, "hall": -16}, "picked"),
        loose_ms=6,
    )
    bass = song.add("bass", Sampled(32), ChannelStrip(-20, 0, (bell(85, 2), lowpass(3000)), {"room": -20}), loose_ms=5)
    pad = song.add("pad", Made(soft_pad(1.5, 2.5, 1100), "pad"), ChannelStrip(-28, 0, (highpass(200),), {"hall": -8}))
    kit = song.kit(
        0,
        {
            "toms": ChannelStrip(-22, 0, (lowpass(3500), bell(90, 4), transient(2)), {"room": -10, "hall": -16}),
            "percussion": ChannelStrip(-33, -0.5, (highpass(2000),), {"hall": -12}),
            "cymbals": ChannelStrip(-31, 0.2, (highpass(400),), {"hall": -8}),
        },
        loose_ms=4,
        touch=6,
    )
    one.play(-0.5, 0.45, "A3", 70)
    for section in form.sections:
        chords = chords_of(section)
        wide, high = voicings(chords, 4, 50, 69), voicings(chords, 3, 60, 76)
        full = section.label == "chorus"
        for n, name in enumerate(chords):
            at, root = section.bar(n), bass_line_root(name, 33)
            quiet = -12 if section.label in ("intro", "break") else -3 * n if section.label == "outro" else 0
            if section.label == "outro" and n == 7:
                one.play(at, 5, [38, 45, 50, 54, 57, 64], 58)
                bass.play(at, 5, 26 + 12, 60)
                pad.play(at, 6, high[n], 70)
                continue
            one.play(at, 1.4, root + 12, 84 + quiet)
            order = [(-99, 1, 2, 3, 2, 1), (-99, 2, 1, 3, 1, 2), (-99, 1, 3, 2, 1, 3)][
                n % 3 if section.name != "verse 1" else 0
            ]
            arpeggio(one, at, wide[n], order, ring=1.8, velocity=80 + quiet, accents=(0, -4, 0, 6, -6, -2))
            if section.label in ("chorus", "verse") and section.name != "verse 1":
                arpeggio(
                    two, at, [k + 12 for k in wide[n]], (0, 2, 1, 3, 2, 1), ring=1.6, velocity=70, accents=(4, 0, -4, 4)
                )
            if section.label != "intro":
                bass.play(at, 1.45, root, 86 + quiet)
                bass.play(at + 1.5, 1.2 if n % 4 != 3 else 0.9, root if n % 2 else root + 7, 76 + quiet)
                if n % 4 == 3:
                    bass.play(at + 2.5, 0.45, bass_line_root(chords[(n + 1) % len(chords)], 33) + 2, 72 + quiet)
            if section.label in ("chorus", "break", "outro"):
                pad.play(at, 2.95, high[n], 84)
            if section.label in ("verse", "chorus", "break") or (section.label == "outro" and n < 4):
                rows = DRUM_FULL if full or section.name == "verse 2" else DRUM
                if section.label in ("break", "outro"):
                    rows = {"tom6": "X.....|......", "tom5": ".....g|...g.g"}
                if n % 8 == 7 and section.label != "outro":
                    rows = {"tom5": "X.oxox|xxoXxX", "tom6": "X.....|X..X.."}
                kit.pattern(at, {k: v.replace("|", "")[:12:1] for k, v in halved(rows, n).items()}, 0.5, scale=0.85)
        if section.label in ("chorus", "break"):
            kit.hit("crash", section.start, 76)


def halved(rows: dict[str, str], bar: int) -> dict[str, str]:
    """The half of a two-bar pattern that belongs to a bar."""
    return {name: row.split("|")[bar % 2] for name, row in rows.items()}


def write_voices(song: Song) -> None:
    """Whistle and fiddle, first alone, then together."""
    form = song.form
    whistle = song.add(
        "whistle",
        Sampled(78, compensate=False),
        ChannelStrip(-21, 0.12, (highpass(350), lowpass(9000), bell(3200, -2)), {"room": -16, "hall": -9}),
        loose_ms=9,
        late_ms=-10,
    )
    flute = song.add(
        "flute",
        Sampled(73, compensate=False),
        ChannelStrip(-20.5, -0.1, (highpass(250), high_shelf(6000, 2)), {"room": -16, "hall": -9}),
        loose_ms=9,
        late_ms=-8,
    )
    fiddle = song.add(
        "fiddle",
        Sampled(40, compensate=False),
        ChannelStrip(-22, -0.2, (highpass(200), bell(3000, -2)), {"room": -14, "hall": -9}),
        loose_ms=9,
        late_ms=-25,
    )
    cello = song.add(
        "cello",
        Sampled(42, compensate=False),
        ChannelStrip(-23, 0.15, (highpass(60), widen(1.2)), {"hall": -9}),
        loose_ms=10,
        late_ms=-30,
    )
    flute.line(form["verse 1"].start, VERSE_TUNE, 82, gate=0.98)
    whistle.line(form["chorus 1"].start, CHORUS_TUNE, 88, gate=0.98)
    fiddle.line(form["chorus 1"].start, FIDDLE, 78, gate=1.0)
    fiddle.line(form["verse 2"].start, VERSE_TUNE_2, 86, gate=0.97, shift=-12)
    flute.line(form["verse 2"].bar(4), "A5:3 F#5:3 | F#5:6 | D5:3 B4:3 | C#5:6 |", 70, gate=1.0)
    whistle.line(form["chorus 2"].start, CHORUS_TUNE, 92, gate=0.98)
    fiddle.line(form["chorus 2"].start, CHORUS_TUNE, 80, shift=-12, gate=1.0)
    flute.line(form["chorus 2"].start, FIDDLE, 78, gate=1.0)
    flute.line(form["break"].start, BREAK_TUNE, 80, gate=1.0)
    flute.line(form["outro"].start, OUTRO_TUNE, 72, gate=1.0)
    for name in ("chorus 1", "verse 2", "chorus 2", "break"):
        section = form[name]
        for n, keys in enumerate(voicings(chords_of(section), 3, 45, 60)):
            cello.play(section.bar(n), 2.95, keys[0], 80)
            cello.move(section.bar(n), section.bar(n) + 1.5, 11, 80, 118)
