"""Plans that follow an edit: how much of the untouched picture keeps its music, and with which seams.

    python -m tests.benchmarks.run conform
    python -m tests.benchmarks.conform FILE ...

The 200 seeded edits of `data/recipes/material/re_edits.py`, on loops and fits that are as long as the old cut: of the
bundled songs, or of files. The first row takes good seams alone and fades where none lead to the track's own ending;
the second takes weaker ones for that, as `workbench conform` does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from data.recipes.material.re_edits import re_edit
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled, profiles
from workbench.edits.difference import EditDifference, compare_edits
from workbench.params import CoverParams
from workbench.plans.conform import conform_plan, kept_seconds
from workbench.plans.fit import plan_fit
from workbench.plans.plan import LoopPlan
from workbench.plans.plan_score import REQUEST_FLOOR
from workbench.plans.refusals import Refusal

EDITS = 200
FOLLOWS = f"follows, seams over {CoverParams().min_seam_score:g}"
KEEPS_ENDING = f"keeps its ending by seams over {REQUEST_FLOOR:g}"
ANEW = "planned anew"


@dataclass
class _Row:
    """What one way makes of all edits."""

    kept: float = 0.0
    """s of picture that was untouched and has its music"""
    untouched: float = 0.0
    worst: list[float] = field(default_factory=list)
    """seam of each plan"""
    ended: list[bool] = field(default_factory=list)
    """whether the track's own ending is kept, of plans that had it"""
    refused: int = 0

    def add(self, made: LoopPlan | Refusal, old: LoopPlan, difference: EditDifference, half_bar: float) -> None:
        """Count one answer."""
        if isinstance(made, Refusal):
            self.refused += 1
            return
        made = made.alone
        kept, untouched = kept_seconds(made, old, difference, half_bar)
        self.kept, self.untouched = self.kept + kept, self.untouched + untouched
        self.worst.append(made.seam_score)
        if not old.ends_in_fade:
            self.ended.append(not made.ends_in_fade)


def tables(files: Sequence[Path]) -> list[Table]:
    """Follow all edits in both ways, and plan anew."""
    known = profiles(files or [track.path for track in bundled()])
    songs = [profile for profile in known.values() if profile.downbeats.size > 16]
    rows = {way: _Row() for way in (FOLLOWS, KEEPS_ENDING, ANEW)}
    for number in range(EDITS):
        edit, profile = re_edit(number), songs[number % len(songs)]
        half_bar = float(np.median(np.diff(profile.downbeats))) / 2
        old = plan_fit(profile, round(float(edit.old.seconds), 6))
        if isinstance(old, Refusal):
            continue
        old = old.alone
        difference = compare_edits(edit.old, edit.new)
        made = {
            FOLLOWS: conform_plan(profile, old, difference, CoverParams(), ending_floor=None),
            KEEPS_ENDING: conform_plan(profile, old, difference, CoverParams(), ending_floor=REQUEST_FLOOR),
            ANEW: plan_fit(profile, round(difference.new_seconds, 6)),
        }
        for way, answer in made.items():
            rows[way].add(answer, old, difference, half_bar)
    table = Table(
        "Conform: music that follows an edit",
        ["way", "edits", "refused", "kept, share of seconds", "worst seam, median", "own ending kept"],
    )
    for way, row in rows.items():
        table.add(
            way, len(row.worst), row.refused, row.kept / row.untouched, float(np.median(row.worst)),
            float(np.mean(row.ended)),
        )  # fmt: skip
    table.notes.append("Kept: the same second of the track within half a bar of where the untouched picture had it.")
    return [table]


def run() -> list[Table]:
    """The table of the bundled songs."""
    return tables(())


if __name__ == "__main__":
    for one in tables([Path(name) for name in sys.argv[1:]]):
        print(one.markdown())
