"""How well cuts are found, beside PySceneDetect on the same videos, and what it costs.

    python -m tests.benchmarks.run cuts

Videos are drawn by `data/recipes/material/cut_videos.py` from seeds that `data/recipes/fitting/cuts.py` has not seen, a
minute of each kind a seed. A hard cut counts when it is found within one picture. A fade or dissolve counts when
exactly one border is reported within it, a quarter of a second allowed; any other border is false. PySceneDetect
reports instants: its content detector with its own defaults, the adaptive one, and either with its threshold detector
added, which is the one that sees fades; hits are counted in the same way. Each video is read anew by each; CPU is that
of the process and its threads.

A second table holds all of ingest, picture and sound, to FFmpeg's decode of the same streams to nothing.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import av

from data.recipes.material.cut_videos import KINDS, LIMITS, RATE, Truth, video
from tests.benchmarks.table import Table
from workbench.bundled import bundled_path
from workbench.demo.video import draw_demo_video
from workbench.home import Home
from workbench.media.audio import decode, resample
from workbench.media.speech import SAMPLE_RATE, speech_probabilities
from workbench.media.video_reader import PictureBlock, Thoroughness, open_video
from workbench.video.meter import PictureMeter
from workbench.video.picture import Picture
from workbench.workflows.watch import watch
from workbench.workspace import Workspace

SEEDS = (101, 102)
PEER = Path(__file__).parents[2] / ".venv" / "peers-video" / "bin" / "python"
_SLACK = 0.25
_NOTE = (
    "Drawn videos with known borders, a minute of each kind a seed, 320 by 180 at 25 pictures a second, H.264; seeds "
    "that the weights were not fitted on. Hard cuts count within one picture, fades and dissolves within a quarter of "
    "a second. *References* leaves out pictures that no other is predicted from and the smoothing of blocks, as is "
    "done with long videos, and its cuts are not yet placed; *keys* leaves out all but those that stand alone."
)
_INGEST_NOTE = (
    "A minute of the demo video as drawn, with narration, and 20 s of it scaled by FFmpeg with noise; H.264, AAC. "
    "*Decode*: `ffmpeg -threads 1 -i ... -f null -`, picture and sound, user and system time. *Ingest*: all of `watch` "
    "into an empty store, of which *voice* is the detector. *Ratio*: ingest without the voice over decode; the budget "
    "is 1.3 times decode and 1.5 s a minute of sound. The least of two runs each."
)
_SIZES = {"640 by 360": None, "1920 by 1080": "scale=1920:1080,noise=alls=6:allf=t",
          "320 by 180": "scale=320:180:flags=area,noise=alls=4:allf=t"}  # fmt: skip
PEER_SCRIPT = """
import json, sys, time
from scenedetect import AdaptiveDetector, ContentDetector, SceneManager, ThresholdDetector, open_video
kinds = {"content": [ContentDetector], "adaptive": [AdaptiveDetector],
         "content + threshold": [ContentDetector, ThresholdDetector]}
for path in sys.argv[1:]:
    for name, detectors in kinds.items():
        started = time.process_time()
        video, manager = open_video(path), SceneManager()
        for detector in detectors:
            manager.add_detector(detector())
        manager.detect_scenes(video)
        cuts = [scene[0].get_seconds() for scene in manager.get_scene_list()][1:]
        print(json.dumps([path, name, cuts, time.process_time() - started]), flush=True)
"""
"""for `PEER`: prints path, detector, cuts in s, and CPU s, a line of JSON for each video named and each detector"""


@dataclass
class Score:
    """Borders found, missed and false, and the CPU that took."""

    found: int = 0
    missed: int = 0
    false: int = 0
    cpu: float = 0.0
    late: list[float] = field(default_factory=list)

    def add(self, truth: Truth, borders: Sequence[tuple[float, float]], cpu: float) -> None:
        """Count the borders, (from, to) in seconds, that were reported for a video."""
        left = list(borders)
        spans = [(at, at, 1.01 / RATE) for at in truth.hard]
        spans += [(start, end, _SLACK) for start, end in (*truth.fades, *truth.dissolves)]
        for start, end, slack in spans:
            hit = [b for b in left if b[0] <= end + slack and b[1] >= start - slack]
            if hit:
                self.found += 1
                left.remove(hit[0])
            else:
                self.missed += 1
        self.false += len(left)
        self.cpu += cpu

    def row(self) -> tuple[str, str]:
        """Precision and recall."""
        reported = self.found + self.false
        return (
            f"{self.found / reported:.3f}" if reported else "-",
            f"{self.found / (self.found + self.missed):.3f}" if self.found + self.missed else "-",
        )


def picture_of(path: Path, thoroughness: Thoroughness = "all") -> Picture:
    """Measure a video's picture."""
    meter = PictureMeter()
    with open_video(path, LIMITS, thoroughness) as video:
        for block in video.blocks(listen=False):
            if isinstance(block, PictureBlock):
                meter.add(block.times, block.luma, block.chroma)
        return meter.picture(video.info().duration)


