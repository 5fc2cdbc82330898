"""Weights of the log-linear model over readings, and of the signs that a grid is right.

Fitted, not chosen. The nats are a conditional logit (maximum likelihood, squared weights at 2 each after scaling) over
the readings of pieces that the network was not trained on; the signs a logistic regression over grids of pieces that
the nats were not fitted to either. `data/recipes/training` makes the pieces (`generate.py`) and fits (`fit.py`,
`certainty.py`). No bundled song takes part. Cues overlap, so a single sign means little.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Literal

import numpy as np

from workbench.beats.network import weights_digest
from workbench.recording import FloatArray

RIGHT_DOWNBEAT_F = 0.9
"""F of the downbeats, within 70 ms, from which a grid counts as right: what its confidence is the chance of"""


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
        """Chance that a grid has the right downbeats, F of at least `RIGHT_DOWNBEAT_F`, 0 to 1."""
        odds = sum(weight * signs.get(name, 0.0) for name, weight in self.signs.items())
        return float(1.0 / (1.0 + np.exp(-odds)))

    def vector(self, names: Sequence[str]) -> FloatArray:
        """The weights in the order of the names."""
        return np.array([self.nats.get(name, 0.0) for name in names])


_ONSETS = {
    "one_harmony_beat": 1.038,
    "one_harmony_bar": 2.316,
    "one_bass": -0.184,
    "one_low": 1.068,
    "one_chest": -0.217,
    "one_middle": 0.157,
    "one_noise": 0.059,
    "one_top": 0.224,
    "one_attack": 0.278,
    "one_border": 1.887,
    "one_harmony_bar_in_4": -0.207,
    "one_bass_in_4": -0.556,
    "one_low_in_4": -0.341,
    "one_border_in_4": 0.242,
    "odd_low_in_4": 1.307,
    "odd_crack_in_4": -0.061,
    "odd_noise_in_4": -0.675,
    "odd_harmony_bar_in_4": -0.708,
    "third_low_in_4": -1.496,
    "one_crack_in_3": -0.005,
    "repeats": -0.073,
    "repeats_slow": 27.753,
    "starts_on_one": 1.994,
    "ends_on_one": 0.019,
    "metre_3": -0.760,
    "metre_2": 0.723,
    "metre_5": -2.846,
    "metre_6": -6.287,
    "metre_7": -2.708,
    "ternary_in_2": 0.104,
    "ternary_else": -0.410,
    "tempo": 1.521,
    "tempo_squared": -1.657,
    "tempo_in_2": -0.195,
    "bar_squared": -0.630,
    "on_attack": 0.713,
    "half_attack": -0.523,
    "quarter_attack": -0.793,
    "third_attack": -2.490,
    "on_low": 3.819,
    "half_low": -0.428,
    "quarter_low": -2.174,
    "on_crack": 1.073,
    "half_crack": -0.710,
    "quarter_crack": 1.443,
    "on_top": 0.869,
    "half_top": 0.116,
    "quarter_top": -1.855,
    "on_middle": -0.065,
    "half_middle": 0.992,
    "support": 12.269,
    "alternation": 0.086,
}
_ONSETS_NO_PULSE = 13.740
_ONSETS_SIGNS = {
    "constant": -0.663,
    "margin": 0.870,
    "steady": 0.160,
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


@cache
def learned_digest(activation: Literal["network", "onsets"]) -> str:
    """SHA-256, in hex, of all that a tracker has learned from data: what it hears with, and what it goes by.

    Grids that are kept belong to these weights; other weights have another digest.
    """
    fitted = json.dumps(asdict(weights_for(activation)), sort_keys=True)
    network = weights_digest() if activation == "network" else ""
    return hashlib.sha256(f"{network} {fitted}".encode()).hexdigest()
