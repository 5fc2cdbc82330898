"""Beat and downbeat tracking."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workbench.params.base import BEAT_TRACKERS, OWN, SECTION_FINDERS, Params, names_extension


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


class SectionParams(Params):
    """Sections of a track."""

    finder: str = Field(
        json_schema_extra=names_extension(SECTION_FINDERS),
        default=OWN,
        min_length=1,
        max_length=200,
        description="which section finder; ours, one that is installed, or one of a module as module:attribute",
    )
    usual_bars: int = Field(default=8, ge=2, le=32, description="bars; the usual length of a section")
    border_cost: float = Field(
        default=0.3,
        ge=0.0,
        le=10.0,
        description="evidence that one more border must be worth; 1 is the top tenth of bars",
    )
