"""Beat and downbeat tracking."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workbench.extensions import BEAT_TRACKERS, OWN
from workbench.params.base import Params, names_extension


class BeatParams(Params):
    """Beat and downbeat tracking: the bar-pointer model and its activations."""

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
    tempo_candidates: int = Field(default=10, ge=1, le=20, description="tempi decoded and compared; cost grows with it")
    compression: float = Field(
        default=30.0, ge=0.1, le=1000.0, description="ratio of a loud magnitude to where the logarithm turns linear"
    )
    normalization_seconds: float = Field(
        default=8.0, ge=1.0, le=60.0, description="s around an onset that its strength is measured against; two bars"
    )
    beat_evidence: float = Field(
        default=5.0, ge=0.5, le=20.0, description="nats of evidence that a clear onset gives for a beat"
    )
    tempo_reach: float = Field(
        default=1.3,
        ge=1.05,
        le=1.4,
        description="ratio; how far the tempo may wander from a candidate, under an octave",
    )
    min_tick_seconds: float = Field(
        default=0.14, ge=0.05, le=0.3, description="s; shortest subdivision followed, a semiquaver at 107 BPM"
    )
    drift_cost: float = Field(
        default=0.5, ge=0.0, le=10.0, description="nats a frame by which a tick strays from its tempo"
    )
    max_tempo_cost: float = Field(
        default=1.0, ge=0.0, le=10.0, description="nats a tick that another tempo costs at most"
    )
    tempo_change_cost: float = Field(
        default=60.0, ge=1.0, le=500.0, description="nats for a change of tempo by its own amount from beat to beat"
    )
    max_tempo_change_cost: float = Field(
        default=8.0, ge=1.0, le=50.0, description="nats that any change of tempo costs at most"
    )
    bar_evidence: float = Field(
        default=2.0, ge=0.0, le=20.0, description="nats of evidence that one beat gives for a bar line"
    )
    phase_prior: float = Field(
        default=0.5, ge=0.0, le=10.0, description="nats a beat by which the whole piece's bar phase is preferred"
    )
    network_beat_weight: float = Field(
        default=1.0, ge=0.1, le=10.0, description="weight of the network's log-odds of a beat in following a pulse"
    )
    missed_beat_penalty: float = Field(
        default=2.0, ge=0.0, le=10.0, description="nats that a beat without evidence costs at most"
    )
    clear_beat_reward: float = Field(
        default=4.0, ge=0.5, le=10.0, description="nats that a beat with clear evidence is worth"
    )
    narrow_candidates: int = Field(default=5, ge=1, le=20, description="tempi followed closely beside the free one")
    narrow_reach: float = Field(
        default=1.08, ge=1.02, le=1.3, description="ratio; how far a tempo followed closely may stray"
    )
    straight_candidates: int = Field(
        default=2,
        ge=0,
        le=20,
        description="tempi followed closely whose straight grids are proposed; cost grows with it",
    )
    network_downbeat_weight: float = Field(
        default=1.0, ge=0.0, le=10.0, description="weight of the network's log-odds of a downbeat in placing bar lines"
    )
    network_metre_weight: float = Field(
        default=0.2, ge=0.0, le=10.0, description="weight of the network's log probability of the metre, a beat"
    )
    other_metre_cost: float = Field(
        default=0.5, ge=0.0, le=10.0, description="nats a beat by which another metre than the whole piece's is worse"
    )
    bar_slip_cost: float = Field(default=12.0, ge=0.0, le=100.0, description="nats that a bar cut short costs")
    metre_switch_cost: float = Field(default=12.0, ge=0.0, le=100.0, description="nats that a change of metre costs")
    jitter_ms: float = Field(
        default=12.0,
        ge=1.0,
        le=40.0,
        description="ms; unevenness of beats that still counts as jitter about a straight line",
    )
    min_steady_beats: int = Field(default=8, ge=4, le=64, description="beats; fewest that make a steady stretch")
    stretch_cost: float = Field(
        default=120.0, ge=1.0, le=1000.0, description="squared jitters that a new stretch of tempo must save"
    )
    max_ending_beats: int = Field(
        default=24, ge=8, le=64, description="beats before the end that may slow down; six bars, more than is customary"
    )
    max_ending_slowdown: float = Field(
        default=1.9, ge=1.1, le=2.0, description="ratio of the last beat to the usual one; twice would be another tempo"
    )
    min_ending_activation: float = Field(
        default=0.25, ge=0.0, le=0.9, description="activation that a beat of a slowing ending needs to be worth having"
    )
    min_ending_gain: float = Field(
        default=0.15, ge=0.0, le=1.0, description="activation by which slowing beats must sound better than steady ones"
    )
    change_seconds: float = Field(
        default=8.0, ge=1.0, le=60.0, description="s of music that decide on their own tempo as firmly as a piece does"
    )
    change_cost: float = Field(default=3.0, ge=0.0, le=50.0, description="nats that a leap to another tempo costs")
    min_change_gain: float = Field(
        default=17.0, ge=0.0, le=100.0, description="nats by which stretches must explain a piece better than one tempo"
    )
    change_view_seconds: float = Field(
        default=3.0, ge=1.0, le=20.0, description="s to both sides that are used to judge a second"
    )
    unsteady_ms: float = Field(
        default=15.0, ge=1.0, le=100.0, description="ms; median unevenness at which beats count as half steady"
    )
