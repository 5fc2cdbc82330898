"""Weights of the log-linear model over readings."""

from __future__ import annotations

import numpy as np

from workbench.beats.downbeats import FEATURES
from workbench.recording import FloatArray

WEIGHTS: dict[str, float] = {
    "one_harmony_beat": 2.752,
    "one_harmony_bar": 1.684,
    "one_bass": -0.440,
    "one_low": 0.656,
    "one_chest": 0.786,
    "one_middle": 1.049,
    "one_noise": -0.359,
    "one_top": 0.042,
    "one_attack": 0.763,
    "one_border": 0.862,
    "one_harmony_bar_in_4": -1.714,
    "one_bass_in_4": -0.035,
    "one_low_in_4": 0.692,
    "one_border_in_4": 1.201,
    "odd_low_in_4": 0.978,
    "odd_crack_in_4": 0.755,
    "odd_noise_in_4": -2.284,
    "odd_harmony_bar_in_4": 1.005,
    "third_low_in_4": 1.374,
    "three_one_noise_in_3": -3.749,
    "repeats": 7.093,
    "repeats_slow": -6.458,
    "starts_on_one": 3.500,
    "ends_on_one": 0.859,
    "metre_3": -0.844,
    "metre_2": 0.062,
    "ternary_in_2": 3.798,
    "ternary_else": -1.650,
    "tempo": 0.915,
    "tempo_squared": -3.428,
    "tempo_in_2": -0.645,
    "bar_squared": -1.263,
    "on_attack": 2.499,
    "half_attack": -0.809,
    "quarter_attack": -1.983,
    "third_attack": -2.586,
    "on_low": 1.249,
    "half_low": -0.679,
    "quarter_low": -1.721,
    "on_crack": 4.175,
    "half_crack": -1.365,
    "quarter_crack": -2.169,
    "on_top": 1.505,
    "half_top": -0.268,
    "quarter_top": -1.009,
    "on_middle": 4.978,
    "half_middle": 2.777,
    "harmony_half": 0.000,
    "support": 2.878,
    "alternation": -0.218,
}
"""nats a unit of each feature"""


def weight_vector() -> FloatArray:
    """The weights in the order of `FEATURES`."""
    return np.array([WEIGHTS.get(name, 0.0) for name in FEATURES])
