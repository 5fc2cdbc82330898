"""How well two cuts of a video are compared: the 200 seeded edits of `data/recipes/material/re_edits.py`.

    python -m tests.benchmarks.run edits

A second is kept wrongly when an edit touched it, or when it is kept as another one. Times are of `compare_edits` alone.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from time import perf_counter

import numpy as np

from data.recipes.material.re_edits import KINDS, ReEdit, re_edit
from tests.benchmarks.table import Table
from workbench.edits.difference import EditDifference, compare_edits

EDITS = 200


def seconds_found(edit: ReEdit, found: EditDifference) -> tuple[float, float, float]:
    """Untouched seconds, those of them that are kept where they are, and seconds kept that an edit touched."""
    rate = edit.old.frame_rate
    kept: dict[int, int] = {}
    for span in found.shared:
        old, new, frames = (round(Fraction(value) * rate) for value in (span.old_start, span.new_start, span.seconds))
        kept |= {old + k: new + k for k in range(frames)}
    truth = {part.old_start + k: part.new_start + k for part in edit.untouched for k in range(part.frames)}
    right = sum(kept.get(old) == new for old, new in truth.items())
    wrong = sum(truth.get(old) != new for old, new in kept.items())
    return float(len(truth) / rate), float(right / rate), float(wrong / rate)


def run() -> list[Table]:
    """Compare all edits."""
    sums: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    times: dict[str, list[float]] = defaultdict(list)
    for seed in range(EDITS):
        edit = re_edit(seed)
        start = perf_counter()
        found = compare_edits(edit.old, edit.new)
        took = 1000 * (perf_counter() - start)
        for group in (edit.kinds[0] if len(edit.kinds) == 1 else "several", "all"):
            sums[group].append(seconds_found(edit, found))
            times[group].append(took)
    table = Table(
        "Edits of edit lists",
        ["edit", "number", "untouched s found", "touched s kept", "all found", "ms, median", "ms, 95 %"],
    )
    for group in (*KINDS, "several", "all"):
        truth, right, wrong = np.array(sums[group]).T
        table.add(
            group,
            len(truth),
            f"{right.sum() / truth.sum():.5f}",
            f"{wrong.sum() / truth.sum():.5f}",
            float(np.mean(right == truth)),
            float(np.median(times[group])),
            float(np.percentile(times[group], 95)),
        )
    table.notes.append("Shares of the seconds that no edit touched; *all found*: of edits, of which every second is.")
    return [table]
