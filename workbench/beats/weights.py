"""Weights of the log-linear model over readings, and of the signs that a grid is right.

Fitted, not chosen. The nats are a conditional logit (maximum likelihood, squared weights at 2 each after scaling) over
the readings of pieces that the network was not trained on; the signs a logistic regression over grids of pieces that
the nats were not fitted to either. `data/recipes/training` makes the pieces (`generate.py`) and fits (`fit.py`,
`certainty.py`). No bundled song takes part. Cues overlap, so a single sign means little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.recording import FloatArray


@dataclass(frozen=True, slots=True)
class ReadingWeights:
    """Weights for one kind of evidence."""

    nats: dict[str, float]
    """nats a unit of each feature; a feature without an entry has no say"""
    no_pulse: float
    """nats of the reading that there is no pulse at all"""

    signs: dict[str, float]
    """log-odds a unit of each sign that a grid is right; fitted apart, on pieces that the nats were not fitted to"""

    def certainty(self, signs: Mapping[str, float]) -> float:
        """Chance that a grid has the right downbeats, 0 to 1."""
        odds = sum(weight * signs.get(name, 0.0) for name, weight in self.signs.items())
        return float(1.0 / (1.0 + np.exp(-odds)))

    def vector(self, names: Sequence[str]) -> FloatArray:
        """The weights in the order of the names."""
        return np.array([self.nats.get(name, 0.0) for name in names])


_ONSETS = {
    "one_harmony_beat": 0.968,
    "one_harmony_bar": 2.467,
    "one_bass": -0.363,
    "one_low": 0.965,
    "one_chest": -0.268,
    "one_middle": 0.263,
    "one_noise": 0.055,
    "one_top": 0.210,
    "one_attack": 0.290,
    "one_border": 2.025,
    "one_harmony_bar_in_4": -0.391,
    "one_bass_in_4": -0.365,
    "one_low_in_4": -0.512,
    "one_border_in_4": -0.090,
    "odd_low_in_4": 1.675,
    "odd_crack_in_4": -0.167,
    "odd_noise_in_4": -0.777,
    "odd_harmony_bar_in_4": -0.312,
    "third_low_in_4": -1.767,
    "one_crack_in_3": 0.158,
    "repeats": 3.233,
    "repeats_slow": 20.566,
    "starts_on_one": 2.005,
    "ends_on_one": 0.076,
    "metre_3": -0.642,
    "metre_2": 0.724,
    "metre_5": -2.796,
    "metre_6": -6.073,
    "metre_7": -2.677,
    "ternary_in_2": -0.028,
    "ternary_else": -0.378,
    "tempo": 1.830,
    "tempo_squared": -1.680,
    "tempo_in_2": -0.017,
    "bar_squared": -0.609,
    "on_attack": 0.193,
    "half_attack": -0.651,
    "quarter_attack": -1.363,
    "third_attack": -1.494,
    "on_low": 4.060,
    "half_low": 0.115,
    "quarter_low": -1.849,
    "on_crack": 0.794,
    "half_crack": -0.457,
    "quarter_crack": 1.106,
    "on_top": 0.513,
    "half_top": 0.089,
    "quarter_top": -1.108,
    "on_middle": 0.437,
    "half_middle": 1.206,
    "support": 14.192,
    "alternation": 0.170,
}
_ONSETS_NO_PULSE = 14.683
_ONSETS_SIGNS = {
    "constant": -0.370,
    "margin": 0.591,
    "steady": 0.157,
}
_NETWORK = {
    "one_harmony_beat": 0.322,
    "one_harmony_bar": 1.951,
    "one_bass": 0.009,
    "one_low": 0.125,
    "one_chest": 0.572,
    "one_middle": -0.223,
    "one_noise": -0.305,
    "one_top": 0.490,
    "one_attack": -0.049,
    "one_border": 1.074,
    "one_harmony_bar_in_4": -0.576,
    "one_bass_in_4": -0.447,
    "one_low_in_4": 0.716,
    "one_border_in_4": 0.545,
    "odd_low_in_4": 0.327,
    "odd_crack_in_4": -0.556,
    "odd_noise_in_4": -0.001,
    "odd_harmony_bar_in_4": -0.726,
    "third_low_in_4": -0.888,
    "one_crack_in_3": -0.084,
    "repeats": -6.376,
    "repeats_slow": 26.596,
    "starts_on_one": 1.335,
    "ends_on_one": 0.390,
    "metre_3": 0.756,
    "metre_2": 0.246,
    "metre_5": -0.189,
    "metre_6": -3.207,
    "metre_7": -1.357,
    "ternary_in_2": 0.631,
    "ternary_else": -0.208,
    "tempo": 0.490,
    "tempo_squared": 0.283,
    "tempo_in_2": -0.433,
    "bar_squared": -0.252,
    "on_attack": 2.203,
    "half_attack": -2.204,
    "quarter_attack": 0.773,
    "third_attack": -0.170,
    "on_low": 1.907,
    "half_low": 1.802,
    "quarter_low": -1.410,
    "on_crack": 0.285,
    "half_crack": -0.931,
    "quarter_crack": 0.982,
    "on_top": -0.404,
    "half_top": -0.206,
    "quarter_top": -2.946,
    "on_middle": -3.192,
    "half_middle": 0.509,
    "support": 3.946,
    "alternation": 0.146,
    "heard_on": 0.423,
    "heard_half": 0.070,
    "heard_third": -0.141,
    "heard_quarter": -0.576,
    "heard_missed": -1.590,
    "heard_confirmed": 0.440,
    "heard_f": 0.430,
    "heard_tempo": 1.398,
    "heard_metre": 1.013,
    "heard_one": 1.035,
    "heard_others": -0.145,
    "heard_second": -0.062,
    "heard_ternary_in_2": -0.612,
    "heard_ternary_else": -0.213,
}
_NETWORK_NO_PULSE = 3.178
_NETWORK_SIGNS = {
    "bar_lines": 0.000,
    "beats": 0.054,
    "constant": -0.036,
    "margin": 0.664,
    "missed": 0.000,
    "steady": 0.000,
}

ONSETS = ReadingWeights(_ONSETS, _ONSETS_NO_PULSE, _ONSETS_SIGNS)
"""for a tracker that goes by onsets alone"""

NETWORK = ReadingWeights(_NETWORK, _NETWORK_NO_PULSE, _NETWORK_SIGNS)
"""for a tracker that listens with the network too"""


def weights_for(activation: Literal["network", "onsets"]) -> ReadingWeights:
    """The weights of one kind of evidence."""
    return NETWORK if activation == "network" else ONSETS
