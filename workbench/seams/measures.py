"""The extension point of seam measures: one more part of a seam's score, with its own yardstick.

`SeamParams.measures` names those that are used, each with its weight: `their_module:ChromaTimbre=1.5`. A measure gives
features of the beats, and from them the break of any splice: 0 for none, more for a greater one, in a unit of its own.
The break is judged as those of our own parts are: against the same measure over the track's own adjacent bars, between
the limits `least` and `most`. Its part stands behind ours in profiles, tables, reports and pictures, and its name,
version and weight in the cache keys. One that is tested inherits `workbench.lab.extension_suites.SeamMeasureSuite`.

Protocol: `SeamMeasure`. Functions: `measures_used`, `part_names`, `features_of`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.extensions import SEAM_MEASURES, find, is_number, lacking, work_of
from workbench.params import SeamParams
from workbench.params.base import named_weights
from workbench.recording import FloatArray, IntArray, Recording
from workbench.seams.profile import SEAM_PARTS

# share of the greatest yardstick by which a break may lie under 0: single precision leaves some 1e-6 of a cosine
_ROUNDING = 1e-4


@runtime_checkable
class SeamMeasure(Protocol):
    """One more part of a seam's score."""

    version: int
    """of its answers, from 1; raised when they change, so that no score of an older one is read"""
    unit: str
    """of its breaks, "1" for ratios"""
    description: str
    """what a part of 1 means, in a few words for pictures, such as "the timbre goes on" """
    least: float
    """break that is inaudible in any track; over 0"""
    most: float
    """break over which every listener notices it"""

    def features(self, recording: Recording, grid: BeatGrid) -> FloatArray:
        """Measure every beat.

        Parameters
        ----------
        recording : the track
        grid : its beats, at least two bars

        Returns
        -------
        shape (n_beats, ...), finite
        """
        ...

    def breaks(self, features: FloatArray, leaves: IntArray, enters: IntArray) -> FloatArray:
        """Measure splices: compare what sounds from beat `leave` on with what sounds from beat `enter` on.

        The first is what the track would have played, the second what plays in its place. A splice has two readings:
        as continuation our own parts compare what follows both beats, as lead what comes before them. A third-party
        measure is asked once, and its break counts in both readings, so it may look at either side, or at both.

        Parameters
        ----------
        features : as `features` gave them
        leaves : shape (n_leaves,), beats at which the music leaves
        enters : shape (n_enters,), beats at which it goes on

        Returns
        -------
        shape (n_leaves, n_enters), 0 or more, 0 where both are the same beat; what rounding leaves under 0, as in
        1 - cosine, is taken for 0
        """
        ...


class MeasuredBeats(NamedTuple):
    """What one measure found in a recording."""

    name: str
    measure: SeamMeasure
    features: FloatArray


def measures_used(params: SeamParams) -> tuple[tuple[str, float], ...]:
    """Names and weights of the measures that parameters name."""
    return named_weights(params.measures)


def part_names(params: SeamParams) -> tuple[str, ...]:
    """Names of the parts of a score: ours, and those of other measures behind them."""
    return (*SEAM_PARTS, *(name for name, _ in measures_used(params)))


def find_measure(name: str) -> SeamMeasure:
    """Find a seam measure by its name.

    Raises `ParameterError` if there is none, or it is no seam measure.
    """
    found: SeamMeasure = find(SEAM_MEASURES, name)
    texts = isinstance(found.unit, str) and isinstance(found.description, str)
    if not (texts and is_number(found.least) and is_number(found.most) and 0.0 < found.least <= found.most):
        raise lacking(SEAM_MEASURES, name)
    return found


def features_of(recording: Recording, grid: BeatGrid, params: SeamParams) -> tuple[MeasuredBeats, ...]:
    """What the measures that parameters name find in a recording.

    Raises `ParameterError` if a measure is not found, fails, or gives features of another shape or not finite.
    """
    found = []
    for name, _ in measures_used(params):
        measure = find_measure(name)
        with work_of(SEAM_MEASURES, name):
            features = np.asarray(measure.features(recording, grid))
        if features.dtype.kind not in "biufc":
            raise ParameterError(f"the seam measure {name} gave features that are no numbers")
        if features.shape[:1] != (grid.beats.size,) or not np.all(np.isfinite(features)):
            raise ParameterError(
                f"the seam measure {name} gave features of shape {features.shape} for {grid.beats.size} beats"
            )
        found.append(MeasuredBeats(name, measure, features))
    return tuple(found)


def breaks_of(measured: MeasuredBeats, leaves: IntArray, enters: IntArray) -> FloatArray:
    """Breaks by one measure.

    The beats are those of `SeamMeasure.breaks`. Raises `ParameterError` if the measure fails, or gives breaks of
    another shape, below 0 by more than rounding, or not finite.
    """
    with work_of(SEAM_MEASURES, measured.name):
        found = np.asarray(measured.measure.breaks(measured.features, leaves, enters), dtype=np.float64)
    least = -_ROUNDING * measured.measure.most
    if found.shape != (leaves.size, enters.size) or not np.all(np.isfinite(found) & (found >= least)):
        raise ParameterError(
            f"the seam measure {measured.name} must give {leaves.size} by {enters.size} breaks of 0 and more, got "
            f"{_fault_of(found, (leaves.size, enters.size))}"
        )
    return np.asarray(np.maximum(found, 0.0))


def _fault_of(found: FloatArray, shape: tuple[int, int]) -> str:
    """The fault of some breaks, in words."""
    if found.shape != shape:
        return f"an array of shape {found.shape}"
    finite = np.isfinite(found)
    return f"{found.min():g} as the least" if finite.all() else f"{int((~finite).sum())} that are not finite"
