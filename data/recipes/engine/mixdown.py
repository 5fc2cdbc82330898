"""From a score to a finished recording: voices, channel strips, spaces, groups and the master.

A `Song` is everything: facts for the catalog, form, stems and mix. `render` plays each stem by itself (FluidSynth or a
synth), sends it through its strip, sums strips into groups and groups into the master. The same score gives the same
samples on the same FluidSynth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import signal

from data.recipes.engine.effects import Insert, Sound, gain_of
from data.recipes.engine.mastering import loudness, master, true_peak
from data.recipes.engine.sampler import DRUM_BANK, RATE, Event, sampler
from data.recipes.engine.score import BEND, GM_DRUMS, PEDAL, DrumKit, Form, Move, Part, Performed, performed, seed_of
from data.recipes.engine.synths import Synth


@dataclass(frozen=True, slots=True)
class Sampled:
    """A program of a sound font. `semitones` transposes (a guitar tuned down), `compensate` starts samples early.

    Compensation is for instruments that are struck or plucked; bowed and blown ones speak slowly, as players do.
    """

    program: int
    bank: int = 0
    font: str = "fluid"
    semitones: int = 0
    compensate: bool = True
    bend_range: int = 2

    def sound(self, notes: Sequence[Performed], moves: Sequence[Move], form: Form, seconds: float) -> Sound:
        """The dry stem, shape (n, 2)."""
        events: list[Event] = []
        machine = sampler()
        played = {note.pitch + self.semitones for note in notes}
        delays = machine.onset_delays(played, self.program, self.bank, self.font)  # also finds keys without a sample
        for note in notes:
            pitch = note.pitch + self.semitones
            early = delays[pitch] if self.compensate else 0.0
            events.append(Event(note.at - early, "on", pitch, note.velocity))
            until = note.until - early if self.bank != DRUM_BANK else note.at + 0.05
            events.append(Event(until, "off", pitch, 0))
        for move in moves:
            first, last = float(form.time(move.start)), float(form.time(move.end))
            for at in np.append(np.arange(first, last, 0.02), last):
                part = (at - first) / (last - first) if last > first else 1.0
                value = move.from_value + (move.to_value - move.from_value) * part
                if move.controller == BEND:
                    bend = int(np.clip(round(8192 + 8191 * value / self.bend_range), 0, 16383))
                    events.append(Event(at, "bend", 0, bend))
                else:
                    events.append(Event(at, "control", move.controller, int(np.clip(round(value), 0, 127))))
        return machine.render(events, seconds, self.program, self.bank, self.font).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Made:
    """A voice computed by one of `synths`; equal notes are computed once."""

    synth: Synth
    name: str

    def sound(self, notes: Sequence[Performed], moves: Sequence[Move], form: Form, seconds: float) -> Sound:
        """The dry stem, shape (n, 2)."""
        result = np.zeros((round(seconds * RATE), 2))
        known: dict[tuple[int, float, int], Sound] = {}
        for note in notes:
            length = round(note.until - note.at, 3)
            what = (note.pitch, length, note.velocity)
            if what not in known:
                rng = np.random.default_rng(seed_of(self.name, *what))
                made = self.synth(note.pitch, length, note.velocity, rng)
                known[what] = made if made.ndim == 2 else np.repeat(made[:, None], 2, axis=1)
            start = round(note.at * RATE)
            room = len(result) - start
            if room > 0:
                result[start : start + len(known[what])] += known[what][:room]
        return result


@dataclass(frozen=True, slots=True)
class ChannelStrip:
    """A channel of the desk. `level_db` is the stem's loudness (LUFS of its loud passages) relative to the mix's zero.

    `sends` are dB into a space by name, `duck` the dB and seconds by which each hit of the song's pump part pushes the
    stem down, `rides` places in quarters with a gain in dB between which the fader moves.
    """

    level_db: float = -18.0
    pan: float = 0.0
    inserts: Sequence[Insert] = ()
    sends: Mapping[str, float] = field(default_factory=dict)
    group: str = "master"
    duck: tuple[float, float] | None = None
    rides: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True, slots=True)
class Bus:
    """Several strips treated as one."""

    inserts: Sequence[Insert] = ()
    gain_db: float = 0.0


@dataclass(slots=True)
class Stem:
    """A part, the voice that plays it and the strip that it goes through."""

    part: Part
    voice: Sampled | Made
    strip: ChannelStrip


@dataclass(slots=True)
class Song:
    """A whole production; `facts` go into the manifest as they are."""

    name: str
    facts: dict[str, object]
    form: Form
    key_name: str
    key_mode: str
    batch: int = 1
    kind: str = "song"
    seed: int = 1
    stems: list[Stem] = field(default_factory=list)
    spaces: dict[str, Insert] = field(default_factory=dict)
    groups: dict[str, Bus] = field(default_factory=dict)
    pump: str = ""
    rides: Sequence[tuple[float, float]] = ()  # the main fader: places in quarters and dB, before the bus
    bus: Sequence[Insert] = ()
    lufs: float = -14.0
    quality: float = 0.2  # of the Vorbis encoder, 0 to 1
    cut_at: float | None = None  # place in quarters after which nothing sounds: an abrupt end
    has_pulse: bool = True
    traits: Sequence[str] = ()

    def add(
        self,
        name: str,
        voice: Sampled | Made,
        strip: ChannelStrip,
        *,
        loose_ms: float = 4.0,
        late_ms: float = 0.0,
        touch: float = 5.0,
    ) -> Part:
        """A new part with its voice and strip; write notes into what is returned."""
        part = Part(name, self.form, loose_ms, late_ms, touch)
        self.stems.append(Stem(part, voice, strip))
        return part

    def kit(
        self,
        program: int,
        strips: Mapping[str, ChannelStrip],
        *,
        font: str = "fluid",
        loose_ms: float = 2.5,
        touch: float = 4.0,
        late_ms: float = 0.0,
        made: Mapping[str, Made] | None = None,
    ) -> DrumKit:
        """A drum kit, a part for each group of pieces in `strips`; `made` replaces the font for whole groups."""
        parts = {}
        for group, strip in strips.items():
            voice = (made or {}).get(group, Sampled(program, DRUM_BANK, font))
            parts[group] = self.add(group, voice, strip, loose_ms=loose_ms, touch=touch, late_ms=late_ms)
        groups = {}
        for row in GM_DRUMS:
            own = next((g for g, rows in DRUM_GROUPS.items() if row in rows and g in parts), None)
            groups[row] = row if row in parts else own or next(iter(parts))
        return DrumKit(parts, groups)


DRUM_GROUPS = {
    "kick": ("kick", "kick2"),
    "snare": ("snare", "snare2", "rim", "clap", "slap", "sticks"),
    "hat": ("hat", "pedal", "open"),
    "toms": ("tom1", "tom2", "tom3", "tom4", "tom5", "tom6"),
    "cymbals": ("crash", "crash2", "splash", "china", "ride", "ride2", "bell"),
    "percussion": (
        "tamb",
        "cowbell",
        "shaker",
        "cabasa",
        "bongo1",
        "bongo2",
        "conga1",
        "conga2",
        "conga3",
        "timb1",
        "timb2",
        "claves",
        "block1",
        "block2",
        "triangle",
        "tri_mute",
        "guiro",
    ),
}


def _pan(sound: Sound, pan: float) -> Sound:
    """Balance for stereo stems: the far side goes down, what was on it moves over by half."""
    if pan == 0:
        return sound
    left, right = sound[:, 0], sound[:, 1]
    far = abs(pan)
    near_gain, far_gain = np.cos((1 - far) * np.pi / 4) * np.sqrt(2), np.cos((1 + far) * np.pi / 4) * np.sqrt(2)
    if pan < 0:
        return np.stack([near_gain * (left + 0.5 * far * right) / (1 + 0.5 * far), far_gain * right], axis=1)
    return np.stack([far_gain * left, near_gain * (right + 0.5 * far * left) / (1 + 0.5 * far)], axis=1)


def _loud_passages(sound: Sound) -> float:
    """Loudness in LUFS of what a stem plays, silence left out: the gate of BS.1770 does just that."""
    return loudness(sound)


def _duck_curve(hits: Sequence[float], n: int, depth_db: float, release: float) -> Sound:
    """Gain over time that falls by `depth_db` at each hit and comes back within `release` seconds."""
    curve = np.zeros(n)
    time = np.arange(round(release * RATE)) / RATE
    dip = -depth_db * np.clip(1 - time / release, 0, 1) ** 1.4
    dip *= np.clip(time / 0.004, 0, 1)
    for hit in hits:
        start = round(hit * RATE)
        room = max(0, min(len(dip), n - start))
        curve[start : start + room] = np.minimum(curve[start : start + room], dip[:room])
    return gain_of(curve)


def _ride(points: Sequence[tuple[float, float]], form: Form, n: int) -> Sound:
    """Gain over time, shape (n, 1), of a fader that moves in dB between places."""
    at = form.time(np.array([place for place, _ in points], dtype=np.float64))
    return gain_of(np.interp(np.arange(n) / RATE, at, [db for _, db in points]))[:, None]


@dataclass(frozen=True, slots=True)
class Mixed:
    """A finished mix and what the desk's meters said."""

    sound: Sound
    stem_lufs: Mapping[str, float]
    lufs: float
    peak_db: float


