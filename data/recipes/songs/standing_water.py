"""Standing Water: a drone without beats, slow swells that overlap and never line up.

A quarter of this score lasts a second; nothing is placed on whole ones except by chance.
"""

from __future__ import annotations

import numpy as np
from scipy import signal
from scipy.interpolate import PchipInterpolator

from data.recipes.engine.effects import (
    Insert,
    bell,
    high_shelf,
    highpass,
    low_shelf,
    lowpass,
    mono_below,
    reverb,
    sweep,
    widen,
)
from data.recipes.engine.mixdown import ChannelStrip, Made, Sampled, Song
from data.recipes.engine.sampler import RATE
from data.recipes.engine.score import SWELL, Form, Part
from data.recipes.engine.synths import Samples, Synth, hz_of, soft_pad

LENGTH = 86


def wander(rng: np.random.Generator, n: int, every: float, low: float, high: float) -> Samples:
    """A curve that drifts between two values, a new one about `every` seconds, at uneven distances."""
    seconds = n / RATE
    gaps = rng.uniform(0.5 * every, 1.6 * every, int(seconds / every * 2) + 4)
    times = np.cumsum(gaps) - gaps[0]
    slow = np.arange(0, n + 512, 256)
    drawn = PchipInterpolator(times, rng.uniform(low, high, len(times)))(np.minimum(slow / RATE, times[-1]))
    curve: Samples = np.interp(np.arange(n), slow, drawn)
    return curve


def swell(seconds: float, peak: float) -> Samples:
    """A level that rises and falls without a corner; `peak` is the share of the time at which it is highest."""
    part = np.arange(round(seconds * RATE)) / (seconds * RATE)
    bent: Samples = part ** (np.log(0.5) / np.log(peak))
    return np.sin(np.pi * bent) ** 2


def glass(partials: int = 9, darkness: float = 1.1) -> Synth:
    """Bowed glass: partials that come and go by themselves, each at its own place in the stereo field."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        n = round(seconds * RATE)
        sound = np.zeros((n, 2))
        for number in range(1, partials + 1):
            hz = hz_of(pitch) * number * (1 + 0.0006 * number * rng.normal())
            if hz > 9000:
                break
            turning = 2 * np.pi * np.cumsum(hz * (1 + wander(rng, n, 4.0, -0.0012, 0.0012))) / RATE
            level = wander(rng, n, 3.7, 0.0, 1.0) ** 1.5 / number**darkness
            side = wander(rng, n, 6.0, 0.1, 0.9) * np.pi / 2
            tone = np.sin(turning + rng.uniform(0, 6)) * level
            sound += np.stack([tone * np.cos(side), tone * np.sin(side)], axis=1)
        return sound * swell(seconds, rng.uniform(0.35, 0.65))[:, None] * (velocity / 110) * 0.25

    return synth


def breath(width: float = 0.02) -> Synth:
    """Air that sings: noise through narrow bands on a tone and its overtones."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        n = round(seconds * RATE)
        noise = rng.normal(size=(n, 2))
        sound = np.zeros((n, 2))
        for number, level in ((1, 1.0), (2, 0.6), (3, 0.35), (5, 0.2)):
            hz = hz_of(pitch) * number
            band = signal.butter(2, (hz * (1 - width), hz * (1 + width)), "bandpass", fs=RATE, output="sos")
            sound += signal.sosfilt(band, noise, axis=0) * (wander(rng, n, 5.0, 0.1, 1.0) * level)[:, None]
        return sound * swell(seconds, rng.uniform(0.4, 0.7))[:, None] * (velocity / 110)

    return synth


