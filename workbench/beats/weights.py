"""Weights of the log-linear model over readings."""

from __future__ import annotations

import numpy as np

from workbench.beats.downbeats import FEATURES
from workbench.recording import FloatArray

WEIGHTS: dict[str, float] = {
    "one_harmony_beat": 1.0,
    "one_harmony_bar": 2.0,
    "one_bass": 1.0,
    "one_low": 1.0,
    "one_chest": 0.5,
    "one_noise": 0.5,
    "one_attack": 0.5,
    "one_border": 1.0,
    "odd_low_in_4": 0.5,
    "odd_crack_in_4": -0.8,
    "odd_noise_in_4": -0.5,
    "repeats": 10.0,
    "repeats_slow": 10.0,
    "starts_on_one": 1.0,
    "ends_on_one": 0.5,
    "metre_3": -1.0,
    "metre_2": -1.0,
    "ternary_in_2": 4.0,
    "tempo_squared": -3.0,
    "on_attack": 4.0,
    "half_attack": -2.0,
    "on_low": 3.0,
    "half_low": -3.0,
    "support": 2.0,
    "harmony_half": 0.0,
}


def weight_vector() -> FloatArray:
    """The weights in the order of `FEATURES`."""
    return np.array([WEIGHTS.get(name, 0.0) for name in FEATURES])
