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
    min_tempo_confidence: float = Field(
        default=0.3,
        ge=0.0,
        le=1.0,
        description="grid confidence under which no tempo is stated of a track with drums; ranking goes by it all the "
        "same",
    )
    min_drumless_tempo_confidence: float = Field(
        default=0.6,
        ge=0.0,
        le=1.0,
        description="grid confidence under which no tempo is stated of a track without drums",
    )
    min_tempo_drums: float = Field(
        default=0.7,
        ge=0.0,
        le=1.0,
        description="probability of drums from which a tempo is stated as one number; else its half or double is added",
    )
    min_sure_bpm: float = Field(
        default=106.0,
        ge=0.0,
        le=1000.0,
        description="bpm under which a measured tempo is stated with its double: of songs by others heard at 75 to 106 "
        "bpm, half were written at twice as much",
    )
    max_sure_bpm: float = Field(
        default=185.0,
        ge=0.0,
        le=1000.0,
        description="bpm from which on a measured tempo is stated with its half",
    )
    min_key_strength: float = Field(
        default=0.6,
        ge=0.0,
        le=1.0,
        description="probability of a key under which none is named: from here on 96 of 100 of pieces by others are "
        "right",
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
