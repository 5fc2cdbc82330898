"""Whether `seam_score` is the chance that it claims to be, on recordings that nobody here made and no fit used.

    python -m tests.benchmarks.elsewhere.reliability FOLDER [--most N]
    python -m tests.benchmarks.elsewhere.reliability FOLDER --plans [--most N] [--home HOME]

FOLDER as in `tests.benchmarks.elsewhere.loops`. Of every recording some 150 splices between its bar lines, half of them
between bars that are much alike, are scored as the planner scores them and judged by
`data.recipes.material.naturalness`,
which knows nothing of the project. The judgement becomes an answer as in the fit (`data.recipes.fitting.seams`): 0 at a
naturalness of 0.5, 1 at 0.9. A score is reliable where the mean answer of the splices near it is that score. The error
is the mean distance of the two over the bins, weighted by their splices; the interval of a bin is a bootstrap over
recordings, because splices of one recording are no independent cases.

With `--plans` the recordings are planned for videos 90 s and 300 s longer than themselves, and the splices that plans
play are judged instead, each once in a recording: the planner takes those that score best, and a score that is right on
the mean of all splices is too high on these wherever what is best is best by chance. Plans are judged with them: the
worst and the mean naturalness of a plan's splices beside its `plan_score`, and how often, of two plans for one video,
the one with the higher `plan_score` has the better worst splice. An option that begins the track again is left out, for
that is meant to be heard.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.seams import CHANCE, SAME_MUSIC, Examples, examples_of
from data.recipes.material.naturalness import Listener
from data.recipes.material.recordings import ElsewhereRecording, recordings
from tests.benchmarks.table import Table
from workbench.home import Home
from workbench.loops.cover import plan_loop
from workbench.loops.plan import LoopPlan, nearest_line, segment_table
from workbench.loops.profile import SEAM_PARTS, LoopProfile
from workbench.loops.restarts import is_restart
from workbench.models.seams import SeamModel
from workbench.workflows.analyze import Sound, analyze_sound
from workbench.workspace import Workspace

EXTRA_SECONDS = (90.0, 300.0)
BINS = 10
RESAMPLED = 1000


def scored(recording: ElsewhereRecording) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores and answers of the splices of a recording, shape (n,) each."""
    examples = examples_of(recording)
    return scores_of(examples), examples.answers


def scores_of(examples: Examples) -> NDArray[np.float64]:
    """The scores of judged splices as the planner scores them, shape (n,)."""
    model = SeamModel()
    weights = np.array([getattr(model, f"{part}_weight") for part in SEAM_PARTS])
    loss = 2.0 * np.log1p(examples.breaks) @ weights
    return np.asarray(1.0 / (1.0 + np.exp(loss - model.unbroken_log_odds)))


