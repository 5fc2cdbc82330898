"""How well two cuts of a video are compared: 200 seeded edits of edit lists.

    python -m tests.benchmarks.run edits

Edits are drawn by `data/recipes/material/re_edits.py`: one to three of insert, trim, delete, swap and change of speed.
A second that no edit touched is found when it is kept, at the place in both cuts where it is; a second is kept wrongly
when an edit touched it, or when it is kept as another one. Times are of `compare_edits` alone, both lists in memory.

A second table holds video files without sound: the clips of the tests and a part of the demo's film, cut anew and
encoded again at a lower quality. A second counts there where it is found to the frame.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from fractions import Fraction
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.re_edits import KINDS, ReEdit, Untouched, re_edit
from tests.benchmarks.table import Table
from tests.film import CLIPS, clip_cuts, film_truth
from tests.videos import write_video
from workbench.bundled import bundled_path
from workbench.demo.film import FILM, FRAME_RATE
from workbench.edits.difference import EditDifference, compare_edits
from workbench.edits.edit_list import EditList
from workbench.edits.videos import compare_videos
from workbench.media.video import frames

EDITS = 200
CLIP_NAMES = ("hard", "dark", "static")
FILM_SECONDS = (203.0, 219.0)
FOREIGN_SECONDS = (240.0, 242.4)
"""of the film: pictures that are inserted"""
FOREIGN_FRAMES = 60


def seconds_found(edit: ReEdit, found: EditDifference) -> tuple[float, float, float]:
    """Untouched seconds, those of them that are kept where they are, and seconds kept that an edit touched."""
    rate = edit.old.frame_rate
    kept: dict[int, int] = {}
    for span in found.kept:
        old, new, frames = (round(Fraction(value) * rate) for value in (span.old_start, span.new_start, span.seconds))
        kept |= {old + k: new + k for k in range(frames)}
    truth = {part.old_start + k: part.new_start + k for part in edit.untouched for k in range(part.frames)}
    right = sum(kept.get(old) == new for old, new in truth.items())
    wrong = sum(truth.get(old) != new for old, new in kept.items())
    return float(len(truth) / rate), float(right / rate), float(wrong / rate)


def run() -> list[Table]:
    """Compare all edits."""
    return [_lists(), _videos()]


def _lists() -> Table:
    sums: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    times: dict[str, list[float]] = defaultdict(list)
    first_kinds: dict[str, list[bool]] = defaultdict(list)
    for seed in range(EDITS):
        edit = re_edit(seed)
        start = perf_counter()
        found = compare_edits(edit.old, edit.new)
        took = 1000 * (perf_counter() - start)
        for group in (edit.kinds[0] if len(edit.kinds) == 1 else "several", "all"):
            sums[group].append(seconds_found(edit, found))
            times[group].append(took)
            if len(edit.kinds) == 1:
                first_kinds[group].append({change.kind for change in found.changes} == {edit.kinds[0]})
    table = Table(
        "Edits of edit lists",
        ["edit", "number", "untouched s found", "touched s kept", "all found", "kind named", "ms, median", "ms, 95 %"],
    )
    for group in (*KINDS, "several", "all"):
        truth, right, wrong = np.array(sums[group]).T
        named = float(np.mean(first_kinds[group])) if first_kinds[group] else None
        table.add(
            group,
            len(truth),
            f"{right.sum() / truth.sum():.5f}",
            f"{wrong.sum() / truth.sum():.5f}",
            float(np.mean(right == truth)),
            named,
            float(np.median(times[group])),
            float(np.percentile(times[group], 95)),
        )
    table.notes.append(
        "Shares of the seconds that no edit touched; *all found* is the share of edits of which every such second is. "
        "*Kind named*: of single edits, those all of whose changes have the kind of the edit."
    )
    return table


def _videos() -> Table:
    table = Table(
        "Edits of video files",
        ["video", "edits", "untouched s found", "touched s kept", "edits named", "ms a second of video"],
    )
    with tempfile.TemporaryDirectory() as folder:
        foreign = _pictures(bundled_path(*FILM), *FOREIGN_SECONDS)
        for name, (pictures, cuts) in _videos_to_cut().items():
            old = write_video(Path(folder) / "old.mp4", pictures, FRAME_RATE, crf=20)
            sums, named, took = [], [], 0.0
            for kind, takes in _recuts(cuts, len(pictures)).items():
                shown = np.concatenate([foreign if take is None else pictures[slice(*take)] for take in takes])
                new = write_video(Path(folder) / "new.mp4", shown, FRAME_RATE, crf=28)
                start = process_time()
                found = compare_videos(old, new)
                took += process_time() - start
                sums.append(seconds_found(_as_edit(takes, kind, len(pictures)), found))
                named.append({change.kind for change in found.changes} == {kind})
            truth, right, wrong = np.array(sums).sum(axis=0)
            table.add(
                name,
                len(named),
                f"{right / truth:.5f}",
                f"{wrong / truth:.5f}",
                float(np.mean(named)),
                1000 * took / (2 * len(named) * len(pictures) / FRAME_RATE),
            )
    table.notes.append("CPU of reading both files and matching them, a second of either.")
    return table


def _videos_to_cut() -> dict[str, tuple[NDArray[np.uint8], list[int]]]:
    """Pictures of each video and the frames that open a shot."""
    start, end = FILM_SECONDS
    cuts = [round((at - start) * FRAME_RATE) for at in film_truth().cuts if start < at < end]
    found = {"the demo's film": (_pictures(bundled_path(*FILM), start, end), cuts)}
    for name in CLIP_NAMES:
        path = CLIPS / f"{name}.mp4"
        found[name] = (_pictures(path), [round(at * FRAME_RATE) for at in clip_cuts(path)])
    return found


def _pictures(path: Path, start: float = 0.0, end: float | None = None) -> NDArray[np.uint8]:
    stop = None if end is None else round(end * FRAME_RATE)
    return np.stack([shown.pixels for shown in islice(frames(path, width=320), round(start * FRAME_RATE), stop)])


def _recuts(cuts: list[int], count: int) -> dict[str, list[tuple[int, int] | None]]:
    """Cuts anew by kind of edit, None for foreign pictures."""
    a, b, c, d = cuts[1:5]
    return {
        "insert": [(0, b), None, (b, count)],
        "trim": [(0, c - 4), (c, count)],
        "delete": [(0, a), (b, count)],
        "swap": [(0, a), (c, d), (b, c), (a, b), (d, count)],
    }


def _as_edit(takes: list[tuple[int, int] | None], name: str, count: int) -> ReEdit:
    """The same as an edit with its truth; of five takes the second and the fourth changed places."""
    untouched, reached = [], 0
    for place, take in enumerate(takes):
        length = FOREIGN_FRAMES if take is None else take[1] - take[0]
        if take is not None and not (name == "swap" and place in (1, 3)):
            untouched.append(Untouched(take[0], reached, length))
        reached += length
    rate = Fraction(FRAME_RATE)
    old, new = (EditList.laid([("video", Fraction(0), total / rate, Fraction(1))], rate) for total in (count, reached))
    return ReEdit(old, new, (name,), tuple(untouched))
