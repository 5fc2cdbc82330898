"""Seam scores on splices with known answers, ours beside PyMusicLooper's own.

The splices are those of `data.recipes.material.splices`.

Scores come from the true grid, so that what is judged is the score and not the tracker. PyMusicLooper is given the same
file and the same two instants.

What the tracker does to loops is measured apart: every track is looped on the grid that onset strengths give and on the
one that the network gives, and the seams of both plans are judged on the rendered sound against the true beats.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from data.recipes.material.splices import BAD, GOOD, Case, Truth, bundled_truths, cases_of, in_another_key
from tests.benchmarks.area import auc
from tests.benchmarks.judge import Splice, Verdict, judge
from tests.benchmarks.peer_answers import kept
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import Track, bundled
from workbench.beats.grid import BeatGrid
from workbench.beats.track import track_beats
from workbench.params import BeatParams, SeamParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.render.playback import render_blocks
from workbench.seams.build_profile import loop_profile
from workbench.seams.seam_score import SeamEvidence, score_splices, seam_evidence

ROOT = Path(__file__).parents[2]
PEER = ROOT / ".venv" / "peers" / "bin" / "python"
PROGRAM = Path(__file__).with_name("peer_seams.py")
EXTRA_SECONDS = 90.0
"""by which the video is longer than the track, as in `plans`"""
NEAR_SECONDS = 0.07
"""s from a true downbeat within which a found one is right, as in mir_eval"""


def our_scores(evidence: SeamEvidence, cases: Sequence[Case], params: SeamParams) -> NDArray[np.float64]:
    """`score_seam` of every case, at once."""
    leaves, enters = np.array([c.leave for c in cases]), np.array([c.enter for c in cases])
    return np.array(
        [score_splices(evidence, leaves[k : k + 1], enters[k : k + 1], params)[1][0, 0] for k in range(len(cases))]
    )


def peer_scores(recording: Recording, grid: BeatGrid, cases: Sequence[Case]) -> NDArray[np.float64] | None:
    """PyMusicLooper's score of every case, or None where it is not installed."""
    if not PEER.exists():
        return None
    places = [[float(grid.beats[c.leave]), float(grid.beats[c.enter])] for c in cases]
    asked = json.dumps([recording.content_hash, grid.tempo_bpm, places])
    return np.array(kept(PROGRAM, asked, lambda: ask_peer(recording, grid.tempo_bpm, places)))


def ask_peer(recording: Recording, bpm: float, places: list[list[float]]) -> list[float]:
    """PyMusicLooper's score of splices at the places, seconds, in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "track.wav"
        soundfile.write(file, recording.samples.T, recording.sample_rate, subtype="PCM_16")
        done = subprocess.run(
            [str(PEER), str(PROGRAM), str(file), str(bpm)],
            input=json.dumps(places), capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"PyMusicLooper failed: {done.stderr[-2000:]}")
    scores: list[float] = json.loads(done.stdout.splitlines()[-1])
    return scores


def area(good: NDArray[np.float64], bad: NDArray[np.float64]) -> float | None:
    """AUC of splices; None where there are none of a kind."""
    return auc(good, bad) if good.size and bad.size else None


def measure(tracks: Sequence[Truth], params: SeamParams | None = None) -> list[dict[str, object]]:
    """One row a splice: track, batch, kind, our score, ours without knowledge of the metre, the peer's."""
    params = params or SeamParams()
    rows: list[dict[str, object]] = []
    for number, truth in enumerate(tracks):
        recording, grid, first = in_another_key(truth, (1, 2, 3, 5, 6, -1, -2, -4)[number % 8])
        n_copied = int(grid.downbeats.size - truth.grid.downbeats.size)
        cases = cases_of(truth, first, n_copied, np.random.default_rng(number))
        evidence = seam_evidence(recording, grid, params)
        deaf = replace(evidence, positions=np.ones_like(evidence.positions))  # every beat has the same place in its bar
        scores, plain = our_scores(evidence, cases, params), our_scores(deaf, cases, params)
        peers = peer_scores(recording, grid, cases)
        for k, case in enumerate(cases):
            rows.append(
                {"track": truth.name, "batch": truth.batch, "kind": case.kind, "ours": scores[k], "deaf": plain[k],
                 "peer": None if peers is None else peers[k]}
            )  # fmt: skip
    return rows


def table_of(title: str, rows: Sequence[dict[str, object]]) -> Table:
    """Areas under the curve of each kind of bad splice against all good ones, and medians of the scores."""
    table = Table(
        title, ["splices", "n", "median seam_score", "AUC seam_score", "AUC without metre", "AUC PyMusicLooper"]
    )
    good = {
        who: np.array([r[who] for r in rows if r["kind"] in GOOD and r[who] is not None], float)
        for who in ("ours", "deaf", "peer")
    }
    for kind in (*GOOD, *BAD):
        of_kind = {
            who: np.array([r[who] for r in rows if r["kind"] == kind and r[who] is not None], float) for who in good
        }
        if not of_kind["ours"].size:
            continue
        areas = [area(good[who], of_kind[who]) if kind in BAD else None for who in good]
        table.add(kind, of_kind["ours"].size, float(np.median(of_kind["ours"])), *areas)
    bad = {who: np.array([r[who] for r in rows if r["kind"] in BAD and r[who] is not None], float) for who in good}
    table.add(
        "all bad ones", bad["ours"].size, float(np.median(bad["ours"])), *(area(good[who], bad[who]) for who in good)
    )
    return table


