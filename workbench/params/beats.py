"""Beat and downbeat tracking."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workbench.extensions import BEAT_TRACKERS, OWN
from workbench.params.base import Params, names_extension


class BeatParams(Params):
    """Beat and downbeat tracking: by what, from which evidence, and which tempi are beats."""

    tracker: str = Field(
        json_schema_extra=names_extension(BEAT_TRACKERS),
        default=OWN,
        min_length=1,
        max_length=200,
        description="which beat tracker; ours, one that is installed, or one of a module as module:attribute",
    )
    activation: Literal["network", "onsets"] = Field(
        default="network", description="source of the beat evidence: the network, or onset strengths alone"
    )
    min_bpm: float = Field(default=40.0, ge=30.0, le=80.0, description="BPM; slowest beat, a dotted one of a slow 6/8")
    max_bpm: float = Field(default=240.0, ge=120.0, le=300.0, description="BPM; fastest beat")
    usual_bpm: float = Field(default=110.0, ge=80.0, le=140.0, description="BPM; where people tap most readily")
    tempo_preference: float = Field(
        default=1.2,
        ge=0.0,
        le=20.0,
        description="nats a squared octave from usual_bpm, on top of what is fitted; more of it halves quick music",
    )
