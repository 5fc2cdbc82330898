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
