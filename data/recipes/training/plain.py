"""Plain pieces: bare clicks, drum loops with a chord a bar, the same with strummed off-beats, and wind.

    python -m data.recipes.training.plain FOLDER [--strummed SEED]

Composed music never is as plain as this, but test signals, metronomes and sketches are, and what they are counted in
leaves no doubt. The weights of the readings are fitted on them too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray
from scipy.signal import lfilter

RATE = 44_100
Sound = NDArray[np.float64]
Plain = tuple[str, str, Sound, list[float], list[int], int]
"""name, kind, samples, beats, positions, beats in a bar"""

LOOPS: dict[int, tuple[tuple[float, float], int, tuple[dict[str, tuple[float, ...]], ...]]] = {
    4: (
        (68, 172),
        2,
        (
            {"kick": (0, 2), "snare": (1, 3), "hat": (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5)},
            {"kick": (0, 1.5, 2.5), "snare": (1, 3), "hat": (0, 1, 2, 3)},
            {"kick": (0, 1, 2, 3), "hat": (0.5, 1.5, 2.5, 3.5)},
            {"kick": (0,), "snare": (2,), "hat": (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5)},
            {"hat": (0, 1, 2, 3)},
            {"kick": (0, 0.75, 2.5), "snare": (1, 3), "hat": tuple(k / 4 for k in range(16))},
            {"kick": (0, 2), "snare": (1, 3), "hat": (0, 2 / 3, 1, 5 / 3, 2, 8 / 3, 3, 11 / 3)},
        ),
    ),
    3: (
        (85, 180),
        2,
        (
            {"kick": (0,), "hat": (1, 2)},
            {"kick": (0,), "snare": (2,), "hat": (0, 0.5, 1, 1.5, 2, 2.5)},
            {"kick": (0,), "snare": (1, 2)},
            {"hat": (0, 1, 2)},
        ),
    ),
    2: (
        (48, 84),
        3,
        (
            {"kick": (0,), "snare": (1,), "hat": tuple(k / 3 for k in range(6))},
            {"kick": (0,), "hat": tuple(k / 3 for k in range(6))},
            {"kick": (0, 5 / 3), "snare": (1,), "hat": (0, 2 / 3, 1, 5 / 3)},
        ),
    ),
    5: (
        (90, 200),
        2,
        (
            {"kick": (0, 3), "snare": (2, 4), "hat": (0, 1, 2, 3, 4)},
            {"kick": (0,), "hat": (1, 2, 3, 4)},
        ),
    ),
    7: (
        (110, 220),
        2,
        (
            {"kick": (0, 4), "snare": (2, 6), "hat": (0, 1, 2, 3, 4, 5, 6)},
            {"kick": (0,), "hat": (1, 2, 3, 4, 5, 6)},
        ),
    ),
}
"""by beats in a bar: range of tempo, pieces a loop, and the loops, as places in beats from the bar's first"""

ROOTS = (45, 41, 48, 43)
"""MIDI numbers of the roots that the loops go round"""


def clicks() -> Iterator[Plain]:
    """One drum a beat; nothing tells the bar, so every beat is its own."""
    rng = np.random.default_rng(77)
    for k in range(14):
        bpm = float(rng.uniform(62, 185))
        beats = np.arange(rng.uniform(0, 1), 35, 60 / bpm)
        sound = 1e-4 * rng.normal(size=37 * RATE) * (k % 2)
        for beat in beats:
            _put(sound, beat, _drum(("kick", "snare", "hat")[k % 3]))
        yield f"click{k}", "click", sound, beats.tolist(), [1] * beats.size, 1


def bands() -> Iterator[Plain]:
    """A drum loop, a bass and a chord a bar; some begin inside a bar, some change their tempo halfway."""
    rng = np.random.default_rng(78)
    for metre, (tempi, repeats, loops) in LOOPS.items():
        for k, loop in enumerate(loops * repeats):
            bpm = float(rng.uniform(*tempi))
            first = int(rng.integers(1, metre + 1)) if rng.random() < 0.3 else 1
            beats = rng.uniform(0, 1.5) + np.arange(0, rng.uniform(30, 50), 60 / bpm)
            if rng.random() < 0.25:
                half = beats.size // 2
                period = 60 / bpm * float(rng.choice([0.85, 1.1, 1.15]))
                beats = np.concatenate((beats[:half], beats[half] + np.arange(beats.size - half) * period))
            positions = (np.arange(beats.size) + first - 1) % metre + 1
            yield (
                f"band{metre}_{k}",
                "band",
                _band(beats, positions, loop),
                beats.tolist(),
                positions.tolist(),
                metre,
            )


