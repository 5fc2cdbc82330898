"""Fit the weights of `workbench/beats/weights.py` to practice pieces.

    python data/recipes/practice/fit.py FOLDER ...            cross-validate, then fit to all and print the weights
    python data/recipes/practice/fit.py FOLDER ... --write    put them into workbench/beats/weights.py as well

The folders hold what `generate.py` makes. A conditional logit: every reading that the tracker proposes for a piece is a
choice, described by `workbench.beats.downbeats.FEATURES`; readings whose beats and downbeats agree with the written
ones are right, and of a piece without a pulse the choice to read none. The weights maximise the summed logarithm of the
chance of the right readings, less a penalty on the squared weights of features scaled to unit spread. What is described
once is kept beside the piece (`.npz`); `--again` describes anew, as after a change to the tracker.

Needs the package installed with its `dev` extra.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import mir_eval
import numpy as np
import soundfile
from numpy.typing import NDArray
from scipy.optimize import minimize

from workbench.beats import weights as shipped
from workbench.beats.downbeats import FEATURES, gather_evidence
from workbench.beats.tempo import beat_activation
from workbench.beats.track import propose
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.params import BeatParams

Floats = NDArray[np.float64]
NULL_SPREAD = 1 / 15
"""of the choice to read no pulse, whose weight is nearly free"""
FOLDS = 5


@dataclass(frozen=True)
class Described:
    """One piece: its readings, and how well each agrees with what was written."""

    name: str
    kind: str
    features: Floats
    """shape (n_readings + 1, n_features + 1); the last row and column are the choice to read no pulse"""
    beat_f: Floats
    """shape (n_readings + 1,), as is the next"""
    downbeat_f: Floats

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which choices are right; none where the tracker proposes nothing good enough to learn from."""
        if self.kind == "no_pulse":
            nothing = np.zeros(self.beat_f.size, dtype=np.bool_)
            nothing[-1] = True
            return nothing
        counted = self.downbeat_f * (self.beat_f > 0.8 * self.beat_f.max())
        worth = self.beat_f + counted
        good: NDArray[np.bool_] = (worth > worth.max() - 0.06) & (self.beat_f > 0.6) & (worth.max() >= 1.5)
        return good


def describe(path: Path, again: bool = False) -> Described:
    """The readings of one FLAC file with its truth beside it."""
    kept = path.with_suffix(".npz")
    truth = json.loads(path.with_suffix(".json").read_text())
    if kept.exists() and not again:
        with np.load(kept) as found:
            if tuple(found["names"]) == FEATURES:
                return _described(path.stem, truth["kind"], found["features"], found["beat_f"], found["downbeat_f"])
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    spectrum = analyze_spectrum(np.ascontiguousarray(samples.T), rate)
    params = BeatParams()
    onsets = detect_onsets(spectrum, params)
    activation = beat_activation(onsets)
    pulses, readings = propose(activation, gather_evidence(activation, onsets, spectrum), params)
    beats = np.array(truth["beats"])
    downbeats = beats[np.array(truth["positions"], dtype=int) == 1]
    beat_f, downbeat_f = np.zeros(readings.pulse.size), np.zeros(readings.pulse.size)
    if beats.size:
        by_pulse = [float(mir_eval.beat.f_measure(beats, pulse.times[pulse.sounding])) for pulse in pulses]
        for k, (index, metre, first) in enumerate(
            zip(readings.pulse, readings.beats_per_bar, readings.first_position, strict=True)
        ):
            pulse = pulses[index]
            opens = (np.arange(pulse.times.size) + first - 1) % metre == 0
            beat_f[k] = by_pulse[index]
            downbeat_f[k] = mir_eval.beat.f_measure(downbeats, pulse.times[opens & pulse.sounding])
    if truth["kind"] == "click":
        # nothing tells the bar: any metre will do
        downbeat_f = (beat_f > 0.95).astype(np.float64)
    features = np.asarray(readings.features, dtype=np.float64)
    np.savez(kept, names=np.array(FEATURES), features=features, beat_f=beat_f, downbeat_f=downbeat_f)
    return _described(path.stem, truth["kind"], features, beat_f, downbeat_f)


