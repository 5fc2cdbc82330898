"""PyMusicLooper, asked in an environment of its own.

An answer is saved under the hash of the question, of the program that asks and of the versions that are installed.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import soundfile

from tests.benchmarks.table import children_cpu
from workbench.recording import Recording

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".venv" / "bench-peers"
PEER = ROOT / ".venv" / "peers" / "bin" / "python"
PROGRAM = Path(__file__).with_name("peer_loops.py")
VERSIONS = ROOT / "requirements" / "peers.lock"


class PeerLoop(NamedTuple):
    """The loop that PyMusicLooper ranks first, seconds of track time, and the CPU seconds of finding it."""

    song_from: float
    song_to: float
    cpu: float


def best_loop(path: Path) -> PeerLoop | None:
    """Of a file; None if it finds none, fails, or is not installed."""
    if not PEER.exists():
        return None
    kept = _kept_at(path.read_bytes())
    if not kept.exists():
        before = children_cpu()
        done = subprocess.run([PEER, PROGRAM, path], capture_output=True, text=True, check=False)
        # It fails on some files, which counts as no loop.
        found = {"found": False} if done.returncode else json.loads(done.stdout.splitlines()[-1])
        _keep(kept, {**found, "cpu": children_cpu() - before})
    answer = json.loads(kept.read_text())
    return PeerLoop(answer["song_from"], answer["song_to"], answer["cpu"]) if answer["found"] else None


def splice_scores(recording: Recording, bpm: float, places: list[list[float]]) -> list[float] | None:
    """The score of splices at places, [leave, enter] in seconds; None if it is not installed."""
    if not PEER.exists():
        return None
    kept = _kept_at(json.dumps([recording.content_hash, bpm, places]).encode())
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "track.wav"
            soundfile.write(file, recording.samples.T, recording.sample_rate, subtype="PCM_16")
            command = [str(PEER), str(PROGRAM), str(file), str(bpm)]
            done = subprocess.run(command, input=json.dumps(places), stdout=subprocess.PIPE, text=True, check=True)
        _keep(kept, json.loads(done.stdout.splitlines()[-1]))
    scores: list[float] = json.loads(kept.read_text())
    return scores


def _kept_at(asked: bytes) -> Path:
    digest = hashlib.sha256()
    for part in (PROGRAM.read_bytes(), VERSIONS.read_bytes(), asked):
        digest.update(hashlib.sha256(part).digest())
    return CACHE / f"{digest.hexdigest()[:24]}.json"


def _keep(path: Path, answer: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(answer))
    unfinished.rename(path)
