"""The bundled tracks and their truth, read without the project's own code, and profiles of tracks for the planner."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jams
import numpy as np
import soundfile
from numpy.typing import NDArray

from workbench.analysis import workspace
from workbench.analysis.track import Sound, analyze_sound
from workbench.seams.profile import LoopProfile

BUNDLED = Path(__file__).parents[2] / "data" / "bundled"


@dataclass(frozen=True)
class Track:
    """A bundled file with its manifest row."""

    name: str
    path: Path
    row: dict[str, object]

    @property
    def is_song(self) -> bool:
        """False for the pieces that are there to be refused."""
        return self.row["kind"] == "song"

    @property
    def batch(self) -> int:
        """2 for the tracks composed after the tracker was done."""
        return int(str(self.row["batch"]))

    def samples(self) -> tuple[NDArray[np.float32], int]:
        """Samples of shape (channels, n) and their rate."""
        data, rate = soundfile.read(self.path, dtype="float32", always_2d=True)
        return np.ascontiguousarray(data.T), int(rate)

    def beats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """True beats and downbeats, seconds."""
        truth = jams.load(str(BUNDLED / "truth" / f"{self.name}.jams"), validate=False)
        positions = truth.annotations.search(namespace="beat_position")
        found = positions or truth.annotations.search(namespace="beat")
        times, places = [], []
        for item in found[0].data if found else []:
            value = item.value["position"] if isinstance(item.value, dict) else item.value
            times.append(float(item.time))
            places.append(int(value))
        beats = np.array(times)
        return beats, beats[np.array(places, dtype=int) == 1] if len(beats) else beats


def bundled() -> list[Track]:
    """Every bundled file, in the order of the manifest."""
    rows = [json.loads(line) for line in (BUNDLED / "manifest.jsonl").read_text().splitlines() if line.strip()]
    return [Track(Path(row["path"]).stem, BUNDLED / row["path"], row) for row in rows]


def profiles(files: Sequence[Path] = ()) -> dict[str, LoopProfile]:
    """What the planner knows of files, by name; of the bundled songs without one."""
    paths = list(files) or [track.path for track in bundled() if track.is_song]
    found: dict[str, LoopProfile] = {}
    with tempfile.TemporaryDirectory() as home, workspace.open(home) as here:
        for path in paths:
            print(f"[bench] analysing {path.name}", file=sys.stderr, flush=True)
            found[path.stem] = analyze_sound(Sound(here, path)).profile
    return found
