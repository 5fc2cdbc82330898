"""From a score to a performance: notes in seconds, with the looseness of players, and the exact times of the beats.

The truth is the tempo map alone. Players stray from it: each has a habit (`Part.late_ms`), each note its own error, a
band without a click drifts, phrases breathe where the score allows it. Swing moves notes, not beats.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.recipes.training.composition import Role, Score

SLOW_BPM, FAST_BPM = 80.0, 150.0
"""beats a minute below and above which a piece is tagged slow, fast; as the benchmark does"""
_STEPS = 24
"""points a beat at which the tempo map is integrated"""


class Sounded(NamedTuple):
    """A note; times in seconds."""

    begin: float
    seconds: float
    pitch: int
    velocity: int


@dataclass
class Played:
    """What one player plays, in seconds."""

    role: Role
    program: int
    notes: list[Sounded]


@dataclass
class Performance:
    """A piece in seconds with its truth."""

    style: str
    parts: list[Played]
    beats: NDArray[np.float64]
    """shape (n_beats,), s"""
    positions: NDArray[np.int64]
    """shape (n_beats,), place in the bar from 1"""
    bar_beats: NDArray[np.int64]
    """shape (n_beats,), beats of the bar that each beat is in"""
    division: int
    seconds: float
    """until the last note has been played"""
    tags: set[str]


@dataclass(frozen=True)
class Looseness:
    """How exactly the players play."""

    jitter_ms: float
    """spread of a note around its place"""
    strum_ms: float
    """spread over the notes of one chord"""
    velocity: float
    """spread of velocities"""
    drift: float
    """random walk of the tempo, share a beat"""


def draw_looseness(score: Score, rng: np.random.Generator) -> Looseness:
    """A sequencer, a tight band, a loose one."""
    kind = rng.choice(["machine", "tight", "loose"], p=[0.3, 0.45, 0.25])
    drift = 0.0 if score.rubato == 0.0 else 0.15 * score.rubato
    if kind == "machine":
        return Looseness(0.0, 0.0, float(rng.uniform(0, 4)), drift)
    if kind == "tight":
        return Looseness(float(rng.uniform(2, 6)), float(rng.uniform(0, 8)), float(rng.uniform(3, 8)), drift)
    return Looseness(float(rng.uniform(6, 13)), float(rng.uniform(0, 20)), float(rng.uniform(6, 14)), drift)


def perform(score: Score, rng: np.random.Generator, looseness: Looseness | None = None) -> Performance:
    """Play a score.

    Returns
    -------
    Performance : the first sound or beat lies a random moment after 0, as in recordings that are cut closely or not
    """
    loose = looseness or draw_looseness(score, rng)
    earliest = min([-float(score.pickup), *(note.at for part in score.parts for note in part.notes)])
    latest = max([float(score.n_beats), *(note.at + note.beats for part in score.parts for note in part.notes)])
    places, seconds = _tempo_map(score, np.floor(earliest), latest + 1.0, loose, rng)
    lead = float(rng.choice([0.0, 0.03, rng.uniform(0.05, 0.4), rng.uniform(0.4, 2.0)]))
    seconds = seconds - float(np.interp(earliest, places, seconds)) + lead

    def time(beat: float) -> float:
        return float(np.interp(beat, places, seconds))

    parts = []
    for part in score.parts:
        habit = part.late_ms / 1000.0
        notes: list[Sounded] = []
        for note in part.notes:
            at = _swung(note.at, score)
            stray = rng.normal() * loose.jitter_ms / 1000.0 + habit
            if part.role in ("chords", "pad"):
                stray += rng.random() * loose.strum_ms / 1000.0
            begin = max(time(at) + stray, 0.0)
            length = max(time(_swung(note.at + note.beats, score)) - time(at), 0.03)
            velocity = int(np.clip(round(note.velocity + rng.normal() * loose.velocity), 1, 127))
            notes.append(Sounded(begin, length, note.pitch, velocity))
        parts.append(Played(part.role, part.program, sorted(notes)))

    numbers = np.arange(-score.pickup, score.n_beats)
    positions = np.concatenate(
        [np.arange(score.bars[0] - score.pickup + 1, score.bars[0] + 1), *(np.arange(1, n + 1) for n in score.bars)]
    ).astype(np.int64)
    bar_beats = np.repeat([score.bars[0], *score.bars], [score.pickup, *score.bars]).astype(np.int64)
    beats = np.array([time(float(number)) for number in numbers])
    end = max([float(beats[-1]), *(n.begin + n.seconds for part in parts for n in part.notes)])
    return Performance(
        score.style, parts, beats, positions, bar_beats, score.division, end, _all_tags(score, beats, bar_beats)
    )


def excerpt(performance: Performance, begin: float, seconds: float) -> Performance:
    """A stretch of a performance, as if the recording had been cut out of the middle; notes that sound on are left."""
    end = begin + seconds

    def cut(note: Sounded) -> Sounded:
        return note._replace(begin=note.begin - begin, seconds=min(note.seconds, end - note.begin))

    parts = [
        Played(part.role, part.program, [cut(note) for note in part.notes if begin <= note.begin < end - 0.03])
        for part in performance.parts
    ]
    kept = (performance.beats >= begin) & (performance.beats < end)
    return replace(
        performance,
        parts=[part for part in parts if part.notes],
        beats=performance.beats[kept] - begin,
        positions=performance.positions[kept],
        bar_beats=performance.bar_beats[kept],
        seconds=min(performance.seconds, end) - begin,
    )


def _tempo_map(
    score: Score, first: float, last: float, loose: Looseness, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seconds at finely spaced beats."""
    places = np.linspace(first, last, round((last - first) * _STEPS) + 1)
    factor = np.ones(places.size)
    now = 1.0
    for change in sorted(score.tempo):
        if change.over > 0:
            ramp = np.clip((places - change.at) / change.over, 0.0, 1.0)
        else:
            ramp = (places >= change.at - 1e-9).astype(np.float64)
        factor = factor * np.exp(ramp * np.log(change.factor / now))
        now = change.factor
    if score.rubato > 0:
        phrase = float(rng.choice([8, 16, 16, 32]))
        arc = np.cos(2 * np.pi * (places / phrase + rng.normal() * 0.03))
        factor = factor * np.exp(-score.rubato * arc)
    if loose.drift > 0:
        beats = np.arange(np.floor(first), np.ceil(last) + 2)
        walk = np.cumsum(rng.normal(size=beats.size)) * loose.drift
        walk -= np.linspace(walk[0], walk[-1], walk.size)
        factor = factor * np.exp(np.interp(places, beats, walk))
    step = np.diff(places)
    seconds = np.concatenate(([0.0], np.cumsum(step * 60.0 / (score.bpm * 0.5 * (factor[1:] + factor[:-1])))))
    for at, held in score.pauses:
        # the beat that is held grows longer; what follows waits
        share = np.clip(places - at, 0.0, 1.0)
        seconds = seconds + share * held * 60.0 / score.bpm
    return places, seconds


