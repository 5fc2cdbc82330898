"""Fit `beat_readings.json`: how much each description of a reading counts, with the network and without.

    python -m data.recipes.fitting.beat_readings [--set SET] [--songs FOLDER] [--only FEATURE ...]

Described are the pieces of SET/dev and SET/plain, which the beat network's script has made: FLAC files with their
truth, of pieces that the network has not been trained on, or it would be believed too much. A conditional logit: every
reading that the tracker proposes for a piece is a choice, described by `workbench.beats.readings.FEATURES`; readings
whose beats and downbeats agree with the written ones are right, and of a piece without a pulse the choice to read none.
The weights maximise the summed logarithm of the chance of the right readings, less a penalty on the squared weights of
features scaled to unit spread. Pieces are described anew with each run; `--kept` takes the descriptions of the last.
`--only` fits some features and keeps the weights of all others: what a description that is new adds to those there are.
`--songs` adds recordings with beats that a person set, FLAC and truth as in SET; `tests.benchmarks.elsewhere.beats`
writes them with `--write`. What they are is said on the card; a source that is fitted on is not tested on.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

os.environ.setdefault("OMP_NUM_THREADS", "1")

import mir_eval
import numpy as np
import soundfile
from numpy.typing import NDArray
from scipy.optimize import minimize

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from workbench.beats.evidence import gather_evidence
from workbench.beats.network import listen
from workbench.beats.pulses import propose
from workbench.beats.readings import FEATURES
from workbench.beats.tempo import beat_activation
from workbench.beats.weights import READINGS_FILE, weights_for
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.models.loading import read_numbers
from workbench.params import BeatParams

Floats = NDArray[np.float64]
NULL_SPREAD = 1 / 15
"""of the choice to read no pulse, whose weight is nearly free"""
FOLDS = 5
ACTIVATIONS: tuple[Literal["onsets"], Literal["network"]] = ("onsets", "network")


@dataclass(frozen=True)
class Described:
    """One piece: its readings, and how well each agrees with what was written."""

    name: str
    groups: tuple[str, ...]
    features: Floats
    """shape (n_readings + 1, n_features + 1); the last row and column are the choice to read no pulse"""
    beat_f: Floats
    """shape (n_readings + 1,), as is the next"""
    downbeat_f: Floats

    @property
    def pulseless(self) -> bool:
        """Whether there is nothing to tap."""
        return "pulseless" in self.groups

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which choices are right; none where the tracker proposes nothing good enough to learn from."""
        if self.pulseless:
            nothing = np.zeros(self.beat_f.size, dtype=np.bool_)
            nothing[-1] = True
            return nothing
        counted = self.downbeat_f * (self.beat_f > 0.8 * self.beat_f.max())
        worth = self.beat_f + counted
        good: NDArray[np.bool_] = (worth > worth.max() - 0.06) & (self.beat_f > 0.6) & (worth.max() >= 1.4)
        return good


def describe(path: Path, params: BeatParams, kept_ones: bool = False) -> Described:
    """The readings of one FLAC file with its truth beside it."""
    kept = path.with_name(f"{path.stem}.{params.activation}.readings.npz")
    truth = json.loads(path.with_suffix(".json").read_text())
    groups = (str(truth.get("family", truth.get("source", "all"))), *truth["tags"])
    if kept_ones and kept.exists():
        with np.load(kept) as found:
            if tuple(found["names"]) == FEATURES:
                return _described(path.stem, groups, found["features"], found["beat_f"], found["downbeat_f"])
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    spectrum = analyze_spectrum(np.ascontiguousarray(samples.T), rate)
    onsets = detect_onsets(spectrum, params)
    activation = beat_activation(onsets)
    heard = listen(spectrum) if params.activation == "network" else None
    pulses, readings = propose(activation, gather_evidence(activation, onsets, spectrum, heard), params)
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
            if beat_f[k] > 0.3:
                downbeat_f[k] = mir_eval.beat.f_measure(downbeats, pulse.times[opens & pulse.sounding])
    if "click" in groups:
        # nothing tells the bar: any metre will do
        downbeat_f = (beat_f > 0.95).astype(np.float64)
    features = np.asarray(readings.features, dtype=np.float64)
    np.savez(kept, names=np.array(FEATURES), features=features, beat_f=beat_f, downbeat_f=downbeat_f)
    return _described(path.stem, groups, features, beat_f, downbeat_f)


def _described(name: str, groups: tuple[str, ...], features: Floats, beat_f: Floats, downbeat_f: Floats) -> Described:
    choices = np.zeros((features.shape[0] + 1, features.shape[1] + 1))
    choices[:-1, :-1] = features
    choices[-1, -1] = 1.0
    return Described(name, groups, choices, np.append(beat_f, 0.0), np.append(downbeat_f, 0.0))


def fit(pieces: Sequence[Described], penalty: float, kept: Floats | None = None, only: Sequence[str] = ()) -> Floats:
    """Weights, shape (n_features + 1,), the last that of no pulse; those of features not in `only` as in `kept`."""
    spread = np.vstack([piece.features for piece in pieces if not piece.pulseless]).std(axis=0)
    unused = spread < 1e-9
    spread = np.where(unused, 1.0, spread)
    spread[-1] = NULL_SPREAD
    free = np.array([not only or name in only for name in (*FEATURES, None)])
    fixed = np.zeros(spread.size) if kept is None else np.where(free, 0.0, kept)
    learned = [
        (piece.features[:, free] / spread[free], piece.features @ fixed, piece.right)
        for piece in pieces
        if piece.right.any()
    ]

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = 0.5 * penalty * float(weights @ weights), penalty * weights
        for features, known, right in learned:
            score = features @ weights + known
            odds = np.exp(score - score.max())
            value -= float(np.log(odds[right].sum() / odds.sum() + 1e-300))
            slope = slope + odds @ features / odds.sum() - odds[right] @ features[right] / odds[right].sum()
        return value, slope

    start = np.zeros(int(free.sum()))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    best: Floats = fixed.copy()
    best[free] = found.x / spread[free]
    return best


