"""Runs beat trackers on files, each in its own environment, and keeps what they found.

An answer is kept under the hash of the file, the tracker and its version, so that a second run measures only what
changed: our version is the hash of the analysis code and its weights, a peer's is its package's. Files go through two
processes at a time, each single-threaded; CPU seconds are each process's own (`peer_beats`).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.beat_pieces import CACHE, Piece, Times
from workbench.params import BeatParams
from workbench.store.fingerprint import canonical_json

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAM = HERE / "peer_beats.py"
PEERS = {"librosa": None, "essentia": "peers-essentia", "BeatNet": "peers-madmom", "madmom": "peers-madmom"}
SLOW = ("madmom",)  # a hundred times our CPU: measured on a sample
OUR_SOURCES = ("beats", "features/onsets.py", "features/spectrum.py", "features/_kernels.py", "recording.py")
PROCESSES = 2
FILES_A_PROCESS = 8
SINGLE_THREADED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Tracker:
    """A tracker that runs here."""

    name: str
    python: Path
    version: str

    @property
    def is_ours(self) -> bool:
        return self.name.startswith("workbench")


@dataclass(frozen=True)
class Answer:
    """What a tracker found in one piece, and what that cost; no beats and `error` where it failed."""

    beats: Times
    downbeats: Times | None  # None: the tracker has none
    confidence: float | None
    cpu_share: float | None  # CPU seconds a second of audio, without decoding the file
    error: str | None


def our_names() -> list[str]:
    """Our trackers: one for each activation where there is a choice; the default comes first."""
    choice = BeatParams.model_fields.get("activation")
    if choice is None:
        return ["workbench"]
    return sorted(("workbench-network", "workbench-onsets"), key=lambda name: not name.endswith(str(choice.default)))


def installed() -> tuple[list[Tracker], list[str]]:
    """The trackers that load here, ours first, and a line on each that does not."""
    found, missing = [], []
    for name in (*our_names(), *PEERS):
        folder = PEERS.get(name)
        python = ROOT / ".venv" / folder / "bin" / "python" if folder else Path(sys.executable)
        if not python.exists():
            missing.append(f"{name} is not measured: its environment is not installed (`make peers`).")
            continue
        asked = subprocess.run(
            [python, PROGRAM, name, "--version"], capture_output=True, text=True, check=False, cwd=ROOT
        )
        if asked.returncode == 0:
            version = our_version() if name in our_names() else asked.stdout.split()[-1]
            found.append(Tracker(name, python, version))
        else:
            missing.append(f"{name} is not measured: {(asked.stderr.strip() or 'no reason given').splitlines()[-1]}")
    return found, missing


def our_version() -> str:
    """Hash of what our answers depend on: code, weights, and parameters by their values."""
    files: list[Path] = []
    for name in OUR_SOURCES:
        path = ROOT / "workbench" / name
        files += sorted(p for p in path.rglob("*") if p.suffix in (".py", ".npz")) if path.is_dir() else [path]
    params = canonical_json(BeatParams()).encode()
    return hashlib.sha256(b"\0".join([params, *(path.read_bytes() for path in files)])).hexdigest()[:12]


def answers(trackers: Sequence[Tracker], pieces: Mapping[str, Sequence[Piece]]) -> dict[str, dict[str, Answer]]:
    """Answers of every tracker to the pieces listed under its name, by tracker and piece name."""
    jobs = []
    for tracker in trackers:
        new = [piece for piece in pieces[tracker.name] if not kept_at(tracker, piece).exists()]
        jobs += [(tracker, new[i : i + FILES_A_PROCESS]) for i in range(0, len(new), FILES_A_PROCESS)]
    failed: dict[tuple[str, str], str] = {}
    with ThreadPoolExecutor(PROCESSES) as pool:
        for done, failures in enumerate(pool.map(lambda job: measure(*job), jobs), 1):
            failed.update(failures)
            print(f"[beats] {done} of {len(jobs)} batches", file=sys.stderr, flush=True)
    return {
        tracker.name: {
            piece.name: Answer(np.zeros(0), None, None, None, failed[tracker.name, piece.name])
            if (tracker.name, piece.name) in failed
            else read(kept_at(tracker, piece))
            for piece in pieces[tracker.name]
        }
        for tracker in trackers
    }


def kept_at(tracker: Tracker, piece: Piece) -> Path:
    """Where an answer is kept; another file, tracker, version or way of measuring is another place."""
    program = hashlib.sha256(PROGRAM.read_bytes()).hexdigest()[:8]
    return CACHE / "answers" / f"{tracker.name}-{tracker.version}-{program}" / f"{piece.digest()}.json"


def measure(tracker: Tracker, pieces: Sequence[Piece]) -> dict[tuple[str, str], str]:
    """Run a tracker on some pieces and keep its answers; returns why pieces have none, by tracker and piece name."""
    at = {str(piece.path): kept_at(tracker, piece) for piece in pieces}
    next(iter(at.values())).parent.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(
        [tracker.python, PROGRAM, tracker.name, *at],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, **SINGLE_THREADED},
    ) as process:
        failed = keep(process.stdout or (), at)
    unanswered = f"the tracker's process ended with code {process.returncode}"
    return {
        (tracker.name, piece.name): failed.get(str(piece.path), unanswered)
        for piece in pieces
        if not at[str(piece.path)].exists()
    }


def keep(lines: Iterable[str], at: dict[str, Path]) -> dict[str, str]:
    """Write every answer where it belongs; returns the errors among them, by file."""
    failed = {}
    for line in lines:
        if not line.startswith("{"):
            continue  # a peer's chatter
        answer = json.loads(line)
        if "error" in answer:
            failed[answer["file"]] = answer["error"]
            continue
        unfinished = at[answer["file"]].with_suffix(".part")
        unfinished.write_text(line)
        unfinished.rename(at[answer["file"]])
    return failed


def read(path: Path) -> Answer:
    """A kept answer."""
    kept = json.loads(path.read_text())
    downbeats = None if kept["downbeats"] is None else np.array(kept["downbeats"], dtype=np.float64)
    share = kept["cpu_seconds"] / kept["seconds"]
    return Answer(np.array(kept["beats"], dtype=np.float64), downbeats, kept["confidence"], share, None)
