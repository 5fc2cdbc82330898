"""Paper Lanterns: a fast waltz for accordion and clarinet that slows down into its last chord."""

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
    widen,
)
from data.recipes.engine.harmony import bass_class, bass_line_root, near, voicings
from data.recipes.engine.mixdown import Bus, ChannelStrip, Sampled, Song
from data.recipes.engine.score import Form, Part, ScoreSection, bars_of

A = ["Am", "Am", "Dm", "Dm", "G7", "G7", "C", "E7", "F", "F", "Bm7b5", "E7", "Am", "F", "E7", "Am"]
B = ["C", "G/B", "Am", "Em", "F", "C/E", "Dm7", "G7", "C", "G/B", "Am", "Em", "F", "Dm", "E7", "E7"]
INTRO = ["Am", "Am", "Dm6", "Am", "F", "Bm7b5", "E7", "E7"]
OUTRO = ["Am", "Dm", "Am", "F", "Dm6", "E7", "Am", "Am6"]

TUNE = """E5:4 F5:1 E5:1 | C5:4 A4:2 | D5:4 E5:1 F5:1 | A5:6 | B4:4 C5:1 D5:1 | F5:4 D5:2 | E5:6 | r:2 C5:2' E5:2' |
A5:4 G5:1 A5:1 | F5:4 C5:2 | D5:3 F5:1 E5:1 D5:1 | E5:2 D5:2 B4:2 | C5:4 B4:1 A4:1 | A4:2 C5:2 F5:2 |
E5:2 G#4:2 B4:2 | A4:6 |"""
TUNE_AGAIN = """E5:1 F5:1 E5:1 D#5:1 E5:1 F5:1 | E5:2 C5:1 B4:1 A4:2 | D5:1 E5:1 D5:1 C#5:1 D5:1 F5:1 | A5:4 F5:1 A5:1 |
G5:3 F5:1 E5:1 D5:1 | B5:3 A5:1 G5:1 F5:1 | E5:2 G5:1 C6:3 | B5:1 A5:1 G#5:1 F5:1 E5:1 D5:1 | C6:4 A5:1 C6:1 |
A5:3 G5:1 F5:1 E5:1 | D5:1 F5:1 A5:1 F5:1 D5:1 B4:1 | E5:1 G#5:1 B5:1 G#5:1 E5:1 D5:1 | C5:2 E5:1 A5:3 |
A5:1 G5:1 F5:1 E5:1 D5:1 C5:1 | B4:2 D5:1 F5:1 E5:1 G#4:1 | A4:6 |"""
MIDDLE = """G5:4 E5:2 | D5:4 G5:2 | C5:3 D5:1 E5:1 C5:1 | B4:6 | A4:2 C5:2 F5:2 | E5:4 G5:2 | F5:2 E5:2 D5:2 |
G5:6 | C6:4 G5:2 | B5:4 G5:2 | A5:3 B5:1 C6:1 A5:1 | G5:4 E5:2 | F5:2 A5:2 C6:2 | D6:4 A5:2 |
B5:3 A5:1 G#5:1 F5:1 | E5:6 |"""
ANSWER = """r:6 | E4:2 A4:2 C5:2 | r:6 | F4:2 A4:2 D5:2 | r:6 | D5:4 B4:2 | C5:2 G4:2 E4:2 | G#4:6 |
C5:6 | A4:4 F4:2 | B4:6 | G#4:4 E4:2 | E5:6 | C5:4 A4:2 | B4:4 D5:2 | C5:6 |"""
COUNTER = """E4:6 | D4:6 | E4:3 C4:3 | G4:4 E4:2 | F4:6 | G4:6 | A4:3 F4:3 | B4:2 A4:2 G4:2 |
E4:4 G4:2 | D4:4 B4:2 | C5:3 A4:3 | B4:6 | A4:4 F4:2 | F4:4 D4:2 | G#4:6 | B4:4 D5:2 |"""