def _swung(at: float, score: Score) -> float:
    """Where a position is played under the score's swing."""
    if score.swing == 0.5 or score.division == 3:
        return at
    pair = 2.0 / score.swung
    start = np.floor(at / pair + 1e-9) * pair
    inside = (at - start) / pair
    warped = inside * 2 * score.swing if inside < 0.5 else score.swing + (inside - 0.5) * 2 * (1 - score.swing)
    return float(start + warped * pair)


def _all_tags(score: Score, beats: NDArray[np.float64], bar_beats: NDArray[np.int64]) -> set[str]:
    """The score's own tags and those that follow from what was played."""
    tags = set(score.tags)
    if score.tempo:
        tags.add("tempo_change")
    if score.rubato >= 0.04:
        tags.add("rubato")
    if not score.tempo and not score.pauses and score.rubato < 0.01:
        tags.add("steady")
    if score.swing > 0.54:
        tags.add("swing")
    common = int(np.bincount(bar_beats).argmax())
    if score.division == 3 and "swing" not in tags:
        tags.add("compound")
    elif common == 3:
        tags.add("triple")
    if common in (5, 7):
        tags.add("odd")
    if np.unique(bar_beats).size > 1:
        tags.add("metre_change")
    if not any(part.role == "drums" for part in score.parts):
        tags.add("drumless")
    if score.pickup:
        tags.add("pickup")
    bpm = 60.0 / float(np.median(np.diff(beats)))
    if bpm < SLOW_BPM:
        tags.add("slow")
    if bpm > FAST_BPM:
        tags.add("fast")
    return tags
