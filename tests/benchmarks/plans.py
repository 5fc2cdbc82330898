"""Whole plans beside PyMusicLooper: each track's best loop and ours, judged on the rendered sound by `judge`.

The peer runs in its own environment and its loop is rendered as it plays it: the two samples butt together. Ours is
what `workbench loop` and `workbench render` make, as whole processes with an empty home folder; of our plan every
seam is judged and the worst value of each measure is reported.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from tests.benchmarks.judge import Splice, Verdict, judge
from tests.benchmarks.peer_answers import kept
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import Track, bundled

ROOT = Path(__file__).parents[2]
PEER = ROOT / ".venv" / "peers" / "bin" / "python"
PROGRAM = Path(__file__).with_name("peer_loop.py")
EXTRA_SECONDS = 90.0
WORKBENCH = Path(sys.executable).parent / "workbench"


def timed(command: Sequence[str | Path]) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run a command; returns it and the CPU seconds it and its children took."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    return done, spent() - before


def ours(track: Track, home: Path) -> tuple[list[Verdict] | str, float]:
    """Our plan's verdicts, or the reason of a refusal; and the CPU seconds of finding it."""
    samples, rate = track.samples()
    seconds = samples.shape[1] / rate + EXTRA_SECONDS
    found, cpu = timed([WORKBENCH, "loop", track.path, "--seconds", f"{seconds:.3f}", "--home", home])
    if found.returncode != 0:
        raise RuntimeError(f"workbench loop failed on {track.name}: {found.stderr}")
    result = json.loads(found.stdout)
    if not result["applicable"]:
        return result["plan"]["reason"], cpu
    plan_file, wav = home / f"{track.name}.json", home / f"{track.name}.wav"
    plan_file.write_text(found.stdout)
    subprocess.run(
        [str(c) for c in (WORKBENCH, "render", plan_file, "--track", track.path, "-o", wav, "--home", home)],
        check=True,
        capture_output=True,
    )
    data, _ = soundfile.read(wav, dtype="float32", always_2d=True)
    beats, downbeats = track.beats()
    plan = result["plan"]
    segments = plan["segments"]
    splices = {
        (a["song_to"], b["song_from"]): Splice(at, a["song_to"], b["song_from"])
        for a, b, at in zip(segments[:-1], segments[1:], plan["seam_times"], strict=True)
    }
    rendered = np.ascontiguousarray(data.T)
    return [judge(rendered, samples, rate, s, beats, downbeats) for s in splices.values()], cpu


def butt_splice(samples: NDArray[np.float32], rate: int, start: float, end: float) -> tuple[NDArray[np.float32], float]:
    """The track to `end`, then from `start` on: how the peer plays a loop. Returns the sound and the splice's time."""
    a, b = round(start * rate), round(end * rate)
    return np.concatenate([samples[:, :b], samples[:, a:]], axis=1), b / rate


def ask_peer(path: Path) -> tuple[dict[str, object], float]:
    """What the peer finds in a file, or why it fails; and the CPU seconds of that."""
    found, cpu = timed([PEER, PROGRAM, path])
    if found.returncode != 0:
        return {"failed": found.stderr.strip().splitlines()[-1].split(":")[0].rsplit(".", 1)[-1]}, cpu
    return json.loads(found.stdout.strip().splitlines()[-1]), cpu


def theirs(track: Track) -> tuple[list[Verdict] | str, float]:
    """The peer's best loop, judged the same way; its CPU seconds are those of when it was asked."""
    asked = hashlib.sha256(track.path.read_bytes()).hexdigest()
    answer, cpu = kept(PROGRAM, asked, lambda: ask_peer(track.path))
    if "failed" in answer:
        return f"failed: {answer['failed']}", cpu
    if not answer["found"]:
        return "no loop found", cpu
    samples, rate = track.samples()
    rendered, at = butt_splice(samples, rate, answer["song_from"], answer["song_to"])
    splice = Splice(at, answer["song_to"], answer["song_from"])
    return [judge(rendered, samples, rate, splice, *track.beats())], cpu


def worst(verdicts: list[Verdict]) -> list[float]:
    """The worst of each measure over a plan's seams, leaving out what could not be compared."""
    columns = zip(
        *[(v.flux_percentile, v.level_step_lu, v.beat_deviation_ms, v.surprise_percentile) for v in verdicts],
        strict=True,
    )
    return [float(np.nanmax(column)) if np.any(np.isfinite(column)) else float("nan") for column in columns]


def run() -> list[Table]:
    """Judge every bundled track; returns the table by track, the means, and what was refused."""
    columns = ["track", "side", "seams", "flux pct", "level step LU", "beat dev ms", "surprise pct", "CPU s/min"]
    detail = Table("Whole plans, ours beside PyMusicLooper's best loop", columns)
    means = Table("Whole plans, mean over the tracks that both loop", [columns[1], "tracks", *columns[3:]])
    refused = Table("Refused", ["track", "expected", "ours", "PyMusicLooper"])
    both: dict[str, list[list[float]]] = {"ours": [], "PyMusicLooper": []}
    for track in bundled():
        print(f"[bench] plans: {track.name}", file=sys.stderr, flush=True)
        minutes = len(track.samples()[0][0]) / 44100 / 60
        with tempfile.TemporaryDirectory() as home:
            our_answer, our_cpu = ours(track, Path(home))
        answers = {"ours": (our_answer, our_cpu)}
        if PEER.exists():
            answers["PyMusicLooper"] = theirs(track)
        rows = {}
        for side, (verdicts, cpu) in answers.items():
            if isinstance(verdicts, str):
                continue
            rows[side] = [*worst(verdicts), cpu / minutes]
            if track.is_song:
                detail.add(track.name, side, len(verdicts), *rows[side])
        if track.is_song and len(rows) == 2:
            for side, row in rows.items():
                both[side].append(row)
        if not track.is_song or len(rows) < len(answers):
            shown = {side: v if isinstance(v, str) else "looped" for side, (v, _) in answers.items()}
            expected = track.row.get("expected_refusal") or "a loop"
            refused.add(track.name, expected, shown["ours"], shown.get("PyMusicLooper", "not installed"))
    for side, side_rows in both.items():
        if side_rows:
            means.add(side, len(side_rows), *np.nanmean(np.array(side_rows), axis=0).tolist())
    means.notes.append(
        f"Video: the track and {EXTRA_SECONDS:.0f} s more. Of our plans the worst seam counts, of the peer's its one. "
        "Flux and surprise are percentiles among the track's own bar lines and bar pairs (lower is better); CPU is of "
        "whole processes, import and decoding included, analysis cold."
    )
    return [detail, means, refused]


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "default")
    for table in run():
        print(table.markdown())
