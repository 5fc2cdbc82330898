"""Loops of recordings that nobody here made, beside PyMusicLooper and the best splice there is.

    python -m tests.benchmarks.elsewhere.loops FOLDER [--most N]

FOLDER is of `data.recipes.material.recordings`. Every recording is planned for a video 90 s longer than itself and
judged by its worst splice. A refusal counts 0. "best" is the best of all splices between downbeats 12 s apart and more.

The judge compares with what was about to come. Where a file is repeated from its end, nothing was: such splices are not
judged, and a recording whose plan has no others is in no mean.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.recipes.material.naturalness import Listener
from data.recipes.material.recordings import ElsewhereRecording, recordings
from tests.benchmarks.peer_answers import best_loop
from tests.benchmarks.table import Table
from workbench.analysis.workspace import Workspace
from workbench.beats.edges import EDGE_SECONDS
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LOOP_ALONE
from workbench.recording import FloatArray
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track

EXTRA_SECONDS = 90.0
LEAST_BODY_SECONDS = 12.0
SEARCHED = 100
"""splices judged in the search for the best: those whose spectra are most alike"""
NOTHING = float("nan")


@dataclass(frozen=True)
class Row:
    """What is known of one recording; scores 0 to 1, NaN where there is none."""

    name: str
    package: str
    ours: float
    """the worst seam of the served plan; NaN where it is refused"""
    peer: float
    best: float
    is_judged: bool = True
    """not where all that the plan does is to repeat the file from its end"""


def judge_recording(one: ElsewhereRecording, home: Path, *, searched: bool = True) -> Row:
    """Plan a recording, ask the peer, judge both; `searched`: look for the best splices too, which is slow."""
    workspace = Workspace(Home(home))
    loop = plan_track(workspace, one.path, one.seconds + EXTRA_SECONDS, LOOP_ALONE)
    sound = workspace.load_recording(one.path)
    listener = Listener(sound.samples, sound.sample_rate)
    planned = isinstance(loop.answer, LoopPlan)
    served = totals_of(loop.answer, listener) if isinstance(loop.answer, LoopPlan) else []
    peer = best_loop(one.path)
    return Row(
        name=one.name,
        package=one.source.package,
        ours=min(served, default=NOTHING),
        peer=NOTHING if peer is None else listener.judge(peer.song_to, peer.song_from).total,
        best=best_splice(loop, listener) if searched else NOTHING,
        is_judged=bool(served) or not planned,
    )


def totals_of(plan: LoopPlan, listener: Listener) -> list[float]:
    """The totals of the different splices of a plan but that from the end of the file."""
    splices = {(a.song_to, b.song_from) for a, b in zip(plan.segments[:-1], plan.segments[1:], strict=True)}
    last = listener.seconds - EDGE_SECONDS
    return [listener.judge(*splice).total for splice in splices if splice[0] < last]


def best_splice(loop: Planned, listener: Listener) -> float:
    """The best total of the splices back between downbeats; NaN where none lie far enough apart."""
    lines: FloatArray = np.zeros(0) if loop.analysis is None else loop.analysis.grid.downbeats
    times = lines.astype(np.float64)
    times = times[(times > 2.5) & (times < listener.seconds - 3.0)]
    leave, enter = np.nonzero(times[:, None] - times[None, :] >= LEAST_BODY_SECONDS)
    if times.size < 4 or not leave.size:
        return NOTHING
    order = np.argsort(listener.apart_at(times)[leave, enter], kind="stable")[:SEARCHED]
    return max(listener.judge(times[leave[k]], times[enter[k]]).total for k in order)


def table_of(rows: Sequence[Row]) -> Table:
    """The means by source."""
    table = Table(
        "Loops of recordings by others, the worst splice judged, a refusal counting 0",
        ["source", "recordings", "judged", "planned", "ours", "PyMusicLooper planned", "PyMusicLooper", "best"],
    )
    for package in [*dict.fromkeys(row.package for row in rows), "all"]:
        of = [row for row in rows if package in (row.package, "all")]
        some = [row for row in of if row.is_judged]
        ours, peer, best = (np.array([getattr(row, name) for row in some]) for name in ("ours", "peer", "best"))
        table.add(
            package, len(of), len(some), int(np.isfinite(ours).sum()), float(np.nan_to_num(ours).mean()),
            int(np.isfinite(peer).sum()), float(np.nan_to_num(peer).mean()), float(np.nanmean(best)),
        )  # fmt: skip
    return table


def first_recordings(folder: Path, most: int | None, *, loops: bool = True) -> list[ElsewhereRecording]:
    """The test recordings of a folder, of each source at most so many; `loops` is that of `recordings`."""
    found: dict[str, list[ElsewhereRecording]] = {}
    for one in recordings(folder, "test", loops=loops):
        found.setdefault(one.source.package, []).append(one)
    return [one for some in found.values() for one in some[:most]]


def recordings_of_arguments(about: str) -> list[ElsewhereRecording]:
    """Those that the command line asks for."""
    arguments = argparse.ArgumentParser(description=about)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--most", type=int, help="recordings of a source at most")
    given = arguments.parse_args()
    return first_recordings(given.folder, given.most)


def main() -> None:
    """Judge a folder of recordings; see the head of the module."""
    rows = []
    with tempfile.TemporaryDirectory() as home:
        for one in recordings_of_arguments("Loops of recordings by others, judged."):
            rows.append(judge_recording(one, Path(home)))
            print(f"[elsewhere] {rows[-1]}", file=sys.stderr, flush=True)
    print(table_of(rows).markdown())


if __name__ == "__main__":
    main()
