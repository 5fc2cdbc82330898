"""Whether somebody sings: songs by others with a recorded singer, and music by others in which nobody sings.

    python -m tests.benchmarks.elsewhere.singers SONGS MUSIC

SONGS is a checkout of UltraStar-Deluxe/songs (Creative Commons; all of them have a singer). MUSIC holds the Debian
packages of `INSTRUMENTALS`, unpacked, each in a folder of its name: music of games, in which nobody listened for a
choir. `MAX_INSTRUMENTAL_VOICE` of `workbench.catalog.certainty` was chosen by one artist and half of the packages
(`FITTED`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.table import Table, auc
from workbench.catalog.certainty import MAX_INSTRUMENTAL_VOICE, MIN_VOCAL_VOICE
from workbench.features.spectrum import resampled
from workbench.features.speech_probability import speech_probabilities
from workbench.features.vocals import RATE, excerpts, voice_chance
from workbench.media.audio import decode
from workbench.recording import FloatArray

FITTED = ("Jonathan Coulton", "asc-music", "hedgewars-data", "naev-data", "supertuxkart-data")
"""by which a parameter was chosen; all others test it"""
INSTRUMENTALS = (
    *("asc-music", "freedroidrpg-data", "fretsonfire-songs-sectoid", "hedgewars-data", "naev-data"),
    *("planetblupi-music-ogg", "supertuxkart-data", "unknown-horizons", "warzone2100-music"),
)
MOST_TRACKS = 12
_LEAST_BYTES = 400_000
"""what is smaller is a sound effect, or a file that a partial checkout left empty"""
_OTHER_STEMS = ("guitar", "rhythm")
"""files of a game that hold one part of a song"""


@dataclass(frozen=True, slots=True)
class LabelledTrack:
    """A recording of which it is known whether somebody sings."""

    source: str
    """the artist or the package"""
    path: Path
    is_sung: bool


def sung_songs(folder: Path) -> Iterator[LabelledTrack]:
    """Songs of a checkout, each in a folder `ARTIST - TITLE`."""
    for path in sorted(folder.glob("*/*/audio.*")):
        if path.stat().st_size >= _LEAST_BYTES:
            yield LabelledTrack(path.parent.name.split(" - ")[0], path, True)


def instrumental_tracks(folder: Path) -> Iterator[LabelledTrack]:
    """Music of the packages, of each as many as `MOST_TRACKS`, drawn alike each time; missing packages are named."""
    for name in INSTRUMENTALS:
        found = sorted(path for path in (folder / name).rglob("*") if _is_music(path))
        if not found:
            print(f"[singers] {name} is not in {folder}; left out", file=sys.stderr)
        order = np.random.default_rng(0).permutation(len(found))[:MOST_TRACKS]
        yield from (LabelledTrack(name, found[at], False) for at in sorted(order))


def _is_music(path: Path) -> bool:
    return (
        path.suffix in (".ogg", ".opus", ".mp3")
        and path.stem not in _OTHER_STEMS
        and path.stat().st_size >= _LEAST_BYTES
    )


def measure(tracks: Sequence[LabelledTrack], chances: FloatArray) -> Table:
    """What the limits make of the probabilities."""
    fitted = np.array([track.source in FITTED for track in tracks])
    sung = np.array([track.is_sung for track in tracks])
    table = Table(
        f"A voice in {len(tracks)} recordings by others",
        ("sources", "sung", "instrumental", "AUC", "called instrumental: sung", "instrumental",
         "called sung: sung", "instrumental"),
    )  # fmt: skip
    for name, part in (("chosen by", fitted), ("test", ~fitted)):
        found, truth = chances[part], sung[part]
        few, many = found <= MAX_INSTRUMENTAL_VOICE, found >= MIN_VOCAL_VOICE
        table.add(
            name, int(truth.sum()), int((~truth).sum()), auc(found[truth], found[~truth]),
            int(few[truth].sum()), float(few[~truth].mean()), float(many[truth].mean()), int(many[~truth].sum()),
        )  # fmt: skip
    table.notes.append(
        f"Instrumental up to a probability of {MAX_INSTRUMENTAL_VOICE}, sung from {MIN_VOCAL_VOICE} on; "
        "between them nothing is said. Whole numbers are recordings that are called what they are not."
    )
    return table


def main() -> None:
    """Measure the recordings of two folders; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Measure how well a singer is told from none.")
    arguments.add_argument("songs", type=Path)
    arguments.add_argument("music", type=Path)
    given = arguments.parse_args()
    tracks = [*sung_songs(given.songs), *instrumental_tracks(given.music)]
    chances = []
    for number, track in enumerate(tracks):
        recording = decode(track.path)
        heard = excerpts(resampled(recording.samples, recording.sample_rate, RATE))
        chances.append(voice_chance(heard, speech_probabilities([heard])))
        print(f"[singers] {number + 1} of {len(tracks)}: {track.path} {chances[-1]:.3f}", file=sys.stderr)
    print(measure(tracks, np.array(chances)).markdown())


if __name__ == "__main__":
    main()
