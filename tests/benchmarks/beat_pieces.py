"""What beat trackers are measured on: recordings with written beats.

The bundled tracks, and eight spoiled versions of an excerpt of each (`degrade`).
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from tests.benchmarks import degrade
from tests.benchmarks.tracks import BUNDLED, Track, bundled

Times = NDArray[np.float64]

CACHE = Path(__file__).parents[2] / ".venv" / "bench-beats"
EXCERPT_SECONDS = (20.0, 65.0)  # of each bundled track, past its introduction; eight times this is rendered
TAGS = (
    *("steady", "tempo_change", "swing", "triple", "compound", "odd"),
    *("drumless", "slow", "fast", "noise", "codec"),
)
TRAITS = {  # a bundled track's own words -> tag
    "tempo change": "tempo_change",
    "swing": "swing",
    "sixteenth swing": "swing",
    "swung sixteenths": "swing",
    "no drums": "drumless",
    "constant noise": "noise",
}
METRES = {"3/4": "triple", "6/8": "compound", "9/8": "compound", "12/8": "compound", "5/4": "odd", "7/8": "odd"}
CODECS = ("mp3", "telephone")
SLOW_BPM, FAST_BPM = 80.0, 150.0


@dataclass(frozen=True)
class Piece:
    """A file with its written beats; without any, where it has no pulse to follow."""

    name: str
    path: Path
    beats: Times = field(repr=False)  # seconds
    downbeats: Times = field(repr=False)  # those of them that open a bar
    tags: frozenset[str]

    def digest(self) -> str:
        """Hash of the file's bytes."""
        return digest(self.path)


@functools.cache
def digest(path: Path) -> str:
    """Hash of a file's bytes; files do not change during a run."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:24]


def bundled_tags(track: Track) -> frozenset[str]:
    """The tags of a bundled track, from what its truth says about it."""
    about = json.loads((BUNDLED / "truth" / f"{track.name}.jams").read_text())["sandbox"]
    tags = {TRAITS[trait] for trait in about["traits"] if trait in TRAITS}
    tags |= {METRES[metre] for metre in about["metres"] if metre in METRES}
    if len(about["metres"]) > 1:
        tags.add("metre_change")
    beats, _ = track.beats()
    if beats.size > 1 and "tempo_change" not in tags:
        tags.add("steady")
    return frozenset(tags | speed_tags(beats))


def speed_tags(beats: Times) -> set[str]:
    """Slow or fast, by the median beat; nothing for what lies between."""
    bpm = 60.0 / float(np.median(np.diff(beats))) if beats.size > 1 else SLOW_BPM
    return {"slow"} if bpm < SLOW_BPM else {"fast"} if bpm > FAST_BPM else set()


def bundled_piece(track: Track) -> Piece:
    """A bundled file, whole."""
    return Piece(track.name, track.path, *track.beats(), bundled_tags(track))


def degraded_pieces() -> list[Piece]:
    """Excerpts of the bundled tracks in every spoiled version, rendered once and kept until the recipe changes."""
    recipe = hashlib.sha256(Path(degrade.__file__).read_bytes()).hexdigest()[:12]
    tracks = [track for track in bundled() if track.is_song and track.beats()[0].size]
    return [degraded(track, kind, CACHE / "degraded" / recipe) for track in tracks for kind in degrade.KINDS]


def degraded(track: Track, kind: str, folder: Path) -> Piece:
    """One spoiled excerpt; its beats moved to the excerpt's clock."""
    start, end = EXCERPT_SECONDS
    path = folder / f"{track.name}.{kind}.flac"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        samples, rate = track.samples()
        spoiled = degrade.degrade(samples[:, int(start * rate) : int(end * rate)], rate, kind)
        unfinished = path.with_suffix(".part")
        soundfile.write(unfinished, spoiled.T, rate, format="FLAC", subtype="PCM_16")
        unfinished.rename(path)
    beats, downbeats = (
        (times[(times >= start) & (times < end)] - start) / degrade.speed(kind) for times in track.beats()
    )
    tags = bundled_tags(track) | {kind} | ({"codec"} if kind in CODECS else set())
    return Piece(f"{track.name}, {kind}", path, beats, downbeats, frozenset(tags))


def sample(pieces: Sequence[Piece], n: int) -> list[Piece]:
    """`n` of the pieces at even distances, so that every kind of name is among them."""
    if n >= len(pieces):
        return list(pieces)
    return [pieces[i * len(pieces) // n] for i in range(n)]