def render(song: Song) -> Mixed:
    """Play, mix and master a song."""
    form, seconds = song.form, song.form.seconds
    n = round(seconds * RATE)
    buses: dict[str, Sound] = {name: np.zeros((n, 2)) for name in ("master", *song.groups)}
    sends: dict[str, Sound] = {name: np.zeros((n, 2)) for name in song.spaces}
    meters: dict[str, float] = {}
    pump = next((stem for stem in song.stems if stem.part.name == song.pump), None)
    hits = [note.at for note in performed(pump.part, song.seed)] if pump else []
    for stem in song.stems:
        if not stem.part.notes:
            continue
        strip = stem.strip
        sound = stem.voice.sound(performed(stem.part, song.seed), stem.part.moves, form, seconds)[:n]
        sound = np.pad(sound, ((0, n - len(sound)), (0, 0)))
        for insert in strip.inserts:
            sound = insert(sound)
        level = _loud_passages(sound)
        if not np.isfinite(level):
            raise ValueError(f"{song.name}: the stem {stem.part.name} is silent")
        sound = _pan(sound * gain_of(strip.level_db - level), strip.pan)
        if strip.rides:
            sound = sound * _ride(strip.rides, form, n)
        if strip.duck:
            sound = sound * _duck_curve(hits, n, *strip.duck)[:, None]
        meters[stem.part.name] = loudness(sound)
        buses[strip.group] += sound
        for space, db in strip.sends.items():
            sends[space] += sound * gain_of(db)
    for space, insert in song.spaces.items():
        buses["master"] += insert(sends[space])
    for name, group in song.groups.items():
        sound = buses[name]
        for insert in group.inserts:
            sound = insert(sound)
        buses["master"] += sound * gain_of(group.gain_db)
    mix = signal.sosfilt(signal.butter(2, 24, "highpass", fs=RATE, output="sos"), buses["master"], axis=0)
    if song.rides:
        mix = mix * _ride(song.rides, form, n)
    for insert in song.bus:
        mix = insert(mix)
    if song.cut_at is not None:
        mix = _cut(mix, float(form.time(song.cut_at)))
    mix = _faded_end(master(mix, song.lufs))
    return Mixed(mix, meters, loudness(mix), true_peak(mix) if mix.any() else float("-inf"))


def _cut(sound: Sound, at: float) -> Sound:
    """Stop everything within 12 ms, as a hand on the strings does."""
    time = np.arange(len(sound)) / RATE
    return sound * np.clip(1 - (time - at) / 0.012, 0, 1)[:, None]


def _faded_end(sound: Sound, seconds: float = 0.6) -> Sound:
    """Take the very last of the reverb to zero, so that no file ends on a step."""
    time_left = (len(sound) - 1 - np.arange(len(sound))) / RATE
    gain: Sound = np.sin(np.clip(time_left / seconds, 0, 1) * np.pi / 2) ** 2
    return sound * gain[:, None]


__all__ = ["PEDAL", "Bus", "ChannelStrip", "Made", "Mixed", "Sampled", "Song", "Stem", "render"]
