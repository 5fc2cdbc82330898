"""The match score: what videos expect of music, how wide each part is, and the probability that a score stands for."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field, NonNegativeFloat

from workbench.files import FittedModel, read_numbers

_FITTED = read_numbers("match.json")
_MOOD = read_numbers("mood.json")
_SCORES = read_numbers("match_scores.json")

Weights: TypeAlias = tuple[float, float, float, float, float, float]
"""of 1, pace, movement, loudness, brightness, 4 x colour"""


class MatchModel(FittedModel):
    """What the parts of a match score are made of; see `match.md`, `mood.md` and `match_scores.md` for what is fitted.

    A width is a standard deviation. `usual_` of a part is its mean over the reference set: what a track has of which
    the part is unknown.
    """

    wanted_energy: Weights = tuple(_FITTED["wanted_energy"])
    wanted_pulse: Weights = tuple(_FITTED["wanted_pulse"])
    """for how fast the music is felt"""
    wanted_valence: Weights = tuple(_FITTED["wanted_valence"])
    """for how cheerful it is"""
    calm_under_voice: float = Field(default=_FITTED["calm_under_voice"], ge=0.0, le=1.0)
    """of the energy that a video wants, given up where somebody speaks"""
    much_speech: float = Field(default=_FITTED["much_speech"], gt=0.0)
    """of the video's time, from where on a voice-over decides about vocals"""

    pulse_width: float = Field(default=_FITTED["pulse_width"], gt=0.0)
    """a quarter of all tempi"""
    octave_weight: float = Field(default=0.8, ge=0.0, le=1.0)
    """of half or double the tempo, which many feel, beside the tempo itself"""
    energy_width: float = Field(default=_FITTED["energy_width"], gt=0.0)
    valence_width: float = Field(default=_FITTED["valence_width"], gt=0.0)
    valence_of_music: tuple[float, float, float] = (0.1, 0.28, 0.85)
    """of 1, mode and brightness of the sound, where it was not measured how clear the key is"""
    valence_of_key: tuple[float, float, float] = tuple(_MOOD["valence"])
    """of 1, mode and clarity of the key, where it was measured"""
    words_share_of_energy: float = Field(default=0.5, ge=0.0, le=1.0)
    """of a track's energy, that the moods in the catalog's words decide"""
    words_share_of_valence: float = Field(default=0.7, ge=0.0, le=1.0)
    """of its cheerfulness, that they decide"""
    vocals_share: float = Field(default=0.75, ge=0.0, le=1.0)
    """of the voice part; the rest is the band's"""
    free_band: NonNegativeFloat = 0.08
    """of the power from 1 to 4 kHz, that leaves a voice free"""
    full_band: float = Field(default=0.15, gt=0.0)
    """of the power beyond `free_band`, that drowns a voice"""
    usual_swing: float = Field(default=_FITTED["usual_swing"], gt=0.0)
    """deviation of drive that is half an arc"""
    usual_spread: float = Field(default=_FITTED["usual_spread"], gt=0.0)
    """the same of the music's energy"""

    usual_pulse: float = Field(default=_FITTED["usual_pulse"], gt=0.0, le=1.0)
    usual_level: float = Field(default=_FITTED["usual_level"], gt=0.0, le=1.0)
    usual_mood: float = Field(default=_FITTED["usual_mood"], gt=0.0, le=1.0)
    usual_voice: float = Field(default=_FITTED["usual_voice"], gt=0.0, le=1.0)
    usual_length: float = Field(default=_FITTED["usual_length"], gt=0.0, le=1.0)
    usual_bars: float = Field(default=0.5, gt=0.0, le=1.0)
    """cuts keep no time with most music"""
    usual_arc: float = Field(default=_FITTED["usual_arc"], gt=0.0, le=1.0)
    usual_sync: float = Field(default=0.5, gt=0.0, le=1.0)
    """most music lands nowhere in particular"""
    calibration_offset: float = _SCORES["offset"]
    """log-odds of a raw score of 0"""
    calibration_slope: NonNegativeFloat = _SCORES["slope"]
    """log-odds a unit of raw score"""
