"""How soon plans wear out: how often which part of a track plays, over tracks and lengths.

    python -m tests.benchmarks.wear [--min-variety S] [FILE ...]

The bundled tracks and the files are analysed once and planned for 5, 10, 20, 30 and 60 min. Of the plans:

- varied: any five minutes of it play a minute of different music
- avoidable: seconds in which a second of the track plays for the fifth time or a later one, less those of a plan that
  plays every second of the track equally often
- worst seam: score of the worst seam but for those that begin the track again
- play the track again: plans in which the whole track ends and begins again
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled, profiles
from workbench.params import CoverParams
from workbench.plans.loop import plan_loop
from workbench.plans.move_seam import seam_scores
from workbench.plans.plan import LoopPlan, seams_restart, segment_table
from workbench.plans.repetition import is_varied
from workbench.seams.profile import LoopProfile

MINUTES = (5, 10, 20, 30, 60)
OFTEN = 4
STEP = 0.02  # s, how finely the track is counted
VARIED_SECONDS = 60.0


@dataclass(frozen=True)
class Wear:
    """What one plan does to one track."""

    varied: bool
    avoidable: float
    seam: float
    again: bool


def plays_of(plan: LoopPlan, profile: LoopProfile) -> np.ndarray:
    """How often each stretch of `STEP` seconds plays, from the first to the last sound; shape (n,)."""
    n = round(profile.song_duration / STEP) + 2
    changes = np.zeros(n + 1)
    for segment in plan.segments:
        changes[min(n, round(segment.song_from / STEP))] += 1
        changes[min(n, round(segment.song_to / STEP))] -= 1
    return np.cumsum(changes)[round(profile.song_start / STEP) : round(profile.last_sound / STEP)]


def measure(profile: LoopProfile, minutes: int, params: CoverParams) -> Wear | str:
    """Plan one track for one length; the reason where there is no plan."""
    plan = plan_loop(profile, 60.0 * minutes, params)
    if not isinstance(plan, LoopPlan):
        return str(plan.reason)
    plays = plays_of(plan, profile)
    often = float(np.sum(np.maximum(plays - OFTEN, 0.0)) * STEP)
    unavoidable = max(0.0, float(np.mean(plays)) - OFTEN) * plays.size * STEP
    return Wear(
        varied=is_varied(segment_table(plan), VARIED_SECONDS),
        avoidable=max(0.0, often - unavoidable),
        seam=float(seam_scores(profile, plan)[~seams_restart(segment_table(plan), profile)].min(initial=1.0)),
        again=plan.ending.restarts > 0,
    )


def tables(files: Sequence[Path], params: CoverParams) -> list[Table]:
    """A row a length, and one for all; videos that are not longer than the track are left out."""
    table = Table(
        "Wear, by length of the video",
        ["minutes", "plans", "refused", "varied", "avoidable s", "worst seam, mean", "play the track again"],
    )
    songs = [track.path for track in bundled() if track.is_song]
    known = profiles([*songs, *files])
    found: dict[int | str, list[Wear | str]] = {}
    for minutes in MINUTES:
        answers = [measure(profile, minutes, params) for profile in known.values()]
        found[minutes] = [answer for answer in answers if answer != "video_not_longer"]
    found["all"] = [answer for answers in found.values() for answer in answers]
    for name, answers in found.items():
        plans = [answer for answer in answers if isinstance(answer, Wear)]
        if plans:
            table.add(
                name, len(plans), len(answers) - len(plans), sum(plan.varied for plan in plans),
                round(sum(plan.avoidable for plan in plans)), float(np.mean([plan.seam for plan in plans])),
                sum(plan.again for plan in plans),
            )  # fmt: skip
    return [table]


def main() -> None:
    """Measure the files that the command line names."""
    parser = argparse.ArgumentParser(description="How soon plans wear out.")
    parser.add_argument("--min-variety", type=float, default=CoverParams().min_variety_seconds, metavar="S")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    for table in tables(given.files, CoverParams(min_variety_seconds=given.min_variety)):
        print(table.markdown())


if __name__ == "__main__":
    main()
