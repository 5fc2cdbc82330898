"""Fit `match_scores.json`: the share of the tracks of one score that somebody would take, on material by others.

    python -m data.recipes.fitting.match_scores [--set SET]

The fit sources among the videos and the recordings by others, fetched into SET/videos and SET/recordings. Each pair
takes part twice: with a catalog that has no words, and with one that has the moods that a person wrote. What match is
fitted to otherwise is drawn (`match.py`), where facts say more of a track than they do elsewhere; a curve from there
promises too much. The order of tracks does not depend on the curve.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material.elsewhere_pairs import Pairs, fetch_pairs, pairs_of
from data.recipes.material.grading import fit_calibration
from workbench.matching.lane import calibrated
from workbench.matching.video_ranking import quick_parts, raw_scores, slow_parts, wanted_of
from workbench.matching.video_reference import TAKEN
from workbench.params import MatchParams

FILE = "match_scores.json"
_BINS = 10

Numbers = NDArray[np.float64]


def raw_of(pairs: Pairs, params: MatchParams) -> Numbers:
    """Raw scores of every pair, without sync, shape (n_videos, n_recordings)."""
    rows = []
    for video in pairs.facts:
        parts = quick_parts(video, wanted_of(video, params), pairs.columns, params)
        rows.append(raw_scores(parts | slow_parts(video, pairs.columns, params), params))
    return np.array(rows, dtype=np.float64)


def left_out(raw: Numbers, taken: Numbers, groups: NDArray[np.str_]) -> Numbers:
    """Scores, each by the curve that is fitted without the source of its video.

    `raw` scores and the chance `taken`, 0 to 1, have shape (n_videos, n); `groups` has the source of each video.
    """
    scores = np.empty_like(raw)
    for group in np.unique(groups):
        inside = groups == group
        scores[inside] = calibrated(raw[inside], fit_calibration(raw[~inside].ravel(), taken[~inside].ravel()))
    return scores


def promised_wrong(scores: Numbers, taken: Numbers) -> float:
    """How far scores lie from the share that is taken, mean over bins of a tenth, weighted by their sizes."""
    place = np.minimum((scores.ravel() * _BINS).astype(np.int64), _BINS - 1)
    off = np.bincount(place, weights=scores.ravel() - taken.ravel(), minlength=_BINS)
    return float(np.abs(off).sum() / scores.size)


def main() -> None:
    """Fetch, measure, fit, write."""
    folder: Path = parser(__doc__).parse_args().set
    videos, music = fetch_pairs(folder, "fit")
    params = MatchParams()
    both = [pairs_of("fit", videos, music, folder / "match", words=words) for words in (False, True)]
    raw = np.concatenate([raw_of(pairs, params) for pairs in both], axis=1)
    taken = np.concatenate([TAKEN[pairs.grades] for pairs in both], axis=1)
    curve = fit_calibration(raw.ravel(), taken.ravel())
    write_numbers(FILE, {"offset": round(curve.offset, 2), "slope": round(curve.slope, 2)})
    groups = np.array([video.source for video in both[0].videos])
    said = left_out(raw, taken, groups)
    off, same = np.mean(np.square(said - taken)), np.mean(np.square(taken.mean() - taken))
    told = (
        f"- each source of videos left out in turn: scores are {promised_wrong(said, taken):.3f} from the share "
        f"that is taken, mean squared error {off:.3f}; of a score that is the same for all {same:.3f}"
    )
    write_figures(FILE, [told])
    print(told)


if __name__ == "__main__":
    main()
