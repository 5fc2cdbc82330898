"""The fitted weights that describe a recording's character: read from `workbench/models/character.json`, applied here.

`character.json` holds three linear models and their cards: `key` (a score for each of 24 keys), `voice` and `drums`
(log-odds). They were fitted on composed pieces; the cards state how many, and the accuracy on held-out pieces.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np

from workbench.files import read_numbers
from workbench.recording import FloatArray

FILE = "character.json"


def chance(name: Literal["voice", "drums"], clues: FloatArray) -> float:
    """Probability by one of the logistic models, from `vocals.voice_clues` or `drums.strike_clues`."""
    model = _models()[name]
    standard = (clues - model["mean"]) / model["scale"]
    odds = float(np.clip(standard @ model["weights"] + model["bias"], -30.0, 30.0))
    return float(1.0 / (1.0 + np.exp(-odds)))


def key_scores(profile: FloatArray) -> FloatArray:
    """Log-probability of each key, up to a constant, of a `tone_profile`; shape (12, 2): tonic from C, mode."""
    model = _models()["key"]
    seen = np.stack([np.roll(profile, -tonic, axis=1).ravel() for tonic in range(12)])
    scores = (seen - model["mean"]) @ model["weights"].T
    scores[:, 1] += model["bias"]
    return np.asarray(scores)


@cache
def _models() -> dict[str, Any]:
    return {
        name: {part: np.array(value) if isinstance(value, list) else value for part, value in model.items()}
        for name, model in read_numbers(FILE).items()
    }
