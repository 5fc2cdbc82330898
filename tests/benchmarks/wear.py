"""How soon plans wear out: what of the track is heard how often, over tracks and lengths.

    python -m tests.benchmarks.wear [FILE ...]

The bundled tracks, and files given, are analysed once and planned for 5, 10, 20, 30 and 60 min.

Seven measures of a plan served:

- over four: seconds of the video in which a second of the track is heard for the fifth time or a later one, and how
  many of these a plan that hears every second of the track equally often would not have (*avoidable*)
- worn: seconds in which a second of the track is heard that was heard more often than need be
  (`workbench.plans.repetition`); unlike the avoidable ones they go on to count where all of it is heard four times
- used: share of the track, first to last sound, that is heard at all
- plays over mean: how often the second heard most is heard, over the mean of all
- over limits: plans that pass `max_passes_in_a_row` or `max_plays_over_mean`, which they say in words
- variety: s of different music in the five minutes that have least of it, the median
- seam: score of the worst seam

And of its options: what is avoidable in the one that wears least, how many plans have one that lets the whole track end
and begin again, and how many serve it. The seam's score is that of the worst seam but for those that are meant to be
heard.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled
from workbench import workspace
from workbench.params import CoverParams
from workbench.plans.loop import plan_loop
from workbench.plans.move_seam import seam_scores
from workbench.plans.plan import LoopPlan, segment_table
from workbench.plans.repetition import find_repetition, variety, worn_seconds
from workbench.plans.restarts import count_restarts, is_restart
from workbench.seams.profile import LoopProfile
from workbench.workflows.analyze import Sound, analyze_sound

MINUTES = (5, 10, 20, 30, 60)
OFTEN = 4
STEP = 0.02  # s, how finely the track is counted
PARAMS = CoverParams()


@dataclass(frozen=True)
class Wear:
    """What one plan does to one track."""

    track: str
    minutes: int
    over_four: float
    avoidable: float
    worn: float
    used: float
    variety: float
    plays: float
    plays_over_mean: float
    seams: int
    seam: float
    over_limits: bool
    least_worn: float
    """avoidable seconds of the option that has the fewest"""
    least_over_four: float
    """seconds of the option that has the fewest"""
    begins_again: bool
    """whether an option lets the whole track end and begin again"""
    restarts: int
    """how often the plan served begins again"""
    own_ending: bool
    ms: float
    """CPU of the plan"""


def plays_of(plan: LoopPlan, profile: LoopProfile) -> np.ndarray:
    """How often each stretch of `STEP` seconds is heard, from the first to the last sound; shape (n,)."""
    n = round(profile.song_duration / STEP) + 2
    changes = np.zeros(n + 1)
    for segment in plan.segments:
        changes[min(n, round(segment.song_from / STEP))] += 1
        changes[min(n, round(segment.song_to / STEP))] -= 1
    return np.cumsum(changes)[round(profile.song_start / STEP) : round(profile.last_sound / STEP)]


def over_four(plays: np.ndarray) -> tuple[float, float]:
    """Seconds heard for the fifth time or later, and how many of them even use would spare."""
    seconds = float(np.sum(np.maximum(plays - OFTEN, 0.0)) * STEP)
    unavoidable = max(0.0, float(np.mean(plays)) - OFTEN) * plays.size * STEP
    return seconds, max(0.0, seconds - unavoidable)


def measure(name: str, profile: LoopProfile, minutes: int) -> Wear | str:
    """Plan one track for one length; the reason where there is no plan."""
    started = time.process_time()
    answer = plan_loop(profile, 60.0 * minutes, PARAMS)
    spent = time.process_time() - started
    if not isinstance(answer, LoopPlan):
        return str(answer.reason)
    plays = plays_of(answer, profile)
    seconds, avoidable = over_four(plays)
    of_options = [over_four(plays_of(option, profile)) for option in answer.options]
    return Wear(
        track=name,
        minutes=minutes,
        over_four=seconds,
        avoidable=avoidable,
        worn=worn_seconds(answer, profile),
        used=float(np.mean(plays > 0)),
        variety=variety(segment_table(answer)),
        plays=float(plays.max()),
        plays_over_mean=float(plays.max() / plays.mean()),
        seams=len(answer.seam_times),
        seam=float(seam_scores(profile, answer)[~is_restart(answer, profile)].min(initial=1.0)),
        over_limits=find_repetition(answer, profile, PARAMS).over_limits,
        least_worn=min(spared for _, spared in of_options),
        least_over_four=min(worn for worn, _ in of_options),
        begins_again=any("begins again" in option.end_label for option in answer.options),
        restarts=count_restarts(answer, profile),
        own_ending=not answer.is_faded_out,
        ms=1000.0 * spent,
    )


def profiles(files: Sequence[Path]) -> dict[str, LoopProfile]:
    """Loop profiles of the bundled tracks and of files, by name."""
    paths = [track.path for track in bundled() if track.is_song] + list(files)
    found: dict[str, LoopProfile] = {}
    with tempfile.TemporaryDirectory() as home, workspace.open(home) as here:
        for path in paths:
            print(f"[bench] wear: {path.name}", file=sys.stderr, flush=True)
            found[path.stem] = analyze_sound(Sound(here, path)).profile
    return found


def figures(files: Sequence[Path]) -> list[Wear]:
    """Every plan of every track and length."""
    rows = []
    for name, profile in profiles(files).items():
        for minutes in MINUTES:
            measure(name, profile, minutes)
            row = measure(name, profile, minutes)
            if isinstance(row, Wear):
                rows.append(row)
            elif row != "video_not_longer":
                print(f"[bench] wear: {name} under {minutes} min: {row}", file=sys.stderr, flush=True)
    return rows


def tables(rows: list[Wear]) -> list[Table]:
    """The figures by length and by track."""
    columns = [
        "plans", "over four s", "avoidable s", "best option: over four s", "avoidable s of it", "begin again", "used",
        "plays / mean", "seams", "seam", "worn s", "served again", "own endings", "over limits", "variety s",
        "CPU ms",
    ]  # fmt: skip
    by_length = Table("Wear, by length of the video", ["minutes", *columns])
    for minutes in (*MINUTES, None):
        if chosen := [plan for plan in rows if minutes in (None, plan.minutes)]:
            by_length.add(minutes or "all", *_summary(chosen))
    by_track = Table("Wear, by track", ["track", *columns])
    for track in dict.fromkeys(row.track for row in rows):
        by_track.add(track, *_summary([plan for plan in rows if plan.track == track]))
    by_length.notes.append(
        "Sums of seconds, means of shares, seams and CPU (after a warm-up), medians of variety and of the worst seam's "
        "score, over tracks and lengths."
    )
    return [by_length, by_track]


def _summary(plans: list[Wear]) -> list[object]:
    def mean(name: str) -> float:
        return float(np.mean([getattr(plan, name) for plan in plans]))

    def total(name: str) -> int:
        return round(sum(float(getattr(plan, name)) for plan in plans))

    return [
        len(plans), total("over_four"), total("avoidable"), total("least_over_four"), total("least_worn"),
        sum(plan.begins_again for plan in plans), mean("used"), mean("plays_over_mean"), mean("seams"),
        float(np.median([plan.seam for plan in plans])), total("worn"), sum(plan.restarts > 0 for plan in plans),
        sum(plan.own_ending for plan in plans), sum(plan.over_limits for plan in plans),
        float(np.median([plan.variety for plan in plans])), mean("ms"),
    ]  # fmt: skip


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description="How soon plans wear out.")
    parser.add_argument("files", nargs="*", type=Path)
    for table in tables(figures(parser.parse_args().files)):
        print(table.markdown())


if __name__ == "__main__":
    main()