def strummed(seed: int = 79, pieces: int = 20) -> Iterator[Plain]:
    """Steady bands with chords on every off-beat, which begin and break with the chords alone.

    Nothing but the rest of the piece tells that those passages are not on the beat; what is right is one straight grid.

    Parameters
    ----------
    seed : of tempo, order and loops; the fit takes the one given, a test another
    pieces : how many
    """
    rng = np.random.default_rng(seed)
    for k in range(pieces):
        metre = 3 if k % 6 == 5 else 4
        tempi, _, loops = LOOPS[metre]
        bpm = float(rng.uniform(*tempi))
        beats = rng.uniform(0, 1.5) + np.arange(0, rng.uniform(42, 60), 60 / bpm)
        positions = np.arange(beats.size) % metre + 1
        bars = beats.size // metre
        bare = np.zeros(bars + 1, dtype=np.bool_)
        if k % 4 < 3:
            bare[: round(rng.uniform(0.1, 0.35) * bars)] = True
        if k % 4 > 0:
            middle = round(rng.uniform(0.45, 0.7) * bars)
            bare[middle : middle + round(rng.uniform(0.1, 0.25) * bars)] = True
        quiet = bare[np.arange(beats.size) // metre]
        sound = 0.5 * _band(beats, positions, loops[int(rng.integers(len(loops)))], quiet)
        seconds = float(rng.uniform(0.25, 0.45)) * 60 / bpm
        for beat in range(beats.size - 1):
            at = 0.5 * (beats[beat] + beats[beat + 1])
            for interval in (12, 16, 19):
                chord = _tone(ROOTS[beat // metre % 4] + interval, seconds)
                _put(sound, float(at), chord * np.minimum(np.arange(chord.size)[::-1] / (0.05 * RATE), 1.0))
        yield f"strummed{seed}_{k}", "strummed", sound, beats.tolist(), positions.tolist(), metre


def wind() -> Iterator[Plain]:
    """Noise in gusts, which nobody taps to."""
    rng = np.random.default_rng(5)
    for k in range(3):
        noise = lfilter([1.0], [1.0, -0.97], rng.normal(size=60 * RATE))
        gusts = 1 + 0.6 * np.sin(2 * np.pi * np.arange(noise.size) / RATE / rng.uniform(5, 13))
        yield f"wind{k}", "pulseless", noise * gusts, [], [], 4


def _band(
    beats: Sound,
    positions: NDArray[np.integer],
    loop: dict[str, tuple[float, ...]],
    quiet: NDArray[np.bool_] | None = None,
) -> Sound:
    sound: Sound = 1e-4 * np.random.default_rng(3).normal(size=round((beats[-1] + 1.5) * RATE))
    places = np.arange(beats.size)
    for bar, k in enumerate(np.flatnonzero(positions == 1)):
        if quiet is not None and quiet[k]:
            continue
        for name, offsets in loop.items():
            for offset in offsets:
                if k + offset <= places[-1]:
                    _put(sound, float(np.interp(k + offset, places, beats)), _drum(name))
        seconds = float(beats[min(k + positions.max(), beats.size - 1)] - beats[k]) or 1.0
        for interval in (-12, 0, 4 if bar % 4 else 3, 7):
            _put(sound, float(beats[k]), _tone(ROOTS[bar % 4] + interval, seconds))
    return sound


def _drum(name: str) -> Sound:
    t = np.arange(round(0.12 * RATE)) / RATE
    noise = np.random.default_rng(7).normal(size=t.size)
    drum: Sound
    if name == "kick":
        drum = 0.5 * np.sin(2 * np.pi * 60 * t) * np.exp(-t / 0.05)
    elif name == "snare":
        drum = 0.3 * (0.5 * noise + np.sin(2 * np.pi * 190 * t)) * np.exp(-t / 0.04)
    else:
        drum = 0.075 * np.diff(noise, append=0.0) * np.exp(-t / 0.01)
    return drum


def _tone(midi: int, seconds: float) -> Sound:
    t = np.arange(round(seconds * RATE)) / RATE
    partials = [np.sin(2 * np.pi * k * 440 * 2 ** ((midi - 69) / 12) * t) / k for k in range(1, 5)]
    tone: Sound = 0.12 * np.sum(partials, axis=0) * np.exp(-t / 0.6) * np.minimum(t / 0.003, 1.0)
    return tone


def _put(sound: Sound, at: float, what: Sound) -> None:
    start = round(at * RATE)
    end = min(start + what.size, sound.size)
    if start < end:
        sound[start:end] += what[: end - start]


def main() -> None:
    """Write them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--strummed", type=int, metavar="SEED", help="only strummed pieces, from another seed")
    given = parser.parse_args()
    folder: Path = given.folder
    pieces = (*clicks(), *bands(), *strummed(), *wind()) if given.strummed is None else strummed(given.strummed)
    folder.mkdir(parents=True, exist_ok=True)
    for name, kind, sound, beats, positions, metre in pieces:
        soundfile.write(folder / f"{name}.flac", 0.9 * sound / np.abs(sound).max(), RATE)
        truth = {"beats": beats, "positions": positions, "bar_beats": [metre] * len(beats), "division": 2}
        (folder / f"{name}.json").write_text(json.dumps({**truth, "kind": kind, "family": "plain", "tags": [kind]}))


if __name__ == "__main__":
    main()
