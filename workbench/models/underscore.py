"""The score of a track for a script: how much each part counts, and the probability that a score stands for."""

from __future__ import annotations

from pydantic import NonNegativeFloat

from workbench.files import FittedModel, read_numbers

_FITTED = read_numbers("underscore.json")


class UnderscoreModel(FittedModel):
    """Weights of the parts of an underscore score and its calibration, see `underscore.md`."""

    moods_weight: NonNegativeFloat = _FITTED["moods_weight"]
    genres_weight: NonNegativeFloat = _FITTED["genres_weight"]
    instruments_weight: NonNegativeFloat = _FITTED["instruments_weight"]
    energy_weight: NonNegativeFloat = _FITTED["energy_weight"]
    pace_weight: NonNegativeFloat = _FITTED["pace_weight"]
    brightness_weight: NonNegativeFloat = _FITTED["brightness_weight"]
    mode_weight: NonNegativeFloat = _FITTED["mode_weight"]
    """of major and minor"""
    voice_weight: NonNegativeFloat = _FITTED["voice_weight"]
    """of leaving room for the speaker"""
    topic_weight: NonNegativeFloat = _FITTED["topic_weight"]
    """of the cosine of the word vectors"""
    opening_weight: NonNegativeFloat = _FITTED["opening_weight"]
    """of a quick opening, on short video"""
    length_weight: NonNegativeFloat = _FITTED["length_weight"]
    """of being long enough"""
    calibration_offset: float = _FITTED["calibration_offset"]
    """log-odds of a raw score of 0"""
    calibration_slope: NonNegativeFloat = _FITTED["calibration_slope"]
    """log-odds a unit of raw score"""