def compose() -> Song:
    """Write the drone: open fifths on D, light above them, a dark turn to B flat, and out on the ninth."""
    form = Form(60, "2/4", lead_in=0.0, tail=6.0)
    form.section("drone", LENGTH // 2)
    song = Song(
        "standing_water",
        {
            "title": "Standing Water",
            "artist_name": "Slow Index",
            "description": "A beatless drone: bowed glass, breath and low strings that swell and sink over fifths.",
            "tags": ["drone", "ambient", "underwater", "tension", "no beat"],
            "moods": ["still", "mysterious", "deep"],
            "genres": ["ambient", "drone"],
            "instruments": ["synthesizer", "glass", "choir", "strings"],
            "bpm": None,
            "energy": 0.15,
            "explicit": False,
            "instrumental": True,
            "expected_refusal": "low_confidence",
        },
        form,
        "D",
        "minor",
        kind="refusal",
        seed=31,
        lufs=-17.0,
        quality=0.2,
        has_pulse=False,
        traits=("no pulse", "no onsets", "slow swells"),
    )
    song.spaces = {"cave": reverb(7.0, 40, 0.66, 1.2, early=0.2, seed=31)}
    song.bus = (low_shelf(80, 1.0), mono_below(110), high_shelf(8000, 1.5))
    song.rides = [(0, -14), (7, -3), (30, 0), (44, -2.5), (58, 0.5), (74, -3), (LENGTH, -18), (LENGTH + 5, -40)]
    write_ground(song)
    write_light(song)
    return song


def write_ground(song: Song) -> None:
    """What lies below: a pad in fifths that darkens and opens, low strings and a choir that swell in and out."""
    opening: Insert = sweep([(0, 260), (18, 700), (33, 1500), (47, 420), (61, 2300), (77, 800), (92, 220)])
    pad = song.add(
        "pad",
        Made(soft_pad(9.0, 7.0, 1500, 0.043), "standing pad"),
        ChannelStrip(-20, 0, (highpass(32), opening, widen(1.2)), {"cave": -9}),
        loose_ms=0,
    )
    for start, length, pitches, loud in (
        (0.0, 25.3, ["D2", "A2"], 92),
        (11.7, 22.9, ["D3", "E4"], 74),
        (29.1, 19.4, ["D2", "A3", "G#4"], 84),
        (43.6, 17.8, ["Bb1", "F3"], 96),
        (46.9, 15.2, ["D4", "A4"], 70),
        (57.4, 22.1, ["G1", "D3", "A3"], 92),
        (66.8, 17.3, ["E3", "B3"], 78),
    ):
        pad.play(start, length, pitches, loud)
    strings = song.add(
        "strings",
        Sampled(49, compensate=False),
        ChannelStrip(-25, 0.1, (highpass(40), lowpass(2600)), {"cave": -7}),
        loose_ms=0,
    )
    choir = song.add(
        "choir",
        Sampled(52, font="muse", compensate=False),
        ChannelStrip(-26, -0.1, (highpass(140), lowpass(4200), bell(900, -3)), {"cave": -4}),
        loose_ms=0,
    )
    for part, rows in ((strings, STRINGS), (choir, CHOIR)):
        for start, length, pitches, top in rows:
            breathing(part, start, length, pitches, top)


STRINGS = (
    (3.2, 12.6, ["D2", "A2"], 96),
    (19.3, 15.7, ["D2", "A2", "E3"], 110),
    (39.7, 13.1, ["Bb1", "F2"], 118),
    (55.9, 18.4, ["G1", "D2", "B2"], 112),
)
CHOIR = (
    (14.4, 11.9, ["A3", "E4"], 86),
    (31.6, 9.8, ["G#3", "B3"], 100),
    (49.2, 14.3, ["F3", "D4"], 108),
    (68.1, 12.7, ["B3", "E4"], 90),
)


def breathing(part: Part, start: float, length: float, pitches: list[str], top: int) -> None:
    """A held chord that comes from nothing and goes back there."""
    part.play(start, length, pitches, 84)
    part.move(start - 0.1, start - 0.1, SWELL, 0, 0)
    part.move(start, start + 0.45 * length, SWELL, 0, top)
    part.move(start + 0.5 * length, start + length - 0.15, SWELL, top, 0)


def write_light(song: Song) -> None:
    """What glimmers above: bowed glass and breath, each swell of another length."""
    bowed = song.add(
        "glass",
        Made(glass(), "standing glass"),
        ChannelStrip(-22, 0, (highpass(160),), {"cave": -5}),
        loose_ms=0,
        touch=0,
    )
    for start, length, pitch, loud in (
        (5.1, 14.9, "A4", 70),
        (12.3, 19.7, "E4", 84),
        (23.8, 11.3, "D5", 76),
        (27.2, 17.1, "G#4", 88),
        (36.5, 12.7, "B5", 54),
        (42.9, 15.6, "F4", 90),
        (50.3, 13.4, "C5", 80),
        (56.6, 18.8, "D4", 88),
        (61.9, 16.2, "B4", 84),
        (69.7, 14.1, "F#5", 62),
        (72.4, 15.0, "E5", 72),
    ):
        bowed.play(start, length, pitch, loud)
    air = song.add(
        "breath",
        Made(breath(), "standing breath"),
        ChannelStrip(-27, 0, (highpass(120), widen(1.3)), {"cave": -6}),
        loose_ms=0,
        touch=0,
    )
    for start, length, pitch, loud in (
        (0.4, 17.2, "D3", 100),
        (16.6, 14.5, "A3", 84),
        (33.3, 19.6, "D4", 92),
        (45.7, 16.8, "Bb2", 104),
        (60.2, 13.9, "G3", 90),
        (67.5, 20.3, "A2", 96),
    ):
        air.play(start, length, pitch, loud)
