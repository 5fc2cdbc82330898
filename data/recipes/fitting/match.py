"""Fit `match.json`, the constants of ranking music for a video, on the reference set that ships.

    python -m data.recipes.fitting.match

Constants are searched one after the other for the best NDCG@10 over the videos of the set, starting from those in the
file. The set, `match_reference.npz`, was drawn by a program that is in the history; its card says what it is. What a
score promises is fitted on material by others, see `match_scores.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.fitting.tables import check_table
from data.recipes.material.grading import best_first, ndcg
from workbench.analysis.character import CHARACTER_VERSION
from workbench.analysis.video import PICTURE_VERSION, SOUNDTRACK_VERSION
from workbench.files import model_path, read_numbers
from workbench.matching import video_reference as reference
from workbench.matching.video_ranking import (
    quick_parts,
    raw_scores,
    slow_parts,
    wanted_of,
)
from workbench.matching.video_reference import MatchReference, read_reference
from workbench.params import MatchParams
from workbench.params.matching import MatchModel

FILE = "match.json"
VERSIONS = {"character": CHARACTER_VERSION, "picture": PICTURE_VERSION, "soundtrack": SOUNDTRACK_VERSION}
"""of the features whose facts the set imitates"""
SEARCHED_WEIGHTS = ("pulse", "level", "mood", "voice", "length", "arc")
SEARCHED_SCALES = (
    "pulse_width",
    "energy_width",
    "valence_width",
    "usual_swing",
    "usual_spread",
    "much_speech",
    "calm_under_voice",
)
SEARCHED_SUMS = {"wanted_energy": (0, 1, 2, 3, 5), "wanted_pulse": (0, 1, 2), "wanted_valence": (0, 4, 5)}
"""places in what videos expect that may be other than 0"""


def all_parts(pairs: MatchReference, params: MatchParams) -> dict[str, NDArray[np.float64]]:
    """Every part of every pair but sync, shape (n_videos, n_tracks)."""
    quick = [quick_parts(video, wanted_of(video, params), pairs.columns, params) for video in pairs.videos]
    slow = _slow_parts(pairs, params.model.usual_swing, params.model.usual_spread)
    return {name: np.stack([row[name] for row in quick]).astype(np.float64) for name in quick[0]} | slow


@cache
def _slow_parts(pairs: MatchReference, usual_swing: float, usual_spread: float) -> dict[str, NDArray[np.float64]]:
    """The parts that depend on two constants only."""
    params = MatchParams(model=MatchModel(usual_swing=usual_swing, usual_spread=usual_spread))
    rows = [slow_parts(video, pairs.columns, params) for video in pairs.videos]
    return {name: np.stack([row[name] for row in rows]).astype(np.float64) for name in rows[0]}


def score(pairs: MatchReference, params: MatchParams) -> NDArray[np.float64]:
    """NDCG@10 of each video, shape (n_videos,)."""
    raw = raw_scores(all_parts(pairs, params), params)
    return np.array([ndcg(best_first(row), grades) for grades, row in zip(pairs.grades, raw, strict=True)])


def fit(pairs: MatchReference, params: MatchParams | None = None) -> MatchParams:
    """All constants that are fitted."""
    params = search(pairs, params or MatchParams())
    parts = all_parts(pairs, params)
    usual = {f"usual_{name}": _geometric_mean(parts[name]) for name in SEARCHED_WEIGHTS}
    return _with(params, usual)


def search(pairs: MatchReference, params: MatchParams) -> MatchParams:
    """Pattern search: every constant in turn a step up or down, kept if the set ranks better.

    A step is a factor for weights and widths and an addition for what videos expect. When a round finds nothing, steps
    are halved; bars and sync keep their weight, since no synthetic video is cut to its music.
    """
    best, step = float(score(pairs, params).mean()), 0.4
    while step > 0.05:
        before = best
        for tried in (made for change in _changes(step) for made in (change(params),)):
            reached = float(score(pairs, tried).mean())
            if reached > best + 1e-4:
                best, params = reached, tried
        print(f"step {step:.2f}: {best:.4f}", flush=True)
        if best - before < 5e-4:
            step /= 2.0
    return _scaled(params)


def _changes(step: float) -> Iterator[Callable[[MatchParams], MatchParams]]:
    def times(name: str, factor: float) -> Callable[[MatchParams], MatchParams]:
        return lambda params: _with(params, {name: round(value_of(params, name) * factor, 4)})

    def plus(name: str, place: int, more: float) -> Callable[[MatchParams], MatchParams]:
        def change(params: MatchParams) -> MatchParams:
            values = list(getattr(params.model, name))
            values[place] = round(values[place] + more, 4)
            return _with(params, {name: tuple(values)})

        return change

    for name in (*(f"{part}_weight" for part in SEARCHED_WEIGHTS), *SEARCHED_SCALES):
        yield times(name, 1.0 + step)
        yield times(name, 1.0 / (1.0 + step))
    for name, places in SEARCHED_SUMS.items():
        for place in places:
            yield plus(name, place, 0.2 * step)
            yield plus(name, place, -0.2 * step)


def value_of(params: MatchParams, name: str) -> Any:
    """A constant of the file: a weight, which is a parameter, or a number of the model."""
    return getattr(params.model if name in MatchModel.model_fields else params, name)


def _with(params: MatchParams, values: Mapping[str, Any]) -> MatchParams:
    """The parameters with other constants of the file."""
    ours = {name: value for name, value in values.items() if name in MatchModel.model_fields}
    others = {name: value for name, value in values.items() if name not in ours}
    return params.model_copy(update={**others, "model": params.model.model_copy(update=ours)})


def _scaled(params: MatchParams) -> MatchParams:
    """Weights that add up to 1."""
    whole = sum(params.weights[name] for name in SEARCHED_WEIGHTS)
    rest = 1.0 - params.bars_weight - params.sync_weight
    return params.model_copy(
        update={f"{name}_weight": round(params.weights[name] / whole * rest, 3) for name in SEARCHED_WEIGHTS}
    )


def _geometric_mean(part: NDArray[np.float64]) -> float:
    return round(float(np.exp(np.mean(np.log(np.maximum(part, 0.02))))), 3)


def main() -> None:
    """Read, fit, write."""
    parser(__doc__).parse_args()
    check_table(model_path(reference.FILE), VERSIONS)
    stored = read_reference()
    fitted = fit(stored)
    write_numbers(FILE, {name: value_of(fitted, name) for name in read_numbers(FILE)})
    told = f"- NDCG@10 on the {len(stored.videos)} videos of the fit: {score(stored, fitted).mean():.3f}"
    write_figures(FILE, [told])
    print(told)


if __name__ == "__main__":
    main()