def compose() -> Song:
    """Write the song."""
    form = Form(132, "3/4", lead_in=0.8, tail=4.0)
    form.section("intro", 8)
    form.section("a 1", 16, "verse")
    form.section("b", 16, "chorus")
    form.section("a 2", 16, "verse")
    form.section("outro", 8, to_bpm=74)
    form.section("close", 1, "outro", held=True)
    song = Song(
        "paper_lanterns",
        {
            "title": "Paper Lanterns",
            "artist_name": "Ana Belmonte Trio",
            "description": "A wistful, quick waltz for accordion and clarinet that slows into a soft last chord.",
            "tags": ["waltz", "cafe", "travel", "europe", "acoustic"],
            "moods": ["wistful", "playful", "romantic"],
            "genres": ["folk", "waltz", "musette"],
            "instruments": ["accordion", "clarinet", "nylon guitar", "double bass", "pizzicato strings", "brushes"],
            "bpm": 132,
            "energy": 0.42,
            "explicit": False,
            "instrumental": True,
        },
        form,
        "A",
        "minor",
        seed=3,
        lufs=-15.0,
        traits=("3/4", "ritardando ending", "lead-in", "sections vary", "held last chord"),
    )
    song.spaces = {"room": reverb(0.9, 10, 0.8, seed=8), "hall": reverb(1.9, 22, 0.72, seed=9)}
    song.groups = {"rhythm": Bus((compress(-5, 2, 20, 140),))}
    song.bus = (low_shelf(100, 1.0), high_shelf(7000, 3.0), compress(-4, 1.6, 30, 250), saturate(0.5, 0.4))
    song.rides = [(0, -3.5), (form["a 1"].start, -2.0), (form["b"].start, 0), (form["outro"].bar(2), 0), (form.end, -5)]
    write_rhythm(song)
    write_tunes(song)
    return song


def chords_of(section: ScoreSection) -> list[str]:
    """The chord of each bar of a section."""
    return {"intro": INTRO, "verse": A, "chorus": B}.get(section.label, OUTRO if section.bars > 1 else ["Am"])


def write_rhythm(song: Song) -> None:
    """Bass on one, guitar and pizzicato on two and three, brushes that whisper."""
    form = song.form
    bass = song.add(
        "bass", Sampled(32), ChannelStrip(-19, 0, (bell(90, 2), bell(700, 2)), {"room": -18}, "rhythm"), loose_ms=5
    )
    guitar = song.add(
        "guitar",
        Sampled(24),
        ChannelStrip(-22, -0.4, (highpass(110), high_shelf(5000, 3)), {"room": -13}, "rhythm"),
        loose_ms=6,
    )
    pizz = song.add(
        "pizzicato",
        Sampled(45),
        ChannelStrip(-25, 0.45, (highpass(160), widen(1.3)), {"hall": -11}, "rhythm"),
        loose_ms=7,
    )
    kit = song.kit(
        40,
        {
            "kick": ChannelStrip(-29, 0, (lowpass(2500),), {"room": -16}, "rhythm"),
            "snare": ChannelStrip(-27, 0.1, (highpass(200),), {"room": -11}, "rhythm"),
            "cymbals": ChannelStrip(-33, -0.3, (highpass(500),), {"hall": -12}, "rhythm"),
            "percussion": ChannelStrip(-31, 0.35, (highpass(1500),), {"hall": -10}, "rhythm"),
        },
        touch=6,
        loose_ms=5,
    )
    for section in form.sections:
        chords = chords_of(section)
        keys = voicings(chords, 3, 52, 67)
        for n, name in enumerate(chords):
            at, root = section.bar(n), bass_line_root(name, 31)
            if section.name == "close":
                bass.play(at, 3, 33, 78)
                guitar.play(at, 3, [45, 52, 57, 60, 64], 66)
                pizz.play(at, 1, [57, 64], 70)
                kit.hit("triangle", at, 60)
                continue
            second = n % 2 == 1 and name == chords[n - 1]
            bass.play(at, 1.6, near((bass_class(name) + 7) % 12, root + 5) if second else root, 90)
            if n % 4 == 3:
                target = bass_line_root(chords[(n + 1) % len(chords)], 31)
                bass.play(at + 2, 0.9, target + (1 if n % 8 == 7 else 2), 76)
            for beat, loud in ((1, 74), (2, 68)):
                guitar.play(at + beat, 0.55, keys[n], loud)
                if section.label != "intro" or n >= 4:
                    pizz.play(at + beat, 0.4, [key + 12 for key in keys[n]], loud - 4)
            if section.label == "chorus":
                pizz.play(at, 0.4, keys[n][0] + 12, 78)
            if section.label != "intro":
                busy = section.label == "chorus" or section.name == "a 2"
                kit.pattern(at, {"kick": "x.....", "snare": "..o.og" if busy and n % 2 else "..o.o."}, 0.5, scale=0.8)
                if busy:
                    kit.pattern(at, {"ride": "o..xo."}, 0.5, scale=0.7)
                if n % 8 == 7:
                    kit.pattern(at, {"snare2": "..xgxxxg.xgx"}, 0.25, scale=0.7)
            if n % 8 == 0:
                kit.hit("triangle", at, 84)


