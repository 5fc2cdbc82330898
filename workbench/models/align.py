"""How a video is cut to a track: which events land on landmarks, how exactly, and how far evidence is to be trusted."""

from __future__ import annotations

from pydantic import Field, NonNegativeFloat, PositiveFloat

from workbench.files import FittedModel, read_numbers

_FITTED = read_numbers("align.json")


class AlignModel(FittedModel):
    """The numbers in the formulas of `workbench.align.placements`; the first two are fitted, see `align.md`.

    The others say how editors work: judged, not measured.
    """

    prior_odds: PositiveFloat = _FITTED["prior_odds"]
    """odds, before looking, that a track fits a video somewhere"""
    trust: PositiveFloat = _FITTED["trust"]
    """power of the odds that the evidence gives, in the score; near a logistic fit"""

    used_share: NonNegativeFloat = 0.3
    """of usual events, put on a landmark where a video was cut to the track; more of salient ones"""
    end_share: float = Field(default=0.25, ge=0.0, le=1.0)
    """of that share, for the first and the last picture, which nobody moves"""
    landmark_power: NonNegativeFloat = 2.0
    """of a landmark's salience, as which it draws events: bar lines draw few"""
    near_share: float = Field(default=0.5, ge=0.0, le=1.0)
    """of the events on landmarks, put there exactly; the others by eye"""
    near_reach: PositiveFloat = 0.3
    """standard deviation of exact ones, of both tolerances together"""
    far_reach: PositiveFloat = 1.2
    """the same of those put by eye: a frame or two at usual tolerances"""
    bare_cost: float = Field(default=0.5, ge=0.0, le=1.0)
    """of the score, lost where all that could have music has none"""