def bare_decode(path: Path) -> float:
    """CPU seconds of decoding the picture to nothing."""
    started = time.process_time()
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        for _ in container.decode(stream):
            pass
    return time.process_time() - started


def run() -> list[Table]:
    """Draw the videos, find their borders, and count."""
    folder = Path(os.environ.get("BENCH_VIDEOS") or tempfile.mkdtemp(prefix="cuts-"))
    names = ("all pictures", "references", "keys", "PySceneDetect content", "PySceneDetect adaptive",
             "PySceneDetect content + threshold")  # fmt: skip
    scores: dict[str, dict[str, Score]] = {name: {kind: Score() for kind in KINDS} for name in names}
    truths: dict[str, Truth] = {}
    bare = 0.0
    picture_of(_drawn(folder, KINDS[0], SEEDS[0], truths))  # compiled code is loaded, once
    for seed in SEEDS:
        for kind in KINDS:
            path = _drawn(folder, kind, seed, truths)
            bare += bare_decode(path)
            for name, thoroughness in zip(names, ("all", "references", "keys"), strict=False):
                started = time.process_time()
                picture = picture_of(path, thoroughness)  # type: ignore[arg-type]  # of the three
                borders = [(border.start, border.end) for border in picture.edits]
                scores[name][kind].add(truths[str(path)], borders, time.process_time() - started)
    if PEER.exists():
        done = subprocess.run([str(PEER), "-c", PEER_SCRIPT, *truths], stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            path_text, detector, cuts, cpu = json.loads(line)
            truth = truths[path_text]
            scores[f"PySceneDetect {detector}"][truth.kind].add(truth, [(cut, cut) for cut in cuts], cpu)
    else:
        print("[bench] PySceneDetect is not installed in .venv/peers-video; left out", file=sys.stderr)
    return [_table(scores, bare, sum(truth.seconds for truth in truths.values())), ingest(folder)]


def ingest(folder: Path) -> Table:
    """All of ingest beside FFmpeg's decode to nothing."""
    table = Table("Ingest, CPU seconds", ["picture", "decode", "ingest", "of which voice", "ratio", "aim", "budget s"])
    drawn = folder / "demo.mp4"
    if not drawn.exists():
        draw_demo_video(drawn, narration=bundled_path("data", "bundled", "voice", "narration.ogg"), seconds=60.0)
    for name, graph in _SIZES.items():
        path = drawn if graph is None else folder / f"{name}.mp4"
        if graph is not None and not path.exists():
            subprocess.run(
                ["ffmpeg", "-v", "error", "-i", drawn, "-t", "20", "-vf", graph, "-preset", "veryfast",
                 "-c:a", "copy", path],
                check=True,
            )  # fmt: skip
        sound = decode(path)
        mono = resample(sound.mono(), sound.sample_rate, SAMPLE_RATE)
        minutes = mono.size / SAMPLE_RATE / 60
        decoding = min(_child_cpu("ffmpeg", "-v", "error", "-threads", "1", "-i", str(path), "-f", "null", "-")
                       for _ in range(2))  # fmt: skip
        voice = min(_own_cpu(partial(speech_probabilities, [mono])) for _ in range(2))
        whole = min(_own_cpu(partial(_watch_anew, path)) for _ in range(2))
        budget = 1.3 * decoding + 1.5 * minutes
        table.add(name, decoding, whole, voice, (whole - voice) / decoding, 1.3, budget)
    table.notes.append(_INGEST_NOTE)
    return table


def _watch_anew(path: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        watch(Workspace(Home(Path(home))), path)


def _own_cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _child_cpu(*command: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _drawn(folder: Path, kind: str, seed: int, truths: dict[str, Truth]) -> Path:
    path = folder / f"{kind}-{seed}.mp4"
    truths[str(path)] = video(path, kind, seed)
    return path


def _table(scores: dict[str, dict[str, Score]], bare: float, seconds: float) -> Table:
    rows: list[Sequence[object]] = []
    for name, kinds in scores.items():
        if not any(score.cpu for score in kinds.values()):
            continue
        total = Score()
        for score in kinds.values():
            total.found, total.missed = total.found + score.found, total.missed + score.missed
            total.false, total.cpu = total.false + score.false, total.cpu + score.cpu
        cells = [" / ".join(kinds[kind].row()) for kind in KINDS]
        rows.append(
            [name, *cells, " / ".join(total.row()), f"{total.cpu / bare:.2f}", f"{60 * total.cpu / seconds:.2f}"]
        )
    return Table(
        "Cuts: precision / recall",
        ["", *KINDS, "all", "CPU, decoding to nothing = 1", "CPU s a minute"],
        rows,
        [_NOTE],
    )
