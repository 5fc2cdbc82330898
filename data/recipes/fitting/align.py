"""Fit `align.json`: what a placement's score promises, on videos cut to recordings by others and on videos not so cut.

    python -m data.recipes.fitting.align [--set SET]

The pairs of `data.recipes.material.planted_pairs` from the sources for fitting, fetched into SET/videos and
SET/recordings. `trust` is the slope of a logistic regression of whether events were planted on how far the evidence of
the best placement lies beyond chance; both kinds of pairs weigh the same. `prior_odds` then follow from a rule: of the
pairs with nothing planted, one in a hundred reaches the score from which a placement is told as a fact. Both are
rounded to what another draw of the pairs would give too. The order of placements does not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material.elsewhere_pairs import fetch_pairs
from data.recipes.material.planted_pairs import Case, cases
from workbench.align.placements import CHANCE_SCORE, place
from workbench.params import AlignParams
from workbench.params.align import AlignModel
from workbench.recording import BoolArray, FloatArray

FILE = "align.json"
TOLD_BY_CHANCE = 0.01
"""share of pairs with nothing planted whose first placement is told as a fact"""
_TRUST_STEP = 0.25
_AS_MEASURED = AlignParams(max_placements=1, model=AlignModel(trust=1.0, prior_odds=1.0, bare_cost=0.0))
"""under which the log-odds of a certainty are what lies beyond chance"""


def beyond_chance(pairs: Sequence[Case]) -> FloatArray:
    """How far the evidence of each pair's best placement lies beyond chance, nats; far under 0 where there is none."""
    found = [place(case.landmarks, case.events, _AS_MEASURED) for case in pairs]
    certainty = np.clip([each[0].certainty if each else 0.0 for each in found], 1e-15, 1.0 - 1e-15)
    return np.asarray(np.log(certainty) - np.log1p(-certainty))


def fitted_trust(planted: BoolArray, beyond: FloatArray) -> float:
    """Slope of the logistic regression, as it is."""
    weight = np.where(planted, 1.0 / np.sum(planted), 1.0 / np.sum(~planted))

    def loss(beta: FloatArray) -> float:
        margin = np.where(planted, 1.0, -1.0) * (beta[0] + beta[1] * beyond)
        return float(weight @ np.logaddexp(0.0, -margin))

    return float(minimize(loss, np.array([0.0, 1.0])).x[1])


def fitted_odds(beyond: FloatArray, trust: float) -> float:
    """Prior odds under which one in a hundred of some pairs, none of them planted, reaches `CHANCE_SCORE`."""
    reached = float(np.quantile(trust * beyond, 1.0 - TOLD_BY_CHANCE))
    return float(CHANCE_SCORE / (1.0 - CHANCE_SCORE) * np.exp(-reached))


def main() -> None:
    """Fetch, measure, fit, write."""
    folder: Path = parser(__doc__).parse_args().set
    videos, music = fetch_pairs(folder, "fit")
    pairs = cases(music, videos, folder / "align", "fit")
    planted, beyond = np.array([case.offset is not None for case in pairs]), beyond_chance(pairs)
    slope = fitted_trust(planted, beyond)
    trust = _TRUST_STEP * round(slope / _TRUST_STEP)
    odds = fitted_odds(beyond[~planted], trust)
    numbers = {"prior_odds": float(f"{odds:.1g}"), "trust": trust}
    write_numbers(FILE, numbers)
    told = np.log(numbers["prior_odds"]) + trust * beyond >= np.log(CHANCE_SCORE / (1.0 - CHANCE_SCORE))
    figures = [
        f"- before rounding: trust {slope:.2f}, prior odds {odds:.3f}",
        f"- a score of {CHANCE_SCORE:g} or more: {100 * np.mean(told[planted]):.0f} % of {planted.sum()} pairs with "
        f"planted events, {100 * np.mean(told[~planted]):.1f} % of {(~planted).sum()} without",
    ]
    write_figures(FILE, figures)
    print(*figures, sep="\n")


if __name__ == "__main__":
    main()
