"""Splices with known answers: bars of the bundled songs that are the same music by their scores, and others.

Splices nobody should hear: inside exact repeats of the truth, from the second bar of one to the same bar of the other
(the notes are the same, the performance may differ), and natural near-repeats, from a bar of a section to the same bar
of another section of that name, length and chords, played again by other fingers or with another melody; and the edges
of both, where sections of one name begin or end, so that only what comes or only what was heard agrees. Splices anybody
should hear: the same ones entered a beat or half a bar too late or too early, splices into a section of another name,
and into another key: sections of the same name that the track itself moves up, and a copy of the track's middle moved
by one to six semitones, as loud as the original.

Functions: `bundled_truths`, `truth_of`, `in_another_key`, `cases_of`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from workbench.beats.grid import BeatGrid
from workbench.recording import Recording

BUNDLED = Path(__file__).parents[2] / "bundled"
EACH = 24
"""splices of a kind taken from a track at most"""
SAME_CHORDS = 0.6
"""correlation of librosa's chroma over which two sections of one name count as playing the same chords"""
KEY_BARS = 24
"""bars copied into another key"""
GOOD = ("exact repeat", "near repeat", "edge of a repeat")
BAD = ("a beat off", "half a bar off", "another section", "another key")


@dataclass(frozen=True)
class Truth:
    """What is known of a track."""

    name: str
    batch: int
    sound: NDArray[np.float32]
    rate: int
    grid: BeatGrid
    sections: tuple[tuple[int, int, str], ...]
    """first bar, one past the last bar, name"""
    repeats: tuple[tuple[int, int, int], ...]
    """bars of the first, of the second, how many"""


@dataclass(frozen=True)
class Case:
    """A splice with a known answer; beats of the (lengthened) recording."""

    kind: str
    leave: int
    enter: int


def bundled_truths() -> list[Truth]:
    """Every bundled track with a pulse, in the order of the manifest."""
    rows = [json.loads(line) for line in (BUNDLED / "manifest.jsonl").read_text().splitlines() if line.strip()]
    found = []
    for row in rows:
        path = BUNDLED / row["path"]
        sound, rate = soundfile.read(path, dtype="float32", always_2d=True)
        truth_file = BUNDLED / "truth" / f"{path.stem}.jams"
        found.append(truth_of(path.stem, int(row["batch"]), np.ascontiguousarray(sound.T), int(rate), truth_file))
    return [truth for truth in found if truth is not None]


def truth_of(name: str, batch: int, sound: NDArray[np.float32], rate: int, path: Path) -> Truth | None:
    """Read a truth file; None where there is no pulse to splice on."""
    body = json.loads(path.read_text())
    found = {one["namespace"]: one["data"] for one in body["annotations"]}
    beats = found.get("beat_position", [])
    # fewer than 32 beats have no splices to choose among
    if len(beats) < 32:
        return None
    times = np.array([row["time"] for row in beats])
    places = np.array([row["value"]["position"] for row in beats])
    per_bar = int(np.median([row["value"]["num_beats"] for row in beats]))
    grid = BeatGrid(times, places, per_bar, 1.0)
    bars = grid.downbeats
    sections = []
    for row in found.get("segment_open", []):
        first = int(np.argmin(np.abs(bars - row["time"])))
        last = int(np.searchsorted(bars, row["time"] + row["duration"] - 0.05))
        sections.append((first, last, str(row["value"])))
    repeats = [
        (row["first_bar"] - 1, row["second_bar"] - 1, row["bars"])
        for row in body["sandbox"].get("exact_repeats", [])
        if row["same_length"]
    ]
    return Truth(name, batch, sound, rate, grid, tuple(sections), tuple(repeats))


