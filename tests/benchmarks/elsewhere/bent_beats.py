"""Beats of recordings by others whose tempo changes: songs of rhythm games, played at other speeds from some time on.

    python -m tests.benchmarks.elsewhere.bent_beats FOLDER

FOLDER as in `tests.benchmarks.elsewhere.beats`. Of each song in one tempo the first minute is played as it is, with
steps of its speed and with ramps, like a tape: pitch changes with it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import mir_eval
import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.elsewhere.beats import Song, samples_of, songs_in
from tests.benchmarks.table import Table, measure_folder
from workbench.beats.track import track_beats

Floats = NDArray[np.float64]
SECONDS = 60.0
BENDS: dict[str, tuple[tuple[float, float], ...]] = {
    "as it is": ((0.0, 1.0),),
    "a step to 1.2": ((0.0, 1.0), (0.5, 1.0), (0.5, 1.2)),
    "a step to 0.8": ((0.0, 1.0), (0.5, 1.0), (0.5, 0.8)),
    "a step to 1.33": ((0.0, 1.0), (0.5, 1.0), (0.5, 1.33)),
    "to 1.33 and back": ((0.0, 1.0), (1 / 3, 1.0), (1 / 3, 1.33), (2 / 3, 1.33), (2 / 3, 1.0)),
    "to 0.75 and back": ((0.0, 1.0), (1 / 3, 1.0), (1 / 3, 0.75), (2 / 3, 0.75), (2 / 3, 1.0)),
    "a ramp to 1.3": ((0.0, 1.0), (0.25, 1.0), (0.75, 1.3)),
    "a ramp to 0.75": ((0.0, 1.0), (0.25, 1.0), (0.75, 0.75)),
}
"""places, as parts of the whole, and the speed there; straight between them"""


def bent(
    samples: NDArray[np.float32], rate: int, speeds: Sequence[tuple[float, float]]
) -> tuple[NDArray[np.float32], Floats, Floats]:
    """A recording at another speed, with times of the old one and where they are in the new one, both in s."""
    places, wanted = (np.array(column) for column in zip(*speeds, strict=True))
    old = np.linspace(0.0, samples.shape[1] / rate, round(100.0 * samples.shape[1] / rate) + 1)
    speed = np.interp(old / old[-1], places + 1e-9 * np.arange(places.size), wanted)
    new = np.concatenate(([0.0], np.cumsum(2.0 * np.diff(old) / (speed[1:] + speed[:-1]))))
    at = np.interp(np.arange(int(new[-1] * rate)) / rate, new, old) * rate
    played = [np.interp(at, np.arange(channel.size), channel) for channel in samples]
    return np.array(played, dtype=np.float32), old, new


def measured(song: Song, speeds: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """F and downbeat F of a song at other speeds."""
    samples, rate = samples_of(song)
    sound, old, new = bent(samples[:, : round(SECONDS * rate)], rate, speeds)
    beats = song.beats(float(old[-1]))
    downbeats = np.interp(song.downbeats(beats), old, new)
    beats = np.interp(beats, old, new)
    grid = track_beats(sound, rate)
    return mir_eval.beat.f_measure(beats, grid.beats), mir_eval.beat.f_measure(downbeats, grid.downbeats)


def tables(folder: Path) -> list[Table]:
    """A row a bend, and one for all changes of tempo."""
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    songs = [song for song in songs_in(folder) if len(song.tempi) == 1]
    if not songs:
        raise SystemExit(f"{folder}: there is no song in one tempo")
    found = Table("Beats of recordings by others at other speeds", ("played", "songs", "F", "downbeat F"))
    everything: list[Floats] = []
    for name, speeds in BENDS.items():
        rows = np.array([measured(song, speeds) for song in songs])
        everything += [rows] if len(speeds) > 1 else []
        found.add(name, len(rows), *rows.mean(axis=0).tolist())
    rows = np.concatenate(everything)
    found.add("all changes", len(rows), *rows.mean(axis=0).tolist())
    return [found]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
