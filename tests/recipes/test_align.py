"""What align's scores promise: a known slope and a known rule are found again, and what ships is what was fitted."""

from __future__ import annotations

import numpy as np
import pytest

from data.recipes.fitting.align import TOLD_BY_CHANCE, beyond_chance, fitted_odds, fitted_trust
from data.recipes.material.planted_pairs import Case, plant, static_video
from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import CHANCE_SCORE, place
from workbench.features.marks import marks_of
from workbench.files import read_numbers
from workbench.params import AlignParams
from workbench.params.align import AlignModel


def track() -> Landmarks:
    rng = np.random.default_rng(5)
    lines = [(2.0 * k, "downbeat", 0.2, 0.04) for k in range(1, 60)]
    drops = [(float(at), "drop", 0.8, 0.03) for at in rng.uniform(5.0, 115.0, 12)]
    return Landmarks(marks_of(LANDMARK_KINDS, [*lines, *drops]), 122.0, 0.0, 121.0)


def test_a_slope_is_found_again() -> None:
    rng = np.random.default_rng(1)
    beyond = rng.normal(0.0, 3.0, 20_000)
    planted = rng.random(beyond.size) < 1.0 / (1.0 + np.exp(-(0.5 + 1.2 * beyond)))
    assert fitted_trust(planted, beyond) == pytest.approx(1.2, abs=0.1)


def test_odds_let_one_in_a_hundred_be_told_as_a_fact() -> None:
    beyond = np.random.default_rng(2).normal(-4.0, 2.0, 10_000)
    odds = fitted_odds(beyond, 1.25) * np.exp(1.25 * beyond)
    assert np.mean(odds / (1.0 + odds) >= CHANCE_SCORE) == pytest.approx(TOLD_BY_CHANCE, abs=1e-3)


def test_what_lies_beyond_chance_gives_the_score() -> None:
    landmarks, rng, params = track(), np.random.default_rng(3), AlignParams(model=AlignModel(bare_cost=0.0))
    planted = plant(landmarks, rng, "exact")
    assert planted is not None
    some = [planted.events, static_video(rng)]
    beyond = beyond_chance([Case("any", "any", landmarks, events, None) for events in some])
    assert beyond[0] > 2.0 > -2.0 > beyond[1]
    first = place(landmarks, some[0], params)[0]
    odds = params.model.prior_odds * np.exp(params.model.trust * beyond[0])
    assert first.certainty == pytest.approx(odds / (1.0 + odds), abs=1e-6)


def test_what_ships_is_what_was_fitted() -> None:
    shipped, model = read_numbers("align.json"), AlignParams().model
    assert (model.prior_odds, model.trust) == (shipped["prior_odds"], shipped["trust"])
