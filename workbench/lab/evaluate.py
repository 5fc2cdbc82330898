"""How well a beat grid agrees with annotated beats, by the measures of the field.

The measures are mir_eval's (Raffel et al. 2014, *mir_eval: a transparent implementation of common MIR metrics*), those
of continuity after Davies, Degara & Plumbley (2009), *Evaluation methods for musical audio beat tracking algorithms*.
Beats of the first five seconds are left out on both sides, as `mir_eval.beat.evaluate` leaves them out.

Functions: `evaluate`, of a grid; `evaluate_track`, of a grid of a recording that may be annotated.
"""

from __future__ import annotations

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.lab.datasets import DatasetTrack
from workbench.recording import FloatArray

SKIP_SECONDS = 5.0  # by the field's custom: trackers and annotators need some beats to settle

# What each measure is, in a line; all are 0 to 1, and more is better
BEAT_MEASURES = {
    "beat_f": "F-measure of beats: the harmonic mean of precision and recall, within 70 ms",
    "cmlc": "longest run of beats that are right without a break, at the annotated tempo, as a share of all beats",
    "cmlt": "beats in runs that are right at the annotated tempo, as a share of all beats",
    "amlc": "as cmlc, where double and half the tempo and the off-beat count as right",
    "amlt": "as cmlt, where double and half the tempo and the off-beat count as right",
    "downbeat_f": "F-measure of the beats that open a bar, within 70 ms",
}


def evaluate(grid: BeatGrid, truth: BeatGrid | FloatArray, *, skip_seconds: float = SKIP_SECONDS) -> dict[str, float]:
    """How well a grid agrees with annotated beats, by mir_eval's measures.

    Parameters
    ----------
    grid : as it was detected
    truth : the annotated grid; or only times of beats, shape (n_beats,), s, increasing
    skip_seconds : beats and bar lines before it are left out on both sides

    Returns
    -------
    six measures of 0 to 1, more is better; all are 0 where the grid has nothing, NaN where the truth has nothing

        beat_f      F-measure: harmonic mean of the shares of found beats that are annotated and of annotated beats
                    that are found, each matched once, within 70 ms
        cmlc        correct metrical level, continuity required: the longest run of beats that are right, as a share of
                    the beats of the grid or the truth, whichever has more; a beat is right where it and the interval
                    before it are within 17.5 % of the annotated interval
        cmlt        correct metrical level, total: the same of all beats that are right
        amlc, amlt  allowed metrical levels: as `cmlc` and `cmlt`, against the truth, its double and half tempo or its
                    off-beats, whichever agrees best
        downbeat_f  F-measure of the beats that open a bar; NaN of a truth that is only times

    References
    ----------
    C. Raffel et al., *mir_eval: a transparent implementation of common MIR metrics*, ISMIR 2014; M. Davies, N. Degara
    and M. Plumbley, *Evaluation methods for musical audio beat tracking algorithms*, 2009.
    """
    from mir_eval.beat import continuity

    beats, downbeats = (truth.beats, truth.downbeats) if isinstance(truth, BeatGrid) else (np.asarray(truth), None)
    true, found = (times[times >= skip_seconds] for times in (beats, grid.beats))
    levels: tuple[float, ...] = (0.0 if true.size else float("nan"),) * 4
    if min(true.size, found.size) > 1:  # of fewer, mir_eval gives 0 with a warning
        levels = tuple(map(float, continuity(true, found)))
    bars = float("nan")
    if downbeats is not None:
        bars = _f_measure(*(times[times >= skip_seconds] for times in (downbeats, grid.downbeats)))
    return dict(zip(BEAT_MEASURES, (_f_measure(true, found), *levels, bars), strict=True))


def _f_measure(true: FloatArray, found: FloatArray) -> float:
    from mir_eval.beat import f_measure

    if not true.size:
        return float("nan")
    return float(f_measure(true, found)) if found.size else 0.0


def evaluate_track(grid: BeatGrid, track: DatasetTrack, skip_seconds: float) -> dict[str, float]:
    """The measures of `evaluate` that apply to a recording; none without annotated beats. Raises as `track.beats`."""
    truth = track.beats if track.grid is None else track.grid
    if truth is None:
        return {}
    found = evaluate(grid, truth, skip_seconds=skip_seconds)
    return {name: value for name, value in found.items() if not np.isnan(value)}
