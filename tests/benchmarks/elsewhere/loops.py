"""Loops of recordings that nobody here made, beside PyMusicLooper, chance and the best splice there is.

    python -m tests.benchmarks.elsewhere.loops FOLDER [--most N]

FOLDER holds the test recordings that `python -m data.recipes.material.recordings FOLDER` fetches. Every recording is
planned as `workbench loop` does it, for a video 90 s longer than itself. Each side is judged by the splices that it
plays, of a plan the worst one, with `data.recipes.material.naturalness`, which knows nothing of the project, of beats
and of bars. A refusal and a failure count 0. "chance" is the median of splices between two of the grid's downbeats
picked at random; "best" the best of all splices between downbeats 12 s apart and more, looked for with the judge
itself: what a better choice could have reached. "best at beats" is the same between any two beats: what bodies that
begin and end inside bars could have added. "mean" is that of the splices a plan plays, for the peer plays one only.
"surest option" is the worst splice of the option with the highest `seam_score`: what is to be had from us where, as
with the peer, neither the track's own ending nor variety counts.

The judge compares with what was about to come. Where a file is repeated from its end, nothing was: such splices are not
judged, and a recording whose plan has no others is in no mean.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.naturalness import Listener
from data.recipes.material.recordings import ElsewhereRecording, recordings
from tests.benchmarks.peer_answers import kept
from tests.benchmarks.plans import PEER, PROGRAM, ask_peer
from tests.benchmarks.table import Table
from workbench.beats.edges import EDGE_SECONDS
from workbench.home import Home
from workbench.plans.plan import LoopPlan
from workbench.workflows.plan import Planned, loop_track
from workbench.workspace import Workspace

EXTRA_SECONDS = 90.0
LEAST_BODY_SECONDS = 12.0
RANDOM_SPLICES = 40
SEARCHED = 100
"""splices judged in the search for the best: those whose spectra are most alike"""


@dataclass(frozen=True)
class Row:
    """What is known of one recording; scores 0 to 1, NaN where there is none."""

    name: str
    package: str
    confidence: float
    ours: float
    """the worst seam of the served plan; NaN where it is refused"""
    mean: float
    """the mean of its splices"""
    options: float
    """the worst seam of all options"""
    surest: float
    """the worst seam of the option with the highest `seam_score`"""
    seam_score: float
    reason: str
    peer: float
    chance: float
    best: float
    best_at_beats: float
    is_judged: bool = True
    """not where all that the plan does is to repeat the file from its end"""


def judge_recording(one: ElsewhereRecording, home: Path, *, searched: bool = True) -> Row:
    """Plan a recording, ask the peer, judge both; `searched`: look for chance and the best splices, which is slow."""
    workspace = Workspace(Home(home))
    loop = loop_track(workspace, one.path, one.seconds + EXTRA_SECONDS)
    sound = workspace.load_recording(one.path)
    listener = Listener(sound.samples, sound.sample_rate)
    answer = loop.answer
    served = totals_of(answer, listener) if isinstance(answer, LoopPlan) else []
    options = answer.options if isinstance(answer, LoopPlan) else ()
    worst = [min(totals_of(option, listener), default=float("nan")) for option in options]
    surest = int(np.argmax([option.seam_score for option in options])) if options else 0
    chance, best, best_at_beats = limits(loop, listener) if searched else (float("nan"),) * 3
    peer = float("nan")
    if PEER.exists():
        digest = hashlib.sha256(one.path.read_bytes()).hexdigest()
        found, _ = kept(PROGRAM, digest, lambda: ask_peer(one.path))
        if found.get("found"):
            peer = listener.judge(float(str(found["song_to"])), float(str(found["song_from"]))).total
    return Row(
        name=one.name,
        package=one.source.package,
        confidence=loop.analysis.grid.confidence if loop.analysis is not None else float("nan"),
        ours=min(served, default=float("nan")),
        mean=float(np.mean(served)) if served else float("nan"),
        options=float(np.nanmin([*worst, np.inf])) if np.isfinite(worst).any() else float("nan"),
        surest=worst[surest] if worst else float("nan"),
        seam_score=answer.seam_score if isinstance(answer, LoopPlan) else float("nan"),
        reason="" if isinstance(answer, LoopPlan) else answer.reason.value,
        peer=peer,
        chance=chance,
        best=best,
        best_at_beats=best_at_beats,
        is_judged=bool(served) or not isinstance(answer, LoopPlan),
    )


def totals_of(plan: LoopPlan, listener: Listener) -> list[float]:
    """The totals of the different splices of a plan but that from the end of the file."""
    splices = {(a.song_to, b.song_from) for a, b in zip(plan.segments[:-1], plan.segments[1:], strict=True)}
    last = listener.seconds - EDGE_SECONDS
    return [listener.judge(*splice).total for splice in splices if splice[0] < last]


def limits(loop: Planned, listener: Listener) -> tuple[float, float, float]:
    """Chance and the best splices between downbeats and between beats, see the head of the module."""
    nothing = float("nan")
    if loop.analysis is None:
        return nothing, nothing, nothing
    grid = loop.analysis.grid
    bars, beats = (some[(some > 2.5) & (some < listener.seconds - 3.0)] for some in (grid.downbeats, grid.beats))
    if grid.downbeats.size < 4 or bars.size < 4:
        return nothing, nothing, nothing
    rng = np.random.default_rng(0)
    pairs = rng.choice(bars, size=(RANDOM_SPLICES, 2))
    chance = float(np.median([listener.judge(a, b).total for a, b in pairs if a != b]))
    best = best_between(bars, listener)
    return chance, best, max(best, best_between(beats, listener))


def best_between(times: NDArray[np.float64], listener: Listener) -> float:
    """The best total of the splices back between some times; NaN where none lie far enough apart."""
    leave, enter = np.nonzero(times[:, None] - times[None, :] >= LEAST_BODY_SECONDS)
    if not leave.size:
        return float("nan")
    order = np.argsort(listener.apart_at(times)[leave, enter], kind="stable")[:SEARCHED]
    return max(listener.judge(times[leave[k]], times[enter[k]]).total for k in order)


def tables(rows: list[Row]) -> list[Table]:
    """The table by recording, and the means by source."""
    detail = Table(
        "Loops of recordings by others, judged; empty: refused or not found",
        [
            "recording",
            "confidence",
            "ours",
            "mean",
            "options' worst",
            "surest option",
            "seam_score",
            "PyMusicLooper",
            "chance",
            "best",
            "best at beats",
            "refusal",
        ],
    )
    for row in rows:
        figures = (row.confidence, row.ours, row.mean, row.options, row.surest, row.seam_score, row.peer)
        shown = [None if np.isnan(v) else v for v in figures]
        detail.add(row.name, *shown, row.chance, row.best, row.best_at_beats, row.reason)
    means = Table(
        "Loops of recordings by others, mean, a refusal counting 0",
        [
            "source", "recordings", "planned", "ours", "mean splice", "surest option",
            "PyMusicLooper planned", "PyMusicLooper", "chance", "best", "best at beats",
        ],
    )  # fmt: skip
    for package in [*dict.fromkeys(row.package for row in rows), "all"]:
        some = [row for row in rows if row.is_judged and package in (row.package, "all")]
        names = ("ours", "mean", "surest", "peer", "chance", "best", "best_at_beats")
        column = {name: np.array([getattr(row, name) for row in some]) for name in names}
        means.add(
            package, len(some), int(np.isfinite(column["ours"]).sum()),
            *(_with_zeros(column[name]) for name in ("ours", "mean", "surest")),
            int(np.isfinite(column["peer"]).sum()), _with_zeros(column["peer"]),
            *(float(np.nanmean(column[name])) for name in ("chance", "best", "best_at_beats")),
        )  # fmt: skip
    return [means, detail]


def _with_zeros(values: NDArray[np.float64]) -> float:
    return float(np.nan_to_num(values, nan=0.0).mean())


def main() -> None:
    """Judge a folder of recordings; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Loops of recordings by others, judged.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"], default="test")
    arguments.add_argument("--most", type=int, help="recordings of a source at most")
    given = arguments.parse_args()
    found: dict[str, list[ElsewhereRecording]] = {}
    for one in recordings(given.folder, given.role, loops=True):
        found.setdefault(one.source.package, []).append(one)
    rows = []
    with tempfile.TemporaryDirectory() as home:
        for one in [one for some in found.values() for one in some[: given.most]]:
            rows.append(judge_recording(one, Path(home)))
            print(f"[elsewhere] {rows[-1]}", file=sys.stderr, flush=True)
    for table in tables(rows):
        print(table.markdown())


if __name__ == "__main__":
    main()
