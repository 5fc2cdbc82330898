"""Playing a plan, previews, and what a file is delivered at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from workbench.params.base import Params


class RenderParams(Params):
    """Playing a plan."""

    block_seconds: float = Field(default=5.0, ge=0.1, le=60.0, description="s of sound rendered at a time")
    ceiling_dbtp: float = Field(default=-1.0, ge=-12.0, le=0.0, description="dBTP; the limiter's ceiling")
    limiter_release_seconds: float = Field(
        default=0.2, ge=0.01, le=2.0, description="s for the limiter to let go of 63 % of a reduction"
    )
    max_limiting_db: float = Field(
        default=6.0,
        ge=0.0,
        le=20.0,
        description="dB that the limiter may take off the highest peak to reach a delivery target; more is audible",
    )
    video_sample_rate: int = Field(default=48_000, ge=44_100, le=48_000, description="Hz of a soundtrack")
    video_kbps: int = Field(default=256, ge=96, le=320, description="kbit/s of a video's AAC sound, and of an MP3")
    ducking: Literal["broadband", "bands"] = Field(
        default="broadband",
        description="broadband: all the music goes down under speech; bands: less of it below and above the speech",
    )
    speech_band_depth: float = Field(
        default=1.2,
        ge=1.0,
        le=1.5,
        # What is left outside the band masks speech too; ESTOI as under the broadband envelope (benchmark duck-bands).
        description="depth in the band of speech with `bands`, times that of the envelope",
    )
    other_bands_depth: float = Field(
        default=0.5,
        ge=0.0,
        le=1.0,
        # ANSI S3.5-1997, table 3: 6 % of the importance is below 180 Hz and above 5.6 kHz. With less, the music
        # in the median comes closer to the voice than the 10 LU that listeners ask for (Torcoli et al., JAES 67(12),
        # 2019).
        description="depth below and above it with `bands`, times that of the envelope; 1 ducks them alike",
    )
    other_bands_gap_db: float = Field(
        default=6.0,
        ge=0.0,
        le=48.0,
        # The deepest ducks are those under quiet speakers, whom half of 33 dB leaves under the rest of the music.
        description="dB that they stay over the envelope at most, however deep it goes",
    )


class PreviewParams(Params):
    """An excerpt to judge a track by, marked so that it cannot be used otherwise."""

    seconds: float = Field(default=30.0, ge=5.0, le=30.0, description="s; the longest excerpt")
    mark_under_db: float = Field(
        default=6.0, ge=0.0, le=20.0, description="dB by which a mark is under the music around it; audible, not loud"
    )
    kbps: int = Field(default=128, ge=64, le=320, description="kbit/s of the MP3")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryTarget:
    """What a platform or a broadcaster asks of a finished file; not tuned, so no part of a profile."""

    loudness_lufs: float
    """LUFS that the file is brought to"""
    tolerance_lu: float
    """LU to both sides that are accepted"""
    ceiling_dbtp: float
    """highest true peak that is accepted, dBTP"""
    measured_on: Literal["programme", "dialogue"] = "programme"
    """the whole with the gates of BS.1770-2 and later, or the speech in it, not gated by level"""
    max_short_term_lufs: float | None = None
    """highest loudness of any 3 s that is accepted, LUFS"""
    min_dialogue_share: float = 0.0
    """share of speech, 0 to 1, under which `programme_lufs` is asked for instead"""
    programme_lufs: float | None = None
    """LUFS of the whole, asked for where there is too little speech"""
    source: str
    """where the numbers come from"""


DELIVERY_TARGETS: dict[str, DeliveryTarget] = {
    "web": DeliveryTarget(
        loudness_lufs=-14.0,  # Spotify's and YouTube's players bring everything to about -14
        tolerance_lu=1.0,  # our own: the players even out the rest
        ceiling_dbtp=-1.0,  # Spotify asks -1 dBTP, so that its lossy codecs do not clip
        source="Spotify for Artists, loudness normalization; YouTube's players",
    ),
    "podcast": DeliveryTarget(
        loudness_lufs=-16.0,  # Apple asks -16; AES TD1004 (2015) -16 to -20, TD1008 (2021) -18 of speech alone
        tolerance_lu=1.0,  # Apple
        ceiling_dbtp=-1.0,  # Apple
        source="Apple Podcasts, audio requirements; AES TD1004 (2015)",
    ),
    "ebu-r128": DeliveryTarget(
        loudness_lufs=-23.0,  # target level
        tolerance_lu=0.2,  # version 4, for quality control; 1.0 is for live programmes
        ceiling_dbtp=-1.0,  # maximum true peak
        source="EBU R 128 version 4 (2020)",
    ),
    "ebu-r128-s1": DeliveryTarget(
        loudness_lufs=-23.0,  # as R 128
        tolerance_lu=0.2,  # as R 128
        ceiling_dbtp=-1.0,  # as R 128
        max_short_term_lufs=-18.0,  # 5 LU over the target: an advertisement must not be dynamic for effect
        source="EBU R 128 supplement 1, short-form content: advertisements, trailers",
    ),
    "atsc-a85": DeliveryTarget(
        loudness_lufs=-24.0,  # target loudness where no other is agreed on
        tolerance_lu=2.0,  # content within 2 dB is accepted
        ceiling_dbtp=-2.0,  # maximum true peak
        source="ATSC A/85 (2013)",
    ),
    "dialogue": DeliveryTarget(
        loudness_lufs=-27.0,  # of the dialogue
        tolerance_lu=2.0,
        ceiling_dbtp=-2.0,
        measured_on="dialogue",
        min_dialogue_share=0.15,  # with less, the whole is measured
        programme_lufs=-24.0,  # and brought to this
        source="Netflix sound mix specification 1.4, dialogue-gated after BS.1770-1",
    ),
}
"""Delivery by name, each number with its source. The gates of `programme` are those of BS.1770-2 to -5."""
