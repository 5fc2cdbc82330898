"""Landmarks of a track, events of a video, and placements of the track under the video."""

from __future__ import annotations

from pydantic import Field, NonNegativeFloat, PositiveFloat

from workbench.files import read_numbers
from workbench.params.base import FittedModel, Params


class LandmarkParams(Params):
    """What counts as a landmark of a track."""

    downbeat_salience: float = Field(
        default=0.2, ge=0.0, le=1.0, description="of a clear downbeat; there are many, so each of them counts little"
    )


class EventParams(Params):
    """What counts as an event of a video."""

    hit_rise_db: float = Field(
        default=10.0,
        ge=3.0,
        le=40.0,
        description="dB that a hit rises over what came before; lower finds more of them",
    )


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
    """of that share, for the first and the last picture, which stay in place"""
    landmark_power: NonNegativeFloat = 2.0
    """of a landmark's salience, as which it draws events: bar lines draw few"""
    near_share: float = Field(default=0.5, ge=0.0, le=1.0)
    """of the events on landmarks, put there exactly; the others by eye"""
    near_reach: PositiveFloat = 0.3
    """standard deviation of exact events, in units of both tolerances together"""
    far_reach: PositiveFloat = 1.2
    """the same of events placed by eye: a frame or two at usual tolerances"""
    bare_cost: float = Field(default=0.5, ge=0.0, le=1.0)
    """of the score, lost where all that could have music has none"""


class AlignParams(Params):
    """How a track is placed under a video."""

    model: AlignModel = AlignModel()
    max_placements: int = Field(default=12, ge=1, le=12, description="placements answered at most")
    min_apart_seconds: float = Field(default=1.0, ge=1.0, le=60.0, description="s between two placements")
    min_cover: float = Field(
        default=0.6,
        ge=0.6,
        le=1.0,
        description="of the salience and of the time that the best-covering placement has music under",
    )
