"""Fit `cuts.json` on drawn videos: two logistic regressions on what `workbench.video.cuts` measures.

    python -m data.recipes.fitting.cuts [--set SET]

Videos are drawn into SET/cuts where they are not there yet, from seeds that the benchmark does not use.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material.cut_videos import KINDS, Truth, strip_of_file, video
from workbench.params import CutParams
from workbench.video import cuts
from workbench.video.strip import Strip

FILE = "cuts.json"
SEEDS = (1, 2, 3, 4)
STEPS = (
    "unlike_weight", "stands_out_weight", "alone_weight", "tones_weight", "tones_alone_weight", "undone_weight",
    "afterglow_weight",
)  # fmt: skip
RAMPS = ("ends_weight", "end_tones_weight", "sag_weight", "rest_weight", "misfit_weight")
"""weights in the order of the evidence"""
_RATE = 25


def main() -> None:
    """Draw, fit, write."""
    folder = parser(__doc__).parse_args().set / "cuts"
    folder.mkdir(parents=True, exist_ok=True)
    params = CutParams()
    steps: list[tuple[bool, NDArray[np.floating]]] = []
    ramps: list[tuple[bool, NDArray[np.floating]]] = []
    for seed in SEEDS:
        for kind in KINDS:
            path = folder / f"{kind}-{seed}.mp4"
            truth = video(path, kind, seed)
            strip = strip_of_file(path)
            steps += step_examples(truth, strip, params)
            ramps += ramp_examples(truth, strip, params)
    of_steps, told_of_steps = fit("step", STEPS, steps)
    of_ramps, told_of_ramps = fit("dissolve", RAMPS, ramps)
    write_numbers(FILE, of_steps | of_ramps)
    write_figures(FILE, [told_of_steps, told_of_ramps])
    print(told_of_steps, told_of_ramps, sep="\n")


def step_examples(truth: Truth, strip: Strip, params: CutParams) -> list[tuple[bool, NDArray[np.floating]]]:
    """Every step that is considered: is it a cut, and its evidence.

    Left out is what comes so close to a cut that only the surer of the two would be kept.
    """
    true = {round(at * _RATE) for at in truth.hard}
    places = cuts.steps(strip, params)
    return [
        (int(place) in true, cuts.step_evidence(strip, int(place), places, params.featureless_range))
        for place in places
        if int(place) in true or not _inside(float(strip.times[place]), truth, params.min_shot_seconds)
    ]


def ramp_examples(truth: Truth, strip: Strip, params: CutParams) -> list[tuple[bool, NDArray[np.floating]]]:
    """Every ramp that is considered: is it a dissolve, and its evidence."""
    examples = []
    for border, evidence in cuts.ramps(strip, params):
        shares = [
            (min(border.end, end) - max(border.start, start)) / max(border.end - border.start, end - start)
            for start, end in truth.dissolves
        ]
        best = max(shares, default=0.0)
        if any(start - 0.2 < border.at < end + 0.2 for start, end in truth.fades) or 0.1 < best < 0.5:
            continue
        if any(border.start - 0.1 < cut < border.end + 0.1 for cut in truth.hard):
            continue
        examples.append((best >= 0.5, evidence))
    return examples


def _inside(time: float, truth: Truth, close: float) -> bool:
    """Whether a time lies in a fade or dissolve, beside a hard cut, or at the end, where a fade may be unfinished."""
    soft = any(start - 0.05 < time < end + 0.05 for start, end in (*truth.fades, *truth.dissolves))
    unfinished = truth.kind == "fade" and time > truth.seconds - 2.0
    return soft or unfinished or any(abs(time - cut) < close - 1e-6 for cut in truth.hard)


def fit(
    name: str, names: tuple[str, ...], examples: list[tuple[bool, NDArray[np.floating]]]
) -> tuple[dict[str, float], str]:
    """Bias and weights, to two digits, and how well they part what they were fitted to."""
    true = np.array([flag for flag, _ in examples])
    evidence = np.array([row for _, row in examples])
    mean, spread = evidence.mean(axis=0), evidence.std(axis=0)
    scaled = (evidence - mean) / spread
    weight = np.where(true, 0.5 / true.sum(), 0.5 / (~true).sum())

    def loss(values: NDArray[np.float64]) -> float:
        odds = scaled @ values[1:] + values[0]
        return float((weight * np.logaddexp(0, np.where(true, -odds, odds))).sum() + 1e-4 * (values[1:] ** 2).sum())

    fitted = minimize(loss, np.zeros(evidence.shape[1] + 1)).x
    weights = fitted[1:] / spread
    bias = fitted[0] - float(weights @ mean)
    odds = evidence @ weights + bias
    scores = {t: 2 * float(((odds > t) & true).sum()) / float((odds > t).sum() + true.sum()) for t in np.sort(odds)}
    best = max(scores, key=lambda t: scores[t])
    numbers = {f"{name}_bias": round(float(bias), 2)}
    numbers |= {key: round(float(value), 2) for key, value in zip(names, weights, strict=True)}
    told = f"- {name}: {true.sum()} true of {true.size}; F1 {scores[best]:.3f} at best, at log-odds {best:.2f}"
    return numbers, told


if __name__ == "__main__":
    main()
