"""The reference set that scores of underscore are calibrated on: its card, and how to read it.

What it is. Thirty-seven scripts and 620 tracks, and a grade from 0 to 3 for every pair. Both were written from hidden
facets (mood, energy, genre family, instruments, voice), the scripts by hand as they would be spoken, the tracks put
together from phrases that catalogs use; the grade compares the facets. Stored is how near each track comes to what was
read in each script, part by part, and the grade.

What it is for. `calibration_offset` and `calibration_slope` of `UnderscoreModel` are what `fit_calibration` gives on
it, so a score is the probability that an editor would take the track, as far as the grades are an editor's.
`workbench.matching.video_reference` defines what a grade is worth, once for match and underscore.

What it is not. One person wrote scripts, tracks and the rule of the grades; it holds common practice, in English, and
no personal taste. Refit with pairs that editors judged if there are any: `data/recipes/fitting/underscore.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.files import open_model
from workbench.matching.script_ranking import Part, raw_scores
from workbench.matching.video_reference import TAKEN
from workbench.params import UnderscoreParams
from workbench.recording import FloatArray, IntArray

FILE = "underscore_reference.npz"


@dataclass(frozen=True, slots=True, eq=False)
class UnderscoreReference:
    """Pairs of a script and a track."""

    parts: dict[Part, FloatArray]
    """shape (n_pairs,) each, 0 to 1, as `ranking.compare` gives them"""
    grades: IntArray
    """shape (n_pairs,), 0 to 3"""

    @property
    def taken(self) -> FloatArray:
        """Probability that an editor takes each track, shape (n_pairs,)."""
        return np.asarray(TAKEN[self.grades])

    def raw(self, params: UnderscoreParams) -> FloatArray:
        """Raw scores, shape (n_pairs,)."""
        return raw_scores(self.parts, params)


def read_reference() -> UnderscoreReference:
    """The set that ships with the package."""
    with open_model(FILE) as file:
        stored = np.load(file)
        grades = stored["grades"].astype(np.int64)
        names: list[Part] = [name for name in stored.files if name not in ("grades", "versions")]
        return UnderscoreReference({name: stored[name].astype(np.float64) for name in names}, grades)
