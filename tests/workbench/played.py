"""A small band that plays forms to a click, for tests that need music with known answers; and plans made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.beats.grid import BeatGrid
from workbench.plans.plan import Ending, EndKind, LoopBody, LoopPlan, LoopSegment
from workbench.recording import Recording

RATE = 22_050
CHORDS = {
    "A": [(45, 0), (50, 0), (43, 1), (48, 1)],
    "B": [(41, 1), (43, 1), (45, 0), (45, 0)],
    "C": [(38, 0), (40, 0), (46, 1), (44, 1)],
    "O": [(45, 0), (45, 0), (45, 0), (45, 0)],
}
"""bass note and third (0 minor, 1 major) of each bar of a part"""


@dataclass(frozen=True)
class Played:
    """A piece and its written grid."""

    recording: Recording
    grid: BeatGrid


def tone(pitch: float, seconds: float, partials: int, decay: float) -> NDArray[np.float64]:
    """A plucked note with 1/k partials."""
    t = np.arange(round(seconds * RATE)) / RATE
    hz = 440.0 * 2 ** ((pitch - 69) / 12)
    sound = sum(np.sin(2 * np.pi * k * hz * t) / k for k in range(1, partials + 1) if k * hz < 0.45 * RATE)
    release = np.minimum(1.0, (seconds - t) / 0.01)
    return np.asarray(sound * np.exp(-t / decay) * np.clip(t / 0.002, 0, 1) * release)


def band(
    form: str,
    bpm: float = 120.0,
    beats: int = 4,
    *,
    transpose: int = 0,
    gain: float = 1.0,
    human_seconds: float = 0.0,
    lead_in: float = 0.25,
    tail: float = 2.0,
    seed: int = 0,
    gains: dict[str, float] | None = None,
) -> Played:
    """Play parts of four bars each: 'AABA' is sixteen bars. Bars of a part are the same samples wherever it comes.

    `human_seconds` moves every note by a random time of that size, `gains` makes parts louder or softer.
    """
    noise = np.random.default_rng(99).standard_normal(RATE)
    fingers = np.random.default_rng(seed)
    beat = 60.0 / bpm
    bar = beats * beat
    n_bars = 4 * len(form)
    sound = np.zeros(round((lead_in + n_bars * bar + tail) * RATE))

    def put(at: float, note: NDArray[np.float64], level: float) -> None:
        start = round((at + (human_seconds * fingers.uniform(-1, 1) if human_seconds else 0.0)) * RATE)
        sound[start : start + note.size] += level * note[: sound.size - start]

    kick = np.sin(2 * np.pi * np.cumsum(50 + 120 * np.exp(-np.arange(4000) / 600)) / RATE) * np.exp(
        -np.arange(4000) / 1200
    )
    snare = noise[:3000] * np.exp(-np.arange(3000) / 700)
    hat = np.diff(noise[:900]) * np.exp(-np.arange(899) / 150)
    for number in range(n_bars):
        part, place = form[number // 4], number % 4
        root, third = CHORDS[part][place]
        root += transpose
        level = (gains or {}).get(part, 1.0)
        start = lead_in + number * bar
        for b in range(beats):
            at = start + b * beat
            if part != "O":
                put(at, kick if b % 2 == 0 else snare, 0.5 * level if b % 2 == 0 else 0.2 * level)
                put(at, hat, 0.12 * level)
                put(at + beat / 2, hat, 0.08 * level)
                put(at, tone(root, beat * 0.9, 6, 0.4), 0.2 * level)
            if part == "B":
                put(
                    at + beat / 2,
                    tone(root + 36 + (0, 7, 3 + third, 12)[(b + place) % 4], beat * 0.9, 3, 0.2),
                    0.12 * level,
                )
        for step in (0, 3 + third, 7):
            put(start, tone(root + 12 + step, bar * 0.98, 5 if part != "C" else 12, 1.2), 0.08 * level)
    times = lead_in + np.arange(n_bars * beats) * beat
    positions = np.tile(np.arange(1, beats + 1), n_bars)
    return Played(
        Recording.from_samples((gain * 0.5 * sound).astype(np.float32), RATE), BeatGrid(times, positions, beats, 1.0)
    )


def make_plan(
    rows: Sequence[tuple[float, ...]],
    fades: list[float],
    curves: list[float],
    *,
    song_duration: float,
    glide: float = 0.0,
    music_in: float = 0.0,
    start_fade: float = 0.0,
    end_fade: float = 0.0,
    tail: float = 0.0,
    ends_with_track: bool = False,
) -> LoopPlan:
    """A valid plan from (song_from, song_to, gain_db, gain_in_db) rows; all that is not played is filled in."""
    segments = tuple(LoopSegment(*row) for row in rows)
    reached = round(music_in + sum(segment.length for segment in segments), 6)
    window_end = round(reached + tail, 6) if ends_with_track else reached
    body = max(segments, key=lambda segment: segment.length)
    return LoopPlan(
        segments=segments,
        seam_fades=tuple(fades),
        seam_curves=tuple(curves),
        gain_glide_seconds=glide,
        music_in=music_in,
        start_fade_seconds=start_fade,
        ending=Ending(EndKind.FADE, tail, end_fade),
        window_end=window_end,
        song_duration=song_duration,
        beats_per_bar=4,
        body=LoopBody(body.song_from, body.song_to, bars=1, repeats=1),
        sections_covered=("verse",),
        seam_score=1.0,
        plan_score=1.0,
    )
