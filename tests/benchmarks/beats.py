"""Beats and downbeats of the bundled songs beside librosa, essentia, madmom and BeatNet, and of spoiled excerpts.

    python -m tests.benchmarks.run beats

Protocol: mir_eval's F-measure at ±70 ms and AMLt, on whole recordings (mir_eval's usual trimming of the first five
seconds is left out: a loop may start there). A tracker that finds nothing or fails scores 0. CPU: seconds of one
single-threaded process, after a warm-up, from decoded samples to times, a second of audio.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import mir_eval
import numpy as np
import soundfile

from tests.benchmarks import degrade
from tests.benchmarks.beat_trackers import OURS, Answer, Piece, answers, installed
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import Track, bundled

EXCERPT_SECONDS = (20.0, 65.0)
"""of each bundled song, past its introduction: what is spoiled"""
PROTOCOL = (__doc__ or "").split("\n\n")[-1].strip().replace("\n", " ")


def row(tracker: str, pieces: Sequence[Piece], found: Sequence[Answer]) -> list[object]:
    """Mean F, AMLt, downbeat F (None where the tracker has none) and CPU."""
    both = list(zip(pieces, found, strict=True))
    f = [mir_eval.beat.f_measure(piece.beats, answer.beats) for piece, answer in both]
    amlt = [mir_eval.beat.continuity(piece.beats, answer.beats)[3] for piece, answer in both]
    bars = [
        mir_eval.beat.f_measure(piece.downbeats, answer.downbeats)
        for piece, answer in both
        if answer.downbeats is not None
    ]
    cpu = [answer.cpu_share for answer in found if answer.cpu_share is not None]
    downbeat_f = float(np.mean(bars)) if bars else None
    return [tracker, len(pieces), float(np.mean(f)), float(np.mean(amlt)), downbeat_f, f"{np.mean(cpu):.4f}"]


def spoiled_pieces(tracks: Sequence[Track], folder: Path) -> list[Piece]:
    """An excerpt of each song in every spoiled version, its beats moved to the excerpt's clock."""
    start, end = EXCERPT_SECONDS
    pieces = []
    for track in tracks:
        samples, rate = track.samples()
        for kind in degrade.KINDS:
            path = folder / f"{track.name}.{kind}.flac"
            spoiled = degrade.degrade(samples[:, int(start * rate) : int(end * rate)], rate, kind)
            soundfile.write(path, spoiled.T, rate, subtype="PCM_16")
            inside = [times[(times >= start) & (times < end)] - start for times in track.beats()]
            beats, downbeats = (times / degrade.speed(kind) for times in inside)
            pieces.append(Piece(path, beats, downbeats))
    return pieces


def run() -> list[Table]:
    """Every tracker on the songs composed before ours was done; ours alone on spoiled excerpts of all."""
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    trackers, missing = installed()
    columns = ("tracker", "pieces", "F", "AMLt", "downbeat F", "CPU s/s")
    clean, spoiled = Table("Beats: bundled tracks composed first", columns), Table("Beats: bundled, spoiled", columns)
    songs = [track for track in bundled() if track.beats()[0].size]
    pieces = [Piece(track.path, *track.beats()) for track in songs if track.batch == 1]
    for tracker in trackers:
        clean.add(*row(tracker.name, pieces, answers(tracker, pieces)))
    with tempfile.TemporaryDirectory() as folder:
        excerpts = spoiled_pieces([track for track in songs if track.is_song], Path(folder))
        (ours,) = [tracker for tracker in trackers if tracker.name == OURS[0]]
        spoiled.add(*row(ours.name, excerpts, answers(ours, excerpts)))
    versions = ", ".join(f"{tracker.name} {tracker.version}" for tracker in trackers if tracker.name not in OURS)
    clean.notes += [PROTOCOL, f"Peers: {versions}.", *missing]
    return [clean, spoiled]
