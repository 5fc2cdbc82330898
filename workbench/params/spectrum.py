"""The spectrogram that beats, sections and seams read."""

from __future__ import annotations

from pydantic import Field

from workbench.params.base import Params


class SpectrumParams(Params):
    """The one spectrogram that beats, sections and seams read."""

    sample_rate: int = Field(default=44_100, ge=22_050, le=48_000, description="Hz; all sound is resampled to it")
    frames_per_second: int = Field(default=100, ge=50, le=200, description="frames a second at any sample rate")
    window: int = Field(default=2048, ge=512, le=8192, description="samples of the analysis window")
    bands_per_octave: int = Field(
        default=24, ge=6, le=36, description="bands an octave; half a semitone, the SuperFlux resolution"
    )
    min_hz: float = Field(default=30.0, ge=20.0, le=100.0, description="Hz; centre of the lowest band")
    max_hz: float = Field(default=17_000.0, ge=4_000.0, le=20_000.0, description="Hz; lossy codecs end near 16 kHz")
    tone_frames_per_second: int = Field(
        default=20, ge=5, le=50, description="frames a second of the tones; their window is 186 ms long"
    )
    min_tone: int = Field(default=28, ge=16, le=60, description="MIDI number; E1, 41 Hz, a bass's lowest string")
    max_tone: int = Field(default=108, ge=72, le=112, description="MIDI number; C8, a piano's highest key")
