"""Seam scores on the splices of `data.recipes.material.splices`, ours beside PyMusicLooper's own, on true grids.

python -m tests.benchmarks.run seams
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.splices import BAD, GOOD, Case, bundled_truths, cases_of, in_another_key
from tests.benchmarks.peer_answers import splice_scores
from tests.benchmarks.table import Table, auc
from workbench.params import SeamParams
from workbench.seams.seam_score import SeamEvidence, score_splices, seam_evidence

KEYS = (1, 2, 3, 5, 6, -1, -2, -4)
"""semitones by which a copy of each track's music is moved, in turn"""


@dataclass(frozen=True)
class Judged:
    """A splice, and its scores; None where PyMusicLooper is not installed."""

    kind: str
    ours: float
    peer: float | None


def our_scores(evidence: SeamEvidence, cases: Sequence[Case]) -> list[float]:
    """`seam_score` of every case."""
    leaves, enters = np.array([c.leave for c in cases]), np.array([c.enter for c in cases])
    params = SeamParams()
    return [
        float(score_splices(evidence, leaves[k : k + 1], enters[k : k + 1], params)[1][0, 0]) for k in range(len(cases))
    ]


def judged_splices() -> list[Judged]:
    """Every splice of every bundled track."""
    found = []
    for number, truth in enumerate(bundled_truths()):
        recording, grid, first = in_another_key(truth, KEYS[number % len(KEYS)])
        n_copied = int(grid.downbeats.size - truth.grid.downbeats.size)
        cases = cases_of(truth, first, n_copied, np.random.default_rng(number))
        places = [[float(grid.beats[c.leave]), float(grid.beats[c.enter])] for c in cases]
        ours = our_scores(seam_evidence(recording, grid, SeamParams()), cases)
        peers = splice_scores(recording, grid.tempo_bpm, places)
        found += [Judged(case.kind, ours[k], peers[k] if peers else None) for k, case in enumerate(cases)]
    return found


def scores_of(splices: Sequence[Judged], who: str, kinds: Sequence[str]) -> NDArray[np.float64]:
    """The scores that one side gives to splices of some kinds; empty where it was not asked."""
    return np.array([s for one in splices if one.kind in kinds and (s := getattr(one, who)) is not None], np.float64)


def run() -> list[Table]:
    """Areas under the curve of each kind of bad splice against all good ones, and medians of the scores."""
    splices = judged_splices()
    table = Table(
        "Splices with known answers, all tracks",
        ["splices", "n", "median seam_score", "AUC seam_score", "AUC PyMusicLooper"],
    )
    for name, kinds in {**{kind: (kind,) for kind in (*GOOD, *BAD)}, "all bad ones": BAD}.items():
        ours = scores_of(splices, "ours", kinds)
        areas: list[float | None] = [None, None]
        for place, who in enumerate(("ours", "peer")):
            good, bad = scores_of(splices, who, GOOD), scores_of(splices, who, kinds)
            if kinds[0] in BAD and good.size and bad.size:
                areas[place] = auc(good, bad)
        if ours.size:
            table.add(name, ours.size, float(np.median(ours)), *areas)
    table.notes.append(
        "AUC: how often a good splice scores above a bad one of this kind. The last column is PyMusicLooper's own "
        "ranking score for the same two instants of the same file; empty where it is not installed."
    )
    return [table]
