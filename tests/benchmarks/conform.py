"""Plans that follow an edit: how much of the untouched picture keeps its music, and with which seams.

    python -m tests.benchmarks.run conform

The 200 seeded edits of `data/recipes/material/re_edits.py` (insert, trim, delete, swap, change of speed, one to three
each), on loops and fits of the bundled songs that are as long as the old cut. Beside the plan that follows the edit
stands what an editor gets who plans anew for the new length. Each floor of seam scores is one row: good seams move
music by whole phrases, so the floor decides how much of it can be put back in place. In these rows the music fades
where no such seams lead to the track's own ending (`--no-keep-ending`); the rows after them take seams under 0.5 for
it, down to some score.

A sync point is a cut of the old picture within 40 ms of a downbeat of its music. Music is not stretched, and a splice
moves it by whole bars, so after an edit of any other length no way through a track has one back.

The second table says what the lost seconds are due to: each untouched second by the number of bars that its picture
moved, and by the best splices anywhere in the track that move music by as many, one or two in a row.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

import numpy as np

from data.recipes.material.re_edits import re_edit
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled
from workbench.edits.difference import EditDifference, KeptSpan, compare_edits
from workbench.edits.edit_list import EditList
from workbench.home import Home
from workbench.params import CoverParams
from workbench.plans.conform import conform_plan, follow_picture, kept_seconds
from workbench.plans.fit import plan_fit
from workbench.plans.plan import LoopPlan
from workbench.plans.plan_score import REQUEST_FLOOR
from workbench.plans.refusals import Refusal
from workbench.recording import FloatArray
from workbench.seams.profile import LoopProfile
from workbench.workflows.analyze import analyze
from workbench.workspace import Workspace

EDITS = 200
FLOORS = (0.7, 0.5, 0.3, 0.1)
ENDING_FLOORS = (0.4, 0.3, REQUEST_FLOOR, 0.1, 0.05)
GOOD = CoverParams().min_seam_score
_SAME = 1e-6
_SYNC = 0.04  # s
_NEAR = 0.02  # by which a worst seam may score less than a fresh plan's


@dataclass
class _Row:
    """What one way makes of all edits; seconds of picture that was untouched and had music."""

    kept: float = 0.0
    same: float = 0.0
    """of which the very same samples"""
    untouched: float = 0.0
    shares: list[float] = field(default_factory=list)
    worst: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    near_fresh: list[bool] = field(default_factory=list)
    """whether the worst seam is within 0.02 of a fresh plan's"""
    synced: list[bool] = field(default_factory=list)
    """whether a sync point is kept, of those whose picture survives"""
    ended: list[bool] = field(default_factory=list)
    """whether the track's own ending is kept, of plans that had it"""
    rang: list[bool] = field(default_factory=list)
    """whether it is kept and rings less than in the track"""
    refused: int = 0

    def add(
        self, made: LoopPlan, old: LoopPlan, difference: EditDifference, half_bar: float, hits: list[float]
    ) -> None:
        """Count one plan; `hits` are its sync points, s of the old cut."""
        kept, untouched = kept_seconds(made, old, difference, half_bar)
        self.kept, self.untouched = self.kept + kept, self.untouched + untouched
        self.same += sum(s.seconds for s in follow_picture(made, old, difference, _SAME) if s.kept)
        self.shares.append(kept / max(untouched, 1e-9))
        self.worst.append(made.seam_score)
        stretches = follow_picture(made, old, difference, _SYNC)
        for hit in hits:
            at = [
                span.new_start + hit - span.old_start
                for span in difference.kept
                if span.old_start <= hit < span.old_end
            ]
            self.synced += [any(s.kept and s.first - _SAME <= t < s.last for s in stretches) for t in at]
        if not old.ends_in_fade:
            self.ended.append(not made.ends_in_fade)
            self.rang.append(made.is_faded_out and not made.ends_in_fade)


class _Lost:
    """Untouched seconds, and those kept, by what it takes to put them back in place."""

    def __init__(self) -> None:
        self.seconds = {way: [0.0, 0.0] for way in _way_names()}

    def add(self, made: LoopPlan, old: LoopPlan, difference: EditDifference, profile: LoopProfile) -> None:
        """Count one plan."""
        bar = float(np.median(np.diff(profile.downbeats)))
        for stretch in follow_picture(made, old, difference, bar / 2):
            (span,) = [span for span in difference.kept if _shows(span, (stretch.first + stretch.last) / 2)]
            sums = self.seconds[_way_back(profile, -round(span.shift / bar))]
            sums[0] += stretch.seconds
            sums[1] += stretch.seconds * stretch.kept

    def table(self) -> Table:
        """Shares of all untouched seconds."""
        table = Table(
            f"Conform: what the lost seconds are due to, seams over {GOOD:g}",
            ["to be in place the music must move by", "share of seconds", "of them kept", "lost, share of all"],
        )
        whole = sum(seconds for seconds, _ in self.seconds.values())
        for way, (seconds, kept) in self.seconds.items():
            table.add(way, seconds / whole, kept / max(seconds, 1e-9), (seconds - kept) / whole)
        return table


