"""When a measurement of a track is sure enough to be stated."""

from __future__ import annotations

from pydantic import Field

from workbench.params.base import Params


class CharacterParams(Params):
    """When a measurement of a track is sure enough to be stated."""

    min_grid_confidence: float = Field(
        default=0.02,
        ge=0.0,
        le=1.0,
        description="grid confidence under which a track has no tempo, as drones have none",
    )
    min_key_strength: float = Field(
        default=0.5,
        ge=0.0,
        le=1.0,
        description="probability of a key under which none is named: at one half it is as likely wrong as right",
    )
    max_instrumental_voice: float = Field(
        default=0.3,
        ge=0.0,
        le=0.5,
        description="probability of a voice up to which a track is called instrumental: half of what the least sure of "
        "twelve recorded songs has",
    )
    min_vocal_voice: float = Field(
        default=0.9,
        ge=0.5,
        le=1.0,
        description="probability of a voice from which on a track is called not instrumental",
    )
    salient_seconds: float = Field(
        default=30.0, ge=5.0, le=120.0, description="s of the memorable part; the longest preview"
    )
