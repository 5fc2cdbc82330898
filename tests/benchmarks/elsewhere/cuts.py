"""Hard cuts of videos by others, beside PySceneDetect: how many are found, and what is taken for one.

    python -m tests.benchmarks.elsewhere.cuts FOLDER

FOLDER is of `data.recipes.material.elsewhere_videos`; a video that is not there is named and left out. What is found
where the labels are `unsure`, or in a video's first moment, counts neither way.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.table import Table, measure_folder
from workbench.media.video_reader import PictureBlock, VideoLimits, open_video
from workbench.video.picture import Picture
from workbench.video.picture_meter import PictureMeter

LABELS = Path(__file__).with_name("cuts.toml")
NEAR_SECONDS = 0.1
"""how far a found cut may lie off: the labels are exact to a picture or two of the slowest video"""
_BESIDE_SECONDS = 0.2  # within which a second cut is counted with the true one
_FIRST_SECONDS = 0.15  # a black first picture is no shot
_LIMITS = VideoLimits(86_400.0, 500.0)
PEER = Path(__file__).parents[3] / ".venv" / "peers-video" / "bin" / "python"
PEER_SCRIPT = """
import json, sys
from scenedetect import AdaptiveDetector, ContentDetector, detect
for path in sys.argv[1:]:
    for name, detector in {"content": ContentDetector, "adaptive": AdaptiveDetector}.items():
        print(json.dumps([path, name, [scene[0].get_seconds() for scene in detect(path, detector())[1:]]]))
"""
"""cuts in s, a line of JSON for each video named and each detector"""


@dataclass(frozen=True, slots=True)
class LabelledCuts:
    """A video whose cuts somebody has looked for."""

    path: Path
    cuts: tuple[float, ...]
    """s, the first picture of each new shot"""
    unsure: tuple[tuple[float, float], ...]
    """s, stretches that count neither way"""


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


def count_cuts(labelled: LabelledCuts, found: Sequence[float]) -> tuple[int, int]:
    """Of what was found in a video, how many are its cuts and how many are none."""
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
    return hits, len(false)


def picture_of(path: Path) -> Picture:
    """Measure a video's picture."""
    meter = PictureMeter()
    with open_video(path, _LIMITS) as video:
        for block in video.blocks(listen=False):
            if isinstance(block, PictureBlock):
                meter.add(block.times, block.luma, block.chroma)
        return meter.picture(video.info().duration)


def peer_cuts(labelled: Sequence[LabelledCuts]) -> dict[str, dict[Path, list[float]]]:
    """PySceneDetect's, s, by detector and video; empty where it is not installed."""
    if not PEER.exists():
        print("[cuts] PySceneDetect is not installed in .venv/peers-video; left out", file=sys.stderr)
        return {}
    command = [str(PEER), "-c", PEER_SCRIPT, *(str(one.path) for one in labelled)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, dict[Path, list[float]]] = {}
    for line in done.stdout.splitlines():
        path, detector, cuts = json.loads(line)
        found.setdefault(f"PySceneDetect {detector}", {})[Path(path)] = cuts
    return found


def tables(folder: Path) -> list[Table]:
    """One row a detector."""
    labelled = labelled_cuts(folder)
    pictures = {one.path: picture_of(one.path) for one in labelled}
    ours = {path: [float(at) for at in picture.cuts] for path, picture in pictures.items()}
    minutes = sum(picture.duration for picture in pictures.values()) / 60.0
    true = sum(len(one.cuts) for one in labelled)
    title = f"Hard cuts of videos by others: {true} in {len(labelled)} videos, {minutes:.0f} minutes"
    table = Table(title, ("detector", "found", "false", "F1"))
    for name, by_video in {"ours": ours, **peer_cuts(labelled)}.items():
        counts = [count_cuts(one, by_video[one.path]) for one in labelled]
        found, false = (sum(column) for column in zip(*counts, strict=True))
        table.add(name, found, false, 2 * found / (found + false + true))
    table.notes.append(f"Found is what lies within {NEAR_SECONDS} s of a cut. Nothing was fitted to these videos.")
    return [table]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
