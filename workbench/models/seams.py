"""The seam score: a logistic regression on the breaks of a splice, and the scales that the breaks are measured on."""

from __future__ import annotations

from pydantic import NonNegativeFloat

from workbench.files import FittedModel, read_numbers

_FITTED = read_numbers("seams.json")


class SeamModel(FittedModel):
    """Weights and scales of the parts of a seam's score; the weights are fitted, see `seams.md`.

    A weight is the log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick. Nobody hears a break
    under `min_`, and anybody hears one over `max_`, whatever the track does itself.
    """

    expectation_weight: NonNegativeFloat = _FITTED["expectation_weight"]
    context_weight: NonNegativeFloat = _FITTED["context_weight"]
    ringing_weight: NonNegativeFloat = _FITTED["ringing_weight"]
    pulse_weight: NonNegativeFloat = _FITTED["pulse_weight"]
    harmony_weight: NonNegativeFloat = _FITTED["harmony_weight"]
    level_weight: NonNegativeFloat = _FITTED["level_weight"]
    brightness_weight: NonNegativeFloat = _FITTED["brightness_weight"]
    repetition_weight: NonNegativeFloat = _FITTED["repetition_weight"]
    texture_weight: NonNegativeFloat = _FITTED["texture_weight"]
    air_weight: NonNegativeFloat = _FITTED["air_weight"]
    unbroken_log_odds: NonNegativeFloat = _FITTED["unbroken_log_odds"]
    """log-odds that nobody hears a splice without any break"""

    own_break_share: NonNegativeFloat = 0.5
    """share of the track's own typical break that halves a part"""
    min_expectation: NonNegativeFloat = 0.01
    """cosine distance"""
    max_expectation: NonNegativeFloat = 0.06
    min_context: NonNegativeFloat = 0.01
    """cosine distance"""
    max_context: NonNegativeFloat = 0.06
    min_ringing: NonNegativeFloat = 0.01
    """share of the sound that is lost"""
    max_ringing: NonNegativeFloat = 0.1
    min_pulse: NonNegativeFloat = 0.05
    """cosine distance"""
    max_pulse: NonNegativeFloat = 0.15
    min_harmony: NonNegativeFloat = 0.08
    """cosine distance"""
    max_harmony: NonNegativeFloat = 0.33
    min_level: NonNegativeFloat = 1.5
    """dB; a smaller step is hidden by a gain and a glide"""
    max_level: NonNegativeFloat = 6.0
    min_brightness: NonNegativeFloat = 0.15
    """octaves"""
    max_brightness: NonNegativeFloat = 0.6