def score(piece: Described, weights: Floats) -> tuple[float, float, float]:
    """Beat F and downbeat F of the likeliest reading, and the chance that there is a pulse."""
    points = piece.features @ weights
    odds = np.exp(points - points.max())
    if points.size == 1:
        return 0.0, 0.0, 0.0
    best = int(np.argmax(points[:-1]))
    return float(piece.beat_f[best]), float(piece.downbeat_f[best]), float(1.0 - odds[-1] / odds.sum())


def cross_validated(
    pieces: Sequence[Described], penalty: float, kept: Floats, only: Sequence[str]
) -> dict[str, tuple[float, float, float]]:
    """Scores by piece, each from weights that were fitted without it."""
    folds = np.random.default_rng(0).permutation(len(pieces)) % FOLDS
    found: dict[str, tuple[float, float, float]] = {}
    for fold in range(FOLDS):
        weights = fit([piece for piece, at in zip(pieces, folds, strict=True) if at != fold], penalty, kept, only)
        found |= {piece.name: score(piece, weights) for piece, at in zip(pieces, folds, strict=True) if at == fold}
    return found


def report(pieces: Sequence[Described], scores: dict[str, tuple[float, float, float]], title: str) -> list[float]:
    """Print mean scores, by family and tag, beside the best that was proposed; returns those of all with a pulse."""
    groups: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for piece in pieces:
        counted = piece.downbeat_f * (piece.beat_f > 0.8 * piece.beat_f.max())
        best = int(np.argmax(piece.beat_f + counted))
        row = (*scores[piece.name], float(piece.beat_f[best]), float(piece.downbeat_f[best]))
        for group in piece.groups:
            groups[group].append(row)
        if not piece.pulseless:
            groups["all with a pulse"].append(row)
    print(f"\n{title}\n{'':20} pieces  beat F  downbeat F  pulse  best beat F  best downbeat F")
    for group, rows in sorted(groups.items()):
        beat, downbeat, chance, most, most_down = np.mean(rows, axis=0)
        print(f"{group:20} {len(rows):6} {beat:7.3f} {downbeat:11.3f} {chance:6.3f} {most:12.3f} {most_down:16.3f}")
    return [float(value) for value in np.mean(groups["all with a pulse"], axis=0)]


def main() -> None:
    """Describe, cross-validate, fit to all, write."""
    options = parser(__doc__)
    options.add_argument("--penalty", type=float, default=2.0, help="on squared weights")
    options.add_argument("--processes", type=int, default=os.cpu_count())
    options.add_argument("--kept", action="store_true", help="take the descriptions of the last run")
    options.add_argument("--songs", type=Path, help="folder of recordings to fit on too")
    options.add_argument("--only", nargs="+", default=(), choices=FEATURES, metavar="FEATURE", help="fit these alone")
    given = options.parse_args()
    paths = [path for name in ("dev", "plain") for path in sorted((given.set / name).glob("*.flac"))]
    if not paths:
        raise SystemExit(f"{given.set}: there are no pieces in dev and plain; `make fit MODEL=beat_network` makes them")
    songs = sorted(given.songs.glob("*.flac")) if given.songs else []
    paths += songs
    numbers, figures = read_numbers(READINGS_FILE), []
    for activation in ACTIVATIONS:
        if activation == "onsets" and given.only and all(name.startswith("heard_") for name in given.only):
            continue  # none of these is known without the network
        params = BeatParams(activation=activation)
        with ProcessPoolExecutor(given.processes) as pool:
            pieces = list(pool.map(describe, paths, [params] * len(paths), [given.kept] * len(paths)))
        now = weights_for(activation)
        current = np.array([*now.vector(FEATURES), now.no_pulse])
        report(pieces, {piece.name: score(piece, current) for piece in pieces}, f"{activation}: weights as they are")
        scores = cross_validated(pieces, given.penalty, current, given.only)
        beat, downbeat, _, most, most_down = report(pieces, scores, f"{activation}: fitted anew, cross-validated")
        weights = fit(pieces, given.penalty, current, given.only)
        nats = {name: round(float(weight), 3) for name, weight in zip(FEATURES, weights, strict=False) if weight}
        numbers[activation] = {"nats": nats, "no_pulse": round(float(weights[-1]), 3)}
        fitted = f", only {', '.join(given.only)}" if given.only else ""
        figures.append(
            f"- {activation}{fitted}: {len(pieces) - len(songs)} pieces "
            f"and {len(songs)} songs in {FOLDS} parts, each scored by weights fitted to the others: "
            f"beat F {beat:.3f} of {most:.3f} that a right choice has, downbeat F {downbeat:.3f} of {most_down:.3f}"
        )
    write_numbers(READINGS_FILE, numbers)
    write_figures(READINGS_FILE, figures)


if __name__ == "__main__":
    main()
