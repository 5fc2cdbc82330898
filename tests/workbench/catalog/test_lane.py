"""Which tracks are put forward, and what their scores mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from workbench.features.descriptors import SOUND_DIMS
from workbench.matching.columns import Columns, empty_columns
from workbench.matching.lane import Calibration, calibrated, fit_calibration, pick


def catalog(rows: int) -> Columns:
    """Tracks that differ in everything."""
    columns = empty_columns(np.array([f"trk_{k}" for k in range(rows)], dtype=object))
    sound = np.random.default_rng(3).normal(size=(rows, SOUND_DIMS))
    sound /= np.linalg.norm(sound, axis=1, keepdims=True)
    return replace(columns, sound=sound.astype(np.float16))


def test_ten_are_picked_in_the_order_given() -> None:
    order = np.random.default_rng(1).permutation(30)
    assert pick(order, catalog(30)).tolist() == order[:10].tolist()


def test_no_song_comes_twice_not_even_to_fill_up() -> None:
    columns = replace(catalog(30), song=np.arange(30) % 6)
    assert pick(np.arange(30), columns).tolist() == [0, 1, 2, 3, 4, 5]


def test_equal_bytes_come_once_while_there_is_something_else() -> None:
    columns = replace(catalog(12), audio=np.array([0, 0, 0, *range(3, 12)]))
    assert pick(np.arange(12), columns).tolist() == [0, *range(3, 12)]
    assert pick(np.arange(5), columns).tolist() == [0, 1, 2, 3, 4]


def test_pieces_that_sound_much_the_same_come_once_an_artist() -> None:
    columns = catalog(14)
    sound = columns.sound.astype(np.float64)
    sound[1] = sound[0] + 0.12 * sound[1]
    sound[2] = sound[0] + 0.001 * sound[2]
    sound /= np.linalg.norm(sound, axis=1, keepdims=True)
    columns = replace(columns, sound=sound.astype(np.float16))
    assert 0.97 < float(sound[0] @ sound[1]) < 0.9995
    of_one = {0: "Sorrel", 1: "Sorrel", 2: None}
    of_two = {0: "Sorrel", 1: "Fen", 2: None}
    assert pick(np.arange(14), columns, 3, artist_of=of_one.get).tolist() == [0, 3, 4]
    assert pick(np.arange(14), columns, 3, artist_of=of_two.get).tolist() == [0, 1, 3]
    assert pick(np.arange(14), columns, 3).tolist() == [0, 1, 3]


def test_silent_tracks_without_a_vector_are_no_duplicates() -> None:
    columns = replace(catalog(4), sound=np.zeros((4, SOUND_DIMS), dtype=np.float16))
    assert pick(np.arange(4), columns).tolist() == [0, 1, 2, 3]


def test_a_score_does_not_depend_on_the_others() -> None:
    curve = Calibration(-3.0, 6.0)
    alone = calibrated(np.array([0.7]), curve)
    among = calibrated(np.array([0.1, 0.7, 0.95]), curve)
    assert alone[0] == among[1]
    assert np.all(np.diff(among) > 0)
    assert calibrated(np.array([0.5]), curve)[0] == pytest.approx(0.5)


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