def _way_names() -> list[str]:
    some = [f"bars that {number} over {floor:g} moves" for floor in FLOORS[1:] for number in ("a splice", "a pair")]
    return ["no bar", *some, "bars that no pair of splices moves"]


def _shows(span: KeptSpan, at: float) -> bool:
    return span.new_start - _SAME <= at <= span.new_end + _SAME


def _way_back(profile: LoopProfile, bars: int) -> str:
    """Which splices of a track, wherever they are, move music by a number of bars."""
    none, *names, no_pair = _way_names()
    if bars == 0:
        return none
    splices = profile.splices
    most = profile.downbeats.size if profile.ending is None else profile.ending.start_bar
    inside = (splices.leave <= most) & (splices.enter <= most)
    for place, floor in enumerate(FLOORS[1:]):
        moves = set((splices.enter - splices.leave)[inside & (splices.score >= floor)].tolist())
        if bars in moves:
            return names[2 * place]
        if any(bars - move in moves for move in moves):
            return names[2 * place + 1]
    return no_pair


def sync_points(edit: EditList, plan: LoopPlan, downbeats: FloatArray) -> list[float]:
    """Cuts of a picture that fall on a downbeat of the music, s."""
    found, starts, cut = [], plan.segment_starts, 0.0
    for clip in edit.clips:
        piece = int(np.searchsorted(starts, cut, side="right")) - 1
        if 0 <= piece < len(plan.segments):
            heard = plan.segments[piece].song_from + cut - starts[piece]
            if float(np.abs(downbeats - heard).min()) <= _SYNC:
                found.append(cut)
        cut += float(clip.seconds)
    return found


def profiles() -> list[LoopProfile]:
    """Of the bundled songs that have bars."""
    with tempfile.TemporaryDirectory() as folder, Workspace(Home(Path(folder))) as workspace:
        found = [analyze(workspace, track.path).profile for track in bundled()]
    return [profile for profile in found if profile.downbeats.size > 16]


def run() -> list[Table]:
    """Follow all edits at every floor, and plan anew."""
    songs, lost, ships = profiles(), _Lost(), f"follows, seams over {GOOD:g}"
    ways: dict[str, tuple[float, float | None]] = {f"follows, seams over {floor:g}": (floor, None) for floor in FLOORS}
    ways |= {f"keeps its ending by seams over {floor:g}": (GOOD, floor) for floor in ENDING_FLOORS}
    rows = {way: _Row() for way in ways} | {"planned anew": _Row()}
    for number in range(EDITS):
        edit, profile = re_edit(number), songs[number % len(songs)]
        half_bar = float(np.median(np.diff(profile.downbeats))) / 2
        old = plan_fit(profile, round(float(edit.old.seconds), 6))
        if isinstance(old, Refusal):
            continue
        old = old.alone
        difference = compare_edits(edit.old, edit.new)
        hits = sync_points(edit.old, old, profile.downbeats)
        fresh_score = None
        anew = plan_fit(profile, round(difference.new_seconds, 6))
        if isinstance(anew, Refusal):
            rows["planned anew"].refused += 1
        else:
            fresh_score = anew.seam_score
            rows["planned anew"].add(anew.alone, old, difference, half_bar, hits)
        for way, (floor, ending_floor) in ways.items():
            row, params = rows[way], CoverParams(min_seam_score=floor)
            begun = process_time()
            made = conform_plan(profile, old, difference, params, ending_floor=ending_floor)
            if isinstance(made, Refusal):
                row.refused += 1
                continue
            row.times.append(process_time() - begun)
            row.add(made.alone, old, difference, half_bar, hits)
            if way == ships:
                lost.add(made.alone, old, difference, profile)
            if fresh_score is not None:
                row.near_fresh.append(made.seam_score >= fresh_score - _NEAR)
    return [_table(rows), lost.table()]


def _table(rows: dict[str, _Row]) -> Table:
    table = Table(
        "Conform: music that follows an edit",
        ["way", "edits", "refused", "kept, share of seconds", "the same samples", "median edit", "worst seam, median",
         "worst seam, tenth", f"under {GOOD:g}", "near a fresh plan's", "sync points kept", "own ending kept",
         "of which rings less", "CPU ms, median", "CPU ms, 95 %"],
    )  # fmt: skip
    for way, row in rows.items():
        times = np.array(row.times) * 1e3
        table.add(
            way, len(row.shares), row.refused, row.kept / row.untouched, row.same / row.untouched,
            float(np.median(row.shares)), float(np.median(row.worst)), float(np.quantile(row.worst, 0.1)),
            float(np.mean(np.array(row.worst) < GOOD)),
            float(np.mean(row.near_fresh)) if row.near_fresh else None, float(np.mean(row.synced)),
            float(np.mean(row.ended)), float(np.mean(row.rang)),
            *((float(np.median(times)), float(np.quantile(times, 0.95))) if times.size else (None, None)),
        )  # fmt: skip
    table.notes.append(
        "Kept: the same second of the track within half a bar of where the untouched picture had it. Times are of the "
        "planning alone; reading and comparing two edit lists takes 15 to 40 ms more (see the section on edits)."
    )
    return table


def main() -> None:
    """Print the table."""
    for table in run():
        print(table.markdown())


if __name__ == "__main__":
    main()
