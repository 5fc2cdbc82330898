"""Fits of every length beside loops and beside what a naive editor does.

    python -m tests.benchmarks.fit [FILE ...]

Without files the bundled songs are fitted, and the seams are judged on the rendered sound by `judge`, on the true
beats. With files (recordings by others) the seam scores, lengths and kept parts are counted.

Three naive editors make the same lengths: from the start to the length with a fade; the last seconds of the track; its
first half and its last half, butted together in the middle of the length.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.judge import Splice, Verdict, judge
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import Track, bundled
from workbench.home import Home
from workbench.plans.fit import hook_of, plan_fit, plan_fits, shares_its_parts
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan, PlanKind
from workbench.plans.refusals import Refusal
from workbench.render.playback import render
from workbench.seams.profile import LoopProfile
from workbench.workflows.analyze import analyze
from workbench.workspace import Workspace

SECONDS = (6.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0)
SHARES = (0.5, 0.75, 0.9, 1.0)
TOGETHER = (15.0, 30.0, 60.0, 185.0)
LOOPED = 2.5
JUDGED_SECONDS = (15.0, 30.0, 60.0)
LATE_SECONDS = 0.07
"""how far from a downbeat music still starts or stops on it"""


@dataclass
class Counts:
    """What is counted over all tracks and lengths."""

    asked: int = 0
    refused: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    fit_scores: list[float] = field(default_factory=list)
    loop_scores: list[float] = field(default_factory=list)
    off_ms: list[float] = field(default_factory=list)
    hooked: list[bool] = field(default_factory=list)
    whole: dict[str, list[tuple[bool, bool, bool]]] = field(default_factory=dict)
    """by who made it: whether it starts well, ends well and has the hook"""
    pairs: list[bool] = field(default_factory=list)
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)


def seam_scores(plan: LoopPlan, profile: LoopProfile) -> list[float]:
    """The score of each different seam of a plan."""
    splices = profile.splices
    ends = {(left.song_to, entered.song_from) for left, entered in zip(plan.segments, plan.segments[1:], strict=False)}
    return [
        float(splices.score[np.argmin(np.abs(splices.song_to - left) + np.abs(splices.song_from - entered))])
        for left, entered in ends
    ]


def count_fits(profile: LoopProfile, counts: Counts) -> None:
    """Fit one track to all lengths, and loop it."""
    loop = plan_loop(profile, LOOPED * profile.song_duration)
    if isinstance(loop, LoopPlan):
        counts.loop_scores += seam_scores(loop, profile)
    lengths = [seconds for seconds in SECONDS if seconds < profile.song_duration]
    for seconds in [*lengths, *(round(share * profile.song_duration, 3) for share in SHARES)]:
        counts.asked += 1
        plan = plan_fit(profile, seconds)
        if isinstance(plan, Refusal):
            counts.refused += 1
            continue
        counts.kinds[plan.kind.value] += 1
        counts.fit_scores += seam_scores(plan, profile) if plan.seam_times else []
        reached = float(plan.segment_starts[-1]) + (0.0 if plan.ends_in_fade else plan.tail_seconds)
        counts.off_ms.append(1000.0 * max(abs(plan.window_end - seconds), abs(reached - seconds)))
        _count_whole(profile, plan, counts)
    plans = [plan for plan in plan_fits(profile, TOGETHER) if isinstance(plan, LoopPlan)]
    counts.pairs += [shares_its_parts(a, b) for a, b in pairwise(plans)]


def _count_whole(profile: LoopProfile, plan: LoopPlan, counts: Counts) -> None:
    """Starts, ends and hooks of a fit and of two naive cuts of its length."""
    seconds = plan.window_end
    hook = hook_of(profile, seconds / 2)
    if hook is None or seconds < 15.0 or seconds > 0.9 * profile.song_duration:
        return
    own = round(profile.last_sound, 6)
    made = {
        "workbench fit": [(s.song_from, s.song_to) for s in plan.segments],
        "start to length, fade": [(profile.song_start, profile.song_start + seconds)],
        "last seconds": [(own - seconds, own)],
    }
    for maker, spans in made.items():
        first, last = spans[0][0], spans[-1][1]
        resolves = last - plan.tail_seconds if maker == "workbench fit" and plan.ends_in_fade else last
        starts = first <= profile.song_start + 1e-3 or _on_downbeat(profile, first)
        ends = abs(last - own) < 1e-3 or _on_downbeat(profile, resolves)
        has_hook = any(a <= hook[0] + 0.011 and b >= hook[1] - 0.011 for a, b in spans)
        counts.whole.setdefault(maker, []).append((starts, ends, has_hook))
        if maker == "workbench fit" and plan.kind is PlanKind.CUT_DOWN:
            counts.hooked.append(has_hook)


def _on_downbeat(profile: LoopProfile, time: float) -> bool:
    return bool(np.min(np.abs(profile.downbeats - time)) <= LATE_SECONDS)


def judge_fits(track: Track, profile: LoopProfile, workspace: Workspace, counts: Counts) -> None:
    """Judge the seams of some cut-downs, and a butt joint in the middle of the same length."""
    samples, rate = track.samples()
    beats, downbeats = track.beats()
    recording = workspace.load_recording(track.path)
    for seconds in JUDGED_SECONDS:
        answer = plan_fit(profile, seconds)
        options = answer.options if isinstance(answer, LoopPlan) else ()
        plans = [one for one in options if one.kind is PlanKind.CUT_DOWN]
        if not plans:
            continue
        plan = plans[0]
        sound = render(plan, recording).samples
        for left, entered, at in zip(plan.segments, plan.segments[1:], plan.seam_times, strict=False):
            splice = Splice(at, left.song_to, entered.song_from)
            _add(counts, "workbench fit", judge(sound, samples, rate, splice, beats, downbeats))
        half = round(seconds / 2 * rate)
        butted = np.concatenate((samples[:, :half], samples[:, samples.shape[1] - half :]), axis=1)
        splice = Splice(half / rate, half / rate, (samples.shape[1] - half) / rate)
        _add(counts, "first half, last half", judge(butted, samples, rate, splice, beats, downbeats))


def _add(counts: Counts, maker: str, verdict: Verdict) -> None:
    counts.verdicts.setdefault(maker, []).append(verdict)


def tables(counts: Counts, what: str) -> list[Table]:
    """The figures as tables."""
    scores = Table("Seam scores of fits and of loops", ["plans", "seams", "lowest", "10th percentile", "median"])
    for name, values in (("fits", counts.fit_scores), (f"loops, {LOOPED:g}-fold", counts.loop_scores)):
        if values:
            low, tenth, median = (float(np.percentile(values, q)) for q in (0, 10, 50))
            scores.add(name, len(values), low, tenth, median)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.kinds.items()))
    hooked = f"{100 * np.mean(counts.hooked):.0f} % of {len(counts.hooked)}" if counts.hooked else "none"
    scores.notes += [
        f"{what}; {counts.asked} lengths asked for, {counts.refused} refused, {kinds}; lengths off by at most "
        f"{max(counts.off_ms, default=0.0):.3f} ms; the hook is in {hooked} cut-downs of 15 s and more; "
        f"{sum(counts.pairs)} of {len(counts.pairs)} pairs of neighbouring lengths share music and seams.",
    ]
    whole = Table("Cuts of 15 s and more", ["made by", "starts on a downbeat", "ends on one or with the track", "hook"])
    for maker, marks in counts.whole.items():
        whole.add(maker, *(f"{share:.0f} %" for share in 100 * np.mean(np.array(marks), axis=0)))
    judged = Table(
        "Joints, judged", ["made by", "joints", "flux pct", "level step LU", "beat deviation ms", "surprise pct"]
    )
    for maker, verdicts in counts.verdicts.items():
        judged.add(maker, len(verdicts), *_means(verdicts).tolist())
    return [scores, whole, *([judged] if judged.rows else [])]


def _means(verdicts: Sequence[Verdict]) -> NDArray[np.float64]:
    rows = [(v.flux_percentile, v.level_step_lu, v.beat_deviation_ms, v.surprise_percentile) for v in verdicts]
    return np.asarray(np.nanmean(np.array(rows), axis=0), dtype=np.float64)


def run(files: Sequence[Path] = ()) -> list[Table]:
    """The tables of the bundled songs, or of files."""
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder, Workspace(Home(Path(folder))) as workspace:
        for path in files:
            profile = analyze(workspace, path).profile
            if profile.downbeats.size >= 3:
                count_fits(profile, counts)
        if not files:
            for track in bundled():
                if not track.is_song:
                    continue
                profile = analyze(workspace, track.path).profile
                count_fits(profile, counts)
                judge_fits(track, profile, workspace, counts)
    return tables(counts, f"{len(files)} recordings" if files else "the bundled songs")


if __name__ == "__main__":
    for one in run([Path(name) for name in sys.argv[1:]]):
        print(one.markdown())
