"""Every tunable number of the project: one class a stage, one field a number, with range, unit and reason.

A stage takes its params object and nothing else of the kind. Command-line options, notebook cells, sliders, profile
files and cache keys are made from these fields, so a number lives here once.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Params(BaseModel):
    """Base of all parameter classes: frozen, unknown fields refused, NaN and infinity refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SpectrumParams(Params):
    """The one spectrogram that beats, sections and seams read."""

    sample_rate: int = Field(default=44_100, ge=22_050, le=48_000, description="Hz; all sound is resampled to it")
    frames_per_second: int = Field(default=100, ge=50, le=200, description="frames a second at any sample rate")
    window: int = Field(default=2048, ge=512, le=8192, description="samples of the analysis window")
    bands_per_octave: int = Field(
        default=24, ge=6, le=36, description="bands an octave; half a semitone, the SuperFlux resolution"
    )
    lowest_hz: float = Field(default=30.0, ge=20.0, le=100.0, description="Hz; centre of the lowest band")
    highest_hz: float = Field(default=17_000.0, ge=4_000.0, le=20_000.0, description="Hz; lossy codecs end near 16 kHz")
    tone_frames_per_second: int = Field(
        default=20, ge=5, le=50, description="frames a second of the tones; their window is 186 ms long"
    )
    lowest_tone: int = Field(default=28, ge=16, le=60, description="MIDI number; E1, 41 Hz, a bass's lowest string")
    highest_tone: int = Field(default=108, ge=72, le=112, description="MIDI number; C8, a piano's highest key")


class BeatParams(Params):
    """Beat and downbeat tracking: the bar-pointer model and its activations."""

    min_bpm: float = Field(default=48.0, ge=30.0, le=80.0, description="BPM; slowest beat, a dotted one of a slow 6/8")
    max_bpm: float = Field(default=215.0, ge=120.0, le=300.0, description="BPM; fastest beat")
    usual_bpm: float = Field(default=110.0, ge=80.0, le=140.0, description="BPM; where people tap most readily")
    tempo_candidates: int = Field(default=10, ge=1, le=20, description="tempi decoded and compared; cost grows with it")
    normalization_seconds: float = Field(
        default=8.0, ge=1.0, le=60.0, description="s around an onset that its strength is measured against; two bars"
    )
    beat_evidence: float = Field(default=5.0, ge=0.5, le=20.0, description="nats that a clear onset speaks for a beat")
    tempo_reach: float = Field(
        default=1.3,
        ge=1.05,
        le=1.4,
        description="ratio; how far the tempo may wander from a candidate, under an octave",
    )
    tempo_spread: float = Field(
        default=0.03, ge=0.005, le=0.2, description="ratio; deviation from the candidate's tempo that costs half a nat"
    )
    tempo_cap: float = Field(default=1.0, ge=0.0, le=10.0, description="nats a beat that another tempo costs at most")
    tempo_change_cost: float = Field(
        default=60.0, ge=1.0, le=500.0, description="nats for a change of tempo by its own amount from beat to beat"
    )
    tempo_jump_cost: float = Field(
        default=8.0, ge=1.0, le=50.0, description="nats that any change of tempo costs at most"
    )
    bar_evidence: float = Field(default=2.0, ge=0.0, le=20.0, description="nats that one beat speaks for a bar line")
    phase_prior: float = Field(
        default=0.5, ge=0.0, le=10.0, description="nats a beat by which the whole piece's bar phase is preferred"
    )
    bar_slip_cost: float = Field(default=12.0, ge=0.0, le=100.0, description="nats that a bar cut short costs")
    metre_switch_cost: float = Field(default=12.0, ge=0.0, le=100.0, description="nats that a change of metre costs")
    jitter_ms: float = Field(
        default=12.0, ge=1.0, le=40.0, description="ms; median distance that a steady line explains"
    )
    steady_beats: int = Field(default=8, ge=4, le=64, description="beats; fewest that make a steady stretch")
    line_price: float = Field(
        default=30.0, ge=1.0, le=1000.0, description="squared jitters that a new stretch of tempo must save"
    )
    latency_ms: float = Field(default=0.0, ge=-30.0, le=30.0, description="ms added to every beat")


class SectionParams(Params):
    """Sections of a song."""


class SeamParams(Params):
    """How a splice is scored and fitted."""

    context_beats: int = Field(default=4, ge=1, le=16, description="beats compared on each side; one bar of 4/4")


class CoverParams(Params):
    """How a clip is covered with bodies and an ending."""

    required_excess_seconds: float = Field(
        default=30.0, ge=0.0, le=600.0, description="s; how much longer than the track a clip must be to be looped"
    )
    min_confidence: float = Field(
        default=0.3, ge=0.0, le=1.0, description="grid confidence under which a loop is refused as low_confidence"
    )


class RenderParams(Params):
    """Playing a plan."""

    block_seconds: float = Field(default=5.0, ge=0.1, le=60.0, description="s of sound rendered at a time")
    ceiling_dbtp: float = Field(default=-1.0, ge=-12.0, le=0.0, description="dBTP; the limiter's ceiling")
    limiter_lookahead_seconds: float = Field(
        default=0.005, ge=0.001, le=0.05, description="s over which the limiter's gain moves; shorter ones distort bass"
    )
    limiter_release_seconds: float = Field(
        default=0.2, ge=0.01, le=2.0, description="s for the limiter to let go of 63 % of a reduction"
    )
    film_sample_rate: int = Field(default=48_000, ge=44_100, le=48_000, description="Hz of a film's sound")
    film_kbps: int = Field(default=256, ge=96, le=320, description="kbit/s of a film's AAC stereo sound")


class VoiceParams(Params):
    """Speech probabilities to phrases."""


class DuckParams(Params):
    """How far and how fast music moves out of the way of a voice."""


class WorkbenchParams(Params):
    """All of them together: what a profile file holds."""

    spectrum: SpectrumParams = SpectrumParams()
    beats: BeatParams = BeatParams()
    sections: SectionParams = SectionParams()
    seams: SeamParams = SeamParams()
    cover: CoverParams = CoverParams()
    render: RenderParams = RenderParams()
    voice: VoiceParams = VoiceParams()
    duck: DuckParams = DuckParams()
