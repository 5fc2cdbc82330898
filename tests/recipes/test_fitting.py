"""Fits: what is known is found again, what ships is what was fitted, and what scripts write."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from data.recipes.fitting import cards, match, underscore
from data.recipes.fitting.align import TOLD_BY_CHANCE, beyond_chance, fitted_odds, fitted_trust
from data.recipes.fitting.match_scores import left_out, promised_wrong
from data.recipes.fitting.tables import OutdatedTable, check_table
from data.recipes.material.grading import fit_calibration
from data.recipes.material.planted_pairs import Case, plant, static_video
from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import CHANCE_SCORE, place
from workbench.features.marks import marks_of
from workbench.files import model_path, read_numbers
from workbench.matching.lane import Calibration, calibrated
from workbench.matching.language.embedding import DEPTHS, DIMS
from workbench.matching.video_ranking import scores_of
from workbench.matching.video_reference import FILE as MATCH_SET
from workbench.matching.video_reference import read_reference as read_match_reference
from workbench.params import AlignParams, MatchParams, UnderscoreParams
from workbench.params.align import AlignModel
from workbench.recording import FloatArray

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.stem for path in (ROOT / "data/recipes/fitting").glob("[a-z]*.py") if path.stem not in ("cards", "tables")
)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cards, "model_path", lambda name: tmp_path / name)
    return tmp_path


def test_numbers_are_written_to_the_bit(models: Path) -> None:
    numbers = {"bias": 0.1 + 0.2, "weights": [1e-300, -0.0]}
    cards.write_numbers("a.json", numbers)
    assert json.loads((models / "a.json").read_text()) == numbers


def test_figures_take_the_place_of_the_last_ones(models: Path) -> None:
    card = models / "a.md"
    card.write_text(f"# A\n\n{cards._BEGIN}\n- old\n{cards._END}\n\nMade again.\n")
    for _ in range(2):
        cards.write_figures("a.json", ["- one", "- two"])
        assert card.read_text() == f"# A\n\n{cards._BEGIN}\n- one\n- two\n{cards._END}\n\nMade again.\n"
    card.write_text("# A\n")
    with pytest.raises(ValueError, match=r"a\.md"):
        cards.write_figures("a.json", [])


def test_make_fit_runs_every_script() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = re.findall(r"^MODEL \?= (.*)$", makefile, re.MULTILINE)
    assert sorted(" ".join(named).split()) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_has_a_card_with_a_place_for_figures(name: str) -> None:
    card = (ROOT / "workbench/models" / f"{name}.md").read_text()
    assert f"make fit MODEL={name}`" in card
    assert cards._BEGIN in card
    assert cards._END in card


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


DICE = np.random.default_rng(3)
RAW = DICE.uniform(0.2, 0.9, (30, 200))
TAKEN = 1.0 / (1.0 + np.exp(-(-6.0 + 9.0 * RAW)))
GROUPS = np.repeat(["a", "b", "c"], 10)


def test_what_is_a_curve_is_found_without_the_source_itself() -> None:
    np.testing.assert_allclose(left_out(RAW, TAKEN, GROUPS), TAKEN, atol=0.01)
    other = TAKEN.copy()
    other[GROUPS == "c"] = 1.0
    np.testing.assert_array_equal(left_out(RAW, other, GROUPS)[20:], left_out(RAW, TAKEN, GROUPS)[20:])


def test_promises_are_held_against_shares() -> None:
    assert promised_wrong(TAKEN, TAKEN) == 0.0
    assert promised_wrong(np.full(10, 0.9), np.full(10, 0.5)) == pytest.approx(0.4)
    # Within a tenth, what is too much here and too little there is right on the whole.
    assert promised_wrong(np.array([0.42, 0.48]), np.array([0.48, 0.42])) == pytest.approx(0.0)
    assert promised_wrong(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(1.0)


def test_the_curve_that_ships_rises_and_is_the_one_of_match() -> None:
    shipped, params = read_numbers("match_scores.json"), MatchParams()
    assert (params.model.calibration_offset, params.model.calibration_slope) == (shipped["offset"], shipped["slope"])
    assert np.all(np.diff(scores_of(np.linspace(0.0, 1.0, 11), params)) > 0.0)


def test_sets_that_ship_were_made_with_the_features_of_today() -> None:
    check_table(model_path(MATCH_SET), match.VERSIONS)
    check_table(model_path(underscore.SET), underscore.versions())


def test_a_set_of_other_features_is_refused_in_one_line(tmp_path: Path) -> None:
    versions = {"picture": 5, "soundtrack": 7}
    np.savez(tmp_path / "a.npz", versions=np.array(json.dumps(versions)))
    check_table(tmp_path / "a.npz", versions)
    with pytest.raises(OutdatedTable, match=r"^a\.npz was made with .*'picture': 5.*'picture': 6[^\n]*$"):
        check_table(tmp_path / "a.npz", versions | {"picture": 6})


def test_underscore_is_calibrated_as_it_ships() -> None:
    params, shipped = UnderscoreParams(), read_numbers(underscore.FILE)
    offset, slope = underscore.fit(underscore.read_set(), params)
    assert (round(offset, 3), round(slope, 3)) == (shipped["calibration_offset"], shipped["calibration_slope"])
    card = model_path(underscore.FILE).with_suffix(".md").read_text()
    (figure,) = re.findall(r"scripts of the fit: ([\d.]+)", card)
    assert f"{underscore.mean_ndcg(underscore.read_set(), params):.3f}" == figure


@pytest.mark.slow
def test_match_has_the_constants_that_its_fit_finds() -> None:
    params = MatchParams()
    found = match.fit(read_match_reference(), params)
    for name in read_numbers(match.FILE):
        assert match.value_of(found, name) == match.value_of(params, name), name


def test_a_fitted_curve_says_how_often_tracks_were_taken() -> None:
    dice = np.random.default_rng(5)
    raw = dice.uniform(0.0, 1.0, 20_000)
    truth = Calibration(-4.0, 7.0)
    taken = (dice.random(raw.size) < calibrated(raw, truth)).astype(np.float64)
    fitted = fit_calibration(raw, taken)
    assert fitted.offset == pytest.approx(truth.offset, abs=0.3)
    assert fitted.slope == pytest.approx(truth.slope, abs=0.4)
    assert calibrated(raw, fitted).mean() == pytest.approx(taken.mean(), abs=1e-3)


def test_a_fit_stays_finite_where_nothing_is_mistaken() -> None:
    raw = np.linspace(0.0, 1.0, 50)
    fitted = fit_calibration(raw, (raw > 0.5).astype(np.float64))
    assert np.isfinite(fitted).all()
    assert fitted.slope > 10.0


def test_scores_are_probabilities_of_being_taken() -> None:
    reference = underscore.read_set()
    curve = Calibration(UnderscoreParams().model.calibration_offset, UnderscoreParams().model.calibration_slope)
    scores = calibrated(reference.raw(UnderscoreParams()), curve)
    assert scores.mean() == pytest.approx(reference.taken.mean(), abs=2e-3)
    for low in np.arange(0.0, 0.6, 0.1):
        some = (scores >= low) & (scores < low + 0.1)
        assert reference.taken[some].mean() == pytest.approx(scores[some].mean(), abs=0.15)


def _spoken_lines() -> tuple[FloatArray, FloatArray]:
    generator = np.random.default_rng(5)
    return generator.normal(size=(12, len(DEPTHS), DIMS)), generator.normal(size=(12, 3))


def test_a_regression_without_penalty_says_what_it_was_taught() -> None:
    states, targets = _spoken_lines()
    np.testing.assert_allclose(underscore.regress(states, targets, penalty=1e-9).read(states), targets, atol=1e-5)


def test_a_regression_with_a_large_penalty_says_the_mean() -> None:
    states, targets = _spoken_lines()
    read = underscore.regress(states, targets, penalty=1e9).read(states)
    np.testing.assert_allclose(read, np.tile(targets.mean(axis=0), (12, 1)), atol=1e-6)


def test_far_from_all_lines_a_regression_says_the_mean() -> None:
    """A linear one would say the more, the farther away a text is."""
    states, targets = _spoken_lines()
    far = states + 10.0 * (states[:1] - states.mean(axis=0))
    read = underscore.regress(states, targets, penalty=1e-9).read(far)
    np.testing.assert_allclose(read, np.tile(targets.mean(axis=0), (12, 1)), atol=1e-3)