@dataclass(frozen=True)
class Loop:
    """What came of looping a track on a grid that was found; no verdicts where it was refused."""

    batch: int
    offered: float | None
    """share of the good splices both of whose ends are found downbeats; None where the track has none, as below"""
    mistaken: float | None
    """the same of splices a beat or half a bar off: a looper that keeps to bar lines would take them for good"""
    on_bar_lines: list[bool]
    """for each seam of the plan, whether it leaves and enters at true downbeats"""
    verdicts: list[Verdict]


def loop_on(track: Track, truth: Truth, cases: Sequence[Case], activation: str) -> Loop:
    """Find the beats, plan a loop on them, render it and judge its seams by the true ones."""
    recording = Recording.from_samples(truth.sound, truth.rate)
    grid = track_beats(recording, params=BeatParams.model_validate({"activation": activation}))

    def near(lines: NDArray[np.floating], times: Sequence[float]) -> bool:
        return bool(lines.size) and all(float(np.abs(lines - at).min()) <= NEAR_SECONDS for at in times)

    def share(kinds: Sequence[str]) -> float | None:
        ends = [[float(truth.grid.beats[at]) for at in (c.leave, c.enter)] for c in cases if c.kind in kinds]
        return float(np.mean([near(grid.downbeats, times) for times in ends])) if ends else None

    plan = plan_loop(loop_profile(recording, grid), recording.duration + EXTRA_SECONDS)
    on_bar_lines, verdicts = [], []
    if isinstance(plan, LoopPlan):
        rendered = np.concatenate(list(render_blocks(plan, recording)), axis=1)
        pairs = zip(plan.segments[:-1], plan.segments[1:], plan.seam_times, strict=True)
        splices = {(a.song_to, b.song_from): Splice(at, a.song_to, b.song_from) for a, b, at in pairs}
        for splice in splices.values():
            on_bar_lines.append(near(truth.grid.downbeats, (splice.song_to, splice.song_from)))
            verdicts.append(judge(rendered, truth.sound, truth.rate, splice, *track.beats()))
    return Loop(truth.batch, share(GOOD), share(("a beat off", "half a bar off")), on_bar_lines, verdicts)


def before_and_after() -> Table:
    """Loops on the grid of onset strengths and on that of the network."""
    columns = ["grid from", "tracks looped", "good splices offered", "splices off the bar offered", "seams"]
    measures = ["beat dev ms, mean", "worst", "level step LU", "surprise pct", "flux pct"]
    table = Table("Loop seams before and after the network", [*columns, "on true bar lines", *measures])
    truths = {truth.name: truth for truth in bundled_truths()}
    known = [(track, truths[track.name]) for track in bundled() if track.is_song and track.name in truths]
    cases = [cases_of(truth, 0, 0, np.random.default_rng(number)) for number, (_, truth) in enumerate(known)]
    for activation, name in (("onsets", "onset strengths"), ("network", "the network")):
        loops = [loop_on(*pair, some, activation) for pair, some in zip(known, cases, strict=True)]
        for which, chosen in (("", loops), (", tracks composed last", [loop for loop in loops if loop.batch == 2])):
            table.add(name + which, *loop_row(chosen))
    table.notes.append(
        f"Video: the track and {EXTRA_SECONDS:.0f} s more. *Offered*: of the splices above, those whose both ends are "
        f"found downbeats, to {1000 * NEAR_SECONDS:.0f} ms; a planner that keeps to bar lines chooses among them. All "
        "seams of all plans count alike; beats, bar lines, flux and surprise as in *plans*, against the true grid."
    )
    return table


def loop_row(loops: Sequence[Loop]) -> list[object]:
    """The cells of a row: means over tracks of what is offered, over seams of what is heard."""
    verdicts = [verdict for loop in loops for verdict in loop.verdicts]
    on_bar_lines = [on for loop in loops for on in loop.on_bar_lines]
    deviations = [verdict.beat_deviation_ms for verdict in verdicts]
    heard = [(v.level_step_lu, v.surprise_percentile, v.flux_percentile) for v in verdicts]

    def mean(shares: list[float | None]) -> float | None:
        there = [one for one in shares if one is not None]
        return float(np.mean(there)) if there else None

    means = np.nanmean(np.array(heard), axis=0).tolist() if heard else [None] * 3
    return [
        f"{sum(bool(loop.verdicts) for loop in loops)} of {len(loops)}",
        mean([loop.offered for loop in loops]),
        mean([loop.mistaken for loop in loops]),
        len(verdicts),
        float(np.mean(on_bar_lines)) if on_bar_lines else None,
        float(np.nanmean(deviations)) if deviations else None,
        float(np.nanmax(deviations)) if deviations else None,
        *means,
    ]


def run() -> list[Table]:
    """The tables: all tracks, and those apart that were composed after the tracker was done; loops on found grids."""
    rows = measure(bundled_truths())
    tables = [table_of("Splices with known answers, all tracks", rows)]
    last = [row for row in rows if row["batch"] == 2]
    if last:
        tables.append(table_of("The tracks composed last", last))
    tables.append(before_and_after())
    tables[0].notes.append(
        "AUC: how often a good splice scores above a bad one of this kind. *Without metre*: our score with the place "
        "in the bar taken away, so that it has to hear that a splice limps. The last column is PyMusicLooper's own "
        "ranking score for the same two instants of the same file"
        + ("." if PEER.exists() else "; it is not installed here, so the column is empty.")
    )
    return tables


if __name__ == "__main__":
    for one in run():
        print(one.markdown())
