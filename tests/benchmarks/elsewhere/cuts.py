"""Hard cuts of videos by others, beside PySceneDetect: how many are found, and what is taken for one.

    python -m tests.benchmarks.elsewhere.cuts FOLDER

FOLDER is what `data.recipes.material.elsewhere_videos` fetched; a video that is not there is named and left out. The
cuts were labelled by eye (`cuts.toml`); our weights were fitted to drawn videos alone (`workbench/models/cuts.md`), so
all of these test them. What is found where the labels are `unsure`, or in a video's first moment, counts neither way.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.cuts import PEER, PEER_SCRIPT, picture_of
from tests.benchmarks.table import Table

LABELS = Path(__file__).with_name("cuts.toml")
NEAR_SECONDS = 0.1
"""how far a found cut may lie off: the labels are exact to a picture or two of the slowest video"""
_BESIDE_SECONDS = 0.2  # within which a second cut is counted with the true one
_FIRST_SECONDS = 0.15  # a black first picture is no shot


@dataclass(frozen=True, slots=True)
class LabelledCuts:
    """A video whose cuts somebody has looked for."""

    path: Path
    cuts: tuple[float, ...]
    """s, the first picture of each new shot"""
    unsure: tuple[tuple[float, float], ...]
    """s, stretches that count neither way"""


@dataclass(frozen=True, slots=True)
class CutCounts:
    """Cuts that are true and found, that are true, and that are found and not true."""

    found: int = 0
    true: int = 0
    false: int = 0

    def __add__(self, other: CutCounts) -> CutCounts:
        return CutCounts(self.found + other.found, self.true + other.true, self.false + other.false)

    @property
    def precision(self) -> float:
        """1 where nothing was found."""
        reported = self.found + self.false
        return self.found / reported if reported else 1.0

    @property
    def recall(self) -> float:
        """1 where there is no cut."""
        return self.found / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both; 1 where there is no cut and none was found."""
        all_told = self.found + self.false + self.true
        return 2 * self.found / all_told if all_told else 1.0


def labelled_cuts(folder: Path) -> list[LabelledCuts]:
    """The labelled videos that are in a folder; those that are not are named on standard error."""
    rows = tomllib.loads(LABELS.read_text(encoding="utf-8"))["video"]
    labelled = []
    for row in rows:
        path = folder / row["file"]
        if not path.exists():
            print(f"[cuts] {row['file']} is not in {folder}; left out", file=sys.stderr)
            continue
        unsure = tuple((float(first), float(last)) for first, last in row.get("unsure", ()))
        labelled.append(LabelledCuts(path, tuple(row.get("cuts", ())), unsure))
    return labelled


def count_cuts(labelled: LabelledCuts, found: Sequence[float]) -> CutCounts:
    """Compare what was found in a video with its labels."""
    left = [at for at in found if at > _FIRST_SECONDS]
    hits = 0
    for cut in labelled.cuts:
        near = [at for at in left if abs(at - cut) <= NEAR_SECONDS]
        if near:
            hits += 1
            left.remove(min(near, key=lambda at: abs(at - cut)))
    false = [
        at
        for at in left
        if not any(first <= at <= last for first, last in labelled.unsure)
        and all(abs(at - cut) > _BESIDE_SECONDS for cut in labelled.cuts)
    ]
    return CutCounts(hits, len(labelled.cuts), len(false))


def peer_cuts(labelled: Sequence[LabelledCuts]) -> dict[str, dict[Path, list[float]]]:
    """PySceneDetect's, s, by detector and video; empty where it is not installed."""
    if not PEER.exists():
        print("[cuts] PySceneDetect is not installed in .venv/peers-video; left out", file=sys.stderr)
        return {}
    command = [str(PEER), "-c", PEER_SCRIPT, *(str(one.path) for one in labelled)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, dict[Path, list[float]]] = {}
    for line in done.stdout.splitlines():
        path, detector, cuts, _ = json.loads(line)
        found.setdefault(f"PySceneDetect {detector}", {})[Path(path)] = cuts
    return found


def measure(labelled: Sequence[LabelledCuts]) -> Table:
    """One row a detector."""
    pictures = {one.path: picture_of(one.path) for one in labelled}
    ours = {path: [float(at) for at in picture.cuts] for path, picture in pictures.items()}
    minutes = sum(picture.duration for picture in pictures.values()) / 60.0
    cuts = sum(len(one.cuts) for one in labelled)
    title = f"Hard cuts of videos by others: {cuts} in {len(labelled)} videos, {minutes:.0f} minutes"
    table = Table(title, ("detector", "found", "false", "precision", "recall", "F1"))
    for name, by_video in {"ours": ours, **peer_cuts(labelled)}.items():
        total = sum((count_cuts(one, by_video[one.path]) for one in labelled), CutCounts())
        table.add(name, total.found, total.false, total.precision, total.recall, total.f1)
    table.notes.append(f"Found is what lies within {NEAR_SECONDS} s of a cut. Nothing was fitted to these videos.")
    return table


def main() -> None:
    """Measure the videos of a folder; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Measure how well hard cuts of videos by others are found.")
    arguments.add_argument("folder", type=Path)
    print(measure(labelled_cuts(arguments.parse_args().folder)).markdown())


if __name__ == "__main__":
    main()