def in_another_key(truth: Truth, semitones: int) -> tuple[Recording, BeatGrid, int]:
    """The track, followed by a copy of its middle bars in another key; and the first bar copied."""
    import librosa

    bars = truth.grid.downbeats
    first = max(0, min(len(bars) - KEY_BARS - 1, len(bars) // 2 - KEY_BARS // 2))
    last = min(first + KEY_BARS, len(bars) - 1)
    begin, end = round(bars[first] * truth.rate), round(bars[last] * truth.rate)
    copy = np.stack([librosa.effects.pitch_shift(c[begin:end], sr=truth.rate, n_steps=semitones) for c in truth.sound])
    beats, places = truth.grid.beats, truth.grid.positions
    copied = (beats >= bars[first] - 1e-6) & (beats < bars[last] - 1e-6)
    # pitch shifting changes the level; the key alone is to be heard
    copy *= np.sqrt(np.mean(np.square(truth.sound[:, begin:end])) / max(float(np.mean(np.square(copy))), 1e-12))
    # The copy opens a bar where the track's last bar would have ended, or at the end of the file.
    gap = truth.sound.shape[1] / truth.rate
    times = np.concatenate((beats, beats[copied] - begin / truth.rate + gap))
    grid = BeatGrid(times, np.concatenate((places, places[copied])), truth.grid.beats_per_bar, 1.0)
    return Recording.from_samples(np.concatenate((truth.sound, copy), axis=1), truth.rate), grid, first


def cases_of(truth: Truth, first_copied: int, n_copied: int, rng: np.random.Generator) -> list[Case]:
    """Splices of every kind that the track offers, at most EACH of one kind."""
    lines = truth.grid.downbeat_indices
    n_bars, n_beats = lines.size, truth.grid.beats.size
    lengths = np.diff(truth.grid.beats)

    def in_time(leave: int, enter: int) -> bool:
        return abs(float(lengths[lines[leave] - 1] - lengths[lines[enter]])) < 0.01

    found: dict[str, set[tuple[int, int]]] = {kind: set() for kind in (*GOOD, *BAD)}
    # the first and the last bar of a repeat are its edges: what leads in, or what follows, differs there
    exact = {(a + k, b + k) for a, b, count in truth.repeats for k in range(1, count - 1) if max(a, b) + count < n_bars}
    for a, b in exact:
        found["exact repeat"] |= {(b, a), (a, b)}
    chords = Chords(truth)
    name = {bar: label for first, last, label in truth.sections for bar in range(first, last)}
    for at, (first, last, label) in enumerate(truth.sections):
        for other_first, other_last, other in truth.sections[:at]:
            if other != label or other_last - other_first != last - first:
                continue
            semitones, agreement = chords.compare(first, other_first, last - first)
            if agreement < SAME_CHORDS:
                continue
            kind = "another key" if semitones else "near repeat"
            if not semitones:
                edges = [(first, other_first), (last, other_last)]
                found["edge of a repeat"] |= {
                    pair
                    for a, b in edges
                    for pair in ((a, b), (b, a))
                    if min(pair) >= 2 and max(pair) + 2 < n_bars and in_time(*pair)
                }
            for k in range(1, last - first - 2):
                pair = (first + k, other_first + k)
                if pair not in exact and pair[::-1] not in exact and first + k + 2 < n_bars:
                    found[kind] |= {pair, pair[::-1]}
    good = [(int(lines[a]), int(lines[b])) for kind in GOOD for a, b in sorted(found[kind])]
    bars = [(a, b) for a in range(2, n_bars - 2) for b in range(2, n_bars - 2)]
    found["another section"] = {
        (a, b)
        for a, b in bars
        if name.get(a, "") != name.get(b, "") and name.get(a - 1) == name.get(a) and name.get(b - 1) == name.get(b)
    }
    result: list[Case] = []
    for kind in (*GOOD, "another section", "another key"):
        pairs = sorted(found[kind])
        some = [pairs[k] for k in rng.permutation(len(pairs))[:EACH]]
        result.extend(Case(kind, int(lines[leave]), int(lines[enter])) for leave, enter in some)
    half = truth.grid.beats_per_bar // 2
    for kind, steps in (("a beat off", (-1, 1)), ("half a bar off", (half, -half))):
        if kind == "half a bar off" and (truth.grid.beats_per_bar % 2 or half < 2):
            continue
        for k in rng.permutation(len(good))[:EACH]:
            leave, enter = good[k][0], good[k][1] + steps[int(rng.integers(2))]
            if 0 <= enter < n_beats and enter != leave:
                result.append(Case(kind, leave, enter))
    # what sections in another key leave of EACH comes from the transposed copy
    copies = np.arange(2, n_copied - 2)
    for k in rng.permutation(copies.size)[: EACH - sum(case.kind == "another key" for case in result)]:
        bar = int(copies[k])
        result.append(
            Case(
                "another key",
                int(lines[first_copied + bar]),
                n_beats + int(lines[first_copied + bar] - lines[first_copied]),
            )
        )
    return result


class Chords:
    """librosa's chroma through the bars of a track: an opinion on chords that owes nothing to ours."""

    def __init__(self, truth: Truth) -> None:
        """Sample the chroma four times a bar."""
        import librosa

        chroma = librosa.feature.chroma_cqt(y=truth.sound.mean(axis=0), sr=truth.rate, hop_length=2048)
        times = librosa.times_like(chroma, sr=truth.rate, hop_length=2048)
        bars = np.append(truth.grid.downbeats, truth.sound.shape[1] / truth.rate)
        # 0.1 s past the attack, where the chord has settled
        at = np.interp(np.arange(4 * truth.grid.downbeats.size) / 4, range(len(bars)), bars) + 0.1
        sampled = np.stack([np.interp(at, times, row) for row in chroma])
        self.chroma = sampled - sampled.mean(axis=0)

    def compare(self, first: int, other: int, n_bars: int) -> tuple[int, float]:
        """Semitones from the bars of one section to those of another, and the correlation of their chords there."""
        a, b = (self.chroma[:, 4 * bar : 4 * (bar + n_bars)] for bar in (first, other))
        scale = float(np.linalg.norm(a) * np.linalg.norm(b))
        agreement = [float(np.vdot(np.roll(a, k, axis=0), b)) / max(scale, 1e-9) for k in range(12)]
        return int(np.argmax(agreement)), max(agreement)
