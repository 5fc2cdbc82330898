"""Landmarks of a track, events of a video, and placements of the track under the video."""

from __future__ import annotations

from pydantic import Field

from workbench.models.align import AlignModel
from workbench.params.base import Params


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
