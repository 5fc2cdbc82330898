"""Whole plans beside PyMusicLooper: each track's best loop and ours, judged on the rendered sound by `judge`.

    python -m tests.benchmarks.run plans

The peer's loop is rendered as it plays it: the two samples butt together. Ours is what `workbench loop` and `workbench
render` make; of its seams the worst value of each measure counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import soundfile

from tests.benchmarks.judge import Splice, Verdict, judge, measures
from tests.benchmarks.peer_answers import PEER, best_loop
from tests.benchmarks.table import Table, children_cpu
from tests.benchmarks.tracks import Track, bundled

EXTRA_SECONDS = 90.0
Judged = tuple[list[Verdict], float]
"""the verdict on each seam of a plan, and the CPU seconds of finding it"""


def workbench(home: Path, *words: object) -> str:
    """What a command prints, called as somebody would type it; it exits with 3 where nothing can be done."""
    command = [sys.executable, "-m", "workbench", *map(str, words), "--home", str(home)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode not in (0, 3):
        done.check_returncode()
    return done.stdout


def ours(track: Track, home: Path) -> Judged | None:
    """Our plan, rendered and judged; None where it is refused."""
    samples, rate = track.samples()
    plan_file, wav = home / "plan.json", home / "music.wav"
    before = children_cpu()
    seconds = samples.shape[1] / rate + EXTRA_SECONDS
    plan_file.write_text(workbench(home, "loop", track.path, "--seconds", f"{seconds:.3f}"))
    cpu = children_cpu() - before
    answer = json.loads(plan_file.read_text())
    if not answer["applicable"]:
        return None
    plan = answer["plan"]
    workbench(home, "render", plan_file, "--track", track.path, "-o", wav)
    rendered = soundfile.read(wav, dtype="float32", always_2d=True)[0].T
    pairs = zip(plan["segments"][:-1], plan["segments"][1:], plan["seam_times"], strict=True)
    splices = {(a["song_to"], b["song_from"]): Splice(at, a["song_to"], b["song_from"]) for a, b, at in pairs}
    return [judge(np.ascontiguousarray(rendered), samples, rate, s, *track.beats()) for s in splices.values()], cpu


def theirs(track: Track) -> Judged | None:
    """The peer's best loop, judged the same way; None where it has none."""
    loop = best_loop(track.path)
    if loop is None:
        return None
    samples, rate = track.samples()
    start, end = round(loop.song_from * rate), round(loop.song_to * rate)
    rendered = np.concatenate([samples[:, :end], samples[:, start:]], axis=1)
    splice = Splice(end / rate, loop.song_to, loop.song_from)
    return [judge(rendered, samples, rate, splice, *track.beats())], loop.cpu


def run() -> list[Table]:
    """Judge every bundled track that all sides loop; the peer is left out where it is not installed."""
    sides = ("ours", "PyMusicLooper") if PEER.exists() else ("ours",)
    rows: dict[str, list[list[float]]] = {side: [] for side in sides}
    refused = dict.fromkeys(sides, 0)
    for track in (track for track in bundled() if track.is_song):
        print(f"[bench] plans: {track.name}", file=sys.stderr, flush=True)
        minutes = track.samples()[0].shape[1] / 44100 / 60
        with tempfile.TemporaryDirectory() as home:
            answers = {side: ours(track, Path(home)) if side == "ours" else theirs(track) for side in sides}
        for side, answer in answers.items():
            refused[side] += answer is None
        judged = {side: answer for side, answer in answers.items() if answer is not None}
        if len(judged) == len(answers):
            for side, (verdicts, cpu) in judged.items():
                rows[side].append([*np.nanmax(measures(verdicts), axis=0).tolist(), cpu / minutes])
    table = Table(
        "Whole plans, mean over the tracks that both loop",
        ["side", "tracks", "refused", "flux pct", "level step LU", "beat dev ms", "surprise pct", "CPU s/min"],
    )
    for side, some in rows.items():
        means = np.nanmean(np.array(some), axis=0).tolist() if some else [None] * 5
        table.add(side, len(some), refused[side], *means)
    table.notes.append(
        f"Video: the track and {EXTRA_SECONDS:.0f} s more. Of our plans the worst seam counts, of the peer's its one. "
        "Refused are the tracks of which a side has no loop; no figure counts these. "
        "Flux and surprise are percentiles among the track's own bar lines and bar pairs (lower is better); CPU is of "
        "whole processes, import and decoding included, analysis cold."
    )
    if not PEER.exists():
        table.notes.append("PyMusicLooper is not measured: its environment is not installed (`make peers`).")
    return [table]
