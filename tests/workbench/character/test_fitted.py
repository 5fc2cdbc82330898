"""Weights that ship, applied: chances are probabilities, keys move with their profile."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from workbench.features.character_model import FILE, chance, fitted_digest, key_scores
from workbench.files import model_path, read_numbers


@pytest.mark.parametrize("name", ["voice", "drums"])
def test_a_chance_lies_between_0_and_1_and_follows_the_weights(name: str) -> None:
    model = read_numbers(FILE)[name]
    mean, scale, weights = (np.array(model[part]) for part in ("mean", "scale", "weights"))
    usual = chance(name, mean)  # type: ignore[arg-type]
    assert usual == pytest.approx(1 / (1 + np.exp(-model["bias"])))
    for size in (1.0, 1e6):
        towards = chance(name, mean + size * scale * np.sign(weights))  # type: ignore[arg-type]
        away = chance(name, mean - size * scale * np.sign(weights))  # type: ignore[arg-type]
        assert 0.0 <= away < usual < towards <= 1.0


def test_scores_of_keys_move_with_the_profile() -> None:
    profile = np.random.default_rng(4).uniform(0.0, 3.0, (3, 12))
    scores = key_scores(profile)
    assert scores.shape == (12, 2)
    for up in range(12):
        np.testing.assert_allclose(key_scores(np.roll(profile, up, axis=1)), np.roll(scores, up, axis=0))


def test_the_digest_is_that_of_the_file() -> None:
    assert fitted_digest() == hashlib.sha256(model_path(FILE).read_bytes()).hexdigest()
