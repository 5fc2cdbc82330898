"""Runs beat trackers on files, each in its own environment.

Files go through two single-threaded processes at a time; CPU seconds are each process's own (`peer_beats`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("peer_beats.py")
OURS = ("workbench-network", "workbench-onsets")
"""both ways to listen, the default first"""
PEERS = {"librosa": None, "essentia": "peers-essentia", "BeatNet": "peers-madmom", "madmom": "peers-madmom"}
PROCESSES = 2
SINGLE_THREADED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Times = NDArray[np.float64]


@dataclass(frozen=True)
class Piece:
    """A recording with its true beats."""

    path: Path
    beats: Times = field(repr=False)  # s
    downbeats: Times = field(repr=False)  # those of them that open a bar


@dataclass(frozen=True)
class Tracker:
    """A tracker that runs here."""

    name: str
    python: Path
    version: str


@dataclass(frozen=True)
class Answer:
    """What a tracker found in one piece, and what that cost; no beats where it failed."""

    beats: Times
    downbeats: Times | None  # None: the tracker has none
    cpu_share: float | None  # CPU seconds a second of audio, without decoding the file


def installed() -> tuple[list[Tracker], list[str]]:
    """The trackers that load here, ours first, and a line on each that does not."""
    found, missing = [], []
    for name in (*OURS, *PEERS):
        folder = PEERS.get(name)
        python = ROOT / ".venv" / folder / "bin" / "python" if folder else Path(sys.executable)
        if not python.exists():
            missing.append(f"{name} is not measured: its environment is not installed (`make peers`).")
            continue
        command = [str(python), str(PROGRAM), name, "--version"]
        asked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        if asked.returncode == 0:
            found.append(Tracker(name, python, asked.stdout.split()[-1]))
        else:
            missing.append(f"{name} is not measured: {(asked.stderr.strip() or 'no reason given').splitlines()[-1]}")
    return found, missing


def answers(tracker: Tracker, pieces: Sequence[Piece]) -> list[Answer]:
    """What a tracker finds in each piece; raises `CalledProcessError` if one of its processes dies."""
    with ThreadPoolExecutor(PROCESSES) as pool:
        halves = list(pool.map(lambda k: _ask(tracker, pieces[k::PROCESSES]), range(PROCESSES)))
    by_file = {file: answer for half in halves for file, answer in half.items()}
    return [by_file.get(piece.path, Answer(np.zeros(0), None, None)) for piece in pieces]


def _ask(tracker: Tracker, pieces: Sequence[Piece]) -> dict[Path, Answer]:
    """Its answers by file, without those on which it raised; a process that dies is an error, and no tracker's zero."""
    command = [str(tracker.python), str(PROGRAM), tracker.name, *(str(piece.path) for piece in pieces)]
    environment = {**os.environ, **SINGLE_THREADED}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT, env=environment)
    found = {}
    for line in done.stdout.splitlines():
        if not line.startswith("{"):
            continue  # a peer's chatter
        answer = json.loads(line)
        if "error" in answer:
            print(f"[beats] {tracker.name}, {answer['file']}: {answer['error']}", file=sys.stderr)
            continue
        downbeats = None if answer["downbeats"] is None else np.array(answer["downbeats"], dtype=np.float64)
        share = answer["cpu_seconds"] / answer["seconds"]
        found[Path(answer["file"])] = Answer(np.array(answer["beats"], dtype=np.float64), downbeats, share)
    return found