def _described(name: str, kind: str, features: Floats, beat_f: Floats, downbeat_f: Floats) -> Described:
    choices = np.zeros((features.shape[0] + 1, features.shape[1] + 1))
    choices[:-1, :-1] = features
    choices[-1, -1] = 1.0
    return Described(name, kind, choices, np.append(beat_f, 0.0), np.append(downbeat_f, 0.0))


def fit(pieces: Sequence[Described], penalty: float) -> Floats:
    """Weights, shape (n_features + 1,), the last that of no pulse."""
    spread = np.vstack([piece.features for piece in pieces if piece.kind != "no_pulse"]).std(axis=0) + 1e-9
    spread[-1] = NULL_SPREAD
    learned = [(piece.features / spread, piece.right) for piece in pieces if piece.right.any()]

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = 0.5 * penalty * float(weights @ weights), penalty * weights
        for features, right in learned:
            score = features @ weights
            odds = np.exp(score - score.max())
            value -= float(np.log(odds[right].sum() / odds.sum() + 1e-300))
            slope = slope + odds @ features / odds.sum() - odds[right] @ features[right] / odds[right].sum()
        return value, slope

    found = minimize(loss, np.zeros(spread.size), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    best: Floats = found.x / spread
    return best


def score(piece: Described, weights: Floats) -> tuple[float, float, float]:
    """Beat F and downbeat F of the likeliest reading, and the chance that there is a pulse."""
    points = piece.features @ weights
    odds = np.exp(points - points.max())
    best = int(np.argmax(points[:-1]))
    return float(piece.beat_f[best]), float(piece.downbeat_f[best]), float(1.0 - odds[-1] / odds.sum())


def cross_validated(pieces: Sequence[Described], penalty: float) -> dict[str, tuple[float, float, float]]:
    """Scores by piece, each from weights that were fitted without it."""
    folds = np.random.default_rng(0).permutation(len(pieces)) % FOLDS
    found: dict[str, tuple[float, float, float]] = {}
    for fold in range(FOLDS):
        weights = fit([piece for piece, at in zip(pieces, folds, strict=True) if at != fold], penalty)
        found |= {piece.name: score(piece, weights) for piece, at in zip(pieces, folds, strict=True) if at == fold}
    return found


def report(pieces: Sequence[Described], scores: dict[str, tuple[float, float, float]], title: str) -> None:
    """Mean scores, in all and by style."""
    groups: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for piece in pieces:
        group = piece.name.rsplit("_", 1)[0] if piece.kind == "style" else piece.kind
        groups[group].append(scores[piece.name])
        if piece.kind != "no_pulse":
            groups["all with a pulse"].append(scores[piece.name])
    print(f"\n{title}\n{'':20} pieces  beat F  downbeat F  chance of a pulse")
    for group, rows in sorted(groups.items()):
        beat, downbeat, chance = np.mean(rows, axis=0)
        print(f"{group:20} {len(rows):6} {beat:7.3f} {downbeat:11.3f} {chance:18.3f}")


def source(weights: Floats) -> str:
    """The part of `weights.py` that follows its docstring."""
    rows = "".join(f'    "{name}": {weight:.3f},\n' for name, weight in zip(FEATURES, weights[:-1], strict=True))
    return (
        f'WEIGHTS: dict[str, float] = {{\n{rows}}}\n"""nats a unit of each feature"""\n\n'
        f'NO_PULSE: float = {weights[-1]:.3f}\n"""nats of the reading that there is no pulse at all"""\n'
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--penalty", type=float, default=2.0, help="on squared weights")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="describe pieces anew")
    parser.add_argument("--write", action="store_true", help="replace the weights in workbench/beats/weights.py")
    options = parser.parse_args()
    paths = [path for folder in options.folders for path in sorted(folder.glob("*.flac"))]
    with ProcessPoolExecutor(options.processes) as pool:
        pieces = list(pool.map(describe, paths, [options.again] * len(paths)))
    current = np.array([*(shipped.WEIGHTS[name] for name in FEATURES), shipped.NO_PULSE])
    report(pieces, {piece.name: score(piece, current) for piece in pieces}, "weights as they are")
    report(pieces, cross_validated(pieces, options.penalty), "fitted anew, cross-validated")
    written = source(fit(pieces, options.penalty))
    print(f"\n{written}")
    if options.write:
        path = Path(str(shipped.__file__))
        path.write_text(path.read_text().split("WEIGHTS: dict", 1)[0] + written)


if __name__ == "__main__":
    main()