def bins_of(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The bin of each score, from 0."""
    return np.minimum((scores * BINS).astype(np.intp), BINS - 1)


def interval(found: list[tuple[NDArray[np.float64], NDArray[np.float64]]], one: int) -> tuple[float, float]:
    """The 95 % interval of a bin's mean answer, recordings drawn anew."""
    sums = np.array(
        [[answers[bins_of(scores) == one].sum(), (bins_of(scores) == one).sum()] for scores, answers in found]
    )
    drawn = np.random.default_rng(0).integers(0, len(found), (RESAMPLED, len(found)))
    total = sums[drawn].sum(axis=1)
    means = total[total[:, 1] > 0]
    low, high = np.percentile(means[:, 0] / means[:, 1], (2.5, 97.5))
    return float(low), float(high)


@dataclass(frozen=True)
class JudgedPlan:
    """A plan that was served or is an option."""

    asked: str
    """recording and video, the same for plans of one answer"""
    served: bool
    plan_score: float
    totals: tuple[float, ...]
    """naturalness of its splices, 0 to 1"""


def judged_plans(
    one: ElsewhereRecording, home: Path
) -> tuple[list[JudgedPlan], NDArray[np.float64], NDArray[np.float64]]:
    """Plans of a recording, and scores and answers of the different splices that they play, shape (n,) each."""
    workspace = Workspace(Home(home))
    analysis = analyze_sound(Sound(workspace, one.path))
    profile = analysis.profile
    sound = workspace.load_recording(one.path)
    listener = Listener(sound.samples, sound.sample_rate)
    known: dict[tuple[float, float], tuple[float, float]] = {}
    plans = []
    for extra in EXTRA_SECONDS:
        answer = plan_loop(profile, analysis.duration + extra)
        for number, plan in enumerate(answer.options if isinstance(answer, LoopPlan) else ()):
            if is_restart(plan, profile).any():
                continue
            table = segment_table(plan)
            splices = sorted(set(zip(table[:-1, 1].tolist(), table[1:, 0].tolist(), strict=True)))
            for splice in splices:
                if splice not in known:
                    known[splice] = score_of(profile, *splice), listener.judge(*splice).total
            totals = tuple(known[splice][1] for splice in splices)
            plans.append(JudgedPlan(f"{one.name} {extra:g}", number == 0, plan.plan_score, totals))
    scores, heard = np.array(list(known.values())).reshape(-1, 2).T
    return plans, scores, np.clip((heard - CHANCE) / (SAME_MUSIC - CHANCE), 0.0, 1.0)


def score_of(profile: LoopProfile, song_to: float, song_from: float) -> float:
    """The seam score of a splice that a plan plays."""
    leave, enter = nearest_line(profile.downbeats, np.array([song_to, song_from])).tolist()
    row = profile.splices.row_of(leave, enter)
    assert row is not None
    return float(profile.splices.score[row])


def plan_table(plans: Sequence[JudgedPlan]) -> Table:
    """What plans of some `plan_score` are like, and how well it orders the plans of one answer."""
    table = Table(
        "plan_score beside the judge", ["plan_score", "plans", "mean plan_score", "worst splice", "mean of splices"]
    )
    claimed = np.array([plan.plan_score for plan in plans])
    worst = np.array([min(plan.totals) for plan in plans])
    means = np.array([float(np.mean(plan.totals)) for plan in plans])
    number = bins_of(claimed)
    for one in np.unique(number).tolist():
        some = number == one
        shown = f"{one / BINS:.1f} to {(one + 1) / BINS:.1f}"
        table.add(shown, int(some.sum()), *(float(column[some].mean()) for column in (claimed, worst, means)))
    pairs = [pair for pair in combinations(plans, 2) if pair[0].asked == pair[1].asked]
    apart = [(a.plan_score - b.plan_score) * (min(a.totals) - min(b.totals)) for a, b in pairs]
    told = np.array([value for value in apart if abs(value) > 1e-9])
    correlations = [float(np.corrcoef(claimed, column)[0, 1]) for column in (worst, means)]
    table.notes += [
        f"Correlation of plan_score with the worst splice {correlations[0]:.2f}, with the mean {correlations[1]:.2f}.",
        f"Of {told.size} pairs of plans for one video that differ, the one with the higher plan_score has the better "
        f"worst splice in {float((told > 0).mean()):.2f}.",
    ]
    return table


def tables(found: dict[str, list[tuple[NDArray[np.float64], NDArray[np.float64]]]], which: str) -> list[Table]:
    """The bins over all recordings, and a line for each source; `which` says of which splices."""
    every = [pair for pairs in found.values() for pair in pairs]
    scores, answers = (np.concatenate(column) for column in zip(*every, strict=True))
    number = bins_of(scores)
    detail = Table(
        f"Reliability of seam_score on recordings not fitted to, {which}",
        ["score", "splices", "mean score", "mean answer", "from", "to"],
    )
    for one in np.unique(number).tolist():
        some = number == one
        shown = f"{one / BINS:.1f} to {(one + 1) / BINS:.1f}"
        detail.add(
            shown, int(some.sum()), float(scores[some].mean()), float(answers[some].mean()), *interval(every, one)
        )
    by_source = Table(
        "seam_score by source", ["source", "recordings", "splices", "mean score", "mean answer", "error", "correlation"]
    )
    for name, pairs in {**found, "all": every}.items():
        some_scores, some_answers = (np.concatenate(column) for column in zip(*pairs, strict=True))
        by_source.add(
            name, len(pairs), some_scores.size, float(some_scores.mean()), float(some_answers.mean()),
            error(some_scores, some_answers), float(np.corrcoef(some_scores, some_answers)[0, 1]),
        )  # fmt: skip
    return [by_source, detail]


def error(scores: NDArray[np.float64], answers: NDArray[np.float64]) -> float:
    """Mean distance of score and answer over the bins, weighted by their splices."""
    number = bins_of(scores)
    parts = [
        (number == one).sum() * abs(scores[number == one].mean() - answers[number == one].mean())
        for one in np.unique(number)
    ]
    return float(np.sum(parts) / scores.size)


def main() -> None:
    """Measure a folder of recordings; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Reliability of seam_score on recordings by others.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"], default="test")
    arguments.add_argument("--most", type=int, help="recordings of a source at most")
    arguments.add_argument("--plans", action="store_true", help="judge the splices that plans play, and plans")
    arguments.add_argument("--home", type=Path, help="keeps the analyses of plans for the next run")
    given = arguments.parse_args()
    by_source: dict[str, list[ElsewhereRecording]] = {}
    for one in recordings(given.folder, given.role, loops=True):
        by_source.setdefault(one.source.package, []).append(one)
    found: dict[str, list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = {}
    plans: list[JudgedPlan] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, one in ((name, one) for name, some in by_source.items() for one in some[: given.most]):
            if given.plans:
                some_plans, scores, answers = judged_plans(one, given.home or Path(scratch))
                plans += some_plans
            else:
                scores, answers = scored(one)
            print(f"[elsewhere] {one.name}: {scores.size} splices", file=sys.stderr, flush=True)
            if scores.size:
                found.setdefault(name, []).append((scores, answers))
    for table in tables(found, "splices that plans play" if given.plans else "splices between any bar lines"):
        print(table.markdown())
    if plans:
        print(plan_table(plans).markdown())


if __name__ == "__main__":
    main()
