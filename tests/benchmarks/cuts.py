"""What ingest costs beside FFmpeg's decode of the same streams to nothing.

    python -m tests.benchmarks.run cuts

How well cuts are found is measured on videos by others, in `tests.benchmarks.elsewhere.cuts`.
"""

from __future__ import annotations

import subprocess
import tempfile
from functools import partial
from pathlib import Path

from tests.benchmarks.table import Table, children_cpu, cpu
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.features.speech_probability import SAMPLE_RATE, speech_probabilities
from workbench.media.audio import decode, resample
from workbench.store.home import Home
from workbench.workflows.demo import write_film

_NOTE = (
    "A minute of the demo's film, with narration, and 20 s of it scaled by FFmpeg with noise; H.264, AAC. "
    "*Decode*: `ffmpeg -threads 1 -i ... -f null -`, picture and sound. *Ingest*: all of `analyze_video` into an empty "
    "store, of which *voice* is the detector. *Ratio*: ingest without the voice over decode; aim 1.3. The least of two "
    "runs."
)


def run() -> list[Table]:
    """All of ingest beside FFmpeg's decode to nothing."""
    table = Table("Ingest, CPU seconds", ["picture", "decode", "ingest", "of which voice", "ratio"])
    with tempfile.TemporaryDirectory() as folder:
        film, large = write_film(Path(folder) / "film.mp4", 60.0), Path(folder) / "large.mp4"
        _ffmpeg("-i", film, "-t", "20", "-vf", "scale=1920:1080,noise=alls=6:allf=t", "-preset", "veryfast",
                "-c:a", "copy", large)  # fmt: skip
        for name, path in (("640 by 360", film), ("1920 by 1080", large)):
            sound = decode(path)
            mono = resample(sound.mono(), sound.sample_rate, SAMPLE_RATE)
            decoding = min(_decoding(path) for _ in range(2))
            voice = cpu(partial(speech_probabilities, [mono]), 2)
            whole = cpu(partial(_watch_anew, path), 2)
            table.add(name, decoding, whole, voice, (whole - voice) / decoding)
    table.notes.append(_NOTE)
    return [table]


def _ffmpeg(*arguments: str | Path) -> None:
    subprocess.run(["ffmpeg", "-v", "error", *arguments], check=True)


def _decoding(path: Path) -> float:
    before = children_cpu()
    _ffmpeg("-threads", "1", "-i", path, "-f", "null", "-")
    return children_cpu() - before


def _watch_anew(path: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        analyze_video(Workspace(Home(Path(home))), path)
