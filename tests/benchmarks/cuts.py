"""What ingest costs beside FFmpeg's decode of the same streams to nothing.

    python -m tests.benchmarks.run cuts

How well cuts are found is measured on videos by others, in `tests.benchmarks.elsewhere.cuts`, which also takes from
here how PySceneDetect is asked.
"""

from __future__ import annotations

import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.benchmarks.table import Table
from workbench.demo.film import write_film
from workbench.home import Home
from workbench.media.audio import decode, resample
from workbench.media.speech import SAMPLE_RATE, speech_probabilities
from workbench.media.video_reader import PictureBlock, VideoLimits, open_video
from workbench.video.meter import PictureMeter
from workbench.video.picture import Picture
from workbench.workflows.watch import watch
from workbench.workspace import Workspace

LIMITS = VideoLimits(86_400.0, 500.0)
PEER = Path(__file__).parents[2] / ".venv" / "peers-video" / "bin" / "python"
_INGEST_NOTE = (
    "A minute of the demo's film, with narration, and 20 s of it scaled by FFmpeg with noise; H.264, AAC. "
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


def picture_of(path: Path) -> Picture:
    """Measure a video's picture."""
    meter = PictureMeter()
    with open_video(path, LIMITS) as video:
        for block in video.blocks(listen=False):
            if isinstance(block, PictureBlock):
                meter.add(block.times, block.luma, block.chroma)
        return meter.picture(video.info().duration)


def run() -> list[Table]:
    """All of ingest beside FFmpeg's decode to nothing."""
    with tempfile.TemporaryDirectory() as folder:
        return [ingest(Path(folder))]


def ingest(folder: Path) -> Table:
    """All of ingest beside FFmpeg's decode to nothing."""
    table = Table("Ingest, CPU seconds", ["picture", "decode", "ingest", "of which voice", "ratio", "aim", "budget s"])
    film = write_film(folder / "film.mp4", 60.0)
    for name, graph in _SIZES.items():
        path = film if graph is None else folder / f"{name}.mp4"
        if graph is not None:
            subprocess.run(
                ["ffmpeg", "-v", "error", "-i", film, "-t", "20", "-vf", graph, "-preset", "veryfast",
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