def write_tunes(song: Song) -> None:
    """The accordion tells, the clarinet answers; then they change places."""
    form = song.form
    accordion = song.add(
        "accordion",
        Sampled(21, compensate=False),
        ChannelStrip(-19.5, -0.15, (highpass(180), bell(2600, -2), high_shelf(6000, 2)), {"room": -14, "hall": -14}),
        loose_ms=9,
        late_ms=-6,
    )
    clarinet = song.add(
        "clarinet",
        Sampled(71, compensate=False),
        ChannelStrip(-20.5, 0.25, (highpass(140), high_shelf(5000, 2)), {"room": -14, "hall": -12}),
        loose_ms=9,
        late_ms=-6,
    )
    box = song.add("music box", Sampled(10), ChannelStrip(-28, 0.4, (highpass(500),), {"hall": -8}), loose_ms=5)
    cello = song.add(
        "cello",
        Sampled(42, compensate=False),
        ChannelStrip(-25, 0.1, (highpass(70),), {"hall": -10}),
        loose_ms=10,
        late_ms=-25,
    )
    intro = "E5:6 | C5:4 D5:2 | F5:6 | E5:6 | A5:4 F5:2 | D5:4 F5:2 | E5:4 D5:1 C5:1 | B4:6 |"
    clarinet.line(form["intro"].start, intro, 74, shift=-12)
    box.line(form["intro"].bar(4), "A5:4 F5:2 | D5:4 F5:2 | E5:4 D5:1 C5:1 | B4:6 |", 72, shift=12)
    accordion.line(form["a 1"].start, TUNE, 84)
    clarinet.line(form["a 1"].start, ANSWER, 72)
    accordion.line(form["b"].start, MIDDLE, 92)
    clarinet.line(form["b"].start, COUNTER, 82)
    box.line(form["b"].bar(8), bars_of(MIDDLE, 8), 70, shift=12)
    clarinet.line(form["a 2"].start, TUNE_AGAIN, 92)
    accordion.line(form["a 2"].start, ANSWER, 80)
    sing(cello, form["b"], 82)
    sing(cello, form["a 2"], 72)
    last = "E5:4 F5:1 E5:1 | D5:4 F5:2 | E5:4 C5:2 | A4:6 | F5:4 D5:2 | E5:2 D5:2 B4:2 |"
    last += " C5:4 B4:1 A4:1 | C5:2 B4:2 G#4:2 |"
    accordion.line(form["outro"].start, last, 78)
    clarinet.line(form["outro"].start, last, 66, shift=-12)
    accordion.play(form["close"].start, 3, ["A4", "C5", "E5"], 62)
    clarinet.play(form["close"].start, 3, "E4", 60)
    box.line(form["close"].start, "A5:1 E6:1 A6:4", 60)


def sing(part: Part, section: ScoreSection, velocity: int) -> None:
    """Long notes of the cello under a section, each chord's third or root by the shortest way."""
    for n, keys in enumerate(voicings(chords_of(section), 3, 48, 62)):
        part.play(section.bar(n), 2.95, keys[1], velocity)
        part.move(section.bar(n), section.bar(n) + 1.5, 11, 84, 120)
