"""Fit what `confidence` means: the chance that a grid has the right downbeats, from the signs of its being right.

    python -m data.recipes.training.certainty FOLDER ...            cross-validate, fit, print
    python -m data.recipes.training.certainty FOLDER ... --write    put them into workbench/beats/weights.py

The folders hold pieces that neither the network nor the weights of the readings were fitted to, half of them in styles
that both never met (`generate.py --split calibration`); pieces without a pulse belong in, as grids that are never
right. A logistic regression (Platt, "Probabilistic outputs for support vector machines", 1999) over
`workbench.beats.track.Tracked.signs`. The second table that is printed comes from cross-validation over pieces;
versions of one piece (`NAME__font`) stay in one fold.
"""

from __future__ import annotations

import argparse
import json
import os
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

from workbench.beats import weights as shipped
from workbench.beats.track import track
from workbench.features.spectrum import analyze_spectrum
from workbench.params import BeatParams

PENALTY = 0.5
BOUNDS = {
    "margin": (0.0, None), "steady": (0.0, None), "bar_lines": (0.0, None), "beats": (0.0, None), "missed": (None, 0.0),
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


def judge(path: Path, params: BeatParams) -> Judged | None:
    """Track one piece; None where no grid is given, which needs no confidence."""
    truth = json.loads(path.with_suffix(".json").read_text())
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    found = track(analyze_spectrum(np.ascontiguousarray(samples.T), rate), params)
    if found is None:
        return None
    beats = np.array(truth["beats"])
    opens = beats[np.array(truth["positions"], dtype=int) == 1]
    given = found.times[found.positions == 1]
    f = float(mir_eval.beat.f_measure(opens, given)) if opens.size and given.size else 0.0
    return Judged(path.stem, found.signs, f >= shipped.RIGHT_DOWNBEAT_F)


def fit(rows: NDArray[np.float64], right: NDArray[np.bool_], names: list[str]) -> NDArray[np.float64]:
    """Weights of a logistic regression, shape (n_signs,); the penalty keeps them finite."""
    target = right.astype(np.float64)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = rows @ weights
        value = float(np.logaddexp(0.0, odds).sum() - odds @ target) + 0.5 * PENALTY * float(weights @ weights)
        return value, rows.T @ (1.0 / (1.0 + np.exp(-odds)) - target) + PENALTY * weights

    bounds = [BOUNDS.get(name, (None, None)) for name in names]
    best: NDArray[np.float64] = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
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
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--activation", choices=("network", "onsets"), default="network")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    paths = [path for folder in options.folders for path in sorted(folder.glob("*.flac"))]
    params = BeatParams(activation=options.activation)
    with ProcessPoolExecutor(options.processes) as pool:
        judged = [one for one in pool.map(judge, paths, [params] * len(paths)) if one is not None]
    right = np.array([one.right for one in judged])
    now = shipped.weights_for(options.activation)
    print("as it is")
    report(np.array([now.certainty(one.signs) for one in judged]), right)
    names = sorted({name for one in judged for name in one.signs})
    rows = np.array([[one.signs.get(name, 0.0) for name in names] for one in judged])
    groups = sorted({one.name.split("__")[0] for one in judged})
    fold_of = dict(zip(groups, np.random.default_rng(0).permutation(len(groups)) % FOLDS, strict=True))
    folds = np.array([fold_of[one.name.split("__")[0]] for one in judged])
    confidence = np.empty(len(judged))
    for fold in range(FOLDS):
        held = folds == fold
        confidence[held] = 1.0 / (1.0 + np.exp(-rows[held] @ fit(rows[~held], right[~held], names)))
    print("fitted anew, cross-validated")
    report(confidence, right)
    table = "".join(f'    "{n}": {w:.3f},\n' for n, w in zip(names, fit(rows, right, names), strict=True))
    name = f"_{options.activation.upper()}_SIGNS"
    print(f"{name} = {{\n{table}}}")
    if options.write:
        path = Path(str(shipped.__file__))
        before = path.read_text()
        begin = before.index(f"{name}")
        end = before.index("}\n", begin) + 2
        path.write_text(f"{before[:begin]}{name} = {{\n{table}}}\n{before[end:]}")


if __name__ == "__main__":
    main()
