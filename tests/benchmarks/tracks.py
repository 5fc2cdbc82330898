"""The bundled tracks and their truth, read without the project's own code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import jams
import numpy as np
import soundfile
from numpy.typing import NDArray

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
