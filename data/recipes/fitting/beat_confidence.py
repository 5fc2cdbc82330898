"""Fit `beat_confidence.json`: the chance that a grid has the right downbeats, from the signs of its being right.

    python -m data.recipes.fitting.beat_confidence [--set SET] [--known WEIGHTS.json]

SET/calibration, which the beat network's script has made, holds pieces that neither the network nor the weights of the
readings were fitted to, half of them in styles that both never met; pieces without a pulse belong in, as grids that are
never right. A logistic regression (Platt, "Probabilistic outputs for support vector machines", 1999) over
`workbench.beats.track.Tracked.signs`. The tracker slips too seldom to learn from, so each right grid of the network is
there a second time with a passage half a beat late: as likely by its margin, and wrong. The second table that is
printed comes from cross-validation over pieces; versions of one piece (`NAME__font`) stay in one fold.

With `--known`, the weights that a file has stay as they are and only those of other signs are fitted, so that a small
set adds a sign to what a large one has taught; `confidence_known.json` beside this program has the weights that were
fitted to the whole set, before slips were counted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import mir_eval
import numpy as np
import soundfile
from numpy.typing import NDArray
from scipy.optimize import minimize

from data.recipes.fitting.beat_readings import ACTIVATIONS
from data.recipes.fitting.cards import parser, write_figures, write_numbers
from workbench.beats.evidence import describe_pulse
from workbench.beats.track import gather, pulse_signs, track
from workbench.beats.weights import CONFIDENCE_FILE, RIGHT_DOWNBEAT_F, weights_for
from workbench.features.spectrum import analyze_spectrum
from workbench.models.loading import read_numbers
from workbench.params import BeatParams

PENALTY = 0.5
BOUNDS = {
    "margin": (0.0, None), "steady": (0.0, None), "bar_lines": (0.0, None), "beats": (0.0, None), "missed": (None, 0.0),
    "slips": (None, 0.0),
}  # fmt: skip
"""a sign may only speak the way it is meant"""
FOLDS = 8
EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0)
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Judged:
    """One grid, what spoke for it, and whether it was right."""

    name: str
    signs: dict[str, float]
    right: bool


def judge(path: Path, params: BeatParams) -> list[Judged]:
    """The grid of one piece, none where none is given, and a right one of the network slipped as well."""
    truth = json.loads(path.with_suffix(".json").read_text())
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    spectrum = analyze_spectrum(np.ascontiguousarray(samples.T), rate)
    gathered = gather(spectrum, params)
    found = track(gathered, params)
    if found is None:
        return []
    beats = np.array(truth["beats"])
    opens = beats[np.array(truth["positions"], dtype=int) == 1]
    given = found.times[found.positions == 1]
    f = float(mir_eval.beat.f_measure(opens, given)) if opens.size and given.size else 0.0
    judged = [Judged(path.stem, found.signs, f >= RIGHT_DOWNBEAT_F)]
    if judged[0].right and params.activation == "network" and gathered.evidence is not None:
        wrong = slipped(found.times, np.random.default_rng(list(path.stem.encode())))
        pulse = describe_pulse(wrong, gathered.evidence)
        judged.append(Judged(path.stem, found.signs | pulse_signs(pulse, found.positions), False))
    return judged


def slipped(times: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.floating]:
    """Beats of which a passage, an eighth to a third of the piece, is half a beat late."""
    size = round(times.size * float(rng.uniform(0.125, 0.33)))
    first = int(rng.integers(times.size - size))
    moved = times.copy()
    moved[first : first + size] += 0.5 * float(np.median(np.diff(times)))
    return moved if np.all(np.diff(moved) > 0) else times


def fit(
    rows: NDArray[np.float64], right: NDArray[np.bool_], names: list[str], known: Mapping[str, float]
) -> NDArray[np.float64]:
    """Weights of a logistic regression, shape (n_signs,); the penalty keeps them finite, those that are known stay."""
    target = right.astype(np.float64)
    free = np.array([name not in known for name in names])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = rows @ weights
        value = float(np.logaddexp(0.0, odds).sum() - odds @ target) + 0.5 * PENALTY * float(
            weights[free] @ weights[free]
        )
        return value, rows.T @ (1.0 / (1.0 + np.exp(-odds)) - target) + PENALTY * np.where(free, weights, 0.0)

    bounds = [(known[name],) * 2 if name in known else BOUNDS.get(name, (None, None)) for name in names]
    start = np.array([known.get(name, 0.0) for name in names])
    best: NDArray[np.float64] = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return best


def report(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> None:
    """How often grids of a confidence are right, and what a threshold refuses and lets pass."""
    print("confidence     grids  right")
    for low, high in pairwise(EDGES):
        inside = (confidence >= low) & (confidence < high + (high == 1.0))
        if inside.any():
            print(f"{low:.2f} to {high:.2f} {inside.sum():7} {right[inside].mean():6.2f}")
    print("threshold  good refused  bad passed")
    for threshold in THRESHOLDS:
        refused = (confidence < threshold)[right].mean()
        passed = (confidence >= threshold)[~right].mean() if (~right).any() else float("nan")
        print(f"{threshold:9.1f} {refused:13.2f} {passed:11.2f}")


def main() -> None:
    """Track, cross-validate, fit to all, write."""
    options = parser(__doc__)
    options.add_argument("--known", type=Path, help="JSON of weights that are kept, such as confidence_known.json")
    options.add_argument("--activation", nargs="+", choices=ACTIVATIONS, default=ACTIVATIONS, help="fit these only")
    options.add_argument("--processes", type=int, default=os.cpu_count())
    given = options.parse_args()
    paths = sorted((given.set / "calibration").glob("*.flac"))
    if not paths:
        raise SystemExit(f"{given.set}: there are no pieces in calibration; `make fit MODEL=beat_network` makes them")
    numbers, figures = read_numbers(CONFIDENCE_FILE), []
    for activation in given.activation:
        params = BeatParams(activation=activation)
        with ProcessPoolExecutor(given.processes) as pool:
            judged = [one for some in pool.map(judge, paths, [params] * len(paths)) for one in some]
        right = np.array([one.right for one in judged])
        now = weights_for(activation)
        print(f"{activation}: as it is")
        report(np.array([now.certainty(one.signs) for one in judged]), right)
        known = json.loads(given.known.read_text(encoding="utf-8"))[activation] if given.known else {}
        names = sorted({name for one in judged for name in one.signs})
        rows = np.array([[one.signs.get(name, 0.0) for name in names] for one in judged])
        confidence = cross_validated(judged, rows, right, names, known)
        print(f"{activation}: fitted anew, cross-validated")
        report(confidence, right)
        weights = fit(rows, right, names, known)
        numbers[activation] = {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
        error = float(np.mean(np.square(confidence - right)))
        figures.append(
            f"- {activation}: {len(judged)} grids, {right.mean():.0%} right; mean squared error of the confidence "
            f"{error:.3f}, in {FOLDS} parts, each judged by weights fitted to the others"
        )
    write_numbers(CONFIDENCE_FILE, numbers)
    write_figures(CONFIDENCE_FILE, figures)


def cross_validated(
    judged: list[Judged],
    rows: NDArray[np.float64],
    right: NDArray[np.bool_],
    names: list[str],
    known: Mapping[str, float],
) -> NDArray[np.float64]:
    """Confidence of each grid by weights that were fitted without it, and without other versions of its piece."""
    groups = sorted({one.name.split("__")[0] for one in judged})
    fold_of = dict(zip(groups, np.random.default_rng(0).permutation(len(groups)) % FOLDS, strict=True))
    folds = np.array([fold_of[one.name.split("__")[0]] for one in judged])
    confidence = np.empty(len(judged))
    for fold in range(FOLDS):
        held = folds == fold
        confidence[held] = 1.0 / (1.0 + np.exp(-rows[held] @ fit(rows[~held], right[~held], names, known)))
    return confidence


if __name__ == "__main__":
    main()
