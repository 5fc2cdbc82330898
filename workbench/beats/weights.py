"""Weights of the log-linear model over readings, and of the signs that a grid is right.

The weights are fitted and read from `workbench/models`, where their cards describe how: `beat_readings.json` holds the
nats, a conditional logit over the readings of pieces that the network was not trained on; `beat_confidence.json` the
signs, a logistic regression over grids of pieces that the nats were not fitted to either. No bundled track takes part.
Cues overlap, so a single weight means little.
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
from workbench.files import read_numbers
from workbench.recording import FloatArray

READINGS_FILE = "beat_readings.json"
CONFIDENCE_FILE = "beat_confidence.json"
RIGHT_DOWNBEAT_F = 0.9
"""F-measure of the downbeats, within 70 ms, from which a grid counts as right; confidence is the probability of that"""


@dataclass(frozen=True, slots=True)
class ReadingWeights:
    """Weights for one kind of evidence."""

    nats: dict[str, float]
    """nats a unit of each feature; a feature without an entry has weight 0"""
    no_pulse: float
    """nats of the reading that there is no pulse at all"""

    signs: dict[str, float]
    """log-odds a unit of each sign that a grid is right; fitted apart, on pieces that the nats were not fitted to"""

    def certainty(self, signs: Mapping[str, float]) -> float:
        """Probability that a grid has the right downbeats, F-measure at least `RIGHT_DOWNBEAT_F`, 0 to 1.

        A sign that is missing counts 0.
        """
        odds = sum(weight * signs.get(name, 0.0) for name, weight in self.signs.items())
        return float(1.0 / (1.0 + np.exp(-odds)))

    def vector(self, names: Sequence[str]) -> FloatArray:
        """The weights in the order of some features, shape (n_names,), nats a unit."""
        return np.array([self.nats.get(name, 0.0) for name in names])


@cache
def weights_for(activation: Literal["network", "onsets"]) -> ReadingWeights:
    """The fitted weights of one kind of evidence: of the network, or of a tracker that uses onsets alone."""
    reading = read_numbers(READINGS_FILE)[activation]
    return ReadingWeights(reading["nats"], reading["no_pulse"], read_numbers(CONFIDENCE_FILE)[activation])


@cache
def fitted_digest(activation: Literal["network", "onsets"]) -> str:
    """Digest of everything in the tracker that was fitted to data: the network's weights and those of the readings.

    Cached grids belong to these weights; other weights have another digest.
    """
    fitted = json.dumps(asdict(weights_for(activation)), sort_keys=True)
    network = weights_digest() if activation == "network" else ""
    return hashlib.sha256(f"{network} {fitted}".encode()).hexdigest()
